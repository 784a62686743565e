// Conway's game of life without a branch: a cell is 1 where three cells live around it, or two and it lives itself, else (almost) 0.
#include "kernelgen.h"

#undef THREADS
#define THREADS 128

extern "C" __global__ void gameoflife(int nx, int ny, const real *u0, real *u1) {
  FOR_BLOCKS(j, 1, ny - 2)
    FOR_THREADS(i, 1, nx - 2) {
      const real l = AT2(u0, i - 1, j - 1) + AT2(u0, i, j - 1) + AT2(u0, i + 1, j - 1) + AT2(u0, i - 1, j) + AT2(u0, i + 1, j) +
                     AT2(u0, i - 1, j + 1) + AT2(u0, i, j + 1) + AT2(u0, i + 1, j + 1);
      AT2(u1, i, j) = 1.0 / (1.0 + (AT2(u0, i, j) + l - 3.0) * (l - 3.0) * 1e20);
    }
}
