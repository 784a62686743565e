// f16, bf16 and pairs of them, by MPFR. NaN results are 0x7fff.

#include "tests/ptx/cases/generate/case_text.hpp"
#include "tests/ptx/cases/generate/real.hpp"

namespace lockstep::ptx_cases {

namespace {

using Bits = std::uint64_t;

/// Words with any two of the numbers as halves.
std::vector<Bits> words(const Format& format) {
  std::vector<Bits> all;
  const auto numbers = float_edges(format);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    all.push_back(numbers[k] | numbers[(5 * k + 3) % numbers.size()] << 16U);
  }
  return all;
}

/// A function of halves, by halves.
template <class F>
Bits by_halves(const Inputs& v, F&& compute) {
  Bits result = 0;
  for (const unsigned shift : {0U, 16U}) {
    Inputs part;
    for (const Bits word : v) {
      part.push_back((word >> shift) & 0xffffU);
    }
    result |= compute(part) << shift;
  }
  return result;
}

CaseText fused(const std::string& type, const Format& format) {
  const std::string form = "fma.rn." + type;
  Elementwise e(form, {form}, form + ": one rounding for each half, with subnormal numbers.");
  e.operation(form + " %d, %a, %b, %c;", "b32", drawn({"b32", "b32", "b32"}, {words(format), words(format), words(format)}, 90),
              [&](const Inputs& v) {
                return by_halves(v, [&](const Inputs& part) {
                  Real a;
                  Real b;
                  Real c;
                  a.set(format, part[0]);
                  b.set(format, part[1]);
                  c.set(format, part[2]);
                  return rounded(format, MPFR_RNDN, [&](mpfr_ptr r) { return mpfr_fma(r, a.get(), b.get(), c.get(), MPFR_RNDN); });
                });
              });
  return e.text();
}

CaseText extreme(const std::string& form, const std::string& meaning, bool is_max, bool nan_wins) {
  Elementwise e(form, {form}, meaning);
  e.operation(
      form + " %d, %a, %b;", "b16", crossed({"b16", "b16"}, {float_edges(half), few_float_edges(half)}), [=](const Inputs& v) -> Bits {
        const bool is_nan_a = half.is_nan(v[0]);
        const bool is_nan_b = half.is_nan(v[1]);
        if (is_nan_a || is_nan_b) {
          return nan_wins || (is_nan_a && is_nan_b) ? half.nan() : is_nan_a ? v[1] : v[0];
        }
        const auto ordered = [](Bits x) { return (x & half.sign()) != 0 ? -static_cast<int>(x - half.sign()) - 1 : static_cast<int>(x); };
        return (ordered(v[0]) < ordered(v[1])) == is_max ? v[1] : v[0];
      });
  return e.text();
}

bool holds(const std::string& comparison, Bits x, Bits y) {
  const bool has_nan = half.is_nan(x) || half.is_nan(y);
  Real a;
  Real b;
  a.set(half, x);
  b.set(half, y);
  if (has_nan) {
    return comparison == "nan" || comparison == "neu";
  }
  const int order = mpfr_cmp(a.get(), b.get());
  return comparison == "lt"   ? order < 0
         : comparison == "ge" ? order >= 0
         : comparison == "eq" ? order == 0
                              : comparison == "neu" && order != 0;
}

CaseText comparisons(const std::string& form, const std::string& destination, const std::string& source) {
  Elementwise e(
      form, {form},
      "set of f16: " + std::string(destination == "f16x2" ? "1.0" : "all ones") + " where the comparison holds, in each half of a pair.");
  const bool is_pair = source == "f16x2";
  const std::string type = is_pair ? "b32" : "b16";
  const auto numbers = is_pair ? words(half) : float_edges(half);
  for (const std::string comparison : {"lt", "ge", "eq", "neu", "nan"}) {
    e.operation("set." + comparison + "." + destination + "." + source + " %d, %a, %b;", destination == "u16" ? "b16" : "b32",
                is_pair ? drawn({type, type}, {numbers, numbers}, 48) : crossed({type, type}, {numbers, few_float_edges(half)}),
                [=](const Inputs& v) -> Bits {
                  if (!is_pair) {
                    return holds(comparison, v[0], v[1]) ? ~Bits{0} : 0;
                  }
                  return by_halves(v, [&](const Inputs& part) -> Bits {
                    return !holds(comparison, part[0], part[1]) ? 0 : destination == "f16x2" ? 0x3c00 : 0xffff;
                  });
                });
  }
  return e.text();
}

}  // namespace

std::vector<CaseText> half_cases() {
  std::vector<CaseText> cases;
  cases.push_back(fused("f16x2", half));
  cases.push_back(fused("bf16x2", bfloat));
  cases.push_back(extreme("max.f16", "max: a number against a NaN; -0 is less than 0.", true, false));
  cases.push_back(extreme("min.f16", "min: a number against a NaN; -0 is less than 0.", false, false));
  cases.push_back(extreme("min.NaN.f16", "min.NaN: a NaN against a number.", false, true));
  cases.push_back(comparisons("set.cmp.f16x2.f16x2", "f16x2", "f16x2"));
  cases.push_back(comparisons("set.cmp.i.f16", "u32", "f16"));
  cases.push_back(comparisons("set.cmp.i.f16x2", "u32", "f16x2"));
  return cases;
}

}  // namespace lockstep::ptx_cases
