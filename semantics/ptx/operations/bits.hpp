#pragma once
// Bits and shifts, over any word domain (words.hpp): PTX ISA 9.7.8 (logic and shifts) and the bit instructions of 9.7.1. W is unsigned
// unless it says otherwise; positions, lengths and counts are unsigned 32-bit words N.

#include <cstdint>

#include "semantics/ptx/operations/words.hpp"

namespace lockstep::ptx::operations {

/// shl: a count of the width or more gives 0.
template <class W, class N>
LOCKSTEP_INLINE W shl(const W& a, const N& n) {
  const W count = as_word<W>(bit_and(n, like(n, word_bits<W> - 1)));
  return choose(less(n, like(n, word_bits<W>)), shifted_left(a, count), like(a, 0));
}
/// shr, of signed and unsigned W: a count of the width or more leaves nothing but copies of the sign, or 0.
template <class W, class N>
LOCKSTEP_INLINE W shr(const W& a, const N& n) {
  const auto fits = less(n, like(n, word_bits<W>));
  const W shifted = shifted_right(a, as_word<W>(choose(fits, n, like(n, word_bits<W> - 1))));
  if constexpr (is_signed_word<W>) {
    return shifted;
  } else {
    return choose(fits, shifted, like(a, 0));
  }
}

/// shf on the 64 bits of b and a, b above: the upper word after a shift to the left, the lower one after a shift to the right. The count is
/// modulo 32 (.wrap) or at most 32 (.clamp).
template <bool clamp, class N>
LOCKSTEP_INLINE N funnel_count(const N& n) {
  if constexpr (clamp) {
    return choose(less(n, like(n, 32)), n, like(n, 32));
  } else {
    return bit_and(n, like(n, 31));
  }
}
template <bool clamp, class W>
LOCKSTEP_INLINE W shf_left(const W& a, const W& b, const W& n) {
  const W count = funnel_count<clamp>(n);
  return bit_or(shl(b, count), shr(a, minus(like(n, 32), count)));
}
template <bool clamp, class W>
LOCKSTEP_INLINE W shf_right(const W& a, const W& b, const W& n) {
  const W count = funnel_count<clamp>(n);
  return bit_or(shl(b, minus(like(n, 32), count)), shr(a, count));
}

/// 1 of 0, else 0.
template <class W>
LOCKSTEP_INLINE W cnot(const W& a) {
  return choose(ops::is_zero(a), like(a, 1), like(a, 0));
}

/// Bit 4x+2y+z of `table` is what bits x of a, y of b and z of c give.
template <class W>
LOCKSTEP_INLINE W lop3(const W& a, const W& b, const W& c, const W& table) {
  W result = like(a, 0);
  for (unsigned row = 0; row < 8; ++row) {
    const W wanted = ops::Neg(bit_and(shifted_right_by(table, row), like(a, 1)));  // all bits or none
    const W x = (row & 4) != 0 ? a : bit_not(a);
    const W y = (row & 2) != 0 ? b : bit_not(b);
    const W z = (row & 1) != 0 ? c : bit_not(c);
    result = bit_or(result, bit_and(wanted, bit_and(x, bit_and(y, z))));
  }
  return result;
}

// ---- counting ----------------------------------------------------------------------------------------------------------

/// How many bits are set, as W: sums of neighbours, then of pairs, of fours and so on.
template <class W>
LOCKSTEP_INLINE W popc(const W& a) {
  W sums = a;
  for (unsigned width = 1; width < word_bits<W>; width *= 2) {
    const W all = like(a, -1);
    const W mask = ops::Div(all, plus(shifted_left_by(like(a, 1), width), like(a, 1)));  // `width` bits set, `width` clear, …
    sums = plus(bit_and(sums, mask), bit_and(shifted_right_by(sums, width), mask));
  }
  return sums;
}
/// How many bits are clear above the highest that is set, as W.
template <class W>
LOCKSTEP_INLINE W clz(const W& a) {
  W smeared = a;
  for (unsigned width = 1; width < word_bits<W>; width *= 2) {
    smeared = bit_or(smeared, shifted_right_by(smeared, width));
  }
  return popc(bit_not(smeared));
}
/// The bits in reverse order: halves change places, then quarters and so on.
template <class W>
LOCKSTEP_INLINE W brev(const W& a) {
  W result = a;
  for (unsigned width = word_bits<W> / 2; width > 0; width /= 2) {
    const W mask = ops::Div(like(a, -1), plus(shifted_left_by(like(a, 1), width), like(a, 1)));
    result = bit_or(bit_and(shifted_right_by(result, width), mask), shifted_left_by(bit_and(result, mask), width));
  }
  return result;
}

/// `a`, and of a negative one its complement: its highest bit that is set is the highest that is not a sign bit.
template <class W>
LOCKSTEP_INLINE UnsignedOf<W> without_sign(const W& a) {
  using U = UnsignedOf<W>;
  if constexpr (is_signed_word<W>) {
    return as_word<U>(choose(less(a, like(a, 0)), bit_not(a), a));
  } else {
    return a;
  }
}
/// The position of the highest bit that is not a sign bit, of signed and unsigned W; all bits set if there is none.
template <class W>
LOCKSTEP_INLINE UnsignedOf<W> bfind(const W& a) {
  using U = UnsignedOf<W>;
  return minus(constant<U>(word_bits<W> - 1), clz(without_sign(a)));
}
/// By how much it has to be shifted to the left to become the highest bit.
template <class W>
LOCKSTEP_INLINE UnsignedOf<W> bfind_shift(const W& a) {
  using U = UnsignedOf<W>;
  const U found = without_sign(a);
  return choose(ops::is_zero(found), constant<U>(-1), clz(found));
}

/// The position of the |offset|th bit of `mask` that is set, counted from `base` on, upwards or downwards; of offset 0, base if its bit is
/// set; all bits set if there is none. PTX leaves a base above 31 open.
LOCKSTEP_INLINE std::uint32_t fns(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
  const bool down = offset < 0;
  std::uint32_t left = down ? 0 - static_cast<std::uint32_t>(offset) : static_cast<std::uint32_t>(offset);
  if (base > 31 || left > 32) {
    return 0xffffffff;
  }
  if (left == 0) {
    return (mask >> base & 1) != 0 ? base : 0xffffffff;
  }
  for (std::uint32_t position = base; position < 32; position += down ? 0xffffffffU : 1U) {  // below 0 it is large
    if ((mask >> position & 1) != 0 && --left == 0) {
      return position;
    }
  }
  return 0xffffffff;
}

// ---- bit fields --------------------------------------------------------------------------------------------------------

/// The lowest `count` bits set; all where it is the width or more.
template <class W, class N>
LOCKSTEP_INLINE W low_bits(const N& count) {
  return bit_not(shl(constant<W>(-1), count));
}

/// `length` bits of `a` from `position` on, extended as W is; only their lower 8 bits count. Beyond the highest bit there are copies of the
/// sign, or zeros. A field of no bits is 0.
template <class W, class N>
LOCKSTEP_INLINE W bfe(const W& a, const N& position, const N& length) {
  using U = UnsignedOf<W>;
  const N count = bit_and(length, like(length, 0xff));
  const W field = shr(a, bit_and(position, like(position, 0xff)));
  if constexpr (is_signed_word<W>) {
    const N whole = like(count, word_bits<W>);
    const N above = choose(less(count, whole), minus(whole, count), like(count, 0));  // bits that are not of the field
    return shr(as_word<W>(shl(as_word<U>(field), above)), choose(ops::is_zero(count), like(count, 0), above));
  } else {
    return bit_and(field, low_bits<W>(count));
  }
}

/// The lower `length` bits of `a` put to `position` of `b`; only the lower 8 bits of both count.
template <class W, class N>
LOCKSTEP_INLINE W bfi(const W& a, const W& b, const N& position, const N& length) {
  const N place = bit_and(position, like(position, 0xff));
  const W mask = shl(low_bits<W>(bit_and(length, like(length, 0xff))), place);
  return bit_or(bit_and(b, bit_not(mask)), bit_and(shl(a, place), mask));
}

/// `length` bits set from `position` on. Of both, .wrap takes the lower 5 bits; with .clamp, 32 or more is beyond the end.
template <bool clamp, class W>
LOCKSTEP_INLINE W bmsk(const W& position, const W& length) {
  if constexpr (clamp) {
    return shl(low_bits<W>(length), position);
  } else {
    return shl(low_bits<W>(bit_and(length, like(length, 31))), bit_and(position, like(position, 31)));
  }
}

/// The lower n bits of `a`, extended as W is. Of n, .wrap takes the lower 5 bits; with .clamp, 32 or more leaves a as it is.
template <bool clamp, class W, class N>
LOCKSTEP_INLINE W szext(const W& a, const N& n) {
  if constexpr (clamp) {
    return bfe(a, like(n, 0), choose(less(n, like(n, 32)), n, like(n, 32)));
  } else {
    return bfe(a, like(n, 0), bit_and(n, like(n, 31)));
  }
}

// ---- bytes (prmt) ------------------------------------------------------------------------------------------------------

/// Byte `selector` (bits 0 to 2) of a and b, b above; or, with bit 3, eight copies of its sign.
template <class W>
LOCKSTEP_INLINE W selected_byte(const W& a, const W& b, const W& selector) {
  const W word = choose(ops::is_zero(bit_and(selector, like(selector, 4))), a, b);
  const W place = shifted_left_by(bit_and(selector, like(selector, 3)), 3);
  const W byte = bit_and(shifted_right(word, place), like(a, 0xff));
  const W sign = choose(less(like(a, 0x7f), byte), like(a, 0xff), like(a, 0));
  return choose(ops::is_zero(bit_and(selector, like(selector, 8))), byte, sign);
}

enum class PermuteMode : std::uint8_t { Index, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };

/// What byte i of the result is, by the mode's table in the ISA, of which `c` (0 to 3) is the line.
template <PermuteMode mode, class W>
LOCKSTEP_INLINE W permute_selector(const W& c, unsigned i) {
  const W own = like(c, i);
  if constexpr (mode == PermuteMode::F4e) {
    return plus(c, own);
  } else if constexpr (mode == PermuteMode::B4e) {
    return bit_and(minus(c, own), like(c, 7));
  } else if constexpr (mode == PermuteMode::Rc8) {
    return c;
  } else if constexpr (mode == PermuteMode::Ecl) {
    return ops::Max(c, own);
  } else if constexpr (mode == PermuteMode::Ecr) {
    return ops::Min(c, own);
  } else {
    return bit_or(shifted_left_by(bit_and(c, like(c, 1)), 1), like(c, i & 1));
  }
}

template <PermuteMode mode, class W>
LOCKSTEP_INLINE W prmt(const W& a, const W& b, const W& c) {
  W result = like(a, 0);
  for (unsigned i = 0; i < 4; ++i) {
    W selector = c;
    if constexpr (mode == PermuteMode::Index) {
      selector = bit_and(shifted_right_by(c, 4 * i), like(c, 0xf));
    } else {
      selector = permute_selector<mode>(bit_and(c, like(c, 3)), i);
    }
    result = bit_or(result, shifted_left_by(selected_byte(a, b, selector), 8 * i));
  }
  return result;
}

// ---- selection ---------------------------------------------------------------------------------------------------------

/// a where the predicate holds, else b. The predicate is a word that is 0 or not.
template <class W, class P>
LOCKSTEP_INLINE W selp(const W& a, const W& b, const P& predicate) {
  return choose(ops::is_zero(predicate), b, a);
}
/// a where c is not negative, else b.
template <class W, class C>
LOCKSTEP_INLINE W slct_integer(const W& a, const W& b, const C& c) {
  return choose(less(c, like(c, 0)), b, a);
}

}  // namespace lockstep::ptx::operations
