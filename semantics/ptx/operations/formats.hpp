#pragma once
// Numbers of the small formats (.f16, .bf16, .tf32) and how any number is rounded to one, in any rounding.

#include <bit>
#include <cstdint>

#include "semantics/ptx/operations/floats.hpp"

namespace lockstep::ptx::operations {

/// A binary format of IEEE 754's kind, without its sign.
template <unsigned exponent_width, unsigned fraction_width>
struct Format {
  static constexpr int bias = (1 << (exponent_width - 1)) - 1;
  static constexpr unsigned fraction = fraction_width;
  static constexpr unsigned width = 1 + exponent_width + fraction_width;
  static constexpr std::uint64_t sign = std::uint64_t{1} << (width - 1);
  static constexpr std::uint64_t infinity = ((std::uint64_t{1} << exponent_width) - 1) << fraction;
  static constexpr std::uint64_t largest = infinity - 1;
  static constexpr std::uint64_t nan = sign - 1;  ///< all bits but the sign: what PTX calls canonical
  static constexpr std::uint64_t one = static_cast<std::uint64_t>(bias) << fraction;
};

using F16 = Format<5, 10>;
using BF16 = Format<8, 7>;
using TF32 = Format<8, 10>;  ///< PTX keeps it in the upper bits of 32
using F32 = Format<8, 23>;
using F64 = Format<11, 52>;
using UpperF64 = Format<11, 20>;  ///< the upper 32 bits of a double

/// A finite number: significand * 2^(exponent - 61). Bit 61 of the significand is the highest that may be set; it is, unless the number is
/// 0 or too small for any format. Its lowest bit may stand for all that there is below it.
struct Unpacked {
  bool negative = false;
  std::uint64_t significand = 0;
  int exponent = 0;
};

/// Of a finite double.
LOCKSTEP_INLINE Unpacked unpacked(double a) {
  const std::uint64_t all = bits(a);
  const int exponent = static_cast<int>(all >> 52 & 0x7ff);
  const std::uint64_t fraction = all & 0xfffffffffffff;
  const std::uint64_t significand = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  return {is_negative(a), significand << 9, exponent == 0 ? -1022 : exponent - 1023};
}
/// Of ± an integer.
LOCKSTEP_INLINE Unpacked unpacked_integer(bool negative, std::uint64_t size) {
  if (size == 0) {
    return {false, 0, -0x4000};  // below all formats: packed adds no highest bit
  }
  const int zeros = std::countl_zero(size);
  const std::uint64_t highest = size << zeros;
  return {negative, highest >> 2 | static_cast<std::uint64_t>((highest & 3) != 0), 63 - zeros};
}

/// Whether numbers beyond the largest become infinite, else they become the largest.
template <Rounding rounding>
LOCKSTEP_INLINE bool overflows_to_infinity(bool negative) {
  return rounding == Rounding::Nearest || rounding == Rounding::NearestAway || rounding == (negative ? Rounding::Down : Rounding::Up);
}

/// The bits of the number in the format F.
template <class F, Rounding rounding>
LOCKSTEP_INLINE std::uint64_t packed(const Unpacked& a) {
  const int least = 1 - F::bias;
  const int below = a.exponent < least ? least - a.exponent : 0;  // so many bits less
  const int dropped_bits = 61 - static_cast<int>(F::fraction) + below;
  const auto drop = static_cast<unsigned>(dropped_bits < 63 ? dropped_bits : 63);
  const std::uint64_t kept = a.significand >> drop;
  const std::uint64_t rest = a.significand & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  bool away = false;
  if constexpr (rounding == Rounding::Nearest) {
    away = rest > half || (rest == half && (kept & 1) != 0);
  } else if constexpr (rounding == Rounding::NearestAway) {
    away = rest >= half;
  } else if constexpr (rounding != Rounding::TowardZero) {
    away = rest != 0 && a.negative == (rounding == Rounding::Down);
  }
  // The highest bit of a normal number's significand adds 1 to the exponent, and so does the carry of rounding.
  const std::uint64_t exponent_less_one = a.exponent > least ? static_cast<std::uint64_t>(a.exponent - least) : 0;
  std::uint64_t size = (exponent_less_one << F::fraction) + kept + static_cast<std::uint64_t>(away);
  if (size >= F::infinity) {
    size = overflows_to_infinity<rounding>(a.negative) ? F::infinity : F::largest;
  }
  return size | (a.negative ? F::sign : 0);
}

/// A double in the format F: infinities stay, a NaN is the canonical one.
template <class F, Rounding rounding>
LOCKSTEP_INLINE std::uint64_t packed(double a) {
  if (is_nan(a)) {
    return F::nan;
  }
  if (magnitude(a) == std::numeric_limits<double>::infinity()) {
    return F::infinity | (is_negative(a) ? F::sign : 0);
  }
  return packed<F, rounding>(unpacked(a));
}

/// The number of a .f16 or .bf16; exactly.
template <class F>
LOCKSTEP_INLINE float widened(std::uint16_t a) {
  const std::uint32_t size = a & 0x7fffU;
  const std::uint32_t sign = static_cast<std::uint32_t>(a & 0x8000U) << 16;
  if constexpr (F::fraction == 7) {
    return float_of<float>(size << 16 | sign);
  } else {
    // As the fraction of a float, its exponent is too small by 112, which a product brings back; subnormal numbers become normal by it.
    const float scaled = float_of<float>(size << 13) * 0x1p112F;
    const bool finite = size < F::infinity;
    return float_of<float>((finite ? bits(scaled) : size << 13 | exponent_bits<float>) | sign);
  }
}

/// a + b where what is rounded away leaves its trace in the last bit, so that rounding again, to 51 bits or less, is rounding once.
LOCKSTEP_INLINE double sum_to_odd(double a, double b) {
  const TwoSum<double> exact = two_sum(a, b);
  const bool inexact = exact.error > 0 || exact.error < 0;
  const std::uint64_t all = bits(exact.nearest);
  if (!inexact || (all & 1) != 0) {
    return exact.nearest;
  }
  return float_of<double>(is_negative(exact.error) == is_negative(exact.nearest) ? all + 1 : all - 1);
}

}  // namespace lockstep::ptx::operations
