#pragma once
// PTX ISA 9.7.4, instructions on .f16 and .bf16: the exact result, rounded once to nearest. A result that is NaN has the bits 0x7fff.

#include "semantics/ptx/operations/formats.hpp"

namespace lockstep::ptx::operations {

using Half = std::uint16_t;

template <bool ftz, class F>
LOCKSTEP_INLINE Half half_flushed(Half a) {
  return ftz && (a & F::infinity) == 0 ? static_cast<Half>(a & 0x8000) : a;
}
template <class F>
LOCKSTEP_INLINE bool half_is_nan(Half a) {
  return (a & 0x7fffU) > F::infinity;
}
/// .ftz, .sat (to 0 … 1, NaN to +0) and .relu (what is negative to +0) of a result.
template <class F, bool ftz, bool sat, bool relu>
LOCKSTEP_INLINE Half half_finished(Half a) {
  const bool nan = half_is_nan<F>(a);
  if constexpr (sat) {
    if (nan || (a & 0x8000) != 0) {
      return 0;
    }
    return a > F::one ? static_cast<Half>(F::one) : half_flushed<ftz, F>(a);
  } else if constexpr (relu) {
    return (a & 0x8000) != 0 && !nan ? Half{0} : half_flushed<ftz, F>(a);
  } else {
    return half_flushed<ftz, F>(a);
  }
}
template <class F, bool ftz, bool sat, bool relu>
LOCKSTEP_INLINE Half half_rounded(double a) {
  return half_finished<F, ftz, sat, relu>(static_cast<Half>(packed<F, Rounding::Nearest>(a)));
}
template <class F, bool ftz>
LOCKSTEP_INLINE double half_operand(Half a) {
  return static_cast<double>(widened<F>(half_flushed<ftz, F>(a)));
}

// Products of two such numbers have 22 bits at most, and are exact in a double; sums of what is far apart are not.

template <class F, bool ftz, bool sat>
LOCKSTEP_INLINE Half add_half(Half a, Half b) {
  return half_rounded<F, ftz, sat, false>(sum_to_odd(half_operand<F, ftz>(a), half_operand<F, ftz>(b)));
}
template <class F, bool ftz, bool sat>
LOCKSTEP_INLINE Half sub_half(Half a, Half b) {
  return half_rounded<F, ftz, sat, false>(sum_to_odd(half_operand<F, ftz>(a), -half_operand<F, ftz>(b)));
}
template <class F, bool ftz, bool sat>
LOCKSTEP_INLINE Half mul_half(Half a, Half b) {
  return half_rounded<F, ftz, sat, false>(half_operand<F, ftz>(a) * half_operand<F, ftz>(b));
}
template <class F, bool ftz, bool sat, bool relu>
LOCKSTEP_INLINE Half fma_half(Half a, Half b, Half c) {
  return half_rounded<F, ftz, sat, relu>(sum_to_odd(half_operand<F, ftz>(a) * half_operand<F, ftz>(b), half_operand<F, ftz>(c)));
}
/// The sign alone changes, also that of a NaN, whose result PTX leaves open.
template <class F, bool ftz>
LOCKSTEP_INLINE Half neg_half(Half a) {
  return static_cast<Half>(half_flushed<ftz, F>(a) ^ 0x8000);
}
template <class F, bool ftz>
LOCKSTEP_INLINE Half abs_half(Half a) {
  return static_cast<Half>(half_flushed<ftz, F>(a) & 0x7fff);
}
/// As extreme_float: both formats are exact in a float, whose order is theirs.
template <class F, bool maximum, bool ftz, bool nan, bool abs, bool xorsign>
LOCKSTEP_INLINE Half extreme_half(Half a, Half b) {
  const float result =
      extreme_float<maximum, false, nan, abs, xorsign>(widened<F>(half_flushed<ftz, F>(a)), widened<F>(half_flushed<ftz, F>(b)));
  return static_cast<Half>(packed<F, Rounding::TowardZero>(static_cast<double>(result)));
}

/// f on both halves of two or three words.
template <class F>
LOCKSTEP_INLINE std::uint32_t by_pairs(F f, auto... words) {
  const auto low = f(static_cast<Half>(words)...);
  const auto high = f(static_cast<Half>(words >> 16)...);
  return static_cast<std::uint32_t>(high) << 16 | low;
}

}  // namespace lockstep::ptx::operations
