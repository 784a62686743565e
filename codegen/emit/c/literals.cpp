#include "codegen/emit/c/literals.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace lockstep::emit_c {

namespace {

template <class Float, class Word>
std::string text_of(Word bits, const char* suffix) {
  const auto number = std::bit_cast<Float>(bits);
  if (std::isfinite(number)) {
    std::string text = fmt::format("{}", number);
    if (text.find_first_of(".e") == std::string::npos) {
      text += ".0";
    }
    return text + suffix;
  }
  constexpr Word sign = Word{1} << (8 * sizeof(Word) - 1);
  constexpr int fraction = sizeof(Word) == 8 ? 52 : 23;
  constexpr Word quiet = Word{1} << (fraction - 1);
  const Word payload = bits & (quiet - 1);
  const std::string text = std::isinf(number)
                               ? fmt::format("__builtin_inf{}()", suffix)
                               : fmt::format("__builtin_nan{}{}(\"{:#x}\")", (bits & quiet) == 0 ? "s" : "", suffix, payload);
  return ((bits & sign) != 0 ? "-" : "") + text;
}

}  // namespace

std::string float_constant(ScalarType type, std::uint64_t bits) {
  return type == ScalarType::Float ? text_of<float>(static_cast<std::uint32_t>(bits), "f") : text_of<double>(bits, "");
}

bool is_finite(ScalarType type, std::uint64_t bits) {
  return type == ScalarType::Float ? std::isfinite(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                                   : std::isfinite(std::bit_cast<double>(bits));
}

}  // namespace lockstep::emit_c
