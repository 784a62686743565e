// Each intrinsic of the shim, once for each immediate that is tried. LOCKSTEP_INTRINSICS is the name of the function that gives the table.
#include "tests/avx512/intrinsics.hpp"

#ifdef LOCKSTEP_AVX512_EMULATE
#include "codegen/emit/avx512/support/lockstep_avx512_shim.h"
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12 warns of what its own intrinsics leave undefined on purpose
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#pragma GCC diagnostic ignored "-Wignored-attributes"  // of register types as template arguments

namespace lockstep::avx512_checks {

namespace {

using Input = const std::byte*;
using Output = std::byte*;

/// Operand number i.
template <class A>
A in(Input input, int i) {
  A result;
  std::memcpy(&result, input + 64 * i, sizeof result);
  return result;
}
template <class R>
void out(Output output, R result) {
  std::memcpy(output, &result, sizeof result);
}
template <class R>
constexpr Lanes lanes_of() {
  if constexpr (std::is_same_v<R, __m512d> || std::is_same_v<R, __m256d> || std::is_same_v<R, __m128d> || std::is_same_v<R, double>) {
    return Lanes::Doubles;
  } else if constexpr (std::is_same_v<R, __m512> || std::is_same_v<R, __m256> || std::is_same_v<R, __m128> || std::is_same_v<R, float>) {
    return Lanes::Floats;
  } else {
    return Lanes::Bits;
  }
}

using Table = std::vector<Intrinsic>;

// ADD(name, R, expression): the result is an R. FORM: lanes that are only moved or selected keep their bits.
#define ADD_AS(name, immediate, lanes, R, ...) \
  table.push_back({#name, immediate, lanes, sizeof(R), [](Input input, Output output) { out<R>(output, __VA_ARGS__); }});
#define ADD(name, R, ...) ADD_AS(name, -1, lanes_of<R>(), R, __VA_ARGS__)
#define MOVE(name, R, ...) ADD_AS(name, -1, Lanes::Bits, R, __VA_ARGS__)
#define UNARY(name, R, A) ADD(name, R, name(in<A>(input, 0)))
#define BINARY(name, R, A, B) ADD(name, R, name(in<A>(input, 0), in<B>(input, 1)))
#define TERNARY(name, R, A, B, C) ADD(name, R, name(in<A>(input, 0), in<B>(input, 1), in<C>(input, 2)))
#define MOVE1(name, R, A) MOVE(name, R, name(in<A>(input, 0)))
#define MOVE2(name, R, A, B) MOVE(name, R, name(in<A>(input, 0), in<B>(input, 1)))
#define MOVE3(name, R, A, B, C) MOVE(name, R, name(in<A>(input, 0), in<B>(input, 1), in<C>(input, 2)))
#define MOVE4(name, R, A, B, C, D) MOVE(name, R, name(in<A>(input, 0), in<B>(input, 1), in<C>(input, 2), in<D>(input, 3)))

// The operation on 8 doubles, 16 and 8 floats; on 8 64-bit, 16 and 8 32-bit integers.
#define FLOATS1(op) \
  UNARY(_mm512_##op##_pd, __m512d, __m512d) UNARY(_mm512_##op##_ps, __m512, __m512) UNARY(_mm256_##op##_ps, __m256, __m256)
#define FLOATS2(op)                                   \
  BINARY(_mm512_##op##_pd, __m512d, __m512d, __m512d) \
  BINARY(_mm512_##op##_ps, __m512, __m512, __m512)    \
  BINARY(_mm256_##op##_ps, __m256, __m256, __m256)
#define FLOATS3(op)                                             \
  TERNARY(_mm512_##op##_pd, __m512d, __m512d, __m512d, __m512d) \
  TERNARY(_mm512_##op##_ps, __m512, __m512, __m512, __m512)     \
  TERNARY(_mm256_##op##_ps, __m256, __m256, __m256, __m256)
#define INTEGERS1(op) \
  UNARY(_mm512_##op##64, __m512i, __m512i) UNARY(_mm512_##op##32, __m512i, __m512i) UNARY(_mm256_##op##32, __m256i, __m256i)
#define INTEGERS2(op)                                \
  BINARY(_mm512_##op##64, __m512i, __m512i, __m512i) \
  BINARY(_mm512_##op##32, __m512i, __m512i, __m512i) \
  BINARY(_mm256_##op##32, __m256i, __m256i, __m256i)
#define COMPARES(op)                                        \
  BINARY(_mm512_##op##64_mask, __mmask8, __m512i, __m512i)  \
  BINARY(_mm512_##op##32_mask, __mmask16, __m512i, __m512i) \
  BINARY(_mm256_##op##32_mask, __mmask8, __m256i, __m256i)

void add_arithmetic(Table& table) {
  FLOATS2(add)
  FLOATS2(sub)
  FLOATS2(mul)
  FLOATS2(div)
  FLOATS2(min)
  FLOATS2(max)
  FLOATS1(sqrt)
  FLOATS3(fmadd)
  FLOATS3(fmsub)
  FLOATS3(fnmadd)
  FLOATS3(fnmsub)
  ADD_AS(_mm512_rcp14_pd, -1, Lanes::NearDoubles, __m512d, _mm512_rcp14_pd(in<__m512d>(input, 0)))
  ADD_AS(_mm512_rcp14_ps, -1, Lanes::NearFloats, __m512, _mm512_rcp14_ps(in<__m512>(input, 0)))
  ADD_AS(_mm256_rcp14_ps, -1, Lanes::NearFloats, __m256, _mm256_rcp14_ps(in<__m256>(input, 0)))
  ADD_AS(_mm512_rsqrt14_pd, -1, Lanes::NearDoubles, __m512d, _mm512_rsqrt14_pd(in<__m512d>(input, 0)))
  ADD_AS(_mm512_rsqrt14_ps, -1, Lanes::NearFloats, __m512, _mm512_rsqrt14_ps(in<__m512>(input, 0)))
  ADD_AS(_mm256_rsqrt14_ps, -1, Lanes::NearFloats, __m256, _mm256_rsqrt14_ps(in<__m256>(input, 0)))
  FLOATS1(getexp)
  FLOATS2(scalef)
#define SIGNIFICAND(name, R, norm) ADD_AS(name, norm, lanes_of<R>(), R, name(in<R>(input, 0), norm, _MM_MANT_SIGN_src))
#define SIGNIFICANDS(name, R) SIGNIFICAND(name, R, _MM_MANT_NORM_1_2) SIGNIFICAND(name, R, _MM_MANT_NORM_p5_2)
  SIGNIFICANDS(_mm512_getmant_pd, __m512d)
  SIGNIFICANDS(_mm512_getmant_ps, __m512)
  SIGNIFICANDS(_mm256_getmant_ps, __m256)
  INTEGERS2(add_epi)
  INTEGERS2(sub_epi)
  INTEGERS2(mullo_epi)
  INTEGERS2(min_epi)
  INTEGERS2(min_epu)
  INTEGERS2(max_epi)
  INTEGERS2(max_epu)
  INTEGERS2(sllv_epi)
  INTEGERS2(srlv_epi)
  INTEGERS2(srav_epi)
  INTEGERS1(abs_epi)
  BINARY(_mm512_and_si512, __m512i, __m512i, __m512i)
  BINARY(_mm512_or_si512, __m512i, __m512i, __m512i)
  BINARY(_mm512_xor_si512, __m512i, __m512i, __m512i)
  BINARY(_mm256_and_si256, __m256i, __m256i, __m256i)
  BINARY(_mm256_or_si256, __m256i, __m256i, __m256i)
  BINARY(_mm256_xor_si256, __m256i, __m256i, __m256i)
}

void add_comparisons(Table& table) {
  COMPARES(cmplt_epi)
  COMPARES(cmple_epi)
  COMPARES(cmpgt_epi)
  COMPARES(cmpge_epi)
  COMPARES(cmpeq_epi)
  COMPARES(cmpneq_epi)
  COMPARES(cmplt_epu)
  COMPARES(cmple_epu)
  COMPARES(cmpgt_epu)
  COMPARES(cmpge_epu)
  BINARY(_mm_test_epi8_mask, __mmask16, __m128i, __m128i)
#define PREDICATE(name, K, A, predicate) ADD_AS(name, predicate, Lanes::Bits, K, name(in<A>(input, 0), in<A>(input, 1), predicate))
#define PREDICATES(name, K, A)      \
  PREDICATE(name, K, A, _CMP_EQ_OQ) \
  PREDICATE(name, K, A, _CMP_LT_OQ) \
  PREDICATE(name, K, A, _CMP_LE_OQ) \
  PREDICATE(name, K, A, _CMP_GT_OQ) \
  PREDICATE(name, K, A, _CMP_GE_OQ) \
  PREDICATE(name, K, A, _CMP_NEQ_UQ)
  PREDICATES(_mm512_cmp_pd_mask, __mmask8, __m512d)
  PREDICATES(_mm512_cmp_ps_mask, __mmask16, __m512)
  PREDICATES(_mm256_cmp_ps_mask, __mmask8, __m256)
}

void add_conversions(Table& table) {
  UNARY(_mm512_cvtpd_ps, __m256, __m512d)
  UNARY(_mm512_cvtps_pd, __m512d, __m256)
  UNARY(_mm512_cvttpd_epi64, __m512i, __m512d)
  UNARY(_mm512_cvttpd_epu64, __m512i, __m512d)
  UNARY(_mm512_cvttpd_epi32, __m256i, __m512d)
  UNARY(_mm512_cvttpd_epu32, __m256i, __m512d)
  UNARY(_mm512_cvttps_epi64, __m512i, __m256)
  UNARY(_mm512_cvttps_epu64, __m512i, __m256)
  UNARY(_mm512_cvttps_epi32, __m512i, __m512)
  UNARY(_mm512_cvttps_epu32, __m512i, __m512)
  UNARY(_mm256_cvttps_epi32, __m256i, __m256)
  UNARY(_mm256_cvttps_epu32, __m256i, __m256)
  UNARY(_mm512_cvtepi64_pd, __m512d, __m512i)
  UNARY(_mm512_cvtepu64_pd, __m512d, __m512i)
  UNARY(_mm512_cvtepi64_ps, __m256, __m512i)
  UNARY(_mm512_cvtepu64_ps, __m256, __m512i)
  UNARY(_mm512_cvtepi32_pd, __m512d, __m256i)
  UNARY(_mm512_cvtepu32_pd, __m512d, __m256i)
  UNARY(_mm512_cvtepi32_ps, __m512, __m512i)
  UNARY(_mm512_cvtepu32_ps, __m512, __m512i)
  UNARY(_mm256_cvtepi32_ps, __m256, __m256i)
  UNARY(_mm256_cvtepu32_ps, __m256, __m256i)
  UNARY(_mm512_cvtepi64_epi32, __m256i, __m512i)
  UNARY(_mm512_cvtepi32_epi64, __m512i, __m256i)
  UNARY(_mm512_cvtepu32_epi64, __m512i, __m256i)
  UNARY(_mm512_cvtepi8_epi32, __m512i, __m128i)
  UNARY(_mm512_cvtepu8_epi32, __m512i, __m128i)
  UNARY(_mm512_cvtepi16_epi32, __m512i, __m256i)
  UNARY(_mm512_cvtepu16_epi32, __m512i, __m256i)
  UNARY(_mm256_cvtepi8_epi32, __m256i, __m128i)
  UNARY(_mm256_cvtepu8_epi32, __m256i, __m128i)
  UNARY(_mm256_cvtepi16_epi32, __m256i, __m128i)
  UNARY(_mm256_cvtepu16_epi32, __m256i, __m128i)
  UNARY(_mm512_cvtepi32_epi8, __m128i, __m512i)
  UNARY(_mm512_cvtepi32_epi16, __m256i, __m512i)
  UNARY(_mm256_cvtepi32_epi8, __m128i, __m256i)
  UNARY(_mm256_cvtepi32_epi16, __m128i, __m256i)
}

// Of what becomes longer only the part that is defined.
#define CASTS(prefix, d, f, i, si)    \
  MOVE1(prefix##_castpd_ps, f, d)     \
  MOVE1(prefix##_castpd_##si, i, d)   \
  MOVE1(prefix##_castps_pd, d, f)     \
  MOVE1(prefix##_castps_##si, i, f)   \
  MOVE1(prefix##_cast##si##_pd, d, i) \
  MOVE1(prefix##_cast##si##_ps, f, i)
#define LENGTHS(wide, narrow)                                                                                      \
  MOVE1(_mm##wide##_castpd##wide##_pd##narrow, __m##narrow##d, __m##wide##d)                                       \
  MOVE1(_mm##wide##_castps##wide##_ps##narrow, __m##narrow, __m##wide)                                             \
  MOVE1(_mm##wide##_castsi##wide##_si##narrow, __m##narrow##i, __m##wide##i)                                       \
  MOVE1(_mm##wide##_zextpd##narrow##_pd##wide, __m##wide##d, __m##narrow##d)                                       \
  MOVE1(_mm##wide##_zextps##narrow##_ps##wide, __m##wide, __m##narrow)                                             \
  MOVE1(_mm##wide##_zextsi##narrow##_si##wide, __m##wide##i, __m##narrow##i)                                       \
  MOVE(_mm##wide##_castpd##narrow##_pd##wide, __m##narrow##d,                                                      \
       _mm##wide##_castpd##wide##_pd##narrow(_mm##wide##_castpd##narrow##_pd##wide(in<__m##narrow##d>(input, 0)))) \
  MOVE(_mm##wide##_castps##narrow##_ps##wide, __m##narrow,                                                         \
       _mm##wide##_castps##wide##_ps##narrow(_mm##wide##_castps##narrow##_ps##wide(in<__m##narrow>(input, 0))))    \
  MOVE(_mm##wide##_castsi##narrow##_si##wide, __m##narrow##i,                                                      \
       _mm##wide##_castsi##wide##_si##narrow(_mm##wide##_castsi##narrow##_si##wide(in<__m##narrow##i>(input, 0))))

template <class S>
S element(Input input, int i) {
  S result;
  std::memcpy(&result, input + sizeof(S) * static_cast<std::size_t>(i), sizeof result);
  return result;
}
#define E(i) element<S>(input, i)
#define SET4(name, R, T)                        \
  {                                             \
    using S = T;                                \
    MOVE(name, R, name(E(0), E(1), E(2), E(3))) \
  }
#define SET8(name, R, T)                                                \
  {                                                                     \
    using S = T;                                                        \
    MOVE(name, R, name(E(0), E(1), E(2), E(3), E(4), E(5), E(6), E(7))) \
  }
#define SET16(name, R, T)                                                                                                     \
  {                                                                                                                           \
    using S = T;                                                                                                              \
    MOVE(name, R, name(E(0), E(1), E(2), E(3), E(4), E(5), E(6), E(7), E(8), E(9), E(10), E(11), E(12), E(13), E(14), E(15))) \
  }

void add_casts_and_constants(Table& table) {
  CASTS(_mm512, __m512d, __m512, __m512i, si512)
  CASTS(_mm256, __m256d, __m256, __m256i, si256)
  CASTS(_mm, __m128d, __m128, __m128i, si128)
  LENGTHS(512, 256)
  LENGTHS(512, 128)
  LENGTHS(256, 128)
  MOVE1(_mm512_set1_pd, __m512d, double)
  MOVE1(_mm512_set1_ps, __m512, float)
  MOVE1(_mm512_set1_epi64, __m512i, long long)
  MOVE1(_mm512_set1_epi32, __m512i, int)
  MOVE1(_mm256_set1_ps, __m256, float)
  MOVE1(_mm256_set1_epi32, __m256i, int)
  MOVE1(_mm_set1_epi8, __m128i, char)
  MOVE(_mm512_setzero_pd, __m512d, (static_cast<void>(input), _mm512_setzero_pd()))
  MOVE(_mm512_setzero_ps, __m512, (static_cast<void>(input), _mm512_setzero_ps()))
  MOVE(_mm512_setzero_si512, __m512i, (static_cast<void>(input), _mm512_setzero_si512()))
  MOVE(_mm256_setzero_pd, __m256d, (static_cast<void>(input), _mm256_setzero_pd()))
  MOVE(_mm256_setzero_ps, __m256, (static_cast<void>(input), _mm256_setzero_ps()))
  MOVE(_mm256_setzero_si256, __m256i, (static_cast<void>(input), _mm256_setzero_si256()))
  SET8(_mm512_set_pd, __m512d, double)
  SET8(_mm512_setr_pd, __m512d, double)
  SET8(_mm512_set_epi64, __m512i, long long)
  SET8(_mm512_setr_epi64, __m512i, long long)
  SET16(_mm512_set_ps, __m512, float)
  SET16(_mm512_setr_ps, __m512, float)
  SET16(_mm512_set_epi32, __m512i, int)
  SET16(_mm512_setr_epi32, __m512i, int)
  SET4(_mm256_set_pd, __m256d, double)
  SET4(_mm256_setr_pd, __m256d, double)
  SET4(_mm256_set_epi64x, __m256i, long long)
  SET4(_mm256_setr_epi64x, __m256i, long long)
  SET8(_mm256_set_ps, __m256, float)
  SET8(_mm256_setr_ps, __m256, float)
  SET8(_mm256_set_epi32, __m256i, int)
  SET8(_mm256_setr_epi32, __m256i, int)
  MOVE1(_mm512_cvtsd_f64, double, __m512d)
  MOVE1(_mm512_cvtss_f32, float, __m512)
  MOVE1(_mm512_cvtsi512_si32, int, __m512i)
  MOVE1(_mm256_cvtsd_f64, double, __m256d)
  MOVE1(_mm256_cvtss_f32, float, __m256)
  MOVE1(_mm256_cvtsi256_si32, int, __m256i)
  MOVE1(_mm_cvtsd_f64, double, __m128d)
  MOVE1(_mm_cvtss_f32, float, __m128)
  MOVE1(_mm_cvtsi128_si32, int, __m128i)
  MOVE1(_mm_cvtsi128_si64, long long, __m128i)
}

// Memory: loads read the first operand's bytes and those behind it. Stores write to the output, at an odd address unless it must be
// aligned.
#define LOAD(name, R, P) MOVE(name, R, name(reinterpret_cast<const P*>(input + 1)))
#define ALIGNED_LOAD(name, R) MOVE(name, R, name(input))
#define STORE_AT(name, R, P, offset)                       \
  table.push_back({#name, -1, Lanes::Bits, sizeof(R) + 16, \
                   [](Input input, Output output) { name(reinterpret_cast<P*>(output + (offset)), in<R>(input, 0)); }});
#define MASKED_MEMORY(prefix, suffix, K, R)                                                                          \
  MOVE(prefix##_maskz_loadu_##suffix, R, prefix##_maskz_loadu_##suffix(in<K>(input, 0), input + 65))                 \
  MOVE(prefix##_mask_loadu_##suffix, R, prefix##_mask_loadu_##suffix(in<R>(input, 1), in<K>(input, 0), input + 129)) \
  table.push_back({"" #prefix "_mask_storeu_" #suffix, -1, Lanes::Bits, sizeof(R) + 16,                              \
                   [](Input input, Output output) { prefix##_mask_storeu_##suffix(output + 1, in<K>(input, 0), in<R>(input, 1)); }});

/// Indices into 64 elements of 8 bytes or less, made of an operand's bits.
template <class X, class I>
X indices(Input input, int i) {
  I lanes[sizeof(X) / sizeof(I)];
  std::memcpy(lanes, input + 64 * i, sizeof lanes);
  for (I& lane : lanes) {
    lane = static_cast<I>(lane & 15) - 4;
  }
  X result;
  std::memcpy(&result, lanes, sizeof result);
  return result;
}
// At the distance of an element, and of a byte.
#define GATHER(name, K, R, X, I, scale)                                                                                         \
  ADD_AS(name, scale, Lanes::Bits, R, name(in<R>(input, 0), in<K>(input, 1), (indices<X, I>(input, 2)), input + 3 * 64, scale)) \
  ADD_AS(name, 1, Lanes::Bits, R, name(in<R>(input, 0), in<K>(input, 1), (indices<X, I>(input, 2)), input + 3 * 64, 1))
#define SCATTER_AT(name, K, R, X, I, scale)                                                                 \
  table.push_back({#name, scale, Lanes::Bits, 192, [](Input input, Output output) {                         \
                     name(output + 64, in<K>(input, 1), (indices<X, I>(input, 2)), in<R>(input, 0), scale); \
                   }});
#define SCATTER(name, K, R, X, I, scale) SCATTER_AT(name, K, R, X, I, scale) SCATTER_AT(name, K, R, X, I, 1)

void add_memory(Table& table) {
  LOAD(_mm512_loadu_pd, __m512d, void)
  LOAD(_mm512_loadu_ps, __m512, void)
  LOAD(_mm512_loadu_si512, __m512i, void)
  LOAD(_mm256_loadu_pd, __m256d, double)
  LOAD(_mm256_loadu_ps, __m256, float)
  LOAD(_mm256_loadu_si256, __m256i, __m256i)
  LOAD(_mm_loadu_pd, __m128d, double)
  LOAD(_mm_loadu_ps, __m128, float)
  LOAD(_mm_loadu_si128, __m128i, __m128i)
  LOAD(_mm_loadl_epi64, __m128i, __m128i)
  ALIGNED_LOAD(_mm512_load_pd, __m512d)
  ALIGNED_LOAD(_mm512_load_ps, __m512)
  ALIGNED_LOAD(_mm512_load_si512, __m512i)
  MOVE(_mm256_load_si256, __m256i, _mm256_load_si256(reinterpret_cast<const __m256i*>(input)))
  STORE_AT(_mm512_storeu_pd, __m512d, void, 1)
  STORE_AT(_mm512_storeu_ps, __m512, void, 1)
  STORE_AT(_mm512_storeu_si512, __m512i, void, 1)
  STORE_AT(_mm256_storeu_pd, __m256d, double, 1)
  STORE_AT(_mm256_storeu_ps, __m256, float, 1)
  STORE_AT(_mm256_storeu_si256, __m256i, __m256i, 1)
  STORE_AT(_mm_storeu_si128, __m128i, __m128i, 1)
  STORE_AT(_mm_storel_epi64, __m128i, __m128i, 1)
  STORE_AT(_mm512_store_pd, __m512d, void, 0)
  STORE_AT(_mm512_store_ps, __m512, void, 0)
  STORE_AT(_mm512_store_si512, __m512i, void, 0)
  STORE_AT(_mm512_stream_pd, __m512d, double, 0)
  STORE_AT(_mm512_stream_ps, __m512, float, 0)
  STORE_AT(_mm512_stream_si512, __m512i, __m512i, 0)
  STORE_AT(_mm256_stream_ps, __m256, float, 0)
  STORE_AT(_mm256_stream_si256, __m256i, __m256i, 0)
  MASKED_MEMORY(_mm512, pd, __mmask8, __m512d)
  MASKED_MEMORY(_mm512, ps, __mmask16, __m512)
  MASKED_MEMORY(_mm512, epi64, __mmask8, __m512i)
  MASKED_MEMORY(_mm512, epi32, __mmask16, __m512i)
  MASKED_MEMORY(_mm256, pd, __mmask8, __m256d)
  MASKED_MEMORY(_mm256, ps, __mmask8, __m256)
  MASKED_MEMORY(_mm256, epi64, __mmask8, __m256i)
  MASKED_MEMORY(_mm256, epi32, __mmask8, __m256i)
  MASKED_MEMORY(_mm256, epi16, __mmask16, __m256i)
  MASKED_MEMORY(_mm, epi16, __mmask8, __m128i)
  MASKED_MEMORY(_mm, epi8, __mmask16, __m128i)
  GATHER(_mm512_mask_i64gather_pd, __mmask8, __m512d, __m512i, std::int64_t, 8)
  GATHER(_mm512_mask_i64gather_ps, __mmask8, __m256, __m512i, std::int64_t, 4)
  GATHER(_mm512_mask_i64gather_epi64, __mmask8, __m512i, __m512i, std::int64_t, 8)
  GATHER(_mm512_mask_i64gather_epi32, __mmask8, __m256i, __m512i, std::int64_t, 4)
  GATHER(_mm512_mask_i32gather_pd, __mmask8, __m512d, __m256i, std::int32_t, 8)
  GATHER(_mm512_mask_i32gather_ps, __mmask16, __m512, __m512i, std::int32_t, 4)
  GATHER(_mm512_mask_i32gather_epi64, __mmask8, __m512i, __m256i, std::int32_t, 8)
  GATHER(_mm512_mask_i32gather_epi32, __mmask16, __m512i, __m512i, std::int32_t, 4)
  GATHER(_mm256_mmask_i32gather_ps, __mmask8, __m256, __m256i, std::int32_t, 4)
  GATHER(_mm256_mmask_i32gather_epi32, __mmask8, __m256i, __m256i, std::int32_t, 4)
  SCATTER(_mm512_mask_i64scatter_pd, __mmask8, __m512d, __m512i, std::int64_t, 8)
  SCATTER(_mm512_mask_i64scatter_ps, __mmask8, __m256, __m512i, std::int64_t, 4)
  SCATTER(_mm512_mask_i64scatter_epi64, __mmask8, __m512i, __m512i, std::int64_t, 8)
  SCATTER(_mm512_mask_i64scatter_epi32, __mmask8, __m256i, __m512i, std::int64_t, 4)
  SCATTER(_mm512_mask_i32scatter_pd, __mmask8, __m512d, __m256i, std::int32_t, 8)
  SCATTER(_mm512_mask_i32scatter_ps, __mmask16, __m512, __m512i, std::int32_t, 4)
  SCATTER(_mm512_mask_i32scatter_epi64, __mmask8, __m512i, __m256i, std::int32_t, 8)
  SCATTER(_mm512_mask_i32scatter_epi32, __mmask16, __m512i, __m512i, std::int32_t, 4)
  SCATTER(_mm256_mask_i32scatter_ps, __mmask8, __m256, __m256i, std::int32_t, 4)
  SCATTER(_mm256_mask_i32scatter_epi32, __mmask8, __m256i, __m256i, std::int32_t, 4)
}

// An operation, and its forms with masks.
#define MASKED1(prefix, op, K, R, A)    \
  MOVE1(prefix##_##op, R, A)            \
  MOVE3(prefix##_mask_##op, R, R, K, A) \
  MOVE2(prefix##_maskz_##op, R, K, A)
#define MASKED2(prefix, op, K, R, A, B)    \
  MOVE2(prefix##_##op, R, A, B)            \
  MOVE4(prefix##_mask_##op, R, R, K, A, B) \
  MOVE3(prefix##_maskz_##op, R, K, A, B)

#define BY_INDEX(prefix, suffix, K, R, X)                    \
  MASKED2(prefix, permutexvar_##suffix, K, R, X, R)          \
  MOVE3(prefix##_permutex2var_##suffix, R, R, X, R)          \
  MOVE4(prefix##_mask_permutex2var_##suffix, R, R, K, X, R)  \
  MOVE4(prefix##_mask2_permutex2var_##suffix, R, R, X, K, R) \
  MOVE4(prefix##_maskz_permutex2var_##suffix, R, K, R, X, R) \
  MASKED2(prefix, unpacklo_##suffix, K, R, R, R)             \
  MASKED2(prefix, unpackhi_##suffix, K, R, R, R)             \
  MOVE3(prefix##_mask_blend_##suffix, R, K, R, R)            \
  MOVE3(prefix##_mask_mov_##suffix, R, R, K, R)              \
  MOVE2(prefix##_maskz_mov_##suffix, R, K, R)

void add_index_moves(Table& table) {
  BY_INDEX(_mm512, pd, __mmask8, __m512d, __m512i)
  BY_INDEX(_mm512, ps, __mmask16, __m512, __m512i)
  BY_INDEX(_mm512, epi64, __mmask8, __m512i, __m512i)
  BY_INDEX(_mm512, epi32, __mmask16, __m512i, __m512i)
  BY_INDEX(_mm256, pd, __mmask8, __m256d, __m256i)
  BY_INDEX(_mm256, ps, __mmask8, __m256, __m256i)
  BY_INDEX(_mm256, epi64, __mmask8, __m256i, __m256i)
  BY_INDEX(_mm256, epi32, __mmask8, __m256i, __m256i)
  MOVE2(_mm256_permutevar8x32_ps, __m256, __m256, __m256i)
  MOVE2(_mm256_permutevar8x32_epi32, __m256i, __m256i, __m256i)
  MOVE2(_mm_maskz_mov_epi8, __m128i, __mmask16, __m128i)
  MASKED1(_mm512, broadcastsd_pd, __mmask8, __m512d, __m128d)
  MASKED1(_mm512, broadcastss_ps, __mmask16, __m512, __m128)
  MASKED1(_mm512, broadcastq_epi64, __mmask8, __m512i, __m128i)
  MASKED1(_mm512, broadcastd_epi32, __mmask16, __m512i, __m128i)
  MASKED1(_mm256, broadcastsd_pd, __mmask8, __m256d, __m128d)
  MASKED1(_mm256, broadcastss_ps, __mmask8, __m256, __m128)
  MASKED1(_mm256, broadcastq_epi64, __mmask8, __m256i, __m128i)
  MASKED1(_mm256, broadcastd_epi32, __mmask8, __m256i, __m128i)
  MASKED1(_mm512, broadcast_f64x2, __mmask8, __m512d, __m128d)
  MASKED1(_mm512, broadcast_f64x4, __mmask8, __m512d, __m256d)
  MASKED1(_mm512, broadcast_f32x4, __mmask16, __m512, __m128)
  MASKED1(_mm512, broadcast_f32x8, __mmask16, __m512, __m256)
  MASKED1(_mm512, broadcast_i64x2, __mmask8, __m512i, __m128i)
  MASKED1(_mm512, broadcast_i64x4, __mmask8, __m512i, __m256i)
  MASKED1(_mm512, broadcast_i32x4, __mmask16, __m512i, __m128i)
  MASKED1(_mm512, broadcast_i32x8, __mmask16, __m512i, __m256i)
  MASKED1(_mm256, broadcast_f64x2, __mmask8, __m256d, __m128d)
  MASKED1(_mm256, broadcast_f32x4, __mmask8, __m256, __m128)
  MASKED1(_mm256, broadcast_i64x2, __mmask8, __m256i, __m128i)
  MASKED1(_mm256, broadcast_i32x4, __mmask8, __m256i, __m128i)
}

// Immediates of 8 bits: each field of two bits and of one bit takes all its values, in different company.
#define EACH_IMMEDIATE(define, ...)                                                                                                     \
  define(0x00, __VA_ARGS__) define(0x01, __VA_ARGS__) define(0x1B, __VA_ARGS__) define(0x27, __VA_ARGS__) define(0x39, __VA_ARGS__)     \
      define(0x4E, __VA_ARGS__) define(0x55, __VA_ARGS__) define(0x6C, __VA_ARGS__) define(0x72, __VA_ARGS__) define(0x88, __VA_ARGS__) \
          define(0x93, __VA_ARGS__) define(0xA5, __VA_ARGS__) define(0xAA, __VA_ARGS__) define(0xB1, __VA_ARGS__)                       \
              define(0xC6, __VA_ARGS__) define(0xD8, __VA_ARGS__) define(0xE4, __VA_ARGS__) define(0xFF, __VA_ARGS__)
#define EACH_UP_TO_1(define, ...) define(0, __VA_ARGS__) define(1, __VA_ARGS__)
#define EACH_UP_TO_3(define, ...) EACH_UP_TO_1(define, __VA_ARGS__) define(2, __VA_ARGS__) define(3, __VA_ARGS__)
#define EACH_UP_TO_7(define, ...)   \
  EACH_UP_TO_3(define, __VA_ARGS__) \
  define(4, __VA_ARGS__) define(5, __VA_ARGS__) define(6, __VA_ARGS__) define(7, __VA_ARGS__)
#define EACH_UP_TO_15(define, ...)                                                                                      \
  EACH_UP_TO_7(define, __VA_ARGS__)                                                                                     \
  define(8, __VA_ARGS__) define(9, __VA_ARGS__) define(10, __VA_ARGS__) define(11, __VA_ARGS__) define(12, __VA_ARGS__) \
      define(13, __VA_ARGS__) define(14, __VA_ARGS__) define(15, __VA_ARGS__)

#define IMMEDIATE1(i, name, R, A) ADD_AS(name, i, Lanes::Bits, R, name(in<A>(input, 0), i))
#define IMMEDIATE2(i, name, R, A, B) ADD_AS(name, i, Lanes::Bits, R, name(in<A>(input, 0), in<B>(input, 1), i))
#define MASKED_IMMEDIATE1(i, prefix, op, K, R, I)                                                                                         \
  ADD_AS(prefix##_##op, i, Lanes::Bits, R, prefix##_##op(in<R>(input, 0), static_cast<I>(i)))                                             \
  ADD_AS(prefix##_mask_##op, i, Lanes::Bits, R, prefix##_mask_##op(in<R>(input, 0), in<K>(input, 1), in<R>(input, 2), static_cast<I>(i))) \
  ADD_AS(prefix##_maskz_##op, i, Lanes::Bits, R, prefix##_maskz_##op(in<K>(input, 1), in<R>(input, 2), static_cast<I>(i)))
#define MASKED_IMMEDIATE2(i, prefix, op, K, R)                                                                                             \
  ADD_AS(prefix##_##op, i, Lanes::Bits, R, prefix##_##op(in<R>(input, 0), in<R>(input, 1), i))                                             \
  ADD_AS(prefix##_mask_##op, i, Lanes::Bits, R, prefix##_mask_##op(in<R>(input, 0), in<K>(input, 1), in<R>(input, 2), in<R>(input, 3), i)) \
  ADD_AS(prefix##_maskz_##op, i, Lanes::Bits, R, prefix##_maskz_##op(in<K>(input, 1), in<R>(input, 2), in<R>(input, 3), i))

void add_immediate_moves(Table& table) {
  EACH_IMMEDIATE(MASKED_IMMEDIATE1, _mm512, permutex_pd, __mmask8, __m512d, int)
  EACH_IMMEDIATE(MASKED_IMMEDIATE1, _mm512, permutex_epi64, __mmask8, __m512i, int)
  EACH_IMMEDIATE(MASKED_IMMEDIATE1, _mm256, permutex_pd, __mmask8, __m256d, int)
  EACH_IMMEDIATE(MASKED_IMMEDIATE1, _mm256, permutex_epi64, __mmask8, __m256i, int)
  EACH_IMMEDIATE(MASKED_IMMEDIATE1, _mm512, permute_pd, __mmask8, __m512d, int)
  EACH_UP_TO_15(MASKED_IMMEDIATE1, _mm256, permute_pd, __mmask8, __m256d, int)
  EACH_IMMEDIATE(MASKED_IMMEDIATE1, _mm512, permute_ps, __mmask16, __m512, int)
  EACH_IMMEDIATE(MASKED_IMMEDIATE1, _mm256, permute_ps, __mmask8, __m256, int)
  EACH_IMMEDIATE(MASKED_IMMEDIATE1, _mm512, shuffle_epi32, __mmask16, __m512i, _MM_PERM_ENUM)
  EACH_IMMEDIATE(MASKED_IMMEDIATE1, _mm256, shuffle_epi32, __mmask8, __m256i, _MM_PERM_ENUM)
  EACH_IMMEDIATE(IMMEDIATE1, _mm256_permute4x64_pd, __m256d, __m256d)
  EACH_IMMEDIATE(IMMEDIATE1, _mm256_permute4x64_epi64, __m256i, __m256i)
  EACH_IMMEDIATE(MASKED_IMMEDIATE2, _mm512, shuffle_pd, __mmask8, __m512d)
  EACH_UP_TO_15(MASKED_IMMEDIATE2, _mm256, shuffle_pd, __mmask8, __m256d)
  EACH_IMMEDIATE(MASKED_IMMEDIATE2, _mm512, shuffle_ps, __mmask16, __m512)
  EACH_IMMEDIATE(MASKED_IMMEDIATE2, _mm256, shuffle_ps, __mmask8, __m256)
}

void add_part_moves(Table& table){
    EACH_IMMEDIATE(MASKED_IMMEDIATE2, _mm512, shuffle_f64x2, __mmask8,
                   __m512d) EACH_IMMEDIATE(MASKED_IMMEDIATE2, _mm512, shuffle_f32x4, __mmask16,
                                           __m512) EACH_IMMEDIATE(MASKED_IMMEDIATE2, _mm512, shuffle_i64x2, __mmask8, __m512i)
        EACH_IMMEDIATE(MASKED_IMMEDIATE2, _mm512, shuffle_i32x4, __mmask16,
                       __m512i) EACH_UP_TO_3(MASKED_IMMEDIATE2, _mm256, shuffle_f64x2, __mmask8,
                                             __m256d) EACH_UP_TO_3(MASKED_IMMEDIATE2, _mm256, shuffle_f32x4, __mmask8, __m256)
            EACH_UP_TO_3(MASKED_IMMEDIATE2, _mm256, shuffle_i64x2, __mmask8, __m256i) EACH_UP_TO_3(MASKED_IMMEDIATE2, _mm256, shuffle_i32x4,
                                                                                                   __mmask8, __m256i)
                EACH_UP_TO_7(MASKED_IMMEDIATE2, _mm512, alignr_epi64, __mmask8,
                             __m512i) EACH_UP_TO_15(MASKED_IMMEDIATE2, _mm512, alignr_epi32, __mmask16,
                                                    __m512i) EACH_UP_TO_3(MASKED_IMMEDIATE2, _mm256, alignr_epi64, __mmask8, __m256i)
                    EACH_UP_TO_7(MASKED_IMMEDIATE2, _mm256, alignr_epi32, __mmask8,
                                 __m256i) EACH_IMMEDIATE(IMMEDIATE2, _mm256_permute2f128_pd, __m256d, __m256d, __m256d)
                        EACH_IMMEDIATE(IMMEDIATE2, _mm256_permute2f128_ps, __m256, __m256,
                                       __m256) EACH_IMMEDIATE(IMMEDIATE2, _mm256_permute2f128_si256, __m256i, __m256i, __m256i)
                            EACH_IMMEDIATE(IMMEDIATE2, _mm256_permute2x128_si256, __m256i, __m256i,
                                           __m256i) EACH_UP_TO_15(IMMEDIATE2, _mm256_blend_pd, __m256d, __m256d, __m256d)
                                EACH_IMMEDIATE(IMMEDIATE2, _mm256_blend_ps, __m256, __m256,
                                               __m256) EACH_IMMEDIATE(IMMEDIATE2, _mm256_blend_epi32, __m256i, __m256i, __m256i)
#define PARTS(each, extract, insert, R, P) each(IMMEDIATE1, extract, P, R) each(IMMEDIATE2, insert, R, R, P)
                                    PARTS(EACH_UP_TO_1, _mm512_extractf64x4_pd, _mm512_insertf64x4, __m512d,
                                          __m256d) PARTS(EACH_UP_TO_1, _mm512_extractf32x8_ps, _mm512_insertf32x8, __m512, __m256)
                                        PARTS(EACH_UP_TO_1, _mm512_extracti64x4_epi64, _mm512_inserti64x4, __m512i,
                                              __m256i) PARTS(EACH_UP_TO_1, _mm512_extracti32x8_epi32, _mm512_inserti32x8, __m512i, __m256i)
                                            PARTS(EACH_UP_TO_3, _mm512_extractf64x2_pd, _mm512_insertf64x2, __m512d,
                                                  __m128d) PARTS(EACH_UP_TO_3, _mm512_extractf32x4_ps, _mm512_insertf32x4, __m512, __m128)
                                                PARTS(EACH_UP_TO_3, _mm512_extracti64x2_epi64, _mm512_inserti64x2, __m512i, __m128i)
                                                    PARTS(EACH_UP_TO_3, _mm512_extracti32x4_epi32, _mm512_inserti32x4, __m512i, __m128i)
                                                        PARTS(EACH_UP_TO_1, _mm256_extractf64x2_pd, _mm256_insertf64x2, __m256d, __m128d)
                                                            PARTS(EACH_UP_TO_1, _mm256_extractf32x4_ps, _mm256_insertf32x4, __m256, __m128)
                                                                PARTS(EACH_UP_TO_1, _mm256_extracti64x2_epi64, _mm256_inserti64x2, __m256i,
                                                                      __m128i) PARTS(EACH_UP_TO_1, _mm256_extracti32x4_epi32,
                                                                                     _mm256_inserti32x4, __m256i, __m128i)
                                                                    PARTS(EACH_UP_TO_1, _mm256_extractf128_pd, _mm256_insertf128_pd,
                                                                          __m256d, __m128d) PARTS(EACH_UP_TO_1, _mm256_extractf128_ps,
                                                                                                  _mm256_insertf128_ps, __m256, __m128)
                                                                        PARTS(EACH_UP_TO_1, _mm256_extractf128_si256,
                                                                              _mm256_insertf128_si256, __m256i, __m128i)
                                                                            PARTS(EACH_UP_TO_1, _mm256_extracti128_si256,
                                                                                  _mm256_inserti128_si256, __m256i, __m128i)}

Table make_table() {
  Table table;
  add_arithmetic(table);
  add_comparisons(table);
  add_conversions(table);
  add_casts_and_constants(table);
  add_memory(table);
  add_index_moves(table);
  add_immediate_moves(table);
  add_part_moves(table);
  return table;
}

}  // namespace

std::span<const Intrinsic> LOCKSTEP_INTRINSICS() {
  static const Table table = make_table();
  return table;
}

}  // namespace lockstep::avx512_checks
