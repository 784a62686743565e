// The error function, the gamma function and distances (OpenCL C 3.0, 6.15.2); see exponential.cl about numbers.
#if FRACTION == 23
#define SHIFTER 0x1.8p23f
#define LOG2E 0x1.715476p0f
#define LN2 0x1.62e43p-1f
#define LN2_REST -0x1.05c61p-29f
#define PI 0x1.921fb6p1f
#define HALF_LOG_2PI 0x1.d67f1cp-1f  // log(2 pi) / 2
#define HALF_LOG_2PI_REST 0x1.0c97d6p-26f
#define ERFC_CENTRE 2.0f
#define ERFC_END 10.5f   // from here on erfc is 0
#define GAMMA_END 50.0f  // and the gamma function is infinite, or 0 on the other side
#define LARGE 0x1p60f    // squares of what is larger, or smaller than SMALL, do not fit
#define SMALL 0x1p-40f
#define FROM_LARGE 0x1p-70f
#define FROM_SMALL 0x1p100f
#else
#define SHIFTER 0x1.8p52
#define LOG2E 0x1.71547652b82fep0
#define LN2 0x1.62e42fefa39efp-1
#define LN2_REST 0x1.abc9e3b39803fp-56
#define PI 0x1.921fb54442d18p1
#define HALF_LOG_2PI 0x1.d67f1c864beb5p-1
#define HALF_LOG_2PI_REST -0x1.65b5a1b7ff5dfp-55
#define ERFC_CENTRE 4.0
#define ERFC_END 28.0
#define GAMMA_END 200.0
#define LARGE 0x1p500
#define SMALL 0x1p-400
#define FROM_LARGE 0x1p-600
#define FROM_SMALL 0x1p700
#endif

// 1 - erf(x) for x >= 3/4 is e^(-x^2) / (x + centre) times a polynomial in q, which goes from -1 to 1 as x goes from 0 to infinity.
T __erfc_tail(T x) {
  x = min(x, ERFC_END);
  T inverse = 1 / (x + ERFC_CENTRE), q = (x - ERFC_CENTRE) * inverse;
#if FRACTION == 23
  T p = -0x1.b51ab8p-12f;  // 2^-27.6
  p = fma(p, q, -0x1.c7cef2p-11f);
  p = fma(p, q, 0x1.895d0cp-9f);
  p = fma(p, q, 0x1.a9a5d6p-8f);
  p = fma(p, q, -0x1.603cb2p-6f);
  p = fma(p, q, -0x1.2a8c88p-5f);
  p = fma(p, q, 0x1.1e2dcap-2f);
  p = fma(p, q, -0x1.5fd384p-1f);
  p = fma(p, q, 0x1.058672p0f);
#else
  T p = -0x1.8d581dc808463p-27;  // 2^-59.0
  p = fma(p, q, 0x1.0ffa70555850ep-30);
  p = fma(p, q, 0x1.fb5ed2a2d531fp-24);
  p = fma(p, q, -0x1.43e1e997b4976p-24);
  p = fma(p, q, -0x1.c3a195650e53dp-21);
  p = fma(p, q, 0x1.7e3dc4f8dd275p-20);
  p = fma(p, q, 0x1.3adf33bd2bc9bp-18);
  p = fma(p, q, -0x1.3c6e40154aaa9p-16);
  p = fma(p, q, -0x1.e7cd52b760b9p-19);
  p = fma(p, q, 0x1.72cda1ea9683p-13);
  p = fma(p, q, -0x1.dd2850a917825p-12);
  p = fma(p, q, -0x1.269b519550b2fp-12);
  p = fma(p, q, 0x1.908f473b52972p-8);
  p = fma(p, q, -0x1.b00c052c74b97p-6);
  p = fma(p, q, 0x1.38dbd2c8c78b3p-4);
  p = fma(p, q, -0x1.645fd8a4bb9b5p-3);
  p = fma(p, q, 0x1.52cac2371053bp-2);
  p = fma(p, q, -0x1.14eacb1ad0348p-1);
  p = fma(p, q, 0x1.8be202d26c6ffp-1);
  p = fma(p, q, -0x1.f3fe31ecb49bfp-1);
  p = fma(p, q, 0x1.18932bf08e154p0);
#endif
  T square = x * x, rest = fma(x, x, -square);
  T t = fma(-square, LOG2E, SHIFTER), k = t - SHIFTER;
  return p * inverse * __exp_sum(fma(-k, LN2, -square), fma(-k, LN2_REST, -rest), (I)(AS_U(t) - AS_U(SHIFTER)));
}

// For |x| <= 3/4.
T __erf_near(T x) {
  T z = x * x;
#if FRACTION == 23
  T p = 0x1.111756p-8f;  // 2^-23.7
  p = fma(p, z, -0x1.b009dep-6f);
  p = fma(p, z, 0x1.cdc922p-4f);
  p = fma(p, z, -0x1.812584p-2f);
  p = fma(p, z, 0x1.06eb9ep-3f);
#else
  T p = -0x1.110f334b13a4fp-23;  // 2^-53.7
  p = fma(p, z, 0x1.aeb7b046b5da6p-20);
  p = fma(p, z, -0x1.f3eb0f8d7823ep-17);
  p = fma(p, z, 0x1.f997c1e747e7fp-14);
  p = fma(p, z, -0x1.c02d5aa9284d6p-11);
  p = fma(p, z, 0x1.565bcb62efd34p-8);
  p = fma(p, z, -0x1.b82ce30957aedp-6);
  p = fma(p, z, 0x1.ce2f21a029075p-4);
  p = fma(p, z, -0x1.812746b037828p-2);
  p = fma(p, z, 0x1.06eba8214db66p-3);
#endif
  return fma(x, p, x);
}

T erf(T x) {
  T a = fabs(x), far = copysign(1 - __erfc_tail(a), x);
  return a < (T)0.75 ? __erf_near(x) : far;
}

T erfc(T x) {
  T a = fabs(x), far = __erfc_tail(a);
  return a < (T)0.75 ? 1 - __erf_near(x) : x < 0 ? 2 - far : far;
}

// Stirling: the logarithm of the gamma function as the sum of the result and *rest, for x >= 8.
T __gamma_log(T x, T *rest) {
  T log_rest;
  T log_x = __log_pair(x, &log_rest), y = x - (T)0.5, inverse = 1 / x, z = inverse * inverse;
#if FRACTION == 23
  T p = 0x1.98f9a8p-11f;  // 2^-33.8
  p = fma(p, z, -0x1.6c141cp-9f);
  p = fma(p, z, 0x1.555556p-4f);
#else
  T p = 0x1.4c38388548cc5p-8;  // 2^-60.6
  p = fma(p, z, -0x1.ef980ce40e4a4p-10);
  p = fma(p, z, 0x1.b92c937e19732p-11);
  p = fma(p, z, -0x1.38134e161be6dp-11);
  p = fma(p, z, 0x1.a01a017e8a7p-11);
  p = fma(p, z, -0x1.6c16c16c14af6p-9);
  p = fma(p, z, 0x1.5555555555555p-4);
#endif
  // (x - 1/2) log x - x + log(2 pi) / 2 + p / x
  T a = y * log_x, a_rest = fma(y, log_x, -a) + y * log_rest;
  T b = a - x, b_rest = a - b - x;
  T c = b + HALF_LOG_2PI, c_rest = b - c + HALF_LOG_2PI;
  *rest = c_rest + (b_rest + (a_rest + fma(p, inverse, HALF_LOG_2PI_REST)));
  return c;
}

// For -1/2 < x < 8 the gamma function is *up / *down gamma(2 + t), where |t| <= 1/2; one of the two is 1.
T __gamma_steps(T x, T *up, T *down) {
  T y = x, product = 1;
  for (int k = 0; k < 6; k++) {
    bool on = y > (T)2.5;
    y = on ? y - 1 : y;
    product = on ? product * y : product;
  }
  *up = product;
  *down = x < (T)0.5 ? x * (1 + x) : x < (T)1.5 ? x : (T)1;
  return x < (T)0.5 ? x : x < (T)1.5 ? x - 1 : y - 2;
}

// 1 / gamma(2 + t) for |t| <= 1/2.
T __gamma_reciprocal(T t) {
#if FRACTION == 23
  T p = -0x1.765f3cp-11f;  // 2^-26.4
  p = fma(p, t, 0x1.00e68ep-7f);
  p = fma(p, t, -0x1.2169bcp-6f);
  p = fma(p, t, -0x1.91cbf8p-6f);
  p = fma(p, t, 0x1.875b94p-3f);
  p = fma(p, t, -0x1.dd61p-3f);
  p = fma(p, t, -0x1.b0ee62p-2f);
  p = fma(p, t, 0x1p0f);
#else
  T p = -0x1.9d8e4afe04d92p-30;  // 2^-56.2
  p = fma(p, t, -0x1.ac84357404875p-23);
  p = fma(p, t, 0x1.677523e5520aep-20);
  p = fma(p, t, -0x1.5bc9cdd621d3ap-19);
  p = fma(p, t, -0x1.265f762475decp-16);
  p = fma(p, t, 0x1.31568fff4c559p-13);
  p = fma(p, t, -0x1.7a5da8c4e0fcbp-12);
  p = fma(p, t, -0x1.a5b352267e489p-11);
  p = fma(p, t, 0x1.06e8179dc383ap-7);
  p = fma(p, t, -0x1.21198510d433ap-6);
  p = fma(p, t, -0x1.92449b66efd57p-6);
  p = fma(p, t, 0x1.875ac57821d92p-3);
  p = fma(p, t, -0x1.dd603fb6ac12ep-3);
  p = fma(p, t, -0x1.b0ee6072093c8p-2);
  p = fma(p, t, 0x1p0);
#endif
  return p;
}

// Left of -1/2 gamma(x) = -pi / (|x| sin(pi |x|) gamma(|x|)).
T tgamma(T x) {
  T a = fabs(x), up, down, rest;
  bool mirrored = !(x > (T)-0.5);
  T b = mirrored ? a : x, t = __gamma_steps(min(b, (T)8), &up, &down), near = up / (down * __gamma_reciprocal(t));
  T r = __gamma_log(clamp(b, (T)8, GAMMA_END), &rest);
  r = mirrored ? -r : r;
  rest = mirrored ? -rest : rest;
  T s = fma(r, LOG2E, SHIFTER), k = s - SHIFTER;
  // The reciprocal may be subnormal where the result is not.
  T far = __exp_sum(fma(-k, LN2, r), fma(-k, LN2_REST, rest), (I)(AS_U(s) - AS_U(SHIFTER)) + (mirrored ? 2 * FRACTION : 0));
  T sine = sinpi(a), factor = -PI / (a * sine);
  T mirror = b < 8 ? factor / near : factor * AS_T((U)(BIAS - 2 * FRACTION) << FRACTION) * far;
  return mirrored ? (sine == 0 ? (T)NAN : mirror) : b < 8 ? near : far;
}

T lgamma(T x) {
  T a = fabs(x), up, down, rest;
  bool mirrored = !(x > (T)-0.5);
  T b = mirrored ? a : x, t = __gamma_steps(min(b, (T)8), &up, &down);
  // log gamma(2 + t) / t
#if FRACTION == 23
  T p = 0x1.2ed7c8p-11f;  // 2^-26.9
  p = fma(p, t, -0x1.582292p-10f);
  p = fma(p, t, 0x1.78ea8ep-9f);
  p = fma(p, t, -0x1.e2c2cp-8f);
  p = fma(p, t, 0x1.513748p-6f);
  p = fma(p, t, -0x1.13e106p-4f);
  p = fma(p, t, 0x1.4a34cap-2f);
  p = fma(p, t, 0x1.b0ee6p-2f);
#else
  T p = 0x1.2fc811edc0786p-22;  // 2^-57.8
  p = fma(p, t, -0x1.380eb47db9eb1p-21);
  p = fma(p, t, 0x1.eb91045901779p-21);
  p = fma(p, t, -0x1.08f8862407b1p-19);
  p = fma(p, t, 0x1.266202d8f8baap-18);
  p = fma(p, t, -0x1.3d4d5567136f4p-17);
  p = fma(p, t, 0x1.5804e7ce8320ep-16);
  p = fma(p, t, -0x1.78d8f28b23cf1p-15);
  p = fma(p, t, 0x1.a127ed84f31c6p-14);
  p = fma(p, t, -0x1.d3fd6abc77fa7p-13);
  p = fma(p, t, 0x1.0b36af0cd49a2p-11);
  p = fma(p, t, -0x1.38ac5bfc8ae06p-10);
  p = fma(p, t, 0x1.7add6eaebf9ddp-9);
  p = fma(p, t, -0x1.e404fc21d9b06p-8);
  p = fma(p, t, 0x1.51322ac7d7c3fp-6);
  p = fma(p, t, -0x1.13e001a557553p-4);
  p = fma(p, t, 0x1.4a34cc4a60fa7p-2);
  p = fma(p, t, 0x1.b0ee6072093cep-2);
#endif
  T steps = log(b < (T)1.5 ? fabs(down) : up), near = fma(t, p, b < (T)1.5 ? -steps : steps);
  T high = __gamma_log(clamp(b, (T)8, LIMIT), &rest);
  T r = b < 8 ? near : b < LIMIT ? high + rest : b * (log(b) - 1);
  T sine = sinpi(a), mirror = sine == 0 ? (T)INFINITY : log(PI / (a * fabs(sine))) - r;
  return a == (T)INFINITY ? a : mirrored ? mirror : r;
}

// The sign is 0 where the gamma function has a pole.
T lgamma_r(T x, SPACE int *sign) {
  T below = floor(x);
  bool odd = trunc((T)0.5 * below) != (T)0.5 * below;
  *sign = x > 0 || x != x ? 1 : below == x ? 0 : odd ? -1 : 1;
  return lgamma(x);
}

T hypot(T x, T y) {
  T a = max(fabs(x), fabs(y)), b = min(fabs(x), fabs(y));
  T scale = a > LARGE ? FROM_LARGE : a < SMALL ? FROM_SMALL : (T)1;
  T c = a * scale, d = b * scale, r = sqrt(fma(c, c, d * d)) / scale;
  return fabs(x) == (T)INFINITY || fabs(y) == (T)INFINITY ? (T)INFINITY : x != x || y != y ? (T)NAN : r;
}
