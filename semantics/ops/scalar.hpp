#pragma once
// What each operation of ops.def computes, written once over a word domain: the machine numbers of every scalar type (below) or
// Z3 terms (semantics/prove). A word domain W offers the primitives that the machine-word overloads show, found by overload
// resolution: like, plus, minus, times, quotient, remainder, shifted_left, shifted_right, bit_and/or/xor/not, less, equal,
// choose, and Booleans with !, && and ||. Terms are 64-bit signed integers; word_bits, is_floating_word and is_unsigned_word say what
// other words are.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "semantics/ops/op.hpp"

namespace lockstep {

#define LOCKSTEP_INLINE [[gnu::always_inline]] inline

/// A machine number: one of the C++ types that with_type (semantics/base/scalar_type.hpp) names.
template <class T>
concept MachineNumber = std::is_arithmetic_v<T>;

template <class W>
inline constexpr unsigned word_bits = 64;
template <MachineNumber T>
inline constexpr unsigned word_bits<T> = 8 * sizeof(T);
template <class W>
inline constexpr bool is_floating_word = std::is_floating_point_v<W>;
template <class W>
inline constexpr bool is_unsigned_word = std::is_unsigned_v<W>;

// The primitives on machine numbers. Integers wrap; nothing is undefined in C++, whatever the operands are.
namespace detail {
/// Unsigned and at least as wide as unsigned int, so that no promotion to a signed type overflows.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) < sizeof(unsigned), unsigned, std::make_unsigned_t<T>>;
}  // namespace detail

template <MachineNumber T>
LOCKSTEP_INLINE T like(T, std::int64_t constant) {
  return static_cast<T>(constant);
}
template <MachineNumber T>
LOCKSTEP_INLINE T plus(T a, T b) {
  if constexpr (is_floating_word<T>) {
    return a + b;
  } else {
    return static_cast<T>(static_cast<detail::Wrapping<T>>(a) + static_cast<detail::Wrapping<T>>(b));
  }
}
template <MachineNumber T>
LOCKSTEP_INLINE T minus(T a, T b) {
  if constexpr (is_floating_word<T>) {
    return a - b;
  } else {
    return static_cast<T>(static_cast<detail::Wrapping<T>>(a) - static_cast<detail::Wrapping<T>>(b));
  }
}
template <MachineNumber T>
LOCKSTEP_INLINE T times(T a, T b) {
  if constexpr (is_floating_word<T>) {
    return a * b;
  } else {
    return static_cast<T>(static_cast<detail::Wrapping<T>>(a) * static_cast<detail::Wrapping<T>>(b));
  }
}
/// Floats: the IEEE quotient. Integers: the truncated one, for b other than 0 and -1.
template <MachineNumber T>
LOCKSTEP_INLINE T quotient(T a, T b) {
  return static_cast<T>(a / b);
}
/// Remainder of the truncated quotient for b other than 0 and -1.
template <MachineNumber T>
LOCKSTEP_INLINE T remainder(T a, T b) {
  return static_cast<T>(a % b);
}
/// Shifts by a count below the width.
template <MachineNumber T>
LOCKSTEP_INLINE T shifted_left(T a, T n) {
  return static_cast<T>(static_cast<detail::Wrapping<T>>(a) << n);
}
template <MachineNumber T>
LOCKSTEP_INLINE T shifted_right(T a, T n) {
  return static_cast<T>(a >> n);
}
template <MachineNumber T>
LOCKSTEP_INLINE T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <MachineNumber T>
LOCKSTEP_INLINE T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <MachineNumber T>
LOCKSTEP_INLINE T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <MachineNumber T>
LOCKSTEP_INLINE T bit_not(T a) {
  return static_cast<T>(~a);
}
template <MachineNumber T>
LOCKSTEP_INLINE bool less(T a, T b) {
  return a < b;
}
template <MachineNumber T>
LOCKSTEP_INLINE bool equal(T a, T b) {
  return a == b;
}
template <MachineNumber T>
LOCKSTEP_INLINE T choose(bool c, T a, T b) {
  return c ? a : b;
}

namespace ops {

template <class B, class W>
LOCKSTEP_INLINE W number(const B& truth, const W& w) {
  return choose(truth, like(w, 1), like(w, 0));
}
template <class W>
LOCKSTEP_INLINE auto is_zero(const W& a) {
  return equal(a, like(a, 0));
}

template <class W>
LOCKSTEP_INLINE W Min(const W& a, const W& b) {
  return choose(less(b, a), b, a);
}
template <class W>
LOCKSTEP_INLINE W Max(const W& a, const W& b) {
  return choose(less(a, b), b, a);
}
template <class W>
LOCKSTEP_INLINE W Neg(const W& a) {
  if constexpr (is_floating_word<W>) {
    return -a;  // 0 - a would lose the sign of zero
  } else {
    return minus(like(a, 0), a);
  }
}
template <class W>
LOCKSTEP_INLINE W BitNot(const W& a) {
  return bit_not(a);
}
template <class W>
LOCKSTEP_INLINE W Mul(const W& a, const W& b) {
  return times(a, b);
}
/// A divisor that a primitive division takes: 1 stands in for 0 (its threads are undefined or poison anyway) and for -1.
template <class W>
LOCKSTEP_INLINE W safe_divisor(const W& b) {
  return choose(is_zero(b) || equal(b, like(b, -1)), like(b, 1), b);
}
template <class W>
LOCKSTEP_INLINE W Div(const W& a, const W& b) {
  if constexpr (is_floating_word<W>) {
    return quotient(a, b);
  } else if constexpr (is_unsigned_word<W>) {
    return quotient(a, choose(is_zero(b), like(b, 1), b));
  } else {
    return choose(equal(b, like(b, -1)), Neg(a), quotient(a, safe_divisor(b)));
  }
}
template <class W>
LOCKSTEP_INLINE W Rem(const W& a, const W& b) {
  if constexpr (is_unsigned_word<W>) {
    return remainder(a, choose(is_zero(b), like(b, 1), b));
  } else {
    return choose(equal(b, like(b, -1)), like(a, 0), remainder(a, safe_divisor(b)));
  }
}
template <class W>
LOCKSTEP_INLINE W Add(const W& a, const W& b) {
  return plus(a, b);
}
template <class W>
LOCKSTEP_INLINE W Sub(const W& a, const W& b) {
  return minus(a, b);
}
template <class W>
LOCKSTEP_INLINE W Shl(const W& a, const W& b) {
  return shifted_left(a, bit_and(b, like(b, word_bits<W> - 1)));
}
template <class W>
LOCKSTEP_INLINE W Shr(const W& a, const W& b) {
  return shifted_right(a, bit_and(b, like(b, word_bits<W> - 1)));
}
/// Whether a comparison, `!`, && or || holds; the operations below make a number of it.
namespace holds {
template <class W>
LOCKSTEP_INLINE auto Lt(const W& a, const W& b) {
  return less(a, b);
}
template <class W>
LOCKSTEP_INLINE auto Le(const W& a, const W& b) {
  if constexpr (is_floating_word<W>) {
    return less(a, b) || equal(a, b);  // !(b < a) would be true of NaN
  } else {
    return !less(b, a);
  }
}
template <class W>
LOCKSTEP_INLINE auto Gt(const W& a, const W& b) {
  return less(b, a);
}
template <class W>
LOCKSTEP_INLINE auto Ge(const W& a, const W& b) {
  return Le(b, a);
}
template <class W>
LOCKSTEP_INLINE auto Eq(const W& a, const W& b) {
  return equal(a, b);
}
template <class W>
LOCKSTEP_INLINE auto Ne(const W& a, const W& b) {
  return !equal(a, b);
}
template <class W>
LOCKSTEP_INLINE auto LogicalNot(const W& a) {
  return is_zero(a);
}
template <class W>
LOCKSTEP_INLINE auto LogicalAnd(const W& a, const W& b) {
  return !is_zero(a) && !is_zero(b);
}
template <class W>
LOCKSTEP_INLINE auto LogicalOr(const W& a, const W& b) {
  return !is_zero(a) || !is_zero(b);
}
}  // namespace holds

template <class W>
LOCKSTEP_INLINE W Lt(const W& a, const W& b) {
  return number(holds::Lt(a, b), a);
}
template <class W>
LOCKSTEP_INLINE W Le(const W& a, const W& b) {
  return number(holds::Le(a, b), a);
}
template <class W>
LOCKSTEP_INLINE W Gt(const W& a, const W& b) {
  return number(holds::Gt(a, b), a);
}
template <class W>
LOCKSTEP_INLINE W Ge(const W& a, const W& b) {
  return number(holds::Ge(a, b), a);
}
template <class W>
LOCKSTEP_INLINE W Eq(const W& a, const W& b) {
  return number(holds::Eq(a, b), a);
}
template <class W>
LOCKSTEP_INLINE W Ne(const W& a, const W& b) {
  return number(holds::Ne(a, b), a);
}
template <class W>
LOCKSTEP_INLINE W BitAnd(const W& a, const W& b) {
  return bit_and(a, b);
}
template <class W>
LOCKSTEP_INLINE W BitXor(const W& a, const W& b) {
  return bit_xor(a, b);
}
template <class W>
LOCKSTEP_INLINE W BitOr(const W& a, const W& b) {
  return bit_or(a, b);
}
template <class W>
LOCKSTEP_INLINE W LogicalNot(const W& a) {
  return number(holds::LogicalNot(a), a);
}
template <class W>
LOCKSTEP_INLINE W LogicalAnd(const W& a, const W& b) {
  return number(holds::LogicalAnd(a, b), a);
}
template <class W>
LOCKSTEP_INLINE W LogicalOr(const W& a, const W& b) {
  return number(holds::LogicalOr(a, b), a);
}
template <class W>
LOCKSTEP_INLINE W Select(const W& c, const W& a, const W& b) {
  return choose(!is_zero(c), a, b);
}

// The functions of typed programs, on machine numbers.

template <MachineNumber T>
LOCKSTEP_INLINE T Fma(T a, T b, T c) {
  return std::fma(a, b, c);
}
template <MachineNumber T>
LOCKSTEP_INLINE T Sqrt(T a) {
  return std::sqrt(a);
}
template <MachineNumber T>
LOCKSTEP_INLINE T Fabs(T a) {
  return std::fabs(a);
}
/// Of a signed T in the unsigned type of its width.
template <MachineNumber T>
LOCKSTEP_INLINE std::make_unsigned_t<T> Abs(T a) {
  return static_cast<std::make_unsigned_t<T>>(choose(less(a, like(a, 0)), Neg(a), a));
}
template <MachineNumber T>
LOCKSTEP_INLINE T Rcp(T a) {
  return quotient(like(a, 1), a);
}
template <MachineNumber T>
LOCKSTEP_INLINE T Popcount(T a) {
  return static_cast<T>(std::popcount(static_cast<std::make_unsigned_t<T>>(a)));
}

/// Whether the integer division a / b (and a % b) is undefined: b is 0, or the quotient does not fit.
template <MachineNumber T>
LOCKSTEP_INLINE bool division_undefined(T a, T b) {
  if constexpr (is_unsigned_word<T>) {
    return b == 0;
  } else {
    return b == 0 || (b == T{-1} && a == std::numeric_limits<T>::min());
  }
}

/// Whether an operation that is undefined so has no result for these numbers.
template <NoResult kind, MachineNumber T, class... Others>
LOCKSTEP_INLINE bool is_undefined([[maybe_unused]] T a, [[maybe_unused]] Others... others) {
  if constexpr (kind == NoResult::Division && !is_floating_word<T>) {
    return division_undefined(a, others...);
  } else {
    return false;
  }
}

/// Whether a float, truncated, does not fit the integer type To (a NaN never does). The bounds are exact: powers of two.
template <MachineNumber To, MachineNumber From>
LOCKSTEP_INLINE bool conversion_undefined(From a) {
  if constexpr (!is_floating_word<From> || is_floating_word<To>) {
    return false;
  } else {
    constexpr int digits = std::numeric_limits<To>::digits;
    constexpr From beyond = static_cast<From>(std::uint64_t{1} << (digits - 1)) * From{2};
    if constexpr (is_unsigned_word<To>) {
      return !(a > From{-1} && a < beyond);
    } else if constexpr (std::numeric_limits<From>::digits > digits) {
      return !(a > -beyond - From{1} && a < beyond);  // truncation brings what lies above -2^n - 1 to -2^n
    } else {
      return !(a >= -beyond && a < beyond);
    }
  }
}

/// C's conversion where it is defined, else some number.
template <MachineNumber To, MachineNumber From>
LOCKSTEP_INLINE To converted(From a) {
  if constexpr (is_floating_word<From> && !is_floating_word<To>) {
    return static_cast<To>(conversion_undefined<To>(a) ? From{0} : a);
  } else {
    return static_cast<To>(a);
  }
}

}  // namespace ops
}  // namespace lockstep
