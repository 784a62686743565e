// What the kernels of this folder share. nvcc brings CUDA's names along; clang has those of the built-in variables in a header of its own,
// so that it needs no toolkit: see compile.sh.
#ifdef __clang__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#include <__clang_cuda_builtin_vars.h>
#endif

typedef float real;

// Threads of a block go along i, THREADS apart, whatever the block's size is; blocks go along the outermost loop. No loop is unrolled.
#define THREADS 512
#define FOR_THREADS(i, low, high) _Pragma("unroll 1") for (int i = (low) + threadIdx.x; i <= (high); i += THREADS)
#define FOR_BLOCKS(k, low, high) _Pragma("unroll 1") for (int k = (low) + blockIdx.x; k <= (high); k += gridDim.x)
#define FOR(j, low, high) _Pragma("unroll 1") for (int j = (low); j <= (high); j++)

// Element (i, j) or (i, j, k), i next to i + 1.
#define AT2(a, i, j) (a)[(i) + nx * (j)]
#define AT3(a, i, j, k) (a)[(i) + nx * (j) + nx * ny * (k)]
