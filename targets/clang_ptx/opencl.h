// What kernels of the portable subset (docs/fuzz.md) call, for clang's OpenCL front end and NVPTX:
//   clang-19 -x cl -cl-std=CL2.0 -cl-no-stdinc --target=nvptx64-nvidia-cuda -include opencl.h -S kernel.cl
// WG_SIZE_X, WG_SIZE_Y and WG_SIZE_Z are the sizes of a group, so that get_local_size(d) is a constant, as in the kernel language; WORK_DIM is
// how many dimensions the launch is written with, OFFSET_X, OFFSET_Y and OFFSET_Z are what global ids begin with, and HAS_VECTORS is there if
// the kernel's text has a vector type's name in it.

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;

#define NULL ((void *)0)
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2

// The dimension may be left out.
#define DIMENSION(...) (+__VA_ARGS__ + 0)
#define OF_DIMENSION(x, y, z, beyond, ...) \
  ((size_t)(DIMENSION(__VA_ARGS__) == 0 ? (x) : DIMENSION(__VA_ARGS__) == 1 ? (y) : DIMENSION(__VA_ARGS__) == 2 ? (z) : (beyond)))
#define OF_REGISTERS(name, beyond, ...) \
  OF_DIMENSION(__nvvm_read_ptx_sreg_##name##_x(), __nvvm_read_ptx_sreg_##name##_y(), __nvvm_read_ptx_sreg_##name##_z(), beyond, __VA_ARGS__)
#define get_local_size(...) OF_DIMENSION(WG_SIZE_X, WG_SIZE_Y, WG_SIZE_Z, 1, __VA_ARGS__)
#define get_enqueued_local_size(...) get_local_size(__VA_ARGS__)
#define get_local_id(...) OF_REGISTERS(tid, 0, __VA_ARGS__)
#define get_group_id(...) OF_REGISTERS(ctaid, 0, __VA_ARGS__)
#define get_num_groups(...) OF_REGISTERS(nctaid, 1, __VA_ARGS__)
#define ITEM(...) (get_group_id(__VA_ARGS__) * get_local_size(__VA_ARGS__) + get_local_id(__VA_ARGS__))
#define get_global_id(...) (ITEM(__VA_ARGS__) + get_global_offset(__VA_ARGS__))
#define get_global_size(...) (get_num_groups(__VA_ARGS__) * get_local_size(__VA_ARGS__))
#define get_global_offset(...) OF_DIMENSION(OFFSET_X, OFFSET_Y, OFFSET_Z, 0, __VA_ARGS__)
#define get_work_dim() ((uint)WORK_DIM)
#define get_local_linear_id() ((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0))
#define get_global_linear_id() ((ITEM(2) * get_global_size(1) + ITEM(1)) * get_global_size(0) + ITEM(0))
#define barrier(flags) __syncthreads()
#define work_group_barrier(...) __syncthreads()
#define mem_fence(flags) ((void)(flags))
#define read_mem_fence(flags) ((void)(flags))
#define write_mem_fence(flags) ((void)(flags))

#define FUNCTION static inline __attribute__((overloadable, always_inline))

#define INTEGER(type, magnitude, count)                                          \
  FUNCTION type min(type x, type y) { return y < x ? y : x; }                    \
  FUNCTION type max(type x, type y) { return x < y ? y : x; }                    \
  FUNCTION magnitude abs(type x) { return x < 0 ? -(magnitude)x : (magnitude)x; } \
  FUNCTION type clamp(type x, type low, type high) { return min(max(x, low), high); } \
  FUNCTION type popcount(type x) { return count((magnitude)x); }
INTEGER(char, uchar, __builtin_popcount)
INTEGER(uchar, uchar, __builtin_popcount)
INTEGER(short, ushort, __builtin_popcount)
INTEGER(ushort, ushort, __builtin_popcount)
INTEGER(int, uint, __builtin_popcount)
INTEGER(uint, uint, __builtin_popcount)
INTEGER(long, ulong, __builtin_popcountl)
INTEGER(ulong, ulong, __builtin_popcountl)

#define FLOATING(type, suffix, kind)                                                       \
  FUNCTION type fabs(type x) { return __builtin_fabs##suffix(x); }                         \
  FUNCTION type sqrt(type x) { return __nvvm_sqrt_rn_##kind(x); }                          \
  FUNCTION type fma(type x, type y, type z) { return __nvvm_fma_rn_##kind(x, y, z); }      \
  FUNCTION type min(type x, type y) { return y < x ? y : x; }                              \
  FUNCTION type max(type x, type y) { return x < y ? y : x; }                              \
  FUNCTION type clamp(type x, type low, type high) { return min(max(x, low), high); }      \
  FUNCTION type mad(type x, type y, type z) { return fma(x, y, z); }                       \
  FUNCTION type rcp(type x) { return 1 / x; }                                              \
  FUNCTION type rsqrt(type x) { return 1 / sqrt(x); }                                      \
  FUNCTION type native_sqrt(type x) { return sqrt(x); }                                    \
  FUNCTION type native_rsqrt(type x) { return 1 / sqrt(x); }                               \
  FUNCTION type native_recip(type x) { return 1 / x; }                                     \
  FUNCTION type native_divide(type x, type y) { return x / y; }                            \
  FUNCTION type floor(type x) { return __builtin_floor##suffix(x); }                       \
  FUNCTION type ceil(type x) { return __builtin_ceil##suffix(x); }                         \
  FUNCTION type trunc(type x) { return __builtin_trunc##suffix(x); }                       \
  FUNCTION type rint(type x) { return __builtin_rint##suffix(x); }                         \
  FUNCTION type round(type x) { return __builtin_round##suffix(x); }                       \
  FUNCTION type fmin(type x, type y) { return __builtin_fmin##suffix(x, y); }              \
  FUNCTION type fmax(type x, type y) { return __builtin_fmax##suffix(x, y); }              \
  FUNCTION int isnan(type x) { return x != x; }                                            \
  FUNCTION int isinf(type x) { return fabs(x) == INFINITY; }                               \
  FUNCTION int isfinite(type x) { return fabs(x) < INFINITY; }                             \
  FUNCTION type step(type edge, type x) { return x < edge ? 0 : 1; }                       \
  FUNCTION type degrees(type x) { return x * (type)57.295779513082320877; }                \
  FUNCTION type radians(type x) { return x * (type)0.017453292519943295769; }
FLOATING(float, f, f)
FLOATING(double, , d)

FUNCTION int mul24(int x, int y) { return x * y; }
FUNCTION uint mul24(uint x, uint y) { return x * y; }
FUNCTION int mad24(int x, int y, int z) { return x * y + z; }
FUNCTION uint mad24(uint x, uint y, uint z) { return x * y + z; }
#define convert_char(x) ((char)(x))
#define convert_uchar(x) ((uchar)(x))
#define convert_short(x) ((short)(x))
#define convert_ushort(x) ((ushort)(x))
#define convert_int(x) ((int)(x))
#define convert_uint(x) ((uint)(x))
#define convert_long(x) ((long)(x))
#define convert_ulong(x) ((ulong)(x))
#define convert_float(x) ((float)(x))
#define convert_double(x) ((double)(x))

// What several items change. Numbers of 2.0's atomic types are changed as those of the types that they are of.
#define ATOMIC(T, name, builtin, P)                                                                                       \
  FUNCTION T atomic_##name(volatile T *p, T v) { return (T)__nvvm_atom_##builtin((volatile P *)p, (P)v); }                \
  FUNCTION T atom_##name(volatile T *p, T v) { return atomic_##name(p, v); }
#define ATOMIC_FETCH(T, P, name) \
  FUNCTION T atomic_fetch_##name(volatile P *p, T v) { return atomic_##name((volatile T *)p, v); }
#define ATOMIC_FETCHES(T, P)                                                                                              \
  ATOMIC_FETCH(T, P, add) ATOMIC_FETCH(T, P, sub) ATOMIC_FETCH(T, P, and) ATOMIC_FETCH(T, P, or) ATOMIC_FETCH(T, P, xor)  \
  ATOMIC_FETCH(T, P, min) ATOMIC_FETCH(T, P, max)                                                                         \
  FUNCTION T atomic_load(volatile P *p) { return atomic_cmpxchg((volatile T *)p, (T)0, (T)0); }                           \
  FUNCTION void atomic_store(volatile P *p, T v) { atomic_xchg((volatile T *)p, v); }
#define ATOMICS(T, P, size, least, greatest)                                                                              \
  ATOMIC(T, add, add_gen_##size, P)                                                                                       \
  ATOMIC(T, xchg, xchg_gen_##size, P)                                                                                     \
  ATOMIC(T, and, and_gen_##size, P)                                                                                       \
  ATOMIC(T, or, or_gen_##size, P)                                                                                         \
  ATOMIC(T, xor, xor_gen_##size, P)                                                                                       \
  ATOMIC(T, min, least, T)                                                                                                \
  ATOMIC(T, max, greatest, T)                                                                                             \
  FUNCTION T atomic_sub(volatile T *p, T v) { return atomic_add(p, (T)(0 - v)); }                                         \
  FUNCTION T atom_sub(volatile T *p, T v) { return atomic_sub(p, v); }                                                    \
  FUNCTION T atomic_inc(volatile T *p) { return atomic_add(p, (T)1); }                                                    \
  FUNCTION T atom_inc(volatile T *p) { return atomic_inc(p); }                                                            \
  FUNCTION T atomic_dec(volatile T *p) { return atomic_add(p, (T)-1); }                                                   \
  FUNCTION T atom_dec(volatile T *p) { return atomic_dec(p); }                                                            \
  FUNCTION T atomic_cmpxchg(volatile T *p, T e, T v) { return (T)__nvvm_atom_cas_gen_##size((volatile P *)p, (P)e, (P)v); } \
  FUNCTION T atom_cmpxchg(volatile T *p, T e, T v) { return atomic_cmpxchg(p, e, v); }                                    \
  ATOMIC_FETCHES(T, T)
ATOMICS(int, int, i, min_gen_i, max_gen_i)
ATOMICS(uint, int, i, min_gen_ui, max_gen_ui)
ATOMICS(long, long, l, min_gen_l, max_gen_l)
ATOMICS(ulong, long, l, min_gen_ul, max_gen_ul)
ATOMIC_FETCHES(int, atomic_int)
ATOMIC_FETCHES(uint, atomic_uint)
#define atomic_fetch_add_explicit(p, v, ...) atomic_fetch_add(p, v)
#define atomic_fetch_sub_explicit(p, v, ...) atomic_fetch_sub(p, v)
#define atomic_fetch_and_explicit(p, v, ...) atomic_fetch_and(p, v)
#define atomic_fetch_or_explicit(p, v, ...) atomic_fetch_or(p, v)
#define atomic_fetch_xor_explicit(p, v, ...) atomic_fetch_xor(p, v)
#define atomic_fetch_min_explicit(p, v, ...) atomic_fetch_min(p, v)
#define atomic_fetch_max_explicit(p, v, ...) atomic_fetch_max(p, v)

// Vectors: clang has their operators. Memory that vloadn and vstoren touch need not be aligned as vectors are.
#define EACH_SIZE(do, type) do(type, 2) do(type, 3) do(type, 4) do(type, 8) do(type, 16)
#define EACH_TYPE(do, more)                                                                                                         \
  do(more, char) do(more, uchar) do(more, short) do(more, ushort) do(more, int) do(more, uint) do(more, long) do(more, ulong) \
  do(more, float) do(more, double)
#define VECTOR(type, size)                                              \
  typedef type type##size __attribute__((ext_vector_type(size)));       \
  FUNCTION type##size vload##size(size_t offset, const type *p) {       \
    type##size v;                                                       \
    for (int k = 0; k < size; ++k) v[k] = p[offset * size + k];         \
    return v;                                                           \
  }                                                                     \
  FUNCTION void vstore##size(type##size v, size_t offset, type *p) {    \
    for (int k = 0; k < size; ++k) p[offset * size + k] = v[k];         \
  }
#define VECTORS(more, type) EACH_SIZE(VECTOR, type)
EACH_TYPE(VECTORS, )
#define convert_char2(x) __builtin_convertvector(x, char2)
#define convert_char3(x) __builtin_convertvector(x, char3)
#define convert_char4(x) __builtin_convertvector(x, char4)
#define convert_char8(x) __builtin_convertvector(x, char8)
#define convert_char16(x) __builtin_convertvector(x, char16)
#define convert_uchar2(x) __builtin_convertvector(x, uchar2)
#define convert_uchar3(x) __builtin_convertvector(x, uchar3)
#define convert_uchar4(x) __builtin_convertvector(x, uchar4)
#define convert_uchar8(x) __builtin_convertvector(x, uchar8)
#define convert_uchar16(x) __builtin_convertvector(x, uchar16)
#define convert_short2(x) __builtin_convertvector(x, short2)
#define convert_short3(x) __builtin_convertvector(x, short3)
#define convert_short4(x) __builtin_convertvector(x, short4)
#define convert_short8(x) __builtin_convertvector(x, short8)
#define convert_short16(x) __builtin_convertvector(x, short16)
#define convert_ushort2(x) __builtin_convertvector(x, ushort2)
#define convert_ushort3(x) __builtin_convertvector(x, ushort3)
#define convert_ushort4(x) __builtin_convertvector(x, ushort4)
#define convert_ushort8(x) __builtin_convertvector(x, ushort8)
#define convert_ushort16(x) __builtin_convertvector(x, ushort16)
#define convert_int2(x) __builtin_convertvector(x, int2)
#define convert_int3(x) __builtin_convertvector(x, int3)
#define convert_int4(x) __builtin_convertvector(x, int4)
#define convert_int8(x) __builtin_convertvector(x, int8)
#define convert_int16(x) __builtin_convertvector(x, int16)
#define convert_uint2(x) __builtin_convertvector(x, uint2)
#define convert_uint3(x) __builtin_convertvector(x, uint3)
#define convert_uint4(x) __builtin_convertvector(x, uint4)
#define convert_uint8(x) __builtin_convertvector(x, uint8)
#define convert_uint16(x) __builtin_convertvector(x, uint16)
#define convert_long2(x) __builtin_convertvector(x, long2)
#define convert_long3(x) __builtin_convertvector(x, long3)
#define convert_long4(x) __builtin_convertvector(x, long4)
#define convert_long8(x) __builtin_convertvector(x, long8)
#define convert_long16(x) __builtin_convertvector(x, long16)
#define convert_ulong2(x) __builtin_convertvector(x, ulong2)
#define convert_ulong3(x) __builtin_convertvector(x, ulong3)
#define convert_ulong4(x) __builtin_convertvector(x, ulong4)
#define convert_ulong8(x) __builtin_convertvector(x, ulong8)
#define convert_ulong16(x) __builtin_convertvector(x, ulong16)
#define convert_float2(x) __builtin_convertvector(x, float2)
#define convert_float3(x) __builtin_convertvector(x, float3)
#define convert_float4(x) __builtin_convertvector(x, float4)
#define convert_float8(x) __builtin_convertvector(x, float8)
#define convert_float16(x) __builtin_convertvector(x, float16)
#define convert_double2(x) __builtin_convertvector(x, double2)
#define convert_double3(x) __builtin_convertvector(x, double3)
#define convert_double4(x) __builtin_convertvector(x, double4)
#define convert_double8(x) __builtin_convertvector(x, double8)
#define convert_double16(x) __builtin_convertvector(x, double16)

#define as_char(x) __builtin_astype(x, char)
#define as_char2(x) __builtin_astype(x, char2)
#define as_char3(x) __builtin_astype(x, char3)
#define as_char4(x) __builtin_astype(x, char4)
#define as_char8(x) __builtin_astype(x, char8)
#define as_char16(x) __builtin_astype(x, char16)
#define as_uchar(x) __builtin_astype(x, uchar)
#define as_uchar2(x) __builtin_astype(x, uchar2)
#define as_uchar3(x) __builtin_astype(x, uchar3)
#define as_uchar4(x) __builtin_astype(x, uchar4)
#define as_uchar8(x) __builtin_astype(x, uchar8)
#define as_uchar16(x) __builtin_astype(x, uchar16)
#define as_short(x) __builtin_astype(x, short)
#define as_short2(x) __builtin_astype(x, short2)
#define as_short3(x) __builtin_astype(x, short3)
#define as_short4(x) __builtin_astype(x, short4)
#define as_short8(x) __builtin_astype(x, short8)
#define as_short16(x) __builtin_astype(x, short16)
#define as_ushort(x) __builtin_astype(x, ushort)
#define as_ushort2(x) __builtin_astype(x, ushort2)
#define as_ushort3(x) __builtin_astype(x, ushort3)
#define as_ushort4(x) __builtin_astype(x, ushort4)
#define as_ushort8(x) __builtin_astype(x, ushort8)
#define as_ushort16(x) __builtin_astype(x, ushort16)
#define as_int(x) __builtin_astype(x, int)
#define as_int2(x) __builtin_astype(x, int2)
#define as_int3(x) __builtin_astype(x, int3)
#define as_int4(x) __builtin_astype(x, int4)
#define as_int8(x) __builtin_astype(x, int8)
#define as_int16(x) __builtin_astype(x, int16)
#define as_uint(x) __builtin_astype(x, uint)
#define as_uint2(x) __builtin_astype(x, uint2)
#define as_uint3(x) __builtin_astype(x, uint3)
#define as_uint4(x) __builtin_astype(x, uint4)
#define as_uint8(x) __builtin_astype(x, uint8)
#define as_uint16(x) __builtin_astype(x, uint16)
#define as_long(x) __builtin_astype(x, long)
#define as_long2(x) __builtin_astype(x, long2)
#define as_long3(x) __builtin_astype(x, long3)
#define as_long4(x) __builtin_astype(x, long4)
#define as_long8(x) __builtin_astype(x, long8)
#define as_long16(x) __builtin_astype(x, long16)
#define as_ulong(x) __builtin_astype(x, ulong)
#define as_ulong2(x) __builtin_astype(x, ulong2)
#define as_ulong3(x) __builtin_astype(x, ulong3)
#define as_ulong4(x) __builtin_astype(x, ulong4)
#define as_ulong8(x) __builtin_astype(x, ulong8)
#define as_ulong16(x) __builtin_astype(x, ulong16)
#define as_float(x) __builtin_astype(x, float)
#define as_float2(x) __builtin_astype(x, float2)
#define as_float3(x) __builtin_astype(x, float3)
#define as_float4(x) __builtin_astype(x, float4)
#define as_float8(x) __builtin_astype(x, float8)
#define as_float16(x) __builtin_astype(x, float16)
#define as_double(x) __builtin_astype(x, double)
#define as_double2(x) __builtin_astype(x, double2)
#define as_double3(x) __builtin_astype(x, double3)
#define as_double4(x) __builtin_astype(x, double4)
#define as_double8(x) __builtin_astype(x, double8)
#define as_double16(x) __builtin_astype(x, double16)

FUNCTION float copysign(float x, float y) { return __builtin_copysignf(x, y); }
FUNCTION double copysign(double x, double y) { return __builtin_copysign(x, y); }

#define isequal(x, y) ((x) == (y))
#define isnotequal(x, y) ((x) != (y))
#define isgreater(x, y) ((x) > (y))
#define isgreaterequal(x, y) ((x) >= (y))
#define isless(x, y) ((x) < (y))
#define islessequal(x, y) ((x) <= (y))
#define add_sat(x, y) __builtin_elementwise_add_sat(x, y)
#define sub_sat(x, y) __builtin_elementwise_sub_sat(x, y)

#ifdef HAS_VECTORS  // these are many: clang reads them where a kernel may call them

// Functions of numbers, one component at a time.
#define PARTS(type, size, part)                   \
  {                                               \
    type##size r;                                 \
    for (int k = 0; k < size; ++k) r[k] = (part); \
    return r;                                     \
  }
#define PARTS_1(type, size, f) FUNCTION type##size f(type##size x) PARTS(type, size, f(x[k]))
#define PARTS_2(type, size, f) FUNCTION type##size f(type##size x, type##size y) PARTS(type, size, f(x[k], y[k]))
#define PARTS_3(type, size, f) FUNCTION type##size f(type##size x, type##size y, type##size z) PARTS(type, size, f(x[k], y[k], z[k]))
#define WITH_NUMBER(type, size, f) FUNCTION type##size f(type##size x, type y) PARTS(type, size, f(x[k], y))
#define OF_NUMBERS(type, size)                                                                                         \
  PARTS_2(type, size, min) PARTS_2(type, size, max) PARTS_3(type, size, clamp)                                         \
  WITH_NUMBER(type, size, min) WITH_NUMBER(type, size, max)                                                            \
  FUNCTION type##size clamp(type##size x, type low, type high) PARTS(type, size, clamp(x[k], low, high))
#define OF_EACH(more, type) EACH_SIZE(OF_NUMBERS, type)
EACH_TYPE(OF_EACH, )

// By the highest bit of each component.
#define OF_SIGNED(type, size)                           \
  FUNCTION u##type##size abs(type##size x) PARTS(u##type, size, abs(x[k]))                                             \
  FUNCTION int any(type##size x) {                      \
    int r = 0;                                          \
    for (int k = 0; k < size; ++k) r = r || x[k] < 0;   \
    return r;                                           \
  }                                                     \
  FUNCTION int all(type##size x) {                      \
    int r = 1;                                          \
    for (int k = 0; k < size; ++k) r = r && x[k] < 0;   \
    return r;                                           \
  }
EACH_SIZE(OF_SIGNED, char) EACH_SIZE(OF_SIGNED, short) EACH_SIZE(OF_SIGNED, int) EACH_SIZE(OF_SIGNED, long)

#define OF_INTEGERS(type, size) PARTS_1(type, size, popcount)
EACH_SIZE(OF_INTEGERS, char) EACH_SIZE(OF_INTEGERS, uchar) EACH_SIZE(OF_INTEGERS, short) EACH_SIZE(OF_INTEGERS, ushort)
EACH_SIZE(OF_INTEGERS, int) EACH_SIZE(OF_INTEGERS, uint) EACH_SIZE(OF_INTEGERS, long) EACH_SIZE(OF_INTEGERS, ulong)

#define SELECT(type, size, choice, chosen)                                                                             \
  FUNCTION type##size select(type##size x, type##size y, choice##size c) PARTS(type, size, (chosen)c[k] < 0 ? y[k] : x[k])
#define SELECTS(type, size, choice) SELECT(type, size, choice, choice) SELECT(type, size, u##choice, choice)
#define BY_CHAR(type, size) SELECTS(type, size, char)
#define BY_SHORT(type, size) SELECTS(type, size, short)
#define BY_INT(type, size) SELECTS(type, size, int)
#define BY_LONG(type, size) SELECTS(type, size, long)
EACH_SIZE(BY_CHAR, char) EACH_SIZE(BY_CHAR, uchar) EACH_SIZE(BY_SHORT, short) EACH_SIZE(BY_SHORT, ushort)
EACH_SIZE(BY_INT, int) EACH_SIZE(BY_INT, uint) EACH_SIZE(BY_INT, float)
EACH_SIZE(BY_LONG, long) EACH_SIZE(BY_LONG, ulong) EACH_SIZE(BY_LONG, double)

#define OF_FLOATS(type, size, truth)                                                                                   \
  PARTS_1(type, size, fabs) PARTS_1(type, size, sqrt) PARTS_1(type, size, rcp) PARTS_1(type, size, rsqrt)              \
  PARTS_1(type, size, native_sqrt) PARTS_1(type, size, native_rsqrt) PARTS_1(type, size, native_recip)                 \
  PARTS_1(type, size, floor) PARTS_1(type, size, ceil) PARTS_1(type, size, trunc) PARTS_1(type, size, rint)            \
  PARTS_1(type, size, round) PARTS_1(type, size, degrees) PARTS_1(type, size, radians)                                 \
  PARTS_2(type, size, fmin) PARTS_2(type, size, fmax) PARTS_2(type, size, step) PARTS_2(type, size, copysign)          \
  PARTS_2(type, size, native_divide) PARTS_3(type, size, fma) PARTS_3(type, size, mad)                                 \
  WITH_NUMBER(type, size, fmin) WITH_NUMBER(type, size, fmax)                                                          \
  FUNCTION type##size step(type edge, type##size x) PARTS(type, size, step(edge, x[k]))                                \
  FUNCTION truth##size isnan(type##size x) PARTS(truth, size, -isnan(x[k]))                                            \
  FUNCTION truth##size isinf(type##size x) PARTS(truth, size, -isinf(x[k]))                                            \
  FUNCTION truth##size isfinite(type##size x) PARTS(truth, size, -isfinite(x[k]))
#define OF_FLOAT(type, size) OF_FLOATS(type, size, int)
#define OF_DOUBLE(type, size) OF_FLOATS(type, size, long)
EACH_SIZE(OF_FLOAT, float) EACH_SIZE(OF_DOUBLE, double)

// What OpenCL has of two to four components. Products are added from the first to the last.
#define GEOMETRIC(type, size)                                                                              \
  FUNCTION type dot(type##size x, type##size y) {                                                          \
    type r = x[0] * y[0];                                                                                  \
    for (int k = 1; k < size; ++k) r = r + x[k] * y[k];                                                    \
    return r;                                                                                              \
  }                                                                                                        \
  FUNCTION type length(type##size x) { return sqrt(dot(x, x)); }                                           \
  FUNCTION type distance(type##size x, type##size y) { return length(x - y); }                             \
  FUNCTION type##size normalize(type##size x) { return length(x) == 0 ? x : x / length(x); }
#define GEOMETRICS(type)                                                                                   \
  GEOMETRIC(type, 2) GEOMETRIC(type, 3) GEOMETRIC(type, 4)                                                 \
  FUNCTION type##3 cross(type##3 x, type##3 y) { return x.yzx * y.zxy - x.zxy * y.yzx; }                   \
  FUNCTION type##4 cross(type##4 x, type##4 y) { return (type##4)(cross(x.xyz, y.xyz), 0); }
GEOMETRICS(float) GEOMETRICS(double)
#define fast_length(x) length(x)
#define fast_distance(x, y) distance(x, y)
#define fast_normalize(x) normalize(x)

#endif
