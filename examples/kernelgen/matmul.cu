// C += A B: A has nx x ny elements, B ny x ns, C nx x ns, columns one after the other.
#include "kernelgen.h"

extern "C" __global__ void matmul(int nx, int ny, int ns, const real *a, const real *b, real *c) {
  FOR_BLOCKS(j, 0, ns - 1)
    FOR_THREADS(i, 0, nx - 1) {
      real sum = c[i + nx * j];
      FOR(k, 0, ny - 1)
        sum += a[i + nx * k] * b[k + ny * j];
      c[i + nx * j] = sum;
    }
}
