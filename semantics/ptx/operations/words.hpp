#pragma once
// The words that PTX's integer instructions compute on: machine integers of 8 to 64 bits, or any other domain with the primitives of
// semantics/ops/scalar.hpp (terms of the prover). A domain also says, by a specialisation of WordTypes, which of its types has how many
// bits.

#include <cstdint>
#include <type_traits>

#include "semantics/ops/scalar.hpp"

namespace lockstep::ptx::operations {

/// `of<T>` is the type of the domain of W that holds what the C++ integer T holds; `machine` is the C++ integer of W.
template <class W>
struct WordTypes;
template <MachineNumber T>
struct WordTypes<T> {
  using machine = T;
  template <class To>
  using of = To;
};

template <class W>
using MachineOf = typename WordTypes<W>::machine;
/// The type of C++ integer T, in the domain of W.
template <class W, class T>
using WordOf = typename WordTypes<W>::template of<T>;

template <class W>
using UnsignedOf = WordOf<W, std::make_unsigned_t<MachineOf<W>>>;
template <class W>
using SignedOf = WordOf<W, std::make_signed_t<MachineOf<W>>>;
template <class W>
inline constexpr bool is_signed_word = std::is_signed_v<MachineOf<W>>;

namespace detail {
template <class T>
struct Twice;
template <>
struct Twice<std::uint8_t> {
  using type = std::uint16_t;
};
template <>
struct Twice<std::int8_t> {
  using type = std::int16_t;
};
template <>
struct Twice<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct Twice<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct Twice<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct Twice<std::int32_t> {
  using type = std::int64_t;
};
}  // namespace detail

/// Twice as many bits, of the same signedness.
template <class W>
using TwiceOf = WordOf<W, typename detail::Twice<MachineOf<W>>::type>;

/// C++'s conversion between integers: the low bits, or extended as the operand's type says. A domain has a function of this name.
template <class To, MachineNumber From>
LOCKSTEP_INLINE To as_word(From a) {
  return static_cast<To>(a);
}

/// `constant` in the word type W.
template <class W>
LOCKSTEP_INLINE W constant(std::int64_t number) {
  return like(W{}, number);
}

template <class W>
LOCKSTEP_INLINE W shifted_left_by(const W& a, unsigned n) {
  return shifted_left(a, like(a, n));
}
template <class W>
LOCKSTEP_INLINE W shifted_right_by(const W& a, unsigned n) {
  return shifted_right(a, like(a, n));
}

/// The lower and the upper half of a word, each extended to its width.
template <class Half, class W>
LOCKSTEP_INLINE Half low_half(const W& a) {
  return as_word<Half>(a);
}
template <class Half, class W>
LOCKSTEP_INLINE Half high_half(const W& a) {
  return as_word<Half>(shifted_right_by(a, word_bits<W> / 2));
}
template <class W, class Half>
LOCKSTEP_INLINE W joined(const Half& low, const Half& high) {
  const W upper = shifted_left_by(as_word<W>(high), word_bits<W> / 2);
  return bit_or(upper, as_word<W>(as_word<UnsignedOf<Half>>(low)));
}

/// A number and the carry flag, which is 0 or 1 in a word of the same width.
template <class W>
struct WithCarry {
  W value;
  W carry;
};

}  // namespace lockstep::ptx::operations
