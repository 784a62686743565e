// Numbers of 16 bits in memory: all of them as floats, and from floats and doubles all of them, their neighbours and the numbers between
// them in all directions. What is expected is looked up in the table of all values, which ldexp makes.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/unit/core_tree_text.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using namespace lockstep::launch_text;

namespace {

constexpr std::uint16_t sign_of_half = 0x8000;
constexpr std::uint16_t infinite_half = 0x7c00;

/// By the definition of the format (IEEE 754-2019, 3.4).
double value_of_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  return (bits & sign_of_half) != 0 ? -value : value;
}

/// The values that are not negative, with what comes behind the greatest one as if there were more exponents: 2^16.
const std::vector<double>& magnitudes_of_halves() {
  static const std::vector<double> all = [] {
    std::vector<double> values;
    for (std::uint16_t bits = 0; bits < infinite_half; ++bits) {
      values.push_back(value_of_half(bits));
    }
    values.push_back(65536);
    return values;
  }();
  return all;
}

enum class Towards { Nearest, Zero, Up, Down };

/// The number that x is rounded to; any NaN is 0xffff.
std::uint16_t rounded_half(double x, Towards direction) {
  if (std::isnan(x)) {
    return 0xffff;
  }
  const std::uint16_t sign = std::signbit(x) ? sign_of_half : 0;
  const double magnitude = std::fabs(x);
  const std::vector<double>& all = magnitudes_of_halves();
  const auto grows = direction == Towards::Up ? sign == 0 : direction == Towards::Down && sign != 0;
  auto above = static_cast<std::size_t>(std::ranges::lower_bound(all, magnitude) - all.begin());
  if (above == all.size()) {  // beyond 2^16
    return static_cast<std::uint16_t>(sign | (grows || direction == Towards::Nearest || std::isinf(x) ? infinite_half : infinite_half - 1));
  }
  if (all[above] != magnitude) {
    const double to_above = all[above] - magnitude;
    const double to_below = magnitude - all[above - 1];
    const bool is_nearer = to_above < to_below || (to_above == to_below && above % 2 == 0);
    above -= (direction == Towards::Nearest ? is_nearer : grows) ? 0U : 1U;
  } else if (above == infinite_half && !grows && direction != Towards::Nearest) {
    --above;
  }
  return static_cast<std::uint16_t>(sign | above);
}

/// All numbers of 16 bits, the middles between them, and what lies beside each.
template <class T>
std::vector<T> around_halves() {
  std::vector<T> all;
  const std::vector<double>& magnitudes = magnitudes_of_halves();
  const auto add = [&](T x) {
    all.push_back(x);
    all.push_back(-x);
  };
  constexpr T infinity = std::numeric_limits<T>::infinity();
  for (std::size_t k = 0; k + 1 < magnitudes.size(); ++k) {
    for (const double center : {magnitudes[k], (magnitudes[k] + magnitudes[k + 1]) / 2}) {
      const T exact = static_cast<T>(center);
      add(exact);
      add(std::nextafter(exact, infinity));
      add(std::nextafter(exact, -infinity));
    }
  }
  using Limits = std::numeric_limits<T>;
  for (const T x : {T(65536), std::nextafter(T(65536), T(0)), T(1e6), Limits::max(), infinity, Limits::quiet_NaN(), Limits::min(),
                    Limits::denorm_min(), std::ldexp(T(1), -25), std::ldexp(T(1), -26), std::ldexp(T(3), -27), std::ldexp(T(1), -40)}) {
    add(x);
  }
  return all;
}

template <class T>
void check_rounding(ScalarType type) {
  const std::vector<T> x = around_halves<T>();
  const std::string text = "kernel void k(global const " + std::string(info(type).name) +
                           " *x, global half *e, global half *z, global half *p, global half *n, global half *d, int count) {\n"
                           "  int i = get_global_id(0);\n"
                           "  if (i < count) { vstore_half_rte(x[i], i, e); vstore_half_rtz(x[i], i, z); vstore_half_rtp(x[i], i, p);\n"
                           "    vstore_half_rtn(x[i], i, n); vstore_half(x[i], i, d); }\n}";
  const auto kernel = program(text, 1024);
  std::vector<launch::Buffer> buffers = {buffer(type, x)};
  for (int k = 0; k < 5; ++k) {
    buffers.push_back(buffer(ScalarType::UShort, std::vector<std::uint16_t>(x.size())));
  }
  launch::Arguments arguments = launch_text::arguments(std::move(buffers), {x.size()});
  launch::LaunchOptions options;
  options.groups = (x.size() + 1023) / 1024;
  const launch::Outcome outcome = launch_text::run(kernel, arguments, options);
  REQUIRE(!outcome.fault);
  constexpr std::array directions = {Towards::Nearest, Towards::Zero, Towards::Up, Towards::Down, Towards::Nearest};
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const auto found = numbers<std::uint16_t>(arguments.buffers[k + 1]);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::uint16_t expected = rounded_half(static_cast<double>(x[i]), directions[k]);
      const bool is_same = expected == 0xffff ? (found[i] & 0x7fff) > infinite_half : found[i] == expected;
      if (!is_same && wrong++ == 0) {
        UNSCOPED_INFO("direction " << k << ": " << x[i] << " is " << found[i] << ", not " << expected);
      }
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("half: every number as a float", "[core][half]") {
  std::vector<std::uint16_t> x(65536);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<std::uint16_t>(i);
  }
  const auto kernel =
      program("kernel void k(global const half *x, global float *y) { y[get_global_id(0)] = vload_half(get_global_id(0), x); }", 1024);
  launch::Arguments arguments =
      launch_text::arguments({buffer(ScalarType::UShort, x), buffer(ScalarType::Float, std::vector<float>(x.size()))});
  launch::LaunchOptions options;
  options.groups = 64;
  const launch::Outcome outcome = launch_text::run(kernel, arguments, options);
  REQUIRE(!outcome.fault);
  const auto y = numbers<float>(arguments.buffers[1]);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = value_of_half(x[i]);
    const bool is_same =
        std::isnan(expected) ? std::isnan(y[i]) : static_cast<double>(y[i]) == expected && std::signbit(y[i]) == std::signbit(expected);
    wrong += is_same ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("half: floats are rounded", "[core][half]") { check_rounding<float>(ScalarType::Float); }
TEST_CASE("half: doubles are rounded", "[core][half]") { check_rounding<double>(ScalarType::Double); }

TEST_CASE("half: vectors lie as OpenCL has them", "[core][half]") {
  // 1, 2, 3 … as numbers of 16 bits, from vectors of three: packed, and aligned in four places.
  const auto kernel = program(
      "kernel void k(global const half *x, global half *packed, global half *aligned, global float *sums) {\n"
      "  float3 v = vload_half3(1, x), a = vloada_half3(1, x);\n"
      "  vstore_half3(v, 1, packed);\n"
      "  vstorea_half3_rtz((double3)(1, 2, 3) + 0.0001, 1, aligned);\n"
      "  sums[0] = v.x + v.y + v.z; sums[1] = a.x + a.y + a.z; sums[2] = vload_half16(0, x).sf; sums[3] = sizeof(half);\n"
      "  local half t[2]; t[1] = x[2]; sums[4] = vload_half(1, t);\n"
      "}",
      1);
  std::vector<std::uint16_t> x;
  for (int k = 1; k <= 16; ++k) {
    x.push_back(rounded_half(k, Towards::Nearest));
  }
  const std::vector<std::uint16_t> zeros(8);
  launch::Arguments arguments =
      launch_text::arguments({buffer(ScalarType::UShort, x), buffer(ScalarType::UShort, zeros), buffer(ScalarType::UShort, zeros),
                              buffer(ScalarType::Float, std::vector<float>(5))});
  REQUIRE(!launch_text::run(kernel, arguments, {}).fault);
  CHECK(numbers<std::uint16_t>(arguments.buffers[1]) == std::vector<std::uint16_t>{0, 0, 0, x[3], x[4], x[5], 0, 0});
  CHECK(numbers<std::uint16_t>(arguments.buffers[2]) == std::vector<std::uint16_t>{0, 0, 0, 0, x[0], x[1], x[2], 0});
  CHECK(numbers<float>(arguments.buffers[3]) == std::vector<float>{4 + 5 + 6, 5 + 6 + 7, 16, 2, 3});
}

TEST_CASE("half: what is refused", "[core][half]") {
  const auto refused = [](const std::string& statement) {
    const core_test::Reading reading =
        core_test::read("kernel void k(global half *x, global const half *c, global float *y, float2 v) {\n" + statement + "\n}", {});
    return reading.program ? "fine" : reading.errors();
  };
  const std::string help = "note: half is a type of memory alone (there is no cl_khr_fp16): vload_half(i, p) makes a float of p[i]";
  for (const std::string statement :
       {"y[0] = x[0] * 2.0f;", "x[0] = 1.0f;", "y[0] = x[0];", "half h = 1;", "y[0] = -x[0];", "x[0] += 1;"}) {
    INFO(statement);
    CHECK(refused(statement).contains(help));
  }
  CHECK(refused("vload_half(0, y);").contains("'vload_half' needs a pointer to half, but this is '__global float *'"));
  CHECK(refused("vstore_half(1.0f, 0, c);").contains("'vstore_half' cannot store to what 'const __global half *' points to"));
  CHECK(refused("vstore_half4(v, 0, x);").contains("'vstore_half4' takes floats or doubles, 4, an offset and a pointer to half"));
  CHECK(refused("vload_half(x);").contains("'vload_half' takes an offset and a pointer to half"));
  CHECK(refused("vload_half5(0, x);").contains("there is no function 'vload_half5'; there are vload2"));
  CHECK(refused("x[0] = c[1];") == "fine");
}
