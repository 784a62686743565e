#include "semantics/musimd/literal.hpp"

#include <algorithm>
#include <charconv>

#include "semantics/musimd/mistakes.hpp"

namespace lockstep::musimd {
namespace {

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hexadecimal_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// The digits' value, or nothing where it needs more than 64 bits.
std::optional<std::uint64_t> magnitude(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return result.ec == std::errc{} ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> read_decimal(std::string_view word) {
  return std::ranges::all_of(word, is_digit) ? magnitude(word, 10) : std::nullopt;
}

std::optional<Literal> read_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::size_t begin = negative ? std::min(text.find_first_not_of(" \t", 1), text.size()) : 0;
  const auto behind = static_cast<std::size_t>(
      std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), is_word_char) - text.begin());
  const std::string_view word = text.substr(begin, behind - begin);
  if (word.empty() || !is_digit(word.front())) {
    return std::nullopt;
  }
  const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
  const std::string_view digits = word.substr(hexadecimal ? 2 : 0);
  if (digits.empty() || !std::ranges::all_of(digits, hexadecimal ? is_hexadecimal_digit : is_digit)) {
    return Literal{behind, 0, "'" + std::string(word) + "' is not a number"};
  }
  const std::optional<std::uint64_t> bits = magnitude(digits, hexadecimal ? 16 : 10);
  if (hexadecimal && !bits) {
    return Literal{behind, 0, "the number is too big: a hexadecimal one has at most 64 significant bits"};
  }
  if (!bits || (!hexadecimal && *bits > sign_bit - (negative ? 0 : 1))) {
    return Literal{behind, 0, "the number is too big: integers go from -9223372036854775808 to 9223372036854775807"};
  }
  return Literal{behind, static_cast<std::int64_t>(negative ? 0 - *bits : *bits), {}};
}

}  // namespace lockstep::musimd
