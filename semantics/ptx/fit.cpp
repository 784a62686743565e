#include "semantics/ptx/fit.hpp"

#include <fmt/format.h>

#include <bit>

namespace lockstep::ptx {
namespace {

bool like_bits(Type type) { return is_bits(type) || is_integer(type); }
bool is_packed(Type type) { return type == Type::U16x2 || type == Type::S16x2; }

/// Floats that have no registers of their own lie in bits: all but .f16, .f16x2, .f32 and .f64, which may lie there.
bool float_fits(Type held, Type wanted) {
  const bool tf32 = wanted == Type::TF32 && held == Type::F32;
  return is_bits(held) || held == wanted || tf32;
}

bool is_integer_number(const Number& number) { return number.kind == Number::Kind::Signed || number.kind == Number::Kind::Unsigned; }

std::uint64_t low_bits(std::uint64_t bits, std::uint32_t width) { return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1); }

/// Whether the number is one of `width` bits, with a sign or without.
bool in_range(const Number& number, std::uint32_t width) {
  if (width >= 64) {
    return true;
  }
  const auto value = static_cast<std::int64_t>(number.bits);
  const bool negative = number.kind == Number::Kind::Signed && value < 0;
  return negative ? value >= -(std::int64_t{1} << (width - 1)) : number.bits < (std::uint64_t{1} << width);
}

}  // namespace

bool fits(Type held, Type wanted, bool wider) {
  if (held == Type::Pred || wanted == Type::Pred) {
    return held == wanted;
  }
  const std::uint32_t held_bits = bits_of(held);
  const std::uint32_t wanted_bits = bits_of(wanted);
  if (held_bits < wanted_bits || (held_bits > wanted_bits && !wider)) {
    return false;
  }
  if (is_float(wanted)) {
    return held_bits == wanted_bits ? float_fits(held, wanted) : is_bits(held);
  }
  if (is_packed(wanted)) {
    return is_bits(held);
  }
  return is_bits(wanted) ? like_bits(held) || is_float(held) : like_bits(held);
}

std::expected<resolved::Constant, std::string> constant_of(const Number& number, Type wanted, bool& cut) {
  const std::uint32_t width = bits_of(wanted);
  if (is_integer_number(number)) {
    if (wanted == Type::Pred) {
      return resolved::Constant{{number.bits != 0 ? 1U : 0U, 0}};
    }
    if (is_float(wanted)) {
      return std::unexpected(fmt::format("an integer is no .{} number; write it as a float, such as 1.0", info(wanted).text));
    }
    cut = !in_range(number, width);
    const bool negative = number.kind == Number::Kind::Signed && static_cast<std::int64_t>(number.bits) < 0;
    return resolved::Constant{{low_bits(number.bits, width), width > 64 && negative ? ~std::uint64_t{0} : 0}};
  }
  const bool single = number.kind == Number::Kind::Single;
  if (wanted == Type::F32) {
    const auto nearest = single ? static_cast<std::uint32_t>(number.bits)
                                : std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(number.bits)));
    return resolved::Constant{{nearest, 0}};
  }
  if (wanted == Type::F64) {
    const auto value =
        single ? std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(number.bits))))
               : number.bits;
    return resolved::Constant{{value, 0}};
  }
  if ((wanted == Type::B32 && single) || (wanted == Type::B64 && !single)) {
    return resolved::Constant{{number.bits, 0}};
  }
  return std::unexpected(fmt::format("a float is no .{} number", info(wanted).text));
}

}  // namespace lockstep::ptx
