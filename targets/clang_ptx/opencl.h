// What kernels of the portable subset (docs/fuzz.md) call, for clang's OpenCL front end and NVPTX:
//   clang-19 -x cl -cl-std=CL2.0 -cl-no-stdinc --target=nvptx64-nvidia-cuda -include opencl.h -S kernel.cl
// WG_SIZE_X, WG_SIZE_Y and WG_SIZE_Z are the sizes of a group, so that get_local_size(d) is a constant, as in the kernel language; WORK_DIM is
// how many dimensions the launch is written with.

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
#define get_global_id(...) (get_group_id(__VA_ARGS__) * get_local_size(__VA_ARGS__) + get_local_id(__VA_ARGS__))
#define get_global_size(...) (get_num_groups(__VA_ARGS__) * get_local_size(__VA_ARGS__))
#define get_global_offset(...) ((size_t)0)
#define get_work_dim() ((uint)WORK_DIM)
#define get_local_linear_id() ((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0))
#define get_global_linear_id() ((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0))
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
