#pragma once
// Where in 64 bits a number lies, and functions of such numbers as functions of 64 bits. Registers of VE, and elements of vectors, have 64
// bits. A number of 32 bits lies in one half: floats in the upper one, integers in the lower one. A result's other half is zeros, or copies
// of the sign.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace lockstep::ve {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// Integers are none.
template <class T>
constexpr bool is_nan([[maybe_unused]] T a) {
  if constexpr (std::is_floating_point_v<T>) {
    return __builtin_isnan(a);
  }
  return false;
}

/// A number of type T, `shift` bits from the right.
template <class T, unsigned shift = 0>
struct Field {
  using Number = T;
  /// The bits that are looked at.
  static constexpr std::uint64_t mask = (~std::uint64_t{0} >> (64 - 8 * sizeof(T))) << shift;

  static T get(std::uint64_t word) { return std::bit_cast<T>(static_cast<Bits<T>>(word >> shift)); }
  static std::uint64_t put(T number) { return std::uint64_t{std::bit_cast<Bits<T>>(number)} << shift; }
};

/// 32 bits in the lower half, extended by the sign.
struct SignExtended : Field<std::int32_t> {
  static std::uint64_t put(std::int32_t number) { return static_cast<std::uint64_t>(std::int64_t{number}); }
};

using I64 = Field<std::int64_t>;
using U64 = Field<std::uint64_t>;
using F64 = Field<double>;
using I32 = SignExtended;
using I32Zero = Field<std::int32_t>;
using U32 = Field<std::uint32_t>;
using I32Upper = Field<std::int32_t, 32>;
using U32Upper = Field<std::uint32_t, 32>;
using F32 = Field<float, 32>;
using F32Lower = Field<float>;

/// How many operands of 64 bits a function has at most.
inline constexpr std::size_t max_operands = 3;

/// `Operation` on numbers in fields. An Operation may say of operands that the architecture leaves the result open (`open`), or that it
/// has none (`fails`).
template <class Result, class Operation, class... Operands>
struct Unit {
  static constexpr std::size_t count = sizeof...(Operands);
  static constexpr std::array<std::uint64_t, sizeof...(Operands)> reads = {Operands::mask...};
  static constexpr bool rounded = false;
  static constexpr bool may_open = requires { Operation::open(typename Operands::Number{}...); };
  static constexpr bool may_fail = requires { Operation::fails(typename Operands::Number{}...); };
  /// Each bit of the result depends on the same bit of the operands, or on known ones: `undefined` says what is undefined of it.
  static constexpr bool bitwise = ((Operands::mask == ~std::uint64_t{0}) && ...) && requires {
    Operation::undefined(std::array<std::uint64_t, count>{}, std::array<std::uint64_t, count>{});
  };
  /// Hardware may have other last bits.
  static constexpr bool approximate = requires { Operation::approximate; };
  using Function = Operation;

  /// One operand by itself, as results are.
  static std::uint64_t alone(std::uint64_t word) { return Result::put(std::tuple_element_t<0, std::tuple<Operands...>>::get(word)); }
  template <class... Words>
  static std::uint64_t value(Words... words) {
    return Result::put(Operation::value(Operands::get(words)...));
  }
  template <class... Words>
  static bool open([[maybe_unused]] Words... words) {
    if constexpr (may_open) {
      return Operation::open(Operands::get(words)...);
    }
    return false;
  }
  template <class... Words>
  static bool fails([[maybe_unused]] Words... words) {
    if constexpr (may_fail) {
      return Operation::fails(Operands::get(words)...);
    }
    return false;
  }
};

template <class F, class Operation>
using Unary = Unit<F, Operation, F>;
template <class F, class Operation>
using Binary = Unit<F, Operation, F, F>;
template <class F, class Operation>
using Ternary = Unit<F, Operation, F, F, F>;

/// Both halves, each by itself.
template <class Upper, class Lower>
struct Both {
  static constexpr std::size_t count = Upper::count;
  static constexpr bool rounded = Upper::rounded;
  static constexpr bool may_open = Upper::may_open;
  static constexpr bool may_fail = Upper::may_fail;
  static constexpr bool bitwise = false;
  static constexpr bool approximate = Upper::approximate;

  template <class... Words>
  static std::uint64_t value(Words... words) {
    return Upper::value(words...) | Lower::value(words...);
  }
  template <class... Words>
  static bool open(Words... words) {
    return Upper::open(words...) || Lower::open(words...);
  }
};

}  // namespace lockstep::ve
