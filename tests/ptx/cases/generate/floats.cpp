// Arithmetic of f32 and f64, by MPFR. A NaN that f32 arithmetic gives is 0x7fffffff; of f64 the PTX ISA does not say which it is.

#include "tests/ptx/cases/generate/case_text.hpp"
#include "tests/ptx/cases/generate/real.hpp"

namespace lockstep::ptx_cases {

namespace {

using Bits = std::uint64_t;
using Function2 = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

const Format& format_of(const std::string& type) { return type == "f64" ? twofold : single; }

/// A result of arithmetic.
Expected arithmetic(const Format& format, Bits bits) {
  return format.bits == 64 && format.is_nan(bits) ? Expected(ExpectedNan()) : Expected(ExpectedBits{bits});
}

std::vector<Column> pairs(const std::string& type) {
  return crossed({type, type}, {float_edges(format_of(type)), few_float_edges(format_of(type))});
}

CaseText binary(const std::string& form, const std::string& meaning, Function2 compute, mpfr_rnd_t rounding, bool ftz = false) {
  const std::string type = form.substr(form.size() - 3);
  const Format& format = format_of(type);
  Elementwise e(form, {form}, meaning);
  e.operation(form + " %d, %a, %b;", type, pairs(type), [&](const Inputs& v) -> Expected {
    Real a;
    Real b;
    a.set(format, ftz ? flushed(format, v[0]) : v[0]);
    b.set(format, ftz ? flushed(format, v[1]) : v[1]);
    const Bits result = rounded(format, rounding, [&](mpfr_ptr r) { return compute(r, a.get(), b.get(), rounding); });
    return arithmetic(format, ftz ? flushed(format, result) : result);
  });
  return e.text();
}

using Function1 = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

CaseText unary(const std::string& form, const std::string& instruction, const std::string& meaning, Function1 compute, mpfr_rnd_t rounding,
               bool ftz = false) {
  const std::string type = form.substr(form.size() - 3);
  const Format& format = format_of(type);
  Elementwise e(form, {form}, meaning);
  auto values = float_edges(format);
  Sequence random(3);
  for (int n = 0; n < 30; ++n) {  // any exponent, positive
    values.push_back((random() & (format.sign() - 1)) % format.infinity());
  }
  e.operation(instruction + " %d, %a;", type, {{type, values}}, [&](const Inputs& v) -> Expected {
    Real a;
    a.set(format, ftz ? flushed(format, v[0]) : v[0]);
    const Bits result = rounded(format, rounding, [&](mpfr_ptr r) { return compute(r, a.get(), rounding); });
    return arithmetic(format, ftz ? flushed(format, result) : result);
  });
  return e.text();
}

int reciprocal(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t rounding) { return mpfr_ui_div(r, 1, a, rounding); }
int square_root(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t rounding) { return mpfr_sqrt(r, a, rounding); }

CaseText fused(const std::string& type) {
  const Format& format = format_of(type);
  Elementwise e("fma.rn." + type, {"fma.rn." + type}, "fma.rn: one rounding.");
  auto edges = float_edges(format);
  e.operation("fma.rn." + type + " %d, %a, %b, %c;", type, drawn({type, type, type}, {edges, edges, edges}, 90),
              [&](const Inputs& v) -> Expected {
                Real a;
                Real b;
                Real c;
                a.set(format, v[0]);
                b.set(format, v[1]);
                c.set(format, v[2]);
                return arithmetic(
                    format, rounded(format, MPFR_RNDN, [&](mpfr_ptr r) { return mpfr_fma(r, a.get(), b.get(), c.get(), MPFR_RNDN); }));
              });
  return e.text();
}

/// The number that is not a NaN; of two zeros, the negative one is the smaller.
CaseText extreme(const std::string& name, const std::string& type) {
  const Format& format = format_of(type);
  const bool is_max = name == "max";
  Elementwise e(name + "." + type, {name + "." + type}, name + ": a number against a NaN; -0 is less than 0.");
  e.operation(name + "." + type + " %d, %a, %b;", type, pairs(type), [&](const Inputs& v) -> Expected {
    if (format.is_nan(v[0]) || format.is_nan(v[1])) {
      const Bits other = format.is_nan(v[0]) ? v[1] : v[0];
      return format.is_nan(other) ? arithmetic(format, format.nan()) : Expected(ExpectedBits{other});
    }
    const auto ordered = [&](Bits x) {
      return (x & format.sign()) != 0 ? -static_cast<Wide>(x - format.sign()) - 1 : static_cast<Wide>(x);
    };
    return ExpectedBits{(ordered(v[0]) < ordered(v[1])) == is_max ? v[1] : v[0]};
  });
  return e.text();
}

CaseText sign_of(const std::string& name, const std::string& type) {
  const Format& format = format_of(type);
  Elementwise e(name + "." + type, {name + "." + type}, name + ": the sign bit alone; of a NaN it is not specified which NaN comes.");
  e.operation(name + "." + type + " %d, %a;", type, {{type, float_edges(format)}}, [&](const Inputs& v) -> Expected {
    if (format.is_nan(v[0])) {
      return ExpectedNan();
    }
    return ExpectedBits{name == "abs" ? v[0] & (format.sign() - 1) : v[0] ^ format.sign()};
  });
  return e.text();
}

CaseText copysign() {
  Elementwise e("copysign.f32", {"copysign.f32"}, "copysign: the sign of the first operand on the second.");
  std::vector<Bits> numbers;
  for (const Bits x : float_edges(single)) {
    if (!single.is_nan(x)) {
      numbers.push_back(x);
    }
  }
  e.operation("copysign.f32 %d, %a, %b;", "f32", crossed({"f32", "f32"}, {numbers, {0, 0x80000000, 0x3fc00000, 0xff7fffff}}),
              [](const Inputs& v) -> Bits { return (v[0] & 0x80000000U) | (v[1] & 0x7fffffffU); });
  return e.text();
}

/// What a comparison of PTX says: ordered ones are false with a NaN, those with a u true.
bool holds(const std::string& comparison, const Format& format, Bits x, Bits y) {
  const bool has_nan = format.is_nan(x) || format.is_nan(y);
  if (comparison == "num" || comparison == "nan") {
    return has_nan == (comparison == "nan");
  }
  const bool is_unordered = comparison.size() == 3;
  if (has_nan) {
    return is_unordered;
  }
  Real a;
  Real b;
  a.set(format, x);
  b.set(format, y);
  const int order = mpfr_cmp(a.get(), b.get());
  const std::string ordered = comparison.substr(0, 2);
  return ordered == "eq"   ? order == 0
         : ordered == "ne" ? order != 0
         : ordered == "lt" ? order < 0
         : ordered == "le" ? order <= 0
         : ordered == "gt" ? order > 0
                           : order >= 0;
}

CaseText comparisons(const std::string& type, bool ftz) {
  const Format& format = format_of(type);
  const std::string form = std::string("setp.cmp.") + (ftz ? "ftz." : "") + type;
  Elementwise e(
      form, {form},
      "setp of floats: all comparisons; those that end in u hold with a NaN." + std::string(ftz ? " Subnormal numbers are zeros." : ""));
  const std::vector<std::string> all = {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  const std::vector<Bits> numbers = {
      0, format.sign(), 1, format.sign() | 1, few_float_edges(format)[1], few_float_edges(format)[2], format.infinity(), format.nan()};
  for (const std::string& comparison : all) {
    e.operation("setp." + comparison + (ftz ? ".ftz." : ".") + type + " %p0, %a, %b; selp.u32 %d, 1, 0, %p0;", "u32",
                crossed({type, type}, {numbers, numbers}), [&](const Inputs& v) -> Bits {
                  return holds(comparison, format, ftz ? flushed(format, v[0]) : v[0], ftz ? flushed(format, v[1]) : v[1]) ? 1 : 0;
                });
  }
  return e.text();
}

}  // namespace

std::vector<CaseText> float_cases() {
  std::vector<CaseText> cases;
  for (const std::string type : {"f32", "f64"}) {
    cases.push_back(binary("add.rn." + type, "add.rn", mpfr_add, MPFR_RNDN));
    cases.push_back(binary("sub.rn." + type, "sub.rn", mpfr_sub, MPFR_RNDN));
    cases.push_back(binary("mul.rn." + type, "mul.rn", mpfr_mul, MPFR_RNDN));
    cases.push_back(binary("div.rn." + type, "div.rn", mpfr_div, MPFR_RNDN));
    cases.push_back(unary("sqrt.rn." + type, "sqrt.rn." + type, "sqrt.rn: of -0 it is -0.", square_root, MPFR_RNDN));
    cases.push_back(fused(type));
    cases.push_back(extreme("min", type));
    cases.push_back(extreme("max", type));
    cases.push_back(sign_of("abs", type));
    cases.push_back(sign_of("neg", type));
    cases.push_back(comparisons(type, false));
  }
  cases.push_back(comparisons("f32", true));
  cases.push_back(binary("add.f32", "add without a rounding rounds to nearest.", mpfr_add, MPFR_RNDN));
  cases.push_back(binary("mul.f32", "mul without a rounding rounds to nearest.", mpfr_mul, MPFR_RNDN));
  cases.push_back(binary("add.ftz.f32", "add.ftz: subnormal operands and results are zeros with their sign.", mpfr_add, MPFR_RNDN, true));
  cases.push_back(binary("mul.ftz.f32", "mul.ftz: subnormal operands and results are zeros with their sign.", mpfr_mul, MPFR_RNDN, true));
  cases.push_back(binary("add.rm.f32", "add.rm rounds down; an exact zero of two opposite numbers is -0.", mpfr_add, MPFR_RNDD));
  cases.push_back(binary("add.rp.f32", "add.rp rounds up.", mpfr_add, MPFR_RNDU));
  cases.push_back(
      binary("div.rn.ftz.f32", "div.rn.ftz: subnormal operands and results are zeros with their sign.", mpfr_div, MPFR_RNDN, true));
  cases.push_back(unary("sqrt.rn.ftz.f32", "sqrt.rn.ftz.f32", "sqrt.rn.ftz: subnormal operands are zeros with their sign.", square_root,
                        MPFR_RNDN, true));
  cases.push_back(unary("rcp.rz.f64", "rcp.rz.f64", "rcp.rz rounds towards zero.", reciprocal, MPFR_RNDZ));
  cases.push_back(copysign());
  return cases;
}

}  // namespace lockstep::ptx_cases
