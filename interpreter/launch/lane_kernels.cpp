// Compiled once for each instruction set; LOCKSTEP_LANE_KERNELS names it. Everything but the table is local to the file: an
// inline function shared with other files could be the copy compiled for a processor that the host is not.

#include "interpreter/launch/lane_kernels.hpp"

#ifdef __AVX512BW__
#include <immintrin.h>
#endif

#include "semantics/ops/scalar.hpp"

#define LOCKSTEP_JOIN_(a, b) a##b
#define LOCKSTEP_JOIN(a, b) LOCKSTEP_JOIN_(a, b)
#define LOCKSTEP_STRING_(a) #a
#define LOCKSTEP_STRING(a) LOCKSTEP_STRING_(a)

namespace lockstep::launch {
namespace {

template <class T>
const T* lanes_of(const void* p) {
  return static_cast<const T*>(p);
}
template <class T>
T* lanes_of(void* p) {
  return static_cast<T*>(p);
}

/// Runs each(t) for every lane; lanes are independent, a destination is one of the operands or apart from them.
template <class Each>
[[gnu::always_inline]] inline void for_lanes(std::size_t lanes, Each each) {
#pragma GCC ivdep
  for (std::size_t t = 0; t < lanes; ++t) {
    each(t);
  }
}

struct ApplyDiv;
struct ApplyRem;

/// x / y or x % y for integers where y is one power of two in all lanes; false: it is not. What the result is, ops::Div and ops::Rem alone
/// say: this is another way to it, which costs a shift instead of a division that no instruction set does on all lanes at once.
/// tests/unit/launch_division_test.cpp compares both ways with C++'s own division, for all integer types.
template <class F, class T>
bool run_by_shift(T* d, const T* x, const T* y, std::size_t lanes) {
  using U = std::make_unsigned_t<T>;
  const T divisor = y[0];
  const U low = static_cast<U>(static_cast<U>(divisor) - 1);  // the bits of the remainder
  if (divisor <= 0 || (static_cast<U>(divisor) & low) != 0) {
    return false;
  }
  U different = 0;
  for (std::size_t t = 1; t < lanes; ++t) {
    different |= static_cast<U>(y[t] ^ divisor);
  }
  if (different != 0) {
    return false;
  }
  const int shift = __builtin_ctzll(static_cast<unsigned long long>(static_cast<U>(divisor)));
  for_lanes(lanes, [&](std::size_t t) {
    const U toward_zero = static_cast<U>(x[t] < 0 ? low : U{0});  // C rounds quotients of negative numbers up
    const T rounded = static_cast<T>(static_cast<U>(static_cast<U>(x[t]) + toward_zero));
    if constexpr (std::is_same_v<F, ApplyDiv>) {
      d[t] = static_cast<T>(rounded >> shift);
    } else {
      d[t] = static_cast<T>(static_cast<U>(static_cast<U>(x[t]) - static_cast<U>(static_cast<U>(rounded) & static_cast<U>(~low))));
    }
  });
  return true;
}

template <class F, class T>
void run(void* dst, const void* a, const void* b, const void* c, std::size_t lanes) {
  const T* x = lanes_of<T>(a);
  const T* y = lanes_of<T>(b);
  const T* z = lanes_of<T>(c);
  if constexpr (F::arity == 1) {
    using R = decltype(F::apply(T{}));
    R* d = lanes_of<R>(dst);
    for_lanes(lanes, [&](std::size_t t) { d[t] = F::apply(x[t]); });
  } else if constexpr (F::arity == 2) {
    using R = decltype(F::apply(T{}, T{}));
    R* d = lanes_of<R>(dst);
    if constexpr (std::is_integral_v<T> && (std::is_same_v<F, ApplyDiv> || std::is_same_v<F, ApplyRem>)) {
      if (run_by_shift<F>(d, x, y, lanes)) {
        return;
      }
    }
    for_lanes(lanes, [&](std::size_t t) { d[t] = F::apply(x[t], y[t]); });
  } else {
    T* d = lanes_of<T>(dst);
    for_lanes(lanes, [&](std::size_t t) { d[t] = F::apply(x[t], y[t], z[t]); });
  }
}

/// The condition of a typed select is an int.
template <class T>
void run_select(void* dst, const void* a, const void* b, const void* c, std::size_t lanes) {
  const auto* condition = lanes_of<std::int32_t>(a);
  const T* x = lanes_of<T>(b);
  const T* y = lanes_of<T>(c);
  T* d = lanes_of<T>(dst);
  for_lanes(lanes, [&](std::size_t t) { d[t] = condition[t] != 0 ? x[t] : y[t]; });
}

#define LOCKSTEP_APPLY(id, operands)                          \
  struct Apply##id {                                          \
    static constexpr int arity = operands;                    \
    template <class... W>                                     \
    [[gnu::always_inline]] static auto apply(const W&... w) { \
      if constexpr (gives_truth(Op::id)) {                    \
        return static_cast<std::int32_t>(holds_##id(w...));   \
      } else {                                                \
        return ops::id(w...);                                 \
      }                                                       \
    }                                                         \
  };
#define LOCKSTEP_HOLDS(id)                                       \
  template <class... W>                                          \
  [[gnu::always_inline]] inline bool holds_##id(const W&... w) { \
    return ops::holds::id(w...);                                 \
  }
LOCKSTEP_HOLDS(Lt)
LOCKSTEP_HOLDS(Le)
LOCKSTEP_HOLDS(Gt)
LOCKSTEP_HOLDS(Ge)
LOCKSTEP_HOLDS(Eq)
LOCKSTEP_HOLDS(Ne)
LOCKSTEP_HOLDS(LogicalNot)
LOCKSTEP_HOLDS(LogicalAnd)
LOCKSTEP_HOLDS(LogicalOr)
#undef LOCKSTEP_HOLDS
#define OP(id, text, arity, precedence, undefined, meaning) LOCKSTEP_APPLY(id, arity)
#define FUNCTION(id, text, arity, undefined, meaning) LOCKSTEP_APPLY(id, arity)
#include "semantics/ops/ops.def"
#undef OP

template <class F, Op op, class T>
constexpr OpKernel op_kernel() {
  if constexpr (op == Op::Select) {
    return run_select<T>;
  } else if constexpr (is_floating_word<T> ? integer_only(op) : float_only(op)) {
    return nullptr;
  } else {
    return run<F, T>;
  }
}

template <class From, class To>
void convert(void* dst, const void* a, std::size_t lanes) {
  const From* x = lanes_of<From>(a);
  To* d = lanes_of<To>(dst);
  for_lanes(lanes, [&](std::size_t t) { d[t] = ops::converted<To>(x[t]); });
}
template <class From>
void convert_to_bool(void* dst, const void* a, std::size_t lanes) {
  const From* x = lanes_of<From>(a);
  auto* d = lanes_of<std::uint8_t>(dst);
  for_lanes(lanes, [&](std::size_t t) { d[t] = static_cast<std::uint8_t>(x[t] != From{0}); });
}

/// Bit t of the result is truth[t], which is 0 or 1.
[[gnu::always_inline]] inline std::uint64_t bits_of(const std::uint8_t (&truth)[64]) {
#ifdef __AVX512BW__
  const __m512i bytes = _mm512_load_si512(truth);
  return _mm512_test_epi8_mask(bytes, bytes);
#else
  std::uint64_t bits = 0;
  for (std::size_t byte = 0; byte < 8; ++byte) {  // eight bytes of 0 or 1: their bits meet in the product's highest byte
    std::uint64_t eight = 0;
    __builtin_memcpy(&eight, truth + 8 * byte, 8);
    bits |= (eight * 0x0102040810204080U >> 56) << (8 * byte);
  }
  return bits;
#endif
}

/// mask[t] := 0xff where bit t of `bits` is set, else 0.
[[gnu::always_inline]] inline void bytes_of(std::uint64_t bits, std::uint64_t (&mask)[8]) {
#ifdef __AVX512BW__
  _mm512_storeu_si512(mask, _mm512_movm_epi8(bits));
#else
  for (std::size_t byte = 0; byte < 8; ++byte) {  // the byte in all eight, of each one bit, which becomes 0xff
    const std::uint64_t each = ((bits >> (8 * byte) & 0xff) * 0x0101010101010101U) & 0x8040201008040201U;
    mask[byte] = ((each + 0x7f7f7f7f7f7f7f7fU) >> 7 & 0x0101010101010101U) * 0xff;
  }
#endif
}

template <class Holds>
[[gnu::always_inline]] inline void test(std::uint64_t* words, std::size_t lanes, Holds holds) {
  for (std::size_t first = 0; first < lanes; first += 64) {
    const std::size_t count = lanes - first < 64 ? lanes - first : 64;
    alignas(64) std::uint8_t truth[64];
    if (count == 64) {
      for (std::size_t t = 0; t < 64; ++t) {
        truth[t] = static_cast<std::uint8_t>(holds(first + t));
      }
    } else {
      for (std::size_t t = 0; t < 64; ++t) {
        truth[t] = static_cast<std::uint8_t>(t < count && holds(first + t));
      }
    }
    words[first / 64] = bits_of(truth);
  }
}
template <class F, class T>
void holds(std::uint64_t* words, const void* a, const void* b, std::size_t lanes) {
  const T* x = lanes_of<T>(a);
  const T* y = lanes_of<T>(b);
  test(words, lanes, [&](std::size_t t) { return F::apply(x[t], y[t]) != 0; });
}
template <class F, Op op, class T>
constexpr TestPairKernel holds_kernel() {
  if constexpr (is_comparison(op)) {
    return holds<F, T>;
  } else {
    return nullptr;
  }
}
template <class From, class To>
void misfit(std::uint64_t* words, const void* a, std::size_t lanes) {
  const From* x = lanes_of<From>(a);
  bool any = false;
  for (std::size_t t = 0; t < lanes; ++t) {
    any |= ops::conversion_undefined<To>(x[t]);
  }
  if (any) {
    test(words, lanes, [&](std::size_t t) { return ops::conversion_undefined<To>(x[t]); });
  } else {
    test(words, lanes, [](std::size_t) { return false; });
  }
}
template <class T>
void misdivided(std::uint64_t* words, const void* a, const void* b, std::size_t lanes) {
  const T* x = lanes_of<T>(a);
  const T* y = lanes_of<T>(b);
  unsigned any = 0;
  for (std::size_t t = 0; t < lanes; ++t) {
    any |= static_cast<unsigned>(ops::division_undefined(x[t], y[t]));
  }
  if (any != 0) {
    test(words, lanes, [&](std::size_t t) { return ops::division_undefined(x[t], y[t]); });
  } else {
    test(words, lanes, [](std::size_t) { return false; });
  }
}
template <class T>
void zero(std::uint64_t* words, const void* a, std::size_t lanes) {
  const T* x = lanes_of<T>(a);
  test(words, lanes, [&](std::size_t t) { return x[t] == T{0}; });
}

template <class T>
bool resolve(std::uint32_t* out, const void* index, std::int64_t base, std::uint32_t limit, std::size_t lanes) {
  const T* x = lanes_of<T>(index);
  std::uint32_t outside = 0;
  if (sizeof(T) <= 4 && base == 0) {  // negative numbers become large ones
    for_lanes(lanes, [&](std::size_t t) {
      const auto i = static_cast<std::uint32_t>(static_cast<std::int64_t>(x[t]));
      const bool in = i < limit;
      outside |= static_cast<std::uint32_t>(!in);
      out[t] = in ? i : 0;
    });
  } else {
    for_lanes(lanes, [&](std::size_t t) {
      const std::uint64_t i = static_cast<std::uint64_t>(x[t]) + static_cast<std::uint64_t>(base);
      const bool in = i < limit;
      outside |= static_cast<std::uint32_t>(!in);
      out[t] = in ? static_cast<std::uint32_t>(i) : 0;
    });
  }
  return outside == 0;
}

template <class T>
void splat(void* dst, const void* a, std::size_t lanes) {
  T* d = lanes_of<T>(dst);
  const T x = *lanes_of<T>(a);
  for_lanes(lanes, [&](std::size_t t) { d[t] = x; });
}
template <class T>
void blend(void* dst, const void* a, const std::uint8_t* mask, std::size_t lanes) {
  T* d = lanes_of<T>(dst);
  const T* x = lanes_of<T>(a);
  for_lanes(lanes, [&](std::size_t t) { d[t] = mask[t] != 0 ? x[t] : d[t]; });
}
template <class T>
void gather(void* dst, const void* table, const std::uint32_t* index, std::size_t lanes) {
  T* d = lanes_of<T>(dst);
  const T* from = lanes_of<T>(table);
  for_lanes(lanes, [&](std::size_t t) { d[t] = from[index[t]]; });
}
template <class T>
void gather_rows(void* dst, const void* table, const std::uint32_t* index, std::uint32_t row, std::size_t lanes) {
  T* d = lanes_of<T>(dst);
  const T* from = lanes_of<T>(table);
  for_lanes(lanes, [&](std::size_t t) { d[t] = from[std::size_t{index[t]} * row + t]; });
}

bool ascending(const std::uint32_t* index, std::size_t lanes) {
  const std::uint32_t first = index[0];
  std::uint32_t different = 0;
  for (std::size_t t = 0; t < lanes; ++t) {
    different |= index[t] - first - static_cast<std::uint32_t>(t);
  }
  return different == 0;
}
bool all_equal(const std::uint64_t* a, std::uint64_t value, const std::uint8_t* mask, std::size_t lanes) {
  std::uint64_t different = 0;
  for (std::size_t t = 0; t < lanes; ++t) {
    different |= mask[t] != 0 ? a[t] ^ value : 0;
  }
  return different == 0;
}
void expand(std::uint8_t* mask, const std::uint64_t* words, std::size_t lanes) {
  for (std::size_t first = 0; first < lanes; first += 64) {
    const std::size_t count = lanes - first < 64 ? lanes - first : 64;
    std::uint64_t bytes[8];
    bytes_of(words[first / 64], bytes);
    __builtin_memcpy(mask + first, bytes, count);
  }
}

// In the order of ScalarType; bool is kept in a byte.
#define LOCKSTEP_EACH_TYPE(X)                                                                                                              \
  X(std::uint8_t), X(std::int8_t), X(std::uint8_t), X(std::int16_t), X(std::uint16_t), X(std::int32_t), X(std::uint32_t), X(std::int64_t), \
      X(std::uint64_t), X(float), X(double)

template <class F, Op op>
constexpr std::array<OpKernel, type_count> op_row() {
#define LOCKSTEP_ROW(T) op_kernel<F, op, T>()
  return {LOCKSTEP_EACH_TYPE(LOCKSTEP_ROW)};
#undef LOCKSTEP_ROW
}
template <class F, Op op>
constexpr std::array<TestPairKernel, type_count> holds_row() {
#define LOCKSTEP_ROW(T) holds_kernel<F, op, T>()
  return {LOCKSTEP_EACH_TYPE(LOCKSTEP_ROW)};
#undef LOCKSTEP_ROW
}
template <class From>
constexpr std::array<ConvertKernel, type_count> convert_row() {
#define LOCKSTEP_ROW(To) convert<From, To>
  std::array<ConvertKernel, type_count> row = {LOCKSTEP_EACH_TYPE(LOCKSTEP_ROW)};
#undef LOCKSTEP_ROW
  row[static_cast<std::size_t>(ScalarType::Bool)] = convert_to_bool<From>;
  return row;
}
template <class From, class To>
constexpr TestKernel misfit_kernel() {
  if constexpr (is_floating_word<From> && !is_floating_word<To>) {
    return misfit<From, To>;
  } else {
    return nullptr;
  }
}
template <class From>
constexpr std::array<TestKernel, type_count> misfit_row() {
#define LOCKSTEP_ROW(To) misfit_kernel<From, To>()
  std::array<TestKernel, type_count> row = {LOCKSTEP_EACH_TYPE(LOCKSTEP_ROW)};
#undef LOCKSTEP_ROW
  row[static_cast<std::size_t>(ScalarType::Bool)] = nullptr;
  return row;
}
template <class T>
constexpr TestPairKernel misdivided_kernel() {
  if constexpr (is_floating_word<T>) {
    return nullptr;
  } else {
    return misdivided<T>;
  }
}
template <class T>
constexpr ResolveKernel resolve_kernel() {
  if constexpr (is_floating_word<T>) {
    return nullptr;
  } else {
    return resolve<T>;
  }
}

}  // namespace

extern const LaneKernels LOCKSTEP_JOIN(lane_kernels_, LOCKSTEP_LANE_KERNELS);
const LaneKernels LOCKSTEP_JOIN(lane_kernels_, LOCKSTEP_LANE_KERNELS) = {
    LOCKSTEP_STRING(LOCKSTEP_LANE_KERNELS),
    {
#define OP(id, text, arity, precedence, undefined, meaning) op_row<Apply##id, Op::id>(),
#define FUNCTION(id, text, arity, undefined, meaning) op_row<Apply##id, Op::id>(),
#include "semantics/ops/ops.def"
#undef OP
    },
#define LOCKSTEP_ROW(T) convert_row<T>()
    {LOCKSTEP_EACH_TYPE(LOCKSTEP_ROW)},
#undef LOCKSTEP_ROW
#define LOCKSTEP_ROW(T) misfit_row<T>()
    {LOCKSTEP_EACH_TYPE(LOCKSTEP_ROW)},
#undef LOCKSTEP_ROW
#define LOCKSTEP_ROW(T) misdivided_kernel<T>()
    {LOCKSTEP_EACH_TYPE(LOCKSTEP_ROW)},
#undef LOCKSTEP_ROW
#define LOCKSTEP_ROW(T) zero<T>
    {LOCKSTEP_EACH_TYPE(LOCKSTEP_ROW)},
#undef LOCKSTEP_ROW
    {
#define OP(id, text, arity, precedence, undefined, meaning) holds_row<Apply##id, Op::id>(),
#define FUNCTION(id, text, arity, undefined, meaning) holds_row<Apply##id, Op::id>(),
#include "semantics/ops/ops.def"
#undef OP
    },
#define LOCKSTEP_ROW(T) resolve_kernel<T>()
    {LOCKSTEP_EACH_TYPE(LOCKSTEP_ROW)},
#undef LOCKSTEP_ROW
    {splat<std::uint8_t>, splat<std::uint16_t>, splat<std::uint32_t>, splat<std::uint64_t>},
    {blend<std::uint8_t>, blend<std::uint16_t>, blend<std::uint32_t>, blend<std::uint64_t>},
    {gather<std::uint8_t>, gather<std::uint16_t>, gather<std::uint32_t>, gather<std::uint64_t>},
    {gather_rows<std::uint8_t>, gather_rows<std::uint16_t>, gather_rows<std::uint32_t>, gather_rows<std::uint64_t>},
    ascending,
    all_equal,
    expand,
};

}  // namespace lockstep::launch
