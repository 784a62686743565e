// A blur of 5 x 5 points in six classes, scaled to a sum of 1.
#include "kernelgen.h"

extern "C" __global__ void gaussblur(int nx, int ny, real s0, real s1, real s2, real s4, real s5, real s8, const real *w0, real *w1) {
  const real f = 1.0f / (s0 + 4.0f * (s1 + s2 + s4 + s8) + 8.0f * s5);
  FOR_BLOCKS(j, 2, ny - 3)
    FOR_THREADS(i, 2, nx - 3)
      AT2(w1, i, j) =
          f * (s0 * AT2(w0, i, j) + s1 * (AT2(w0, i - 1, j) + AT2(w0, i + 1, j) + AT2(w0, i, j - 1) + AT2(w0, i, j + 1)) +
               s2 * (AT2(w0, i - 1, j - 1) + AT2(w0, i + 1, j - 1) + AT2(w0, i - 1, j + 1) + AT2(w0, i + 1, j + 1)) +
               s4 * (AT2(w0, i - 2, j) + AT2(w0, i + 2, j) + AT2(w0, i, j - 2) + AT2(w0, i, j + 2)) +
               s5 * (AT2(w0, i - 2, j - 1) + AT2(w0, i - 1, j - 2) + AT2(w0, i + 1, j - 2) + AT2(w0, i + 2, j - 1) +
                     AT2(w0, i - 2, j + 1) + AT2(w0, i - 1, j + 2) + AT2(w0, i + 1, j + 2) + AT2(w0, i + 2, j + 1)) +
               s8 * (AT2(w0, i - 2, j - 2) + AT2(w0, i + 2, j - 2) + AT2(w0, i - 2, j + 2) + AT2(w0, i + 2, j + 2)));
}
