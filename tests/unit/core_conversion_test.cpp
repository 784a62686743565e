// Conversions that say how they round or that saturate, from all types to all types, against the processor's directed roundings of numbers
// of 64 bits and, for integers, against comparisons of 128 bits.

#include <array>
#include <catch2/catch.hpp>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "semantics/core/translate.hpp"
#include "tests/unit/core_tree_text.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;

namespace {

__extension__ using Wide = __int128;

struct Mode {
  const char* suffix;
  int direction;
};
constexpr std::array modes = {Mode{"_rte", FE_TONEAREST}, Mode{"_rtz", FE_TOWARDZERO}, Mode{"_rtp", FE_UPWARD}, Mode{"_rtn", FE_DOWNWARD}};

/// By the x87, whose numbers have all bits of a 64-bit integer and of a double.
template <class To, class From>
To rounded(From from, int direction) {
  volatile long double wide = from;
  std::fesetround(direction);
  To result{};
  if constexpr (std::is_integral_v<To>) {
    result = static_cast<To>(std::nearbyint(static_cast<long double>(wide)));
  } else {
    volatile To narrow = static_cast<To>(wide);
    result = narrow;
  }
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class To, class From>
bool fits(From from, int direction) {
  volatile long double wide = from;
  std::fesetround(direction);
  const long double whole = std::nearbyint(static_cast<long double>(wide));
  std::fesetround(FE_TONEAREST);
  return whole >= static_cast<long double>(std::numeric_limits<To>::min()) &&
         whole <= static_cast<long double>(std::numeric_limits<To>::max());
}

/// What an integer is of a number whatever its size; 0 of none.
template <class To, class From>
To saturated(From from, int direction) {
  if (std::isnan(static_cast<long double>(from))) {
    return 0;
  }
  if (fits<To>(from, direction)) {
    return rounded<To>(from, direction);
  }
  return from < 0 ? std::numeric_limits<To>::min() : std::numeric_limits<To>::max();
}

template <class T>
std::vector<T> edges() {
  std::vector<T> all;
  if constexpr (std::is_integral_v<T>) {
    for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit) {
      for (int by = -3; by <= 3; ++by) {
        const Wide power = Wide{1} << bit;
        all.push_back(static_cast<T>(power + by));
        all.push_back(static_cast<T>(-power + by));
        all.push_back(static_cast<T>((power << 1) - (power >> 24) + by));
        all.push_back(static_cast<T>((power << 1) - (power >> 25) + by));
        all.push_back(static_cast<T>((power << 1) - (power >> 53) + by));
        all.push_back(static_cast<T>((power << 1) - (power >> 54) + by));
      }
    }
  } else {
    for (int exponent = -160; exponent <= 160; ++exponent) {
      for (const T part :
           {T(1), T(1.25), T(1.5), T(1.75), T(1.0000001), T(1.9999999), std::nextafter(T(1), T(2)), std::nextafter(T(2), T(1))}) {
        all.push_back(std::ldexp(part, exponent));
        all.push_back(-std::ldexp(part, exponent));
      }
    }
    for (int whole = -600; whole <= 600; ++whole) {
      for (const T part : {T(0), T(0.25), T(0.5), T(0.75)}) {
        all.push_back(static_cast<T>(whole) + part);
      }
    }
    using Limits = std::numeric_limits<T>;
    for (const T one : {T(0), Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::min(), Limits::denorm_min()}) {
      all.push_back(one);
      all.push_back(-one);
    }
  }
  return all;
}

template <class To, class From>
std::vector<To> results(const std::string& function, const std::string& to_name, const std::string& from_name, ScalarType to,
                        ScalarType from, const std::vector<From>& x) {
  const std::string text = "__kernel void k(__global const " + from_name + " *x, __global " + to_name +
                           " *out) {\n  size_t i = get_global_id(0);\n  out[i] = " + function + "(x[i]);\n}";
  core::Options options;
  options.wg_size = static_cast<unsigned>(x.size());
  const core_test::Reading reading = core_test::read(text, options);
  INFO(reading.errors());
  REQUIRE(reading.program);
  const auto program = std::make_shared<const typed::Program>(core::translate(*reading.program, *reading.program->kernel("k")));
  launch::Arguments arguments = launch_text::arguments({launch_text::buffer(from, x), launch_text::buffer(to, std::vector<To>(x.size()))});
  const auto outcome = launch::run(program, arguments, {});
  REQUIRE(outcome);
  if (outcome->fault) {
    FAIL(launch::render(*program, *outcome->fault));
  }
  return launch_text::numbers<To>(arguments.buffers.back());
}

template <class To, class From>
void check(const std::string& function, ScalarType to, ScalarType from, const std::vector<From>& x, const std::vector<To>& expected) {
  const std::string to_name(info(to).name);
  const std::string from_name(info(from).name);
  const std::vector<To> found = results<To>(function, to_name, from_name, to, from, x);
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_same = std::is_integral_v<To> ? found[i] == expected[i]
                                                : (std::isnan(static_cast<double>(expected[i]))
                                                       ? std::isnan(static_cast<double>(found[i]))
                                                       : found[i] == expected[i] && std::signbit(static_cast<double>(found[i])) ==
                                                                                        std::signbit(static_cast<double>(expected[i])));
    if (!is_same && wrong++ == 0) {
      first = function + "(" + from_name + " " + std::to_string(x[i]) + ") is " + std::to_string(found[i]) + ", not " +
              std::to_string(expected[i]);
    }
  }
  INFO(first);
  CHECK(wrong == 0);
}

template <class To, class From>
void check_pair(ScalarType to, ScalarType from) {
  const std::string name = "convert_" + std::string(info(to).name);
  const std::vector<From> all = edges<From>();
  const auto of = [](const std::vector<From>& x, const auto& function) {
    std::vector<To> values;
    for (const From one : x) {
      values.push_back(function(one));
    }
    return values;
  };
  if constexpr (std::is_integral_v<To>) {
    check<To, From>(name + "_sat", to, from, all, of(all, [](From x) { return saturated<To>(x, FE_TOWARDZERO); }));
  }
  for (const Mode& mode : modes) {
    const auto round = [&](From x) { return rounded<To>(x, mode.direction); };
    if constexpr (std::is_integral_v<To>) {
      check<To, From>(name + "_sat" + mode.suffix, to, from, all, of(all, [&](From x) { return saturated<To>(x, mode.direction); }));
      std::vector<From> inside;  // without saturation only numbers that fit have a result
      for (const From x : all) {
        if (fits<To>(x, mode.direction)) {
          inside.push_back(x);
        }
      }
      check<To, From>(name + mode.suffix, to, from, inside, of(inside, round));
    } else {
      check<To, From>(name + mode.suffix, to, from, all, of(all, round));
    }
  }
}

template <class To>
void check_to(ScalarType to) {
  check_pair<To, std::int8_t>(to, ScalarType::Char);
  check_pair<To, std::uint8_t>(to, ScalarType::UChar);
  check_pair<To, std::int16_t>(to, ScalarType::Short);
  check_pair<To, std::uint16_t>(to, ScalarType::UShort);
  check_pair<To, std::int32_t>(to, ScalarType::Int);
  check_pair<To, std::uint32_t>(to, ScalarType::UInt);
  check_pair<To, std::int64_t>(to, ScalarType::Long);
  check_pair<To, std::uint64_t>(to, ScalarType::ULong);
  check_pair<To, float>(to, ScalarType::Float);
  check_pair<To, double>(to, ScalarType::Double);
}

}  // namespace

TEST_CASE("conversions: to integers, rounded and saturated", "[core][conversions]") {
  check_to<std::int8_t>(ScalarType::Char);
  check_to<std::uint8_t>(ScalarType::UChar);
  check_to<std::int16_t>(ScalarType::Short);
  check_to<std::uint16_t>(ScalarType::UShort);
  check_to<std::int32_t>(ScalarType::Int);
  check_to<std::uint32_t>(ScalarType::UInt);
  check_to<std::int64_t>(ScalarType::Long);
  check_to<std::uint64_t>(ScalarType::ULong);
}

TEST_CASE("conversions: to floats, rounded", "[core][conversions]") {
  check_to<float>(ScalarType::Float);
  check_to<double>(ScalarType::Double);
}

TEST_CASE("conversions: of vectors, and mistakes", "[core][conversions]") {
  const auto kernel = [](const std::string& body) {
    return "__kernel void k(__global float4 *v, __global uchar4 *o, __global int *n) { " + body + " }";
  };
  const auto errors = [&](const std::string& body) { return core_test::read(kernel(body)).errors(); };
  CHECK(errors("o[0] = convert_uchar4_sat_rte(v[0]); o[1] = convert_uchar4_rtp(v[1]); v[2] = convert_float4_rtz(o[2]);").empty());
  CHECK(errors("v[0] = convert_float4_sat(o[0]);").find("there is no function 'convert_float4_sat'; conversions are named") !=
        std::string::npos);
  CHECK(errors("o[0] = convert_uchar4_rte_sat(v[0]);").find("there is no function 'convert_uchar4_rte_sat'") != std::string::npos);
  CHECK(errors("n[0] = convert_bool_sat(1);").find("there is no function 'convert_bool_sat'") != std::string::npos);
  CHECK(errors("o[0] = convert_uchar4_sat(v[0].xyz);").find("'convert_uchar4_sat' takes a vector of 4 components") != std::string::npos);
  CHECK(errors("n[0] = convert_int_rte(n);").find("'convert_int_rte' needs a number, but this is '__global int *'") != std::string::npos);
}
