// What kernels of the portable subset (docs/fuzz.md) call, for clang's OpenCL front end and NVPTX:
//   clang-19 -x cl -cl-std=CL2.0 -cl-no-stdinc --target=nvptx64-nvidia-cuda -include opencl.h -S kernel.cl
// Groups have one dimension. WG_SIZE is the size of a group, so that get_local_size() is a constant, as in the kernel language.

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

#define get_local_size(...) ((size_t)WG_SIZE)
#define get_local_id(...) ((size_t)__nvvm_read_ptx_sreg_tid_x())
#define get_group_id(...) ((size_t)__nvvm_read_ptx_sreg_ctaid_x())
#define get_num_groups(...) ((size_t)__nvvm_read_ptx_sreg_nctaid_x())
#define get_global_id(...) (get_group_id() * get_local_size() + get_local_id())
#define get_global_size(...) (get_num_groups() * get_local_size())
#define barrier(flags) __syncthreads()

#define FUNCTION static inline __attribute__((overloadable, always_inline))

#define INTEGER(type, magnitude, count)                                          \
  FUNCTION type min(type x, type y) { return y < x ? y : x; }                    \
  FUNCTION type max(type x, type y) { return x < y ? y : x; }                    \
  FUNCTION magnitude abs(type x) { return x < 0 ? -(magnitude)x : (magnitude)x; } \
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
  FUNCTION type rcp(type x) { return 1 / x; }
FLOATING(float, f, f)
FLOATING(double, , d)
