#pragma once
// When two results are equal (docs/kernel-language.md).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "differential/compare/reference.hpp"

namespace lockstep::differential {

/// An element that is not equal to the reference's. (docs/kernel-language.md: the same bits, any two NaNs, and anything where the reference
/// is poison.)
struct Mismatch {
  std::string buffer;      ///< the parameter's name
  std::size_t number = 0;  ///< of the buffer
  std::uint64_t index = 0;
  std::string expected;       ///< in decimal
  std::string found;          ///< likewise; "poison" where the target has that
  std::string expected_bits;  ///< in hexadecimal, as many digits as the type has
  std::string found_bits;
};

struct Comparison {
  std::uint64_t different = 0;  ///< elements
  std::optional<Mismatch> first;
  std::vector<std::string> buffers;  ///< that have such elements, by the parameters' names
};

/// A race whose parties' order may decide the result, so that there is nothing to compare with: of two groups. Items of one group that meet
/// in one instruction are ordered. Null if there is none.
const launch::Race* deciding_race(const launch::Outcome& outcome);

/// `left`: the buffers that a target left, in the order of the reference's. Of elements that depend on the order of atomic changes
/// (orders.hpp) it is the numbers that count, not their places, or they are left out.
Comparison compare(const Reference& reference, const std::vector<launch::Buffer>& left);

/// "y[3] is 5 (0x00000005), but the interpreter has 4 (0x00000004); 2 differences in all"
std::string text_of(const Mismatch& mismatch, std::uint64_t different);

}  // namespace lockstep::differential
