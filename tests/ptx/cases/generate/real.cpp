#include "tests/ptx/cases/generate/real.hpp"

#include <vector>

namespace lockstep::ptx_cases {

namespace {

std::uint64_t bits_of(const Format& format, mpfr_srcptr x) {
  if (mpfr_nan_p(x) != 0) {
    return format.nan();
  }
  const std::uint64_t sign = mpfr_signbit(x) != 0 ? format.sign() : 0;
  if (mpfr_inf_p(x) != 0) {
    return sign | format.infinity();
  }
  if (mpfr_zero_p(x) != 0) {
    return sign;
  }
  // x = 0.1… · 2^e; the least exponent of a normal number in that form is 2 - bias.
  const auto exponent = mpfr_get_exp(x);
  const mpfr_exp_t least = 2 - format.bias();
  const mpfr_exp_t unit = (exponent < least ? least : exponent) - 1 - static_cast<mpfr_exp_t>(format.fraction);
  Real scaled;
  mpfr_abs(scaled.get(), x, MPFR_RNDN);
  mpfr_mul_2si(scaled.get(), scaled.get(), -unit, MPFR_RNDN);
  const std::uint64_t significand = mpfr_get_ui(scaled.get(), MPFR_RNDN);
  const auto raised = exponent < least ? 0 : static_cast<std::uint64_t>(exponent - least) << format.fraction;
  return sign | (raised + significand);  // the leading bit of a normal number adds one to the exponent
}

}  // namespace

void Real::set(const Format& format, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & (format.sign() - 1);
  const std::uint64_t significand = magnitude & ((std::uint64_t{1} << format.fraction) - 1);
  const auto exponent = static_cast<int>(magnitude >> format.fraction);
  if (format.is_nan(bits)) {
    mpfr_set_nan(value_);
    return;
  }
  if (magnitude == format.infinity()) {
    mpfr_set_inf(value_, 1);
  } else {
    const std::uint64_t whole = exponent == 0 ? significand : significand | std::uint64_t{1} << format.fraction;
    mpfr_set_ui_2exp(value_, whole, (exponent == 0 ? 1 : exponent) - format.bias() - static_cast<int>(format.fraction), MPFR_RNDN);
  }
  mpfr_setsign(value_, value_, (bits & format.sign()) != 0 ? 1 : 0, MPFR_RNDN);
}

void Real::set(Wide integer) {
  const bool is_negative = integer < 0;
  const Wide magnitude = is_negative ? -integer : integer;
  Real upper;
  mpfr_set_ui_2exp(upper.get(), static_cast<std::uint64_t>(magnitude >> 64), 64, MPFR_RNDN);
  mpfr_set_ui(value_, static_cast<std::uint64_t>(magnitude), MPFR_RNDN);
  mpfr_add(value_, value_, upper.get(), MPFR_RNDN);
  if (is_negative) {
    mpfr_neg(value_, value_, MPFR_RNDN);
  }
}

std::uint64_t rounded(const Format& format, mpfr_rnd_t rounding, const std::function<int(mpfr_ptr)>& compute) {
  const mpfr_exp_t emin = mpfr_get_emin();
  const mpfr_exp_t emax = mpfr_get_emax();
  mpfr_t result;
  mpfr_init2(result, format.fraction + 1);
  // MPFR's own range while it computes, the format's when it is rounded: so that operands beyond the format's range of another are taken.
  const int inexact = compute(result);
  mpfr_set_emin(2 - format.bias() - static_cast<mpfr_exp_t>(format.fraction));
  mpfr_set_emax(format.bias() + 1);
  const int checked = mpfr_check_range(result, inexact, rounding);
  mpfr_subnormalize(result, checked, rounding);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  const std::uint64_t bits = bits_of(format, result);
  mpfr_clear(result);
  return bits;
}

std::uint64_t rounded(const Format& format, mpfr_rnd_t rounding, const Real& exact) {
  return rounded(format, rounding, [&](mpfr_ptr result) { return mpfr_set(result, exact.get(), rounding); });
}

std::uint64_t flushed(const Format& format, std::uint64_t bits) { return format.is_subnormal(bits) ? bits & format.sign() : bits; }

std::vector<std::uint64_t> float_edges(const Format& format) {
  const std::uint64_t one = static_cast<std::uint64_t>(format.bias()) << format.fraction;
  const std::uint64_t least_normal = std::uint64_t{1} << format.fraction;
  return {0,
          format.sign(),
          1,
          format.sign() | (least_normal - 1),
          least_normal,
          one,
          one + 1,
          format.sign() | (one + (least_normal >> 1U)),
          format.infinity() - 1,
          format.infinity(),
          format.sign() | format.infinity(),
          format.nan() - 2,
          format.sign() | (format.infinity() + 1),
          one + 3 * least_normal + 5};
}

std::vector<std::uint64_t> few_float_edges(const Format& format) {
  const auto all = float_edges(format);
  return {all[1], all[3], all[6], all[8], all[10], all[11], all[13]};
}

}  // namespace lockstep::ptx_cases
