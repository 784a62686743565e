// The seven-point star.
#include "kernelgen.h"

extern "C" __global__ void laplacian(int nx, int ny, int nz, real alpha, real beta, const real *w0, real *w1) {
  FOR_BLOCKS(k, 1, nz - 2)
    FOR(j, 1, ny - 2)
      FOR_THREADS(i, 1, nx - 2)
        AT3(w1, i, j, k) = alpha * AT3(w0, i, j, k) +
                           beta * (AT3(w0, i - 1, j, k) + AT3(w0, i + 1, j, k) + AT3(w0, i, j - 1, k) + AT3(w0, i, j + 1, k) +
                                   AT3(w0, i, j, k - 1) + AT3(w0, i, j, k + 1));
}
