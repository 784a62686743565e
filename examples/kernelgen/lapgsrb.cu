// A Laplacian of fourth order: centre, faces, diagonals of edges, and faces two away.
#include "kernelgen.h"

extern "C" __global__ void lapgsrb(int nx, int ny, int nz, real c0, real c1, real c2, real c3, const real *w0, real *w1) {
  FOR_BLOCKS(k, 2, nz - 3)
    FOR(j, 2, ny - 3)
      FOR_THREADS(i, 2, nx - 3)
        AT3(w1, i, j, k) =
            c0 * AT3(w0, i, j, k) +
            c1 * (AT3(w0, i - 1, j, k) + AT3(w0, i + 1, j, k) + AT3(w0, i, j - 1, k) + AT3(w0, i, j + 1, k) + AT3(w0, i, j, k - 1) +
                  AT3(w0, i, j, k + 1)) +
            c2 * (AT3(w0, i - 1, j - 1, k) + AT3(w0, i + 1, j - 1, k) + AT3(w0, i - 1, j + 1, k) + AT3(w0, i + 1, j + 1, k) +
                  AT3(w0, i - 1, j, k - 1) + AT3(w0, i + 1, j, k - 1) + AT3(w0, i, j - 1, k - 1) + AT3(w0, i, j + 1, k - 1) +
                  AT3(w0, i - 1, j, k + 1) + AT3(w0, i + 1, j, k + 1) + AT3(w0, i, j - 1, k + 1) + AT3(w0, i, j + 1, k + 1)) +
            c3 * (AT3(w0, i - 2, j, k) + AT3(w0, i + 2, j, k) + AT3(w0, i, j - 2, k) + AT3(w0, i, j + 2, k) + AT3(w0, i, j, k - 2) +
                  AT3(w0, i, j, k + 2));
}
