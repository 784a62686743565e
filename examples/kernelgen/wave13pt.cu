// A wave in time: a star of thirteen points now, and the centre before.
#include "kernelgen.h"

extern "C" __global__ void wave13pt(int nx, int ny, int nz, real c0, real c1, real c2, const real *w0, const real *w1, real *w2) {
  FOR_BLOCKS(k, 2, nz - 3)
    FOR(j, 2, ny - 3)
      FOR_THREADS(i, 2, nx - 3)
        AT3(w2, i, j, k) = c0 * AT3(w1, i, j, k) - AT3(w0, i, j, k) +
                           c1 * (AT3(w1, i + 1, j, k) + AT3(w1, i - 1, j, k) + AT3(w1, i, j + 1, k) + AT3(w1, i, j - 1, k) +
                                 AT3(w1, i, j, k + 1) + AT3(w1, i, j, k - 1)) +
                           c2 * (AT3(w1, i + 2, j, k) + AT3(w1, i - 2, j, k) + AT3(w1, i, j + 2, k) + AT3(w1, i, j - 2, k) +
                                 AT3(w1, i, j, k + 2) + AT3(w1, i, j, k - 2));
}
