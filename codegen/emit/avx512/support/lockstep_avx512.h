// What a kernel that `lockstep emit --target avx512` wrote is made of: vectors of W lanes and the operations on them. C++17.
//
//   Vec<T, W>   W lanes, W = 8 or 16, of T in {double, float, int64_t, uint64_t, int32_t, uint32_t}
//   Mask<W>     an unsigned integer with one bit for each lane; bit i is lane i
//
// Each operation is a function of the machine's lanes, one by one, and computes what the kernel language says, to the last bit (any NaN
// stands for any other NaN). Integers wrap. Nothing here traps in a thread that has a FloatingPoint, and nothing depends on the compiler's
// flags: products and sums are not fused unless `fma` or its like says so, and flags that give up exact results are refused.
//
// Where the lanes live: 64-bit T and W = 8 in one 512-bit register `r`, W = 16 in two, `lo` and `hi`; 32-bit T and W = 16 in one 512-bit
// register `r`, W = 8 in one 256-bit register `r`. Numbers of 8 and 16 bits are held in 32-bit lanes, sign- or zero-extended
// ("normalised"); `wrap` brings a result of 32-bit arithmetic back to that form.
//
// Memory: pointers to elements may be misaligned. A lane that a mask switches off is neither read nor written, so that it may point to
// where there is no memory, and loads leave 0 in it. Where lanes of a scatter meet, the highest one wins.
//
// One long file on purpose: it is written beside each kernel, which needs nothing else.
//
// Without AVX512 F, VL, DQ, BW and FMA (-march=native on a processor that has them) the same source runs through lockstep_avx512_shim.h,
// lane by lane; so it does when LOCKSTEP_AVX512_EMULATE is defined. The constant `emulated` tells.
#ifndef LOCKSTEP_AVX512_H
#define LOCKSTEP_AVX512_H

#ifndef __SSE__
#include <cfenv>
#endif
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "lockstep_avx512.h computes exact results: compile without -ffast-math, -Ofast and -funsafe-math-optimizations"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0
#error "lockstep_avx512.h computes with NaNs and infinities: compile without -ffinite-math-only"
#endif

#ifdef __clang__
#pragma float_control(precise, on)  // clang does not say so when it was told -funsafe-math-optimizations
#endif

#if !defined(LOCKSTEP_AVX512_EMULATE) && defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__) && \
    defined(__AVX512BW__) && defined(__FMA__)
#define LOCKSTEP_AVX512_NATIVE 1
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12 warns of what its own intrinsics leave undefined on purpose
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif
#else
#define LOCKSTEP_AVX512_NATIVE 0
#include "lockstep_avx512_shim.h"
#endif

#if defined(__GNUC__) && !defined(__clang__)
// Lanes that a mask switches off may lie outside of an array, here and in the kernels: nobody goes there.
#pragma GCC diagnostic ignored "-Warray-bounds"
#endif

namespace lockstep_avx512 {
#if LOCKSTEP_AVX512_NATIVE
inline namespace native {
#else
inline namespace shim {
#endif

#define LOCKSTEP_AVX512_FN static inline __attribute__((always_inline))
/// Before a loop that stays one: compilers do not write its rounds out.
#if defined(__clang__)
#define LOCKSTEP_AVX512_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define LOCKSTEP_AVX512_ROLLED _Pragma("GCC unroll 1")
#endif

/// Whether plain loops stand in for the processor's vector instructions.
constexpr bool emulated = LOCKSTEP_AVX512_NATIVE == 0;

// ---- Types -----------------------------------------------------------------------------------------------------------------------------

template <class T, int W>
struct Vec;

// clang-format off
template <> struct Vec<double, 8> { __m512d r; };
template <> struct Vec<std::int64_t, 8> { __m512i r; };
template <> struct Vec<std::uint64_t, 8> { __m512i r; };
template <> struct Vec<float, 16> { __m512 r; };
template <> struct Vec<std::int32_t, 16> { __m512i r; };
template <> struct Vec<std::uint32_t, 16> { __m512i r; };
template <> struct Vec<float, 8> { __m256 r; };
template <> struct Vec<std::int32_t, 8> { __m256i r; };
template <> struct Vec<std::uint32_t, 8> { __m256i r; };
template <> struct Vec<double, 16> { __m512d lo, hi; };
template <> struct Vec<std::int64_t, 16> { __m512i lo, hi; };
template <> struct Vec<std::uint64_t, 16> { __m512i lo, hi; };
// clang-format on

using F64x8 = Vec<double, 8>;
using I64x8 = Vec<std::int64_t, 8>;
using U64x8 = Vec<std::uint64_t, 8>;
using F64x16 = Vec<double, 16>;
using I64x16 = Vec<std::int64_t, 16>;
using U64x16 = Vec<std::uint64_t, 16>;
using F32x16 = Vec<float, 16>;
using I32x16 = Vec<std::int32_t, 16>;
using U32x16 = Vec<std::uint32_t, 16>;
using F32x8 = Vec<float, 8>;
using I32x8 = Vec<std::int32_t, 8>;
using U32x8 = Vec<std::uint32_t, 8>;

/// One bit for each of W lanes; what C++ promotes to int goes back through a cast or `mask_not`. Of one lane: a bool.
template <int W>
using Mask = std::conditional_t<W == 1, bool, std::conditional_t<W == 8, __mmask8, __mmask16>>;

namespace detail {
template <class V>
struct Shape {
  static_assert(std::is_arithmetic_v<V>, "a Vec, or a number");
  using type = V;
  static constexpr int width = 1;
  static constexpr bool is_pair = false;
};
template <class T, int W>
struct Shape<Vec<T, W>> {
  using type = T;
  static constexpr int width = W;
  static constexpr bool is_pair = sizeof(T) * W == 128;
};
}  // namespace detail

/// The type of a lane of V, and how many there are. A number counts as one lane.
template <class V>
using Element = typename detail::Shape<V>::type;
template <class V>
constexpr int width = detail::Shape<V>::width;
/// Whether a V has two registers.
template <class V>
constexpr bool is_pair = detail::Shape<V>::is_pair;
/// A V of 16 64-bit lanes, halved.
template <class V>
using Half = Vec<Element<V>, 8>;
template <class V>
using MaskOf = Mask<width<V>>;
/// The type of V's results where V is a number.
template <class V>
using Number = std::enable_if_t<std::is_arithmetic_v<V>, V>;

template <class T>
LOCKSTEP_AVX512_FN Vec<T, 8> low(Vec<T, 16> v) {
  return {v.lo};
}
template <class T>
LOCKSTEP_AVX512_FN Vec<T, 8> high(Vec<T, 16> v) {
  return {v.hi};
}
/// The 16 lanes of two Vecs of 64-bit lanes, or of two of 32-bit ones: first those of lo.
LOCKSTEP_AVX512_FN F64x16 join(F64x8 lo, F64x8 hi) { return {lo.r, hi.r}; }
LOCKSTEP_AVX512_FN I64x16 join(I64x8 lo, I64x8 hi) { return {lo.r, hi.r}; }
LOCKSTEP_AVX512_FN U64x16 join(U64x8 lo, U64x8 hi) { return {lo.r, hi.r}; }
LOCKSTEP_AVX512_FN F32x16 join(F32x8 lo, F32x8 hi) { return {_mm512_insertf32x8(_mm512_castps256_ps512(lo.r), hi.r, 1)}; }
LOCKSTEP_AVX512_FN I32x16 join(I32x8 lo, I32x8 hi) { return {_mm512_inserti32x8(_mm512_castsi256_si512(lo.r), hi.r, 1)}; }
LOCKSTEP_AVX512_FN U32x16 join(U32x8 lo, U32x8 hi) { return {_mm512_inserti32x8(_mm512_castsi256_si512(lo.r), hi.r, 1)}; }
/// The lower and the upper 8 lanes.
LOCKSTEP_AVX512_FN F32x8 low(F32x16 v) { return {_mm512_castps512_ps256(v.r)}; }
LOCKSTEP_AVX512_FN I32x8 low(I32x16 v) { return {_mm512_castsi512_si256(v.r)}; }
LOCKSTEP_AVX512_FN U32x8 low(U32x16 v) { return {_mm512_castsi512_si256(v.r)}; }
LOCKSTEP_AVX512_FN F32x8 high(F32x16 v) { return {_mm512_extractf32x8_ps(v.r, 1)}; }
LOCKSTEP_AVX512_FN I32x8 high(I32x16 v) { return {_mm512_extracti32x8_epi32(v.r, 1)}; }
LOCKSTEP_AVX512_FN U32x8 high(U32x16 v) { return {_mm512_extracti32x8_epi32(v.r, 1)}; }
LOCKSTEP_AVX512_FN Mask<8> low(Mask<16> m) { return static_cast<Mask<8>>(m); }
LOCKSTEP_AVX512_FN Mask<8> high(Mask<16> m) { return static_cast<Mask<8>>(m >> 8); }
/// The mask as a number, 0 above its lanes. g++ 12 computes a comparison and its extension to more bits in one instruction, of which it
/// believes later that the upper bits do not matter (docs/fuzz.md): it must not see both.
template <class M>
LOCKSTEP_AVX512_FN unsigned bits(M m) {
  static_assert(std::is_same_v<M, Mask<8>> || std::is_same_v<M, Mask<16>>, "a mask");
#if LOCKSTEP_AVX512_NATIVE && defined(__GNUC__) && !defined(__clang__)
  if (!__builtin_constant_p(m)) {
    __asm__("" : "+rk"(m));
  }
#endif
  return m;
}
LOCKSTEP_AVX512_FN Mask<16> join(Mask<8> lo, Mask<8> hi) { return static_cast<Mask<16>>(bits(lo) | bits(hi) << 8); }

// ---- Masks -----------------------------------------------------------------------------------------------------------------------------

/// All lanes.
template <int W>
constexpr Mask<W> all_lanes = static_cast<Mask<W>>(~0U);

LOCKSTEP_AVX512_FN Mask<8> mask_not(Mask<8> m) { return static_cast<Mask<8>>(~m); }
LOCKSTEP_AVX512_FN Mask<16> mask_not(Mask<16> m) { return static_cast<Mask<16>>(~m); }

/// The lanes with numbers below n, whatever n is.
template <int W>
LOCKSTEP_AVX512_FN Mask<W> below(std::int64_t n) {
  const std::int64_t not_negative = n > 0 ? n : 0;
  return static_cast<Mask<W>>((1U << (not_negative < W ? not_negative : W)) - 1U);
}

// ---- Constants -------------------------------------------------------------------------------------------------------------------------

/// s in every lane.
template <class V>
LOCKSTEP_AVX512_FN V set1(Element<V> s) {
  using T = Element<V>;
  if constexpr (width<V> == 1) {
    return s;
  } else if constexpr (is_pair<V>) {
    return join(set1<Half<V>>(s), set1<Half<V>>(s));
  } else if constexpr (std::is_same_v<V, F64x8>) {
    return {_mm512_set1_pd(s)};
  } else if constexpr (std::is_same_v<V, F32x16>) {
    return {_mm512_set1_ps(s)};
  } else if constexpr (std::is_same_v<V, F32x8>) {
    return {_mm256_set1_ps(s)};
  } else if constexpr (sizeof(T) == 8) {
    return {_mm512_set1_epi64(static_cast<long long>(s))};
  } else if constexpr (width<V> == 16) {
    return {_mm512_set1_epi32(static_cast<int>(s))};
  } else {
    return {_mm256_set1_epi32(static_cast<int>(s))};
  }
}

template <class V>
LOCKSTEP_AVX512_FN V zero() {
  if constexpr (width<V> == 1) {
    return V{0};
  } else if constexpr (is_pair<V>) {
    return join(zero<Half<V>>(), zero<Half<V>>());
  } else if constexpr (std::is_same_v<V, F64x8>) {
    return {_mm512_setzero_pd()};
  } else if constexpr (std::is_same_v<V, F32x16>) {
    return {_mm512_setzero_ps()};
  } else if constexpr (std::is_same_v<V, F32x8>) {
    return {_mm256_setzero_ps()};
  } else if constexpr (std::is_same_v<V, I32x8> || std::is_same_v<V, U32x8>) {
    return {_mm256_setzero_si256()};
  } else {
    return {_mm512_setzero_si512()};
  }
}

// ---- The same bits as another type -----------------------------------------------------------------------------------------------------

/// The bits of v as lanes of V2, which is as wide and has lanes as wide; or of a number as another one.
template <class V2, class V>
LOCKSTEP_AVX512_FN V2 bits_as(V v) {
  static_assert(width<V2> == width<V> && sizeof(Element<V2>) == sizeof(Element<V>), "lanes of the same width");
  using T = Element<V>;
  using T2 = Element<V2>;
  constexpr bool from_float = std::is_floating_point_v<T>;
  constexpr bool to_float = std::is_floating_point_v<T2>;
  if constexpr (width<V> == 1) {
    V2 number;
    std::memcpy(&number, &v, sizeof number);
    return number;
  } else if constexpr (is_pair<V>) {
    return join(bits_as<Half<V2>>(low(v)), bits_as<Half<V2>>(high(v)));
  } else if constexpr (from_float == to_float) {
    return {v.r};
  } else if constexpr (sizeof(T) == 8) {
    if constexpr (to_float) {
      return {_mm512_castsi512_pd(v.r)};
    } else {
      return {_mm512_castpd_si512(v.r)};
    }
  } else if constexpr (width<V> == 16) {
    if constexpr (to_float) {
      return {_mm512_castsi512_ps(v.r)};
    } else {
      return {_mm512_castps_si512(v.r)};
    }
  } else {
    if constexpr (to_float) {
      return {_mm256_castsi256_ps(v.r)};
    } else {
      return {_mm256_castps_si256(v.r)};
    }
  }
}

// ---- Operations, one lane at a time ----------------------------------------------------------------------------------------------------

// Definitions for one register, from the intrinsics for 8 or 16 lanes, and for pairs.
#define LOCKSTEP_AVX512_UNARY(name, V, intrinsic) \
  LOCKSTEP_AVX512_FN V name(V a) { return {intrinsic(a.r)}; }
#define LOCKSTEP_AVX512_BINARY(name, V, intrinsic) \
  LOCKSTEP_AVX512_FN V name(V a, V b) { return {intrinsic(a.r, b.r)}; }
#define LOCKSTEP_AVX512_TERNARY(name, V, intrinsic) \
  LOCKSTEP_AVX512_FN V name(V a, V b, V c) { return {intrinsic(a.r, b.r, c.r)}; }
#define LOCKSTEP_AVX512_COMPARE(name, V, intrinsic) \
  LOCKSTEP_AVX512_FN MaskOf<V> name(V a, V b) { return intrinsic(a.r, b.r); }
#define LOCKSTEP_AVX512_PAIR_UNARY(name)             \
  template <class T>                                 \
  LOCKSTEP_AVX512_FN Vec<T, 16> name(Vec<T, 16> a) { \
    return join(name(low(a)), name(high(a)));        \
  }
#define LOCKSTEP_AVX512_PAIR_BINARY(name)                          \
  template <class T>                                               \
  LOCKSTEP_AVX512_FN Vec<T, 16> name(Vec<T, 16> a, Vec<T, 16> b) { \
    return join(name(low(a), low(b)), name(high(a), high(b)));     \
  }
#define LOCKSTEP_AVX512_PAIR_TERNARY(name)                                       \
  template <class T>                                                             \
  LOCKSTEP_AVX512_FN Vec<T, 16> name(Vec<T, 16> a, Vec<T, 16> b, Vec<T, 16> c) { \
    return join(name(low(a), low(b), low(c)), name(high(a), high(b), high(c)));  \
  }
#define LOCKSTEP_AVX512_PAIR_COMPARE(name)                       \
  template <class T>                                             \
  LOCKSTEP_AVX512_FN Mask<16> name(Vec<T, 16> a, Vec<T, 16> b) { \
    return join(name(low(a), low(b)), name(high(a), high(b)));   \
  }

// The same definition for all floats, or for all signed or unsigned integers: of 8 64-bit lanes, 16 32-bit lanes and 8 32-bit lanes.
#define LOCKSTEP_AVX512_FLOATS(define, name, pd, ps, ps256) define(name, F64x8, pd) define(name, F32x16, ps) define(name, F32x8, ps256)
#define LOCKSTEP_AVX512_SIGNED(define, name, epi64, epi32, epi32_256) \
  define(name, I64x8, epi64) define(name, I32x16, epi32) define(name, I32x8, epi32_256)
#define LOCKSTEP_AVX512_UNSIGNED(define, name, epu64, epu32, epu32_256) \
  define(name, U64x8, epu64) define(name, U32x16, epu32) define(name, U32x8, epu32_256)
#define LOCKSTEP_AVX512_INTEGERS(define, name, epi64, epi32, epi32_256) \
  LOCKSTEP_AVX512_SIGNED(define, name, epi64, epi32, epi32_256)         \
  LOCKSTEP_AVX512_UNSIGNED(define, name, epi64, epi32, epi32_256)

namespace detail {
// Compilers may make one fused operation of a product and a sum, and g++ does so unless -ffp-contract=off says otherwise: it ignores
// `#pragma STDC FP_CONTRACT OFF`, and clang ignores it under -ffp-contract=fast. An empty statement that might change the product, as far
// as the compiler knows, keeps the two apart; it costs no instruction.
#if LOCKSTEP_AVX512_NATIVE
template <class R>
LOCKSTEP_AVX512_FN R rounded(R product) {
  __asm__("" : "+v"(product));
  return product;
}
#else
template <class R>
LOCKSTEP_AVX512_FN R rounded(R product) {
  return product;  // the shim keeps its products apart from what follows itself
}
#endif
LOCKSTEP_AVX512_FN __m512d multiplied(__m512d a, __m512d b) { return rounded(_mm512_mul_pd(a, b)); }
LOCKSTEP_AVX512_FN __m512 multiplied(__m512 a, __m512 b) { return rounded(_mm512_mul_ps(a, b)); }
LOCKSTEP_AVX512_FN __m256 multiplied(__m256 a, __m256 b) { return rounded(_mm256_mul_ps(a, b)); }
}  // namespace detail

// Arithmetic.
LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_BINARY, add, _mm512_add_pd, _mm512_add_ps, _mm256_add_ps)
LOCKSTEP_AVX512_INTEGERS(LOCKSTEP_AVX512_BINARY, add, _mm512_add_epi64, _mm512_add_epi32, _mm256_add_epi32)
LOCKSTEP_AVX512_PAIR_BINARY(add)

LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_BINARY, sub, _mm512_sub_pd, _mm512_sub_ps, _mm256_sub_ps)
LOCKSTEP_AVX512_INTEGERS(LOCKSTEP_AVX512_BINARY, sub, _mm512_sub_epi64, _mm512_sub_epi32, _mm256_sub_epi32)
LOCKSTEP_AVX512_PAIR_BINARY(sub)

LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_BINARY, mul, detail::multiplied, detail::multiplied, detail::multiplied)
LOCKSTEP_AVX512_INTEGERS(LOCKSTEP_AVX512_BINARY, mul, _mm512_mullo_epi64, _mm512_mullo_epi32, _mm256_mullo_epi32)
LOCKSTEP_AVX512_PAIR_BINARY(mul)

// Bits of integers.
namespace detail {
LOCKSTEP_AVX512_FN __m512i and_bits(__m512i a, __m512i b) { return _mm512_and_si512(a, b); }
LOCKSTEP_AVX512_FN __m256i and_bits(__m256i a, __m256i b) { return _mm256_and_si256(a, b); }
LOCKSTEP_AVX512_FN __m512i or_bits(__m512i a, __m512i b) { return _mm512_or_si512(a, b); }
LOCKSTEP_AVX512_FN __m256i or_bits(__m256i a, __m256i b) { return _mm256_or_si256(a, b); }
LOCKSTEP_AVX512_FN __m512i xor_bits(__m512i a, __m512i b) { return _mm512_xor_si512(a, b); }
LOCKSTEP_AVX512_FN __m256i xor_bits(__m256i a, __m256i b) { return _mm256_xor_si256(a, b); }
}  // namespace detail
LOCKSTEP_AVX512_INTEGERS(LOCKSTEP_AVX512_BINARY, and_, detail::and_bits, detail::and_bits, detail::and_bits)
LOCKSTEP_AVX512_PAIR_BINARY(and_)
LOCKSTEP_AVX512_INTEGERS(LOCKSTEP_AVX512_BINARY, or_, detail::or_bits, detail::or_bits, detail::or_bits)
LOCKSTEP_AVX512_PAIR_BINARY(or_)
LOCKSTEP_AVX512_INTEGERS(LOCKSTEP_AVX512_BINARY, xor_, detail::xor_bits, detail::xor_bits, detail::xor_bits)
LOCKSTEP_AVX512_PAIR_BINARY(xor_)
template <class T, int W>
LOCKSTEP_AVX512_FN Vec<T, W> not_(Vec<T, W> a) {
  return xor_(a, set1<Vec<T, W>>(static_cast<T>(-1)));
}

/// -a; of a float the sign is flipped, whatever the number is.
template <class T, int W>
LOCKSTEP_AVX512_FN Vec<T, W> neg(Vec<T, W> a) {
  using V = Vec<T, W>;
  if constexpr (std::is_floating_point_v<T>) {
    using I = Vec<std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>, W>;
    return bits_as<V>(xor_(bits_as<I>(a), bits_as<I>(set1<V>(T{-0.0}))));
  } else {
    return sub(zero<V>(), a);
  }
}

/// The amount; of integers as an unsigned number, so that it always fits.
template <class T, int W>
LOCKSTEP_AVX512_FN auto abs(Vec<T, W> a) {
  if constexpr (is_pair<Vec<T, W>>) {
    return join(abs(low(a)), abs(high(a)));
  } else if constexpr (std::is_floating_point_v<T>) {
    using I = Vec<std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>, W>;
    using Least = std::numeric_limits<Element<I>>;
    return bits_as<Vec<T, W>>(and_(bits_as<I>(a), set1<I>(Least::max())));
  } else if constexpr (std::is_unsigned_v<T>) {
    return a;
  } else if constexpr (sizeof(T) == 8) {
    return U64x8{_mm512_abs_epi64(a.r)};
  } else if constexpr (W == 16) {
    return U32x16{_mm512_abs_epi32(a.r)};
  } else {
    return U32x8{_mm256_abs_epi32(a.r)};
  }
}

namespace detail {
// The machine's minimum and maximum give their second operand unless the first one is less, or greater.
LOCKSTEP_AVX512_FN __m512d min_of(__m512d a, __m512d b) { return _mm512_min_pd(b, a); }
LOCKSTEP_AVX512_FN __m512 min_of(__m512 a, __m512 b) { return _mm512_min_ps(b, a); }
LOCKSTEP_AVX512_FN __m256 min_of(__m256 a, __m256 b) { return _mm256_min_ps(b, a); }
LOCKSTEP_AVX512_FN __m512d max_of(__m512d a, __m512d b) { return _mm512_max_pd(b, a); }
LOCKSTEP_AVX512_FN __m512 max_of(__m512 a, __m512 b) { return _mm512_max_ps(b, a); }
LOCKSTEP_AVX512_FN __m256 max_of(__m256 a, __m256 b) { return _mm256_max_ps(b, a); }
}  // namespace detail

// b < a ? b : a; so it is a when one of them is a NaN, and of two zeros the first.
LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_BINARY, min, detail::min_of, detail::min_of, detail::min_of)
LOCKSTEP_AVX512_SIGNED(LOCKSTEP_AVX512_BINARY, min, _mm512_min_epi64, _mm512_min_epi32, _mm256_min_epi32)
LOCKSTEP_AVX512_UNSIGNED(LOCKSTEP_AVX512_BINARY, min, _mm512_min_epu64, _mm512_min_epu32, _mm256_min_epu32)
LOCKSTEP_AVX512_PAIR_BINARY(min)

// a < b ? b : a.
LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_BINARY, max, detail::max_of, detail::max_of, detail::max_of)
LOCKSTEP_AVX512_SIGNED(LOCKSTEP_AVX512_BINARY, max, _mm512_max_epi64, _mm512_max_epi32, _mm256_max_epi32)
LOCKSTEP_AVX512_UNSIGNED(LOCKSTEP_AVX512_BINARY, max, _mm512_max_epu64, _mm512_max_epu32, _mm256_max_epu32)
LOCKSTEP_AVX512_PAIR_BINARY(max)

// Floats: the fused operations round once, and so do the quotient and the root.
LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_TERNARY, fma, _mm512_fmadd_pd, _mm512_fmadd_ps, _mm256_fmadd_ps)  // a * b + c
LOCKSTEP_AVX512_PAIR_TERNARY(fma)
LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_TERNARY, fms, _mm512_fmsub_pd, _mm512_fmsub_ps, _mm256_fmsub_ps)  // a * b - c
LOCKSTEP_AVX512_PAIR_TERNARY(fms)
LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_TERNARY, fnma, _mm512_fnmadd_pd, _mm512_fnmadd_ps, _mm256_fnmadd_ps)  // c - a * b
LOCKSTEP_AVX512_PAIR_TERNARY(fnma)
LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_TERNARY, fnms, _mm512_fnmsub_pd, _mm512_fnmsub_ps, _mm256_fnmsub_ps)  // -(a * b) - c
LOCKSTEP_AVX512_PAIR_TERNARY(fnms)
LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_BINARY, div, _mm512_div_pd, _mm512_div_ps, _mm256_div_ps)
LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_UNARY, sqrt, _mm512_sqrt_pd, _mm512_sqrt_ps, _mm256_sqrt_ps)
LOCKSTEP_AVX512_PAIR_UNARY(sqrt)
/// About 1 / a: off by less than one part in 2^14 if a and 1 / a are normal numbers.
LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_UNARY, rcp14, _mm512_rcp14_pd, _mm512_rcp14_ps, _mm256_rcp14_ps)
LOCKSTEP_AVX512_PAIR_UNARY(rcp14)
/// 1 / a, rounded once.
template <class T, int W>
LOCKSTEP_AVX512_FN Vec<T, W> rcp(Vec<T, W> a) {
  return div(set1<Vec<T, W>>(T{1}), a);
}

// Quotients and roots that are not rounded exactly, from the processor's approximations of 14 bits. They work on the operands'
// significands and put the exponents together behind that: no step leaves the range of normal numbers, and zeros, infinities, NaNs,
// numbers out of range and all signs come out as IEEE 754 has them, without a branch. With u = 2^-24 or 2^-53, which is how much one
// rounding errs at most, relative to its result, and e for the approximation's error, which is below 2^-14:
//
//   quotient   r = rcp14(b), for double with one step of Newton, has the error e, or e^2 + 2u; q = a * r has that one and u. The remainder
//              a - b * q, off by u, times r, makes up for q's error but for a part as large as r's error and u. What remains before the
//              last rounding is (e + u)^2 or (e^2 + 3u)^2: 0.063 u or 0.126 u.
//   root       y = rsqrt14(a) and s = a * y, for double with a step of third order for s, and one of Newton for half of y: s has the error
//              d = e + u or 2.5 e^3 + 3u, and half of y the error e or 1.5 e^2 + 2u. The remainder a - s * s times half of y leaves of d a
//              part as large as the latter, and d^2 / 2: 0.1 u or 0.001 u.
//
// As u times the result is less than one unit in its last place (ulp), and the last rounding errs by half of it, the result is off by less
// than
//
//              float      double
//   quotient   0.57 ulp   0.63 ulp
//   root       0.61 ulp   0.51 ulp
//
// and it is exact if there is such a number. A quotient below the normal numbers is rounded once more: it is off by less than 0.82 of the
// distance between its neighbours. Within these bounds results may differ from one processor to the next.

namespace detail {
LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_UNARY, rsqrt14, _mm512_rsqrt14_pd, _mm512_rsqrt14_ps, _mm256_rsqrt14_ps)
/// x = significand * 2^exponent, 1 <= |significand| < 2. Of 0 and infinity the significand is 1, and the exponent infinite.
LOCKSTEP_AVX512_FN F64x8 significand(F64x8 x) { return {_mm512_getmant_pd(x.r, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src)}; }
LOCKSTEP_AVX512_FN F32x16 significand(F32x16 x) { return {_mm512_getmant_ps(x.r, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src)}; }
LOCKSTEP_AVX512_FN F32x8 significand(F32x8 x) { return {_mm256_getmant_ps(x.r, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src)}; }
LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_UNARY, exponent, _mm512_getexp_pd, _mm512_getexp_ps, _mm256_getexp_ps)
/// x is this times an even power of 2, the one above it if the exponent is odd: at least 1 / 2, and below 2.
LOCKSTEP_AVX512_FN F64x8 even_significand(F64x8 x) { return {_mm512_getmant_pd(x.r, _MM_MANT_NORM_p5_2, _MM_MANT_SIGN_src)}; }
LOCKSTEP_AVX512_FN F32x16 even_significand(F32x16 x) { return {_mm512_getmant_ps(x.r, _MM_MANT_NORM_p5_2, _MM_MANT_SIGN_src)}; }
LOCKSTEP_AVX512_FN F32x8 even_significand(F32x8 x) { return {_mm256_getmant_ps(x.r, _MM_MANT_NORM_p5_2, _MM_MANT_SIGN_src)}; }
/// x * 2^n, n rounded down; so that an infinite n makes 0 or infinity.
LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_BINARY, scaled, _mm512_scalef_pd, _mm512_scalef_ps, _mm256_scalef_ps)
}  // namespace detail

/// About a / b. Where many share b, compilers work on it once.
template <class T, int W>
LOCKSTEP_AVX512_FN Vec<T, W> near_div(Vec<T, W> a, Vec<T, W> b) {
  using V = Vec<T, W>;
  if constexpr (is_pair<V>) {
    return join(near_div(low(a), low(b)), near_div(high(a), high(b)));
  } else {
    const V x = detail::significand(a);
    const V y = detail::significand(b);
    V r = rcp14(y);
    if constexpr (sizeof(T) == 8) {
      r = fma(fnma(y, r, set1<V>(T{1})), r, r);
    }
    const V q = mul(x, r);
    return detail::scaled(fma(fnma(y, q, x), r, q), sub(detail::exponent(a), detail::exponent(b)));
  }
}
/// About 1 / a, by the same way.
template <class T, int W>
LOCKSTEP_AVX512_FN Vec<T, W> near_rcp(Vec<T, W> a) {
  return near_div(set1<Vec<T, W>>(T{1}), a);
}
/// About the root of a.
template <class T, int W>
LOCKSTEP_AVX512_FN Vec<T, W> near_sqrt(Vec<T, W> a) {
  using V = Vec<T, W>;
  if constexpr (is_pair<V>) {
    return join(near_sqrt(low(a)), near_sqrt(high(a)));
  } else {
    const V half = set1<V>(T{0.5});
    const V x = detail::even_significand(a);
    const V y = detail::rsqrt14(x);  // NaN if x < 0
    V s = mul(x, y);
    V h = mul(y, half);
    if constexpr (sizeof(T) == 8) {
      const V e = fnma(s, h, half);  // 1 / sqrt(1 - 2e) = 1 + e + 3/2 e^2 + ..
      s = fma(s, fma(mul(e, set1<V>(T{1.5})), e, e), s);
      h = fma(h, e, h);
    }
    s = fma(fnma(s, s, x), h, s);
    // The NaN goes into the exponent as well, which alone decides where it is infinite. The root of -0 is -0.
    const V n = fma(s, zero<V>(), fma(detail::exponent(a), half, half));
    return select(eq(a, zero<V>()), a, detail::scaled(s, n));
  }
}

// Shifts by as many bits as each lane of n says, modulo the width of a lane. Right shifts of signed numbers keep the sign.
#define LOCKSTEP_AVX512_SHIFT(name, V, intrinsic) \
  LOCKSTEP_AVX512_FN V name(V a, V n) { return {intrinsic(a.r, and_(n, set1<V>(static_cast<Element<V>>(8 * sizeof(Element<V>) - 1))).r)}; }
LOCKSTEP_AVX512_INTEGERS(LOCKSTEP_AVX512_SHIFT, shl, _mm512_sllv_epi64, _mm512_sllv_epi32, _mm256_sllv_epi32)
LOCKSTEP_AVX512_PAIR_BINARY(shl)
LOCKSTEP_AVX512_SIGNED(LOCKSTEP_AVX512_SHIFT, shr, _mm512_srav_epi64, _mm512_srav_epi32, _mm256_srav_epi32)
LOCKSTEP_AVX512_UNSIGNED(LOCKSTEP_AVX512_SHIFT, shr, _mm512_srlv_epi64, _mm512_srlv_epi32, _mm256_srlv_epi32)
LOCKSTEP_AVX512_PAIR_BINARY(shr)

// Comparisons: all false of a NaN, but ne.
#define LOCKSTEP_AVX512_FLOAT_COMPARE(name, predicate)                                                     \
  LOCKSTEP_AVX512_FN Mask<8> name(F64x8 a, F64x8 b) { return _mm512_cmp_pd_mask(a.r, b.r, predicate); }    \
  LOCKSTEP_AVX512_FN Mask<16> name(F32x16 a, F32x16 b) { return _mm512_cmp_ps_mask(a.r, b.r, predicate); } \
  LOCKSTEP_AVX512_FN Mask<8> name(F32x8 a, F32x8 b) { return _mm256_cmp_ps_mask(a.r, b.r, predicate); }
LOCKSTEP_AVX512_FLOAT_COMPARE(lt, _CMP_LT_OQ)
LOCKSTEP_AVX512_FLOAT_COMPARE(le, _CMP_LE_OQ)
LOCKSTEP_AVX512_FLOAT_COMPARE(gt, _CMP_GT_OQ)
LOCKSTEP_AVX512_FLOAT_COMPARE(ge, _CMP_GE_OQ)
LOCKSTEP_AVX512_FLOAT_COMPARE(eq, _CMP_EQ_OQ)
LOCKSTEP_AVX512_FLOAT_COMPARE(ne, _CMP_NEQ_UQ)
LOCKSTEP_AVX512_SIGNED(LOCKSTEP_AVX512_COMPARE, lt, _mm512_cmplt_epi64_mask, _mm512_cmplt_epi32_mask, _mm256_cmplt_epi32_mask)
LOCKSTEP_AVX512_SIGNED(LOCKSTEP_AVX512_COMPARE, le, _mm512_cmple_epi64_mask, _mm512_cmple_epi32_mask, _mm256_cmple_epi32_mask)
LOCKSTEP_AVX512_SIGNED(LOCKSTEP_AVX512_COMPARE, gt, _mm512_cmpgt_epi64_mask, _mm512_cmpgt_epi32_mask, _mm256_cmpgt_epi32_mask)
LOCKSTEP_AVX512_SIGNED(LOCKSTEP_AVX512_COMPARE, ge, _mm512_cmpge_epi64_mask, _mm512_cmpge_epi32_mask, _mm256_cmpge_epi32_mask)
LOCKSTEP_AVX512_UNSIGNED(LOCKSTEP_AVX512_COMPARE, lt, _mm512_cmplt_epu64_mask, _mm512_cmplt_epu32_mask, _mm256_cmplt_epu32_mask)
LOCKSTEP_AVX512_UNSIGNED(LOCKSTEP_AVX512_COMPARE, le, _mm512_cmple_epu64_mask, _mm512_cmple_epu32_mask, _mm256_cmple_epu32_mask)
LOCKSTEP_AVX512_UNSIGNED(LOCKSTEP_AVX512_COMPARE, gt, _mm512_cmpgt_epu64_mask, _mm512_cmpgt_epu32_mask, _mm256_cmpgt_epu32_mask)
LOCKSTEP_AVX512_UNSIGNED(LOCKSTEP_AVX512_COMPARE, ge, _mm512_cmpge_epu64_mask, _mm512_cmpge_epu32_mask, _mm256_cmpge_epu32_mask)
LOCKSTEP_AVX512_INTEGERS(LOCKSTEP_AVX512_COMPARE, eq, _mm512_cmpeq_epi64_mask, _mm512_cmpeq_epi32_mask, _mm256_cmpeq_epi32_mask)
LOCKSTEP_AVX512_INTEGERS(LOCKSTEP_AVX512_COMPARE, ne, _mm512_cmpneq_epi64_mask, _mm512_cmpneq_epi32_mask, _mm256_cmpneq_epi32_mask)
LOCKSTEP_AVX512_PAIR_COMPARE(lt)
LOCKSTEP_AVX512_PAIR_COMPARE(le)
LOCKSTEP_AVX512_PAIR_COMPARE(gt)
LOCKSTEP_AVX512_PAIR_COMPARE(ge)
LOCKSTEP_AVX512_PAIR_COMPARE(eq)
LOCKSTEP_AVX512_PAIR_COMPARE(ne)

// Where the mask has a bit, the lane of a, else that of b.
#define LOCKSTEP_AVX512_SELECT(name, V, intrinsic) \
  LOCKSTEP_AVX512_FN V name(MaskOf<V> m, V a, V b) { return {intrinsic(m, b.r, a.r)}; }
LOCKSTEP_AVX512_FLOATS(LOCKSTEP_AVX512_SELECT, select, _mm512_mask_blend_pd, _mm512_mask_blend_ps, _mm256_mask_blend_ps)
LOCKSTEP_AVX512_INTEGERS(LOCKSTEP_AVX512_SELECT, select, _mm512_mask_blend_epi64, _mm512_mask_blend_epi32, _mm256_mask_blend_epi32)
template <class T>
LOCKSTEP_AVX512_FN Vec<T, 16> select(Mask<16> m, Vec<T, 16> a, Vec<T, 16> b) {
  return join(select(low(m), low(a), low(b)), select(high(m), high(a), high(b)));
}

/// Whether each lane differs from 0; a NaN does.
template <class T, int W>
LOCKSTEP_AVX512_FN Mask<W> mask_of(Vec<T, W> v) {
  return ne(v, zero<Vec<T, W>>());
}
/// 1 in the lanes of the mask, 0 in the others.
template <class V>
LOCKSTEP_AVX512_FN V from_mask(MaskOf<V> m) {
  if constexpr (width<V> == 1) {
    return m ? V{1} : V{0};
  } else {
    return select(m, set1<V>(Element<V>{1}), zero<V>());
  }
}

/// How many bits are set in each lane. Of a negative number of 8 or 16 bits the bits of its sign extension count, too.
template <class T, int W>
LOCKSTEP_AVX512_FN Vec<T, W> popcount(Vec<T, W> v) {
  using V = Vec<T, W>;
  using U = Vec<std::make_unsigned_t<T>, W>;
  using Bits = Element<U>;
  if constexpr (is_pair<V>) {
    return join(popcount(low(v)), popcount(high(v)));
  } else {
#if LOCKSTEP_AVX512_NATIVE && defined(__AVX512VPOPCNTDQ__)
    if constexpr (sizeof(T) == 8) {
      return {_mm512_popcnt_epi64(v.r)};
    } else if constexpr (W == 16) {
      return {_mm512_popcnt_epi32(v.r)};
    } else {
      return {_mm256_popcnt_epi32(v.r)};
    }
#endif
    // Sums of neighbouring bits, pairs, nibbles, bytes, ..
    const U pairs = set1<U>(static_cast<Bits>(0x5555555555555555U));
    const U nibbles = set1<U>(static_cast<Bits>(0x3333333333333333U));
    const U bytes = set1<U>(static_cast<Bits>(0x0F0F0F0F0F0F0F0FU));
    U sum = bits_as<U>(v);
    sum = sub(sum, and_(shr(sum, set1<U>(1)), pairs));
    sum = add(and_(sum, nibbles), and_(shr(sum, set1<U>(2)), nibbles));
    sum = and_(add(sum, shr(sum, set1<U>(4))), bytes);
    sum = add(sum, shr(sum, set1<U>(8)));
    sum = add(sum, shr(sum, set1<U>(16)));
    if constexpr (sizeof(T) == 8) {
      sum = add(sum, shr(sum, set1<U>(32)));
    }
    return bits_as<V>(and_(sum, set1<U>(0x7F)));
  }
}

// ---- Conversions -----------------------------------------------------------------------------------------------------------------------

namespace detail {
LOCKSTEP_AVX512_FN void to(F32x8& r, F64x8 v) { r = {_mm512_cvtpd_ps(v.r)}; }
LOCKSTEP_AVX512_FN void to(I64x8& r, F64x8 v) { r = {_mm512_cvttpd_epi64(v.r)}; }
LOCKSTEP_AVX512_FN void to(U64x8& r, F64x8 v) { r = {_mm512_cvttpd_epu64(v.r)}; }
LOCKSTEP_AVX512_FN void to(I32x8& r, F64x8 v) { r = {_mm512_cvttpd_epi32(v.r)}; }
LOCKSTEP_AVX512_FN void to(U32x8& r, F64x8 v) { r = {_mm512_cvttpd_epu32(v.r)}; }

LOCKSTEP_AVX512_FN void to(F64x8& r, F32x8 v) { r = {_mm512_cvtps_pd(v.r)}; }
LOCKSTEP_AVX512_FN void to(I64x8& r, F32x8 v) { r = {_mm512_cvttps_epi64(v.r)}; }
LOCKSTEP_AVX512_FN void to(U64x8& r, F32x8 v) { r = {_mm512_cvttps_epu64(v.r)}; }
LOCKSTEP_AVX512_FN void to(I32x8& r, F32x8 v) { r = {_mm256_cvttps_epi32(v.r)}; }
LOCKSTEP_AVX512_FN void to(U32x8& r, F32x8 v) { r = {_mm256_cvttps_epu32(v.r)}; }
LOCKSTEP_AVX512_FN void to(I32x16& r, F32x16 v) { r = {_mm512_cvttps_epi32(v.r)}; }
LOCKSTEP_AVX512_FN void to(U32x16& r, F32x16 v) { r = {_mm512_cvttps_epu32(v.r)}; }

LOCKSTEP_AVX512_FN void to(F64x8& r, I64x8 v) { r = {_mm512_cvtepi64_pd(v.r)}; }
LOCKSTEP_AVX512_FN void to(F32x8& r, I64x8 v) { r = {_mm512_cvtepi64_ps(v.r)}; }
LOCKSTEP_AVX512_FN void to(F64x8& r, U64x8 v) { r = {_mm512_cvtepu64_pd(v.r)}; }
LOCKSTEP_AVX512_FN void to(F32x8& r, U64x8 v) { r = {_mm512_cvtepu64_ps(v.r)}; }

LOCKSTEP_AVX512_FN void to(F64x8& r, I32x8 v) { r = {_mm512_cvtepi32_pd(v.r)}; }
LOCKSTEP_AVX512_FN void to(F32x8& r, I32x8 v) { r = {_mm256_cvtepi32_ps(v.r)}; }
LOCKSTEP_AVX512_FN void to(F32x16& r, I32x16 v) { r = {_mm512_cvtepi32_ps(v.r)}; }
LOCKSTEP_AVX512_FN void to(F64x8& r, U32x8 v) { r = {_mm512_cvtepu32_pd(v.r)}; }
LOCKSTEP_AVX512_FN void to(F32x8& r, U32x8 v) { r = {_mm256_cvtepu32_ps(v.r)}; }
LOCKSTEP_AVX512_FN void to(F32x16& r, U32x16 v) { r = {_mm512_cvtepu32_ps(v.r)}; }

/// C++'s conversion where it is defined, else 0. The bounds are exact: powers of two; what lies between -2^n - 1 and -2^n goes to -2^n.
template <class T2, class T>
LOCKSTEP_AVX512_FN T2 number_to(T number) {
  if constexpr (std::is_floating_point_v<T> && std::is_integral_v<T2>) {
    constexpr int digits = std::numeric_limits<T2>::digits;
    constexpr T beyond = static_cast<T>(std::uint64_t{1} << (digits - 1)) * T{2};
    if constexpr (std::is_unsigned_v<T2>) {
      return number > T{-1} && number < beyond ? static_cast<T2>(number) : T2{0};
    } else if constexpr (std::numeric_limits<T>::digits > digits) {
      return number > -beyond - T{1} && number < beyond ? static_cast<T2>(number) : T2{0};
    } else {
      return number >= -beyond && number < beyond ? static_cast<T2>(number) : T2{0};
    }
  } else {
    return static_cast<T2>(number);
  }
}

LOCKSTEP_AVX512_FN __m512i widened(I32x8 v) { return _mm512_cvtepi32_epi64(v.r); }
LOCKSTEP_AVX512_FN __m512i widened(U32x8 v) { return _mm512_cvtepu32_epi64(v.r); }
}  // namespace detail

/// The numbers of v as lanes of V2. Floats are truncated towards zero; one that does not fit gives some number. Integers wrap. What a float
/// cannot hold is rounded, once.
template <class V2, class V>
LOCKSTEP_AVX512_FN V2 convert(V v) {
  using T = Element<V>;
  using T2 = Element<V2>;
  static_assert(width<V2> == width<V>, "as many lanes");
  if constexpr (std::is_same_v<V2, V>) {
    return v;
  } else if constexpr (width<V> == 1) {
    return detail::number_to<V2>(v);
  } else if constexpr (std::is_integral_v<T> && std::is_integral_v<T2> && sizeof(T) == sizeof(T2)) {
    return bits_as<V2>(v);
  } else if constexpr (is_pair<V2> || is_pair<V>) {
    using Part = Vec<T2, 8>;
    return join(convert<Part>(low(v)), convert<Part>(high(v)));
  } else if constexpr (std::is_integral_v<T> && std::is_integral_v<T2>) {
    if constexpr (sizeof(T) == 8) {
      return {_mm512_cvtepi64_epi32(v.r)};
    } else {
      return {detail::widened(v)};
    }
  } else {
    V2 result;
    detail::to(result, v);
    return result;
  }
}

/// A 32-bit result brought back to M in {int8_t, uint8_t, int16_t, uint16_t}: the number modulo 2 to the width of M, sign- or
/// zero-extended.
template <class M, class T, int W>
LOCKSTEP_AVX512_FN Vec<T, W> wrap(Vec<T, W> v) {
  using V = Vec<T, W>;
  static_assert(sizeof(T) == 4 && std::is_integral_v<T> && std::is_integral_v<M> && sizeof(M) < 4, "a narrow number in a 32-bit lane");
  if constexpr (std::is_unsigned_v<M>) {
    return and_(v, set1<V>(static_cast<T>(static_cast<M>(-1))));
  } else {
    using I = Vec<std::int32_t, W>;
    const I n = set1<I>(static_cast<std::int32_t>(32 - 8 * sizeof(M)));
    return bits_as<V>(shr(shl(bits_as<I>(v), n), n));
  }
}

// ---- Integer division ------------------------------------------------------------------------------------------------------------------

// A divisor 0 gives some number, and so does the least number divided by -1.

LOCKSTEP_AVX512_PAIR_BINARY(div)
namespace detail {
// The quotient of two 32-bit numbers lies too far from the next integer for the rounding of a double to reach it.
template <class V>
LOCKSTEP_AVX512_FN V quotient32(V a, V b) {
  return convert<V>(lockstep_avx512::div(convert<Vec<double, width<V>>>(a), convert<Vec<double, width<V>>>(b)));
}
// With inverse a little below 1 / b, the products are below the quotients, and by less than 2^15 and less than 2: each of the roundings
// errs by 2^-53 at most, and the factor takes away more than all five together.
LOCKSTEP_AVX512_FN U64x8 quotient64(U64x8 a, U64x8 b) {
  const F64x8 inverse = mul(rcp(convert<F64x8>(b)), set1<F64x8>(1 - 0x1p-50));
  const U64x8 most = convert<U64x8>(mul(convert<F64x8>(a), inverse));
  a = sub(a, mul(most, b));
  const U64x8 rest = convert<U64x8>(mul(convert<F64x8>(a), inverse));
  a = sub(a, mul(rest, b));
  return add(add(most, rest), from_mask<U64x8>(ge(a, b)));
}
}  // namespace detail
LOCKSTEP_AVX512_FN I32x16 div(I32x16 a, I32x16 b) { return detail::quotient32(a, b); }
LOCKSTEP_AVX512_FN U32x16 div(U32x16 a, U32x16 b) { return detail::quotient32(a, b); }
LOCKSTEP_AVX512_FN I32x8 div(I32x8 a, I32x8 b) { return detail::quotient32(a, b); }
LOCKSTEP_AVX512_FN U32x8 div(U32x8 a, U32x8 b) { return detail::quotient32(a, b); }
LOCKSTEP_AVX512_FN U64x8 div(U64x8 a, U64x8 b) { return detail::quotient64(a, b); }
LOCKSTEP_AVX512_FN I64x8 div(I64x8 a, I64x8 b) {
  const I64x8 amount = bits_as<I64x8>(detail::quotient64(abs(a), abs(b)));
  return select(lt(xor_(a, b), zero<I64x8>()), neg(amount), amount);
}
/// The remainder of the truncated quotient: its sign is that of a.
template <class T, int W>
LOCKSTEP_AVX512_FN Vec<T, W> rem(Vec<T, W> a, Vec<T, W> b) {
  return sub(a, mul(div(a, b), b));
}

template <class M, class T>
LOCKSTEP_AVX512_FN Number<T> wrap(T number) {
  return static_cast<T>(static_cast<M>(number));
}

// ---- Numbers ---------------------------------------------------------------------------------------------------------------------------

// The same operations on one lane of any of the six types, for what is the same in all lanes.

namespace detail {
template <class T>
using Unsigned = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::common_type<T>>::type;
}  // namespace detail

template <class T>
LOCKSTEP_AVX512_FN Number<T> add(T a, T b) {
  return static_cast<T>(static_cast<detail::Unsigned<T>>(a) + static_cast<detail::Unsigned<T>>(b));
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> sub(T a, T b) {
  return static_cast<T>(static_cast<detail::Unsigned<T>>(a) - static_cast<detail::Unsigned<T>>(b));
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> mul(T a, T b) {
  T product = static_cast<T>(static_cast<detail::Unsigned<T>>(a) * static_cast<detail::Unsigned<T>>(b));
  if constexpr (std::is_floating_point_v<T>) {
#ifdef __SSE2__
    __asm__("" : "+x"(product));  // as detail::rounded
#else
    __asm__("" : "+m"(product));
#endif
  }
  return product;
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> neg(T a) {
  if constexpr (std::is_floating_point_v<T>) {
    return -a;
  } else {
    return sub(T{0}, a);
  }
}
template <class T>
LOCKSTEP_AVX512_FN auto abs(T a) -> detail::Unsigned<Number<T>> {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(a);
  } else {
    return static_cast<detail::Unsigned<T>>(a < T{0} ? neg(a) : a);
  }
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> fma(T a, T b, T c) {
  return std::fma(a, b, c);
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> fms(T a, T b, T c) {
  return std::fma(a, b, -c);
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> fnma(T a, T b, T c) {
  return std::fma(-a, b, c);
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> fnms(T a, T b, T c) {
  return std::fma(-a, b, -c);
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> div(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a / b;
  } else if constexpr (std::is_signed_v<T>) {
    return b == T{-1} ? neg(a) : b == T{0} ? T{0} : a / b;
  } else {
    return b == T{0} ? T{0} : a / b;
  }
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> rem(T a, T b) {
  return sub(a, mul(div(a, b), b));
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> sqrt(T a) {
  return std::sqrt(a);
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> rcp(T a) {
  return T{1} / a;
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> rcp14(T a) {
  return T{1} / a;
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> and_(T a, T b) {
  return a & b;
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> or_(T a, T b) {
  return a | b;
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> xor_(T a, T b) {
  return a ^ b;
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> not_(T a) {
  return ~a;
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> shl(T a, T n) {
  return static_cast<T>(static_cast<detail::Unsigned<T>>(a) << (n & static_cast<T>(8 * sizeof(T) - 1)));
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> shr(T a, T n) {
  return a >> (n & static_cast<T>(8 * sizeof(T) - 1));
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> popcount(T a) {
  return static_cast<T>(__builtin_popcountll(static_cast<detail::Unsigned<T>>(a)));
}
template <class T, class = Number<T>>
LOCKSTEP_AVX512_FN bool lt(T a, T b) {
  return a < b;
}
template <class T, class = Number<T>>
LOCKSTEP_AVX512_FN bool le(T a, T b) {
  return a <= b;
}
template <class T, class = Number<T>>
LOCKSTEP_AVX512_FN bool gt(T a, T b) {
  return a > b;
}
template <class T, class = Number<T>>
LOCKSTEP_AVX512_FN bool ge(T a, T b) {
  return a >= b;
}
template <class T, class = Number<T>>
LOCKSTEP_AVX512_FN bool eq(T a, T b) {
  return a == b;
}
template <class T, class = Number<T>>
LOCKSTEP_AVX512_FN bool ne(T a, T b) {
  return a != b;
}
template <class T, class = Number<T>>
LOCKSTEP_AVX512_FN bool mask_of(T a) {
  return a != T{0};
}
template <class T>
LOCKSTEP_AVX512_FN Number<T> select(bool m, T a, T b) {
  return m ? a : b;
}

/// The number that has these bits, written as an unsigned integer of its width.
template <class T>
LOCKSTEP_AVX512_FN T from_bits(std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t> word) {
  T number;
  static_assert(sizeof number == sizeof word, "numbers of 32 or 64 bits");
  std::memcpy(&number, &word, sizeof number);
  return number;
}
/// The number modulo 2^64, for arithmetic that may wrap.
template <class T>
LOCKSTEP_AVX512_FN std::uint64_t u(T number) {
  return static_cast<std::uint64_t>(number);
}
/// How often the body of `for (i = begin; step > 0 ? i < end : i > end; i += step)` runs if i does not wrap; step is not 0.
LOCKSTEP_AVX512_FN std::uint64_t rounds(std::int64_t begin, std::int64_t end, std::int64_t step) {
  if (step > 0) {
    return begin < end ? (u(end) - u(begin) - 1) / u(step) + 1 : 0;
  }
  return begin > end ? (u(begin) - u(end) - 1) / (0 - u(step)) + 1 : 0;
}

/// `const Pointer<T>` does not change, but what it points to may.
template <class T>
using Pointer = T*;
LOCKSTEP_AVX512_FN std::uint64_t address(const volatile void* p) { return reinterpret_cast<std::uintptr_t>(p); }
template <class T>
LOCKSTEP_AVX512_FN T* pointer(std::uint64_t address) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

// ---- Single elements -------------------------------------------------------------------------------------------------------------------

/// The element that p points to; p may be misaligned.
template <class T>
LOCKSTEP_AVX512_FN T scalar(const T* p) {
  T value;
  std::memcpy(&value, static_cast<const void*>(p), sizeof value);
  return value;
}
template <class T>
LOCKSTEP_AVX512_FN void put(T* p, T value) {
  std::memcpy(static_cast<void*>(p), &value, sizeof value);
}

// ---- Loads and stores ------------------------------------------------------------------------------------------------------------------

// Lane i is element i after p. The type M of an element is that of a lane, or one of 8 or 16 bits that a 32-bit lane holds.

namespace detail {
/// Whether elements M in memory are lanes T: the same type, or a narrower one of the same signedness.
template <class M, class T>
constexpr bool held_in = std::is_same_v<M, T> || (sizeof(M) < 4 && std::is_integral_v<M> &&
                                                  std::is_same_v<T, std::conditional_t<std::is_signed_v<M>, std::int32_t, std::uint32_t>>);

template <class M>
LOCKSTEP_AVX512_FN __m512i widened16(__m128i bytes) {
  if constexpr (std::is_signed_v<M>) {
    return _mm512_cvtepi8_epi32(bytes);
  } else {
    return _mm512_cvtepu8_epi32(bytes);
  }
}
template <class M>
LOCKSTEP_AVX512_FN __m512i widened16(__m256i words) {
  if constexpr (std::is_signed_v<M>) {
    return _mm512_cvtepi16_epi32(words);
  } else {
    return _mm512_cvtepu16_epi32(words);
  }
}
template <class M>
LOCKSTEP_AVX512_FN __m256i widened8(__m128i numbers) {
  if constexpr (sizeof(M) == 1) {
    if constexpr (std::is_signed_v<M>) {
      return _mm256_cvtepi8_epi32(numbers);
    } else {
      return _mm256_cvtepu8_epi32(numbers);
    }
  } else if constexpr (std::is_signed_v<M>) {
    return _mm256_cvtepi16_epi32(numbers);
  } else {
    return _mm256_cvtepu16_epi32(numbers);
  }
}
}  // namespace detail

template <class V, class M>
LOCKSTEP_AVX512_FN V load(const M* p) {
  static_assert(detail::held_in<M, Element<V>>, "elements of the lanes' type, or narrow ones");
  const void* const from = p;
  if constexpr (is_pair<V>) {
    return join(load<Half<V>>(p), load<Half<V>>(p + 8));
  } else if constexpr (std::is_same_v<V, F64x8>) {
    return {_mm512_loadu_pd(from)};
  } else if constexpr (std::is_same_v<V, F32x16>) {
    return {_mm512_loadu_ps(from)};
  } else if constexpr (std::is_same_v<V, F32x8>) {
    return {_mm256_loadu_ps(static_cast<const float*>(from))};
  } else if constexpr (sizeof(M) >= 4) {
    if constexpr (sizeof(M) * width<V> == 64) {
      return {_mm512_loadu_si512(from)};
    } else {
      return {_mm256_loadu_si256(static_cast<const __m256i*>(from))};
    }
  } else if constexpr (width<V> == 8) {
    if constexpr (sizeof(M) == 1) {
      return {detail::widened8<M>(_mm_loadl_epi64(static_cast<const __m128i*>(from)))};
    } else {
      return {detail::widened8<M>(_mm_loadu_si128(static_cast<const __m128i*>(from)))};
    }
  } else if constexpr (sizeof(M) == 1) {
    return {detail::widened16<M>(_mm_loadu_si128(static_cast<const __m128i*>(from)))};
  } else {
    return {detail::widened16<M>(_mm256_loadu_si256(static_cast<const __m256i*>(from)))};
  }
}

template <class V, class M>
LOCKSTEP_AVX512_FN V load(const M* p, MaskOf<V> m) {
  static_assert(detail::held_in<M, Element<V>>, "elements of the lanes' type, or narrow ones");
  const void* const from = p;
  if constexpr (is_pair<V>) {
    return join(load<Half<V>>(p, low(m)), load<Half<V>>(p + 8, high(m)));
  } else if constexpr (std::is_same_v<V, F64x8>) {
    return {_mm512_maskz_loadu_pd(m, from)};
  } else if constexpr (std::is_same_v<V, F32x16>) {
    return {_mm512_maskz_loadu_ps(m, from)};
  } else if constexpr (std::is_same_v<V, F32x8>) {
    return {_mm256_maskz_loadu_ps(m, from)};
  } else if constexpr (sizeof(M) == 8) {
    return {_mm512_maskz_loadu_epi64(m, from)};
  } else if constexpr (sizeof(M) == 4) {
    if constexpr (width<V> == 16) {
      return {_mm512_maskz_loadu_epi32(m, from)};
    } else {
      return {_mm256_maskz_loadu_epi32(m, from)};
    }
  } else if constexpr (width<V> == 8) {
    if constexpr (sizeof(M) == 1) {
      return {detail::widened8<M>(_mm_maskz_loadu_epi8(static_cast<Mask<16>>(bits(m)), from))};
    } else {
      return {detail::widened8<M>(_mm_maskz_loadu_epi16(m, from))};
    }
  } else if constexpr (sizeof(M) == 1) {
    return {detail::widened16<M>(_mm_maskz_loadu_epi8(m, from))};
  } else {
    return {detail::widened16<M>(_mm256_maskz_loadu_epi16(m, from))};
  }
}

template <class M, class T, int W>
LOCKSTEP_AVX512_FN void store(M* p, Vec<T, W> v) {
  static_assert(detail::held_in<M, T>, "elements of the lanes' type, or narrow ones");
  using V = Vec<T, W>;
  void* const to = p;
  if constexpr (is_pair<V>) {
    store(p, low(v));
    store(p + 8, high(v));
  } else if constexpr (std::is_same_v<V, F64x8>) {
    _mm512_storeu_pd(to, v.r);
  } else if constexpr (std::is_same_v<V, F32x16>) {
    _mm512_storeu_ps(to, v.r);
  } else if constexpr (std::is_same_v<V, F32x8>) {
    _mm256_storeu_ps(static_cast<float*>(to), v.r);
  } else if constexpr (sizeof(M) >= 4) {
    if constexpr (sizeof(M) * W == 64) {
      _mm512_storeu_si512(to, v.r);
    } else {
      _mm256_storeu_si256(static_cast<__m256i*>(to), v.r);
    }
  } else if constexpr (W == 8) {
    if constexpr (sizeof(M) == 1) {
      _mm_storel_epi64(static_cast<__m128i*>(to), _mm256_cvtepi32_epi8(v.r));
    } else {
      _mm_storeu_si128(static_cast<__m128i*>(to), _mm256_cvtepi32_epi16(v.r));
    }
  } else if constexpr (sizeof(M) == 1) {
    _mm_storeu_si128(static_cast<__m128i*>(to), _mm512_cvtepi32_epi8(v.r));
  } else {
    _mm256_storeu_si256(static_cast<__m256i*>(to), _mm512_cvtepi32_epi16(v.r));
  }
}

namespace detail {
/// The same register. g++ makes one instruction of a masked store and the extraction of its operand from a wider register (vextracti32x8
/// with a mask), which, unlike a masked store, faults for lanes that are switched off; it cannot where it does not see both.
template <class R>
LOCKSTEP_AVX512_FN R alone(R r) {
#if LOCKSTEP_AVX512_NATIVE
  __asm__("" : "+v"(r));
#endif
  return r;
}
}  // namespace detail

template <class M, class T, int W>
LOCKSTEP_AVX512_FN void store(M* p, Vec<T, W> v, Mask<W> m) {
  static_assert(detail::held_in<M, T>, "elements of the lanes' type, or narrow ones");
  using V = Vec<T, W>;
  void* const to = p;
  if constexpr (is_pair<V>) {
    store(p, low(v), low(m));
    store(p + 8, high(v), high(m));
  } else if constexpr (std::is_same_v<V, F64x8>) {
    _mm512_mask_storeu_pd(to, m, v.r);
  } else if constexpr (std::is_same_v<V, F32x16>) {
    _mm512_mask_storeu_ps(to, m, v.r);
  } else if constexpr (std::is_same_v<V, F32x8>) {
    _mm256_mask_storeu_ps(to, m, detail::alone(v.r));
  } else if constexpr (sizeof(M) == 8) {
    _mm512_mask_storeu_epi64(to, m, v.r);
  } else if constexpr (sizeof(M) == 4) {
    if constexpr (W == 16) {
      _mm512_mask_storeu_epi32(to, m, v.r);
    } else {
      _mm256_mask_storeu_epi32(to, m, detail::alone(v.r));
    }
  } else if constexpr (W == 8) {
    if constexpr (sizeof(M) == 1) {
      _mm_mask_storeu_epi8(to, static_cast<Mask<16>>(bits(m)), _mm256_cvtepi32_epi8(v.r));
    } else {
      _mm_mask_storeu_epi16(to, m, _mm256_cvtepi32_epi16(v.r));
    }
  } else if constexpr (sizeof(M) == 1) {
    _mm_mask_storeu_epi8(to, m, _mm512_cvtepi32_epi8(v.r));
  } else {
    _mm256_mask_storeu_epi16(to, m, _mm512_cvtepi32_epi16(v.r));
  }
}

/// Stores past the caches. p is a multiple of the registers' size: 64 bytes, and 32 for a Vec of 8 32-bit lanes. Other threads see the
/// elements after `stream_fence`.
template <class T, int W>
LOCKSTEP_AVX512_FN void stream(T* p, Vec<T, W> v) {
  using V = Vec<T, W>;
  if constexpr (is_pair<V>) {
    stream(p, low(v));
    stream(p + 8, high(v));
  } else if constexpr (std::is_same_v<V, F64x8>) {
    _mm512_stream_pd(p, v.r);
  } else if constexpr (std::is_same_v<V, F32x16>) {
    _mm512_stream_ps(p, v.r);
  } else if constexpr (std::is_same_v<V, F32x8>) {
    _mm256_stream_ps(p, v.r);
  } else if constexpr (sizeof(T) * W == 64) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(p), v.r);
  } else {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(p), v.r);
  }
}
/// Orders streamed elements before whatever this thread stores afterwards.
LOCKSTEP_AVX512_FN void stream_fence() {
#if LOCKSTEP_AVX512_NATIVE
  _mm_sfence();
#else
  __sync_synchronize();
#endif
}

// ---- Gathers and scatters --------------------------------------------------------------------------------------------------------------

// Lane i is element index[i] after base, or stands at the byte address address[i]. Indices of 32 bits are for whoever knows that they
// suffice: they are signed, and cheaper.

namespace detail {
/// The lanes of v, in memory.
template <class T, int W>
struct Lanes {
  alignas(64) T lane[std::size_t{W}];
};
template <class T, int W>
LOCKSTEP_AVX512_FN Lanes<T, W> lanes(Vec<T, W> v) {
  Lanes<T, W> result;
  store(result.lane, v);
  return result;
}

/// For each lane of m, from the lowest to the highest: visit(number of the lane).
template <class M, class Visit>
LOCKSTEP_AVX512_FN void for_each_lane(M m, Visit visit) {
  for (unsigned rest = bits(m); rest != 0; rest &= rest - 1) {
    visit(__builtin_ctz(rest));
  }
}

/// Elements that lie scale * index bytes after base; V has lanes as wide as an element, and 8 of them, or 16 of them with 32-bit indices.
template <class V, int scale>
LOCKSTEP_AVX512_FN V gathered(const void* base, I64x8 index, Mask<8> m) {
  if constexpr (std::is_same_v<V, F64x8>) {
    return {_mm512_mask_i64gather_pd(_mm512_setzero_pd(), m, index.r, base, scale)};
  } else if constexpr (std::is_same_v<V, F32x8>) {
    return {_mm512_mask_i64gather_ps(_mm256_setzero_ps(), m, index.r, base, scale)};
  } else if constexpr (sizeof(Element<V>) == 8) {
    return {_mm512_mask_i64gather_epi64(_mm512_setzero_si512(), m, index.r, base, scale)};
  } else {
    return {_mm512_mask_i64gather_epi32(_mm256_setzero_si256(), m, index.r, base, scale)};
  }
}
template <class V, int scale>
LOCKSTEP_AVX512_FN V gathered(const void* base, I64x16 index, Mask<16> m) {
  using Part = Vec<Element<V>, 8>;
  return join(gathered<Part, scale>(base, low(index), low(m)), gathered<Part, scale>(base, high(index), high(m)));
}
template <class V, int scale>
LOCKSTEP_AVX512_FN V gathered(const void* base, I32x8 index, Mask<8> m) {
  if constexpr (std::is_same_v<V, F64x8>) {
    return {_mm512_mask_i32gather_pd(_mm512_setzero_pd(), m, index.r, base, scale)};
  } else if constexpr (std::is_same_v<V, F32x8>) {
    return {_mm256_mmask_i32gather_ps(_mm256_setzero_ps(), m, index.r, base, scale)};
  } else if constexpr (sizeof(Element<V>) == 8) {
    return {_mm512_mask_i32gather_epi64(_mm512_setzero_si512(), m, index.r, base, scale)};
  } else {
    return {_mm256_mmask_i32gather_epi32(_mm256_setzero_si256(), m, index.r, base, scale)};
  }
}
template <class V, int scale>
LOCKSTEP_AVX512_FN V gathered(const void* base, I32x16 index, Mask<16> m) {
  if constexpr (is_pair<V>) {
    return join(gathered<Half<V>, scale>(base, low(index), low(m)), gathered<Half<V>, scale>(base, high(index), high(m)));
  } else if constexpr (std::is_same_v<V, F32x16>) {
    return {_mm512_mask_i32gather_ps(_mm512_setzero_ps(), m, index.r, base, scale)};
  } else {
    return {_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), m, index.r, base, scale)};
  }
}

template <int scale, class T>
LOCKSTEP_AVX512_FN void scattered(void* base, I64x8 index, Vec<T, 8> v, Mask<8> m) {
  if constexpr (std::is_same_v<T, double>) {
    _mm512_mask_i64scatter_pd(base, m, index.r, v.r, scale);
  } else if constexpr (std::is_same_v<T, float>) {
    _mm512_mask_i64scatter_ps(base, m, index.r, v.r, scale);
  } else if constexpr (sizeof(T) == 8) {
    _mm512_mask_i64scatter_epi64(base, m, index.r, v.r, scale);
  } else {
    _mm512_mask_i64scatter_epi32(base, m, index.r, v.r, scale);
  }
}
template <int scale, class T>
LOCKSTEP_AVX512_FN void scattered(void* base, I64x16 index, Vec<T, 16> v, Mask<16> m) {
  scattered<scale>(base, low(index), low(v), low(m));
  scattered<scale>(base, high(index), high(v), high(m));
}
template <int scale, class T>
LOCKSTEP_AVX512_FN void scattered(void* base, I32x8 index, Vec<T, 8> v, Mask<8> m) {
  if constexpr (std::is_same_v<T, double>) {
    _mm512_mask_i32scatter_pd(base, m, index.r, v.r, scale);
  } else if constexpr (std::is_same_v<T, float>) {
    _mm256_mask_i32scatter_ps(base, m, index.r, v.r, scale);
  } else if constexpr (sizeof(T) == 8) {
    _mm512_mask_i32scatter_epi64(base, m, index.r, v.r, scale);
  } else {
    _mm256_mask_i32scatter_epi32(base, m, index.r, v.r, scale);
  }
}
template <int scale, class T>
LOCKSTEP_AVX512_FN void scattered(void* base, I32x16 index, Vec<T, 16> v, Mask<16> m) {
  if constexpr (sizeof(T) == 8) {
    scattered<scale>(base, low(index), low(v), low(m));
    scattered<scale>(base, high(index), high(v), high(m));
  } else if constexpr (std::is_same_v<T, float>) {
    _mm512_mask_i32scatter_ps(base, m, index.r, v.r, scale);
  } else {
    _mm512_mask_i32scatter_epi32(base, m, index.r, v.r, scale);
  }
}

/// The element of type M that lies offset bytes after base. In integers, so that an offset may be taken modulo 2^64.
template <class M>
LOCKSTEP_AVX512_FN M* element_at(const void* base, std::uint64_t offset) {
  return reinterpret_cast<M*>(reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset));
}
}  // namespace detail

template <class V, class M, class I>
LOCKSTEP_AVX512_FN V gather(const M* base, Vec<I, width<V>> index, MaskOf<V> m) {
  static_assert(detail::held_in<M, Element<V>>, "elements of the lanes' type, or narrow ones");
  static_assert(std::is_same_v<I, std::int64_t> || std::is_same_v<I, std::int32_t>, "signed indices");
  if constexpr (sizeof(M) >= 4) {
    return detail::gathered<V, sizeof(M)>(base, index, m);
  } else {
    const auto at = detail::lanes(index);
    detail::Lanes<Element<V>, width<V>> result = {};
    detail::for_each_lane(m, [&](int i) {
      const auto offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(at.lane[i])) * sizeof(M);
      result.lane[i] = scalar(detail::element_at<const M>(base, offset));
    });
    return load<V>(result.lane);
  }
}

/// Writes from the lowest lane to the highest.
template <class M, class I, class T, int W>
LOCKSTEP_AVX512_FN void scatter(M* base, Vec<I, W> index, Vec<T, W> v, Mask<W> m) {
  static_assert(detail::held_in<M, T>, "elements of the lanes' type, or narrow ones");
  static_assert(std::is_same_v<I, std::int64_t> || std::is_same_v<I, std::int32_t>, "signed indices");
  if constexpr (sizeof(M) >= 4) {
    detail::scattered<sizeof(M)>(base, index, v, m);
  } else {
    const auto at = detail::lanes(index);
    const auto from = detail::lanes(v);
    detail::for_each_lane(m, [&](int i) {
      const auto offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(at.lane[i])) * sizeof(M);
      put(detail::element_at<M>(base, offset), static_cast<M>(from.lane[i]));
    });
  }
}

template <class V, class M>
LOCKSTEP_AVX512_FN V gather_at(Vec<std::uint64_t, width<V>> address, MaskOf<V> m) {
  static_assert(detail::held_in<M, Element<V>>, "elements of the lanes' type, or narrow ones");
  if constexpr (sizeof(M) >= 4) {
    return detail::gathered<V, 1>(nullptr, bits_as<Vec<std::int64_t, width<V>>>(address), m);
  } else {
    const auto at = detail::lanes(address);
    detail::Lanes<Element<V>, width<V>> result = {};
    detail::for_each_lane(m, [&](int i) { result.lane[i] = scalar(detail::element_at<const M>(nullptr, at.lane[i])); });
    return load<V>(result.lane);
  }
}

template <class M, class T, int W>
LOCKSTEP_AVX512_FN void scatter_at(Vec<std::uint64_t, W> address, Vec<T, W> v, Mask<W> m) {
  static_assert(detail::held_in<M, T>, "elements of the lanes' type, or narrow ones");
  if constexpr (sizeof(M) >= 4) {
    detail::scattered<1>(nullptr, bits_as<Vec<std::int64_t, W>>(address), v, m);
  } else {
    const auto at = detail::lanes(address);
    const auto from = detail::lanes(v);
    detail::for_each_lane(m, [&](int i) { put(detail::element_at<M>(nullptr, at.lane[i]), static_cast<M>(from.lane[i])); });
  }
}

// ---- Memory that several lanes, and several threads, change
// ------------------------------------------------------------------------------

/// What becomes of an element: the value; the value where the element has the bits of another one; or what the operation gives.
enum class Change { Exchange, Compare, Add, Sub, Min, Max, And, Or, Xor };

namespace detail {
template <Change change, class T>
LOCKSTEP_AVX512_FN T next(T old, T value) {
  using V = Vec<T, sizeof(T) == 8 ? 8 : 16>;
  const V a = set1<V>(old);
  const V b = set1<V>(value);
  if constexpr (change == Change::Add) {
    return lanes(add(a, b)).lane[0];
  } else if constexpr (change == Change::Sub) {
    return lanes(sub(a, b)).lane[0];
  } else if constexpr (change == Change::Min) {
    return lanes(min(a, b)).lane[0];
  } else {
    return lanes(max(a, b)).lane[0];
  }
}

/// What was there before. p lies on a multiple of its size.
template <Change change, class T>
LOCKSTEP_AVX512_FN T changed(T* p, T compare, T value) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  auto* const cell = reinterpret_cast<Bits*>(p);
  const auto bits = [](T number) {
    Bits result;
    std::memcpy(&result, &number, sizeof result);
    return result;
  };
  const auto number = [](Bits from) {
    T result;
    std::memcpy(&result, &from, sizeof result);
    return result;
  };
  if constexpr (change == Change::Exchange) {
    return number(__atomic_exchange_n(cell, bits(value), __ATOMIC_RELAXED));
  } else if constexpr (change == Change::Compare) {
    Bits found = bits(compare);
    __atomic_compare_exchange_n(cell, &found, bits(value), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return number(found);
  } else if constexpr (change == Change::And) {
    return number(__atomic_fetch_and(cell, bits(value), __ATOMIC_RELAXED));
  } else if constexpr (change == Change::Or) {
    return number(__atomic_fetch_or(cell, bits(value), __ATOMIC_RELAXED));
  } else if constexpr (change == Change::Xor) {
    return number(__atomic_fetch_xor(cell, bits(value), __ATOMIC_RELAXED));
  } else if constexpr (change == Change::Add && std::is_integral_v<T>) {
    return number(__atomic_fetch_add(cell, bits(value), __ATOMIC_RELAXED));
  } else if constexpr (change == Change::Sub && std::is_integral_v<T>) {
    return number(__atomic_fetch_sub(cell, bits(value), __ATOMIC_RELAXED));
  } else {
    Bits found = __atomic_load_n(cell, __ATOMIC_RELAXED);
    while (
        !__atomic_compare_exchange_n(cell, &found, bits(next<change>(number(found), value)), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return number(found);
  }
}
}  // namespace detail

/// The lanes of m, from the lowest to the highest: what each has found at its address.
template <Change change, class T, int W>
LOCKSTEP_AVX512_FN Vec<T, W> changed_at(Vec<std::uint64_t, W> address, Vec<T, W> compare, Vec<T, W> value, Mask<W> m) {
  const auto at = detail::lanes(address);
  const auto asked = detail::lanes(compare);
  const auto from = detail::lanes(value);
  detail::Lanes<T, W> result = {};
  detail::for_each_lane(
      m, [&](int i) { result.lane[i] = detail::changed<change>(detail::element_at<T>(nullptr, at.lane[i]), asked.lane[i], from.lane[i]); });
  return load<Vec<T, W>>(result.lane);
}

// ---- Booleans in memory ----------------------------------------------------------------------------------------------------------------

// A byte for each lane, 0 or 1, as std::uint8_t or bool; read, any byte but 0 is true.

template <int W, class B>
LOCKSTEP_AVX512_FN Mask<W> load_mask(const B* p) {
  static_assert(sizeof(B) == 1, "a byte for each lane");
  const void* const from = p;
  const __m128i bytes = W == 8 ? _mm_loadl_epi64(static_cast<const __m128i*>(from)) : _mm_loadu_si128(static_cast<const __m128i*>(from));
  return static_cast<Mask<W>>(_mm_test_epi8_mask(bytes, bytes));
}
template <int W, class B>
LOCKSTEP_AVX512_FN Mask<W> load_mask(const B* p, Mask<W> active) {
  static_assert(sizeof(B) == 1, "a byte for each lane");
  const __m128i bytes = _mm_maskz_loadu_epi8(static_cast<Mask<16>>(bits(active)), p);
  return static_cast<Mask<W>>(_mm_test_epi8_mask(bytes, bytes));
}
template <int W, class B>
LOCKSTEP_AVX512_FN void store_mask(B* p, Mask<W> value) {
  static_assert(sizeof(B) == 1, "a byte for each lane");
  void* const to = p;
  const __m128i bytes = _mm_maskz_mov_epi8(static_cast<Mask<16>>(bits(value)), _mm_set1_epi8(1));
  if constexpr (W == 8) {
    _mm_storel_epi64(static_cast<__m128i*>(to), bytes);
  } else {
    _mm_storeu_si128(static_cast<__m128i*>(to), bytes);
  }
}
template <int W, class B>
LOCKSTEP_AVX512_FN void store_mask(B* p, Mask<W> value, Mask<W> active) {
  static_assert(sizeof(B) == 1, "a byte for each lane");
  const __m128i bytes = _mm_maskz_mov_epi8(static_cast<Mask<16>>(bits(value)), _mm_set1_epi8(1));
  _mm_mask_storeu_epi8(p, static_cast<Mask<16>>(bits(active)), bytes);
}

template <class B, class I, int W>
LOCKSTEP_AVX512_FN Mask<W> gather_mask(const B* base, Vec<I, W> index, Mask<W> m) {
  static_assert(sizeof(B) == 1, "a byte for each lane");
  using V = Vec<std::uint32_t, W>;
  return mask_of(gather<V>(reinterpret_cast<const std::uint8_t*>(base), index, m));
}
template <class B, class I, int W>
LOCKSTEP_AVX512_FN void scatter_mask(B* base, Vec<I, W> index, Mask<W> value, Mask<W> m) {
  static_assert(sizeof(B) == 1, "a byte for each lane");
  using V = Vec<std::uint32_t, W>;
  scatter(reinterpret_cast<std::uint8_t*>(base), index, from_mask<V>(value), m);
}
template <int W>
LOCKSTEP_AVX512_FN Mask<W> gather_mask_at(Vec<std::uint64_t, W> address, Mask<W> m) {
  return mask_of(gather_at<Vec<std::uint32_t, W>, std::uint8_t>(address, m));
}
template <int W>
LOCKSTEP_AVX512_FN void scatter_mask_at(Vec<std::uint64_t, W> address, Mask<W> value, Mask<W> m) {
  scatter_at<std::uint8_t>(address, from_mask<Vec<std::uint32_t, W>>(value), m);
}

// ---- Votes -----------------------------------------------------------------------------------------------------------------------------

LOCKSTEP_AVX512_FN std::uint64_t bit_count(std::uint64_t bits) { return static_cast<std::uint64_t>(__builtin_popcountll(bits)); }
/// Bit 0 becomes bit `first`, and so on; those that would lie outside of the 64 bits are lost. first may be negative.
LOCKSTEP_AVX512_FN std::uint64_t moved(std::uint64_t bits, std::int64_t first) {
  return first >= 64 || first <= -64 ? 0 : first >= 0 ? bits << first : bits >> -first;
}
/// Counts the lanes whose bits are set for their groups: lane i belongs to group group[i] and is number item[i] there. How: 0, whether
/// there is one (any number but 0 if so); 1, how many; 2, bit item[i] for each that is below 64.
template <int how, int W>
LOCKSTEP_AVX512_FN void count_by_group(std::uint64_t* votes, std::uint64_t bits, Vec<std::int64_t, W> group, Vec<std::int64_t, W> item) {
  const auto groups = detail::lanes(group);
  const auto items = detail::lanes(item);
  detail::for_each_lane(static_cast<Mask<W>>(bits), [&](int i) {
    std::uint64_t& votes_of_group = votes[groups.lane[i]];
    if constexpr (how == 0) {
      votes_of_group |= 1;
    } else if constexpr (how == 1) {
      ++votes_of_group;
    } else {
      votes_of_group |= moved(1, items.lane[i]);
    }
  });
}

// ---- Lanes -----------------------------------------------------------------------------------------------------------------------------

/// 0, 1, 2, ..
template <class V>
LOCKSTEP_AVX512_FN V iota() {
  using T = Element<V>;
  constexpr T numbers[16] = {T{0}, T{1}, T{2}, T{3}, T{4}, T{5}, T{6}, T{7}, T{8}, T{9}, T{10}, T{11}, T{12}, T{13}, T{14}, T{15}};
  return load<V>(numbers);
}

/// Lane i modulo the number of lanes.
template <class T, int W>
LOCKSTEP_AVX512_FN T lane(Vec<T, W> v, int i) {
  return detail::lanes(v).lane[i & (W - 1)];
}

namespace detail {
// Registers of 8 64-bit lanes and of 16 and 8 32-bit lanes, transposed in log2 steps: pairs of lanes, of pairs, of quadruples.
LOCKSTEP_AVX512_FN void transposed(__m512d (&r)[8]) {
  __m512d t[8];
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm512_unpacklo_pd(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_pd(r[i], r[i + 1]);
  }
  for (int i = 0; i < 2; ++i) {
    const __m512d a = _mm512_shuffle_f64x2(t[i], t[i + 2], 0x88);
    const __m512d b = _mm512_shuffle_f64x2(t[i], t[i + 2], 0xDD);
    const __m512d c = _mm512_shuffle_f64x2(t[i + 4], t[i + 6], 0x88);
    const __m512d d = _mm512_shuffle_f64x2(t[i + 4], t[i + 6], 0xDD);
    r[i] = _mm512_shuffle_f64x2(a, c, 0x88);
    r[i + 2] = _mm512_shuffle_f64x2(b, d, 0x88);
    r[i + 4] = _mm512_shuffle_f64x2(a, c, 0xDD);
    r[i + 6] = _mm512_shuffle_f64x2(b, d, 0xDD);
  }
}
LOCKSTEP_AVX512_FN void transposed(__m512 (&r)[16]) {
  __m512 t[16];
  for (int i = 0; i < 16; i += 4) {
    const __m512 a = _mm512_unpacklo_ps(r[i], r[i + 1]);
    const __m512 b = _mm512_unpackhi_ps(r[i], r[i + 1]);
    const __m512 c = _mm512_unpacklo_ps(r[i + 2], r[i + 3]);
    const __m512 d = _mm512_unpackhi_ps(r[i + 2], r[i + 3]);
    t[i] = _mm512_shuffle_ps(a, c, 0x44);
    t[i + 1] = _mm512_shuffle_ps(a, c, 0xEE);
    t[i + 2] = _mm512_shuffle_ps(b, d, 0x44);
    t[i + 3] = _mm512_shuffle_ps(b, d, 0xEE);
  }
  for (int i = 0; i < 4; ++i) {
    const __m512 a = _mm512_shuffle_f32x4(t[i], t[i + 4], 0x88);
    const __m512 b = _mm512_shuffle_f32x4(t[i], t[i + 4], 0xDD);
    const __m512 c = _mm512_shuffle_f32x4(t[i + 8], t[i + 12], 0x88);
    const __m512 d = _mm512_shuffle_f32x4(t[i + 8], t[i + 12], 0xDD);
    r[i] = _mm512_shuffle_f32x4(a, c, 0x88);
    r[i + 4] = _mm512_shuffle_f32x4(b, d, 0x88);
    r[i + 8] = _mm512_shuffle_f32x4(a, c, 0xDD);
    r[i + 12] = _mm512_shuffle_f32x4(b, d, 0xDD);
  }
}
LOCKSTEP_AVX512_FN void transposed(__m256 (&r)[8]) {
  __m256 t[8];
  for (int i = 0; i < 8; i += 4) {
    const __m256 a = _mm256_unpacklo_ps(r[i], r[i + 1]);
    const __m256 b = _mm256_unpackhi_ps(r[i], r[i + 1]);
    const __m256 c = _mm256_unpacklo_ps(r[i + 2], r[i + 3]);
    const __m256 d = _mm256_unpackhi_ps(r[i + 2], r[i + 3]);
    t[i] = _mm256_shuffle_ps(a, c, 0x44);
    t[i + 1] = _mm256_shuffle_ps(a, c, 0xEE);
    t[i + 2] = _mm256_shuffle_ps(b, d, 0x44);
    t[i + 3] = _mm256_shuffle_ps(b, d, 0xEE);
  }
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm256_shuffle_f32x4(t[i], t[i + 4], 0x0);
    r[i + 4] = _mm256_shuffle_f32x4(t[i], t[i + 4], 0x3);
  }
}
}  // namespace detail

/// Lane j of row i goes to lane i of row j. As many rows as lanes, each in one register.
template <class T, int W, std::size_t N>
LOCKSTEP_AVX512_FN void transpose(Vec<T, W> (&rows)[N]) {
  static_assert(N == W && !is_pair<Vec<T, W>>, "as many rows as lanes, of one register each");
  using F = Vec<std::conditional_t<sizeof(T) == 8, double, float>, W>;
  decltype(F::r) registers[N];
  for (std::size_t i = 0; i < N; ++i) {
    registers[i] = bits_as<F>(rows[i]).r;
  }
  detail::transposed(registers);
  for (std::size_t i = 0; i < N; ++i) {
    rows[i] = bits_as<Vec<T, W>>(F{registers[i]});
  }
}

// ---- Floating point --------------------------------------------------------------------------------------------------------------------

/// While it lives, its thread rounds to nearest, keeps subnormal numbers and does not trap; then all is as it was, exception flags
/// included.
class FloatingPoint {
 public:
#ifdef __SSE__
  FloatingPoint() : before(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(0x1F80); }
  ~FloatingPoint() { __builtin_ia32_ldmxcsr(before); }
#else
  FloatingPoint() {
    std::fegetenv(&before);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatingPoint() { std::fesetenv(&before); }
#endif
  FloatingPoint(const FloatingPoint&) = delete;
  FloatingPoint& operator=(const FloatingPoint&) = delete;

 private:
#ifdef __SSE__
  unsigned before;
#else
  std::fenv_t before;
#endif
};

#undef LOCKSTEP_AVX512_UNARY
#undef LOCKSTEP_AVX512_BINARY
#undef LOCKSTEP_AVX512_TERNARY
#undef LOCKSTEP_AVX512_COMPARE
#undef LOCKSTEP_AVX512_FLOAT_COMPARE
#undef LOCKSTEP_AVX512_SELECT
#undef LOCKSTEP_AVX512_SHIFT
#undef LOCKSTEP_AVX512_PAIR_UNARY
#undef LOCKSTEP_AVX512_PAIR_BINARY
#undef LOCKSTEP_AVX512_PAIR_TERNARY
#undef LOCKSTEP_AVX512_PAIR_COMPARE
#undef LOCKSTEP_AVX512_FLOATS
#undef LOCKSTEP_AVX512_SIGNED
#undef LOCKSTEP_AVX512_UNSIGNED
#undef LOCKSTEP_AVX512_INTEGERS

// ---- What surrounds a kernel ------------------------------------------------------------------------------------------------------------

/// Of distances in bytes, which may be negative.
template <class... More>
LOCKSTEP_AVX512_FN std::uint64_t lowest(std::uint64_t a, More... more) {
  ((a = static_cast<std::int64_t>(more) < static_cast<std::int64_t>(a) ? more : a), ...);
  return a;
}
template <class... More>
LOCKSTEP_AVX512_FN std::uint64_t highest(std::uint64_t a, More... more) {
  ((a = static_cast<std::int64_t>(more) > static_cast<std::int64_t>(a) ? more : a), ...);
  return a;
}

/// Addresses: from `first` to before `end`.
struct Bytes {
  std::uint64_t first;
  std::uint64_t end;
};
LOCKSTEP_AVX512_FN Bytes bytes(const void* p, std::uint64_t first, std::uint64_t end) {
  const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(p);
  return {begin + first, begin + end};
}
/// Whether they have none in common; false where one goes on behind the last address.
LOCKSTEP_AVX512_FN bool apart(Bytes a, Bytes b) { return a.first <= a.end && b.first <= b.end && (a.end <= b.first || b.end <= a.first); }
/// Whether two runs of 1 to 2^62 elements, one `distance` (modulo 2^64) behind the other, have none in common, or all.
LOCKSTEP_AVX512_FN bool far(std::uint64_t distance, std::uint64_t count) { return distance - count <= 0 - 2 * count || distance == 0; }

/// `count` numbers, zeros at first, for what is too big for the stack. Ends the program if there is no memory.
template <class T>
class Memory {
 public:
  explicit Memory(std::size_t count) : begin_(static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64))) {
    if (begin_ == nullptr) {
      std::perror("a kernel's memory");
      std::abort();
    }
    std::memset(begin_, 0, count * sizeof(T));
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { std::free(begin_); }
  T* begin() const { return begin_; }

 private:
  T* begin_;
};

/// If Stream says so, asks for `bytes` bytes from p on, where there need not be memory.
template <bool Stream, int bytes, class T>
LOCKSTEP_AVX512_FN void prefetch([[maybe_unused]] const T* p) {
  if constexpr (Stream) {
    for (int i = 0; i < bytes; i += 64) {
      __builtin_prefetch(reinterpret_cast<const char*>(p) + i);
    }
  }
}

/// A whole vector; past the caches if Stream says so, and then p is a multiple of 64 bytes.
template <bool Stream, class T, int W>
LOCKSTEP_AVX512_FN void store(T* p, Vec<T, W> v) {
  if constexpr (Stream) {
    stream(p, v);
  } else {
    store(p, v);
  }
}

/// Where rows are put that go past the caches together, if Stream says so: into an array. Else where they belong.
template <bool Stream, class T>
LOCKSTEP_AVX512_FN T* rows_or_place([[maybe_unused]] T* rows, [[maybe_unused]] T* place) {
  if constexpr (Stream) {
    return rows;
  } else {
    return place;
  }
}
/// Those rows, `count` elements, a multiple of 64 bytes as is their place: past the caches. Nothing if they are in their place already.
template <bool Stream, std::int64_t count, class T>
LOCKSTEP_AVX512_FN void store_rows([[maybe_unused]] T* place, [[maybe_unused]] const T* rows) {
  if constexpr (Stream) {
    constexpr int lanes = 64 / sizeof(T);
    static_assert(count % lanes == 0, "whole vectors");
    for (std::int64_t i = 0; i < count; i += lanes) {
      stream(place + i, load<Vec<T, lanes>>(rows + i));
    }
  }
}

namespace detail {
template <class V, int stride, class M, int... lane>
LOCKSTEP_AVX512_FN V strided(const M* p, std::integer_sequence<int, lane...>) {
  const M numbers[] = {scalar(p + std::int64_t{stride} * lane)...};
  return load<V>(numbers);
}
#if LOCKSTEP_AVX512_NATIVE
template <int stride>
LOCKSTEP_AVX512_FN __m512d strided_doubles(const double* p) {
  const auto pair = [&](int lane) { return _mm_loadh_pd(_mm_load_sd(p + stride * lane), p + stride * (lane + 1)); };
  const __m256d low = _mm256_insertf128_pd(_mm256_castpd128_pd256(pair(0)), pair(2), 1);
  const __m256d high = _mm256_insertf128_pd(_mm256_castpd128_pd256(pair(4)), pair(6), 1);
  return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}
#endif
}  // namespace detail

/// Every stride-th element from p on: single loads put together, which gathers are no match for on processors that split them up.
template <class V, int stride, class M>
LOCKSTEP_AVX512_FN V strided(const M* p) {
#if LOCKSTEP_AVX512_NATIVE
  if constexpr (std::is_same_v<V, F64x8>) {
    return {detail::strided_doubles<stride>(p)};
  } else
#endif
  {
    return detail::strided<V, stride>(p, std::make_integer_sequence<int, width<V>>{});
  }
}

/// v, in a register: the compiler must not take it from memory again for each use.
template <class T, int W>
LOCKSTEP_AVX512_FN Vec<T, W> in_register(Vec<T, W> v) {
#if LOCKSTEP_AVX512_NATIVE
  if constexpr (is_pair<Vec<T, W>>) {
    __asm__("" : "+v"(v.lo), "+v"(v.hi));
  } else {
    __asm__("" : "+v"(v.r));
  }
#endif
  return v;
}

// ---- Columns ----------------------------------------------------------------------------------------------------------------------------

/// The columns of a square of lanes.
template <class V>
struct Columns {
  V column[width<V>];
};
/// From its rows: lane i of column j is lane j of row i.
template <class V, class... Row>
LOCKSTEP_AVX512_FN Columns<V> columns(Row... row) {
  Columns<V> square = {{row...}};
  transpose(square.column);
  return square;
}

// ---- Halves of two rows ----------------------------------------------------------------------------------------------------------------

/// The first half of a's lanes, and behind them the first half of b's. (g++ would make a load under a mask of a choice between two numbers
/// from memory, which is slow.)
LOCKSTEP_AVX512_FN F64x8 halves(F64x8 a, F64x8 b) { return {_mm512_insertf64x4(a.r, _mm512_extractf64x4_pd(b.r, 0), 1)}; }
LOCKSTEP_AVX512_FN F32x16 halves(F32x16 a, F32x16 b) { return {_mm512_insertf32x8(a.r, _mm512_extractf32x8_ps(b.r, 0), 1)}; }
/// The same from memory.
template <class V, class M>
LOCKSTEP_AVX512_FN V halves(const M* a, const M* b) {
  constexpr Mask<width<V>> first = (1U << width<V> / 2) - 1U;
  return halves(load<V>(a, first), load<V>(b, first));
}

// ---- Groups side by side ----------------------------------------------------------------------------------------------------------------

namespace detail {
template <class V, class M, int... lane>
LOCKSTEP_AVX512_FN Columns<V> rows_of_groups(const M* from, std::int64_t stride, std::integer_sequence<int, lane...>) {
  return columns<V>(load<V>(from + stride * lane)...);
}
template <class V, class M, int... lane>
LOCKSTEP_AVX512_FN Columns<V> rows_of_groups(const M* from, std::int64_t stride, Mask<width<V>> only, std::integer_sequence<int, lane...>) {
  return columns<V>(load<V>(from + stride * lane, only)...);
}
}  // namespace detail

/// Lane g of vector k in `to` is from[g * stride + k], k < count: a group in each lane. If Stream says so, what lies from `ahead` on, where
/// there need not be memory, is asked for: as many elements as the squares have that are full.
template <class V, bool Stream = false, class T, class M>
LOCKSTEP_AVX512_FN void load_groups(T* to, const M* from, std::int64_t stride, std::int64_t count, const M* ahead = nullptr) {
  constexpr int w = width<V>;
  constexpr auto lanes = std::make_integer_sequence<int, w>{};
  std::int64_t k = 0;
  for (; k + w <= count; k += w) {
    const Columns<V> square = detail::rows_of_groups<V>(from + k, stride, lanes);
    for (int j = 0; j < w; ++j) {
      store(to + (k + j) * w, square.column[j]);
    }
    if constexpr (Stream) {
      prefetch<Stream, w * 64>(ahead + k * w);  // behind the loads, which would wait for it
    }
  }
  if (k < count) {
    const Columns<V> square = detail::rows_of_groups<V>(from + k, stride, static_cast<Mask<w>>((1U << (count - k)) - 1U), lanes);
    for (int j = 0; j < count - k; ++j) {
      store(to + (k + j) * w, square.column[j]);
    }
  }
}

/// The other way round: to[g * stride + k] is lane g of vector k in `from`.
template <class V, class M, class T>
LOCKSTEP_AVX512_FN void store_groups(M* to, const T* from, std::int64_t stride, std::int64_t count) {
  constexpr int w = width<V>;
  Columns<V> square;
  std::int64_t k = 0;
  for (; k + w <= count; k += w) {
    for (int j = 0; j < w; ++j) {
      square.column[j] = load<V>(from + (k + j) * w);
    }
    transpose(square.column);
    for (int g = 0; g < w; ++g) {
      store(to + stride * g + k, square.column[g]);
    }
  }
  if (k < count) {
    for (int j = 0; j < w; ++j) {
      square.column[j] = j < count - k ? load<V>(from + (k + j) * w) : zero<V>();
    }
    transpose(square.column);
    for (int g = 0; g < w; ++g) {
      store(to + stride * g + k, square.column[g], static_cast<Mask<w>>((1U << (count - k)) - 1U));
    }
  }
}

// ---- What the threads of a team do ------------------------------------------------------------------------------------------------------

/// Where part `number` of `parts` begins, of `count` things.
LOCKSTEP_AVX512_FN std::int64_t part(std::int64_t count, std::int64_t number, std::int64_t parts) {
  return count / parts * number + (count % parts < number ? count % parts : number);
}

}  // inline namespace
}  // namespace lockstep_avx512

#endif  // LOCKSTEP_AVX512_H
