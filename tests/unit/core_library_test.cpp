// The functions that are written in the language itself (library.def), on all pairs of 8 bits and on edges of the wider types, against
// C++'s library and integers of 128 bits.

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "semantics/core/translate.hpp"
#include "tests/unit/core_tree_text.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;

namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

/// What a kernel `out[i] = EXPRESSION` of x, y and z of a type stores, as bits of R.
template <class T, class R>
std::vector<R> results(const std::string& expression, const std::string& type, const std::string& result, ScalarType scalar,
                       ScalarType result_scalar, const std::vector<T>& x, const std::vector<T>& y, const std::vector<T>& z) {
  const std::string text = "__kernel void k(__global const " + type + " *xs, __global const " + type + " *ys, __global const " + type +
                           " *zs, __global " + result + " *out) {\n  size_t i = get_global_id(0);\n  " + type +
                           " x = xs[i], y = ys[i], z = zs[i];\n  out[i] = " + expression + ";\n}";
  core::Options options;
  options.wg_size = static_cast<unsigned>(x.size());
  const core_test::Reading reading = core_test::read(text, options);
  INFO(reading.errors());
  REQUIRE(reading.program);
  const auto program = std::make_shared<const typed::Program>(core::translate(*reading.program, *reading.program->kernel("k")));
  launch::Arguments arguments =
      launch_text::arguments({launch_text::buffer(scalar, x), launch_text::buffer(scalar, y), launch_text::buffer(scalar, z),
                              launch_text::buffer(result_scalar, std::vector<R>(x.size()))});
  const auto outcome = launch::run(program, arguments, {});
  REQUIRE(outcome);
  if (outcome->fault) {
    FAIL(launch::render(*program, *outcome->fault));
  }
  return launch_text::numbers<R>(arguments.buffers.back());
}

template <class T>
struct Inputs {
  std::vector<T> x;
  std::vector<T> y;
  std::vector<T> z;
};

/// All pairs of 8 bits, each with a third number; of wider types all pairs and triples of edges.
template <class T>
Inputs<T> integers() {
  Inputs<T> in;
  if constexpr (sizeof(T) == 1) {
    for (unsigned a = 0; a < 256; ++a) {
      for (unsigned b = 0; b < 256; ++b) {
        in.x.push_back(static_cast<T>(a));
        in.y.push_back(static_cast<T>(b));
        in.z.push_back(static_cast<T>(a * 37 + b * 101 + 11));
      }
    }
  } else {
    std::vector<T> edges;
    for (unsigned bit = 0; bit < 8 * sizeof(T); bit += sizeof(T) == 2 ? 1 : 5) {
      edges.push_back(static_cast<T>(std::uint64_t{1} << bit));
      edges.push_back(static_cast<T>((std::uint64_t{1} << bit) - 1));
      edges.push_back(static_cast<T>(~(std::uint64_t{1} << bit)));
    }
    edges.insert(edges.end(), {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), static_cast<T>(0x123456789abcdef1)});
    for (std::size_t a = 0; a < edges.size(); ++a) {
      for (std::size_t b = 0; b < edges.size(); ++b) {
        for (std::size_t c = 0; c < 4; ++c) {
          in.x.push_back(edges[a]);
          in.y.push_back(edges[b]);
          in.z.push_back(edges[(a * 7 + b * 3 + c * 11) % edges.size()]);
        }
      }
    }
  }
  return in;
}

template <class T>
Wide saturated(Wide value) {
  const Wide low = std::numeric_limits<T>::min();
  const Wide high = std::numeric_limits<T>::max();
  return value < low ? low : value > high ? high : value;
}

/// The quotient by a power of two, rounded down.
Wide shifted(Wide value, unsigned bits) { return value >> bits; }

template <class T, class F>
void check_integers(const std::string& expression, const std::string& type, ScalarType scalar, F&& wanted) {
  const Inputs<T> in = integers<T>();
  const auto got = results<T, T>(expression, type, type, scalar, scalar, in.x, in.y, in.z);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    const auto expected = static_cast<T>(wanted(Wide{in.x[i]}, Wide{in.y[i]}, Wide{in.z[i]}));
    if (got[i] != expected && wrong++ == 0) {
      FAIL_CHECK(type << ' ' << expression << " of " << +in.x[i] << ", " << +in.y[i] << ", " << +in.z[i] << " is " << +got[i] << " and not "
                      << +expected);
    }
  }
  CHECK(wrong == 0);
}

template <class T>
void check_type(const std::string& type, ScalarType scalar) {
  constexpr unsigned bits = 8 * sizeof(T);
  const Wide mask = (Wide{1} << bits) - 1;
  const auto check = [&](const std::string& expression, auto&& wanted) { check_integers<T>(expression, type, scalar, wanted); };
  check("abs_diff(x, y)", [](Wide x, Wide y, Wide) { return x > y ? x - y : y - x; });
  check("hadd(x, y)", [](Wide x, Wide y, Wide) { return shifted(x + y, 1); });
  check("rhadd(x, y)", [](Wide x, Wide y, Wide) { return shifted(x + y + 1, 1); });
  check("add_sat(x, y)", [](Wide x, Wide y, Wide) { return saturated<T>(x + y); });
  check("sub_sat(x, y)", [](Wide x, Wide y, Wide) { return saturated<T>(x - y); });
  const auto mul_hi = [](Wide x, Wide y) {
    return std::is_signed_v<T> ? shifted(x * y, bits)
                               : static_cast<Wide>(static_cast<UnsignedWide>(x) * static_cast<UnsignedWide>(y) >> bits);
  };
  check("mul_hi(x, y)", [&](Wide x, Wide y, Wide) { return mul_hi(x, y); });
  check("mad_hi(x, y, z)", [&](Wide x, Wide y, Wide z) { return mul_hi(x, y) + z; });
  check("mad_sat(x, y, z)", [&](Wide x, Wide y, Wide z) {
    if (!std::is_signed_v<T> && bits == 64 && mul_hi(x, y) != 0) {  // the product does not fit Wide
      return Wide{std::numeric_limits<T>::max()};
    }
    return saturated<T>(x * y + z);
  });
  check("rotate(x, y)", [&](Wide x, Wide y, Wide) {
    const auto n = static_cast<unsigned>(y & (bits - 1));
    const auto u = static_cast<UnsignedWide>(x & mask);
    return static_cast<Wide>(u << n | u >> (bits - n));
  });
  check("bitselect(x, y, z)", [&](Wide x, Wide y, Wide z) {
    Wide result = 0;
    for (unsigned bit = 0; bit < bits; ++bit) {
      result |= ((z >> bit & 1) != 0 ? y >> bit & 1 : x >> bit & 1) << bit;
    }
    return result;
  });
  check("clz(x)", [&](Wide x, Wide, Wide) {
    Wide n = 0;
    while (n < bits && (x >> (bits - 1 - static_cast<unsigned>(n)) & 1) == 0) {
      ++n;
    }
    return n;
  });
  check("ctz(x)", [&](Wide x, Wide, Wide) {
    Wide n = 0;
    while (n < bits && (x >> static_cast<unsigned>(n) & 1) == 0) {
      ++n;
    }
    return n;
  });
  check("select(x, y, z)", [](Wide x, Wide y, Wide z) { return z != 0 ? y : x; });
}

/// Numbers around integers and halves, of all sizes, and what is no number.
template <class T>
std::vector<T> floats() {
  std::vector<T> all = {0,
                        std::numeric_limits<T>::infinity(),
                        std::numeric_limits<T>::quiet_NaN(),
                        std::numeric_limits<T>::max(),
                        std::numeric_limits<T>::min(),
                        std::numeric_limits<T>::denorm_min()};
  for (int e = -4; e < std::numeric_limits<T>::digits + 3; ++e) {
    for (const T offset : {T{-1}, T{-0.5}, T{0}, T{0.5}, T{1}}) {
      const T at = std::ldexp(T{1}, e) + offset;
      all.insert(all.end(), {at, std::nextafter(at, T{0}), std::nextafter(at, std::numeric_limits<T>::max())});
    }
  }
  const std::size_t positive = all.size();
  for (std::size_t i = 0; i < positive; ++i) {
    all.push_back(-all[i]);
  }
  return all;
}

template <class T>
bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class T, class F>
void check_floats(const std::string& expression, const std::string& type, ScalarType scalar, F&& wanted, bool zeros_alike = false) {
  const std::vector<T> all = floats<T>();
  Inputs<T> in;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const std::size_t step : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{61}, all.size() / 2}) {
      in.x.push_back(all[i]);
      in.y.push_back(all[(i + step) % all.size()]);
    }
  }
  in.z.resize(in.x.size());
  const auto got = results<T, T>(expression, type, type, scalar, scalar, in.x, in.y, in.z);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    const T expected = wanted(in.x[i], in.y[i]);
    const bool fine = same(got[i], expected) || (zeros_alike && got[i] == 0 && expected == 0);
    if (!fine && wrong++ == 0) {
      FAIL_CHECK(type << ' ' << expression << " of " << in.x[i] << ", " << in.y[i] << " is " << got[i] << " and not " << expected);
    }
  }
  CHECK(wrong == 0);
}

template <class T>
void check_float_type(const std::string& type, ScalarType scalar) {
  const auto check = [&](const std::string& expression, auto&& wanted) { check_floats<T>(expression, type, scalar, wanted); };
  check("trunc(x)", [](T x, T) { return std::trunc(x); });
  check("floor(x)", [](T x, T) { return std::floor(x); });
  check("ceil(x)", [](T x, T) { return std::ceil(x); });
  check("round(x)", [](T x, T) { return std::round(x); });
  check("rint(x)", [](T x, T) { return std::nearbyint(x); });
  check("fdim(x, y)", [](T x, T y) { return std::fdim(x, y); });
  check("sign(x)", [](T x, T) { return std::isnan(x) ? T{0} : x == 0 ? x : std::copysign(T{1}, x); });
  // Of two zeros either may be the smaller one.
  check_floats<T>("fmin(x, y)", type, scalar, [](T x, T y) { return std::fmin(x, y); }, true);
  check_floats<T>("fmax(x, y)", type, scalar, [](T x, T y) { return std::fmax(x, y); }, true);
  check_floats<T>(
      "maxmag(x, y)", type, scalar,
      [](T x, T y) { return std::abs(x) > std::abs(y)   ? x
                            : std::abs(y) > std::abs(x) ? y
                                                        : std::fmax(x, y); }, true);
  check_floats<T>(
      "minmag(x, y)", type, scalar,
      [](T x, T y) { return std::abs(x) < std::abs(y)   ? x
                            : std::abs(y) < std::abs(x) ? y
                                                        : std::fmin(x, y); }, true);
  check("copysign(x, y)", [](T x, T y) { return std::isnan(x) ? x : std::copysign(x, y); });
  check("(" + type + ")(signbit(x) + 2 * signbit(-x))", [](T x, T) { return static_cast<T>(std::signbit(x) ? 1 : 2); });
  check("nextafter(x, y)", [](T x, T y) { return std::nextafter(x, y); });
  check("(" + type + ")ilogb(x)", [](T x, T) {
    return static_cast<T>(std::isnan(x) || std::isinf(x) ? std::numeric_limits<int>::max()
                          : x == 0                       ? std::numeric_limits<int>::min()
                                                         : std::ilogb(x));
  });
  check("logb(x)", [](T x, T) { return std::logb(x); });
  check("fmod(x, y)", [](T x, T y) { return std::fmod(x, y); });
  check("fmod(y, x)", [](T x, T y) { return std::fmod(y, x); });
  check("remainder(x, y)", [](T x, T y) { return std::remainder(x, y); });
  check("remainder(y, x)", [](T x, T y) { return std::remainder(y, x); });
  check("remainder(x * 3, y / 4)", [](T x, T y) { return std::remainder(x * 3, y / 4); });
  for (const int n :
       {-2200, -1100, -1074, -1022, -500, -150, -149, -126, -60, -25, -1, 0, 1, 24, 127, 128, 254, 300, 1000, 1023, 2000, 2200}) {
    check("ldexp(x, " + std::to_string(n) + ")", [n](T x, T) { return std::ldexp(x, n); });
  }
  const std::string sum =
      "isnormal(x) + 2 * isequal(x, y) + 4 * isnotequal(x, y) + 8 * isgreater(x, y) + 16 * isgreaterequal(x, y) + 32 * isless(x, y) + 64 * "
      "islessequal(x, y)"
      " + 128 * islessgreater(x, y) + 256 * isordered(x, y) + 512 * isunordered(x, y) + 1024 * isnan(x) + 2048 * isinf(x) + 4096 * "
      "isfinite(x)";
  check(sum, [](T x, T y) {
    const auto times = [](bool truth, int weight) { return truth ? weight : 0; };
    return static_cast<T>(times(std::isnormal(x), 1) + times(x == y, 2) + times(x != y, 4) + times(std::isgreater(x, y), 8) +
                          times(std::isgreaterequal(x, y), 16) + times(std::isless(x, y), 32) + times(std::islessequal(x, y), 64) +
                          times(std::islessgreater(x, y), 128) + times(!std::isunordered(x, y), 256) + times(std::isunordered(x, y), 512) +
                          times(std::isnan(x), 1024) + times(std::isinf(x), 2048) + times(std::isfinite(x), 4096));
  });
  check("mix(x, y, (" + type + ")0.25)", [](T x, T y) {
    const volatile T difference = y - x;  // every operation is rounded
    const volatile T product = difference * T{0.25};
    return x + product;
  });
}

}  // namespace

TEST_CASE("library: integers") {
  check_type<std::int8_t>("char", ScalarType::Char);
  check_type<std::uint8_t>("uchar", ScalarType::UChar);
  check_type<std::int16_t>("short", ScalarType::Short);
  check_type<std::uint16_t>("ushort", ScalarType::UShort);
  check_type<std::int32_t>("int", ScalarType::Int);
  check_type<std::uint32_t>("uint", ScalarType::UInt);
  check_type<std::int64_t>("long", ScalarType::Long);
  check_type<std::uint64_t>("ulong", ScalarType::ULong);
}

TEST_CASE("library: floats") {
  check_float_type<float>("float", ScalarType::Float);
  check_float_type<double>("double", ScalarType::Double);
}

TEST_CASE("library: names, types and mistakes") {
  using core_test::read;
  const auto kernel = [](const std::string& body) { return "__kernel void k(__global float *o, int n) { " + body + " }"; };
  // The text's own function of that name is meant, wherever it stands.
  CHECK(read("float floor(float x) { return x; }\n" + kernel("o[0] = floor(o[1]);")).program->functions.size() == 2);
  CHECK(read(kernel("o[0] = floor(o[1]) + floor(o[2]) + trunc(o[3]) + ceil(1.5);")).program->functions.size() == 5);
  const auto error = [&](const std::string& body) { return read(kernel(body)).errors(); };
  CHECK(error("o[0] = floor(n);").find("error: 'floor' needs 'float' or 'double', but this is 'int'") != std::string::npos);
  CHECK(error("o[0] = clz(o[1]);").find("'clz' needs an integer, but this is 'float'") != std::string::npos);
  CHECK(error("o[0] = floor();").find("'floor' takes 1 argument, but 0 are given") != std::string::npos);
  CHECK(error("o[0] = fmax(o, 1.0f);").find("'fmax' needs a number, but this is '__global float *'") != std::string::npos);
  CHECK(error("o[0] = fmax(1.0f, nowhere);").find("'nowhere' is not declared") != std::string::npos);
  CHECK(error("int a[(int)floor(2.5f)]; o[0] = a[0];").find("the array size is not constant: the result of a call is not a constant") !=
        std::string::npos);
  const std::string uniform = "int g(void) { return get_local_id(0); }\nvoid u(uniform float x) {}\n";
  CHECK(read(uniform + kernel("u(floor(1.5f));")).errors().empty());
  CHECK(read(uniform + kernel("u(floor(1.5f * g()));")).errors().find("uniform") != std::string::npos);
  // A call that asks for a place in two dimensions and one of the library need two further looks.
  CHECK(read(kernel("o[get_global_id(1)] = floor(o[1]);")).program->functions.size() == 3);
}

TEST_CASE("library: pointers to where second results go") {
  // Vectors have in each component what scalars have, in all memories, and all is read before anything is written.
  const auto program = launch_text::program(R"(
__kernel void k(__global int *o, __global float4 *g) {
  __local double2 t[2];
  float4 v = (float4)(0.5f, 7, -1.25f, 1e10f), sine, part;
  float4 old = v;
  float p, s = sincos(old.y, &p);
  sine = sincos(v.yxzw, &v);
  o[0] = sine.x == s && v.x == p;
  s = sincos(old.x, &p);
  o[1] = sine.y == s && v.y == p;
  part = modf(old * 1.5f, &g[1]);
  o[2] = part.x == 0.75f && part.z == -0.875f && g[1].y == 10 && g[1].z == -1 && g[0].x == 3;
  double2 r = fract((double2)(-0.25, 5.5), t + 1);
  o[3] = r.x == 0.75 && r.y == 0.5 && t[1].x == -1 && t[1].y == 5;
  int3 e[2];
  float3 m = frexp((float3)(12, 0.375f, 0), &e[1]);
  o[4] = m.x == 0.75f && m.y == 0.75f && m.z == 0 && e[1].x == 4 && e[1].y == -1 && e[1].z == 0;
  int2 q;
  float2 left = remquo((float2)(7, -9), (float2)(2, 4), &q);
  o[5] = left.x == -1 && left.y == -1 && q.x == 4 && q.y == -2;
  int n;
  o[6] = frexp(12.0, &n) == 0.75 && n == 4;
  o[7] = all(pown((float2)(2, -3), (int2)(10, 3)) == (float2)(1024, -27)) && all(rootn((double2)(-8, 81), (int2)(3, 4)) == (double2)(-2, 3)) &&
         all(ldexp((float2)(1, 3), 30) == (float2)(0x1p30f, 0x3p30f));
  float4 whole = (float4)(1, 2, 3, 4);
  fract(whole + 0.5f, &whole);  // for its effect alone
  o[8] = whole.x == 1 && whole.w == 4 && native_exp(0.0f) == 1 && half_cos((float2)(0)).y == 1;
})",
                                            1);
  launch::Arguments arguments =
      launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<std::int32_t>(9)),
                              launch_text::buffer(ScalarType::Float, std::vector<float>{3, 0, 0, 0, 0, 0, 0, 0})});
  const launch::Outcome outcome = launch_text::run(program, arguments, {});
  if (outcome.fault) {
    FAIL(launch::render(*program, *outcome.fault));
  }
  CHECK(launch_text::numbers<std::int32_t>(arguments.buffers[0]) == std::vector<std::int32_t>(9, 1));
}

TEST_CASE("library: mistakes with pointers") {
  const auto error = [](const std::string& body) {
    return core_test::read(
               "__constant float c[2] = {1, 2};\n__kernel void k(__global float4 *v, __global const float *o, int n, __global int *i) { "
               "float x = n, p; float2 w; " +
               body + " }")
        .errors();
  };
  const auto says = [&](const std::string& body, const std::string& text) {
    INFO(error(body));
    CHECK(error(body).find(text) != std::string::npos);
  };
  CHECK(error("sincos(x, &p); fract(x, (__global float *)v); v[0] = sincos(v[1], v);").empty());
  says("sincos(x, p);", "'sincos' needs a pointer to 'float' in __global, __local or private memory, but this is 'float'");
  says("sincos(x, o);", "'sincos' needs a pointer to 'float' in __global, __local or private memory, but this is 'const __global float *'");
  says("sincos(x, c);", "but this is '__constant float *'");
  says("sincos((double)x, &p);", "'sincos' needs a pointer to 'double' in __global, __local or private memory, but this is 'float *'");
  says("frexp(x, &p);", "'frexp' needs a pointer to 'int' in __global, __local or private memory, but this is 'float *'");
  says("sincos(x, &w);", "but this is 'float2 *'");
  says("sincos(w, v);", "'sincos' needs a pointer to vectors of 2 components, but this is '__global float4 *'");
  says("sincos(w, &p);", "'sincos' needs a pointer to vectors of 2 components, but this is 'float *'");
  says("frexp(w, &w);", "'frexp' needs a pointer to 'int' in __global, __local or private memory, but this is 'float *'");
  says("pown(w, w);", "'pown' needs vectors of one type, but these are 'float2' and 'float2'");
  says("sincos(x);", "'sincos' takes 2 arguments, but 1 is given");
  says("nan(n);", "'nan' needs 'uint' or 'ulong', but this is 'int'");
  says("__exp_tail(1.0f);", "there is no function '__exp_tail'");
  says("exp(v);", "'exp' needs a number, but this is '__global float4 *'");
  says("native_pow(x, x);", "there is no function 'native_pow'");
}
