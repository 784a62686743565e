// What PTX only approximates is correctly rounded here: MPFR's results, for all halves and many floats.

#include <catch2/catch.hpp>

#include "tests/ptx_operations/numbers.hpp"
#include "tests/ptx_rounding/real.hpp"

using namespace lockstep::ptx_test;

namespace {

using Numbers = std::vector<std::uint64_t>;
using Function = std::function<int(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>;

struct Approximated {
  std::string name;
  Function f;
};
const Approximated tanh_of = {"tanh", [](auto r, auto a, auto m) { return mpfr_tanh(r, a, m); }};
const Approximated exp2_of = {"ex2", [](auto r, auto a, auto m) { return mpfr_exp2(r, a, m); }};
const Approximated rsqrt_of = {"rsqrt", [](auto r, auto a, auto m) {
                                 // MPFR takes -0 for +0; IEEE 754's rSqrt and PTX do not.
                                 return mpfr_zero_p(a) != 0 ? mpfr_ui_div(r, 1, a, m) : mpfr_rec_sqrt(r, a, m);
                               }};

std::uint64_t exact(const Approximated& what, const FloatFormat& format, std::uint64_t a) {
  const Real value(format, a);
  return rounded(format, MPFR_RNDN, [&](mpfr_ptr r, mpfr_rnd_t m) { return what.f(r, value.get(), m); });
}

/// Everything once: edges, any bits, numbers near 1, and a sweep of exponents.
std::vector<Column> operands(const FloatFormat& format) {
  Column column = float_edges(format);
  const Column random = random_floats(format, 30000);
  column.insert(column.end(), random.begin(), random.end());
  for (int k = -20000; k <= 20000; ++k) {
    float a = static_cast<float>(k) * 0.00771F;
    column.push_back(format.width == 32 ? std::bit_cast<std::uint32_t>(a) : std::bit_cast<std::uint64_t>(static_cast<double>(a)));
  }
  return {column};
}

}  // namespace

TEST_CASE("functions of floats are correctly rounded", "[ptx][approximations]") {
  const std::vector<Approximated> all = {{"sin", [](auto r, auto a, auto m) { return mpfr_sin(r, a, m); }},
                                         {"cos", [](auto r, auto a, auto m) { return mpfr_cos(r, a, m); }},
                                         {"lg2", [](auto r, auto a, auto m) { return mpfr_log2(r, a, m); }},
                                         exp2_of,
                                         rsqrt_of};
  for (const Approximated& what : all) {
    const Subject subject(what.name + ".approx.f32 %r7, %r0;");
    check(subject, operands(f32), [&](const Numbers& x) { return exact(what, f32, x[0]); });
    check(Subject(what.name + ".approx.ftz.f32 %r7, %r0;"), operands(f32),
          [&](const Numbers& x) { return flush(f32, exact(what, f32, flush(f32, x[0]))); });
    CHECK(subject.unspecified({{0, 1}}) == std::vector<bool>{true, true});
  }
  check(Subject("tanh.approx.f32 %r7, %r0;"), operands(f32), [](const Numbers& x) { return exact(tanh_of, f32, x[0]); });
}

TEST_CASE("functions of all halves", "[ptx][approximations]") {
  Column all;
  for (std::uint64_t a = 0; a < 0x10000; ++a) {
    all.push_back(a);
  }
  for (const FloatFormat& format : {f16, bf16}) {
    check(Subject("tanh.approx." + format.name + " %h7, %h0;"), {all}, [&](const Numbers& x) { return exact(tanh_of, format, x[0]); });
  }
  check(Subject("ex2.approx.f16 %h7, %h0;"), {all}, [](const Numbers& x) { return exact(exp2_of, f16, x[0]); });
  check(Subject("ex2.approx.ftz.bf16 %h7, %h0;"), {all},
        [](const Numbers& x) { return flush(bf16, exact(exp2_of, bf16, flush(bf16, x[0]))); });
  Column pairs;
  for (std::uint64_t a = 0; a < 0x10000; ++a) {
    pairs.push_back(a | (a * 0x9e37 & 0xffff) << 16);
  }
  check(Subject("tanh.approx.f16x2 %r7, %r0;"), {pairs},
        [](const Numbers& x) { return exact(tanh_of, f16, x[0] & 0xffff) | exact(tanh_of, f16, x[0] >> 16) << 16; });
}

TEST_CASE("inverse roots of doubles", "[ptx][approximations]") {
  check(Subject("rsqrt.approx.f64 %d7, %d0;"), operands(f64), [](const Numbers& x) { return exact(rsqrt_of, f64, x[0]); });
}

TEST_CASE("gross approximations have 20 bits behind the point", "[ptx][approximations]") {
  const FloatFormat upper = {"upper half of f64", 32, 21};
  const auto result = [&](const Approximated& what, std::uint64_t a) {
    const std::uint64_t operand = upper.is_nan(a >> 32) || !f64.is_nan(a) ? a >> 32 : upper.nan();  // a NaN stays one
    const std::uint64_t bits = flush(upper, exact(what, upper, flush(upper, operand)));
    return upper.is_nan(bits) ? f64.nan() : bits << 32;
  };
  const Approximated reciprocal = {"rcp", [](auto r, auto a, auto m) { return mpfr_ui_div(r, 1, a, m); }};
  check(Subject("rcp.approx.ftz.f64 %d7, %d0;"), operands(f64), [&](const Numbers& x) { return result(reciprocal, x[0]); });
  check(Subject("rsqrt.approx.ftz.f64 %d7, %d0;"), operands(f64), [&](const Numbers& x) { return result(rsqrt_of, x[0]); });
}
