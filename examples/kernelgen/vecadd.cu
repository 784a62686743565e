// The sum of two arrays of three dimensions.
#include "kernelgen.h"

extern "C" __global__ void vecadd(int nx, int ny, int nz, const real *w0, const real *w1, real *w2) {
  FOR_BLOCKS(k, 0, nz - 1)
    FOR(j, 0, ny - 1)
      FOR_THREADS(i, 0, nx - 1)
        AT3(w2, i, j, k) = AT3(w0, i, j, k) + AT3(w1, i, j, k);
}
