// What the peers of bench/cuda are written in. REAL and N, the rows of a matrix, are macros of the command line. nvcc takes it, and clang
// without a toolkit for device code.
#pragma once

#if defined(__clang__) && !defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define INFINITY __builtin_huge_valf()
static __device__ inline unsigned thread_of_block() { return __nvvm_read_ptx_sreg_tid_x(); }
static __device__ inline unsigned block_of_grid() { return __nvvm_read_ptx_sreg_ctaid_x(); }
static __device__ inline void synchronize() { __syncthreads(); }
#else
#include <math.h>
static __device__ inline unsigned thread_of_block() { return threadIdx.x; }
static __device__ inline unsigned block_of_grid() { return blockIdx.x; }
static __device__ inline void synchronize() { __syncthreads(); }
#endif

typedef REAL real;
typedef unsigned long long count;

static __device__ inline double magnitude(double x) { return __builtin_fabs(x); }
static __device__ inline float magnitude(float x) { return __builtin_fabsf(x); }
