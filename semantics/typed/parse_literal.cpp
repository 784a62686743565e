#include "semantics/typed/parse_literal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <system_error>

#include "semantics/base/diagnostic.hpp"
#include "semantics/typed/parse_words.hpp"

namespace lockstep::typed {
namespace {

constexpr std::uint64_t quiet_double = 0x7ff8000000000000;
constexpr std::uint64_t quiet_float = 0x7fc00000;

/// How a number says its type. bool has words of its own.
struct Suffix {
  std::string_view text;
  ScalarType type;
};
constexpr std::array<Suffix, 8> integer_suffixes = {{{"", ScalarType::Int},
                                                     {"u", ScalarType::UInt},
                                                     {"l", ScalarType::Long},
                                                     {"ul", ScalarType::ULong},
                                                     {"s", ScalarType::Short},
                                                     {"us", ScalarType::UShort},
                                                     {"c", ScalarType::Char},
                                                     {"uc", ScalarType::UChar}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hexadecimal_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::uint64_t mask_of(ScalarType type) { return ~std::uint64_t{0} >> (64 - bits_of(type)); }
std::uint64_t sign_bit(ScalarType type) { return std::uint64_t{1} << (bits_of(type) - 1); }

/// The low bits of a number as core::Literal has them.
std::uint64_t extended(ScalarType type, std::uint64_t low) {
  const bool negative = is_integer(type) && is_signed(type) && (low & sign_bit(type)) != 0;
  return negative ? low | ~mask_of(type) : low & mask_of(type);
}

template <class Real>
std::string real_text(Real value, std::string_view suffix) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), result.ptr);
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text + std::string(suffix);
}

/// inf and nan have words, with the bits of a nan that is not the usual one behind them.
std::string special_text(ScalarType type, std::uint64_t bits, bool is_nan, std::uint64_t quiet) {
  const std::string suffix = type == ScalarType::Float ? "f" : "";
  if (!is_nan) {
    return ((bits & sign_bit(type)) != 0 ? "-inf" : "inf") + suffix;
  }
  if (bits == quiet) {
    return "nan" + suffix;
  }
  std::array<char, 24> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  return "nan" + suffix + "(0x" + std::string(digits.data(), result.ptr) + ")";
}

std::string_view leading(std::string_view text, bool (*holds)(char)) {
  return text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, holds) - text.begin()));
}

/// Reads one number behind its minus.
class LiteralReader {
 public:
  LiteralReader(std::string_view text, bool negative) : text_(text), negative_(negative) {}

  /// Nothing if no number begins here; `length` does not count the minus.
  std::optional<TypedLiteral> run() {
    const std::string_view word = leading(text_, is_word_char);
    if (word.empty()) {
      return std::nullopt;
    }
    result_.length = word.size();
    if (!is_digit(word.front())) {
      return named(word) ? std::optional(std::move(result_)) : std::nullopt;
    }
    const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
    const std::string_view digits = leading(word.substr(hexadecimal ? 2 : 0), hexadecimal ? is_hexadecimal_digit : is_digit);
    const std::string_view suffix = word.substr(digits.size() + (hexadecimal ? 2 : 0));
    const auto row = std::ranges::find(integer_suffixes, suffix, &Suffix::text);
    if (row != integer_suffixes.end() && !digits.empty()) {
      result_.type = row->type;
      integer(digits, hexadecimal);
    } else if (hexadecimal) {
      not_a_number(word);
    } else {
      real(word);
    }
    return std::move(result_);
  }

 private:
  void not_a_number(std::string_view word) { result_.problem = "'" + shortened(word) + "' is not a number"; }

  std::string range() const {
    const ScalarType type = result_.type;
    if (!is_signed(type)) {
      return "0 to " + std::to_string(mask_of(type));
    }
    return "-" + std::to_string(sign_bit(type)) + " to " + std::to_string(sign_bit(type) - 1);
  }

  void integer(std::string_view digits, bool hexadecimal) {
    std::uint64_t value = 0;
    const bool fits = std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10).ec == std::errc{};
    const std::string name(info(result_.type).name);
    const bool has_sign = is_signed(result_.type);
    if (hexadecimal && (!fits || value > mask_of(result_.type))) {
      result_.problem =
          "the number is too big: a hexadecimal " + name + " has at most " + std::to_string(bits_of(result_.type)) + " significant bits";
    } else if (negative_ && !has_sign) {
      result_.problem = "a " + name + " has no minus of its own; its negation is written with parentheses, as in -(1u)";
    } else if (!hexadecimal && (!fits || value > (has_sign ? sign_bit(result_.type) - (negative_ ? 0U : 1U) : mask_of(result_.type)))) {
      result_.problem = "the number is too big: " + name + " goes from " + range();
    } else {
      result_.bits = extended(result_.type, negative_ ? 0 - value : value);
    }
  }

  /// A float or double with digits, a point or an exponent; the sign of an exponent is no part of the word.
  void real(std::string_view word) {
    std::size_t length = word.size();
    if ((word.ends_with('e') || word.ends_with('E')) && length < text_.size() && (text_[length] == '+' || text_[length] == '-')) {
      length += 1 + leading(text_.substr(length + 1), is_word_char).size();
    }
    result_.length = length;
    std::string_view number = text_.substr(0, length);
    result_.type = number.ends_with('f') ? ScalarType::Float : ScalarType::Double;
    number.remove_suffix(result_.type == ScalarType::Float ? 1 : 0);
    const bool known = result_.type == ScalarType::Float ? decimal<float, std::uint32_t>(number) : decimal<double, std::uint64_t>(number);
    if (!known && result_.problem.empty()) {
      not_a_number(text_.substr(0, length));
    }
  }

  template <class Real, class Bits>
  bool decimal(std::string_view number) {
    Real value = 0;
    const auto result = std::from_chars(number.data(), number.data() + number.size(), value);
    const bool whole = result.ptr == number.data() + number.size();
    if (whole && result.ec == std::errc::result_out_of_range) {
      result_.problem = "the number is out of the range of " + std::string(info(result_.type).name);
    }
    result_.bits = std::bit_cast<Bits>(negative_ ? -value : value);
    return whole && result.ec == std::errc{};
  }

  /// true, false, inf, nan; false for other words.
  bool named(std::string_view word) {
    if (word == "true" || word == "false") {
      result_.type = ScalarType::Bool;
      result_.bits = word == "true" ? 1 : 0;
      result_.problem = negative_ ? "a bool has no minus of its own" : "";
      return true;
    }
    if (word != "inf" && word != "inff" && word != "nan" && word != "nanf") {
      return false;
    }
    result_.type = word.ends_with("ff") || word == "nanf" ? ScalarType::Float : ScalarType::Double;
    const bool narrow = result_.type == ScalarType::Float;
    if (word.starts_with("inf")) {
      result_.bits = narrow ? 0x7f800000 : 0x7ff0000000000000;
    } else {
      result_.bits = narrow ? quiet_float : quiet_double;
      nan_bits();
    }
    result_.bits ^= negative_ ? sign_bit(result_.type) : 0;
    return true;
  }

  /// The bits of a nan, in parentheses.
  void nan_bits() {
    if (!text_.substr(result_.length).starts_with("(")) {
      return;
    }
    const std::size_t close = text_.find(')', result_.length);
    const std::string_view inside =
        text_.substr(result_.length + 1, (close == std::string_view::npos ? text_.size() : close) - result_.length - 1);
    const std::string_view digits = inside.starts_with("0x") ? inside.substr(2) : std::string_view{};
    std::uint64_t bits = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    const std::uint64_t infinity = result_.type == ScalarType::Float ? 0x7f800000 : 0x7ff0000000000000;
    const bool good = !digits.empty() && read.ec == std::errc{} && read.ptr == digits.data() + digits.size() &&
                      bits <= mask_of(result_.type) && (bits & ~sign_bit(result_.type)) > infinity;
    if (!good || close == std::string_view::npos) {
      result_.problem = "expected the bits of a nan in parentheses, as in nan(0x7ff8000000000001) or nanf(0x7fc00001)";
      return;
    }
    result_.bits = bits;
    result_.length = close + 1;
  }

  std::string_view text_;
  bool negative_;
  TypedLiteral result_;
};

}  // namespace

std::string literal_text(ScalarType type, std::uint64_t bits) {
  if (type == ScalarType::Bool) {
    return bits != 0 ? "true" : "false";
  }
  if (type == ScalarType::Double) {
    const auto value = std::bit_cast<double>(bits);
    const bool is_nan = value != value;
    return is_nan || value - value != 0 ? special_text(type, bits, is_nan, quiet_double) : real_text(value, "");
  }
  if (type == ScalarType::Float) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const bool is_nan = value != value;
    return is_nan || value - value != 0 ? special_text(type, bits & mask_of(type), is_nan, quiet_float) : real_text(value, "f");
  }
  const std::uint64_t canonical = extended(type, bits & mask_of(type));
  const std::string digits = is_signed(type) ? std::to_string(static_cast<std::int64_t>(canonical)) : std::to_string(canonical);
  return digits + std::string(std::ranges::find(integer_suffixes, type, &Suffix::type)->text);
}

std::optional<TypedLiteral> read_literal(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::size_t begin = negative ? std::min(text.find_first_not_of(" \t", 1), text.size()) : 0;
  std::optional<TypedLiteral> literal = LiteralReader(text.substr(begin), negative).run();
  if (literal) {
    literal->length += begin;
  }
  return literal;
}

}  // namespace lockstep::typed
