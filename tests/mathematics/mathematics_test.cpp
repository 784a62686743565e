// The mathematical functions of the library on the interpreter, against MPFR: all pairs of edges, and random arguments. How far they may be
// away stands in docs/mathematics.md. LOCKSTEP_FULL=1 asks for a million random arguments of each function and type, and says what was the
// most.

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "semantics/core/translate.hpp"
#include "tests/campaign/run.hpp"
#include "tests/mathematics/functions.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using namespace lockstep::mathematics_test;

namespace {

constexpr unsigned items = 4096;

template <class T>
constexpr ScalarType scalar = std::is_same_v<T, float> ? ScalarType::Float : ScalarType::Double;

template <class T>
const std::string type_name = std::is_same_v<T, float> ? "float" : "double";

template <class T>
struct Arguments {
  std::vector<T> x;
  std::vector<T> y;
  std::vector<std::int32_t> n;
};

/// The function's results, as the interpreter has them.
template <class T>
std::vector<T> results(const std::string& call, const Arguments<T>& in) {
  const std::string type = type_name<T>;
  const auto program =
      launch_text::program("#define T " + type + "\n__kernel void k(__global const " + type + " *xs, __global const " + type +
                               " *ys, __global const int *ns, __global " + type + " *out) {\n  size_t i = get_local_id(0);\n  " + type +
                               " x = xs[i], y = ys[i], p;\n  int n = ns[i];\n  out[i] = " + call + ";\n}",
                           items);
  std::vector<T> out;
  for (std::size_t begin = 0; begin < in.x.size(); begin += items) {
    const auto piece = [&](const auto& all) {
      auto part = std::remove_cvref_t<decltype(all)>(items);
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(begin), std::min<std::size_t>(items, all.size() - begin), part.begin());
      return part;
    };
    launch::Arguments arguments =
        launch_text::arguments({launch_text::buffer(scalar<T>, piece(in.x)), launch_text::buffer(scalar<T>, piece(in.y)),
                                launch_text::buffer(ScalarType::Int, piece(in.n)), launch_text::buffer(scalar<T>, std::vector<T>(items))});
    const launch::Outcome outcome = launch_text::run(program, arguments, {});
    if (outcome.fault) {
      FAIL(launch::render(*program, *outcome.fault));
    }
    const auto part = launch_text::numbers<T>(arguments.buffers.back());
    out.insert(out.end(), part.begin(), part.end());
  }
  out.resize(in.x.size());
  return out;
}

/// Numbers at the ends of the format and of what functions distinguish.
template <class T>
std::vector<T> edges() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> all = {0,
                        Limits::infinity(),
                        Limits::quiet_NaN(),
                        Limits::min(),
                        Limits::max(),
                        Limits::max() / 129,
                        Limits::max() / 255,
                        Limits::max() / 256};
  for (const int steps : {1, 2, 3, 4, 5, 7}) {
    all.push_back(Limits::denorm_min() * static_cast<T>(steps));
  }
  for (const double number : {1.0,
                              2.0,
                              3.0,
                              4.0,
                              0.5,
                              1.5,
                              2.5,
                              0.75,
                              0.25,
                              1.0 / 3,
                              10.0,
                              100.0,
                              709.78,
                              745.13,
                              88.72,
                              103.97,
                              1024.0,
                              149.0,
                              1e30,
                              3.14159265358979,
                              1.5707963267949,
                              0.7853981633974483,
                              0.6931471805599453,
                              0.41421356237309503,
                              2.414213562373095,
                              0.7071067811865476,
                              8388607.0,
                              8388608.5,
                              16777215.0,
                              16777216.0,
                              33554432.0,
                              65536.0,
                              4503599627370495.5,
                              9007199254740991.0,
                              9007199254740993.0,
                              1e-5,
                              1e-10,
                              1e-30}) {
    const T at = static_cast<T>(number);
    all.insert(all.end(), {at, std::nextafter(at, T{0}), std::nextafter(at, Limits::max())});
  }
  const std::size_t positive = all.size();
  for (std::size_t i = 0; i < positive; ++i) {
    all.push_back(-all[i]);
  }
  return all;
}

constexpr auto integers = {
    0, 1, -1, 2, -2, 3, -3, 5, 8, -10, 24, 101, -149, 1023, -1074, 4097, 16777217, -16777219, 2147483647, -2147483647, -2147483647 - 1};

template <class T>
Arguments<T> arguments_of(const Function& function, std::size_t random) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Arguments<T> in;
  const auto add = [&](T x, T y, std::int32_t n) {
    in.x.push_back(x);
    in.y.push_back(y);
    in.n.push_back(n);
  };
  const std::vector<T> all = edges<T>();
  for (const T x : all) {
    if (std::holds_alternative<OfOne>(function.exact)) {
      add(x, T{0}, 0);
    } else if (std::holds_alternative<OfTwo>(function.exact)) {
      for (const T y : all) {
        add(x, y, 0);
      }
    } else {
      for (const std::int32_t n : integers) {
        add(x, T{0}, n);
      }
    }
  }
  std::mt19937_64 random_bits(test::run_seed());
  std::uniform_real_distribution<double> near(function.low, function.high);
  std::uniform_int_distribution<int> small(-40, 40);
  const auto any = [&] { return std::bit_cast<T>(static_cast<Bits>(random_bits())); };
  for (std::size_t k = 0; k < random; ++k) {
    // Half of them where most happens, a quarter close to 1, the others of all sizes.
    const T x = k % 2 == 0 ? static_cast<T>(near(random_bits)) : k % 4 == 1 ? static_cast<T>(1 + std::ldexp(near(random_bits), -8)) : any();
    const T y = k % 3 != 0 ? static_cast<T>(near(random_bits)) : any();
    add(x, y, k % 3 != 0 ? small(random_bits) : static_cast<std::int32_t>(random_bits()));
  }
  return in;
}

/// What MPFR says of one argument.
template <class T>
void exactly(const Function& function, const Arguments<T>& in, std::size_t i, mpfr_ptr result) {
  Real x(static_cast<double>(in.x[i]));
  Real y(static_cast<double>(in.y[i]));
  if (const auto* of_one = std::get_if<OfOne>(&function.exact)) {
    (*of_one)(result, x.get());
  } else if (const auto* of_two = std::get_if<OfTwo>(&function.exact)) {
    (*of_two)(result, x.get(), y.get());
  } else {
    std::get<OfInteger>(function.exact)(result, x.get(), in.n[i]);
  }
}

/// The largest distance; above the bound it fails.
template <class T>
double check(const Function& function, std::size_t random, double bound) {
  using Limits = std::numeric_limits<T>;
  const Arguments<T> in = arguments_of<T>(function, random);
  const std::vector<T> got = results<T>(function.call, in);
  const Format format = {.digits = Limits::digits,
                         .least = function.unit_of_one ? 1 : Limits::min_exponent,
                         .most = Limits::max_exponent,
                         .signs_count = !function.unit_of_one};
  double most = 0;
  std::size_t worst = 0;
  Real exact;
  for (std::size_t i = 0; i < got.size(); ++i) {
    exactly(function, in, i, exact.get());
    const double away = distance(static_cast<double>(got[i]), exact.get(), format);
    if (away > most) {
      most = away;
      worst = i;
    }
  }
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "%s %s of x = %a, y = %a, n = %d is %a", type_name<T>.c_str(), function.call.c_str(),
                static_cast<double>(in.x[worst]), static_cast<double>(in.y[worst]), in.n[worst], static_cast<double>(got[worst]));
  INFO(text.data());
  CHECK(most <= bound);
  return most;
}

struct Bounds {
  double of_float = 0;
  double of_double = 0;
  double allowed = 0;  ///< by OpenCL
};

/// The rows "| `exp(x)` | 0.6 | 0.6 | 3 |" of the page; OpenCL says nothing of some functions.
std::map<std::string, Bounds> promised() {
  std::map<std::string, Bounds> rows;
  std::ifstream page(LOCKSTEP_SOURCE_DIR "/docs/mathematics.md");
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) {
      const std::size_t end = line.find('`', 3);
      std::istringstream numbers(line.substr(end + 1));
      Bounds bounds;
      std::string bar;
      numbers >> bar >> bounds.of_float >> bar >> bounds.of_double >> bar;
      if (!(numbers >> bounds.allowed)) {
        bounds.allowed = std::numeric_limits<double>::infinity();
      }
      rows[line.substr(3, end - 3)] = bounds;
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("mathematics: within the bounds that are promised") {
  const std::map<std::string, Bounds> rows = promised();
  std::size_t used = 0;
  for (const Function& function : functions()) {
    Bounds bounds{.of_float = function.bound.value_or(0), .of_double = function.bound.value_or(0), .allowed = 1};
    if (!function.bound) {
      INFO(function.call);
      REQUIRE(rows.contains(function.call));
      bounds = rows.at(function.call);
      ++used;
    }
    CHECK(std::max(bounds.of_float, bounds.of_double) <= bounds.allowed);
    const std::size_t random = (test::full_run() ? 1'000'000U : 4'000U) / (function.is_slow ? 10 : 1);
    const double of_float = check<float>(function, random, bounds.of_float);
    const double of_double = check<double>(function, random, bounds.of_double);
    if (test::full_run()) {
      std::printf("%-24s %.3f %.3f\n", function.call.c_str(), of_float, of_double);
      std::fflush(stdout);
    }
  }
  CHECK(used == rows.size());
}

TEST_CASE("mathematics: sincos has the bits of sin and cos") {
  const auto check = [](auto zero) {
    using T = decltype(zero);
    const Arguments<T> in = arguments_of<T>({.call = "", .exact = OfOne(), .low = -1000, .high = 1000}, 4'000);
    const auto bits = [&](const std::string& call) {
      const std::vector<T> numbers = results<T>(call, in);
      std::vector<std::uint64_t> all;
      std::ranges::transform(numbers, std::back_inserter(all), [](T x) { return std::bit_cast<std::uint64_t>(static_cast<double>(x)); });
      return all;
    };
    CHECK(bits("sincos(x, &p)") == bits("sin(x)"));
    CHECK(bits("(sincos(x, &p), p)") == bits("cos(x)"));
  };
  check(float{});
  check(double{});
}

TEST_CASE("mathematics: NaNs that are given") {
  const auto program = launch_text::program(
      "__kernel void k(__global uint *u, __global ulong *v) { u[0] = as_uint(nan(5u)); u[1] = as_uint(nan(0xffffffffu)); v[0] = "
      "as_ulong(nan((ulong)7)); }",
      1);
  launch::Arguments arguments = launch_text::arguments({launch_text::buffer(ScalarType::UInt, std::vector<std::uint32_t>(2)),
                                                        launch_text::buffer(ScalarType::ULong, std::vector<std::uint64_t>(1))});
  REQUIRE(!launch_text::run(program, arguments, {}).fault);
  CHECK(launch_text::numbers<std::uint32_t>(arguments.buffers[0]) == std::vector<std::uint32_t>{0x7fc00005, 0xffffffff});
  CHECK(launch_text::numbers<std::uint64_t>(arguments.buffers[1]) == std::vector<std::uint64_t>{0x7ff8000000000007});
}

TEST_CASE("mathematics: distances") {
  // A test that finds nothing must be able to: one unit away, another sign, no number, beyond the largest number.
  const auto away = [](double got, double exact) { return distance(got, Real(exact).get(), {.digits = 53, .least = -1021, .most = 1024}); };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(away(1.5, 1.5) == 0);
  CHECK(away(std::nextafter(1.5, 2.0), 1.5) == 1);
  CHECK(away(std::nextafter(1.0, 0.0), 1.0) == 0.5);
  CHECK(away(0x1p-1073, 0x1p-1074) == 1);
  CHECK(away(infinity, std::numeric_limits<double>::max()) == 1);
  CHECK(away(0.0, 0x1p-1074) == 1);
  CHECK(away(0.0, -0.0) == infinity);
  CHECK(away(1.0, infinity) == infinity);
  CHECK(away(-1.0, 1.0) == infinity);
  CHECK(away(std::numeric_limits<double>::quiet_NaN(), 1.0) == infinity);
  CHECK(away(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()) == 0);
}
