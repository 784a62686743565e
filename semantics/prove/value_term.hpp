#pragma once
// A value's number of one C++ type, with the primitives of semantics/ops/scalar.hpp, so that the operations written there are those of
// the proofs as well.

#include <cstdint>

#include "semantics/ops/bits.hpp"
#include "semantics/ops/scalar.hpp"
#include "semantics/prove/value.hpp"

namespace lockstep {
namespace prove {

/// The primitives that are more than a choice between others.
enum class Primitive : std::uint8_t { Plus, Minus, Times, Quotient, Remainder, ShiftLeft, ShiftRight, And, Or, Xor };
Value primitive(Primitive p, const Value& a, const Value& b);
Value inverted(const Value& a);                               ///< all bits
Value negated(const Value& a);                                ///< of a float
Value magnitude(const Value& a);                              ///< of a float
Value square_root(const Value& a);                            ///< of a float
Value fused(const Value& a, const Value& b, const Value& c);  ///< a * b + c of floats, rounded once
Truth less(const Value& a, const Value& b);
Truth equal(const Value& a, const Value& b);  ///< ==

template <class T>
inline constexpr ScalarType scalar_type_of = ScalarType::Double;
template <>
inline constexpr ScalarType scalar_type_of<std::int8_t> = ScalarType::Char;
template <>
inline constexpr ScalarType scalar_type_of<std::uint8_t> = ScalarType::UChar;
template <>
inline constexpr ScalarType scalar_type_of<std::int16_t> = ScalarType::Short;
template <>
inline constexpr ScalarType scalar_type_of<std::uint16_t> = ScalarType::UShort;
template <>
inline constexpr ScalarType scalar_type_of<std::int32_t> = ScalarType::Int;
template <>
inline constexpr ScalarType scalar_type_of<std::uint32_t> = ScalarType::UInt;
template <>
inline constexpr ScalarType scalar_type_of<std::int64_t> = ScalarType::Long;
template <>
inline constexpr ScalarType scalar_type_of<std::uint64_t> = ScalarType::ULong;
template <>
inline constexpr ScalarType scalar_type_of<float> = ScalarType::Float;

/// A value of type T; a default-made one is any.
template <class T>
struct Number {
  Value value;
};

template <class T>
Number<T> like(const Number<T>&, std::int64_t constant) {
  return {Value::number(scalar_type_of<T>, ops::bits_from(static_cast<T>(constant)))};
}
template <class T>
Number<T> plus(const Number<T>& a, const Number<T>& b) {
  return {primitive(Primitive::Plus, a.value, b.value)};
}
template <class T>
Number<T> minus(const Number<T>& a, const Number<T>& b) {
  return {primitive(Primitive::Minus, a.value, b.value)};
}
template <class T>
Number<T> times(const Number<T>& a, const Number<T>& b) {
  return {primitive(Primitive::Times, a.value, b.value)};
}
template <class T>
Number<T> quotient(const Number<T>& a, const Number<T>& b) {
  return {primitive(Primitive::Quotient, a.value, b.value)};
}
template <class T>
Number<T> remainder(const Number<T>& a, const Number<T>& b) {
  return {primitive(Primitive::Remainder, a.value, b.value)};
}
template <class T>
Number<T> shifted_left(const Number<T>& a, const Number<T>& n) {
  return {primitive(Primitive::ShiftLeft, a.value, n.value)};
}
template <class T>
Number<T> shifted_right(const Number<T>& a, const Number<T>& n) {
  return {primitive(Primitive::ShiftRight, a.value, n.value)};
}
template <class T>
Number<T> bit_and(const Number<T>& a, const Number<T>& b) {
  return {primitive(Primitive::And, a.value, b.value)};
}
template <class T>
Number<T> bit_or(const Number<T>& a, const Number<T>& b) {
  return {primitive(Primitive::Or, a.value, b.value)};
}
template <class T>
Number<T> bit_xor(const Number<T>& a, const Number<T>& b) {
  return {primitive(Primitive::Xor, a.value, b.value)};
}
template <class T>
Number<T> bit_not(const Number<T>& a) {
  return {inverted(a.value)};
}
template <class T>
Number<T> operator-(const Number<T>& a) {
  return {negated(a.value)};
}
template <class T>
Truth less(const Number<T>& a, const Number<T>& b) {
  return less(a.value, b.value);
}
template <class T>
Truth equal(const Number<T>& a, const Number<T>& b) {
  return equal(a.value, b.value);
}
template <class T>
Number<T> choose(const Truth& c, const Number<T>& a, const Number<T>& b) {
  return {choose(c, a.value, b.value)};
}

}  // namespace prove

template <class T>
inline constexpr unsigned word_bits<prove::Number<T>> = 8 * sizeof(T);
template <class T>
inline constexpr bool is_floating_word<prove::Number<T>> = std::is_floating_point_v<T>;
template <class T>
inline constexpr bool is_unsigned_word<prove::Number<T>> = std::is_unsigned_v<T>;

}  // namespace lockstep
