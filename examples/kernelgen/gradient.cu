// The gradient of a scalar field, by central differences.
#include "kernelgen.h"

extern "C" __global__ void gradient(int nx, int ny, int nz, real alpha, real beta, real gamma, const real *u, real *ux, real *uy,
                                    real *uz) {
  FOR_BLOCKS(k, 1, nz - 2)
    FOR(j, 1, ny - 2)
      FOR_THREADS(i, 1, nx - 2) {
        AT3(ux, i, j, k) = alpha * (AT3(u, i + 1, j, k) - AT3(u, i - 1, j, k));
        AT3(uy, i, j, k) = beta * (AT3(u, i, j + 1, k) - AT3(u, i, j - 1, k));
        AT3(uz, i, j, k) = gamma * (AT3(u, i, j, k + 1) - AT3(u, i, j, k - 1));
      }
}
