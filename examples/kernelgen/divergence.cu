// The divergence of a vector field, by central differences.
#include "kernelgen.h"

extern "C" __global__ void divergence(int nx, int ny, int nz, real alpha, real beta, real gamma, const real *ux, const real *uy,
                                      const real *uz, real *u) {
  FOR_BLOCKS(k, 1, nz - 2)
    FOR(j, 1, ny - 2)
      FOR_THREADS(i, 1, nx - 2)
        AT3(u, i, j, k) = alpha * (AT3(ux, i + 1, j, k) - AT3(ux, i - 1, j, k)) +
                          beta * (AT3(uy, i, j + 1, k) - AT3(uy, i, j - 1, k)) +
                          gamma * (AT3(uz, i, j, k + 1) - AT3(uz, i, j, k - 1));
}
