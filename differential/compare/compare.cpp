// When two results are equal (docs/kernel-language.md).

#include "differential/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "interpreter/launch/arguments.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::differential {

namespace {

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

namespace {

/// Of elements whose numbers may stand in any order: what each is to be taken for, by its place among the sorted ones; the others as they
/// are.
launch::Buffer in_expected_order(const launch::Buffer& expected, launch::Buffer found, const OpenElements& open) {
  const auto sorted = [&](const launch::Buffer& buffer) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> numbers;  // bits, index
    for (const std::uint64_t index : open.indices) {
      numbers.emplace_back(launch::element_bits(buffer, index), index);
    }
    std::ranges::sort(numbers);
    return numbers;
  };
  const auto wanted = sorted(expected);
  const auto there = sorted(found);
  const std::size_t size = size_of(found.type);
  const std::vector<std::byte> bytes = found.bytes;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    std::memcpy(found.bytes.data() + wanted[k].second * size, bytes.data() + there[k].second * size, size);
  }
  return found;
}

/// The element is as it may be in any order, or nobody can say.
bool is_left_out(const OpenElements* open, std::uint64_t index) {
  return open != nullptr && !open->are_moved && std::ranges::binary_search(open->indices, index);
}

}  // namespace

Comparison compare(const Reference& reference, const std::vector<launch::Buffer>& left) {
  Comparison comparison;
  for (std::size_t b = 0; b < left.size(); ++b) {
    const launch::Buffer& expected = reference.after.buffers[b];
    if (left[b].poison.empty() && expected.bytes == left[b].bytes) {
      continue;
    }
    const OpenElements* open = b < reference.open.size() && !reference.open[b].indices.empty() ? &reference.open[b] : nullptr;
    const launch::Buffer found = open != nullptr && open->are_moved ? in_expected_order(expected, left[b], *open) : left[b];
    const std::uint64_t before = comparison.different;
    for (std::uint64_t i = 0; i < expected.count; ++i) {
      if (equal(expected, found, i) || is_left_out(open, i)) {
        continue;
      }
      if (++comparison.different == 1) {
        comparison.first = {
            buffer_name(reference, b), b, i, launch::element_text(expected, i), launch::element_text(found, i), bits_text(expected, i),
            bits_text(found, i)};
      }
    }
    if (comparison.different > before) {
      comparison.buffers.push_back(buffer_name(reference, b));
    }
  }
  return comparison;
}

}  // namespace lockstep::differential
