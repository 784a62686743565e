// Tricubic interpolation at a place of its own for each element: 4 x 4 x 4 elements with the cubic Lagrange weights of a, b and c.
#include "kernelgen.h"

#define WEIGHTS(w, t)                                                     \
  const real w##0 = -1.0f / 6.0f * t * (t - 1.0f) * (t - 2.0f);           \
  const real w##1 = 0.5f * (t + 1.0f) * (t - 1.0f) * (t - 2.0f);          \
  const real w##2 = -0.5f * (t + 1.0f) * t * (t - 2.0f);                  \
  const real w##3 = 1.0f / 6.0f * (t + 1.0f) * t * (t - 1.0f);

#define ROW(y, z)                                                                                            \
  wb##y * wc##z * (wa0 * AT3(u0, i - 1, j + y - 1, k + z - 1) + wa1 * AT3(u0, i, j + y - 1, k + z - 1) +     \
                   wa2 * AT3(u0, i + 1, j + y - 1, k + z - 1) + wa3 * AT3(u0, i + 2, j + y - 1, k + z - 1))
#define PLANE(z) (ROW(0, z) + ROW(1, z) + ROW(2, z) + ROW(3, z))

extern "C" __global__ void tricubic(int nx, int ny, int nz, const real *u0, real *u1, const real *a, const real *b, const real *c) {
  FOR_BLOCKS(k, 1, nz - 3)
    FOR(j, 1, ny - 3)
      FOR_THREADS(i, 1, nx - 3) {
        const real ta = AT3(a, i, j, k);
        const real tb = AT3(b, i, j, k);
        const real tc = AT3(c, i, j, k);
        WEIGHTS(wa, ta)
        WEIGHTS(wb, tb)
        WEIGHTS(wc, tc)
        AT3(u1, i, j, k) = PLANE(0) + PLANE(1) + PLANE(2) + PLANE(3);
      }
}
