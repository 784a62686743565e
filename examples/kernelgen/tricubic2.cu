// Tricubic interpolation by loops over arrays of weights, summed up in memory. The loops over 4 x 4 x 4 elements are unrolled, so that the
// arrays become registers.
#include "kernelgen.h"

static __device__ void weights(real w[4], real t) {
  w[0] = -1.0f / 6.0f * t * (t - 1.0f) * (t - 2.0f);
  w[1] = 0.5f * (t + 1.0f) * (t - 1.0f) * (t - 2.0f);
  w[2] = -0.5f * (t + 1.0f) * t * (t - 2.0f);
  w[3] = 1.0f / 6.0f * (t + 1.0f) * t * (t - 1.0f);
}

extern "C" __global__ void tricubic2(int nx, int ny, int nz, const real *u0, real *u1, const real *a, const real *b, const real *c) {
  FOR_BLOCKS(k, 2, nz - 3)
    FOR(j, 2, ny - 3)
      FOR_THREADS(i, 2, nx - 3) {
        real wa[4], wb[4], wc[4];
        weights(wa, AT3(a, i, j, k));
        weights(wb, AT3(b, i, j, k));
        weights(wc, AT3(c, i, j, k));
        AT3(u1, i, j, k) = 0.0f;
#pragma unroll
        for (int z = 0; z < 4; z++)
#pragma unroll
          for (int y = 0; y < 4; y++)
#pragma unroll
            for (int x = 0; x < 4; x++)
              AT3(u1, i, j, k) += wa[x] * wb[y] * wc[z] * AT3(u0, i + x - 1, j + y - 1, k + z - 1);
      }
}
