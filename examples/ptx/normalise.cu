// Divides the rows of a matrix with 16 columns by their sums. Half a warp has a row. There are two mistakes in it, which docs/tutorial-ptx.md
// finds. normalise.ptx is what
//   clang-19 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_75 -O2 -ffp-contract=off -Wno-unknown-cuda-version \
//     -gline-tables-only -fdebug-compilation-dir=. -S normalise.cu -o normalise.ptx
// makes of it, in this folder.
#ifdef __clang__
#define __global__ __attribute__((global))
#include <__clang_cuda_builtin_vars.h>
// CUDA's header has them with a width, which is 32 here.
#define __shfl_down_sync(mask, value, delta) __nvvm_shfl_sync_down_f32(mask, value, delta, 31)
#define __shfl_sync(mask, value, lane) __nvvm_shfl_sync_idx_f32(mask, value, lane, 31)
#endif

extern "C" __global__ void normalise(const float *a, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = a[i];
  for (int d = 8; d > 0; d /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, d);
  out[i] = a[i] / __shfl_sync(0xffffffff, sum, 0);
}
