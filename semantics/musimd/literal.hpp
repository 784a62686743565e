#pragma once
// Integer literals of `.mus` texts.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::musimd {

/// A literal at the start of a text.
struct Literal {
  std::size_t length = 0;  ///< in bytes, with its minus
  std::int64_t value = 0;
  std::string problem;  ///< why it has no value; empty if it has one
};

/// Reads an integer, decimal or hexadecimal (0x…), perhaps with a minus and blanks before it. Decimal ones go from -2^63 to
/// 2^63 - 1; hexadecimal ones are 64-bit patterns, and their minus wraps. Nothing if the text begins otherwise.
std::optional<Literal> read_integer(std::string_view text);

/// The value of a word of decimal digits, or nothing where it is not one or does not fit.
std::optional<std::uint64_t> read_decimal(std::string_view word);

}  // namespace lockstep::musimd
