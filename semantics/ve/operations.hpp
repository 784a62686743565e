#pragma once
// What the instructions of VE compute: each operation once, for numbers of every type that has it. NaNs are one NaN, whose bits but the
// sign are set: the architecture's handbook does not say which one comes out of an operation, and kernels cannot tell.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "semantics/ops/scalar.hpp"
#include "semantics/ve/fields.hpp"

namespace lockstep::ve {

template <class T>
inline constexpr T quiet_nan = std::bit_cast<T>(static_cast<Bits<T>>(~Bits<T>{0} >> 1U));

/// A result; of floats, with the bits of a NaN.
template <class T>
LOCKSTEP_INLINE T finished(T a) {
  if constexpr (std::is_floating_point_v<T>) {
    return is_nan(a) ? quiet_nan<T> : a;
  } else {
    return a;
  }
}

struct Add {
  template <class T>
  static T value(T a, T b) {
    return finished(plus(a, b));
  }
};
struct Subtract {
  template <class T>
  static T value(T a, T b) {
    return finished(minus(a, b));
  }
};
struct Multiply {
  template <class T>
  static T value(T a, T b) {
    return finished(times(a, b));
  }
};
struct MultiplyWide {
  static std::int64_t value(std::int32_t a, std::int32_t b) { return std::int64_t{a} * b; }
};

/// Integers: truncated; the smallest number by -1 is itself; by 0 there is no quotient.
struct Divide {
  template <class T>
  static bool fails(T, T b)
    requires(!std::is_floating_point_v<T>)
  {
    return b == 0;
  }
  template <class T>
  static T value(T a, T b) {
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      return b == -1 ? minus(T{0}, a) : quotient(a, b);
    } else {
      return finished(quotient(a, b));
    }
  }
};

struct MultiplyAdd {
  template <class T>
  static T value(T y, T z, T w) {
    return finished(std::fma(z, w, y));
  }
};
struct MultiplySubtract {
  template <class T>
  static T value(T y, T z, T w) {
    return finished(std::fma(z, w, -y));
  }
};
struct NegatedMultiplyAdd {
  template <class T>
  static T value(T y, T z, T w) {
    return finished(-std::fma(z, w, y));
  }
};
struct NegatedMultiplySubtract {
  template <class T>
  static T value(T y, T z, T w) {
    return finished(-std::fma(z, w, -y));
  }
};
struct SquareRoot {
  template <class T>
  static T value(T a) {
    return finished(std::sqrt(a));
  }
};
/// Hardware has tables; here these are correctly rounded, or nearly so.
struct Reciprocal {
  static constexpr bool approximate = true;
  template <class T>
  static T value(T a) {
    return finished(T{1} / a);
  }
};
struct ReciprocalRoot {
  static constexpr bool approximate = true;
  template <class T>
  static T value(T a) {
    return finished(T{1} / std::sqrt(a));
  }
};

/// Floats: a NaN is left aside; +0 is larger than -0.
struct Larger {
  template <class T>
  static T value(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (is_nan(a) || is_nan(b)) {
        return finished(is_nan(a) ? b : a);
      }
      return a == b ? (std::signbit(a) ? b : a) : (a < b ? b : a);
    } else {
      return a < b ? b : a;
    }
  }
};
struct Smaller {
  template <class T>
  static T value(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (is_nan(a) || is_nan(b)) {
        return finished(is_nan(a) ? b : a);
      }
      return a == b ? (std::signbit(a) ? a : b) : (a < b ? a : b);
    } else {
      return a < b ? a : b;
    }
  }
};

/// 1, 0 or -1; of floats that have no order, NaN.
struct Compare {
  template <class T>
  static T value(T a, T b)
    requires std::is_floating_point_v<T>
  {
    return a < b ? T{-1} : b < a ? T{1} : a == b ? T{0} : quiet_nan<T>;
  }
  template <class T>
  static auto value(T a, T b)
    requires std::is_integral_v<T>
  {
    return static_cast<std::make_signed_t<T>>(a < b ? -1 : b < a ? 1 : 0);
  }
};

// What is undefined of a result, of operations that keep bits apart: `bits` are the operands, `undefined` what is undefined of them.
using Pair = std::array<std::uint64_t, 2>;

struct Copy {
  template <class T>
  static T value(T a) {
    return a;
  }
};
struct And {
  template <class T>
  static T value(T a, T b) {
    return a & b;
  }
  static std::uint64_t undefined(const Pair& bits, const Pair& undefined) {
    return (undefined[0] & undefined[1]) | (undefined[0] & bits[1]) | (undefined[1] & bits[0]);
  }
};
struct Or {
  template <class T>
  static T value(T a, T b) {
    return a | b;
  }
  static std::uint64_t undefined(const Pair& bits, const Pair& undefined) {
    return (undefined[0] & undefined[1]) | (undefined[0] & ~bits[1]) | (undefined[1] & ~bits[0]);
  }
};
struct Xor {
  template <class T>
  static T value(T a, T b) {
    return a ^ b;
  }
  static std::uint64_t undefined(const Pair&, const Pair& undefined) { return undefined[0] | undefined[1]; }
};
struct Equivalent {
  template <class T>
  static T value(T a, T b) {
    return ~(a ^ b);
  }
  static std::uint64_t undefined(const Pair&, const Pair& undefined) { return undefined[0] | undefined[1]; }
};
struct NotAnd {
  template <class T>
  static T value(T a, T b) {
    return ~a & b;
  }
  static std::uint64_t undefined(const Pair& bits, const Pair& undefined) {
    return (undefined[0] & undefined[1]) | (undefined[0] & bits[1]) | (undefined[1] & ~bits[0]);
  }
};
struct Not {
  template <class T>
  static T value(T a) {
    return ~a;
  }
  static std::uint64_t undefined(const std::array<std::uint64_t, 1>&, const std::array<std::uint64_t, 1>& undefined) {
    return undefined[0];
  }
};

/// The low bits of a count, as many as a shift of that width needs.
template <class T>
LOCKSTEP_INLINE T shift_count(T n) {
  return n & static_cast<T>(8 * sizeof(T) - 1);
}
struct ShiftLeft {
  template <class T>
  static T value(T a, T n) {
    return shifted_left(a, shift_count(n));
  }
  static std::uint64_t undefined(const Pair& bits, const Pair& undefined) {
    return undefined[1] != 0 ? ~std::uint64_t{0} : undefined[0] << (bits[1] & 63U);
  }
};
struct ShiftRight {
  template <class T>
  static T value(T a, T n) {
    return shifted_right(a, shift_count(n));
  }
  static std::uint64_t undefined(const Pair& bits, const Pair& undefined) {
    return undefined[1] != 0 ? ~std::uint64_t{0} : undefined[0] >> (bits[1] & 63U);
  }
};
/// The same of signed numbers: an undefined sign makes what comes in from the left undefined.
struct ShiftRightArithmetic : ShiftRight {
  static std::uint64_t undefined(const Pair& bits, const Pair& undefined) {
    return undefined[1] != 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(static_cast<std::int64_t>(undefined[0]) >> (bits[1] & 63U));
  }
};

struct CountOnes {
  template <class T>
  static T value(T a) {
    return static_cast<T>(std::popcount(a));
  }
};
struct CountLeadingZeros {
  template <class T>
  static T value(T a) {
    return static_cast<T>(std::countl_zero(a));
  }
};
struct ReverseBits {
  template <class T>
  static T value(T a) {
    T reversed = 0;
    for (unsigned k = 0; k < 8 * sizeof(T); ++k) {
      reversed = static_cast<T>(reversed << 1U | (a >> k & 1U));
    }
    return reversed;
  }
};
struct ReverseBytes {
  static std::uint64_t value(std::uint64_t a, std::uint64_t halves) {
    const std::uint64_t all = __builtin_bswap64(a);
    return (halves & 1U) == 0 ? all : all << 32U | all >> 32U;
  }
};
struct ShuffleHalves {
  static std::uint64_t value(std::uint64_t y, std::uint64_t z, std::uint64_t code) {
    const std::array<std::uint64_t, 4> halves = {y >> 32U, y & 0xffffffffU, z >> 32U, z & 0xffffffffU};
    return halves.at(code >> 2U & 3U) << 32U | halves.at(code & 3U);
  }
};
struct ShiftAdd {
  static std::uint64_t value(std::uint64_t a, std::uint64_t count, std::uint64_t base) { return (a << (count & 7U)) + base; }
};

/// A number as a float: the nearest one.
template <class Result, class Operand>
struct Converted {
  static constexpr std::size_t count = 1;
  static constexpr std::array<std::uint64_t, 1> reads = {Operand::mask};
  static constexpr bool rounded = false;
  static constexpr bool may_open = false;
  static constexpr bool may_fail = false;
  static constexpr bool bitwise = false;
  static constexpr bool approximate = false;

  static std::uint64_t value(std::uint64_t word) { return Result::put(finished(static_cast<typename Result::Number>(Operand::get(word)))); }
};

/// How a float becomes an integer, as LLVM numbers it.
enum class RoundingMode : std::uint8_t { Current = 0, TowardZero = 8, Up = 9, Down = 10, Nearest = 11, NearestAway = 12 };

constexpr bool is_rounding_mode(std::uint64_t mode) { return mode == 0 || (mode >= 8 && mode <= 12); }

/// The integer, still as a float. The current mode is to nearest: nothing that a compiler emits changes it.
template <class T>
T rounded_to_integer(RoundingMode mode, T a) {
  switch (mode) {
    case RoundingMode::TowardZero:
      return std::trunc(a);
    case RoundingMode::Up:
      return std::ceil(a);
    case RoundingMode::Down:
      return std::floor(a);
    case RoundingMode::NearestAway:
      return std::round(a);
    case RoundingMode::Current:
    case RoundingMode::Nearest:
      break;
  }
  // Half-way cases go to the even neighbour, whatever rounding the host is set to.
  const T below = std::floor(a);
  const T rest = a - below;
  const bool up = rest > T{0.5} || (rest == T{0.5} && std::fmod(below, T{2}) != 0);
  return up ? below + 1 : below;
}

/// A float as an integer. Of what does not fit, and of a NaN, the result is open: C has none either.
template <class Result, class Operand>
struct Rounding {
  static constexpr std::size_t count = 1;
  static constexpr std::array<std::uint64_t, 1> reads = {Operand::mask};
  static constexpr bool rounded = true;
  static constexpr bool may_open = true;
  static constexpr bool may_fail = false;
  static constexpr bool bitwise = false;
  static constexpr bool approximate = false;

  static bool open(RoundingMode mode, std::uint64_t word) {
    return ops::conversion_undefined<typename Result::Number>(rounded_to_integer(mode, Operand::get(word)));
  }
  static std::uint64_t value(RoundingMode mode, std::uint64_t word) {
    return Result::put(ops::converted<typename Result::Number>(rounded_to_integer(mode, Operand::get(word))));
  }
};

}  // namespace lockstep::ve
