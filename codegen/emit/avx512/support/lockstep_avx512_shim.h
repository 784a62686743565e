// The processor's vector intrinsics as plain loops, for machines without AVX512: those that lockstep_avx512.h and the kernels that include
// it use, under their own names and with their own meaning, bit by bit (any NaN for any other one). lockstep_avx512.h includes this file
// where it is needed. It cannot stand in one translation unit with the compiler's header of the same names.
//
// A register is a struct of its lanes. An operation on 64-bit lanes and one on 32-bit lanes of the same register read it in their own way.
#ifndef LOCKSTEP_AVX512_SHIM_H
#define LOCKSTEP_AVX512_SHIM_H

#if defined(_IMMINTRIN_H_INCLUDED) || defined(__IMMINTRIN_H) || defined(_XMMINTRIN_H_INCLUDED) || defined(__XMMINTRIN_H)
#error "lockstep_avx512_shim.h defines the names of the compiler's intrinsics: do not include those in the same file"
#endif

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "lockstep_avx512_shim.h needs float and double arithmetic that rounds each result to its type (x86: -msse2 -mfpmath=sse)"
#endif

// ---- Types -----------------------------------------------------------------------------------------------------------------------------

struct __m512d {
  double lane[8];
};
struct __m512 {
  float lane[16];
};
struct __m512i {
  long long lane[8];
};
struct __m256d {
  double lane[4];
};
struct __m256 {
  float lane[8];
};
struct __m256i {
  long long lane[4];
};
struct __m128d {
  double lane[2];
};
struct __m128 {
  float lane[4];
};
struct __m128i {
  long long lane[2];
};

using __mmask8 = unsigned char;
using __mmask16 = unsigned short;

/// Immediates of _mm512_shuffle_epi32.
enum _MM_PERM_ENUM : int {};
/// Immediates of _mm512_getmant_pd and its like: where the significand lies, and that it has the number's sign.
enum _MM_MANTISSA_NORM_ENUM : int { _MM_MANT_NORM_1_2, _MM_MANT_NORM_p5_2 };
enum _MM_MANTISSA_SIGN_ENUM : int { _MM_MANT_SIGN_src };

/// Predicates of comparisons: O is false and U is true of a NaN.
constexpr int _CMP_EQ_OQ = 0x00;
constexpr int _CMP_LE_OQ = 0x12;
constexpr int _CMP_LT_OQ = 0x11;
constexpr int _CMP_NEQ_UQ = 0x04;
constexpr int _CMP_GE_OQ = 0x1D;
constexpr int _CMP_GT_OQ = 0x1E;

// ---- How the loops are written ---------------------------------------------------------------------------------------------------------

#define LOCKSTEP_SHIM static inline
// Intrinsics are not inlined: a kernel has thousands of them, each with a loop, and a product must not meet the sum that it goes into, lest
// the compiler make one fused operation of them.
#define LOCKSTEP_SHIM_INTRINSIC static inline __attribute__((noinline))

namespace lockstep_avx512_shim {

using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;

/// N lanes of T.
template <class T, int N>
struct Lanes {
  T lane[std::size_t{N}];
};
template <class T, class R>
constexpr int count = static_cast<int>(sizeof(R) / sizeof(T));

/// The register's lanes as Ts.
template <class T, class R>
LOCKSTEP_SHIM Lanes<T, count<T, R>> lanes(const R& r) {
  Lanes<T, count<T, R>> result;
  std::memcpy(&result, &r, sizeof r);
  return result;
}
/// The register whose lanes these are; it may be larger, and the rest is 0.
template <class R, class T, int N>
LOCKSTEP_SHIM R made(const Lanes<T, N>& lanes) {
  static_assert(sizeof lanes <= sizeof(R), "the lanes fit");
  R result = {};
  std::memcpy(&result, &lanes, sizeof lanes);
  return result;
}
/// The register with lane i = f(i).
template <class T, class R, class F>
LOCKSTEP_SHIM R each(F f) {
  Lanes<T, count<T, R>> result;
  for (int i = 0; i < count<T, R>; ++i) {
    result.lane[i] = static_cast<T>(f(i));
  }
  return made<R>(result);
}
/// Bit i is whether f(i).
template <class K, class F>
LOCKSTEP_SHIM K bits(int lanes, F f) {
  unsigned result = 0;
  for (int i = 0; i < lanes; ++i) {
    result |= static_cast<unsigned>(f(i) ? 1 : 0) << i;
  }
  return static_cast<K>(result);
}
LOCKSTEP_SHIM bool has(unsigned mask, int i) { return (mask >> i & 1U) != 0; }
/// Where the mask has a bit, the lane of yes, else that of no.
template <class T, class R>
LOCKSTEP_SHIM R blend(unsigned mask, const R& yes, const R& no) {
  const auto y = lanes<T>(yes);
  const auto n = lanes<T>(no);
  return each<T, R>([&](int i) { return has(mask, i) ? y.lane[i] : n.lane[i]; });
}
/// The same bits as another register, cut off or filled up with 0.
template <class To, class From>
LOCKSTEP_SHIM To cast(const From& from) {
  To result = {};
  std::memcpy(&result, &from, sizeof(To) < sizeof(From) ? sizeof(To) : sizeof(From));
  return result;
}

/// a truncated to an integer, or what the machine gives if it does not fit: the least number, or the largest one if there is no sign.
template <class To, class From>
LOCKSTEP_SHIM To truncated(From a) {
  constexpr From beyond = static_cast<From>(std::uint64_t{1} << (std::numeric_limits<To>::digits - 1)) * From{2};
  const From whole = std::trunc(a);
  if (std::is_signed<To>::value ? whole >= -beyond && whole < beyond : whole >= 0 && whole < beyond) {
    return static_cast<To>(whole);
  }
  return std::is_signed<To>::value ? std::numeric_limits<To>::min() : std::numeric_limits<To>::max();
}
/// x, if it is a normal number, rounded to 14 bits: off by less than one part in 2^14.
template <class T>
LOCKSTEP_SHIM T with_14_bits(T x) {
  using Word = typename std::conditional<sizeof(T) == 8, u64, u32>::type;
  constexpr int rest = std::numeric_limits<T>::digits - 14;
  Word word;
  std::memcpy(&word, &x, sizeof x);
  word = (word + (Word{1} << (rest - 1))) >> rest << rest;
  T result;
  std::memcpy(&result, &word, sizeof x);
  return std::isnormal(x) ? result : x;
}
/// Of a NaN: whether it is no signalling one.
LOCKSTEP_SHIM bool is_quiet(f64 x) {
  u64 word;
  std::memcpy(&word, &x, sizeof x);
  return (word >> 51 & 1) != 0;
}
LOCKSTEP_SHIM bool is_quiet(f32 x) {
  u32 word;
  std::memcpy(&word, &x, sizeof x);
  return (word >> 22 & 1) != 0;
}
/// x divided by a power of 2, so that its amount is at least 1 and below 2; or if `even`, by an even power, and at least 1 / 2.
template <class T>
LOCKSTEP_SHIM T significand(T x, bool even) {
  if (std::isnan(x)) {
    return x;
  }
  if (x == 0 || std::isinf(x)) {
    return std::copysign(T{1}, x);
  }
  int exponent = 0;
  const T half = std::frexp(x, &exponent);
  return even && exponent % 2 == 0 ? half : 2 * half;
}
/// x * 2^n, n rounded down.
template <class T>
LOCKSTEP_SHIM T scaled(T x, T n) {
  constexpr T most = 5000;  // beyond what any exponent takes
  if (std::isnan(n)) {
    return n;
  }
  if (std::isinf(n)) {
    // A quiet NaN is forgotten.
    return std::isnan(x) ? (is_quiet(x) ? (n > 0 ? n : T{0}) : x) : x * (n > 0 ? n : T{0});
  }
  return std::scalbn(x, static_cast<int>(std::floor(n < -most ? -most : n > most ? most : n)));
}
template <class T>
LOCKSTEP_SHIM bool compare(T a, T b, int predicate) {
  switch (predicate) {
    case _CMP_EQ_OQ:
      return a == b;
    case _CMP_LT_OQ:
      return a < b;
    case _CMP_LE_OQ:
      return a <= b;
    case _CMP_GE_OQ:
      return a >= b;
    case _CMP_GT_OQ:
      return a > b;
    default:
      return !(a == b);
  }
}
/// Lane i of the result is lane from(i, n, lanes in 128 bits) of both registers' n lanes each.
template <class T, class R, class From>
LOCKSTEP_SHIM R moved(const R& a, const R& b, From from) {
  constexpr int n = count<T, R>;
  const auto p = lanes<T>(a);
  const auto q = lanes<T>(b);
  return each<T, R>([&](int i) {
    const int at = from(i, n, static_cast<int>(16 / sizeof(T)));
    return at < n ? p.lane[at] : q.lane[at - n];
  });
}
/// Lane i of the result is the one that lane i of the index says, modulo their number.
template <class T, class R, class X>
LOCKSTEP_SHIM R permuted(const X& index, const R& a, const R& b) {
  const auto at = lanes<T>(index);
  return moved<T>(a, b, [&](int i, int n, int) { return static_cast<int>(at.lane[i] & static_cast<T>(2 * n - 1)); });
}
template <class T, class R, class X>
LOCKSTEP_SHIM R permuted(const X& index, const R& a) {
  const auto at = lanes<T>(index);
  return moved<T>(a, a, [&](int i, int n, int) { return static_cast<int>(at.lane[i] & static_cast<T>(n - 1)); });
}

template <class T>
LOCKSTEP_SHIM T element(const void* base, std::uint64_t offset) {
  T result;
  std::memcpy(&result, reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset)),
              sizeof result);
  return result;
}
template <class T>
LOCKSTEP_SHIM void set_element(void* base, std::uint64_t offset, T value) {
  std::memcpy(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset)), &value, sizeof value);
}
template <class R>
LOCKSTEP_SHIM R loaded(const void* p) {
  R result;
  std::memcpy(&result, p, sizeof result);
  return result;
}
template <class T, class R>
LOCKSTEP_SHIM R loaded(unsigned mask, const void* p) {
  return each<T, R>([&](int i) { return has(mask, i) ? element<T>(p, static_cast<std::uint64_t>(i) * sizeof(T)) : T{0}; });
}
template <class R>
LOCKSTEP_SHIM void stored(void* p, const R& r) {
  std::memcpy(p, &r, sizeof r);
}
template <class T, class R>
LOCKSTEP_SHIM void stored(void* p, unsigned mask, const R& r) {
  const auto from = lanes<T>(r);
  for (int i = 0; i < count<T, R>; ++i) {
    if (has(mask, i)) {
      set_element(p, static_cast<std::uint64_t>(i) * sizeof(T), from.lane[i]);
    }
  }
}
/// Lane i, where the mask has a bit, is the T at base + scale * index lane i.
template <class T, class I, class R, class X>
LOCKSTEP_SHIM R gathered(const R& otherwise, unsigned mask, const X& index, const void* base, int scale) {
  const auto at = lanes<I>(index);
  const auto other = lanes<T>(otherwise);
  return each<T, R>([&](int i) {
    return has(mask, i) ? element<T>(base, static_cast<std::uint64_t>(i64{at.lane[i]}) * static_cast<std::uint64_t>(scale)) : other.lane[i];
  });
}
template <class T, class I, class R, class X>
LOCKSTEP_SHIM void scattered(void* base, unsigned mask, const X& index, const R& r, int scale) {
  const auto at = lanes<I>(index);
  const auto from = lanes<T>(r);
  for (int i = 0; i < count<T, R>; ++i) {
    if (has(mask, i)) {
      set_element(base, static_cast<std::uint64_t>(i64{at.lane[i]}) * static_cast<std::uint64_t>(scale), from.lane[i]);
    }
  }
}

}  // namespace lockstep_avx512_shim

// ---- Lane by lane ----------------------------------------------------------------------------------------------------------------------

// In these definitions R is the type of the register and T that of its lanes; x, y and z are a lane of each operand.

#define LOCKSTEP_SHIM_UNARY(name, R, T, result)                                \
  LOCKSTEP_SHIM_INTRINSIC R name(R a) {                                        \
    const auto p = lockstep_avx512_shim::lanes<lockstep_avx512_shim::T>(a);    \
    return lockstep_avx512_shim::each<lockstep_avx512_shim::T, R>([&](int i) { \
      const auto x = p.lane[i];                                                \
      return result;                                                           \
    });                                                                        \
  }
#define LOCKSTEP_SHIM_BINARY(name, R, T, result)                               \
  LOCKSTEP_SHIM_INTRINSIC R name(R a, R b) {                                   \
    const auto p = lockstep_avx512_shim::lanes<lockstep_avx512_shim::T>(a);    \
    const auto q = lockstep_avx512_shim::lanes<lockstep_avx512_shim::T>(b);    \
    return lockstep_avx512_shim::each<lockstep_avx512_shim::T, R>([&](int i) { \
      const auto x = p.lane[i];                                                \
      const auto y = q.lane[i];                                                \
      return result;                                                           \
    });                                                                        \
  }
#define LOCKSTEP_SHIM_TERNARY(name, R, T, result)                              \
  LOCKSTEP_SHIM_INTRINSIC R name(R a, R b, R c) {                              \
    const auto p = lockstep_avx512_shim::lanes<lockstep_avx512_shim::T>(a);    \
    const auto q = lockstep_avx512_shim::lanes<lockstep_avx512_shim::T>(b);    \
    const auto r = lockstep_avx512_shim::lanes<lockstep_avx512_shim::T>(c);    \
    return lockstep_avx512_shim::each<lockstep_avx512_shim::T, R>([&](int i) { \
      const auto x = p.lane[i];                                                \
      const auto y = q.lane[i];                                                \
      const auto z = r.lane[i];                                                \
      return result;                                                           \
    });                                                                        \
  }
#define LOCKSTEP_SHIM_COMPARE(name, K, R, T, result)                                                           \
  LOCKSTEP_SHIM_INTRINSIC K name(R a, R b) {                                                                   \
    const auto p = lockstep_avx512_shim::lanes<lockstep_avx512_shim::T>(a);                                    \
    const auto q = lockstep_avx512_shim::lanes<lockstep_avx512_shim::T>(b);                                    \
    return lockstep_avx512_shim::bits<K>(lockstep_avx512_shim::count<lockstep_avx512_shim::T, R>, [&](int i) { \
      const auto x = p.lane[i];                                                                                \
      const auto y = q.lane[i];                                                                                \
      return result;                                                                                           \
    });                                                                                                        \
  }
#define LOCKSTEP_SHIM_FLOATS(define, operation, result)                                                      \
  define(_mm512_##operation##_pd, __m512d, f64, result) define(_mm512_##operation##_ps, __m512, f32, result) \
      define(_mm256_##operation##_ps, __m256, f32, result)
#define LOCKSTEP_SHIM_INTEGERS(define, operation, sign, result)                                                       \
  define(_mm512_##operation##64, __m512i, sign##64, result) define(_mm512_##operation##32, __m512i, sign##32, result) \
      define(_mm256_##operation##32, __m256i, sign##32, result)
#define LOCKSTEP_SHIM_COMPARES(operation, suffix, sign, result)                                       \
  LOCKSTEP_SHIM_COMPARE(_mm512_##operation##_##suffix##64_mask, __mmask8, __m512i, sign##64, result)  \
  LOCKSTEP_SHIM_COMPARE(_mm512_##operation##_##suffix##32_mask, __mmask16, __m512i, sign##32, result) \
  LOCKSTEP_SHIM_COMPARE(_mm256_##operation##_##suffix##32_mask, __mmask8, __m256i, sign##32, result)
#define LOCKSTEP_SHIM_BITS(operation, result)                            \
  LOCKSTEP_SHIM_BINARY(_mm512_##operation##_si512, __m512i, u64, result) \
  LOCKSTEP_SHIM_BINARY(_mm256_##operation##_si256, __m256i, u64, result)

LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_BINARY, add, x + y)
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_BINARY, sub, x - y)
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_BINARY, mul, x* y)
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_BINARY, div, x / y)
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_BINARY, min, x < y ? x : y)
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_BINARY, max, x > y ? x : y)
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_UNARY, sqrt, std::sqrt(x))
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_TERNARY, fmadd, std::fma(x, y, z))
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_TERNARY, fmsub, std::fma(x, y, -z))
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_TERNARY, fnmadd, std::fma(-x, y, z))
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_TERNARY, fnmsub, std::fma(-x, y, -z))
// The processor's are within one part in 2^14, and so are these; which numbers they give is the processor's own.
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_UNARY, rcp14, lockstep_avx512_shim::with_14_bits(1 / x))
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_UNARY, rsqrt14, lockstep_avx512_shim::with_14_bits(1 / std::sqrt(x)))
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_UNARY, getexp, std::logb(x))
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_BINARY, scalef, lockstep_avx512_shim::scaled(x, y))
#define LOCKSTEP_SHIM_SIGNIFICAND(name, R, T, result)                                        \
  LOCKSTEP_SHIM_INTRINSIC R name(R a, _MM_MANTISSA_NORM_ENUM norm, _MM_MANTISSA_SIGN_ENUM) { \
    const auto p = lockstep_avx512_shim::lanes<lockstep_avx512_shim::T>(a);                  \
    return lockstep_avx512_shim::each<lockstep_avx512_shim::T, R>([&](int i) {               \
      const auto x = p.lane[i];                                                              \
      return result;                                                                         \
    });                                                                                      \
  }
LOCKSTEP_SHIM_FLOATS(LOCKSTEP_SHIM_SIGNIFICAND, getmant, lockstep_avx512_shim::significand(x, norm == _MM_MANT_NORM_p5_2))

LOCKSTEP_SHIM_INTEGERS(LOCKSTEP_SHIM_BINARY, add_epi, u, x + y)
LOCKSTEP_SHIM_INTEGERS(LOCKSTEP_SHIM_BINARY, sub_epi, u, x - y)
LOCKSTEP_SHIM_INTEGERS(LOCKSTEP_SHIM_BINARY, mullo_epi, u, x* y)
LOCKSTEP_SHIM_INTEGERS(LOCKSTEP_SHIM_BINARY, min_epi, i, x < y ? x : y)
LOCKSTEP_SHIM_INTEGERS(LOCKSTEP_SHIM_BINARY, min_epu, u, x < y ? x : y)
LOCKSTEP_SHIM_INTEGERS(LOCKSTEP_SHIM_BINARY, max_epi, i, x > y ? x : y)
LOCKSTEP_SHIM_INTEGERS(LOCKSTEP_SHIM_BINARY, max_epu, u, x > y ? x : y)
LOCKSTEP_SHIM_INTEGERS(LOCKSTEP_SHIM_UNARY, abs_epi, u, x >> (8 * sizeof x - 1) != 0 ? 0 - x : x)
LOCKSTEP_SHIM_INTEGERS(LOCKSTEP_SHIM_BINARY, sllv_epi, u, y < 8 * sizeof x ? x << y : 0)
LOCKSTEP_SHIM_INTEGERS(LOCKSTEP_SHIM_BINARY, srlv_epi, u, y < 8 * sizeof x ? x >> y : 0)
LOCKSTEP_SHIM_INTEGERS(LOCKSTEP_SHIM_BINARY, srav_epi, i, y >= 0 && y < int{8 * sizeof x} ? x >> y : x < 0 ? -1 : 0)
LOCKSTEP_SHIM_BITS(and, x& y)
LOCKSTEP_SHIM_BITS(or, x | y)
LOCKSTEP_SHIM_BITS(xor, x ^ y)

LOCKSTEP_SHIM_COMPARES(cmplt, epi, i, x < y)
LOCKSTEP_SHIM_COMPARES(cmple, epi, i, x <= y)
LOCKSTEP_SHIM_COMPARES(cmpgt, epi, i, x > y)
LOCKSTEP_SHIM_COMPARES(cmpge, epi, i, x >= y)
LOCKSTEP_SHIM_COMPARES(cmpeq, epi, i, x == y)
LOCKSTEP_SHIM_COMPARES(cmpneq, epi, i, x != y)
LOCKSTEP_SHIM_COMPARES(cmplt, epu, u, x < y)
LOCKSTEP_SHIM_COMPARES(cmple, epu, u, x <= y)
LOCKSTEP_SHIM_COMPARES(cmpgt, epu, u, x > y)
LOCKSTEP_SHIM_COMPARES(cmpge, epu, u, x >= y)
LOCKSTEP_SHIM_COMPARE(_mm_test_epi8_mask, __mmask16, __m128i, u8, (x & y) != 0)

#define LOCKSTEP_SHIM_COMPARE_FLOATS(name, K, R, T)                                                                              \
  LOCKSTEP_SHIM_INTRINSIC K name(R a, R b, int predicate) {                                                                      \
    const auto p = lockstep_avx512_shim::lanes<lockstep_avx512_shim::T>(a);                                                      \
    const auto q = lockstep_avx512_shim::lanes<lockstep_avx512_shim::T>(b);                                                      \
    return lockstep_avx512_shim::bits<K>(lockstep_avx512_shim::count<lockstep_avx512_shim::T, R>,                                \
                                         [&](int i) { return lockstep_avx512_shim::compare(p.lane[i], q.lane[i], predicate); }); \
  }
LOCKSTEP_SHIM_COMPARE_FLOATS(_mm512_cmp_pd_mask, __mmask8, __m512d, f64)
LOCKSTEP_SHIM_COMPARE_FLOATS(_mm512_cmp_ps_mask, __mmask16, __m512, f32)
LOCKSTEP_SHIM_COMPARE_FLOATS(_mm256_cmp_ps_mask, __mmask8, __m256, f32)

// ---- Conversions -----------------------------------------------------------------------------------------------------------------------

// Lanes T of an A become lanes T2 of an R; x is a lane. Of the longer one the last lanes are left over, or 0.
#define LOCKSTEP_SHIM_CONVERT(name, R, T2, A, T, result)                    \
  LOCKSTEP_SHIM_INTRINSIC R name(A a) {                                     \
    using To = lockstep_avx512_shim::T2;                                    \
    const auto p = lockstep_avx512_shim::lanes<lockstep_avx512_shim::T>(a); \
    return lockstep_avx512_shim::each<To, R>([&](int i) -> To {             \
      if (i >= lockstep_avx512_shim::count<lockstep_avx512_shim::T, A>) {   \
        return To{0};                                                       \
      }                                                                     \
      const auto x = p.lane[i];                                             \
      return result;                                                        \
    });                                                                     \
  }
#define LOCKSTEP_SHIM_CAST(name, R, T2, A, T) LOCKSTEP_SHIM_CONVERT(name, R, T2, A, T, static_cast<To>(x))
#define LOCKSTEP_SHIM_TRUNCATE(name, R, T2, A, T) LOCKSTEP_SHIM_CONVERT(name, R, T2, A, T, lockstep_avx512_shim::truncated<To>(x))
LOCKSTEP_SHIM_CAST(_mm512_cvtpd_ps, __m256, f32, __m512d, f64)
LOCKSTEP_SHIM_CAST(_mm512_cvtps_pd, __m512d, f64, __m256, f32)
LOCKSTEP_SHIM_TRUNCATE(_mm512_cvttpd_epi64, __m512i, i64, __m512d, f64)
LOCKSTEP_SHIM_TRUNCATE(_mm512_cvttpd_epu64, __m512i, u64, __m512d, f64)
LOCKSTEP_SHIM_TRUNCATE(_mm512_cvttpd_epi32, __m256i, i32, __m512d, f64)
LOCKSTEP_SHIM_TRUNCATE(_mm512_cvttpd_epu32, __m256i, u32, __m512d, f64)
LOCKSTEP_SHIM_TRUNCATE(_mm512_cvttps_epi64, __m512i, i64, __m256, f32)
LOCKSTEP_SHIM_TRUNCATE(_mm512_cvttps_epu64, __m512i, u64, __m256, f32)
LOCKSTEP_SHIM_TRUNCATE(_mm512_cvttps_epi32, __m512i, i32, __m512, f32)
LOCKSTEP_SHIM_TRUNCATE(_mm512_cvttps_epu32, __m512i, u32, __m512, f32)
LOCKSTEP_SHIM_TRUNCATE(_mm256_cvttps_epi32, __m256i, i32, __m256, f32)
LOCKSTEP_SHIM_TRUNCATE(_mm256_cvttps_epu32, __m256i, u32, __m256, f32)
LOCKSTEP_SHIM_CAST(_mm512_cvtepi64_pd, __m512d, f64, __m512i, i64)
LOCKSTEP_SHIM_CAST(_mm512_cvtepu64_pd, __m512d, f64, __m512i, u64)
LOCKSTEP_SHIM_CAST(_mm512_cvtepi64_ps, __m256, f32, __m512i, i64)
LOCKSTEP_SHIM_CAST(_mm512_cvtepu64_ps, __m256, f32, __m512i, u64)
LOCKSTEP_SHIM_CAST(_mm512_cvtepi32_pd, __m512d, f64, __m256i, i32)
LOCKSTEP_SHIM_CAST(_mm512_cvtepu32_pd, __m512d, f64, __m256i, u32)
LOCKSTEP_SHIM_CAST(_mm512_cvtepi32_ps, __m512, f32, __m512i, i32)
LOCKSTEP_SHIM_CAST(_mm512_cvtepu32_ps, __m512, f32, __m512i, u32)
LOCKSTEP_SHIM_CAST(_mm256_cvtepi32_ps, __m256, f32, __m256i, i32)
LOCKSTEP_SHIM_CAST(_mm256_cvtepu32_ps, __m256, f32, __m256i, u32)
LOCKSTEP_SHIM_CAST(_mm512_cvtepi64_epi32, __m256i, u32, __m512i, u64)
LOCKSTEP_SHIM_CAST(_mm512_cvtepi32_epi64, __m512i, i64, __m256i, i32)
LOCKSTEP_SHIM_CAST(_mm512_cvtepu32_epi64, __m512i, u64, __m256i, u32)
LOCKSTEP_SHIM_CAST(_mm512_cvtepi8_epi32, __m512i, i32, __m128i, i8)
LOCKSTEP_SHIM_CAST(_mm512_cvtepu8_epi32, __m512i, i32, __m128i, u8)
LOCKSTEP_SHIM_CAST(_mm512_cvtepi16_epi32, __m512i, i32, __m256i, i16)
LOCKSTEP_SHIM_CAST(_mm512_cvtepu16_epi32, __m512i, i32, __m256i, u16)
LOCKSTEP_SHIM_CAST(_mm256_cvtepi8_epi32, __m256i, i32, __m128i, i8)
LOCKSTEP_SHIM_CAST(_mm256_cvtepu8_epi32, __m256i, i32, __m128i, u8)
LOCKSTEP_SHIM_CAST(_mm256_cvtepi16_epi32, __m256i, i32, __m128i, i16)
LOCKSTEP_SHIM_CAST(_mm256_cvtepu16_epi32, __m256i, i32, __m128i, u16)
LOCKSTEP_SHIM_CAST(_mm512_cvtepi32_epi8, __m128i, u8, __m512i, u32)
LOCKSTEP_SHIM_CAST(_mm512_cvtepi32_epi16, __m256i, u16, __m512i, u32)
LOCKSTEP_SHIM_CAST(_mm256_cvtepi32_epi8, __m128i, u8, __m256i, u32)
LOCKSTEP_SHIM_CAST(_mm256_cvtepi32_epi16, __m128i, u16, __m256i, u32)

// ---- The same bits
// -----------------------------------------------------------------------------------------------------------------------

// Where the result is longer, the processor leaves the rest undefined (cast) or clears it (zext).
#define LOCKSTEP_SHIM_BITS_AS(name, R, A) \
  LOCKSTEP_SHIM_INTRINSIC R name(A a) { return lockstep_avx512_shim::cast<R>(a); }
#define LOCKSTEP_SHIM_BITS_AS_ALL(width, si)                                  \
  LOCKSTEP_SHIM_BITS_AS(_mm##width##_castpd_ps, __m##si, __m##si##d)          \
  LOCKSTEP_SHIM_BITS_AS(_mm##width##_castpd_si##si, __m##si##i, __m##si##d)   \
  LOCKSTEP_SHIM_BITS_AS(_mm##width##_castps_pd, __m##si##d, __m##si)          \
  LOCKSTEP_SHIM_BITS_AS(_mm##width##_castps_si##si, __m##si##i, __m##si)      \
  LOCKSTEP_SHIM_BITS_AS(_mm##width##_castsi##si##_pd, __m##si##d, __m##si##i) \
  LOCKSTEP_SHIM_BITS_AS(_mm##width##_castsi##si##_ps, __m##si, __m##si##i)
#define LOCKSTEP_SHIM_RESIZED(wide, narrow)                                                  \
  LOCKSTEP_SHIM_BITS_AS(_mm##wide##_castpd##narrow##_pd##wide, __m##wide##d, __m##narrow##d) \
  LOCKSTEP_SHIM_BITS_AS(_mm##wide##_castps##narrow##_ps##wide, __m##wide, __m##narrow)       \
  LOCKSTEP_SHIM_BITS_AS(_mm##wide##_castsi##narrow##_si##wide, __m##wide##i, __m##narrow##i) \
  LOCKSTEP_SHIM_BITS_AS(_mm##wide##_zextpd##narrow##_pd##wide, __m##wide##d, __m##narrow##d) \
  LOCKSTEP_SHIM_BITS_AS(_mm##wide##_zextps##narrow##_ps##wide, __m##wide, __m##narrow)       \
  LOCKSTEP_SHIM_BITS_AS(_mm##wide##_zextsi##narrow##_si##wide, __m##wide##i, __m##narrow##i) \
  LOCKSTEP_SHIM_BITS_AS(_mm##wide##_castpd##wide##_pd##narrow, __m##narrow##d, __m##wide##d) \
  LOCKSTEP_SHIM_BITS_AS(_mm##wide##_castps##wide##_ps##narrow, __m##narrow, __m##wide)       \
  LOCKSTEP_SHIM_BITS_AS(_mm##wide##_castsi##wide##_si##narrow, __m##narrow##i, __m##wide##i)
LOCKSTEP_SHIM_BITS_AS_ALL(512, 512)
LOCKSTEP_SHIM_BITS_AS_ALL(256, 256)
LOCKSTEP_SHIM_BITS_AS_ALL(, 128)
LOCKSTEP_SHIM_RESIZED(512, 256)
LOCKSTEP_SHIM_RESIZED(512, 128)
LOCKSTEP_SHIM_RESIZED(256, 128)

// ---- Constants -------------------------------------------------------------------------------------------------------------------------

#define LOCKSTEP_SHIM_SET1(name, R, T, S)                                                  \
  LOCKSTEP_SHIM_INTRINSIC R name(S s) {                                                    \
    return lockstep_avx512_shim::each<lockstep_avx512_shim::T, R>([&](int) { return s; }); \
  }
LOCKSTEP_SHIM_SET1(_mm512_set1_pd, __m512d, f64, double)
LOCKSTEP_SHIM_SET1(_mm512_set1_ps, __m512, f32, float)
LOCKSTEP_SHIM_SET1(_mm512_set1_epi64, __m512i, i64, long long)
LOCKSTEP_SHIM_SET1(_mm512_set1_epi32, __m512i, i32, int)
LOCKSTEP_SHIM_SET1(_mm256_set1_ps, __m256, f32, float)
LOCKSTEP_SHIM_SET1(_mm256_set1_epi32, __m256i, i32, int)
LOCKSTEP_SHIM_SET1(_mm_set1_epi8, __m128i, i8, char)
#define LOCKSTEP_SHIM_ZERO(name, R) \
  LOCKSTEP_SHIM_INTRINSIC R name() { return R{}; }
LOCKSTEP_SHIM_ZERO(_mm512_setzero_pd, __m512d)
LOCKSTEP_SHIM_ZERO(_mm512_setzero_ps, __m512)
LOCKSTEP_SHIM_ZERO(_mm512_setzero_si512, __m512i)
LOCKSTEP_SHIM_ZERO(_mm256_setzero_pd, __m256d)
LOCKSTEP_SHIM_ZERO(_mm256_setzero_ps, __m256)
LOCKSTEP_SHIM_ZERO(_mm256_setzero_si256, __m256i)

// set names the highest lane first, setr the lowest one.
#define LOCKSTEP_SHIM_SET4(prefix, suffix, R, T, S)                                                              \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_setr_##suffix(S a, S b, S c, S d) {                                         \
    return lockstep_avx512_shim::made<R>(lockstep_avx512_shim::Lanes<lockstep_avx512_shim::T, 4>{{a, b, c, d}}); \
  }                                                                                                              \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_set_##suffix(S d, S c, S b, S a) { return prefix##_setr_##suffix(a, b, c, d); }
#define LOCKSTEP_SHIM_SET8(prefix, suffix, R, T, S)                                                                          \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_setr_##suffix(S a, S b, S c, S d, S e, S f, S g, S h) {                                 \
    return lockstep_avx512_shim::made<R>(lockstep_avx512_shim::Lanes<lockstep_avx512_shim::T, 8>{{a, b, c, d, e, f, g, h}}); \
  }                                                                                                                          \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_set_##suffix(S h, S g, S f, S e, S d, S c, S b, S a) {                                  \
    return prefix##_setr_##suffix(a, b, c, d, e, f, g, h);                                                                   \
  }
#define LOCKSTEP_SHIM_SET16(prefix, suffix, R, T, S)                                                                                 \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_setr_##suffix(S a, S b, S c, S d, S e, S f, S g, S h, S i, S j, S k, S l, S m, S n, S o, S p) { \
    return lockstep_avx512_shim::made<R>(                                                                                            \
        lockstep_avx512_shim::Lanes<lockstep_avx512_shim::T, 16>{{a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p}});                 \
  }                                                                                                                                  \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_set_##suffix(S p, S o, S n, S m, S l, S k, S j, S i, S h, S g, S f, S e, S d, S c, S b, S a) {  \
    return prefix##_setr_##suffix(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);                                                   \
  }
LOCKSTEP_SHIM_SET8(_mm512, pd, __m512d, f64, double)
LOCKSTEP_SHIM_SET8(_mm512, epi64, __m512i, i64, long long)
LOCKSTEP_SHIM_SET16(_mm512, ps, __m512, f32, float)
LOCKSTEP_SHIM_SET16(_mm512, epi32, __m512i, i32, int)
LOCKSTEP_SHIM_SET4(_mm256, pd, __m256d, f64, double)
LOCKSTEP_SHIM_SET4(_mm256, epi64x, __m256i, i64, long long)
LOCKSTEP_SHIM_SET8(_mm256, ps, __m256, f32, float)
LOCKSTEP_SHIM_SET8(_mm256, epi32, __m256i, i32, int)

// ---- The first lane
// ------------------------------------------------------------------------------------------------------------------------

#define LOCKSTEP_SHIM_FIRST(name, S, A, T) \
  LOCKSTEP_SHIM_INTRINSIC S name(A a) { return lockstep_avx512_shim::lanes<lockstep_avx512_shim::T>(a).lane[0]; }
LOCKSTEP_SHIM_FIRST(_mm512_cvtsd_f64, double, __m512d, f64)
LOCKSTEP_SHIM_FIRST(_mm512_cvtss_f32, float, __m512, f32)
LOCKSTEP_SHIM_FIRST(_mm512_cvtsi512_si32, int, __m512i, i32)
LOCKSTEP_SHIM_FIRST(_mm256_cvtsd_f64, double, __m256d, f64)
LOCKSTEP_SHIM_FIRST(_mm256_cvtss_f32, float, __m256, f32)
LOCKSTEP_SHIM_FIRST(_mm256_cvtsi256_si32, int, __m256i, i32)
LOCKSTEP_SHIM_FIRST(_mm_cvtsd_f64, double, __m128d, f64)
LOCKSTEP_SHIM_FIRST(_mm_cvtss_f32, float, __m128, f32)
LOCKSTEP_SHIM_FIRST(_mm_cvtsi128_si32, int, __m128i, i32)
LOCKSTEP_SHIM_FIRST(_mm_cvtsi128_si64, long long, __m128i, i64)

// ---- Loads and stores ------------------------------------------------------------------------------------------------------------------

#define LOCKSTEP_SHIM_LOAD(name, R, P) \
  LOCKSTEP_SHIM_INTRINSIC R name(const P* p) { return lockstep_avx512_shim::loaded<R>(p); }
#define LOCKSTEP_SHIM_STORE(name, R, P) \
  LOCKSTEP_SHIM_INTRINSIC void name(P* p, R a) { lockstep_avx512_shim::stored(p, a); }
LOCKSTEP_SHIM_LOAD(_mm512_loadu_pd, __m512d, void)
LOCKSTEP_SHIM_LOAD(_mm512_loadu_ps, __m512, void)
LOCKSTEP_SHIM_LOAD(_mm512_loadu_si512, __m512i, void)
LOCKSTEP_SHIM_LOAD(_mm512_load_pd, __m512d, void)
LOCKSTEP_SHIM_LOAD(_mm512_load_ps, __m512, void)
LOCKSTEP_SHIM_LOAD(_mm512_load_si512, __m512i, void)
LOCKSTEP_SHIM_LOAD(_mm256_loadu_pd, __m256d, double)
LOCKSTEP_SHIM_LOAD(_mm256_loadu_ps, __m256, float)
LOCKSTEP_SHIM_LOAD(_mm256_loadu_si256, __m256i, __m256i)
LOCKSTEP_SHIM_LOAD(_mm256_load_si256, __m256i, __m256i)
LOCKSTEP_SHIM_LOAD(_mm_loadu_pd, __m128d, double)
LOCKSTEP_SHIM_LOAD(_mm_loadu_ps, __m128, float)
LOCKSTEP_SHIM_LOAD(_mm_loadu_si128, __m128i, __m128i)
LOCKSTEP_SHIM_STORE(_mm512_storeu_pd, __m512d, void)
LOCKSTEP_SHIM_STORE(_mm512_storeu_ps, __m512, void)
LOCKSTEP_SHIM_STORE(_mm512_storeu_si512, __m512i, void)
LOCKSTEP_SHIM_STORE(_mm512_store_pd, __m512d, void)
LOCKSTEP_SHIM_STORE(_mm512_store_ps, __m512, void)
LOCKSTEP_SHIM_STORE(_mm512_store_si512, __m512i, void)
LOCKSTEP_SHIM_STORE(_mm256_storeu_pd, __m256d, double)
LOCKSTEP_SHIM_STORE(_mm256_storeu_ps, __m256, float)
LOCKSTEP_SHIM_STORE(_mm256_storeu_si256, __m256i, __m256i)
LOCKSTEP_SHIM_STORE(_mm_storeu_si128, __m128i, __m128i)
// There are no caches to pass by here.
LOCKSTEP_SHIM_STORE(_mm512_stream_pd, __m512d, void)
LOCKSTEP_SHIM_STORE(_mm512_stream_ps, __m512, void)
LOCKSTEP_SHIM_STORE(_mm512_stream_si512, __m512i, void)
LOCKSTEP_SHIM_STORE(_mm256_stream_ps, __m256, float)
LOCKSTEP_SHIM_STORE(_mm256_stream_si256, __m256i, __m256i)

/// 8 bytes, and 0 in the upper half.
LOCKSTEP_SHIM_INTRINSIC __m128i _mm_loadl_epi64(const __m128i* p) {
  return lockstep_avx512_shim::cast<__m128i>(lockstep_avx512_shim::loaded<long long>(p));
}
LOCKSTEP_SHIM_INTRINSIC void _mm_storel_epi64(__m128i* p, __m128i a) { lockstep_avx512_shim::stored<long long>(p, a.lane[0]); }

#define LOCKSTEP_SHIM_MASK_MEMORY(prefix, suffix, K, R, T)                                                                         \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_maskz_loadu_##suffix(K m, const void* p) {                                                    \
    return lockstep_avx512_shim::loaded<lockstep_avx512_shim::T, R>(m, p);                                                         \
  }                                                                                                                                \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_mask_loadu_##suffix(R otherwise, K m, const void* p) {                                        \
    return lockstep_avx512_shim::blend<lockstep_avx512_shim::T>(m, lockstep_avx512_shim::loaded<lockstep_avx512_shim::T, R>(m, p), \
                                                                otherwise);                                                        \
  }                                                                                                                                \
  LOCKSTEP_SHIM_INTRINSIC void prefix##_mask_storeu_##suffix(void* p, K m, R a) {                                                  \
    lockstep_avx512_shim::stored<lockstep_avx512_shim::T>(p, m, a);                                                                \
  }
LOCKSTEP_SHIM_MASK_MEMORY(_mm512, pd, __mmask8, __m512d, f64)
LOCKSTEP_SHIM_MASK_MEMORY(_mm512, ps, __mmask16, __m512, f32)
LOCKSTEP_SHIM_MASK_MEMORY(_mm512, epi64, __mmask8, __m512i, i64)
LOCKSTEP_SHIM_MASK_MEMORY(_mm512, epi32, __mmask16, __m512i, i32)
LOCKSTEP_SHIM_MASK_MEMORY(_mm256, pd, __mmask8, __m256d, f64)
LOCKSTEP_SHIM_MASK_MEMORY(_mm256, ps, __mmask8, __m256, f32)
LOCKSTEP_SHIM_MASK_MEMORY(_mm256, epi64, __mmask8, __m256i, i64)
LOCKSTEP_SHIM_MASK_MEMORY(_mm256, epi32, __mmask8, __m256i, i32)
LOCKSTEP_SHIM_MASK_MEMORY(_mm256, epi16, __mmask16, __m256i, i16)
LOCKSTEP_SHIM_MASK_MEMORY(_mm, epi16, __mmask8, __m128i, i16)
LOCKSTEP_SHIM_MASK_MEMORY(_mm, epi8, __mmask16, __m128i, i8)

#define LOCKSTEP_SHIM_GATHER(name, K, R, T, X, I)                                                                              \
  LOCKSTEP_SHIM_INTRINSIC R name(R otherwise, K m, X index, const void* base, int scale) {                                     \
    return lockstep_avx512_shim::gathered<lockstep_avx512_shim::T, lockstep_avx512_shim::I>(otherwise, m, index, base, scale); \
  }
#define LOCKSTEP_SHIM_SCATTER(name, K, R, T, X, I)                                                               \
  LOCKSTEP_SHIM_INTRINSIC void name(void* base, K m, X index, R a, int scale) {                                  \
    lockstep_avx512_shim::scattered<lockstep_avx512_shim::T, lockstep_avx512_shim::I>(base, m, index, a, scale); \
  }
LOCKSTEP_SHIM_GATHER(_mm512_mask_i64gather_pd, __mmask8, __m512d, f64, __m512i, i64)
LOCKSTEP_SHIM_GATHER(_mm512_mask_i64gather_ps, __mmask8, __m256, f32, __m512i, i64)
LOCKSTEP_SHIM_GATHER(_mm512_mask_i64gather_epi64, __mmask8, __m512i, i64, __m512i, i64)
LOCKSTEP_SHIM_GATHER(_mm512_mask_i64gather_epi32, __mmask8, __m256i, i32, __m512i, i64)
LOCKSTEP_SHIM_GATHER(_mm512_mask_i32gather_pd, __mmask8, __m512d, f64, __m256i, i32)
LOCKSTEP_SHIM_GATHER(_mm512_mask_i32gather_ps, __mmask16, __m512, f32, __m512i, i32)
LOCKSTEP_SHIM_GATHER(_mm512_mask_i32gather_epi64, __mmask8, __m512i, i64, __m256i, i32)
LOCKSTEP_SHIM_GATHER(_mm512_mask_i32gather_epi32, __mmask16, __m512i, i32, __m512i, i32)
LOCKSTEP_SHIM_GATHER(_mm256_mmask_i32gather_ps, __mmask8, __m256, f32, __m256i, i32)
LOCKSTEP_SHIM_GATHER(_mm256_mmask_i32gather_epi32, __mmask8, __m256i, i32, __m256i, i32)
LOCKSTEP_SHIM_SCATTER(_mm512_mask_i64scatter_pd, __mmask8, __m512d, f64, __m512i, i64)
LOCKSTEP_SHIM_SCATTER(_mm512_mask_i64scatter_ps, __mmask8, __m256, f32, __m512i, i64)
LOCKSTEP_SHIM_SCATTER(_mm512_mask_i64scatter_epi64, __mmask8, __m512i, i64, __m512i, i64)
LOCKSTEP_SHIM_SCATTER(_mm512_mask_i64scatter_epi32, __mmask8, __m256i, i32, __m512i, i64)
LOCKSTEP_SHIM_SCATTER(_mm512_mask_i32scatter_pd, __mmask8, __m512d, f64, __m256i, i32)
LOCKSTEP_SHIM_SCATTER(_mm512_mask_i32scatter_ps, __mmask16, __m512, f32, __m512i, i32)
LOCKSTEP_SHIM_SCATTER(_mm512_mask_i32scatter_epi64, __mmask8, __m512i, i64, __m256i, i32)
LOCKSTEP_SHIM_SCATTER(_mm512_mask_i32scatter_epi32, __mmask16, __m512i, i32, __m512i, i32)
LOCKSTEP_SHIM_SCATTER(_mm256_mask_i32scatter_ps, __mmask8, __m256, f32, __m256i, i32)
LOCKSTEP_SHIM_SCATTER(_mm256_mask_i32scatter_epi32, __mmask8, __m256i, i32, __m256i, i32)

// ---- Lanes to other places -------------------------------------------------------------------------------------------------------------

// Where the mask has a bit, what the first definition says, else the lane of `otherwise`, or 0.
#define LOCKSTEP_SHIM_MASKED(prefix, operation, K, R, T, parameters, arguments)                                \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_mask_##operation(R otherwise, K m, LOCKSTEP_SHIM_LIST parameters) {       \
    return lockstep_avx512_shim::blend<lockstep_avx512_shim::T>(m, prefix##_##operation arguments, otherwise); \
  }                                                                                                            \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_maskz_##operation(K m, LOCKSTEP_SHIM_LIST parameters) {                   \
    return lockstep_avx512_shim::blend<lockstep_avx512_shim::T>(m, prefix##_##operation arguments, R{});       \
  }
#define LOCKSTEP_SHIM_LIST(...) __VA_ARGS__

// All types of lanes: define(start of the name, end of the name, type of a mask, of a register, of the bits of a lane, of an index vector).
#define LOCKSTEP_SHIM_ALL(define)                                                                                    \
  define(_mm512, pd, __mmask8, __m512d, u64, __m512i) define(_mm512, ps, __mmask16, __m512, u32, __m512i)            \
      define(_mm512, epi64, __mmask8, __m512i, u64, __m512i) define(_mm512, epi32, __mmask16, __m512i, u32, __m512i) \
          define(_mm256, pd, __mmask8, __m256d, u64, __m256i) define(_mm256, ps, __mmask8, __m256, u32, __m256i)     \
              define(_mm256, epi64, __mmask8, __m256i, u64, __m256i) define(_mm256, epi32, __mmask8, __m256i, u32, __m256i)

// Lanes that an index vector names: of one register, or of two, those of the second one numbered behind those of the first.
#define LOCKSTEP_SHIM_PERMUTES(prefix, suffix, K, R, T, X)                                                            \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_permutexvar_##suffix(X index, R a) {                                             \
    return lockstep_avx512_shim::permuted<lockstep_avx512_shim::T>(index, a);                                         \
  }                                                                                                                   \
  LOCKSTEP_SHIM_MASKED(prefix, permutexvar_##suffix, K, R, T, (X index, R a), (index, a))                             \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_permutex2var_##suffix(R a, X index, R b) {                                       \
    return lockstep_avx512_shim::permuted<lockstep_avx512_shim::T>(index, a, b);                                      \
  }                                                                                                                   \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_mask_permutex2var_##suffix(R a, K m, X index, R b) {                             \
    return lockstep_avx512_shim::blend<lockstep_avx512_shim::T>(m, prefix##_permutex2var_##suffix(a, index, b), a);   \
  }                                                                                                                   \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_mask2_permutex2var_##suffix(R a, X index, K m, R b) {                            \
    return lockstep_avx512_shim::blend<lockstep_avx512_shim::T>(m, prefix##_permutex2var_##suffix(a, index, b),       \
                                                                lockstep_avx512_shim::cast<R>(index));                \
  }                                                                                                                   \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_maskz_permutex2var_##suffix(K m, R a, X index, R b) {                            \
    return lockstep_avx512_shim::blend<lockstep_avx512_shim::T>(m, prefix##_permutex2var_##suffix(a, index, b), R{}); \
  }
LOCKSTEP_SHIM_ALL(LOCKSTEP_SHIM_PERMUTES)
LOCKSTEP_SHIM_INTRINSIC __m256 _mm256_permutevar8x32_ps(__m256 a, __m256i index) { return _mm256_permutexvar_ps(index, a); }
LOCKSTEP_SHIM_INTRINSIC __m256i _mm256_permutevar8x32_epi32(__m256i a, __m256i index) { return _mm256_permutexvar_epi32(index, a); }

// Lanes that the mask selects.
#define LOCKSTEP_SHIM_BLENDS(prefix, suffix, K, R, T, X)                          \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_mask_blend_##suffix(K m, R a, R b) {         \
    return lockstep_avx512_shim::blend<lockstep_avx512_shim::T>(m, b, a);         \
  }                                                                               \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_mask_mov_##suffix(R otherwise, K m, R a) {   \
    return lockstep_avx512_shim::blend<lockstep_avx512_shim::T>(m, a, otherwise); \
  }                                                                               \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_maskz_mov_##suffix(K m, R a) {               \
    return lockstep_avx512_shim::blend<lockstep_avx512_shim::T>(m, a, R{});       \
  }
LOCKSTEP_SHIM_ALL(LOCKSTEP_SHIM_BLENDS)
LOCKSTEP_SHIM_INTRINSIC __m128i _mm_maskz_mov_epi8(__mmask16 m, __m128i a) {
  return lockstep_avx512_shim::blend<lockstep_avx512_shim::u8>(m, a, __m128i{});
}
LOCKSTEP_SHIM_INTRINSIC __m256d _mm256_blend_pd(__m256d a, __m256d b, int immediate) {
  return lockstep_avx512_shim::blend<lockstep_avx512_shim::u64>(static_cast<unsigned>(immediate), b, a);
}
LOCKSTEP_SHIM_INTRINSIC __m256 _mm256_blend_ps(__m256 a, __m256 b, int immediate) {
  return lockstep_avx512_shim::blend<lockstep_avx512_shim::u32>(static_cast<unsigned>(immediate), b, a);
}
LOCKSTEP_SHIM_INTRINSIC __m256i _mm256_blend_epi32(__m256i a, __m256i b, int immediate) {
  return lockstep_avx512_shim::blend<lockstep_avx512_shim::u32>(static_cast<unsigned>(immediate), b, a);
}

// Lanes that an immediate names. `from` is the number of the lane that comes to lane i, of one register or, counted on, of a second one; n
// is the number of lanes, `part` that of lanes in 128 bits.
#define LOCKSTEP_SHIM_MOVE_ONE(prefix, operation, K, R, T, I, from)                                                                    \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_##operation(R a, I immediate) {                                                                   \
    return lockstep_avx512_shim::moved<lockstep_avx512_shim::T>(a, a, [immediate](int i, int, int) { return (void)immediate, from; }); \
  }                                                                                                                                    \
  LOCKSTEP_SHIM_MASKED(prefix, operation, K, R, T, (R a, I immediate), (a, immediate))
#define LOCKSTEP_SHIM_MOVE_TWO(prefix, operation, K, R, T, from)                                                                         \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_##operation(R a, R b, int immediate) {                                                              \
    return lockstep_avx512_shim::moved<lockstep_avx512_shim::T>(a, b, [immediate](int i, int n, int part) { return (void)part, from; }); \
  }                                                                                                                                      \
  LOCKSTEP_SHIM_MASKED(prefix, operation, K, R, T, (R a, R b, int immediate), (a, b, immediate))

// Within 256 bits, and within 128 bits.
#define LOCKSTEP_SHIM_ONE_OF_2 (i & ~1) + (immediate >> i & 1)
#define LOCKSTEP_SHIM_ONE_OF_4 (i & ~3) + (immediate >> 2 * (i & 3) & 3)
LOCKSTEP_SHIM_MOVE_ONE(_mm512, permutex_pd, __mmask8, __m512d, u64, int, LOCKSTEP_SHIM_ONE_OF_4)
LOCKSTEP_SHIM_MOVE_ONE(_mm512, permutex_epi64, __mmask8, __m512i, u64, int, LOCKSTEP_SHIM_ONE_OF_4)
LOCKSTEP_SHIM_MOVE_ONE(_mm256, permutex_pd, __mmask8, __m256d, u64, int, LOCKSTEP_SHIM_ONE_OF_4)
LOCKSTEP_SHIM_MOVE_ONE(_mm256, permutex_epi64, __mmask8, __m256i, u64, int, LOCKSTEP_SHIM_ONE_OF_4)
LOCKSTEP_SHIM_INTRINSIC __m256d _mm256_permute4x64_pd(__m256d a, int immediate) { return _mm256_permutex_pd(a, immediate); }
LOCKSTEP_SHIM_INTRINSIC __m256i _mm256_permute4x64_epi64(__m256i a, int immediate) { return _mm256_permutex_epi64(a, immediate); }
LOCKSTEP_SHIM_MOVE_ONE(_mm512, permute_pd, __mmask8, __m512d, u64, int, LOCKSTEP_SHIM_ONE_OF_2)
LOCKSTEP_SHIM_MOVE_ONE(_mm256, permute_pd, __mmask8, __m256d, u64, int, LOCKSTEP_SHIM_ONE_OF_2)
LOCKSTEP_SHIM_MOVE_ONE(_mm512, permute_ps, __mmask16, __m512, u32, int, LOCKSTEP_SHIM_ONE_OF_4)
LOCKSTEP_SHIM_MOVE_ONE(_mm256, permute_ps, __mmask8, __m256, u32, int, LOCKSTEP_SHIM_ONE_OF_4)
LOCKSTEP_SHIM_MOVE_ONE(_mm512, shuffle_epi32, __mmask16, __m512i, u32, _MM_PERM_ENUM, LOCKSTEP_SHIM_ONE_OF_4)
LOCKSTEP_SHIM_MOVE_ONE(_mm256, shuffle_epi32, __mmask8, __m256i, u32, int, LOCKSTEP_SHIM_ONE_OF_4)

// Lanes of both registers, within 128 bits.
LOCKSTEP_SHIM_MOVE_TWO(_mm512, shuffle_pd, __mmask8, __m512d, u64, LOCKSTEP_SHIM_ONE_OF_2 + (i % 2 == 0 ? 0 : n))
LOCKSTEP_SHIM_MOVE_TWO(_mm256, shuffle_pd, __mmask8, __m256d, u64, LOCKSTEP_SHIM_ONE_OF_2 + (i % 2 == 0 ? 0 : n))
LOCKSTEP_SHIM_MOVE_TWO(_mm512, shuffle_ps, __mmask16, __m512, u32, LOCKSTEP_SHIM_ONE_OF_4 + (i % 4 < 2 ? 0 : n))
LOCKSTEP_SHIM_MOVE_TWO(_mm256, shuffle_ps, __mmask8, __m256, u32, LOCKSTEP_SHIM_ONE_OF_4 + (i % 4 < 2 ? 0 : n))
#define LOCKSTEP_SHIM_UNPACK(prefix, operation, K, R, T, offset)                                                     \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_##operation(R a, R b) {                                                         \
    return lockstep_avx512_shim::moved<lockstep_avx512_shim::T>(                                                     \
        a, b, [](int i, int n, int part) { return i - i % part + i % part / 2 + (offset) + (i % 2 == 0 ? 0 : n); }); \
  }                                                                                                                  \
  LOCKSTEP_SHIM_MASKED(prefix, operation, K, R, T, (R a, R b), (a, b))
#define LOCKSTEP_SHIM_UNPACKS(prefix, suffix, K, R, T, X)     \
  LOCKSTEP_SHIM_UNPACK(prefix, unpacklo_##suffix, K, R, T, 0) \
  LOCKSTEP_SHIM_UNPACK(prefix, unpackhi_##suffix, K, R, T, part / 2)
LOCKSTEP_SHIM_ALL(LOCKSTEP_SHIM_UNPACKS)

// Parts of 128 bits: the lower half of them from the first register.
#define LOCKSTEP_SHIM_PART_OF_4 (immediate >> 2 * (i / part) & 3) * part + i % part + (i < n / 2 ? 0 : n)
#define LOCKSTEP_SHIM_PART_OF_2 (immediate >> i / part & 1) * part + i % part + (i < n / 2 ? 0 : n)
LOCKSTEP_SHIM_MOVE_TWO(_mm512, shuffle_f64x2, __mmask8, __m512d, u64, LOCKSTEP_SHIM_PART_OF_4)
LOCKSTEP_SHIM_MOVE_TWO(_mm512, shuffle_f32x4, __mmask16, __m512, u32, LOCKSTEP_SHIM_PART_OF_4)
LOCKSTEP_SHIM_MOVE_TWO(_mm512, shuffle_i64x2, __mmask8, __m512i, u64, LOCKSTEP_SHIM_PART_OF_4)
LOCKSTEP_SHIM_MOVE_TWO(_mm512, shuffle_i32x4, __mmask16, __m512i, u32, LOCKSTEP_SHIM_PART_OF_4)
LOCKSTEP_SHIM_MOVE_TWO(_mm256, shuffle_f64x2, __mmask8, __m256d, u64, LOCKSTEP_SHIM_PART_OF_2)
LOCKSTEP_SHIM_MOVE_TWO(_mm256, shuffle_f32x4, __mmask8, __m256, u32, LOCKSTEP_SHIM_PART_OF_2)
LOCKSTEP_SHIM_MOVE_TWO(_mm256, shuffle_i64x2, __mmask8, __m256i, u64, LOCKSTEP_SHIM_PART_OF_2)
LOCKSTEP_SHIM_MOVE_TWO(_mm256, shuffle_i32x4, __mmask8, __m256i, u32, LOCKSTEP_SHIM_PART_OF_2)
// Any two parts of both registers, or zeros where bit 3 of the part's number is set.
#define LOCKSTEP_SHIM_ANY_PARTS(name, R)                                                                          \
  LOCKSTEP_SHIM_INTRINSIC R name(R a, R b, int immediate) {                                                       \
    const R parts = lockstep_avx512_shim::moved<lockstep_avx512_shim::u64>(                                       \
        a, b, [immediate](int i, int, int part) { return (immediate >> 4 * (i / part) & 3) * part + i % part; }); \
    const unsigned zeros = ((immediate & 0x08) != 0 ? 0x3U : 0U) | ((immediate & 0x80) != 0 ? 0xCU : 0U);         \
    return lockstep_avx512_shim::blend<lockstep_avx512_shim::u64>(zeros, R{}, parts);                             \
  }
LOCKSTEP_SHIM_ANY_PARTS(_mm256_permute2f128_pd, __m256d)
LOCKSTEP_SHIM_ANY_PARTS(_mm256_permute2f128_ps, __m256)
LOCKSTEP_SHIM_ANY_PARTS(_mm256_permute2f128_si256, __m256i)
LOCKSTEP_SHIM_ANY_PARTS(_mm256_permute2x128_si256, __m256i)

// A window of n lanes that begins in the second register and ends in the first one.
#define LOCKSTEP_SHIM_WINDOW (i + (immediate & (n - 1)) + n) % (2 * n)
LOCKSTEP_SHIM_MOVE_TWO(_mm512, alignr_epi64, __mmask8, __m512i, u64, LOCKSTEP_SHIM_WINDOW)
LOCKSTEP_SHIM_MOVE_TWO(_mm512, alignr_epi32, __mmask16, __m512i, u32, LOCKSTEP_SHIM_WINDOW)
LOCKSTEP_SHIM_MOVE_TWO(_mm256, alignr_epi64, __mmask8, __m256i, u64, LOCKSTEP_SHIM_WINDOW)
LOCKSTEP_SHIM_MOVE_TWO(_mm256, alignr_epi32, __mmask8, __m256i, u32, LOCKSTEP_SHIM_WINDOW)

// The lowest lane of an A, or all of it, again and again.
#define LOCKSTEP_SHIM_BROADCAST(prefix, operation, K, R, T, A, lanes_of_a)                                         \
  LOCKSTEP_SHIM_INTRINSIC R prefix##_##operation(A a) {                                                            \
    return lockstep_avx512_shim::moved<lockstep_avx512_shim::T>(lockstep_avx512_shim::cast<R>(a), R{},             \
                                                                [](int i, int, int) { return i % (lanes_of_a); }); \
  }                                                                                                                \
  LOCKSTEP_SHIM_MASKED(prefix, operation, K, R, T, (A a), (a))
LOCKSTEP_SHIM_BROADCAST(_mm512, broadcastsd_pd, __mmask8, __m512d, u64, __m128d, 1)
LOCKSTEP_SHIM_BROADCAST(_mm512, broadcastss_ps, __mmask16, __m512, u32, __m128, 1)
LOCKSTEP_SHIM_BROADCAST(_mm512, broadcastq_epi64, __mmask8, __m512i, u64, __m128i, 1)
LOCKSTEP_SHIM_BROADCAST(_mm512, broadcastd_epi32, __mmask16, __m512i, u32, __m128i, 1)
LOCKSTEP_SHIM_BROADCAST(_mm256, broadcastsd_pd, __mmask8, __m256d, u64, __m128d, 1)
LOCKSTEP_SHIM_BROADCAST(_mm256, broadcastss_ps, __mmask8, __m256, u32, __m128, 1)
LOCKSTEP_SHIM_BROADCAST(_mm256, broadcastq_epi64, __mmask8, __m256i, u64, __m128i, 1)
LOCKSTEP_SHIM_BROADCAST(_mm256, broadcastd_epi32, __mmask8, __m256i, u32, __m128i, 1)
LOCKSTEP_SHIM_BROADCAST(_mm512, broadcast_f64x2, __mmask8, __m512d, u64, __m128d, 2)
LOCKSTEP_SHIM_BROADCAST(_mm512, broadcast_f64x4, __mmask8, __m512d, u64, __m256d, 4)
LOCKSTEP_SHIM_BROADCAST(_mm512, broadcast_f32x4, __mmask16, __m512, u32, __m128, 4)
LOCKSTEP_SHIM_BROADCAST(_mm512, broadcast_f32x8, __mmask16, __m512, u32, __m256, 8)
LOCKSTEP_SHIM_BROADCAST(_mm512, broadcast_i64x2, __mmask8, __m512i, u64, __m128i, 2)
LOCKSTEP_SHIM_BROADCAST(_mm512, broadcast_i64x4, __mmask8, __m512i, u64, __m256i, 4)
LOCKSTEP_SHIM_BROADCAST(_mm512, broadcast_i32x4, __mmask16, __m512i, u32, __m128i, 4)
LOCKSTEP_SHIM_BROADCAST(_mm512, broadcast_i32x8, __mmask16, __m512i, u32, __m256i, 8)
LOCKSTEP_SHIM_BROADCAST(_mm256, broadcast_f64x2, __mmask8, __m256d, u64, __m128d, 2)
LOCKSTEP_SHIM_BROADCAST(_mm256, broadcast_f32x4, __mmask8, __m256, u32, __m128, 4)
LOCKSTEP_SHIM_BROADCAST(_mm256, broadcast_i64x2, __mmask8, __m256i, u64, __m128i, 2)
LOCKSTEP_SHIM_BROADCAST(_mm256, broadcast_i32x4, __mmask8, __m256i, u32, __m128i, 4)

// A part of a register, and a register with another part.
#define LOCKSTEP_SHIM_PART(extract, insert, R, P)                                                       \
  LOCKSTEP_SHIM_INTRINSIC P extract(R a, int immediate) {                                               \
    return lockstep_avx512_shim::lanes<P>(a).lane[immediate & (lockstep_avx512_shim::count<P, R> - 1)]; \
  }                                                                                                     \
  LOCKSTEP_SHIM_INTRINSIC R insert(R a, P b, int immediate) {                                           \
    auto parts = lockstep_avx512_shim::lanes<P>(a);                                                     \
    parts.lane[immediate & (lockstep_avx512_shim::count<P, R> - 1)] = b;                                \
    return lockstep_avx512_shim::made<R>(parts);                                                        \
  }
LOCKSTEP_SHIM_PART(_mm512_extractf64x4_pd, _mm512_insertf64x4, __m512d, __m256d)
LOCKSTEP_SHIM_PART(_mm512_extractf32x8_ps, _mm512_insertf32x8, __m512, __m256)
LOCKSTEP_SHIM_PART(_mm512_extracti64x4_epi64, _mm512_inserti64x4, __m512i, __m256i)
LOCKSTEP_SHIM_PART(_mm512_extracti32x8_epi32, _mm512_inserti32x8, __m512i, __m256i)
LOCKSTEP_SHIM_PART(_mm512_extractf64x2_pd, _mm512_insertf64x2, __m512d, __m128d)
LOCKSTEP_SHIM_PART(_mm512_extractf32x4_ps, _mm512_insertf32x4, __m512, __m128)
LOCKSTEP_SHIM_PART(_mm512_extracti64x2_epi64, _mm512_inserti64x2, __m512i, __m128i)
LOCKSTEP_SHIM_PART(_mm512_extracti32x4_epi32, _mm512_inserti32x4, __m512i, __m128i)
LOCKSTEP_SHIM_PART(_mm256_extractf64x2_pd, _mm256_insertf64x2, __m256d, __m128d)
LOCKSTEP_SHIM_PART(_mm256_extractf32x4_ps, _mm256_insertf32x4, __m256, __m128)
LOCKSTEP_SHIM_PART(_mm256_extracti64x2_epi64, _mm256_inserti64x2, __m256i, __m128i)
LOCKSTEP_SHIM_PART(_mm256_extracti32x4_epi32, _mm256_inserti32x4, __m256i, __m128i)
LOCKSTEP_SHIM_PART(_mm256_extractf128_pd, _mm256_insertf128_pd, __m256d, __m128d)
LOCKSTEP_SHIM_PART(_mm256_extractf128_ps, _mm256_insertf128_ps, __m256, __m128)
LOCKSTEP_SHIM_PART(_mm256_extractf128_si256, _mm256_insertf128_si256, __m256i, __m128i)
LOCKSTEP_SHIM_PART(_mm256_extracti128_si256, _mm256_inserti128_si256, __m256i, __m128i)

#undef LOCKSTEP_SHIM
#undef LOCKSTEP_SHIM_ALL
#undef LOCKSTEP_SHIM_ANY_PARTS
#undef LOCKSTEP_SHIM_BINARY
#undef LOCKSTEP_SHIM_BITS
#undef LOCKSTEP_SHIM_BITS_AS
#undef LOCKSTEP_SHIM_BITS_AS_ALL
#undef LOCKSTEP_SHIM_BLENDS
#undef LOCKSTEP_SHIM_BROADCAST
#undef LOCKSTEP_SHIM_CAST
#undef LOCKSTEP_SHIM_COMPARE
#undef LOCKSTEP_SHIM_COMPARES
#undef LOCKSTEP_SHIM_COMPARE_FLOATS
#undef LOCKSTEP_SHIM_CONVERT
#undef LOCKSTEP_SHIM_FIRST
#undef LOCKSTEP_SHIM_FLOATS
#undef LOCKSTEP_SHIM_GATHER
#undef LOCKSTEP_SHIM_INTEGERS
#undef LOCKSTEP_SHIM_INTRINSIC
#undef LOCKSTEP_SHIM_LIST
#undef LOCKSTEP_SHIM_LOAD
#undef LOCKSTEP_SHIM_MASKED
#undef LOCKSTEP_SHIM_MASK_MEMORY
#undef LOCKSTEP_SHIM_MOVE_ONE
#undef LOCKSTEP_SHIM_MOVE_TWO
#undef LOCKSTEP_SHIM_ONE_OF_2
#undef LOCKSTEP_SHIM_ONE_OF_4
#undef LOCKSTEP_SHIM_PART
#undef LOCKSTEP_SHIM_PART_OF_2
#undef LOCKSTEP_SHIM_PART_OF_4
#undef LOCKSTEP_SHIM_PERMUTES
#undef LOCKSTEP_SHIM_RESIZED
#undef LOCKSTEP_SHIM_SCATTER
#undef LOCKSTEP_SHIM_SET1
#undef LOCKSTEP_SHIM_SET16
#undef LOCKSTEP_SHIM_SET4
#undef LOCKSTEP_SHIM_SET8
#undef LOCKSTEP_SHIM_STORE
#undef LOCKSTEP_SHIM_TERNARY
#undef LOCKSTEP_SHIM_TRUNCATE
#undef LOCKSTEP_SHIM_UNARY
#undef LOCKSTEP_SHIM_UNPACK
#undef LOCKSTEP_SHIM_UNPACKS
#undef LOCKSTEP_SHIM_WINDOW
#undef LOCKSTEP_SHIM_ZERO

#endif  // LOCKSTEP_AVX512_SHIM_H
