// Compiled once for each instruction set; LOCKSTEP_LANE_KERNELS names it. Everything but the table is local to the file:
// an inline function shared with other files could be the copy compiled for a processor that the host is not.

#include "interpreter/machine/lane_kernels.hpp"

#include "semantics/ops/integer.hpp"

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

template <class F>
void run(Word* dst, const Word* a, const Word* b, const Word* c, std::size_t lanes) {
  Word* d = aligned(dst);
  const Word* x = aligned(a);
  const Word* y = aligned(F::arity > 1 ? b : a);
  const Word* z = aligned(F::arity > 2 ? c : a);
  const std::size_t count = lanes / lane_padding * lane_padding;
#pragma GCC ivdep  // dst is an operand or apart from it, never shifted against it
  for (std::size_t t = 0; t < count; ++t) {
    d[t] = call(F{}, x[t], y[t], z[t]);
  }
}

template <class F>
void run_masked(Word* dst, const Word* a, const Word* b, const Word* c, const Word* mask, std::size_t lanes) {
  Word* d = aligned(dst);
  const Word* x = aligned(a);
  const Word* y = aligned(F::arity > 1 ? b : a);
  const Word* z = aligned(F::arity > 2 ? c : a);
  const Word* m = aligned(mask);
  const std::size_t count = lanes / lane_padding * lane_padding;
#pragma GCC ivdep
  for (std::size_t t = 0; t < count; ++t) {
    d[t] = (call(F{}, x[t], y[t], z[t]) & m[t]) | (d[t] & ~m[t]);
  }
}

#define OP(id, text, operands, precedence, meaning)                  \
  struct Apply##id {                                                 \
    static constexpr int arity = operands;                           \
    template <class... W>                                            \
    [[gnu::always_inline]] static inline Word apply(const W&... w) { \
      return ops::id(w...);                                          \
    }                                                                \
  };
#include "semantics/ops/ops.def"
#undef OP

struct ApplyCopy {
  static constexpr int arity = 1;
  [[gnu::always_inline]] static inline Word apply(Word a) { return a; }
};

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

void permute(Word* dst, const Word* table, const Word* index, std::size_t lanes) {
  for (std::size_t t = 0; t < lanes; ++t) {
    dst[t] = table[index[t]];
  }
}

}  // namespace

extern const LaneKernels LOCKSTEP_JOIN(lane_kernels_, LOCKSTEP_LANE_KERNELS);
const LaneKernels LOCKSTEP_JOIN(lane_kernels_, LOCKSTEP_LANE_KERNELS) = {
    LOCKSTEP_STRING(LOCKSTEP_LANE_KERNELS),
    {
#define OP(id, text, operands, precedence, meaning) run<Apply##id>,
#include "semantics/ops/ops.def"
#undef OP
    },
    {
#define OP(id, text, operands, precedence, meaning) run_masked<Apply##id>,
#include "semantics/ops/ops.def"
#undef OP
    },
    run<ApplyCopy>,
    run_masked<ApplyCopy>,
    equal_to,
    below,
    expand,
    permute,
};

}  // namespace lockstep
