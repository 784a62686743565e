// Everything is a macro.
#define WIDTH 4
#define SQUARE(x) ((x) * (x))
#define PASTE(a, b) a##b
#define VECTOR(type, n) PASTE(type, n)
#define FOR(i, n) for (int i = 0; i < (n); ++i)
#if defined(WIDTH) && WIDTH >= 4 && !defined(NARROW)
typedef VECTOR(int, WIDTH) wide;
#define LOAD(p, i) PASTE(vload, 4)(i, p)
#define STORE(v, p, i) vstore4(v, i, p)
#else
#error "too narrow"
#endif
#define SUM_OF_SQUARES(v) (SQUARE((v).x) + SQUARE((v).y) + SQUARE((v).z) + SQUARE((v).w))

__kernel void macros(__global const int *in, __global int *out, __global int *sums) {
  int i = get_global_id(0);
  wide v = LOAD(in, i);
  int sum = SUM_OF_SQUARES(v + 1);
  FOR(k, WIDTH) sum += k * __LINE__ % 2 + SQUARE(k);
  STORE(v * sum, out, i);
  sums[i] = sum;
}
