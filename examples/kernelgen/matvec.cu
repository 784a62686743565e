// y = x A: A has nx x ny elements, columns one after the other; y is summed up in memory. Threads and blocks both go along columns.
#include "kernelgen.h"

extern "C" __global__ void matvec(int nx, int ny, const real *a, const real *x, real *y) {
  for (int j = THREADS * blockIdx.x + threadIdx.x; j < ny; j += THREADS * gridDim.x) {
    y[j] = 0.0f;
    FOR(i, 0, nx - 1)
      y[j] += a[i + nx * j] * x[i];
  }
}
