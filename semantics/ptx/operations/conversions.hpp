#pragma once
// PTX ISA 9.7.9, cvt and cvt.pack. Integers of any type are taken as 64 bits of their signedness; results narrower than their register are
// extended to it as their type says.

#include <algorithm>

#include "semantics/ptx/operations/halves.hpp"
#include "semantics/ptx/operations/words.hpp"

namespace lockstep::ptx::operations {

/// The lower bits of a word: `mask` has as many bits set as a type has, `sign` its highest one if it is signed, else 0.
struct Field {
  std::uint64_t mask = 0;
  std::uint64_t sign = 0;
};
/// The lower bits of `a`, extended as the field says.
template <class W>
LOCKSTEP_INLINE W extended(const W& a, const W& mask, const W& sign) {
  return minus(bit_xor(bit_and(a, mask), sign), sign);
}

/// Of an integer that is the lower bits of `a`, the integer of another type, extended to W again.
template <class W>
LOCKSTEP_INLINE W cvt_integer(const W& a, const W& from_mask, const W& from_sign, const W& to_mask, const W& to_sign) {
  return extended(extended(a, from_mask, from_sign), to_mask, to_sign);
}

/// .sat: within least … most.
template <class W>
LOCKSTEP_INLINE W clamped(const W& a, const W& least, const W& most) {
  return ops::Min(ops::Max(a, least), most);
}

/// cvt.pack.sat: b and a within To's range, b in the lower bits; c above both, if there is one.
template <unsigned bits_of_each>
LOCKSTEP_INLINE std::uint32_t cvt_pack(std::int32_t a, std::int32_t b, std::int32_t least, std::int32_t most, std::uint32_t c) {
  constexpr std::uint32_t mask = (1U << bits_of_each) - 1;
  const std::uint32_t upper = static_cast<std::uint32_t>(clamped(a, least, most)) & mask;
  const std::uint32_t lower = static_cast<std::uint32_t>(clamped(b, least, most)) & mask;
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(c) << (2 * bits_of_each)) | upper << bits_of_each | lower;
}

/// .rni, .rzi, .rmi and .rpi: to an integral number of the same type.
template <Rounding rounding, class T>
LOCKSTEP_INLINE T integral(T a) {
  if constexpr (rounding == Rounding::Nearest) {
    // Adding and taking away 2^23, or 2^52, rounds as the sum does; larger numbers are integral.
    const T large = sizeof(T) == 4 ? static_cast<T>(0x1p23) : static_cast<T>(0x1p52);
    const T size = magnitude(a);
    const T rounded = (size + large) - large;
    return size < large ? float_of<T>(bits(rounded) | (bits(a) & sign_bit<T>)) : a;
  } else if constexpr (rounding == Rounding::TowardZero) {
    return sizeof(T) == 4 ? static_cast<T>(__builtin_truncf(static_cast<float>(a))) : static_cast<T>(__builtin_trunc(a));
  } else if constexpr (rounding == Rounding::Down) {
    return sizeof(T) == 4 ? static_cast<T>(__builtin_floorf(static_cast<float>(a))) : static_cast<T>(__builtin_floor(a));
  } else {
    return sizeof(T) == 4 ? static_cast<T>(__builtin_ceilf(static_cast<float>(a))) : static_cast<T>(__builtin_ceil(a));
  }
}

/// What a NaN becomes as an integer of so many bits: 0 if the float has at most 32 bits and the integer fewer than 64, else its highest bit
/// alone (PTX ISA 9.0; earlier ones say 0 of all).
constexpr std::uint64_t integer_of_nan(unsigned float_bits, unsigned integer_bits) {
  return float_bits < 64 && integer_bits < 64 ? 0 : std::uint64_t{1} << (integer_bits - 1);
}

/// An integral number as an integer within least … most, which are To's or within it: what does not fit is the nearest one, a NaN is
/// `of_nan`. `bound` is most + 1, which is a power of 2.
template <class To, class T>
LOCKSTEP_INLINE To saturated_integer(T a, T least, T bound, To least_integer, To most_integer, To of_nan) {
  const bool fits = a >= least && a < bound;
  const To inside = fits ? static_cast<To>(fits ? a : T{0}) : of_nan;
  return a >= bound ? most_integer : a < least ? least_integer : inside;  // a NaN is neither
}
template <class To, Rounding rounding, bool ftz, class T>
LOCKSTEP_INLINE To cvt_float_to_integer(T a) {
  constexpr To least = std::numeric_limits<To>::min();
  constexpr To most = std::numeric_limits<To>::max();
  constexpr T bound = static_cast<T>(std::uint64_t{1} << (std::numeric_limits<To>::digits - 1)) * 2;
  constexpr To of_nan = static_cast<To>(integer_of_nan(8 * sizeof(T), 8 * sizeof(To)));
  return saturated_integer<To>(integral<rounding>(flushed<ftz>(a)), static_cast<T>(least), bound, least, most, of_nan);
}

template <class F, Rounding rounding>
LOCKSTEP_INLINE std::uint64_t cvt_integer_to_format(bool negative, std::uint64_t size) {
  return packed<F, rounding>(unpacked_integer(negative, size));
}

/// What follows rounding to a smaller format: .satfinite keeps within the largest finite numbers, .relu and .sat as in half_finished.
struct Narrowing {
  bool sat = false;
  bool relu = false;
  bool satfinite = false;
};
template <class F>
LOCKSTEP_INLINE std::uint64_t narrowed(std::uint64_t a, const Narrowing& how) {
  const std::uint64_t size = a & ~F::sign;
  const bool negative = (a & F::sign) != 0;
  if (size > F::infinity) {
    return how.sat ? 0 : F::nan;
  }
  if (negative && (how.sat || how.relu)) {
    return 0;
  }
  if (how.sat && size > F::one) {
    return F::one;
  }
  if (how.satfinite && size == F::infinity) {
    return a - 1;
  }
  return a;
}

}  // namespace lockstep::ptx::operations
