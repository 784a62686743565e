// When two results are equal (docs/kernel-language.md).

#include "differential/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interpreter/launch/arguments.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::differential {

namespace {

bool is_poison(const launch::Buffer& buffer, std::uint64_t index) {
  return std::binary_search(buffer.poison.begin(), buffer.poison.end(), index);
}

bool equal(const launch::Buffer& expected, const launch::Buffer& found, std::uint64_t index) {
  if (is_poison(expected, index)) {
    return true;
  }
  return !is_poison(found, index) &&
         ops::same_number(expected.type, launch::element_bits(expected, index), launch::element_bits(found, index));
}

/// The element as it lies in memory.
std::string bits_text(const launch::Buffer& buffer, std::uint64_t index) {
  const std::size_t size = size_of(buffer.type);
  std::uint64_t bits = 0;
  std::memcpy(&bits, buffer.bytes.data() + index * size, size);
  return fmt::format("0x{:0{}x}", bits, 2 * size);
}

std::string buffer_name(const Reference& reference, std::size_t buffer) {
  return launch::parameter_name(*reference.kernel.program, owner_of(reference.before.values, buffer));
}

}  // namespace

const launch::Race* deciding_race(const launch::Outcome& outcome) {
  if (outcome.races_between_groups == 0) {
    return nullptr;
  }
  const auto between = [](const launch::Race& race) { return race.first.group != race.second.group; };
  const auto found = std::ranges::find_if(outcome.races, between);
  return found != outcome.races.end() ? &*found : &outcome.races.front();  // the reports are full of others
}

std::string text_of(const Mismatch& m, std::uint64_t different) {
  return fmt::format("{}[{}] is {} ({}), but the interpreter has {} ({}); {} in all", m.buffer, m.index, m.found, m.found_bits, m.expected,
                     m.expected_bits, counted(different, "difference"));
}

Comparison compare(const Reference& reference, const std::vector<launch::Buffer>& found) {
  Comparison comparison;
  for (std::size_t b = 0; b < found.size(); ++b) {
    const launch::Buffer& expected = reference.after.buffers[b];
    if (found[b].poison.empty() && expected.bytes == found[b].bytes) {
      continue;
    }
    const std::uint64_t before = comparison.different;
    for (std::uint64_t i = 0; i < expected.count; ++i) {
      if (equal(expected, found[b], i)) {
        continue;
      }
      if (++comparison.different == 1) {
        comparison.first = {
            buffer_name(reference, b), b, i, launch::element_text(expected, i), launch::element_text(found[b], i), bits_text(expected, i),
            bits_text(found[b], i)};
      }
    }
    if (comparison.different > before) {
      comparison.buffers.push_back(buffer_name(reference, b));
    }
  }
  return comparison;
}

}  // namespace lockstep::differential
