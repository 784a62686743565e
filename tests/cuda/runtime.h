#pragma once
// The CUDA runtime's names that emitted code uses, over the host's memory: so that the part for hosts compiles, and its copies run, where
// there is no toolkit. A call can be made to fail, and nothing may be left behind.

#include <stdlib.h>
#include <string.h>

#define CUDART_VERSION 0

enum cudaError_t { cudaSuccess = 0, cudaErrorMemoryAllocation = 2, cudaErrorInvalidValue = 1 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };

struct CUstream_st;
typedef struct CUstream_st *cudaStream_t;

namespace stand_in {
inline int calls_until_failure = -1;  // none fails
inline int allocations = 0;           // that have not been given back
inline unsigned blocks = 0;           // of the last launch
inline bool fails() { return calls_until_failure >= 0 && calls_until_failure-- == 0; }
}  // namespace stand_in

inline cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  if (stand_in::fails()) return cudaErrorMemoryAllocation;
  *pointer = aligned_alloc(256, (bytes + 255) / 256 * 256);
  ++stand_in::allocations;
  return cudaSuccess;
}
inline cudaError_t cudaFree(void *pointer) {
  free(pointer);
  --stand_in::allocations;
  return stand_in::fails() ? cudaErrorInvalidValue : cudaSuccess;
}
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind) {
  if (stand_in::fails()) return cudaErrorInvalidValue;
  memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() { return stand_in::fails() ? cudaErrorInvalidValue : cudaSuccess; }
inline cudaError_t cudaGetLastError() { return stand_in::fails() ? cudaErrorInvalidValue : cudaSuccess; }

#if defined(__CUDA__)
// What clang makes of K<<<blocks, threads, shared, stream>>>(…).
struct dim3 {
  unsigned x, y, z;
  __attribute__((host)) __attribute__((device)) dim3(unsigned x_, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
extern "C" cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream);
#endif
