// y = a * x + y, 256 elements at a time.
#include <velintrin.h>

void saxpy(double a, const double *x, double *y, long n) {
  for (long i = 0; i < n; i += 256) {
    const int vl = n - i < 256 ? n - i : 256;
    const __vr vx = _vel_vld_vssl(8, x + i, vl);
    const __vr vy = _vel_vld_vssl(8, y + i, vl);
    _vel_vst_vssl(_vel_vfmadd_vvsvl(vy, a, vx, vl), 8, y + i, vl);
  }
}
