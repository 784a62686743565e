#pragma once
// What each operation of ops.def computes, written once over a word domain: machine words (below) or Z3 terms
// (semantics/prove). A word domain W offers the primitives that the machine-word overloads show, found by overload
// resolution: like, plus, minus, times, quotient, remainder, shifted_left, shifted_right, bit_and/or/xor/not, less, equal,
// choose, and Booleans with !, && and ||.

#include <cstdint>
#include <limits>

namespace lockstep {

#define LOCKSTEP_INLINE [[gnu::always_inline]] inline

// The primitives on machine words. Everything wraps; nothing is undefined in C++, whatever the operands are.
LOCKSTEP_INLINE std::int64_t like(std::int64_t, std::int64_t constant) { return constant; }
LOCKSTEP_INLINE std::int64_t plus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
LOCKSTEP_INLINE std::int64_t minus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
LOCKSTEP_INLINE std::int64_t times(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
/// Truncated quotient for b other than 0 and -1.
LOCKSTEP_INLINE std::int64_t quotient(std::int64_t a, std::int64_t b) { return a / b; }
/// Remainder of the truncated quotient for b other than 0 and -1.
LOCKSTEP_INLINE std::int64_t remainder(std::int64_t a, std::int64_t b) { return a % b; }
/// Shifts by a count from 0 to 63.
LOCKSTEP_INLINE std::int64_t shifted_left(std::int64_t a, std::int64_t n) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << n);
}
LOCKSTEP_INLINE std::int64_t shifted_right(std::int64_t a, std::int64_t n) { return a >> n; }
LOCKSTEP_INLINE std::int64_t bit_and(std::int64_t a, std::int64_t b) { return a & b; }
LOCKSTEP_INLINE std::int64_t bit_or(std::int64_t a, std::int64_t b) { return a | b; }
LOCKSTEP_INLINE std::int64_t bit_xor(std::int64_t a, std::int64_t b) { return a ^ b; }
LOCKSTEP_INLINE std::int64_t bit_not(std::int64_t a) { return ~a; }
LOCKSTEP_INLINE bool less(std::int64_t a, std::int64_t b) { return a < b; }
LOCKSTEP_INLINE bool equal(std::int64_t a, std::int64_t b) { return a == b; }
LOCKSTEP_INLINE std::int64_t choose(bool c, std::int64_t a, std::int64_t b) { return c ? a : b; }

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
  return minus(like(a, 0), a);
}
template <class W>
LOCKSTEP_INLINE W BitNot(const W& a) {
  return bit_not(a);
}
template <class W>
LOCKSTEP_INLINE W LogicalNot(const W& a) {
  return number(is_zero(a), a);
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
  return choose(equal(b, like(b, -1)), Neg(a), quotient(a, safe_divisor(b)));
}
template <class W>
LOCKSTEP_INLINE W Rem(const W& a, const W& b) {
  return choose(equal(b, like(b, -1)), like(a, 0), remainder(a, safe_divisor(b)));
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
  return shifted_left(a, bit_and(b, like(b, 63)));
}
template <class W>
LOCKSTEP_INLINE W Shr(const W& a, const W& b) {
  return shifted_right(a, bit_and(b, like(b, 63)));
}
template <class W>
LOCKSTEP_INLINE W Lt(const W& a, const W& b) {
  return number(less(a, b), a);
}
template <class W>
LOCKSTEP_INLINE W Le(const W& a, const W& b) {
  return number(!less(b, a), a);
}
template <class W>
LOCKSTEP_INLINE W Gt(const W& a, const W& b) {
  return number(less(b, a), a);
}
template <class W>
LOCKSTEP_INLINE W Ge(const W& a, const W& b) {
  return number(!less(a, b), a);
}
template <class W>
LOCKSTEP_INLINE W Eq(const W& a, const W& b) {
  return number(equal(a, b), a);
}
template <class W>
LOCKSTEP_INLINE W Ne(const W& a, const W& b) {
  return number(!equal(a, b), a);
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
LOCKSTEP_INLINE W LogicalAnd(const W& a, const W& b) {
  return number(!is_zero(a) && !is_zero(b), a);
}
template <class W>
LOCKSTEP_INLINE W LogicalOr(const W& a, const W& b) {
  return number(!is_zero(a) || !is_zero(b), a);
}
template <class W>
LOCKSTEP_INLINE W Select(const W& c, const W& a, const W& b) {
  return choose(!is_zero(c), a, b);
}

}  // namespace ops
}  // namespace lockstep
