// Arithmetic of floats, doubles and halves in every rounding against MPFR, bit for bit.

#include <catch2/catch.hpp>

#include "tests/ptx_operations/numbers.hpp"
#include "tests/ptx_rounding/real.hpp"

using namespace lockstep::ptx_test;

namespace {

using Numbers = std::vector<std::uint64_t>;
/// The result of three operands, of which only some count.
using Operation = std::function<int(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)>;

struct Arithmetic {
  std::string mnemonic;
  std::size_t operands;
  Operation f;
};
const Arithmetic add = {"add", 2, [](auto r, auto a, auto b, auto, auto mode) { return mpfr_add(r, a, b, mode); }};
const Arithmetic sub = {"sub", 2, [](auto r, auto a, auto b, auto, auto mode) { return mpfr_sub(r, a, b, mode); }};
const Arithmetic mul = {"mul", 2, [](auto r, auto a, auto b, auto, auto mode) { return mpfr_mul(r, a, b, mode); }};
const Arithmetic fma_of = {"fma", 3, [](auto r, auto a, auto b, auto c, auto mode) { return mpfr_fma(r, a, b, c, mode); }};
const Arithmetic quotient = {"div", 2, [](auto r, auto a, auto b, auto, auto mode) { return mpfr_div(r, a, b, mode); }};
const Arithmetic reciprocal = {"rcp", 1, [](auto r, auto a, auto, auto, auto mode) { return mpfr_ui_div(r, 1, a, mode); }};
const Arithmetic square_root = {"sqrt", 1, [](auto r, auto a, auto, auto, auto mode) { return mpfr_sqrt(r, a, mode); }};

std::string reg(const FloatFormat& format) { return format.width == 16 ? "%h" : format.width == 32 ? "%r" : "%d"; }
std::string instruction(const std::string& mnemonic, const FloatFormat& format, std::size_t operands) {
  std::string text = mnemonic + "." + format.name + " " + reg(format) + "7";
  for (std::size_t i = 0; i < operands; ++i) {
    text += ", " + reg(format) + std::to_string(i);
  }
  return text + ";";
}

std::uint64_t exact(const Arithmetic& what, const FloatFormat& format, mpfr_rnd_t mode, const Numbers& x) {
  const Real a(format, x[0]);
  const Real b(format, x[x.size() > 1 ? 1 : 0]);
  const Real c(format, x[x.size() > 2 ? 2 : 0]);
  return rounded(format, mode, [&](mpfr_ptr r, mpfr_rnd_t m) { return what.f(r, a.get(), b.get(), c.get(), m); });
}

void check_arithmetic(const Arithmetic& what, const FloatFormat& format, const RoundingMode& rounding, bool ftz, bool sat,
                      std::size_t random_lanes) {
  const Subject subject(
      instruction(what.mnemonic + "." + rounding.name + (ftz ? ".ftz" : "") + (sat ? ".sat" : ""), format, what.operands));
  check(subject, float_operands(format, what.operands, random_lanes), [&](const Numbers& operands) {
    Numbers x = operands;
    if (ftz) {
      for (std::uint64_t& a : x) {
        a = flush(format, a);
      }
    }
    std::uint64_t result = exact(what, format, rounding.mode, x);
    result = ftz ? flush(format, result) : result;
    return sat ? saturate(format, result) : result;
  });
}

}  // namespace

TEST_CASE("float arithmetic of PTX in four roundings", "[ptx][rounding]") {
  for (const Arithmetic& what : {add, sub, mul, fma_of, quotient, reciprocal, square_root}) {
    for (const RoundingMode& rounding : roundings) {
      check_arithmetic(what, f32, rounding, false, false, 20000);
      check_arithmetic(what, f32, rounding, true, false, 4000);
      check_arithmetic(what, f64, rounding, false, false, 20000);
    }
  }
  for (const Arithmetic& what : {add, sub, mul, fma_of}) {
    for (const RoundingMode& rounding : roundings) {
      check_arithmetic(what, f32, rounding, false, true, 4000);
      check_arithmetic(what, f32, rounding, true, true, 4000);
    }
  }
}

TEST_CASE("without a rounding PTX rounds to nearest, and may contract", "[ptx][rounding]") {
  for (const Arithmetic& what : {add, sub, mul}) {
    for (const FloatFormat& format : {f32, f64}) {
      const Subject subject(instruction(what.mnemonic, format, 2));
      check(subject, float_operands(format, 2, 4000), [&](const Numbers& x) { return exact(what, format, MPFR_RNDN, x); });
      CHECK(subject.unspecified({{0}, {0}}) == std::vector<bool>{true});
      CHECK(Subject(instruction(what.mnemonic + ".rn", format, 2)).unspecified({{0}, {0}}) == std::vector<bool>{false});
    }
  }
}

TEST_CASE("approximate quotients and roots are correctly rounded, and marked", "[ptx][rounding]") {
  const auto check_approximation = [](const std::string& name, const Arithmetic& what) {
    const Subject subject(instruction(name, f32, what.operands));
    check(subject, float_operands(f32, what.operands, 20000), [&](const Numbers& x) { return exact(what, f32, MPFR_RNDN, x); });
    CHECK(subject.unspecified({{0}, {0}}) == std::vector<bool>{true});
  };
  check_approximation("div.approx", quotient);
  check_approximation("div.full", quotient);
  check_approximation("rcp.approx", reciprocal);
  check_approximation("sqrt.approx", square_root);
}

TEST_CASE("arithmetic of halves", "[ptx][rounding]") {
  for (const FloatFormat& format : {f16, bf16}) {
    for (const Arithmetic& what : {add, sub, mul, fma_of}) {
      check_arithmetic(what, format, roundings[0], false, false, 60000);
    }
    check_arithmetic(fma_of, format, roundings[0], false, false, 200000);
    const Subject relu(instruction("fma.rn.relu", format, 3));
    check(relu, float_operands(format, 3, 20000), [&](const Numbers& x) {
      const std::uint64_t result = exact(fma_of, format, MPFR_RNDN, x);
      return !format.is_nan(result) && (result & format.sign()) != 0 ? 0 : result;
    });
  }
  for (const Arithmetic& what : {add, sub, mul, fma_of}) {
    check_arithmetic(what, f16, roundings[0], true, false, 20000);
    check_arithmetic(what, f16, roundings[0], false, true, 20000);
    check_arithmetic(what, f16, roundings[0], true, true, 20000);
  }
}

TEST_CASE("halves in pairs are halves", "[ptx][rounding]") {
  for (const FloatFormat& format : {f16, bf16}) {
    for (const Arithmetic& what : {add, sub, mul, fma_of}) {
      std::string text = what.mnemonic + ".rn." + format.name + "x2 %r7";
      std::vector<Column> operands;
      for (std::size_t i = 0; i < what.operands; ++i) {
        text += ", %r" + std::to_string(i);
        Column words = random_floats(format, 20000);
        for (const std::uint64_t upper : random_floats(format, 20000)) {
          const std::size_t t = operands.size() + static_cast<std::size_t>(upper);
          words[t % words.size()] = (words[t % words.size()] & 0xffff) | upper << 16;
        }
        operands.push_back(words);
      }
      check(Subject(text + ";"), operands, [&](const Numbers& x) {
        Numbers low;
        Numbers high;
        for (const std::uint64_t a : x) {
          low.push_back(a & 0xffff);
          high.push_back(a >> 16);
        }
        return exact(what, format, MPFR_RNDN, low) | exact(what, format, MPFR_RNDN, high) << 16;
      });
    }
  }
}

namespace {

/// min and max by the pseudo code of the ISA (9.7.3.11, 9.7.4.7), on bits: as integers, magnitudes have the order of the numbers.
struct Extreme {
  bool maximum;
  bool ftz;
  bool nan;
  bool abs;
  bool xorsign;

  std::string name() const {
    return std::string(maximum ? "max" : "min") + (ftz ? ".ftz" : "") + (nan ? ".NaN" : "") + (xorsign ? ".xorsign" : "") +
           (abs ? ".abs" : "");
  }
  std::uint64_t operator()(const FloatFormat& format, std::uint64_t first, std::uint64_t second) const {
    std::uint64_t a = ftz ? flush(format, first) : first;
    std::uint64_t b = ftz ? flush(format, second) : second;
    const std::uint64_t sign = (a ^ b) & format.sign();
    if (abs) {
      a &= format.nan();
      b &= format.nan();
    }
    const auto order = [&](std::uint64_t x) {  // -0 just below +0
      const auto size = static_cast<std::int64_t>(x & format.nan());
      return (x & format.sign()) != 0 ? -size - 1 : size;
    };
    std::uint64_t d = (order(a) < order(b)) != maximum ? a : b;
    if (format.is_nan(a) && format.is_nan(b)) {
      return format.nan();
    }
    if (format.is_nan(a) || format.is_nan(b)) {
      if (nan) {
        return format.nan();
      }
      d = format.is_nan(a) ? b : a;
    }
    return xorsign ? (d & format.nan()) | sign : d;
  }
};

}  // namespace

TEST_CASE("min and max", "[ptx][rounding]") {
  for (const FloatFormat& format : {f32, f64, f16, bf16}) {
    for (unsigned flags = 0; flags < 16; ++flags) {
      const bool modified = (flags & 8) != 0;
      const Extreme extreme = {(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, modified, modified};
      const bool exists = format.width == 64 ? flags < 2 : format.name == "bf16" ? !extreme.ftz : true;
      if (exists) {
        check(Subject(instruction(extreme.name(), format, 2)), float_operands(format, 2, 20000),
              [&](const Numbers& x) { return extreme(format, x[0], x[1]); });
      }
    }
  }
  for (unsigned flags = 0; flags < 16; ++flags) {
    const Extreme extreme = {(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, (flags & 8) != 0, false};
    check(Subject(instruction(extreme.name(), f32, 3)), float_operands(f32, 3, 20000),
          [&](const Numbers& x) { return extreme(f32, extreme(f32, x[0], x[1]), x[2]); });
  }
  const Extreme maximum = {true, false, false, false, false};
  const Extreme minimum = {false, false, true, true, true};
  const std::vector<Column> pairs = {random_integers(32, 20000), random_integers(32, 20000)};
  const auto by_halves = [](const FloatFormat& format, const Extreme& extreme, const Numbers& x) {
    return extreme(format, x[0] & 0xffff, x[1] & 0xffff) | extreme(format, x[0] >> 16, x[1] >> 16) << 16;
  };
  check(Subject("max.f16x2 %r7, %r0, %r1;"), pairs, [&](const Numbers& x) { return by_halves(f16, maximum, x); });
  check(Subject("min.NaN.xorsign.abs.bf16x2 %r7, %r0, %r1;"), pairs, [&](const Numbers& x) { return by_halves(bf16, minimum, x); });
}

TEST_CASE("signs of floats", "[ptx][rounding]") {
  for (const FloatFormat& format : {f32, f64, f16, bf16}) {
    const std::vector<Column> operands = float_operands(format, 1, 10000);
    const Subject abs(instruction("abs", format, 1));
    const Subject neg(instruction("neg", format, 1));
    check(abs, operands, [&](const Numbers& x) { return x[0] & format.nan(); });
    check(neg, operands, [&](const Numbers& x) { return x[0] ^ format.sign(); });
    for (const Subject& subject : {abs, neg}) {
      const std::vector<bool> open = subject.unspecified(operands);
      for (std::size_t t = 0; t < open.size(); ++t) {
        REQUIRE(open[t] == format.is_nan(operands[0][t]));
      }
    }
    if (format.width == 32 || format.name == "f16") {
      check(Subject(instruction("abs.ftz", format, 1)), operands, [&](const Numbers& x) { return flush(format, x[0]) & format.nan(); });
      check(Subject(instruction("neg.ftz", format, 1)), operands, [&](const Numbers& x) { return flush(format, x[0]) ^ format.sign(); });
    }
  }
  for (const FloatFormat& format : {f32, f64}) {
    check(Subject(instruction("copysign", format, 2)), float_operands(format, 2, 1000),
          [&](const Numbers& x) { return (x[0] & format.sign()) | (x[1] & format.nan()); });
  }
  const Subject pair("abs.f16x2 %r7, %r0;");
  check(pair, {random_integers(32, 5000)}, [](const Numbers& x) { return x[0] & 0x7fff7fff; });
  CHECK(pair.unspecified({{0x3c003c00, 0x7fff3c00, 0x3c00fc01, 0x7c00fc00}}) == std::vector<bool>{false, true, true, false});
}

TEST_CASE("testp tells kinds of numbers apart", "[ptx][rounding]") {
  for (const FloatFormat& format : {f32, f64}) {
    const std::vector<std::pair<std::string, std::function<bool(const Real&, bool)>>> properties = {
        {"finite", [](const Real& a, bool) { return mpfr_number_p(a.get()) != 0; }},
        {"infinite", [](const Real& a, bool) { return mpfr_inf_p(a.get()) != 0; }},
        {"number", [](const Real& a, bool) { return mpfr_nan_p(a.get()) == 0; }},
        {"notanumber", [](const Real& a, bool) { return mpfr_nan_p(a.get()) != 0; }},
        {"normal", [](const Real& a, bool small) { return mpfr_number_p(a.get()) != 0 && (!small || mpfr_zero_p(a.get()) != 0); }},
        {"subnormal", [](const Real& a, bool small) { return mpfr_number_p(a.get()) != 0 && small && mpfr_zero_p(a.get()) == 0; }}};
    for (const auto& [name, holds] : properties) {
      check(Subject("testp." + name + "." + format.name + " %p7, " + reg(format) + "0;"), float_operands(format, 1, 5000),
            [&](const Numbers& x) { return std::uint64_t{holds(Real(format, x[0]), format.is_subnormal(x[0]))}; });
    }
  }
}
