#include <velintrin.h>
#define EACH(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)
#define MAKE(k) __vm256 m##k = _vel_vfmklgt_mvl(_vel_vld_vssl(8, a + 256 * k, 256), 256);
#define USE(k) _vel_vst_vssml(v, 8, b + 256 * k, m##k, 256);
void kept(const long *a, long *b) {
  EACH(MAKE)
  __vr v = _vel_vld_vssl(8, b, 256);
  EACH(USE) EACH(USE)
}
