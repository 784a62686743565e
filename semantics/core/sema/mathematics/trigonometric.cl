// Circular functions and their inverses (OpenCL C 3.0, 6.15.2); see exponential.cl about numbers.
#if FRACTION == 23
#define SHIFTER 0x1.8p23f
#define FAR 0x1p16f  // from here on multiples of pi/2 are taken off by integers
#define TWO_OVER_PI 0x1.45f306p-1f
#define HALF_PI_SHORT 0x1.921fb8p0f  // two bits shorter, so that x - k HALF_PI_SHORT is exact where k is the nearest
#define HALF_PI_SHORT_REST -0x1.5dde98p-23f
#define HALF_PI_SHORT_REST2 0x1.84698ap-48f
#define HALF_PI 0x1.921fb6p0f
#define HALF_PI_REST -0x1.777a5cp-25f
#define ONE_OVER_PI 0x1.45f306p-2f
#define ONE_OVER_PI_REST 0x1.b9391p-27f
#define TAN_PI_8 0x1.a8279ap-2f
#else
#define SHIFTER 0x1.8p52
#define FAR 0x1p25
#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define HALF_PI_SHORT 0x1.921fb54442d18p0
#define HALF_PI_SHORT_REST 0x1.1a62633145c07p-54
#define HALF_PI_SHORT_REST2 -0x1.f1976b7ed8fbcp-110
#define HALF_PI 0x1.921fb54442d18p0
#define HALF_PI_REST 0x1.1a62633145c07p-54
#define ONE_OVER_PI 0x1.45f306dc9c883p-2
#define ONE_OVER_PI_REST -0x1.6b01ec5417056p-56
#define TAN_PI_8 0x1.a827999fcef32p-2
#endif

// TABLE: 64 zeros, and the bits of 2 / pi behind the point.
__constant ulong TABLE[20] = {0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
  0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
  0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
  0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
// Payne and Hanek: x = m 2^e, of whose product with 2 / pi only 192 bits count, from the weight 2 on: what is above are whole turns.
int __quarter_turns_far(T x, T *r, T *rest) {
  U one = (U)1 << FRACTION, bits = AS_U(x) & ~SIGN;
  ulong m = (ulong)((bits & (one - 1)) | one);
  int first = (int)(bits >> FRACTION) - BIAS - FRACTION + 62, i = first >> 6, s = first & 63;
  ulong a = TABLE[i], b = TABLE[i + 1], c = TABLE[i + 2], d = TABLE[i + 3];
  a = a << s | b >> 1 >> (63 - s);
  b = b << s | c >> 1 >> (63 - s);
  c = c << s | d >> 1 >> (63 - s);
  ulong carried = mul_hi(m, c), middle = m * b + carried, top = m * a + mul_hi(m, b) + (middle < carried);
  // Quarter turns, and of the nearest one the signed fraction.
  ulong fraction = top << 2 | middle >> 62, mask = ((ulong)1 << (62 - FRACTION)) - 1;
  int quarters = (int)(top >> 62) + (int)(fraction >> 63);
  T high = (T)(long)(fraction & ~mask) * (T)0x1p-64f;
  T low = (T)((fraction & mask) << (FRACTION + 2) | middle << 2 >> (62 - FRACTION)) * AS_T((U)(BIAS - 66 - FRACTION) << FRACTION);
  T v = high + low, v_rest = high - v + low;
  T p = v * HALF_PI, p_rest = fma(v, HALF_PI, -p) + (v * HALF_PI_REST + v_rest * HALF_PI);
  *r = x < 0 ? -p : p;
  *rest = x < 0 ? -p_rest : p_rest;
  return x < 0 ? -quarters : quarters;
}

// x = k pi/2 + *r + *rest for the nearest k, of which the two lowest bits count.
int __quarter_turns(T x, T *r, T *rest) {
  if (fabs(x) >= FAR && fabs(x) < (T)INFINITY) return __quarter_turns_far(x, r, rest);
  T t = fma(x, TWO_OVER_PI, SHIFTER), k = t - SHIFTER;
  T a = fma(-k, HALF_PI_SHORT, x), b = k * HALF_PI_SHORT_REST, b_rest = fma(k, HALF_PI_SHORT_REST, -b);
  T h = a - b, back = h - a, l = a - (h - back) - (b + back);
  l = fma(-k, HALF_PI_SHORT_REST2, l - b_rest);
  *r = h + l;
  *rest = h - *r + l;
  return (int)(AS_U(t) & 3);
}

// sin(r + rest) for |r| <= pi/4.
T __sine(T r, T rest) {
  T z = r * r;
#if FRACTION == 23
  T p = -0x1.9ac79ep-13f;  // 2^-25.6
  p = fma(p, z, 0x1.110c26p-7f);
  p = fma(p, z, -0x1.555552p-3f);
#else
  T p = 0x1.5e09988c5b3dfp-33;  // 2^-55.4
  p = fma(p, z, -0x1.ae6006d9b1e01p-26);
  p = fma(p, z, 0x1.71de379292381p-19);
  p = fma(p, z, -0x1.a01a019e80a1ep-13);
  p = fma(p, z, 0x1.1111111110ba6p-7);
  p = fma(p, z, -0x1.5555555555555p-3);
#endif
  return r + fma(r * z, p, rest * fma(z, (T)-0.5, (T)1));
}

T __cosine(T r, T rest) {
  T z = r * r, z_rest = fma(r, r, -z);
#if FRACTION == 23
  T p = 0x1.9bd6dep-16f;  // 2^-28.9
  p = fma(p, z, -0x1.6c12dp-10f);
  p = fma(p, z, 0x1.555554p-5f);
#else
  T p = -0x1.907c1f79fb1b5p-37;  // 2^-59.4
  p = fma(p, z, 0x1.1eeb66d0ea81cp-29);
  p = fma(p, z, -0x1.27e4fa15da111p-22);
  p = fma(p, z, 0x1.a01a019f4d28p-16);
  p = fma(p, z, -0x1.6c16c16c1696p-10);
  p = fma(p, z, 0x1.5555555555555p-5);
#endif
  T h = (T)0.5 * z, s = 1 - h;
  return s + (1 - s - h + fma(z * z, p, -fma(r, rest, (T)0.5 * z_rest)));
}

T sin(T x) {
  T r, rest;
  int k = __quarter_turns(x, &r, &rest);
  T s = k & 1 ? __cosine(r, rest) : __sine(r, rest);
  return x == 0 ? x : k & 2 ? -s : s;
}

T cos(T x) {
  T r, rest;
  int k = __quarter_turns(x, &r, &rest);
  T c = k & 1 ? __sine(r, rest) : __cosine(r, rest);
  return (k + 1) & 2 ? -c : c;
}

T sincos(T x, SPACE T *cosine) {
  T r, rest;
  int k = __quarter_turns(x, &r, &rest);
  T s = __sine(r, rest), c = __cosine(r, rest), a = k & 1 ? c : s, b = k & 1 ? s : c;
  *cosine = (k + 1) & 2 ? -b : b;
  return x == 0 ? x : k & 2 ? -a : a;
}

T tan(T x) {
  T r, rest;
  int k = __quarter_turns(x, &r, &rest);
  T s = __sine(r, rest), c = __cosine(r, rest);
  return x == 0 ? x : (k & 1 ? -c : s) / (k & 1 ? s : c);
}

// |x| = 2 n + k / 2 + f with the nearest k from 0 to 4; *r + *rest is pi f.
int __half_turns(T x, T *r, T *rest) {
  T a = fabs(x), y = a - 2 * trunc((T)0.5 * a), t = 2 * y + SHIFTER, f = y - (T)0.5 * (t - SHIFTER);
  *r = f * (2 * HALF_PI);
  *rest = fma(f, 2 * HALF_PI, -*r) + f * (2 * HALF_PI_REST);
  return (int)(AS_U(t) & 3);
}

// Of an integer 0 with the sign of x.
T sinpi(T x) {
  T r, rest;
  int k = __half_turns(x, &r, &rest);
  T s = k & 1 ? __cosine(r, rest) : __sine(r, rest);
  s = k & 2 ? -s : s;
  return AS_T(AS_U(s == 0 ? (T)0 : s) ^ (AS_U(x) & SIGN));
}

T cospi(T x) {
  T r, rest;
  int k = __half_turns(x, &r, &rest);
  T c = k & 1 ? __sine(r, rest) : __cosine(r, rest);
  return c == 0 ? (T)0 : (k + 1) & 2 ? -c : c;
}

// 0 and infinity change their sign with each half turn.
T tanpi(T x) {
  T r, rest;
  int k = __half_turns(x, &r, &rest);
  T s = __sine(r, rest), c = __cosine(r, rest), t = (k & 1 ? -c : s) / (k & 1 ? s : c);
  T exact = k & 1 ? (T)INFINITY : (T)0;
  t = r == 0 ? (k & 2 ? -exact : exact) : t;
  return AS_T(AS_U(t) ^ (AS_U(x) & SIGN));
}

// The angle from 0 to pi/2 of the point (x, y), both at least 0 and not both 0 or infinite: pi/4 c + atan(t) for |t| <= tan(pi/8).
T __angle(T y, T x) {
  T most = max(x, y);
  T scale = most > LARGEST * (T)0.25 ? (T)0.25 : most < 8 * SMALLEST ? LIMIT : (T)1;  // subnormal products would round far
  y *= scale;
  x *= scale;
  bool low = y <= TAN_PI_8 * x, high = x <= TAN_PI_8 * y;
  T up = low ? y : high ? -x : y - x, down = low ? x : high ? y : y + x;
  T t = up / down, z = t * t;
#if FRACTION == 23
  T p = -0x1.08cb52p-4f;  // 2^-26.0
  p = fma(p, z, 0x1.b83f3ap-4f);
  p = fma(p, z, -0x1.2422cap-3f);
  p = fma(p, z, 0x1.999748p-3f);
  p = fma(p, z, -0x1.555554p-2f);
#else
  T p = 0x1.0b5294390105ep-6;  // 2^-59.7
  p = fma(p, z, -0x1.1b711a18d9b23p-5);
  p = fma(p, z, 0x1.74f7681adecb3p-5);
  p = fma(p, z, -0x1.ac80992e90be3p-5);
  p = fma(p, z, 0x1.e19af50ba9229p-5);
  p = fma(p, z, -0x1.110e929dd0affp-4);
  p = fma(p, z, 0x1.3b13937d19f7bp-4);
  p = fma(p, z, -0x1.745d166416057p-4);
  p = fma(p, z, 0x1.c71c71c32723fp-4);
  p = fma(p, z, -0x1.249249248db07p-3);
  p = fma(p, z, 0x1.9999999999957p-3);
  p = fma(p, z, -0x1.5555555555555p-2);
#endif
  T c = low ? (T)0 : high ? (T)1 : (T)0.5;
  return fma(c, HALF_PI, t + fma(z * t, p, c * HALF_PI_REST));
}

// The same for all points, 0 of (0, 0) and pi/4 of (infinity, infinity).
T __angle_of_magnitudes(T y, T x) {
  T a = fabs(y), b = fabs(x);
  bool infinite = a == (T)INFINITY || b == (T)INFINITY;
  T up = infinite ? (a == (T)INFINITY ? (T)1 : (T)0) : a, right = infinite ? (b == (T)INFINITY ? (T)1 : (T)0) : up == 0 ? (T)1 : b;
  return __angle(up, right);
}

T atan(T x) { return copysign(__angle_of_magnitudes(x, (T)1), x); }

T atan2(T y, T x) {
  T a = __angle_of_magnitudes(y, x);
  a = signbit(x) ? 2 * HALF_PI - (a - 2 * HALF_PI_REST) : a;
  return x != x || y != y ? (T)NAN : copysign(a, y);
}

T atanpi(T x) { return atan(x) * ONE_OVER_PI; }

T atan2pi(T y, T x) {
  T a = __angle_of_magnitudes(y, x) * ONE_OVER_PI;
  return x != x || y != y ? (T)NAN : copysign(signbit(x) ? 1 - a : a, y);
}

// The point on the circle whose height or breadth is x.
T asin(T x) {
  T y = fabs(x), a = __angle(y, sqrt(fma(-y, y, (T)1)));
  return copysign(a, x);
}

T acos(T x) {
  T a = __angle(sqrt(fma(-x, x, (T)1)), fabs(x));
  return x < 0 ? 2 * HALF_PI - (a - 2 * HALF_PI_REST) : a;
}

T asinpi(T x) { return asin(x) * ONE_OVER_PI; }

T acospi(T x) {
  T a = __angle(sqrt(fma(-x, x, (T)1)), fabs(x)) * ONE_OVER_PI;
  return x < 0 ? 1 - a : a;
}
