// Exponentials, logarithms and powers (OpenCL C 3.0, 6.15.2), in the language of library.def; library_text.hpp says how such a text is read.
// Polynomials are minimax, by Remez' exchange at 200 bits, their coefficients rounded to T; behind each stands the largest error that it has
// on its interval. Where a number has two parts, they are the nearest T and the nearest T of what remains.
#if FRACTION == 23
#define SHIFTER 0x1.8p23f  // a sum with it is rounded to an integer, which its lowest bits are
#define BOUND 120.0f       // from here on e^x overflows, or is 0
#define LOG2E 0x1.715476p0f
#define LOG2E_REST 0x1.4ae0cp-26f
#define LN2 0x1.62e43p-1f
#define LN2_REST -0x1.05c61p-29f
#define LN2_SHORT 0x1.62ep-1f  // its products with exponents are exact
#define LN2_SHORT_REST 0x1.0bfbe8p-15f
#define LOG10E 0x1.bcb7b2p-2f
#define LOG10E_REST -0x1.5b235ep-27f
#define LOG10_2 0x1.344136p-2f
#define LOG10_2_REST -0x1.ec10cp-27f
#define LOG10_2_SHORT 0x1.344p-2f
#define LOG10_2_SHORT_REST 0x1.3509f8p-18f
#define LN10 0x1.26bb1cp1f
#define LN10_REST -0x1.12aabap-25f
#define LOG2_10 0x1.a934fp1f
#define ROOT_HALF 0x1.6a09e6p-1f
#define THIRD 0x1.555556p-2f
#define THIRD_REST -0x1.555556p-27f
#else
#define SHIFTER 0x1.8p52
#define BOUND 800.0
#define LOG2E 0x1.71547652b82fep0
#define LOG2E_REST 0x1.777d0ffda0d24p-56
#define LN2 0x1.62e42fefa39efp-1
#define LN2_REST 0x1.abc9e3b39803fp-56
#define LN2_SHORT 0x1.62e42fefa38p-1
#define LN2_SHORT_REST 0x1.ef35793c7673p-45
#define LOG10E 0x1.bcb7b1526e50ep-2
#define LOG10E_REST 0x1.95355baaafad3p-57
#define LOG10_2 0x1.34413509f79ffp-2
#define LOG10_2_REST -0x1.9dc1da994fd21p-59
#define LOG10_2_SHORT 0x1.34413509f78p-2
#define LOG10_2_SHORT_REST 0x1.fef311f12b358p-46
#define LN10 0x1.26bb1bbb55516p1
#define LN10_REST -0x1.f48ad494ea3e9p-53
#define LOG2_10 0x1.a934f0979a371p1
#define ROOT_HALF 0x1.6a09e667f3bcdp-1
#define THIRD 0x1.5555555555555p-2
#define THIRD_REST 0x1.5555555555555p-56
#endif

// (e^x - 1 - x) / x^2 for |x| <= ln 2 / 2.
T __exp_tail(T x) {
#if FRACTION == 23
  T p = 0x1.6d74fep-10f;  // 2^-23.9
  p = fma(p, x, 0x1.120be6p-7f);
  p = fma(p, x, 0x1.5554bap-5f);
  p = fma(p, x, 0x1.5554dcp-3f);
#else
  T p = 0x1.1f8ba3309a99p-29;  // 2^-59.3
  p = fma(p, x, 0x1.af4e56ab1459ep-26);
  p = fma(p, x, 0x1.27e4cca00434ap-22);
  p = fma(p, x, 0x1.71de01fd20ebcp-19);
  p = fma(p, x, 0x1.a01a01ad09f8dp-16);
  p = fma(p, x, 0x1.a01a01abf8838p-13);
  p = fma(p, x, 0x1.6c16c16c151e5p-10);
  p = fma(p, x, 0x1.11111111100bdp-7);
  p = fma(p, x, 0x1.5555555555558p-5);
  p = fma(p, x, 0x1.5555555555557p-3);
#endif
  return fma(p, x, (T)0.5);
}

// 2^k x for |k| < 2 BIAS: in two steps, of which one rounds.
T __scaled(T x, I k) {
  I first = k >> 1;
  return x * AS_T((U)(first + BIAS) << FRACTION) * AS_T((U)(k - first + BIAS) << FRACTION);
}

// 2^k e^(r + low) for |r| <= ln 2 / 2, where low is small beside r.
T __exp_sum(T r, T low, I k) {
  T x = r + low;
  T s = 1 + r, rest = 1 - s + r;
  return __scaled(s + (rest + fma(x * x, __exp_tail(x), low)), k);
}

// 2^shift e^x. What is no number stays so; as the integer is read off the bits, no conversion fails.
T __exp_shifted(T x, I shift) {
  x = clamp(x, -BOUND, BOUND);
  T t = fma(x, LOG2E, SHIFTER), k = t - SHIFTER;
  return __exp_sum(fma(-k, LN2, x), -k * LN2_REST, (I)(AS_U(t) - AS_U(SHIFTER)) + shift);
}

T exp(T x) { return __exp_shifted(x, 0); }

T exp2(T x) {
  x = clamp(x, BOUND * (T)-1.5, BOUND * (T)1.5);
  T t = x + SHIFTER, f = x - (t - SHIFTER), r = f * LN2;
  return __exp_sum(r, fma(f, LN2, -r) + f * LN2_REST, (I)(AS_U(t) - AS_U(SHIFTER)));
}

T exp10(T x) {
  x = clamp(x, BOUND * (T)-0.5, BOUND * (T)0.5);
  T t = fma(x, LOG2_10, SHIFTER), k = t - SHIFTER, f = fma(-k, LOG10_2, x), r = f * LN10;
  return __exp_sum(r, fma(f, LN10, -r) + (f * LN10_REST - k * LOG10_2_REST * LN10), (I)(AS_U(t) - AS_U(SHIFTER)));
}

// 2^k ((1 - 2^-k) + r + the tail); below the bound the result is -1.
T expm1(T x) {
  T y = clamp(x, (T)(-2 * FRACTION), BOUND);
  T t = fma(y, LOG2E, SHIFTER), k = t - SHIFTER, r = fma(-k, LN2, y), low = -k * LN2_REST;
  I n = (I)(AS_U(t) - AS_U(SHIFTER));
  T z = r + low, c = 1 - AS_T((U)(BIAS - min(n, (I)(2 * FRACTION))) << FRACTION);
  T s = c + r, rest = c - s + r;
  T e = __scaled(s + (rest + fma(z * z, __exp_tail(z), low)), n);
  return x == 0 ? x : e;
}

// x = m 2^*exponent with m around 1, for x > 0.
T __mantissa(T x, T *exponent) {
  bool tiny = x < SMALLEST;
  T y = tiny ? x * ((T)((U)1 << FRACTION) * 2) : x;
  I e = (I)(AS_U(y) - AS_U(ROOT_HALF)) >> FRACTION;
  *exponent = (T)(tiny ? e - (FRACTION + 1) : e);
  return AS_T(AS_U(y) - ((U)e << FRACTION));
}

// c log x + more, where c = c + c_rest and c log 2 = two + two_rest.
T __log_scaled(T x, T more, T c, T c_rest, T two, T two_rest) {
  T e;
  T f = __mantissa(x, &e) - 1;
  T h = (T)0.5 * f * f, h_rest = fma((T)0.5 * f, f, -h);
  T s = f / (2 + f), z = s * s;
  // (2 atanh(s) / s - 2) / z: log(1 + f) = f - h + s (h + z p).
#if FRACTION == 23
  T p = 0x1.2eee4ap-2f;  // 2^-22.4
  p = fma(p, z, 0x1.997bf8p-2f);
  p = fma(p, z, 0x1.55555cp-1f);
#else
  T p = 0x1.2b663deb5b71ap-3;  // 2^-51.5
  p = fma(p, z, 0x1.39fd323d15da5p-3);
  p = fma(p, z, 0x1.7462be3ca5b28p-3);
  p = fma(p, z, 0x1.c71c62c1d3963p-3);
  p = fma(p, z, 0x1.2492492e0f45ep-2);
  p = fma(p, z, 0x1.99999999951bcp-2);
  p = fma(p, z, 0x1.5555555555558p-1);
#endif
  T high = f - h;
  T rest = f - high - h - h_rest + fma(s, fma(z, p, h), more);
  T product = high * c, product_rest = fma(high, c, -product) + (high * c_rest + rest * c);
  T of_two = e * two, sum = of_two + product;
  T r = sum + (of_two - sum + product + fma(e, two_rest, product_rest));
  return x > 0 && x < (T)INFINITY ? r : x == 0 ? -(T)INFINITY : x > 0 ? x : (T)NAN;
}

T log(T x) { return __log_scaled(x, (T)0, (T)1, (T)0, LN2_SHORT, LN2_SHORT_REST); }

T log2(T x) { return __log_scaled(x, (T)0, LOG2E, LOG2E_REST, (T)1, (T)0); }

T log10(T x) { return __log_scaled(x, (T)0, LOG10E, LOG10E_REST, LOG10_2_SHORT, LOG10_2_SHORT_REST); }

// log(u + v) = log u + v / u, where u is 1 + x rounded, and v what was lost.
T log1p(T x) {
  T u = 1 + x, v = x < 1 ? x - (u - 1) : 1 - (u - x);
  T r = __log_scaled(u, v / u, (T)1, (T)0, LN2_SHORT, LN2_SHORT_REST);
  return x == 0 ? x : r;
}

// log x as the sum of the result and *rest, for 0 < x < infinity. The relative error is about 2^-(FRACTION + 11).
T __log_pair(T x, T *rest) {
  T e;
  T m = __mantissa(x, &e);
  T f = m - 1, d = m + 1, one = d - m, d_rest = 1 - one + (m - (d - one));
  T s = f / d, s_rest = (fma(-s, d, f) - s * d_rest) / d;
  T z = s * s, z_rest = fma(s, s, -z) + 2 * s * s_rest;
  // ((2 atanh(s) / s - 2) / z - 2/3) / z.
#if FRACTION == 23
  T p = 0x1.d8147ep-3f;  // 2^-22.6
  p = fma(p, z, 0x1.247a02p-2f);
  p = fma(p, z, 0x1.9999a4p-2f);
#else
  T p = 0x1.e045d4712d5fcp-4;  // 2^-58.9
  p = fma(p, z, 0x1.df7a766f361a5p-4);
  p = fma(p, z, 0x1.1118d37799539p-3);
  p = fma(p, z, 0x1.3b139598fbdcep-3);
  p = fma(p, z, 0x1.745d177b266f6p-3);
  p = fma(p, z, 0x1.c71c71c6e9f38p-3);
  p = fma(p, z, 0x1.2492492492524p-2);
  p = fma(p, z, 0x1.999999999999ap-2);
#endif
  // log m = 2 s + s z (2/3 + z p), from the inside out.
  T c = z * p, t = 2 * THIRD + c, t_rest = 2 * THIRD - t + c + 2 * THIRD_REST;
  T w = z * t, w_rest = fma(z, t, -w) + (z * t_rest + z_rest * t);
  T v = s * w, v_rest = fma(s, w, -v) + (s * w_rest + s_rest * w);
  T h = 2 * s + v, h_rest = 2 * s - h + v + (2 * s_rest + v_rest);
  T two = e * LN2_SHORT, sum = two + h, sum_rest = two - sum + h + fma(e, LN2_SHORT_REST, h_rest);
  T high = sum + sum_rest;
  *rest = sum - high + sum_rest;
  return high;
}

// x^(y + y_rest) for 0 < x < infinity and finite y.
T __power(T x, T y, T y_rest) {
  T log_rest;
  T log_x = __log_pair(x, &log_rest);
  T r = y * log_x, rest = fma(y, log_x, -r) + fma(y, log_rest, y_rest * log_x);
  rest = fabs(r) < BOUND ? rest : (T)0;
  r = clamp(r, -BOUND, BOUND);
  T t = fma(r, LOG2E, SHIFTER), k = t - SHIFTER;
  return __exp_sum(fma(-k, LN2, r), fma(-k, LN2_REST, rest), (I)(AS_U(t) - AS_U(SHIFTER)));
}

// |x|^y, where something is infinite or 0.
T __power_of_magnitude(T x, T y) {
  T a = fabs(x), r = __power(a, y, (T)0);
  r = a == 0 || a == (T)INFINITY ? ((y < 0) == (a == 0) ? (T)INFINITY : (T)0) : r;
  return fabs(y) == (T)INFINITY ? (a == 1 ? (T)1 : (a > 1) == (y > 0) ? (T)INFINITY : (T)0) : r;
}

T pow(T x, T y) {
  T y_half = (T)0.5 * y;
  bool whole = trunc(y) == y, odd = whole && trunc(y_half) != y_half;
  T r = __power_of_magnitude(x, y);
  r = odd ? AS_T(AS_U(r) | (AS_U(x) & SIGN)) : r;
  r = x != x || y != y || (x < 0 && x > -(T)INFINITY && !whole) ? (T)NAN : r;
  return x == 1 || y == 0 ? (T)1 : r;
}

T powr(T x, T y) {
  T r = y == 0 ? (T)1 : __power_of_magnitude(x, y);
  bool open = y == 0 ? x == 0 || x == (T)INFINITY : x == 1 && fabs(y) == (T)INFINITY;
  return !(x >= 0) || y != y || open ? (T)NAN : r;
}

// The integer has two parts of at most 24 bits.
T pown(T x, int n) {
  T high = (T)(n & ~255), low = (T)(n & 255), y = high + low, a = fabs(x);
  T r = __power(a, y, high - y + low);
  r = a == 0 || a == (T)INFINITY ? ((n < 0) == (a == 0) ? (T)INFINITY : (T)0) : x != x ? x : r;
  r = n & 1 ? AS_T(AS_U(r) | (AS_U(x) & SIGN)) : r;
  return n == 0 ? (T)1 : r;
}

T rootn(T x, int n) {
  T high = (T)(n & ~255), low = (T)(n & 255), m = high + low, a = fabs(x), y = 1 / m;
  T r = __power(a, y, (fma(-y, m, (T)1) - y * (high - m + low)) * y);
  r = a == 0 || a == (T)INFINITY ? ((n < 0) == (a == 0) ? (T)INFINITY : (T)0) : x != x ? x : r;
  r = n & 1 ? AS_T(AS_U(r) | (AS_U(x) & SIGN)) : r;
  return n == 0 || (x < 0 && !(n & 1)) ? (T)NAN : r;
}

T cbrt(T x) {
  T a = fabs(x), r = __power(a, THIRD, THIRD_REST);
  return a > 0 && a < (T)INFINITY ? copysign(r, x) : x;
}

// e^x / 2, of which half the reciprocal counts until it is small.
T cosh(T x) {
  T h = __exp_shifted(fabs(x), -1);
  return h + (T)0.25 / h;
}

T sinh(T x) {
  T a = fabs(x), t = expm1(min(a, (T)FRACTION)), h = __exp_shifted(a, -1);
  T r = a < FRACTION ? (T)0.5 * (t + t / (t + 1)) : h;
  return copysign(r, x);
}

T tanh(T x) {
  T t = expm1(2 * min(fabs(x), (T)FRACTION));
  return x != x ? x : copysign(t / (t + 2), x);
}

// log(a + sqrt(a^2 + 1)); of large numbers log 2a.
T asinh(T x) {
  T a = fabs(x), b = a < LIMIT ? a : (T)1;
  T r = log1p(b + b * b / (1 + sqrt(fma(b, b, (T)1))));
  T far = __log_scaled(a, LN2, (T)1, (T)0, LN2_SHORT, LN2_SHORT_REST);
  return x == 0 ? x : copysign(a < LIMIT ? r : far, x);
}

T acosh(T x) {
  T t = x - 1, near = log1p(t + sqrt(t * (2 + t)));
  T far = __log_scaled(x, LN2, (T)1, (T)0, LN2_SHORT, LN2_SHORT_REST);
  return x < 1 ? (T)NAN : x < LIMIT ? near : far;
}

T atanh(T x) {
  T a = fabs(x), r = (T)0.5 * log1p(2 * a / (1 - a));
  return copysign(r, x);
}
