// Vectors against their definition, component by component, computed here.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "semantics/core/translate.hpp"
#include "tests/unit/core_tree_text.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;

namespace {

/// What one item leaves in the buffers, which are the kernel's parameters in order.
launch::Arguments launched(const std::string& text, std::vector<launch::Buffer> buffers) {
  core::Options options;
  options.wg_size = 1;
  const core_test::Reading reading = core_test::read(text, options);
  INFO(text);
  INFO(reading.errors());
  REQUIRE(reading.program);
  const auto program = std::make_shared<const typed::Program>(core::translate(*reading.program, *reading.program->kernel("k")));
  launch::Arguments arguments = launch_text::arguments(std::move(buffers));
  const auto outcome = launch::run(program, arguments, {});
  REQUIRE(outcome);
  if (outcome->fault) {
    FAIL(launch::render(*program, *outcome->fault));
  }
  return arguments;
}

/// The ints that a kernel `k(__global int *o)` with this body writes.
std::vector<int> ints(const std::string& body, std::size_t count, const std::string& functions = "") {
  const auto arguments = launched(functions + "\n__kernel void k(__global int *o) {\n" + body + "\n}",
                                  {launch_text::buffer(ScalarType::Int, std::vector<int>(count, -7))});
  return launch_text::numbers<int>(arguments.buffers.front());
}

constexpr std::string_view letters = "xyzw";

}  // namespace

TEST_CASE("vectors: each choice of components is read before it is written", "[core][vectors]") {
  // All ways to write v.ab op v.cd, on a variable and through a pointer.
  for (const std::string& op : std::array<std::string, 2>{"=", "-="}) {
    for (const bool in_memory : {false, true}) {
      std::string body = "int4 v;\n";
      std::vector<int> expected;
      std::size_t at = 0;
      for (unsigned to = 0; to < 16; ++to) {
        for (unsigned from = 0; from < 16; ++from) {
          const std::array<unsigned, 2> a = {to % 4, to / 4};
          const std::array<unsigned, 2> b = {from % 4, from / 4};
          if (a[0] == a[1]) {
            continue;
          }
          const std::string name = in_memory ? "(*at(&v))." : "v.";
          const auto pair = [&](const std::array<unsigned, 2>& of) { return std::string{letters[of[0]], letters[of[1]]}; };
          body += "v = (int4)(3, 50, 700, 9000);\n";
          body += name + pair(a) + " " + op + " " + name + pair(b) + ";\n";
          body += "vstore4(v, " + std::to_string(at++) + ", o);\n";
          std::array<int, 4> v = {3, 50, 700, 9000};
          const std::array<int, 4> old = v;
          for (std::size_t k = 0; k < 2; ++k) {
            v[a[k]] = op == "=" ? old[b[k]] : v[a[k]] - old[b[k]];
          }
          expected.insert(expected.end(), v.begin(), v.end());
        }
      }
      CHECK(ints(body, expected.size(), "int4 *at(int4 *p) { return p; }") == expected);
    }
  }
}

TEST_CASE("vectors: names of components", "[core][vectors]") {
  CHECK(ints("int16 v = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);"
             "vstore16(v.sfedcBA9876543210, 0, o); vstore8(v.hi, 2, o); vstore8(v.even, 3, o); "
             "vstore8(v.odd.s76543210.odd.even.xyxyxyxy, 4, o);"
             "vstore4(v.s0A5f, 10, o);",
             44, "") == std::vector<int>{15, 14, 13, 12, 11, 10, 9, 8,  7,  6,  5,  4, 3,  2, 1,  0, 8,  9, 10, 11, 12, 13,
                                         14, 15, 0,  2,  4,  6,  8, 10, 12, 14, 13, 5, 13, 5, 13, 5, 13, 5, 0,  10, 5,  15});
  CHECK(ints("int3 v = (int3)(1, 2, 3); vstore2(v.lo, 0, o); vstore2(v.even, 1, o); o[4] = v.s2; v.s20 = v.xy; vstore3(v, 2, o);", 9) ==
        std::vector<int>{1, 2, 1, 3, 3, -7, 2, 2, 1});
}

TEST_CASE("vectors: what has effects has them once, from left to right", "[core][vectors]") {
  const std::string count = "int next(int *n) { return (*n)++; }";
  CHECK(ints("int n = 1; vstore4((int4)(n, next(&n), n++, n), 0, o);", 4, count) == std::vector<int>{1, 1, 2, 3});
  CHECK(ints("int n = 5; vstore4((int4)next(&n), 0, o); o[4] = n;", 5, count) == std::vector<int>{5, 5, 5, 5, 6});
  CHECK(ints("int n = 2; int4 v = (int4)(1, 2, 3, 4); vstore4(v * next(&n) + n, 0, o); o[4] = n;", 5, count) ==
        std::vector<int>{5, 7, 9, 11, 3});
  CHECK(
      ints("int n = 0; int4 v[2]; v[n++] = (int4)n; v[next(&n)] = (int4)(n, 7, 8, n); vstore4(v[0], 0, o); vstore4(v[1], 1, o); o[8] = n;",
           9, count) == std::vector<int>{1, 1, 1, 1, 2, 7, 8, 2, 2});
  CHECK(ints("int4 v = (int4)(1, 2, 3, 4); int4 old = v++; vstore4(old, 0, o); vstore4(--v, 1, o); vstore4(v, 2, o);", 12) ==
        std::vector<int>{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4});
  CHECK(ints("int4 v = 1, w; int n = 0; w = (v += 2, v.x > 2) ? (n++, v + n) : (int4)next(&n); vstore4(w, 0, o); o[4] = n;", 5, count) ==
        std::vector<int>{4, 4, 4, 4, 1});
  CHECK(ints("int4 v = (int4)(4, 3, 2, 1); int n = 3; o[0] = v[n--]; o[1] = (v + 10)[n--]; o[2] = n; v[n] = 9; o[3] = v.y;", 4) ==
        std::vector<int>{1, 12, 1, 9});
}

TEST_CASE("vectors: functions, pointers, arrays and memory", "[core][vectors]") {
  const std::string functions =
      "int4 plus(int4 a, int2 b, int c) { a.lo += b; return a + c; }\n"
      "int4 down(int4 v, int n) { if (n == 0) return v; return down(v.yzwx, n - 1); }\n";
  CHECK(ints("int4 v = (int4)(1, 2, 3, 4); vstore4(plus(v, v.hi, 10), 0, o); vstore4(v, 1, o); vstore4(down(v, 3), 2, o);", 12,
             functions) == std::vector<int>{14, 16, 13, 14, 1, 2, 3, 4, 4, 1, 2, 3});
  CHECK(ints("int4 a[2][2] = {{1, (int4)(2)}, {{3, 4, 5, 6}}}; for (int i = 0; i < 4; i++) vstore4(a[i / 2][i % 2], i, o);", 16) ==
        std::vector<int>{1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 5, 6, 0, 0, 0, 0});
  CHECK(ints("int4 v = {1, 2, 3, 4}, w = {v.zw, v.xy}, a[] = {v.wzyx, 7}; vstore4(w, 0, o); vstore4(a[0], 1, o); vstore4(a[1], 2, o);",
             12) == std::vector<int>{3, 4, 1, 2, 4, 3, 2, 1, 7, 7, 7, 7});
  CHECK(ints("for (int i = 0; i < 2; i++) vstore3(t[i], i, o); o[6] = sizeof(int3) + 100 * sizeof(t) + 10000 * sizeof(short2);", 7,
             "__constant int3 t[] = {(int3)(1, 2, 3), (int3)(4, (int2)(5, 6))};") == std::vector<int>{1, 2, 3, 4, 5, 6, 43216});
  CHECK(ints("int8 v = vload8(0, o + 1); v.s7 = 3; vstore8(v, 0, o + 1); vstore2(v.s71, 5, o); o[9] = vload3(1, o).z;", 12) ==
        std::vector<int>{-7, -7, -7, -7, -7, -7, -7, -7, 3, -7, 3, -7});
}

namespace {

template <class T>
constexpr ScalarType scalar_of() {
  return std::is_same_v<T, float>    ? ScalarType::Float
         : std::is_same_v<T, double> ? ScalarType::Double
         : sizeof(T) == 1            ? (std::is_signed_v<T> ? ScalarType::Char : ScalarType::UChar)
         : sizeof(T) == 2            ? (std::is_signed_v<T> ? ScalarType::Short : ScalarType::UShort)
         : sizeof(T) == 4            ? (std::is_signed_v<T> ? ScalarType::Int : ScalarType::UInt)
         : std::is_signed_v<T>       ? ScalarType::Long
                                     : ScalarType::ULong;
}

template <class T>
using Bits =
    std::conditional_t<sizeof(T) == 1, std::int8_t,
                       std::conditional_t<sizeof(T) == 2, std::int16_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>;

/// One operator on each component; R is T, or the integer of its size where the operator says whether something holds.
template <class T, class R>
void check_operator(const std::string& op, unsigned components, const std::vector<T>& x, const std::vector<T>& y,
                    const std::function<R(T, T)>& expected) {
  const std::string type = std::string(info(scalar_of<T>()).name) + std::to_string(components);
  const std::string result = std::string(info(scalar_of<R>()).name) + std::to_string(components);
  const std::string n = std::to_string(components);
  const std::string text = "__kernel void k(__global const " + std::string(info(scalar_of<T>()).name) + " *x, __global const " +
                           std::string(info(scalar_of<T>()).name) + " *y, __global " + std::string(info(scalar_of<R>()).name) +
                           " *o, uint n) {\n  for (uint i = 0; i < n; ++i) {\n    " + type + " a = vload" + n + "(i, x), b = vload" + n +
                           "(i, y);\n    " + result + " c = a " + op + " b;\n    vstore" + n + "(c, i, o);\n  }\n}";
  INFO(text);
  core::Options options;
  options.wg_size = 1;
  const core_test::Reading reading = core_test::read(text, options);
  INFO(reading.errors());
  REQUIRE(reading.program);
  const auto program = std::make_shared<const typed::Program>(core::translate(*reading.program, *reading.program->kernel("k")));
  launch::Arguments arguments = launch_text::arguments({launch_text::buffer(scalar_of<T>(), x), launch_text::buffer(scalar_of<T>(), y),
                                                        launch_text::buffer(scalar_of<R>(), std::vector<R>(x.size()))},
                                                       {x.size() / components});
  REQUIRE(launch::run(program, arguments, {}));
  std::vector<R> wanted;
  for (std::size_t i = 0; i < x.size(); ++i) {
    wanted.push_back(expected(x[i], y[i]));
  }
  CHECK(launch_text::numbers<R>(arguments.buffers.back()) == wanted);
}

/// All pairs of edges, as many as fill vectors.
template <class T>
std::array<std::vector<T>, 2> pairs(unsigned components) {
  std::vector<T> edges;
  if constexpr (std::is_floating_point_v<T>) {
    edges = {0, T(-0.0), 1, T(-2.5), T(0.1), T(1e10)};
  } else {
    edges = {0, 1, 2, 7, T(-1), T(-3), std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), T(std::numeric_limits<T>::max() / 3)};
  }
  std::array<std::vector<T>, 2> result;
  for (const T a : edges) {
    for (const T b : edges) {
      result[0].push_back(a);
      result[1].push_back(b);
    }
  }
  while (result[0].size() % components != 0) {
    result[0].push_back(1);
    result[1].push_back(2);
  }
  return result;
}

template <class T>
void check_operators(unsigned components) {
  using B = Bits<T>;
  using U = std::make_unsigned_t<B>;
  const auto [x, y] = pairs<T>(components);
  const auto with = [&](const std::string& op, const std::function<T(T, T)>& f) { check_operator<T, T>(op, components, x, y, f); };
  const auto holds = [&](const std::string& op, const std::function<bool(T, T)>& f) {
    check_operator<T, B>(op, components, x, y, [f](T a, T b) { return f(a, b) ? B(-1) : B(0); });
  };
  holds("<", [](T a, T b) { return a < b; });
  holds("<=", [](T a, T b) { return a <= b; });
  holds(">", [](T a, T b) { return a > b; });
  holds(">=", [](T a, T b) { return a >= b; });
  holds("==", [](T a, T b) { return a == b; });
  holds("!=", [](T a, T b) { return a != b; });
  if constexpr (std::is_floating_point_v<T>) {
    with("+", [](T a, T b) { return a + b; });
    with("-", [](T a, T b) { return a - b; });
    with("*", [](T a, T b) { return a * b; });
  } else {
    holds("&&", [](T a, T b) { return a != 0 && b != 0; });
    holds("||", [](T a, T b) { return a != 0 || b != 0; });
    const auto wrapped = [&](const std::string& op, const std::function<std::uint64_t(std::uint64_t, std::uint64_t)>& f) {
      with(op, [f](T a, T b) { return static_cast<T>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b))); });
    };
    wrapped("+", std::plus<>());
    wrapped("-", std::minus<>());
    wrapped("*", std::multiplies<>());
    wrapped("&", std::bit_and<>());
    wrapped("|", std::bit_or<>());
    wrapped("^", std::bit_xor<>());
    // Counts are taken modulo the components' width.
    constexpr unsigned mask = 8 * sizeof(T) - 1;
    with("<<", [](T a, T b) {
      return static_cast<T>(static_cast<U>(static_cast<std::uint64_t>(static_cast<U>(a)) << (static_cast<U>(b) & mask)));
    });
    with(">>", [](T a, T b) { return static_cast<T>(a >> (static_cast<U>(b) & mask)); });
    auto divisors = y;
    std::ranges::replace(divisors, T(0), T(5));
    std::ranges::replace(divisors, T(-1), T(11));  // the least number by -1 is undefined
    check_operator<T, T>("/", components, x, divisors, [](T a, T b) { return static_cast<T>(a / b); });
    check_operator<T, T>("%", components, x, divisors, [](T a, T b) { return static_cast<T>(a % b); });
  }
}

}  // namespace

TEST_CASE("vectors: operators of all types and sizes", "[core][vectors]") {
  check_operators<std::int8_t>(4);
  check_operators<std::uint8_t>(16);
  check_operators<std::int16_t>(2);
  check_operators<std::uint16_t>(3);
  check_operators<std::int32_t>(3);
  check_operators<std::uint32_t>(8);
  check_operators<std::int64_t>(2);
  check_operators<std::uint64_t>(4);
  check_operators<float>(4);
  check_operators<double>(3);
}

TEST_CASE("vectors: unary operators, choices and relations", "[core][vectors]") {
  CHECK(ints("int4 v = (int4)(0, 1, -1, 2147483647); vstore4(-v, 0, o); vstore4(~v, 1, o); vstore4(!v, 2, o); vstore4(+v, 3, o);"
             "vstore4(v ? v + 1 : (int4)5, 4, o); vstore4(select(v, (int4)8, (int4)(-1, 0, 1, -5)), 5, o);"
             "uint2 u = (uint2)(0x80000000u, 0x7fffffffu); vstore2(u ? (int2)(1, 2) : (int2)(3, 4), 12, o);"
             "o[26] = any(v) + 2 * all(v) + 4 * any(v.xyw) + 8 * all(v.zz) + 16 * any(v.x);",
             27) == std::vector<int>{0,  -1, 1,    -2147483647, -1, -2, 0,  std::numeric_limits<int>::min(),
                                     -1, 0,  0,    0,           0,  1,  -1, 2147483647,
                                     5,  5,  0,    5,           8,  1,  -1, 8,
                                     1,  4,  1 + 8});
  CHECK(
      ints("float2 a = (float2)(1, NAN), b = (float2)(2, 1); double2 d = (double2)(INFINITY, 0);"
           "vstore2(isnan(a), 0, o); vstore2(isless(a, b), 1, o); vstore2(convert_int2(isinf(d)), 2, o); vstore2(isunordered(a, b), 3, o);"
           "o[8] = isnan(a.y) + 2 * isless(a.x, b.x) + 4 * isnormal(b.x);",
           9) == std::vector<int>{0, -1, -1, 0, -1, 0, 0, -1, 7});
}

TEST_CASE("vectors: functions of one component at a time are those of scalars", "[core][vectors]") {
  const std::array<std::string, 12> calls = {
      "fmin(A, B)", "clamp(A, -1.0f, 2.0f)", "floor(A)",      "mix(A, B, 0.25f)", "sqrt(fabs(A))",       "fma(A, B, A)",
      "sign(A)",    "max(A, 0.5f)",          "step(1.0f, A)", "round(B)",         "native_divide(A, B)", "smoothstep(-1.0f, 1.0f, A)"};
  for (const std::string& call : calls) {
    const auto on = [&](const std::string& suffix) {
      std::string text = call;
      for (const auto& [name, variable] : std::array<std::pair<std::string, std::string>, 2>{{{"A", "a"}, {"B", "b"}}}) {
        for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
          text.replace(at, 1, variable + suffix);
        }
      }
      return text;
    };
    std::string body = "float4 a = (float4)(-2.5f, 0.3f, 1.5f, 100), b = (float4)(1, -0.5f, 2.5f, 7); float4 v = " + on("") + ";\n";
    for (const char letter : letters) {
      const std::string component(1, letter);
      body += "o[" + std::to_string(letters.find(letter)) + "] = v." + component + " == " + on("." + component) + ";\n";
    }
    INFO(body);
    CHECK(ints(body, 4) == std::vector<int>{1, 1, 1, 1});
  }
}

TEST_CASE("vectors: what is easily taken for something else", "[core][vectors]") {
  // What is true is -1 in a whole vector of integers, and 1 as one component; two pairs of parentheses hold one value.
  CHECK(ints("bool b = o[0] < 0; int4 v = b; vstore4(v, 0, o); vstore4((int4)b, 1, o); vstore4((int4)(b, b, 0, 0), 2, o);"
             "vstore4((int4)((1, 2, 3, 4)), 3, o); vstore2((int2)(5) + b, 8, o); o[18] = ((float4)b).x;",
             19) == std::vector<int>{-1, -1, -1, -1, -1, -1, -1, -1, 1, 1, 0, 0, 4, 4, 4, 4, 4, 4, 1});
  // A scalar beside vectors is of their type: 200 as a char is -56, 5u as an int 5.
  CHECK(ints("char4 c = -3; uchar4 u = 100; o[0] = max(c, (char)200).x; o[1] = add_sat(u, (uchar)200).y; o[2] = rotate((uchar4)130, 3).z;"
             "int4 v = -1; v = min(v, 5u); o[3] = v.x; u = clamp(u, 2, 50); o[4] = u.w; o[5] = max(c, 200).x;",
             6) == std::vector<int>{-3, 255, 20, -1, 50, -3});
  CHECK(ints("int i = 1; vstore4(select((int4)dbl(&i), (int4)inc(&i), (int4)(-1, 0, -1, 0)), 0, o);", 4,
             "int dbl(int *p) { return *p *= 2; } int inc(int *p) { return *p += 1; }") == std::vector<int>{3, 2, 3, 2});
  // Places that are not decided by numbers and variables alone.
  CHECK(ints("int4 v[2] = {0, 0}; int index[2] = {1, 0}; int n = 0; int4 *p = v; v[index[n]].x = 3; v[index[n++]].y += 4; (*p++).z = n; "
             "p->w--; p->xy += 1;"
             "vstore4(v[0], 0, o); vstore4(v[1], 1, o); o[8] = (int4)(1, 2, 3, 4).zw.y + (p - v); v[0].zw[1] = 6; o[9] = v[0].w;",
             10) == std::vector<int>{0, 0, 1, 0, 4, 5, 0, -1, 5, 6});
  CHECK(ints("char4 c = 3; int n = 9; c = c << n; o[0] = c.x; o[1] = as_int(bitselect(1.0f, 2.0f, as_float(0x0f000000)));", 2) ==
        std::vector<int>{6, (0x3f800000 & ~0x0f000000) | (0x40000000 & 0x0f000000)});
  CHECK(ints("typedef float unit __attribute__((aligned(4))); typedef const unit fixed; typedef const fixed more; more m = 2.5f; o[0] = m "
             "* 2;",
             1) == std::vector<int>{5});
  CHECK(ints("int n = 0; int4 v[2] = {0, 0}; v[n] = (int4)(n++, 5, 6, 7); vstore4(v[0], 0, o); vstore4(v[1], 1, o);", 8) ==
        std::vector<int>{0, 5, 6, 7, 0, 0, 0, 0});
  CHECK(ints("int n = o[0] > 0; int4 v = 1; vstore4(n ? v : v + 1, 0, o);", 4) == std::vector<int>{2, 2, 2, 2});
  CHECK(ints("int4 v = (int4)(1, 2, 3, 4); int *p = &v[1]; o[0] = p[1] + 10 * v.x;", 1) == std::vector<int>{13});
  // Of a vector of zeros the direction is none, and of components signs are -1.
  CHECK(ints("float3 n = normalize((float3)(0, 0, -0.0f)); o[0] = n.x == 0 && n.y == 0 && signbit(n.z); o[1] = 8 * normalize((float2)(0, "
             "-2)).y;"
             "vstore2(signbit((float2)(-1, 1)), 1, o);",
             4) == std::vector<int>{1, -8, -1, 0});
  CHECK(ints("enum { x, y, z }; typedef int w; int4 v = (int4)(9, 8, 7, 6); o[0] = v.x + v.w + z;", 1) == std::vector<int>{17});
}

TEST_CASE("library: its functions call one another whatever the text calls so", "[core][vectors]") {
  CHECK(ints("o[0] = floor(2.5f); o[1] = trunc(2.5f); o[2] = mad_hi(1 << 30, 8, 1);", 3,
             "float trunc(float x) { return 77; } int mul_hi(int a, int b) { return 99; }") == std::vector<int>{2, 77, 3});
}

TEST_CASE("vectors: geometry, conversions and shuffles", "[core][vectors]") {
  CHECK(
      ints("float4 a = (float4)(1, 2, 3, 4), b = (float4)(5, -6, 7, -8); o[0] = dot(a, b); o[1] = dot(a.xy, b.xy); o[2] = dot(3.0f, 4.0f);"
           "float4 c = cross(a, b); vstore4(convert_int4(c), 1, o); vstore3(convert_int3(cross(b.xyz, a.xyz)), 4, o);"
           "o[8] = length((float2)(3, 4)); o[9] = distance(a.xy, (float2)(1, 10)); o[10] = fast_length(-2.0f); o[11] = 10 * "
           "normalize((float2)(3, 4)).y;",
           15) == std::vector<int>{-18, -7, 12, -7, 32, 8, -16, 0, 5, 8, 2, 8, -32, -8, 16});
  CHECK(ints("uchar4 b = convert_uchar4((int4)(1, 255, 256, -1)); vstore4(convert_int4(b), 0, o); vstore2(convert_int2((float2)(2.9f, "
             "-2.9f)), 2, o);"
             "int4 v = (int4)(10, 20, 30, 40); vstore4(shuffle(v, (uint4)(3, 0, 5, 2)), 2, o); vstore2(shuffle2(v, v + 1, (uint2)(7, 12)), "
             "6, o);",
             14) == std::vector<int>{1, 255, 0, 255, 2, -2, -7, -7, 40, 10, 20, 30, 41, 11});
}

TEST_CASE("vectors: as_type keeps the bytes, for all pairs of types of one size", "[core][vectors]") {
  constexpr std::array scalars = {ScalarType::Char, ScalarType::UChar, ScalarType::Short, ScalarType::UShort, ScalarType::Int,
                                  ScalarType::UInt, ScalarType::Long,  ScalarType::ULong, ScalarType::Float,  ScalarType::Double};
  constexpr std::array<unsigned, 5> sizes = {1, 2, 4, 8, 16};
  std::size_t pairs = 0;
  for (const ScalarType from : scalars) {
    for (const unsigned n : sizes) {
      for (const ScalarType to : scalars) {
        const auto m = static_cast<unsigned>(n * size_of(from) / size_of(to));
        if (m * size_of(to) != n * size_of(from) || std::ranges::find(sizes, m) == sizes.end()) {
          continue;
        }
        const auto element = [](ScalarType type) { return std::string(info(type).name); };
        const auto read = [&] { return n == 1 ? std::string("x[0]") : "vload" + std::to_string(n) + "(0, x)"; };
        const std::string value = "as_" + element(to) + (m == 1 ? "" : std::to_string(m)) + "(" + read() + ")";
        const std::string write = m == 1 ? "o[0] = " + value : "vstore" + std::to_string(m) + "(" + value + ", 0, o)";
        std::vector<std::uint8_t> bytes(n * size_of(from));
        for (std::size_t i = 0; i < bytes.size(); ++i) {
          bytes[i] = static_cast<std::uint8_t>(0x91 + 7 * i);
        }
        launch::Buffer source = launch_text::buffer(ScalarType::UChar, bytes);
        source.type = from;
        source.count = n;
        source.shape = {n};
        launch::Buffer target = launch_text::buffer(ScalarType::UChar, std::vector<std::uint8_t>(bytes.size()));
        target.type = to;
        target.count = m;
        target.shape = {m};
        const auto arguments =
            launched("__kernel void k(__global const " + element(from) + " *x, __global " + element(to) + " *o) { " + write + "; }",
                     {std::move(source), std::move(target)});
        CHECK(std::ranges::equal(arguments.buffers[1].bytes, bytes, {}, [](auto b) { return static_cast<std::uint8_t>(b); }));
        ++pairs;
      }
    }
  }
  CHECK(pairs > 200);
}
