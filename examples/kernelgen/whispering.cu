// A whispering gallery: electric and magnetic fields in two dimensions, one step in time, and the energy. What neighbours will have is
// computed anew, so that no thread waits for another.
#include "kernelgen.h"

extern "C" __global__ void whispering(int nx, int ny, const real *ca, const real *cb, const real *da, const real *db, const real *e0_0,
                                      const real *e0_1, real *e1_0, real *e1_1, const real *h0, real *h1, const real *u_em0,
                                      real *u_em1) {
  FOR_BLOCKS(j, 1, ny - 2)
    FOR_THREADS(i, 1, nx - 2) {
      const real e0 = AT2(ca, i, j) * AT2(e0_0, i, j) + AT2(cb, i, j) * (AT2(h0, i, j + 1) - AT2(h0, i, j));
      const real e1 = AT2(ca, i, j) * AT2(e0_1, i, j) - AT2(cb, i, j) * (AT2(h0, i + 1, j) - AT2(h0, i, j));
      AT2(e1_0, i, j) = e0;
      AT2(e1_1, i, j) = e1;
      const real e0_below = AT2(ca, i, j - 1) * AT2(e0_0, i, j - 1) + AT2(cb, i, j - 1) * (AT2(h0, i, j) - AT2(h0, i, j - 1));
      const real e1_left = AT2(ca, i - 1, j) * AT2(e0_1, i - 1, j) - AT2(cb, i - 1, j) * (AT2(h0, i, j) - AT2(h0, i - 1, j));
      const real h = AT2(da, i, j) * AT2(h0, i, j) + AT2(db, i, j) * (e0 - e0_below - (e1 - e1_left));
      AT2(h1, i, j) = h;
      AT2(u_em1, i, j) = AT2(u_em0, i, j) + (e0 * e0 + e1 * e1 + h * h);
    }
}
