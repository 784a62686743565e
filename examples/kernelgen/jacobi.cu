// Nine points with a weight for the centre, the sides and the corners.
#include "kernelgen.h"

extern "C" __global__ void jacobi(int nx, int ny, real c0, real c1, real c2, const real *w0, real *w1) {
  FOR_BLOCKS(j, 1, ny - 2)
    FOR_THREADS(i, 1, nx - 2)
      AT2(w1, i, j) = c0 * AT2(w0, i, j) +
                      c1 * (AT2(w0, i - 1, j) + AT2(w0, i, j - 1) + AT2(w0, i + 1, j) + AT2(w0, i, j + 1)) +
                      c2 * (AT2(w0, i - 1, j - 1) + AT2(w0, i - 1, j + 1) + AT2(w0, i + 1, j - 1) + AT2(w0, i + 1, j + 1));
}
