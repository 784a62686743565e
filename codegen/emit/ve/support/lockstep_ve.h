#pragma once
/* What C for VE made by Lockstep is written in: the kernel language's operations on numbers, for one number (s_) and for vectors (v_),
   whose elements are as many groups, side by side.

   An element has 64 bits. Integers are extended to 64 bits as their type says; a float of 32 bits lies in the upper half; a truth value is
   a mask, and 0 or 1 in memory. Elements beyond the vector length `vl` have any bits.

   Bits do not depend on flags: contraction is forbidden here, and a compiler that is told to give up exact results is refused. Registers of
   vectors cannot be spilled by LLVM, which needs its optimizer to do without that. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if !defined(LOCKSTEP_VE_HOST) /* which has these intrinsics for other machines */
#include <velintrin.h>
#endif

#if defined(__FAST_MATH__)
#error "these kernels keep exact bits: compile them without -ffast-math"
#endif
#if !defined(__OPTIMIZE__)
#error "vectors cannot be spilled: compile these kernels with -O1 or more"
#endif

#pragma STDC FP_CONTRACT OFF
/* Kernels may ask what is known before anything runs. */
#pragma clang diagnostic ignored "-Wtautological-compare"

#define LOCKSTEP_INLINE static inline __attribute__((always_inline, unused))

/* For loops over vectors in memory: written out, they would need more registers than there are. */
#define LOCKSTEP_ROLLED _Pragma("clang loop unroll(disable)")

/* ---- numbers --------------------------------------------------------------------------------------------------------------------------
 */

/* Integers wrap, counts of shifts are taken modulo the width, and what has no result gives some number. */
#define LOCKSTEP_INTEGER(type, T, W, bits)                                                            \
  LOCKSTEP_INLINE T s_add_##type(T a, T b) { return (T)((uint64_t)a + (uint64_t)b); }                 \
  LOCKSTEP_INLINE T s_sub_##type(T a, T b) { return (T)((uint64_t)a - (uint64_t)b); }                 \
  LOCKSTEP_INLINE T s_mul_##type(T a, T b) { return (T)((uint64_t)a * (uint64_t)b); }                 \
  LOCKSTEP_INLINE T s_neg_##type(T a) { return (T)(0 - (uint64_t)a); }                                \
  LOCKSTEP_INLINE T s_not_##type(T a) { return (T)~a; }                                               \
  LOCKSTEP_INLINE T s_shl_##type(T a, T n) { return (T)((uint64_t)a << ((uint64_t)n & (bits - 1))); } \
  LOCKSTEP_INLINE T s_shr_##type(T a, T n) { return (T)((W)a >> ((uint64_t)n & (bits - 1))); }        \
  LOCKSTEP_INLINE T s_min_##type(T a, T b) { return b < a ? b : a; }                                  \
  LOCKSTEP_INLINE T s_max_##type(T a, T b) { return a < b ? b : a; }                                  \
  LOCKSTEP_INLINE T s_popcount_##type(T a) { return (T)__builtin_popcountll((uint64_t)a << (64 - bits)); }

#define LOCKSTEP_SIGNED(type, T, U, bits)                                                                                      \
  LOCKSTEP_INTEGER(type, T, int64_t, bits)                                                                                     \
  LOCKSTEP_INLINE T s_div_##type(T a, T b) { return b == -1 ? s_neg_##type(a) : (T)((int64_t)a / (b == 0 ? 1 : (int64_t)b)); } \
  LOCKSTEP_INLINE T s_rem_##type(T a, T b) { return b == -1 ? (T)0 : (T)((int64_t)a % (b == 0 ? 1 : (int64_t)b)); }            \
  LOCKSTEP_INLINE U s_abs_##type(T a) { return (U)(a < 0 ? 0 - (uint64_t)a : (uint64_t)a); }

#define LOCKSTEP_UNSIGNED(type, T, bits)                                                             \
  LOCKSTEP_INTEGER(type, T, uint64_t, bits)                                                          \
  LOCKSTEP_INLINE T s_div_##type(T a, T b) { return (T)((uint64_t)a / (b == 0 ? 1 : (uint64_t)b)); } \
  LOCKSTEP_INLINE T s_rem_##type(T a, T b) { return (T)((uint64_t)a % (b == 0 ? 1 : (uint64_t)b)); } \
  LOCKSTEP_INLINE T s_abs_##type(T a) { return a; }

LOCKSTEP_SIGNED(i8, int8_t, uint8_t, 8)
LOCKSTEP_SIGNED(i16, int16_t, uint16_t, 16)
LOCKSTEP_SIGNED(i32, int32_t, uint32_t, 32)
LOCKSTEP_SIGNED(i64, int64_t, uint64_t, 64)
LOCKSTEP_UNSIGNED(u8, uint8_t, 8)
LOCKSTEP_UNSIGNED(u16, uint16_t, 16)
LOCKSTEP_UNSIGNED(u32, uint32_t, 32)
LOCKSTEP_UNSIGNED(u64, uint64_t, 64)

LOCKSTEP_INLINE uint64_t s_bits_of_f64(double a) {
  uint64_t bits;
  __builtin_memcpy(&bits, &a, sizeof bits);
  return bits;
}
LOCKSTEP_INLINE uint32_t s_bits_of_f32(float a) {
  uint32_t bits;
  __builtin_memcpy(&bits, &a, sizeof bits);
  return bits;
}
LOCKSTEP_INLINE double s_f64_of_bits(uint64_t bits) {
  double a;
  __builtin_memcpy(&a, &bits, sizeof a);
  return a;
}
LOCKSTEP_INLINE float s_f32_of_bits(uint32_t bits) {
  float a;
  __builtin_memcpy(&a, &bits, sizeof a);
  return a;
}

/* There are no instructions for these of one number, and over a call no vector can be kept: they are done on vectors of one element. */
#define LOCKSTEP_ROUNDED(type, T, x)                                                                              \
  LOCKSTEP_INLINE T s_fma_##type(T a, T b, T c) {                                                                 \
    return _vel_lvs##x##_svs(_vel_vfmad##x##_vsvvl(c, _vel_vbrd##x##_vsl(a, 1), _vel_vbrd##x##_vsl(b, 1), 1), 0); \
  }                                                                                                               \
  LOCKSTEP_INLINE T s_sqrt_##type(T a) { return _vel_lvs##x##_svs(_vel_vfsqrt##x##_vvl(_vel_vbrd##x##_vsl(a, 1), 1), 0); }

LOCKSTEP_ROUNDED(f32, float, s)
LOCKSTEP_ROUNDED(f64, double, d)

#define LOCKSTEP_FLOAT(type, T, sign)                                                                \
  LOCKSTEP_INLINE T s_add_##type(T a, T b) { return a + b; }                                         \
  LOCKSTEP_INLINE T s_sub_##type(T a, T b) { return a - b; }                                         \
  LOCKSTEP_INLINE T s_mul_##type(T a, T b) { return a * b; }                                         \
  LOCKSTEP_INLINE T s_div_##type(T a, T b) { return a / b; }                                         \
  LOCKSTEP_INLINE T s_rcp_##type(T a) { return 1 / a; }                                              \
  LOCKSTEP_INLINE T s_neg_##type(T a) { return s_##type##_of_bits(s_bits_of_##type(a) ^ (sign)); }   \
  LOCKSTEP_INLINE T s_fabs_##type(T a) { return s_##type##_of_bits(s_bits_of_##type(a) & ~(sign)); } \
  LOCKSTEP_INLINE T s_min_##type(T a, T b) { return b < a ? b : a; }                                 \
  LOCKSTEP_INLINE T s_max_##type(T a, T b) { return a < b ? b : a; }

LOCKSTEP_FLOAT(f32, float, UINT32_C(1) << 31)
LOCKSTEP_FLOAT(f64, double, UINT64_C(1) << 63)

/* Conversions. From 64 bits to a float of 32 there is no instruction, and a way through 64 bits must not round twice: bits that a double
   has no room for are gathered in its last one. */
LOCKSTEP_INLINE double s_f64_of_u64(uint64_t a) { return a >> 63 == 0 ? (double)(int64_t)a : 2 * (double)(int64_t)(a >> 1 | (a & 1)); }
LOCKSTEP_INLINE float s_f32_of_i64(int64_t a) {
  const uint64_t rest = (uint64_t)a & 0x7ff;
  const bool is_large = a >= INT64_C(1) << 53 || a <= -(INT64_C(1) << 53);
  return (float)(double)(is_large ? (int64_t)(((uint64_t)a | (rest + 0x7ff)) & ~UINT64_C(0x7ff)) : a);
}
LOCKSTEP_INLINE float s_f32_of_u64(uint64_t a) {
  return a >> 63 == 0 ? s_f32_of_i64((int64_t)a) : 2 * s_f32_of_i64((int64_t)(a >> 1 | (a & 1)));
}
LOCKSTEP_INLINE int64_t s_i64_of_f64(double a) { return a >= -0x1p63 && a < 0x1p63 ? (int64_t)a : 0; }
LOCKSTEP_INLINE uint64_t s_u64_of_f64(double a) {
  return a < 0x1p63 ? (uint64_t)s_i64_of_f64(a) : (uint64_t)s_i64_of_f64(a - 0x1p63) ^ UINT64_C(1) << 63;
}

/* The vector length for what is left. */
LOCKSTEP_INLINE unsigned s_length(uint64_t left, unsigned most) { return left < most ? (unsigned)left : most; }

/* ---- masks and addresses --------------------------------------------------------------------------------------------------------------
 */

LOCKSTEP_INLINE __vm256 v_mask(bool holds, unsigned vl) { return _vel_vfmklne_mvl(_vel_vbrdl_vsl(holds, vl), vl); }
/* Truth values as they lie in memory. */
LOCKSTEP_INLINE __vr v_numbers(__vm256 mask, unsigned vl) { return _vel_vmrg_vsvml(0, _vel_vbrdl_vsl(1, vl), mask, vl); }

LOCKSTEP_INLINE __vm256 v_select(__vm256 mask, __vm256 a, __vm256 b) {
  return _vel_orm_mmm(_vel_andm_mmm(mask, a), _vel_nndm_mmm(mask, b));
}

/* first, first + step, and so on. */
LOCKSTEP_INLINE __vr v_line(uint64_t first, uint64_t step, unsigned vl) {
  return _vel_vaddul_vsvl(first, _vel_vmulul_vsvl(step, _vel_vseq_vl(vl), vl), vl);
}
/* That address, of which the compiler knows nothing. Of an address that is met again it would keep the vector of lanes' addresses, and
   dozens of those leave no registers for values; it cannot save vectors on the stack. */
LOCKSTEP_INLINE uint64_t s_anew(uint64_t address) {
  __asm__ volatile("" : "+r"(address));
  return address;
}
/* Which elements are that number. */
LOCKSTEP_INLINE __vm256 v_are(__vr a, int64_t number, unsigned vl) { return _vel_vfmkleq_mvl(_vel_vcmpsl_vsvl(number, a, vl), vl); }
/* The index itself if there is an element with it; otherwise the first one's. */
LOCKSTEP_INLINE int64_t s_within(int64_t index, int64_t count) { return index >= 0 && index < count ? index : 0; }
LOCKSTEP_INLINE __vr v_within(__vr index, uint64_t count, unsigned vl) {
  return _vel_vmrg_vsvml(0, index, _vel_vfmklgt_mvl(_vel_vcmpul_vsvl(count, index, vl), vl), vl);
}

/* ---- rows: items of groups side by side ----------------------------------------------------------------------------------------------
 */

/* What the first `distance` items of each group have is what the next ones have, too. */
LOCKSTEP_INLINE __vr v_doubled(__vr a, unsigned distance, __vr items, unsigned vl) {
  return _vel_vmrg_vvvml(a, _vel_vmv_vsvl(256 - distance, a, vl), _vel_vfmklle_mvl(_vel_vcmpsl_vsvl(distance, items, vl), vl), vl);
}
/* The elements of the mask side by side, and from there to where a mask has elements. */
LOCKSTEP_INLINE __vr v_compressed(__vr a, __vm256 mask, unsigned vl) { return _vel_vcp_vvmvl(a, mask, _vel_vbrdl_vsl(0, vl), vl); }
LOCKSTEP_INLINE __vr v_expanded(__vr a, __vm256 mask, unsigned vl) { return _vel_vex_vvmvl(a, mask, _vel_vbrdl_vsl(0, vl), vl); }

LOCKSTEP_INLINE uint64_t v_sum(__vr a, unsigned vl) { return _vel_lvsl_svs(_vel_vsuml_vvl(a, vl), 0); }
LOCKSTEP_INLINE uint64_t v_sum_under(__vr a, __vm256 mask, unsigned vl) { return _vel_lvsl_svs(_vel_vsuml_vvml(a, mask, vl), 0); }

/* ---- integers -------------------------------------------------------------------------------------------------------------------------
 */

/* The low bits of 64, as a type has them. */
LOCKSTEP_INLINE __vr v_as_i64(__vr a, unsigned vl) { return (void)vl, a; }
LOCKSTEP_INLINE __vr v_as_u64(__vr a, unsigned vl) { return (void)vl, a; }
LOCKSTEP_INLINE __vr v_as_i32(__vr a, unsigned vl) { return _vel_vaddswsx_vsvl(0, a, vl); }
LOCKSTEP_INLINE __vr v_as_u32(__vr a, unsigned vl) { return _vel_vand_vsvl(0xffffffff, a, vl); }
LOCKSTEP_INLINE __vr v_as_i16(__vr a, unsigned vl) { return _vel_vsral_vvsl(_vel_vsll_vvsl(a, 48, vl), 48, vl); }
LOCKSTEP_INLINE __vr v_as_u16(__vr a, unsigned vl) { return _vel_vand_vsvl(0xffff, a, vl); }
LOCKSTEP_INLINE __vr v_as_i8(__vr a, unsigned vl) { return _vel_vsral_vvsl(_vel_vsll_vvsl(a, 56, vl), 56, vl); }
LOCKSTEP_INLINE __vr v_as_u8(__vr a, unsigned vl) { return _vel_vand_vsvl(0xff, a, vl); }

LOCKSTEP_INLINE __vr v_not_zero(__vr a, unsigned vl) { return _vel_vmrg_vsvml(1, a, _vel_vfmklne_mvl(a, vl), vl); }

#define LOCKSTEP_VECTOR(type, U, width, s, less)                                                                                         \
  LOCKSTEP_INLINE __vr v_add_##type(__vr a, __vr b, unsigned vl) { return v_as_##type(_vel_vaddul_vvvl(a, b, vl), vl); }                 \
  LOCKSTEP_INLINE __vr v_sub_##type(__vr a, __vr b, unsigned vl) { return v_as_##type(_vel_vsubul_vvvl(a, b, vl), vl); }                 \
  LOCKSTEP_INLINE __vr v_mul_##type(__vr a, __vr b, unsigned vl) { return v_as_##type(_vel_vmulul_vvvl(a, b, vl), vl); }                 \
  LOCKSTEP_INLINE __vr v_div_##type(__vr a, __vr b, unsigned vl) {                                                                       \
    return v_as_##type(_vel_vdiv##s##l_vvvl(a, v_not_zero(b, vl), vl), vl);                                                              \
  }                                                                                                                                      \
  LOCKSTEP_INLINE __vr v_rem_##type(__vr a, __vr b, unsigned vl) {                                                                       \
    const __vr divisor = v_not_zero(b, vl);                                                                                              \
    return v_as_##type(_vel_vsubul_vvvl(a, _vel_vmulul_vvvl(_vel_vdiv##s##l_vvvl(a, divisor, vl), divisor, vl), vl), vl);                \
  }                                                                                                                                      \
  LOCKSTEP_INLINE __vr v_neg_##type(__vr a, unsigned vl) { return v_as_##type(_vel_vsubul_vsvl(0, a, vl), vl); }                         \
  LOCKSTEP_INLINE __vr v_not_##type(__vr a, unsigned vl) { return v_as_##type(_vel_vxor_vsvl(~UINT64_C(0), a, vl), vl); }                \
  LOCKSTEP_INLINE __vr v_shl_##type(__vr a, __vr n, unsigned vl) {                                                                       \
    return v_as_##type(_vel_vsll_vvvl(a, _vel_vand_vsvl((width) - 1, n, vl), vl), vl);                                                   \
  }                                                                                                                                      \
  LOCKSTEP_INLINE __vr v_shr_##type(__vr a, __vr n, unsigned vl) { return LOCKSTEP_SHR_##s(a, _vel_vand_vsvl((width) - 1, n, vl), vl); } \
  LOCKSTEP_INLINE __vm256 v_lt_##type(__vr a, __vr b, unsigned vl) { return _vel_vfmkllt_mvl(less(a, b, vl), vl); }                      \
  LOCKSTEP_INLINE __vm256 v_le_##type(__vr a, __vr b, unsigned vl) { return _vel_vfmklle_mvl(less(a, b, vl), vl); }                      \
  LOCKSTEP_INLINE __vm256 v_gt_##type(__vr a, __vr b, unsigned vl) { return _vel_vfmklgt_mvl(less(a, b, vl), vl); }                      \
  LOCKSTEP_INLINE __vm256 v_ge_##type(__vr a, __vr b, unsigned vl) { return _vel_vfmklge_mvl(less(a, b, vl), vl); }                      \
  LOCKSTEP_INLINE __vm256 v_eq_##type(__vr a, __vr b, unsigned vl) { return _vel_vfmkleq_mvl(less(a, b, vl), vl); }                      \
  LOCKSTEP_INLINE __vm256 v_ne_##type(__vr a, __vr b, unsigned vl) { return _vel_vfmklne_mvl(less(a, b, vl), vl); }                      \
  LOCKSTEP_INLINE __vr v_min_##type(__vr a, __vr b, unsigned vl) { return _vel_vmrg_vvvml(a, b, v_lt_##type(b, a, vl), vl); }            \
  LOCKSTEP_INLINE __vr v_max_##type(__vr a, __vr b, unsigned vl) { return _vel_vmrg_vvvml(a, b, v_lt_##type(a, b, vl), vl); }            \
  LOCKSTEP_INLINE __vr v_popcount_##type(__vr a, unsigned vl) { return _vel_vpcnt_vvl(v_as_##U(a, vl), vl); }                            \
  LOCKSTEP_INLINE __vr v_abs_##type(__vr a, unsigned vl) { return LOCKSTEP_ABS_##s(a, vl); }

#define LOCKSTEP_SHR_s _vel_vsral_vvvl
#define LOCKSTEP_SHR_u _vel_vsrl_vvvl
#define LOCKSTEP_ABS_s(a, vl) _vel_vmaxsl_vvvl(a, _vel_vsubul_vsvl(0, a, vl), vl)
#define LOCKSTEP_ABS_u(a, vl) ((void)(vl), (a))

LOCKSTEP_VECTOR(i8, u8, 8, s, _vel_vcmpsl_vvvl)
LOCKSTEP_VECTOR(i16, u16, 16, s, _vel_vcmpsl_vvvl)
LOCKSTEP_VECTOR(i32, u32, 32, s, _vel_vcmpsl_vvvl)
LOCKSTEP_VECTOR(i64, u64, 64, s, _vel_vcmpsl_vvvl)
LOCKSTEP_VECTOR(u8, u8, 8, u, _vel_vcmpul_vvvl)
LOCKSTEP_VECTOR(u16, u16, 16, u, _vel_vcmpul_vvvl)
LOCKSTEP_VECTOR(u32, u32, 32, u, _vel_vcmpul_vvvl)
LOCKSTEP_VECTOR(u64, u64, 64, u, _vel_vcmpul_vvvl)

/* ---- floats ---------------------------------------------------------------------------------------------------------------------------
 */

#define LOCKSTEP_VECTOR_FLOAT(type, x)                                                                                                     \
  LOCKSTEP_INLINE __vr v_neg_##type(__vr a, unsigned vl) { return _vel_vxor_vsvl(UINT64_C(1) << 63, a, vl); }                              \
  LOCKSTEP_INLINE __vr v_fabs_##type(__vr a, unsigned vl) { return _vel_vand_vsvl(~(UINT64_C(1) << 63), a, vl); }                          \
  LOCKSTEP_INLINE __vr v_rcp_##type(__vr a, unsigned vl) { return _vel_vfdiv##x##_vsvl(1, a, vl); }                                        \
  LOCKSTEP_INLINE __vm256 v_lt_##type(__vr a, __vr b, unsigned vl) { return _vel_vfmk##x##lt_mvl(_vel_vfcmp##x##_vvvl(a, b, vl), vl); }    \
  LOCKSTEP_INLINE __vm256 v_le_##type(__vr a, __vr b, unsigned vl) { return _vel_vfmk##x##le_mvl(_vel_vfcmp##x##_vvvl(a, b, vl), vl); }    \
  LOCKSTEP_INLINE __vm256 v_gt_##type(__vr a, __vr b, unsigned vl) { return _vel_vfmk##x##gt_mvl(_vel_vfcmp##x##_vvvl(a, b, vl), vl); }    \
  LOCKSTEP_INLINE __vm256 v_ge_##type(__vr a, __vr b, unsigned vl) { return _vel_vfmk##x##ge_mvl(_vel_vfcmp##x##_vvvl(a, b, vl), vl); }    \
  LOCKSTEP_INLINE __vm256 v_eq_##type(__vr a, __vr b, unsigned vl) { return _vel_vfmk##x##eq_mvl(_vel_vfcmp##x##_vvvl(a, b, vl), vl); }    \
  LOCKSTEP_INLINE __vm256 v_ne_##type(__vr a, __vr b, unsigned vl) { return _vel_vfmk##x##nenan_mvl(_vel_vfcmp##x##_vvvl(a, b, vl), vl); } \
  LOCKSTEP_INLINE __vr v_min_##type(__vr a, __vr b, unsigned vl) { return _vel_vmrg_vvvml(a, b, v_lt_##type(b, a, vl), vl); }              \
  LOCKSTEP_INLINE __vr v_max_##type(__vr a, __vr b, unsigned vl) { return _vel_vmrg_vvvml(a, b, v_lt_##type(a, b, vl), vl); }

LOCKSTEP_VECTOR_FLOAT(f32, s)
LOCKSTEP_VECTOR_FLOAT(f64, d)

/* Two floats in each element: the lower halves are of packs as far behind those of the upper ones as there are elements. */
LOCKSTEP_INLINE uint64_t s_pair(float a) { return (uint64_t)s_bits_of_f32(a) << 32 | s_bits_of_f32(a); }
LOCKSTEP_INLINE __vr v_neg_pair(__vr a, unsigned vl) { return _vel_vxor_vsvl(UINT64_C(0x8000000080000000), a, vl); }
LOCKSTEP_INLINE __vr v_fabs_pair(__vr a, unsigned vl) { return _vel_vand_vsvl(UINT64_C(0x7fffffff7fffffff), a, vl); }
LOCKSTEP_INLINE __vr v_load_pair(uint64_t stride, const void* first, unsigned vl) {
  const __vr upper = _vel_vldu_vssl(stride, first, vl);
  return _vel_vshf_vvvsl(upper, _vel_vldlzx_vssl(stride, (const void*)((uint64_t)first + stride * vl), vl), VE_VSHUFFLE_YUZL, vl);
}
LOCKSTEP_INLINE void v_store_pair(__vr a, uint64_t stride, void* first, unsigned vl) {
  _vel_vstu_vssl(a, stride, first, vl);
  _vel_vstl_vssl(a, stride, (void*)((uint64_t)first + stride * vl), vl);
}

/* Conversions, as those of one number. */
LOCKSTEP_INLINE __vr v_f64_of_u64(__vr a, unsigned vl) {
  const __vr upper = _vel_vcvtdl_vvl(_vel_vsrl_vvsl(a, 32, vl), vl);
  return _vel_vfmadd_vvsvl(_vel_vcvtdl_vvl(v_as_u32(a, vl), vl), 0x1p32, upper, vl);
}
LOCKSTEP_INLINE __vr v_f32_of_u32(__vr a, unsigned vl) { return _vel_vcvtsd_vvl(_vel_vcvtdl_vvl(a, vl), vl); }
LOCKSTEP_INLINE __vr v_f32_of_i64(__vr a, unsigned vl) {
  const __vr rest = _vel_vaddul_vsvl(0x7ff, _vel_vand_vsvl(0x7ff, a, vl), vl);
  const __vr gathered = _vel_vand_vsvl(~UINT64_C(0x7ff), _vel_vor_vvvl(a, rest, vl), vl);
  const __vr magnitude = _vel_vmaxsl_vvvl(a, _vel_vsubul_vsvl(0, a, vl), vl);
  const __vm256 is_small = _vel_vfmklgt_mvl(_vel_vcmpul_vsvl(UINT64_C(1) << 53, magnitude, vl), vl);
  return _vel_vcvtsd_vvl(_vel_vcvtdl_vvl(_vel_vmrg_vvvml(gathered, a, is_small, vl), vl), vl);
}
LOCKSTEP_INLINE __vr v_f32_of_u64(__vr a, unsigned vl) {
  const __vr half = _vel_vor_vvvl(_vel_vsrl_vvsl(a, 1, vl), _vel_vand_vsvl(1, a, vl), vl);
  const __vr doubled = _vel_vfmuls_vsvl(2, v_f32_of_i64(half, vl), vl);
  return _vel_vmrg_vvvml(doubled, v_f32_of_i64(a, vl), _vel_vfmklge_mvl(a, vl), vl);
}
LOCKSTEP_INLINE __vr v_u64_of_f64(__vr a, unsigned vl) {
  const __vm256 is_small = _vel_vfmkdgt_mvl(_vel_vfcmpd_vsvl(0x1p63, a, vl), vl);
  const __vr shifted = _vel_vcvtldrz_vvl(_vel_vfsubd_vvvl(a, _vel_vbrdd_vsl(0x1p63, vl), vl), vl);
  return _vel_vmrg_vvvml(_vel_vxor_vsvl(UINT64_C(1) << 63, shifted, vl), _vel_vcvtldrz_vvl(a, vl), is_small, vl);
}

/* ---- memory ---------------------------------------------------------------------------------------------------------------------------
 */

/* Elements of less than 4 bytes are read and written one by one. */
#define LOCKSTEP_SMALL(type, T)                                                                            \
  LOCKSTEP_INLINE __vr v_load_##type(__vr addresses, __vm256 mask, unsigned vl) {                          \
    uint64_t at[256];                                                                                      \
    _vel_vst_vssl(_vel_vmrg_vsvml(0, addresses, mask, vl), 8, at, vl);                                     \
    LOCKSTEP_ROLLED for (unsigned k = 0; k < vl; ++k) at[k] = at[k] == 0 ? 0 : (uint64_t)*(const T*)at[k]; \
    return _vel_vld_vssl(8, at, vl);                                                                       \
  }                                                                                                        \
  LOCKSTEP_INLINE void v_store_##type(__vr numbers, __vr addresses, __vm256 mask, unsigned vl) {           \
    uint64_t at[256];                                                                                      \
    uint64_t from[256];                                                                                    \
    _vel_vst_vssl(_vel_vmrg_vsvml(0, addresses, mask, vl), 8, at, vl);                                     \
    _vel_vst_vssl(numbers, 8, from, vl);                                                                   \
    LOCKSTEP_ROLLED for (unsigned k = 0; k < vl; ++k) {                                                    \
      if (at[k] != 0) *(T*)at[k] = (T)from[k];                                                             \
    }                                                                                                      \
  }

LOCKSTEP_SMALL(i8, int8_t)
LOCKSTEP_SMALL(u8, uint8_t)
LOCKSTEP_SMALL(i16, int16_t)
LOCKSTEP_SMALL(u16, uint16_t)

/* Elements that several lanes change, one after the other: what each has found. Groups run in one thread, so that nobody else comes
 * between.
 */
#define LOCKSTEP_ATOMIC(name, type, T, next)                                                                              \
  LOCKSTEP_INLINE __vr v_atomic_##name##_##type(__vr addresses, __vr compares, __vr numbers, __vm256 mask, unsigned vl) { \
    uint64_t at[256];                                                                                                     \
    uint64_t from[256];                                                                                                   \
    uint64_t asked[256];                                                                                                  \
    _vel_vst_vssl(_vel_vmrg_vsvml(0, addresses, mask, vl), 8, at, vl);                                                    \
    _vel_vst_vssl(numbers, 8, from, vl);                                                                                  \
    _vel_vst_vssl(compares, 8, asked, vl);                                                                                \
    LOCKSTEP_ROLLED for (unsigned k = 0; k < vl; ++k) {                                                                   \
      if (at[k] == 0) continue;                                                                                           \
      T* const cell = (T*)at[k];                                                                                          \
      const T old = *cell;                                                                                                \
      const T value = s_##type##_of_word(from[k]);                                                                        \
      *cell = next;                                                                                                       \
      at[k] = s_word_of_##type(old);                                                                                      \
    }                                                                                                                     \
    return _vel_vld_vssl(8, at, vl);                                                                                      \
  }
#define LOCKSTEP_ATOMICS(type, T, sum, difference)                                                                         \
  LOCKSTEP_ATOMIC(exchange, type, T, value)                                                                                \
  LOCKSTEP_ATOMIC(compare, type, T, s_word_of_##type(old) == s_word_of_##type(s_##type##_of_word(asked[k])) ? value : old) \
  LOCKSTEP_ATOMIC(add, type, T, sum)                                                                                       \
  LOCKSTEP_ATOMIC(sub, type, T, difference)                                                                                \
  LOCKSTEP_ATOMIC(min, type, T, value < old ? value : old)                                                                 \
  LOCKSTEP_ATOMIC(max, type, T, old < value ? value : old)
#define LOCKSTEP_ATOMIC_BITS(type, T)       \
  LOCKSTEP_ATOMIC(and, type, T, old& value) \
  LOCKSTEP_ATOMIC(or, type, T, old | value) \
  LOCKSTEP_ATOMIC(xor, type, T, old ^ value)

/* How an element of a vector holds a number. */
LOCKSTEP_INLINE int32_t s_i32_of_word(uint64_t word) { return (int32_t)word; }
LOCKSTEP_INLINE uint64_t s_word_of_i32(int32_t a) { return (uint64_t)(int64_t)a; }
LOCKSTEP_INLINE uint32_t s_u32_of_word(uint64_t word) { return (uint32_t)word; }
LOCKSTEP_INLINE uint64_t s_word_of_u32(uint32_t a) { return a; }
LOCKSTEP_INLINE int64_t s_i64_of_word(uint64_t word) { return (int64_t)word; }
LOCKSTEP_INLINE uint64_t s_word_of_i64(int64_t a) { return (uint64_t)a; }
LOCKSTEP_INLINE uint64_t s_u64_of_word(uint64_t word) { return word; }
LOCKSTEP_INLINE uint64_t s_word_of_u64(uint64_t a) { return a; }
LOCKSTEP_INLINE float s_f32_of_word(uint64_t word) { return s_f32_of_bits((uint32_t)(word >> 32)); }
LOCKSTEP_INLINE uint64_t s_word_of_f32(float a) { return (uint64_t)s_bits_of_f32(a) << 32; }
LOCKSTEP_INLINE double s_f64_of_word(uint64_t word) { return s_f64_of_bits(word); }
LOCKSTEP_INLINE uint64_t s_word_of_f64(double a) { return s_bits_of_f64(a); }

LOCKSTEP_ATOMICS(i32, int32_t, (int32_t)((uint32_t)old + (uint32_t)value), (int32_t)((uint32_t)old - (uint32_t)value))
LOCKSTEP_ATOMICS(u32, uint32_t, old + value, old - value)
LOCKSTEP_ATOMICS(i64, int64_t, (int64_t)((uint64_t)old + (uint64_t)value), (int64_t)((uint64_t)old - (uint64_t)value))
LOCKSTEP_ATOMICS(u64, uint64_t, old + value, old - value)
LOCKSTEP_ATOMICS(f32, float, old + value, old - value)
LOCKSTEP_ATOMICS(f64, double, old + value, old - value)
LOCKSTEP_ATOMIC_BITS(i32, int32_t)
LOCKSTEP_ATOMIC_BITS(u32, uint32_t)
LOCKSTEP_ATOMIC_BITS(i64, int64_t)
LOCKSTEP_ATOMIC_BITS(u64, uint64_t)
