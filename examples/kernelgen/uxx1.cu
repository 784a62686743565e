// A velocity from stresses, one step in time; the density is a mean of four.
#include "kernelgen.h"

extern "C" __global__ void uxx1(int nx, int ny, int nz, real c1, real c2, real dth, const real *d1, const real *u0, real *u1,
                                const real *xx, const real *xy, const real *xz) {
  FOR_BLOCKS(k, 2, nz - 2)
    FOR(j, 2, ny - 2)
      FOR_THREADS(i, 2, nx - 2) {
        const real d = 0.25f * (AT3(d1, i, j, k) + AT3(d1, i, j - 1, k) + AT3(d1, i, j, k - 1) + AT3(d1, i, j - 1, k - 1));
        AT3(u1, i, j, k) =
            AT3(u0, i, j, k) +
            dth / d *
                (c1 * (AT3(xx, i, j, k) - AT3(xx, i - 1, j, k) + AT3(xy, i, j, k) - AT3(xy, i, j - 1, k) + AT3(xz, i, j, k) -
                       AT3(xz, i, j, k - 1)) +
                 c2 * (AT3(xx, i + 1, j, k) - AT3(xx, i - 2, j, k) + AT3(xy, i, j + 1, k) - AT3(xy, i, j - 2, k) +
                       AT3(xz, i, j, k + 1) - AT3(xz, i, j, k - 2)));
      }
}
