#pragma once
// Intervals of integers, and what each operation makes of them: the arithmetic behind Symbolic. It is written over a number domain, as
// semantics/ops/scalar.hpp is over words: the compiler runs it on `Wide`, tests/analyses on all intervals of 4 to 6 bits and, for all
// widths of OpenCL, on terms of Z3. What each function says is docs/proofs.md, "Analyses of the compiler".
//
// A domain N has + - *, < <= ==, which give a truth value with ! && ||, and the primitives that `Wide` has below. Both sides of && and both
// numbers of `choose` are computed, so everything here is total for ends of 64 bits.

#include <cstdint>
#include <utility>

#include "semantics/ops/op.hpp"

namespace lockstep {

/// Wide enough for sums and products of numbers of 64 bits.
__extension__ using Wide = __int128;

// The primitives of the domain, on machine numbers.
inline Wide whole(const Wide& /*like*/, const Wide& constant) { return constant; }
inline Wide choose(bool c, const Wide& a, const Wide& b) { return c ? a : b; }
/// Truncated; `b` is positive.
inline Wide quotient_of(const Wide& a, const Wide& b) { return a / b; }
/// Whether n == m * of for some m.
inline bool is_multiple(const Wide& n, const Wide& of) { return of == 0 ? n == 0 : n % of == 0; }
/// The number's low bits: n modulo 2^bits, never negative.
inline Wide low_bits(const Wide& n, unsigned bits) { return n & ((Wide{1} << bits) - 1); }
/// n / 2^count, rounded down. 0 <= count < 64.
inline Wide shifted_down(const Wide& n, const Wide& count) { return n >> static_cast<int>(count); }

/// A type of integers of so many bits (a power of two). Ends of intervals are signed numbers of `word` bits, the bits of the largest type:
/// of its unsigned numbers only the lower half can be named.
struct IntegerType {
  unsigned bits = 64;
  bool is_signed = true;
  unsigned word = 64;
};

/// If `known`, the number lies between lo and hi; else nothing is said, and lo and hi are any numbers.
template <class N>
struct Interval {
  decltype(std::declval<N>() < std::declval<N>()) known;
  N lo;
  N hi;
};

/// The least number of the type, and the greatest one that an interval can name.
template <class N>
N least_of(IntegerType type, const N& like) {
  return whole(like, type.is_signed ? -(Wide{1} << (type.bits - 1)) : 0);
}
template <class N>
N greatest_of(IntegerType type, const N& like) {
  return whole(like, (Wide{1} << (type.is_signed || type.bits == type.word ? type.bits - 1 : type.bits)) - 1);
}

template <class N>
N lesser(const N& a, const N& b) {
  return choose(b < a, b, a);
}
template <class N>
N greater(const N& a, const N& b) {
  return choose(a < b, b, a);
}

/// What is computed over the integers lies in a.lo to a.hi: then so does the result in the type, as it does not wrap.
template <class N>
Interval<N> fitting(IntegerType type, const Interval<N>& a) {
  return {a.known && (least_of(type, a.lo) <= a.lo && a.hi <= greatest_of(type, a.hi)), a.lo, a.hi};
}

template <class N>
Interval<N> interval_of_sum(IntegerType type, const Interval<N>& a, const Interval<N>& b) {
  return fitting(type, Interval<N>{a.known && b.known, a.lo + b.lo, a.hi + b.hi});
}
template <class N>
Interval<N> interval_of_difference(IntegerType type, const Interval<N>& a, const Interval<N>& b) {
  return fitting(type, Interval<N>{a.known && b.known, a.lo - b.hi, a.hi - b.lo});
}
template <class N>
Interval<N> interval_of_product(IntegerType type, const Interval<N>& a, const Interval<N>& b) {
  const N p = a.lo * b.lo;
  const N q = a.lo * b.hi;
  const N r = a.hi * b.lo;
  const N s = a.hi * b.hi;
  return fitting(type, Interval<N>{a.known && b.known, lesser(lesser(p, q), lesser(r, s)), greater(greater(p, q), greater(r, s))});
}
template <class N>
Interval<N> interval_of_negation(IntegerType type, const Interval<N>& a) {
  const N zero = whole(a.lo, 0);
  return fitting(type, Interval<N>{a.known, zero - a.hi, zero - a.lo});
}

/// The number after C's conversion to the type.
template <class N>
Interval<N> interval_of_conversion(IntegerType to, const Interval<N>& a) {
  return fitting(to, a);
}

/// By one positive number.
template <class N>
Interval<N> interval_of_quotient(IntegerType type, const Interval<N>& a, const Interval<N>& b) {
  const N one = whole(a.lo, 1);
  const auto is_known = a.known && b.known && b.lo == b.hi && one <= b.lo;
  const N divisor = choose(is_known, b.lo, one);
  return fitting(type, Interval<N>{is_known, quotient_of(a.lo, divisor), quotient_of(a.hi, divisor)});
}
/// By one positive number. The sign is the dividend's.
template <class N>
Interval<N> interval_of_remainder(const Interval<N>& a, const Interval<N>& b) {
  const N zero = whole(a.lo, 0);
  const N one = whole(a.lo, 1);
  return {a.known && b.known && b.lo == b.hi && one <= b.lo, choose(a.lo < zero, one - b.lo, zero), choose(zero < a.hi, b.lo - one, zero)};
}

/// By one number of bits, which is taken modulo the width.
template <class N>
Interval<N> interval_of_shift_left(IntegerType type, const Interval<N>& a, unsigned count) {
  const N factor = whole(a.lo, Wide{1} << count);
  return fitting(type, Interval<N>{a.known, a.lo * factor, a.hi * factor});
}
template <class N>
Interval<N> interval_of_shift_right(IntegerType type, const Interval<N>& a, const Interval<N>& b) {
  const N count = low_bits(b.lo, static_cast<unsigned>(__builtin_ctz(type.bits)));
  return {a.known && b.known && b.lo == b.hi, shifted_down(a.lo, count), shifted_down(a.hi, count)};
}

/// A number without its sign bit bounds the result, whatever the other one is.
template <class N>
Interval<N> interval_of_and(const Interval<N>& a, const Interval<N>& b) {
  const N zero = whole(a.lo, 0);
  const auto by_b = b.known && zero <= b.lo;
  return {by_b || (a.known && zero <= a.lo), zero, choose(by_b, b.hi, a.hi)};
}

template <class N>
Interval<N> interval_of_min(const Interval<N>& a, const Interval<N>& b) {
  return {a.known && b.known, lesser(a.lo, b.lo), lesser(a.hi, b.hi)};
}
template <class N>
Interval<N> interval_of_max(const Interval<N>& a, const Interval<N>& b) {
  return {a.known && b.known, greater(a.lo, b.lo), greater(a.hi, b.hi)};
}
/// One of the two.
template <class N>
Interval<N> interval_of_choice(const Interval<N>& a, const Interval<N>& b) {
  return {a.known && b.known, lesser(a.lo, b.lo), greater(a.hi, b.hi)};
}

/// Whether a comparison always holds, or never does.
template <class B>
struct Decision {
  B always;
  B never;
};
/// Of `a op b`, where a - b is known not to wrap and lies in the interval.
template <class N>
auto decided_by_difference(Op op, const Interval<N>& difference) {
  const N zero = whole(difference.lo, 0);
  const auto less = difference.known && difference.hi < zero;
  const auto not_greater = difference.known && difference.hi <= zero;
  const auto greater = difference.known && zero < difference.lo;
  const auto not_less = difference.known && zero <= difference.lo;
  const auto equal = not_greater && not_less;
  const auto different = less || greater;
  using Answer = Decision<decltype(difference.known)>;
  return op == Op::Lt   ? Answer{less, not_less}
         : op == Op::Le ? Answer{not_greater, greater}
         : op == Op::Gt ? Answer{greater, not_greater}
         : op == Op::Ge ? Answer{not_less, less}
         : op == Op::Eq ? Answer{equal, different}
                        : Answer{different, equal};
}

/// Whether slope * n is at most `most` away from where it begins, whatever n is between low and high.
template <class N>
auto stays_near(const N& slope, const N& low, const N& high, const N& most) {
  const N way = slope * (high - low);
  return low <= high && way <= most && whole(most, 0) - most <= way;
}

}  // namespace lockstep
