// When two results are equal (DESIGN.md 5).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "interpreter/launch/arguments.hpp"
#include "tools/diff.hpp"

namespace lockstep::tools {

namespace {

bool is_nan(const launch::Buffer& buffer, std::uint64_t index) {
  const std::byte* bytes = buffer.bytes.data() + index * size_of(buffer.type);
  const auto check = [&]<class T>(T number) {
    std::memcpy(&number, bytes, sizeof number);
    return std::isnan(number);
  };
  return buffer.type == ScalarType::Float ? check(0.0F) : buffer.type == ScalarType::Double && check(0.0);
}

bool is_poison(const launch::Buffer& buffer, std::uint64_t index) {
  return std::binary_search(buffer.poison.begin(), buffer.poison.end(), index);
}

bool equal(const launch::Buffer& expected, const launch::Buffer& found, std::uint64_t index) {
  if (is_poison(expected, index)) {
    return true;
  }
  return !is_poison(found, index) &&
         (launch::element_bits(expected, index) == launch::element_bits(found, index) || (is_nan(expected, index) && is_nan(found, index)));
}

/// The element as it lies in memory.
std::string bits_text(const launch::Buffer& buffer, std::uint64_t index) {
  const std::size_t size = size_of(buffer.type);
  std::uint64_t bits = 0;
  std::memcpy(&bits, buffer.bytes.data() + index * size, size);
  return fmt::format("0x{:0{}x}", bits, 2 * size);
}

std::string buffer_name(const Reference& reference, std::size_t buffer) {
  const std::vector<launch::Argument>& values = reference.before.values;
  const auto user = std::ranges::find(values, launch::Argument(std::in_place_index<1>, buffer));
  return launch::parameter_name(*reference.kernel.program, static_cast<std::size_t>(user - values.begin()));
}

}  // namespace

Comparison compare(const Reference& reference, const std::vector<launch::Buffer>& found) {
  Comparison comparison;
  for (std::size_t b = 0; b < found.size(); ++b) {
    const launch::Buffer& expected = reference.after.buffers[b];
    if (found[b].poison.empty() && expected.bytes == found[b].bytes) {
      continue;
    }
    for (std::uint64_t i = 0; i < expected.count; ++i) {
      if (equal(expected, found[b], i)) {
        continue;
      }
      if (++comparison.different == 1) {
        comparison.first = {
            buffer_name(reference, b), i, launch::element_text(expected, i), launch::element_text(found[b], i), bits_text(expected, i),
            bits_text(found[b], i)};
      }
    }
  }
  return comparison;
}

}  // namespace lockstep::tools
