#include "semantics/core/parse_literal.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace lockstep::core {
namespace {

/// A character constant has its quotes already.
std::string quoted(const Token& token) {
  return token.kind == TokenKind::Character ? shortened(token.text) : "'" + shortened(token.text) + "'";
}

/// The value of a digit in any base up to 16; 16 for what is no digit.
unsigned digit_value(char c) {
  if (c >= '0' && c <= '9') {
    return static_cast<unsigned>(c - '0');
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a') + 10U : 16U;
}

std::size_t skip_digits(std::string_view text, std::size_t at, unsigned base) {
  while (at < text.size() && digit_value(text[at]) < base) {
    ++at;
  }
  return at;
}

bool is_hexadecimal(std::string_view text) { return text.starts_with("0x") || text.starts_with("0X"); }

/// The end of a floating constant's digits and exponent; nothing where the text does not begin with one.
std::optional<std::size_t> float_end(std::string_view text) {
  const bool hexadecimal = is_hexadecimal(text);
  const unsigned base = hexadecimal ? 16 : 10;
  const std::size_t begin = hexadecimal ? 2 : 0;
  std::size_t at = skip_digits(text, begin, base);
  std::size_t digits = at - begin;
  const bool point = at < text.size() && text[at] == '.';
  if (point) {
    const std::size_t fraction = at + 1;
    at = skip_digits(text, fraction, base);
    digits += at - fraction;
  }
  if (digits == 0) {
    return std::nullopt;
  }
  const char sign = hexadecimal ? 'p' : 'e';
  if (at < text.size() && (text[at] | 0x20) == sign) {
    std::size_t exponent = at + 1;
    exponent += exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-') ? 1U : 0U;
    const std::size_t end = skip_digits(text, exponent, 10);
    return end == exponent ? std::nullopt : std::optional(end);
  }
  return point && !hexadecimal ? std::optional(at) : std::nullopt;
}

bool looks_like_float(std::string_view text) {
  return text.find('.') != std::string_view::npos || text.find_first_of(is_hexadecimal(text) ? "pP" : "eE") != std::string_view::npos;
}

syntax::FloatLiteral read_float(const Token& token) {
  const std::optional<std::size_t> end = float_end(token.text);
  if (!end) {
    const bool no_exponent = is_hexadecimal(token.text) && token.text.find_first_of("pP") == std::string_view::npos;
    refuse(token, no_exponent ? "a hexadecimal floating constant needs an exponent, such as p0: " + quoted(token)
                              : quoted(token) + " is not a number");
  }
  const std::string_view suffix = token.text.substr(*end);
  if (suffix == "l" || suffix == "L") {
    refuse(token, "there is no type 'long double'; leave the suffix '" + std::string(suffix) + "' out");
  }
  if (suffix == "h" || suffix == "H") {
    refuse(token, "there is no type 'half'; write the suffix 'f' for a float");
  }
  if (!suffix.empty() && suffix != "f" && suffix != "F") {
    refuse(token, "'" + shortened(suffix) + "' is not a suffix of a floating constant; there is 'f' for float");
  }
  return {.digits = std::string(token.text.substr(0, *end)), .is_float = !suffix.empty()};
}

void read_suffix(const Token& token, std::string_view suffix, syntax::IntegerLiteral& literal) {
  std::string lower(suffix);
  std::ranges::transform(lower, lower.begin(), [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c); });
  if (lower == "ll" || lower == "ull" || lower == "llu") {
    refuse(token, "there is no type 'long long'; long has 64 bits, and its suffix is 'l'");
  }
  if (lower == "f") {
    refuse(token,
           "the suffix 'f' needs a decimal point: write '" + shortened(token.text.substr(0, token.text.size() - suffix.size())) + ".0f'");
  }
  if (!lower.empty() && lower != "u" && lower != "l" && lower != "ul" && lower != "lu") {
    refuse(token, "'" + shortened(suffix) + "' is not a suffix of an integer; there are 'u', 'l' and 'ul'");
  }
  literal.is_unsigned = lower.find('u') != std::string::npos;
  literal.is_long = lower.find('l') != std::string::npos;
}

std::optional<std::uint64_t> value_of(std::string_view digits, unsigned base) {
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (value > (UINT64_MAX - digit_value(c)) / base) {
      return std::nullopt;
    }
    value = value * base + digit_value(c);
  }
  return value;
}

syntax::IntegerLiteral read_integer(const Token& token) {
  const std::string_view text = token.text;
  const bool octal = text.size() > 1 && text[0] == '0' && digit_value(text[1]) < 10;
  const unsigned base = is_hexadecimal(text) ? 16 : octal ? 8 : 10;
  const std::size_t begin = base == 16 ? 2 : 0;
  const std::size_t end = skip_digits(text, begin, base);
  if (end == begin) {
    refuse(token, quoted(token) + " has no digits behind '0x'");
  }
  if (end < text.size() && digit_value(text[end]) < 10) {
    refuse(token, "'" + std::string(1, text[end]) + "' is not an octal digit; a leading 0 makes a number octal");
  }
  if (base == 10 && text.substr(0, end) == "0" && end < text.size() && (text[end] | 0x20) == 'b') {
    refuse(token, "there are no binary constants; write " + quoted(token) + " in hexadecimal");
  }
  syntax::IntegerLiteral literal;
  read_suffix(token, text.substr(end), literal);
  const std::optional<std::uint64_t> value = value_of(text.substr(begin, end - begin), base);
  if (!value) {
    refuse(token, "this integer is too large: the largest one is 18446744073709551615");
  }
  literal.value = *value;
  literal.is_decimal = base == 10;
  return literal;
}

/// The character behind a backslash, for the escapes that are one letter.
std::optional<char> simple_escape(char c) {
  constexpr std::string_view letters = "abfnrtv\\'\"?";
  constexpr std::string_view values = "\a\b\f\n\r\t\v\\'\"?";
  const std::size_t found = letters.find(c);
  return found == std::string_view::npos ? std::nullopt : std::optional(values[found]);
}

/// The character that an escape ("\n", "\x1f", "\017") means.
char read_escape(const Token& token, std::string_view body) {
  const bool hexadecimal = body.starts_with("\\x");
  const std::string_view digits = body.substr(hexadecimal ? 2 : 1);
  const unsigned base = hexadecimal ? 16 : 8;
  if (!hexadecimal && digits.size() == 1 && simple_escape(digits[0])) {
    return *simple_escape(digits[0]);
  }
  if (digits.empty() || digit_value(digits[0]) >= base) {
    refuse(token, "there is no escape '" + shortened(body.substr(0, 2)) + "'");
  }
  const std::optional<std::uint64_t> value = value_of(digits.substr(0, skip_digits(digits, 0, base)), base);
  if (skip_digits(digits, 0, base) != digits.size() || (!hexadecimal && digits.size() > 3)) {
    refuse(token, quoted(token) + " is more than one character");
  }
  if (!value || *value > 0xff) {
    refuse(token, "the value of " + quoted(token) + " does not fit a char");
  }
  return static_cast<char>(*value);
}

}  // namespace

std::variant<syntax::IntegerLiteral, syntax::FloatLiteral> read_number(const Token& token) {
  if (looks_like_float(token.text)) {
    return read_float(token);
  }
  return read_integer(token);
}

syntax::IntegerLiteral read_character(const Token& token) {
  const std::string_view body = token.text.substr(1, token.text.size() - 2);
  if (body.empty()) {
    refuse(token, "there is no character between the quotes");
  }
  char value = body[0];
  if (value == '\\') {
    value = read_escape(token, body);
  } else if (body.size() > 1) {
    const bool foreign = (static_cast<unsigned char>(value) & 0x80U) != 0;
    refuse(token, foreign ? quoted(token) + " is not an ASCII character" : quoted(token) + " is more than one character");
  }
  syntax::IntegerLiteral literal;
  literal.value = static_cast<std::uint64_t>(std::int64_t{static_cast<signed char>(value)});
  literal.is_character = true;
  return literal;
}

}  // namespace lockstep::core
