// Functions with a second result that take numbers apart (OpenCL C 3.0, 6.15.2): all are exact.
#if FRACTION == 23
#define BELOW_ONE 0x1.fffffep-1f
#else
#define BELOW_ONE 0x1.fffffffffffffp-1
#endif

T modf(T x, SPACE T *whole) {
  T t = trunc(x);
  *whole = t;
  return copysign(t == x ? (T)0 : x - t, x);
}

// Never 1, also where that is the nearest number.
T fract(T x, SPACE T *below) {
  T f = floor(x);
  *below = f;
  return x == 0 || fabs(x) == (T)INFINITY ? copysign((T)0, x) : min(x - f, BELOW_ONE);
}

T frexp(T x, SPACE int *exponent) {
  U tiny = fabs(x) < SMALLEST, bits = AS_U(tiny ? x * (2 * LIMIT) : x);
  bool has = x != 0 && fabs(x) < (T)INFINITY;
  *exponent = has ? (int)(bits << 1 >> (FRACTION + 1)) - (BIAS - 1) - (tiny ? FRACTION + 1 : 0) : 0;
  return has ? AS_T((bits & (SIGN | (((U)1 << FRACTION) - 1))) | (U)(BIAS - 1) << FRACTION) : x;
}

// The quotient's seven lowest bits one at a time, then the nearest multiple, of two the even one.
T remquo(T x, T y, SPACE int *quotient) {
  T a = fabs(x), b = fabs(y);
  bool open = !(a < (T)INFINITY) || !(b > 0);
  T r = open ? (T)0 : b <= LARGEST / 128 ? fmod(a, 128 * b) : a;
  int q = 0;
  for (int k = 6; k >= 0; k--) {
    T multiple = b * (T)(1 << k);
    bool on = r >= multiple;
    r = on ? r - multiple : r;
    q = on ? q + (1 << k) : q;
  }
  bool up = r > b - r || (r == b - r && q & 1);
  r = up ? r - b : r;
  q = (up ? q + 1 : q) & 127;
  *quotient = open ? 0 : (AS_U(x) ^ AS_U(y)) & SIGN ? -q : q;
  return open ? (T)NAN : AS_T(AS_U(r) ^ (AS_U(x) & SIGN));
}
