// Approximate functions: the correctly rounded result, which is one that the PTX ISA's bounds on their errors allow.

#include "tests/ptx/cases/generate/case_text.hpp"
#include "tests/ptx/cases/generate/real.hpp"

namespace lockstep::ptx_cases {

namespace {

using Bits = std::uint64_t;
using Function1 = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

int reciprocal(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t rounding) { return mpfr_ui_div(r, 1, a, rounding); }

CaseText function(const std::string& form, const std::string& error, Function1 compute, const std::vector<Bits>& numbers) {
  const std::string type = form.substr(form.size() - 3);
  const Format& format = type == "f64" ? twofold : single;
  Elementwise e(form, {form}, form + ": correctly rounded here.");
  e.approximate(error);
  e.operation(form + " %d, %a;", type, {{type, numbers}}, [&](const Inputs& v) -> Expected {
    Real a;
    a.set(format, v[0]);
    const Bits result = rounded(format, MPFR_RNDN, [&](mpfr_ptr r) { return compute(r, a.get(), MPFR_RNDN); });
    return format.is_nan(result) ? Expected(ExpectedNan()) : Expected(ExpectedBits{result});
  });
  return e.text();
}

/// Infinities, a NaN, zeros, and numbers whose exponents lie between two.
std::vector<Bits> numbers(int least, int most) {
  std::vector<Bits> all = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000};
  Sequence random(7);
  for (int n = 0; n < 43; ++n) {
    const auto exponent = static_cast<Bits>(127 + least) + random() % static_cast<Bits>(most - least + 1);
    all.push_back((random() & 0x807fffffU) | exponent << 23U);
  }
  return all;
}

}  // namespace

std::vector<CaseText> approximate_cases() {
  std::vector<CaseText> cases;
  cases.push_back(function("sin.approx.f32", "absolute error 2^-20.5 in [-pi, pi]", mpfr_sin, numbers(-12, 1)));
  cases.push_back(function("cos.approx.f32", "absolute error 2^-20.5 in [-pi, pi]", mpfr_cos, numbers(-12, 1)));
  cases.push_back(function("ex2.approx.f32", "relative error 2^-22", mpfr_exp2, numbers(-20, 7)));
  cases.push_back(function("lg2.approx.f32", "absolute error 2^-22 in (0.5, 2), else relative error 2^-22", mpfr_log2, numbers(-126, 127)));
  cases.push_back(function("rcp.approx.f32", "1 unit in the last place", reciprocal, numbers(-120, 120)));
  cases.push_back(function("sqrt.approx.f32", "relative error 2^-23", mpfr_sqrt, numbers(-126, 127)));
  cases.push_back(function("tanh.approx.f32", "relative error 2^-11", mpfr_tanh, numbers(-20, 4)));
  {
    std::vector<Bits> wide = {0, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xbff0000000000000};
    Sequence random(8);
    for (int n = 0; n < 40; ++n) {
      wide.push_back((random() & 0xfffffffffffffU) | (0x001 + random() % 0x7fe) << 52U);
    }
    // MPFR's reciprocal root of -0 is +inf; PTX's is -inf.
    Elementwise e("rsqrt.approx.f64", {"rsqrt.approx.f64"}, "rsqrt.approx.f64: correctly rounded here; of -0 it is -inf.");
    e.approximate("no bound is given; subnormal results of hardware may be zeros");
    e.operation("rsqrt.approx.f64 %d, %a;", "f64", {{"f64", wide}}, [](const Inputs& v) -> Expected {
      Real a;
      a.set(twofold, v[0]);
      if (v[0] == 0x8000000000000000) {
        return ExpectedBits{0xfff0000000000000};
      }
      const Bits result = rounded(twofold, MPFR_RNDN, [&](mpfr_ptr r) { return mpfr_rec_sqrt(r, a.get(), MPFR_RNDN); });
      return twofold.is_nan(result) ? Expected(ExpectedNan()) : Expected(ExpectedBits{result});
    });
    cases.push_back(e.text());
  }
  {
    Elementwise e("div.approx.f32", {"div.approx.f32"},
                  "div.approx: correctly rounded here; divisors up to 2^126, where the ISA promises two units.");
    e.approximate("2 units in the last place");
    const auto columns = drawn({"f32", "f32"}, {numbers(-60, 60), numbers(-60, 60)}, 48);
    e.operation("div.approx.f32 %d, %a, %b;", "f32", columns, [](const Inputs& v) -> Expected {
      Real a;
      Real b;
      a.set(single, v[0]);
      b.set(single, v[1]);
      const Bits result = rounded(single, MPFR_RNDN, [&](mpfr_ptr r) { return mpfr_div(r, a.get(), b.get(), MPFR_RNDN); });
      return single.is_nan(result) ? Expected(ExpectedNan()) : Expected(ExpectedBits{result});
    });
    cases.push_back(e.text());
  }
  return cases;
}

}  // namespace lockstep::ptx_cases
