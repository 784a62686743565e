#pragma once
// PTX ISA 9.7.3, floating-point instructions on float and double. All are IEEE 754's, in the rounding that the instruction names. What
// differs: .ftz takes subnormal operands and results as zeros of their sign; .sat brings a result to 0 … 1, and NaN to +0; a result that is
// NaN has the bits 0x7fffffff, or 0x7fffffffffffffff (the ISA says so of .f32; it leaves those of .f64 open, and hardware gives
// 0xfff8000000000000 for an invalid operation).
//
// A rounding other than to nearest begins with the nearest number, and asks on which side of it the exact result lies. That is found in a
// type in which what has to be compared is exact: double for float, and 113 bits for double. No rounding mode of the host is changed.

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "semantics/ops/scalar.hpp"

namespace lockstep::ptx::operations {

/// .rn, .rz, .rm and .rp; .rna, ties away from zero, of conversions to .tf32.
enum class Rounding : std::uint8_t { Nearest, TowardZero, Down, Up, NearestAway };

__extension__ typedef __float128 Quad;  // NOLINT(modernize-use-using): a using-declaration takes no __extension__

template <class T>
using Exact = std::conditional_t<sizeof(T) == 4, double, Quad>;
template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
inline constexpr BitsOf<T> sign_bit = BitsOf<T>{1} << (8 * sizeof(T) - 1);
/// All bits of the exponent.
template <class T>
inline constexpr BitsOf<T> exponent_bits =
    sizeof(T) == 4 ? static_cast<BitsOf<T>>(0x7f800000U) : static_cast<BitsOf<T>>(0x7ff0000000000000U);
template <class T>
inline constexpr BitsOf<T> canonical_nan = static_cast<BitsOf<T>>(~sign_bit<T>);

template <class T>
LOCKSTEP_INLINE BitsOf<T> bits(T a) {
  return __builtin_bit_cast(BitsOf<T>, a);
}
template <class T>
LOCKSTEP_INLINE T float_of(BitsOf<T> a) {
  return __builtin_bit_cast(T, a);
}
template <class T>
LOCKSTEP_INLINE bool is_nan(T a) {
  return (bits(a) & ~sign_bit<T>) > exponent_bits<T>;
}
template <class T>
LOCKSTEP_INLINE bool is_negative(T a) {
  return (bits(a) & sign_bit<T>) != 0;
}
template <class T>
LOCKSTEP_INLINE T magnitude(T a) {
  return float_of<T>(bits(a) & ~sign_bit<T>);
}
template <class T>
LOCKSTEP_INLINE T negated(T a) {
  return float_of<T>(bits(a) ^ sign_bit<T>);
}

/// A subnormal number as a zero of its sign.
template <bool ftz, class T>
LOCKSTEP_INLINE T flushed(T a) {
  if constexpr (ftz) {
    return float_of<T>((bits(a) & exponent_bits<T>) == 0 ? bits(a) & sign_bit<T> : bits(a));
  } else {
    return a;
  }
}
/// .ftz, .sat and the bits of a NaN, of a result.
template <bool ftz, bool sat, class T>
LOCKSTEP_INLINE T finished(T a) {
  if constexpr (sat) {
    const T flat = flushed<ftz>(a);
    return flat > 0 ? (flat < 1 ? flat : T{1}) : T{0};
  } else {
    return is_nan(a) ? float_of<T>(canonical_nan<T>) : flushed<ftz>(a);
  }
}

// ---- rounding ----------------------------------------------------------------------------------------------------------

/// The next number above, of any but NaN and infinity; of the negative infinity, the lowest number.
template <class T>
LOCKSTEP_INLINE T next_up(T a) {
  const BitsOf<T> away = bits(a) + (is_negative(a) ? ~BitsOf<T>{0} : BitsOf<T>{1});
  return float_of<T>(a == 0 ? BitsOf<T>{1} : away);
}
template <class T>
LOCKSTEP_INLINE T next_down(T a) {
  return negated(next_up(negated(a)));
}

/// The result in this rounding, if the nearest number is `nearest` and the exact result lies above or below it.
template <Rounding rounding, class T>
LOCKSTEP_INLINE T directed(T nearest, bool above, bool below) {
  if constexpr (rounding == Rounding::Up) {
    return above ? next_up(nearest) : nearest;
  } else if constexpr (rounding == Rounding::Down) {
    return below ? next_down(nearest) : nearest;
  } else {
    static_assert(rounding == Rounding::TowardZero);
    return nearest > 0 && below ? next_down(nearest) : nearest < 0 && above ? next_up(nearest) : nearest;
  }
}

/// a + b. Sums never underflow: the error of the nearest one is a number itself (Dekker's fast two-sum).
template <Rounding rounding, class T>
LOCKSTEP_INLINE T sum(T a, T b) {
  const T nearest = a + b;
  if constexpr (rounding == Rounding::Nearest) {
    return nearest;
  } else {
    const bool ordered = magnitude(a) >= magnitude(b);
    const T large = ordered ? a : b;
    const T small = ordered ? b : a;
    const T error = small - (nearest - large);
    const T rounded = directed<rounding>(nearest, error > 0, error < 0);
    if constexpr (rounding == Rounding::Down) {
      // A sum that is exactly 0 is -0 downwards, but for +0 + +0 (IEEE 754, 6.3).
      return nearest == 0 ? float_of<T>((bits(a) | bits(b)) & sign_bit<T>) : rounded;
    } else {
      return rounded;
    }
  }
}

template <Rounding rounding, class T>
LOCKSTEP_INLINE T product(T a, T b) {
  const T nearest = a * b;
  if constexpr (rounding == Rounding::Nearest) {
    return nearest;
  } else {
    const Exact<T> exact = Exact<T>(a) * Exact<T>(b);
    return directed<rounding>(nearest, exact > Exact<T>(nearest), exact < Exact<T>(nearest));
  }
}

/// The sum of two numbers is `nearest` + `error`, exactly (Knuth's two-sum).
template <class T>
struct TwoSum {
  T nearest;
  T error;
};
template <class T>
LOCKSTEP_INLINE TwoSum<T> two_sum(T a, T b) {
  const T nearest = a + b;
  const T of_b = nearest - a;
  const T of_a = nearest - of_b;
  return {nearest, (a - of_a) + (b - of_b)};
}

/// a * b + c, rounded once.
template <Rounding rounding, class T>
LOCKSTEP_INLINE T fused(T a, T b, T c) {
  const T nearest = sizeof(T) == 4 ? static_cast<T>(__builtin_fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)))
                                   : static_cast<T>(__builtin_fma(a, b, c));
  if constexpr (rounding == Rounding::Nearest) {
    return nearest;
  } else {
    const TwoSum<Exact<T>> exact = two_sum<Exact<T>>(Exact<T>(a) * Exact<T>(b), c);
    // exact.nearest and `nearest` differ by a factor of at most 2, or the latter is 0 or infinite: the difference is exact.
    const Exact<T> above = (exact.nearest - Exact<T>(nearest)) + exact.error;
    const T rounded = directed<rounding>(nearest, above > 0, above < 0);
    if constexpr (rounding == Rounding::Down) {
      const BitsOf<T> signs = (bits(a) ^ bits(b)) | bits(c);
      return exact.nearest == 0 ? float_of<T>(signs & sign_bit<T>) : rounded;
    } else {
      return rounded;
    }
  }
}

template <Rounding rounding, class T>
LOCKSTEP_INLINE T ratio(T a, T b) {
  const T nearest = a / b;
  if constexpr (rounding == Rounding::Nearest) {
    return nearest;
  } else {
    // a / b > n where a > n b, of a negative b where a < n b. Where b is 0 or infinite, n b is NaN, and the quotient is exact.
    const Exact<T> back = Exact<T>(nearest) * Exact<T>(b);
    const bool more = Exact<T>(a) > back;
    const bool less = Exact<T>(a) < back;
    return directed<rounding>(nearest, is_negative(b) ? less : more, is_negative(b) ? more : less);
  }
}

template <Rounding rounding, class T>
LOCKSTEP_INLINE T root(T a) {
  const T nearest = sizeof(T) == 4 ? static_cast<T>(__builtin_sqrtf(static_cast<float>(a))) : static_cast<T>(__builtin_sqrt(a));
  if constexpr (rounding == Rounding::Nearest) {
    return nearest;
  } else {
    const Exact<T> back = Exact<T>(nearest) * Exact<T>(nearest);
    return directed<rounding>(nearest, Exact<T>(a) > back, Exact<T>(a) < back);
  }
}

// ---- the instructions --------------------------------------------------------------------------------------------------

template <Rounding rounding, bool ftz, bool sat, class T>
LOCKSTEP_INLINE T add_float(T a, T b) {
  return finished<ftz, sat>(sum<rounding>(flushed<ftz>(a), flushed<ftz>(b)));
}
template <Rounding rounding, bool ftz, bool sat, class T>
LOCKSTEP_INLINE T sub_float(T a, T b) {
  return finished<ftz, sat>(sum<rounding>(flushed<ftz>(a), negated(flushed<ftz>(b))));
}
template <Rounding rounding, bool ftz, bool sat, class T>
LOCKSTEP_INLINE T mul_float(T a, T b) {
  return finished<ftz, sat>(product<rounding>(flushed<ftz>(a), flushed<ftz>(b)));
}
template <Rounding rounding, bool ftz, bool sat, class T>
LOCKSTEP_INLINE T fma_float(T a, T b, T c) {
  return finished<ftz, sat>(fused<rounding>(flushed<ftz>(a), flushed<ftz>(b), flushed<ftz>(c)));
}
template <Rounding rounding, bool ftz, class T>
LOCKSTEP_INLINE T div_float(T a, T b) {
  return finished<ftz, false>(ratio<rounding>(flushed<ftz>(a), flushed<ftz>(b)));
}
template <Rounding rounding, bool ftz, class T>
LOCKSTEP_INLINE T rcp_float(T a) {
  return finished<ftz, false>(ratio<rounding>(T{1}, flushed<ftz>(a)));
}
template <Rounding rounding, bool ftz, class T>
LOCKSTEP_INLINE T sqrt_float(T a) {
  return finished<ftz, false>(root<rounding>(flushed<ftz>(a)));
}

/// The sign alone changes, also that of a NaN, whose result PTX leaves open.
template <bool ftz, class T>
LOCKSTEP_INLINE T abs_float(T a) {
  return magnitude(flushed<ftz>(a));
}
template <bool ftz, class T>
LOCKSTEP_INLINE T neg_float(T a) {
  return negated(flushed<ftz>(a));
}

/// min and max: -0 is below +0. One NaN is left out, unless there is .NaN. .abs compares magnitudes, and .xorsign gives the result the
/// product's sign, unless it is NaN.
template <bool maximum, bool ftz, bool nan, bool abs, bool xorsign, class T>
LOCKSTEP_INLINE T extreme_float(T first, T second) {
  T a = flushed<ftz>(first);
  T b = flushed<ftz>(second);
  const BitsOf<T> sign = (bits(a) ^ bits(b)) & sign_bit<T>;
  if constexpr (abs) {
    a = magnitude(a);
    b = magnitude(b);
  }
  const T of_equals = float_of<T>(maximum ? bits(a) & bits(b) : bits(a) | bits(b));  // zeros of two signs
  T result = a == b ? of_equals : (maximum ? a > b : a < b) ? a : b;
  if constexpr (xorsign) {
    result = is_nan(b) ? a : is_nan(a) ? b : result;
    result = float_of<T>((bits(result) & ~sign_bit<T>) | sign);
  } else {
    result = is_nan(b) ? a : result;  // of a NaN in a, the comparisons chose b
  }
  const bool no_number = nan ? is_nan(a) || is_nan(b) : is_nan(a) && is_nan(b);
  return no_number ? float_of<T>(canonical_nan<T>) : result;
}

/// The number b with the sign of a.
template <class T>
LOCKSTEP_INLINE T copysign_float(T a, T b) {
  return float_of<T>((bits(b) & ~sign_bit<T>) | (bits(a) & sign_bit<T>));
}

enum class Property : std::uint8_t { Finite, Infinite, Number, NotANumber, Normal, Subnormal };

/// testp. Zeros count as normal.
template <Property property, class T>
LOCKSTEP_INLINE bool testp(T a) {
  const BitsOf<T> size = bits(a) & ~sign_bit<T>;
  const BitsOf<T> exponent = size & exponent_bits<T>;
  if constexpr (property == Property::Finite) {
    return exponent != exponent_bits<T>;
  } else if constexpr (property == Property::Infinite) {
    return size == exponent_bits<T>;
  } else if constexpr (property == Property::Number) {
    return size <= exponent_bits<T>;
  } else if constexpr (property == Property::NotANumber) {
    return size > exponent_bits<T>;
  } else if constexpr (property == Property::Normal) {
    return exponent != exponent_bits<T> && (exponent != 0 || size == 0);
  } else {
    return exponent == 0 && size != 0;
  }
}

/// a where c is not negative (-0 is not), else b, also where c is NaN.
template <bool ftz, class W>
LOCKSTEP_INLINE W slct_float(W a, W b, float c) {
  return flushed<ftz>(c) >= 0 ? a : b;
}

/// The comparisons that the others are made of: each is one of these, its negation, or one with the operands exchanged (compare.hpp).
enum class Relation : std::uint8_t { Equal, NotEqual, Less, LessEqual, Ordered };

/// Of floats false where one is NaN.
template <Relation relation, class T>
LOCKSTEP_INLINE bool holds(T a, T b) {
  if constexpr (relation == Relation::Equal) {
    return a == b;
  } else if constexpr (relation == Relation::NotEqual) {
    return a < b || b < a;
  } else if constexpr (relation == Relation::Less) {
    return a < b;
  } else if constexpr (relation == Relation::LessEqual) {
    return a <= b;
  } else {
    return !is_nan(a) && !is_nan(b);
  }
}

}  // namespace lockstep::ptx::operations
