#pragma once
// PTX ISA 9.7.1, integer arithmetic instructions, and 9.7.2, those with a carry flag, over any word domain (words.hpp). Sums, differences
// and products wrap. What PTX leaves open, a division by zero, has a fixed result.

#include "semantics/ptx/operations/words.hpp"

namespace lockstep::ptx::operations {

template <class W>
LOCKSTEP_INLINE W add(const W& a, const W& b) {
  return plus(a, b);
}
template <class W>
LOCKSTEP_INLINE W sub(const W& a, const W& b) {
  return minus(a, b);
}

/// Within the range of a signed W; `a` is of twice the width.
template <class W>
LOCKSTEP_INLINE W saturated(const TwiceOf<W>& a) {
  using Wide = TwiceOf<W>;
  using Machine = MachineOf<W>;
  const Wide least = constant<Wide>(std::numeric_limits<Machine>::min());
  const Wide most = constant<Wide>(std::numeric_limits<Machine>::max());
  return as_word<W>(choose(less(a, least), least, choose(less(most, a), most, a)));
}
template <class W>
LOCKSTEP_INLINE W add_saturated(const W& a, const W& b) {
  return saturated<W>(plus(as_word<TwiceOf<W>>(a), as_word<TwiceOf<W>>(b)));
}
template <class W>
LOCKSTEP_INLINE W sub_saturated(const W& a, const W& b) {
  return saturated<W>(minus(as_word<TwiceOf<W>>(a), as_word<TwiceOf<W>>(b)));
}

// ---- products ----------------------------------------------------------------------------------------------------------

template <class W>
LOCKSTEP_INLINE TwiceOf<W> mul_wide(const W& a, const W& b) {
  return times(as_word<TwiceOf<W>>(a), as_word<TwiceOf<W>>(b));
}
template <class W>
LOCKSTEP_INLINE W mul_low(const W& a, const W& b) {
  return times(a, b);
}
template <class W>
LOCKSTEP_INLINE W mul_high(const W& a, const W& b) {
  if constexpr (word_bits<W> < 64) {
    return high_half<W>(mul_wide(a, b));
  } else {
    // By halves: a = ah 2^32 + al. Of a signed factor that is negative, the unsigned product counts 2^64 times the other one too much.
    using U = UnsignedOf<W>;
    const U x = as_word<U>(a);
    const U y = as_word<U>(b);
    const U low32 = constant<U>(0xffffffff);
    const U al = bit_and(x, low32);
    const U ah = shifted_right_by(x, 32);
    const U bl = bit_and(y, low32);
    const U bh = shifted_right_by(y, 32);
    const U first = plus(times(ah, bl), shifted_right_by(times(al, bl), 32));  // below 2^64: (2^32-1)^2 + 2^32-1
    const U second = plus(times(al, bh), bit_and(first, low32));
    U high = plus(plus(times(ah, bh), shifted_right_by(first, 32)), shifted_right_by(second, 32));
    if constexpr (is_signed_word<W>) {
      const U zero = constant<U>(0);
      high = minus(high, choose(less(a, like(a, 0)), y, zero));
      high = minus(high, choose(less(b, like(b, 0)), x, zero));
    }
    return as_word<W>(high);
  }
}
template <class W>
LOCKSTEP_INLINE W mad_low(const W& a, const W& b, const W& c) {
  return plus(times(a, b), c);
}
template <class W>
LOCKSTEP_INLINE W mad_high(const W& a, const W& b, const W& c) {
  return plus(mul_high(a, b), c);
}
template <class W>
LOCKSTEP_INLINE W mad_high_saturated(const W& a, const W& b, const W& c) {
  return add_saturated(mul_high(a, b), c);
}
template <class W>
LOCKSTEP_INLINE TwiceOf<W> mad_wide(const W& a, const W& b, const TwiceOf<W>& c) {
  return plus(mul_wide(a, b), c);
}

/// The lower 24 bits, extended as the type says.
template <class W>
LOCKSTEP_INLINE W low24(const W& a) {
  return shifted_right_by(shifted_left_by(a, 8), 8);
}
template <class W>
LOCKSTEP_INLINE W mul24_low(const W& a, const W& b) {
  return times(low24(a), low24(b));
}
/// Bits 16 to 47 of the product of 48 bits.
template <class W>
LOCKSTEP_INLINE W mul24_high(const W& a, const W& b) {
  return as_word<W>(shifted_right_by(mul_wide(low24(a), low24(b)), 16));
}
template <class W>
LOCKSTEP_INLINE W mad24_low(const W& a, const W& b, const W& c) {
  return plus(mul24_low(a, b), c);
}
template <class W>
LOCKSTEP_INLINE W mad24_high(const W& a, const W& b, const W& c) {
  return plus(mul24_high(a, b), c);
}
template <class W>
LOCKSTEP_INLINE W mad24_high_saturated(const W& a, const W& b, const W& c) {
  return add_saturated(mul24_high(a, b), c);
}

// ---- the carry flag (PTX ISA 9.7.2) ------------------------------------------------------------------------------------
// W is unsigned: the carry is that out of the highest bit whatever the type says. A difference is the sum of one operand and the complement
// of the other, and 1: the flag is 0 where sub and subc borrow. The ISA calls it a borrow, which is the same as long as sub.cc is followed
// by subc; but code that NVIDIA's compilers write (divisions of 128 bits) adds the flag of a difference by addc, and is right only so.

template <class B, class W>
LOCKSTEP_INLINE W flag(const B& truth, const W& w) {
  return choose(truth, like(w, 1), like(w, 0));
}
template <class W>
LOCKSTEP_INLINE WithCarry<W> add_carry_in_out(const W& a, const W& b, const W& carry) {
  const W sum = plus(a, b);
  const W all = plus(sum, carry);
  return {all, bit_or(flag(less(sum, a), a), flag(less(all, sum), a))};
}
template <class W>
LOCKSTEP_INLINE WithCarry<W> add_carry_out(const W& a, const W& b) {
  return add_carry_in_out(a, b, like(a, 0));
}
template <class W>
LOCKSTEP_INLINE W add_carry_in(const W& a, const W& b, const W& carry) {
  return plus(plus(a, b), carry);
}
template <class W>
LOCKSTEP_INLINE WithCarry<W> sub_carry_in_out(const W& a, const W& b, const W& carry) {
  return add_carry_in_out(a, bit_not(b), carry);
}
template <class W>
LOCKSTEP_INLINE WithCarry<W> sub_carry_out(const W& a, const W& b) {
  return sub_carry_in_out(a, b, like(a, 1));
}
template <class W>
LOCKSTEP_INLINE W sub_carry_in(const W& a, const W& b, const W& carry) {
  return add_carry_in(a, bit_not(b), carry);
}

// ---- everything else of 9.7.1 ------------------------------------------------------------------------------------------

/// The distance of a and b, plus c.
template <class W>
LOCKSTEP_INLINE W sad(const W& a, const W& b, const W& c) {
  return plus(c, choose(less(a, b), minus(b, a), minus(a, b)));
}

/// Truncated. By zero, which PTX leaves open: all bits set, and as remainder the dividend, so that quotient * divisor + remainder is it.
template <class W>
LOCKSTEP_INLINE W div_integer(const W& a, const W& b) {
  return choose(ops::is_zero(b), like(b, -1), ops::Div(a, b));
}
template <class W>
LOCKSTEP_INLINE W rem_integer(const W& a, const W& b) {
  return choose(ops::is_zero(b), a, ops::Rem(a, b));
}

/// The smallest number stays what it is.
template <class W>
LOCKSTEP_INLINE W abs_integer(const W& a) {
  return choose(less(a, like(a, 0)), ops::Neg(a), a);
}
template <class W>
LOCKSTEP_INLINE W neg_integer(const W& a) {
  return ops::Neg(a);
}
template <class W>
LOCKSTEP_INLINE W min_integer(const W& a, const W& b) {
  return ops::Min(a, b);
}
template <class W>
LOCKSTEP_INLINE W max_integer(const W& a, const W& b) {
  return ops::Max(a, b);
}
/// .relu: what is negative becomes 0.
template <class W>
LOCKSTEP_INLINE W min_relu(const W& a, const W& b) {
  return ops::Max(ops::Min(a, b), like(a, 0));
}
template <class W>
LOCKSTEP_INLINE W max_relu(const W& a, const W& b) {
  return ops::Max(ops::Max(a, b), like(a, 0));
}

/// f on both halves of 32 bits, which are a Half each (.u16x2, .s16x2).
template <class Half, class W, class F>
LOCKSTEP_INLINE W by_halves(const W& a, const W& b, F f) {
  return joined<W>(f(low_half<Half>(a), low_half<Half>(b)), f(high_half<Half>(a), high_half<Half>(b)));
}

/// The four bytes of `a`, extended as Byte is, times those of `b`, plus c.
template <class ByteA, class ByteB, class W>
LOCKSTEP_INLINE W dp4a(const W& a, const W& b, const W& c) {
  W sum = c;
  for (unsigned i = 0; i < 4; ++i) {
    const W x = as_word<W>(as_word<ByteA>(shifted_right_by(a, 8 * i)));
    const W y = as_word<W>(as_word<ByteB>(shifted_right_by(b, 8 * i)));
    sum = plus(sum, times(x, y));
  }
  return sum;
}
/// The two halves of `a` times the lower, or upper, two bytes of `b`, plus c.
template <class HalfA, class ByteB, bool upper, class W>
LOCKSTEP_INLINE W dp2a(const W& a, const W& b, const W& c) {
  W sum = c;
  for (unsigned i = 0; i < 2; ++i) {
    const W x = as_word<W>(as_word<HalfA>(shifted_right_by(a, 16 * i)));
    const W y = as_word<W>(as_word<ByteB>(shifted_right_by(b, 8 * i + (upper ? 16 : 0))));
    sum = plus(sum, times(x, y));
  }
  return sum;
}

}  // namespace lockstep::ptx::operations
