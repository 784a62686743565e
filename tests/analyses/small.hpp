#pragma once
// Words of a few bits, a word domain of semantics/ops/scalar.hpp: what the operations of ops.def compute on them is their one text, at a
// width at which all operands can be tried.

#include <cstdint>

#include "semantics/ops/scalar.hpp"

namespace lockstep {
namespace analyses {

template <unsigned bits, bool is_signed>
struct Small {
  int value = 0;

  static constexpr int least = is_signed ? -(1 << (bits - 1)) : 0;
  static constexpr int count = 1 << bits;

  /// The number of n's residue modulo 2^bits.
  static Small of(std::int64_t n) {
    const std::int64_t residue = ((n - least) % count + count) % count;
    return {static_cast<int>(residue) + least};
  }
};

#define LOCKSTEP_SMALL template <unsigned n, bool s>
LOCKSTEP_SMALL Small<n, s> like(Small<n, s>, std::int64_t constant) { return Small<n, s>::of(constant); }
LOCKSTEP_SMALL Small<n, s> plus(Small<n, s> a, Small<n, s> b) { return Small<n, s>::of(a.value + b.value); }
LOCKSTEP_SMALL Small<n, s> minus(Small<n, s> a, Small<n, s> b) { return Small<n, s>::of(a.value - b.value); }
LOCKSTEP_SMALL Small<n, s> times(Small<n, s> a, Small<n, s> b) { return Small<n, s>::of(a.value * b.value); }
LOCKSTEP_SMALL Small<n, s> quotient(Small<n, s> a, Small<n, s> b) { return Small<n, s>::of(a.value / b.value); }
LOCKSTEP_SMALL Small<n, s> remainder(Small<n, s> a, Small<n, s> b) { return Small<n, s>::of(a.value % b.value); }
LOCKSTEP_SMALL Small<n, s> shifted_left(Small<n, s> a, Small<n, s> b) { return Small<n, s>::of(std::int64_t{a.value} * (1 << b.value)); }
LOCKSTEP_SMALL Small<n, s> shifted_right(Small<n, s> a, Small<n, s> b) { return Small<n, s>::of(a.value >> b.value); }
LOCKSTEP_SMALL Small<n, s> bit_and(Small<n, s> a, Small<n, s> b) { return Small<n, s>::of(a.value & b.value); }
LOCKSTEP_SMALL bool less(Small<n, s> a, Small<n, s> b) { return a.value < b.value; }
LOCKSTEP_SMALL bool equal(Small<n, s> a, Small<n, s> b) { return a.value == b.value; }
LOCKSTEP_SMALL Small<n, s> choose(bool c, Small<n, s> a, Small<n, s> b) { return c ? a : b; }
#undef LOCKSTEP_SMALL

}  // namespace analyses

template <unsigned bits, bool is_signed>
inline constexpr unsigned word_bits<analyses::Small<bits, is_signed>> = bits;
template <unsigned bits, bool is_signed>
inline constexpr bool is_unsigned_word<analyses::Small<bits, is_signed>> = !is_signed;

}  // namespace lockstep
