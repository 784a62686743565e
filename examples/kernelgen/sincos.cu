// sin x + cos y. Without a toolkit there is no library with sinf: clang gets the processor's approximations in its place.
#include "kernelgen.h"

#ifdef __clang__
#define sinf __nvvm_sin_approx_f
#define cosf __nvvm_cos_approx_f
#endif

extern "C" __global__ void sincos3d(int nx, int ny, int nz, const real *x, const real *y, real *xy) {
  FOR_BLOCKS(k, 0, nz - 1)
    FOR(j, 0, ny - 1)
      FOR_THREADS(i, 0, nx - 1)
        AT3(xy, i, j, k) = sinf(AT3(x, i, j, k)) + cosf(AT3(y, i, j, k));
}
