#include "semantics/infreg/numbers.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <system_error>
#include <type_traits>

#include "semantics/base/diagnostic.hpp"
#include "semantics/infreg/words.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::infreg {

namespace {

using Read = std::expected<std::uint64_t, std::string>;

constexpr std::uint64_t sign_bit(ScalarType type) { return std::uint64_t{1} << (bits_of(type) - 1); }
constexpr std::uint64_t infinity(ScalarType type) { return type == ScalarType::Float ? 0x7f800000 : 0x7ff0000000000000; }
constexpr std::uint64_t quiet_nan(ScalarType type) { return type == ScalarType::Float ? 0x7fc00000 : 0x7ff8000000000000; }

Read no_number(std::string_view word) { return std::unexpected(fmt::format("'{}' is not a number", shortened(word))); }

/// The bits of a nan in hexadecimal digits.
Read read_nan(ScalarType type, std::string_view digits) {
  std::uint64_t bits = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  const bool fits = type == ScalarType::Double || bits <= 0xffffffff;
  if (digits.empty() || read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || !fits || !ops::is_nan(type, bits)) {
    return std::unexpected(fmt::format("the parentheses of a nan hold all its bits, as in nan({:#x})", quiet_nan(type)));
  }
  return bits;
}

template <class Real>
Read read_real(ScalarType type, std::string_view word) {
  const bool negative = word.starts_with('-');
  const std::string_view magnitude = word.substr(negative ? 1 : 0);
  if (word == "nan") {
    return quiet_nan(type);
  }
  if (word.starts_with("nan(0x") && word.ends_with(')')) {
    return read_nan(type, word.substr(6, word.size() - 7));
  }
  if (magnitude == "inf") {
    return infinity(type) | (negative ? sign_bit(type) : 0);
  }
  if (magnitude.empty() || (magnitude.front() != '.' && (magnitude.front() < '0' || magnitude.front() > '9'))) {
    return no_number(word);
  }
  Real value = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
  if (read.ptr != word.data() + word.size() || read.ec == std::errc::invalid_argument) {
    return no_number(word);
  }
  if (read.ec != std::errc{}) {
    return std::unexpected(fmt::format("'{}' is out of the range of {}", shortened(word), text_of(type)));
  }
  return std::bit_cast<std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>>(value);
}

template <class Integer>
Read read_integer(ScalarType type, std::string_view word) {
  const std::string_view digits = word.substr(word.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return no_number(word);
  }
  Integer value = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
  if (read.ec != std::errc{} || (type == ScalarType::Bool && value > 1)) {
    const std::string least = is_signed(type) ? fmt::format("-{}", sign_bit(type)) : "0";
    const std::uint64_t most = is_signed(type) ? sign_bit(type) - 1 : ~std::uint64_t{0} >> (64 - bits_of(type));
    return std::unexpected(fmt::format("'{}' is no {}, which goes from {} to {}", shortened(word), text_of(type), least, most));
  }
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

}  // namespace

std::string number_text(ScalarType type, std::uint64_t bits) {
  if (is_integer(type)) {
    return ops::text_of(type, bits);
  }
  if (ops::is_nan(type, bits)) {
    return bits == quiet_nan(type) ? "nan" : fmt::format("nan({:#x})", bits);
  }
  const std::string text = ops::text_of(type, bits);
  return text.find_first_of(".einf") == std::string::npos ? text + ".0" : text;
}

Read read_number(ScalarType type, std::string_view word) {
  return with_type(type, [&]<class T>(T) -> Read {
    if constexpr (std::is_floating_point_v<T>) {
      return read_real<T>(type, word);
    } else {
      return read_integer<T>(type, word);
    }
  });
}

}  // namespace lockstep::infreg
