// Compiled once for each instruction set; LOCKSTEP_LANE_KERNELS names it. Everything but the table is local to the file:
// an inline function shared with other files could be the copy compiled for a processor that the host is not.

#include "interpreter/machine/lane_kernels.hpp"

#include "semantics/ops/scalar.hpp"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define LOCKSTEP_JOIN_(a, b) a##b
#define LOCKSTEP_JOIN(a, b) LOCKSTEP_JOIN_(a, b)
#define LOCKSTEP_STRING_(a) #a
#define LOCKSTEP_STRING(a) LOCKSTEP_STRING_(a)

namespace lockstep {
namespace {

using Word = std::int64_t;

const Word* aligned(const Word* p) { return static_cast<const Word*>(__builtin_assume_aligned(p, 64)); }
Word* aligned(Word* p) { return static_cast<Word*>(__builtin_assume_aligned(p, 64)); }

template <class F>
[[gnu::always_inline]] inline Word call(F, Word a, Word b, Word c) {
  if constexpr (F::arity == 1) {
    return F::apply(a);
  } else if constexpr (F::arity == 2) {
    return F::apply(a, b);
  } else {
    return F::apply(a, b, c);
  }
}

/// Calls each(t) for every lane. The count is made a multiple of the padding for the compiler's eyes, so that the loop has no
/// remainder. Lanes are independent: a destination is one of the operands or apart from them, never shifted against one.
template <class Each>
[[gnu::always_inline]] inline void for_lanes(std::size_t lanes, Each each) {
  const std::size_t count = lanes / lane_padding * lane_padding;
#pragma GCC ivdep
  for (std::size_t t = 0; t < count; ++t) {
    each(t);
  }
}

template <class F>
void run(Word* dst, const Word* a, const Word* b, const Word* c, std::size_t lanes) {
  Word* d = aligned(dst);
  const Word* x = aligned(a);
  const Word* y = aligned(F::arity > 1 ? b : a);
  const Word* z = aligned(F::arity > 2 ? c : a);
  for_lanes(lanes, [&](std::size_t t) { d[t] = call(F{}, x[t], y[t], z[t]); });
}

template <class F>
void run_masked(Word* dst, const Word* a, const Word* b, const Word* c, const Word* mask, std::size_t lanes) {
  Word* d = aligned(dst);
  const Word* x = aligned(a);
  const Word* y = aligned(F::arity > 1 ? b : a);
  const Word* z = aligned(F::arity > 2 ? c : a);
  const Word* m = aligned(mask);
  for_lanes(lanes, [&](std::size_t t) { d[t] = (call(F{}, x[t], y[t], z[t]) & m[t]) | (d[t] & ~m[t]); });
}

#define OP(id, text, operands, precedence, undefined, meaning)       \
  struct Apply##id {                                                 \
    static constexpr int arity = operands;                           \
    template <class... W>                                            \
    [[gnu::always_inline]] static inline Word apply(const W&... w) { \
      return ops::id(w...);                                          \
    }                                                                \
  };
#include "semantics/ops/ops.def"
#undef OP

void copy(Word* dst, const Word* a, const Word*, const Word*, std::size_t lanes) {
  Word* d = aligned(dst);
  for_lanes(lanes, [&](std::size_t t) { d[t] = a[t]; });
}

void masked_copy(Word* dst, const Word* a, const Word*, const Word*, const Word* mask, std::size_t lanes) {
  Word* d = aligned(dst);
  const Word* m = aligned(mask);
  for_lanes(lanes, [&](std::size_t t) { d[t] = (a[t] & m[t]) | (d[t] & ~m[t]); });
}

template <class Test>
[[gnu::always_inline]] inline void test(std::uint64_t* words, const Word* value, std::size_t lanes, Test holds) {
  for (std::size_t first = 0; first < lanes; first += 64) {
    const std::size_t count = lanes - first < 64 ? lanes - first : 64;
    std::uint64_t bits = 0;
    for (std::size_t t = 0; t < count; t += lane_padding) {
      bits |= holds(value + first + t) << t;
    }
    words[first / 64] = bits;
  }
}

#ifdef __AVX512F__
void equal_to(std::uint64_t* words, const Word* value, Word argument, std::size_t lanes) {
  const __m512i wanted = _mm512_set1_epi64(argument);
  test(words, value, lanes, [&](const Word* v) -> std::uint64_t { return _mm512_cmpeq_epi64_mask(_mm512_load_si512(v), wanted); });
}
void below(std::uint64_t* words, const Word* value, Word argument, std::size_t lanes) {
  const __m512i bound = _mm512_set1_epi64(argument);
  test(words, value, lanes, [&](const Word* v) -> std::uint64_t { return _mm512_cmplt_epi64_mask(_mm512_load_si512(v), bound); });
}
void index_below(std::uint64_t* words, const Word* value, Word argument, std::size_t lanes) {
  const __m512i bound = _mm512_set1_epi64(argument);
  test(words, value, lanes, [&](const Word* v) -> std::uint64_t { return _mm512_cmplt_epu64_mask(_mm512_load_si512(v), bound); });
}
bool ascending(const Word* value, std::size_t lanes) {
  const __m512i step = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  __m512i wanted = _mm512_add_epi64(_mm512_set1_epi64(value[0]), step);
  const __m512i eight = _mm512_set1_epi64(lane_padding);
  std::size_t t = 0;
  for (; t + lane_padding <= lanes; t += lane_padding) {
    if (_mm512_cmpneq_epi64_mask(_mm512_load_si512(value + t), wanted) != 0) {
      return false;
    }
    wanted = _mm512_add_epi64(wanted, eight);
  }
  const auto rest = static_cast<__mmask8>((1U << (lanes - t)) - 1);
  return rest == 0 || _mm512_mask_cmpneq_epi64_mask(rest, _mm512_load_si512(value + t), wanted) == 0;
}
#else
template <class Holds>
[[gnu::always_inline]] inline std::uint64_t eight(const Word* v, Holds holds) {
  std::uint64_t bits = 0;
  for (unsigned t = 0; t < lane_padding; ++t) {
    bits |= static_cast<std::uint64_t>(holds(v[t])) << t;
  }
  return bits;
}
void equal_to(std::uint64_t* words, const Word* value, Word argument, std::size_t lanes) {
  test(words, value, lanes, [&](const Word* v) { return eight(v, [&](Word w) { return w == argument; }); });
}
void below(std::uint64_t* words, const Word* value, Word argument, std::size_t lanes) {
  test(words, value, lanes, [&](const Word* v) { return eight(v, [&](Word w) { return w < argument; }); });
}
void index_below(std::uint64_t* words, const Word* value, Word argument, std::size_t lanes) {
  test(words, value, lanes, [&](const Word* v) {
    return eight(v, [&](Word w) { return static_cast<std::uint64_t>(w) < static_cast<std::uint64_t>(argument); });
  });
}
bool ascending(const Word* value, std::size_t lanes) {
  const auto first = static_cast<std::uint64_t>(value[0]);
  std::uint64_t different = 0;
  for (std::size_t t = 0; t < lanes; ++t) {
    different |= static_cast<std::uint64_t>(value[t]) - first - t;
  }
  return different == 0;
}
#endif

void expand(Word* mask, const std::uint64_t* words, std::size_t lanes) {
  for (std::size_t first = 0; first < lanes; first += 64) {
    const std::size_t count = lanes - first < 64 ? lanes - first : 64;
    const std::uint64_t bits = words[first / 64];
    for (std::size_t t = 0; t < count; ++t) {
      mask[first + t] = -static_cast<Word>((bits >> t) & 1U);
    }
  }
}

#ifdef __AVX512F__
/// A table of up to 32 lanes fits into four registers: two permutations of two registers each, and a choice between them.
void permute_up_to_32(Word* dst, const Word* table, const Word* index, std::size_t lanes) {
  const auto part = [&](std::size_t t) { return t < lanes ? _mm512_load_si512(table + t) : _mm512_setzero_si512(); };
  const __m512i a = part(0);
  const __m512i b = part(8);
  const __m512i c = part(16);
  const __m512i d = part(24);
  const __m512i upper_half = _mm512_set1_epi64(16);
  for (std::size_t t = 0; t < lanes; t += lane_padding) {
    const __m512i from = _mm512_load_si512(index + t);
    const __m512i low = _mm512_permutex2var_epi64(a, from, b);  // looks at the low four bits of the index
    const __m512i high = _mm512_permutex2var_epi64(c, from, d);
    _mm512_store_si512(dst + t, _mm512_mask_blend_epi64(_mm512_test_epi64_mask(from, upper_half), low, high));
  }
}
#endif

void permute(Word* dst, const Word* table, const Word* index, std::size_t lanes) {
#ifdef __AVX512F__
  if (lanes <= 32) {
    permute_up_to_32(dst, table, index, lanes);
    return;
  }
#endif
  for (std::size_t t = 0; t < lanes; ++t) {
    dst[t] = table[index[t]];
  }
}

}  // namespace

extern const LaneKernels LOCKSTEP_JOIN(lane_kernels_, LOCKSTEP_LANE_KERNELS);
const LaneKernels LOCKSTEP_JOIN(lane_kernels_, LOCKSTEP_LANE_KERNELS) = {
    LOCKSTEP_STRING(LOCKSTEP_LANE_KERNELS),
    {
#define OP(id, text, operands, precedence, undefined, meaning) run<Apply##id>,
#include "semantics/ops/ops.def"
#undef OP
    },
    {
#define OP(id, text, operands, precedence, undefined, meaning) run_masked<Apply##id>,
#include "semantics/ops/ops.def"
#undef OP
    },
    copy,
    masked_copy,
    equal_to,
    below,
    index_below,
    ascending,
    expand,
    permute,
};

}  // namespace lockstep
