#include "tests/mathematics/functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lockstep::mathematics_test {
namespace {

using One = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using Two = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

Function one(const std::string& name, One f, double low, double high) {
  return {name + "(x)", OfOne([f](mpfr_ptr r, mpfr_srcptr x) { f(r, x, MPFR_RNDN); }), low, high};
}

Function two(const std::string& name, Two f, double low, double high) {
  return {name + "(x, y)", OfTwo([f](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y) { f(r, x, y, MPFR_RNDN); }), low, high};
}

/// MPFR's functions in units of a turn have the number of units as their last parameter.
Function of_turns(const std::string& name, int (*f)(mpfr_ptr, mpfr_srcptr, unsigned long, mpfr_rnd_t), double low, double high) {
  return {name + "(x)", OfOne([f](mpfr_ptr r, mpfr_srcptr x) { f(r, x, 2, MPFR_RNDN); }), low, high};
}

Function exact(const std::string& call, OfOne f) { return {.call = call, .exact = std::move(f), .low = -100, .high = 100, .bound = 0}; }

void lgamma_of_magnitude(mpfr_ptr r, mpfr_srcptr x, int sign) {
  int sign_of_gamma = 0;
  mpfr_setsign(r, x, sign < 0 ? 1 : 0, MPFR_RNDN);
  mpfr_lgamma(r, &sign_of_gamma, r, MPFR_RNDN);
}

void fraction(mpfr_ptr r, mpfr_srcptr x) {
  mpfr_floor(r, x);
  mpfr_sub(r, x, r, MPFR_RNDN);
  if (mpfr_zero_p(x) != 0 || mpfr_inf_p(x) != 0) {
    mpfr_set_zero(r, mpfr_signbit(x) != 0 ? -1 : 1);
  }
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      one("exp", mpfr_exp, -760, 720),
      one("exp2", mpfr_exp2, -1090, 1030),
      one("exp10", mpfr_exp10, -330, 310),
      one("expm1", mpfr_expm1, -40, 720),
      one("log", mpfr_log, 0, 4),
      one("log2", mpfr_log2, 0, 4),
      one("log10", mpfr_log10, 0, 4),
      one("log1p", mpfr_log1p, -1, 4),
      two("pow", mpfr_pow, -20, 20),
      // Of a NaN to a power, and 1 to that, MPFR says 1 as C does of pow; OpenCL has a NaN.
      {"powr(x, y)", OfTwo([](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y) {
         mpfr_powr(r, x, y, MPFR_RNDN);
         if (mpfr_nan_p(x) != 0 || mpfr_nan_p(y) != 0) {
           mpfr_set_nan(r);
         }
       }),
       0, 100},
      {"pown(x, n)", OfInteger([](mpfr_ptr r, mpfr_srcptr x, long n) { mpfr_pow_si(r, x, n, MPFR_RNDN); }), -20, 20},
      {"rootn(x, n)", OfInteger([](mpfr_ptr r, mpfr_srcptr x, long n) { mpfr_rootn_si(r, x, n, MPFR_RNDN); }), -1000, 1000},
      one("cbrt", mpfr_cbrt, -1000, 1000),
      one("sinh", mpfr_sinh, -720, 720),
      one("cosh", mpfr_cosh, -720, 720),
      one("tanh", mpfr_tanh, -25, 25),
      one("asinh", mpfr_asinh, -10, 10),
      one("acosh", mpfr_acosh, 1, 10),
      one("atanh", mpfr_atanh, -1, 1),
      one("sin", mpfr_sin, -100, 100),
      one("cos", mpfr_cos, -100, 100),
      one("tan", mpfr_tan, -100, 100),
      of_turns("sinpi", mpfr_sinu, -10, 10),
      of_turns("cospi", mpfr_cosu, -10, 10),
      of_turns("tanpi", mpfr_tanu, -10, 10),
      one("asin", mpfr_asin, -1, 1),
      one("acos", mpfr_acos, -1, 1),
      one("atan", mpfr_atan, -5, 5),
      two("atan2", mpfr_atan2, -10, 10),
      of_turns("asinpi", mpfr_asinu, -1, 1),
      of_turns("acospi", mpfr_acosu, -1, 1),
      of_turns("atanpi", mpfr_atanu, -5, 5),
      {"atan2pi(x, y)", OfTwo([](mpfr_ptr r, mpfr_srcptr y, mpfr_srcptr x) { mpfr_atan2u(r, y, x, 2, MPFR_RNDN); }), -10, 10},
      two("hypot", mpfr_hypot, -10, 10),
      one("erf", mpfr_erf, -7, 7),
      {.call = "erfc(x)",
       .exact = OfOne([](mpfr_ptr r, mpfr_srcptr x) { mpfr_erfc(r, x, MPFR_RNDN); }),
       .low = -7,
       .high = 28,
       .is_slow = true},
      one("tgamma", mpfr_gamma, -185, 172),
      {"lgamma(fabs(x))", OfOne([](mpfr_ptr r, mpfr_srcptr x) { lgamma_of_magnitude(r, x, 1); }), -20, 20},
      {.call = "lgamma(-fabs(x))",
       .exact = OfOne([](mpfr_ptr r, mpfr_srcptr x) { lgamma_of_magnitude(r, x, -1); }),
       .low = -20,
       .high = 20,
       .unit_of_one = true},
      exact("(lgamma_r(x, &n), (T)n)",
            [](mpfr_ptr r, mpfr_srcptr x) {
              int sign = 0;
              mpfr_lgamma(r, &sign, x, MPFR_RNDN);
              const bool is_pole = mpfr_zero_p(x) != 0 || (mpfr_sgn(x) < 0 && (mpfr_inf_p(x) != 0 || mpfr_integer_p(x) != 0));
              mpfr_set_si(r, is_pole ? 0 : mpfr_nan_p(x) != 0 ? 1 : sign, MPFR_RNDN);
            }),
      exact("modf(x, &p)", [](mpfr_ptr r, mpfr_srcptr x) { mpfr_frac(r, x, MPFR_RNDN); }),
      exact("(modf(x, &p), p)", [](mpfr_ptr r, mpfr_srcptr x) { mpfr_trunc(r, x); }),
      // A number just below 1 is one unit away from where it would be rounded to.
      {.call = "fract(x, &p)", .exact = OfOne(fraction), .low = -100, .high = 100, .bound = 1},
      exact("(fract(x, &p), p)", [](mpfr_ptr r, mpfr_srcptr x) { mpfr_floor(r, x); }),
      exact("frexp(x, &n)",
            [](mpfr_ptr r, mpfr_srcptr x) {
              mpfr_exp_t exponent = 0;
              mpfr_frexp(&exponent, r, x, MPFR_RNDN);
            }),
      exact("(frexp(x, &n), (T)n)",
            [](mpfr_ptr r, mpfr_srcptr x) {
              mpfr_exp_t exponent = 0;
              mpfr_frexp(&exponent, r, x, MPFR_RNDN);
              mpfr_set_si(r, mpfr_regular_p(x) != 0 ? exponent : 0, MPFR_RNDN);
            }),
      {.call = "remquo(x, y, &n)",
       .exact = OfTwo([](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y) { mpfr_remainder(r, x, y, MPFR_RNDN); }),
       .low = -100,
       .high = 100,
       .bound = 0},
      {.call = "(remquo(x, y, &n), (T)n)",
       .exact = OfTwo([](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y) {
         long quotient = 0;
         mpfr_remquo(r, &quotient, x, y, MPFR_RNDN);
         mpfr_set_si(r, mpfr_nan_p(r) != 0 ? 0 : quotient < 0 ? -(-quotient & 127) : quotient & 127, MPFR_RNDN);
       }),
       .low = -100,
       .high = 100,
       .bound = 0},
  };
  return all;
}

double distance(double got, mpfr_srcptr exact, const Format& format) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (std::isnan(got) || mpfr_nan_p(exact) != 0) {
    return std::isnan(got) && mpfr_nan_p(exact) != 0 ? 0 : infinite;
  }
  if (format.signs_count && std::signbit(got) != (mpfr_signbit(exact) != 0)) {
    return infinite;
  }
  if (mpfr_inf_p(exact) != 0 || mpfr_zero_p(exact) != 0) {
    return mpfr_cmp_d(exact, got) == 0 ? 0 : infinite;
  }
  const auto exponent = std::max<mpfr_exp_t>(mpfr_get_exp(exact), format.least);
  // Beyond the largest number: infinity is that of the next exponent, and so is what would be rounded to it.
  if (exponent > format.most) {
    return std::isinf(got) ? 0 : infinite;
  }
  Real difference(0);
  if (std::isinf(got)) {
    mpfr_set_ui_2exp(difference.get(), 1, format.most, MPFR_RNDN);
    mpfr_setsign(difference.get(), difference.get(), got < 0 ? 1 : 0, MPFR_RNDN);
  } else {
    mpfr_set_d(difference.get(), got, MPFR_RNDN);
  }
  mpfr_sub(difference.get(), difference.get(), exact, MPFR_RNDN);
  mpfr_mul_2si(difference.get(), difference.get(), format.digits - exponent, MPFR_RNDN);
  return std::abs(mpfr_get_d(difference.get(), MPFR_RNDN));
}

}  // namespace lockstep::mathematics_test
