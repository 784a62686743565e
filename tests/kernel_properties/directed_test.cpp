// Small kernels that each meet one thing where a translation goes wrong easily. The evaluator says what they do; where it takes the front
// end's word for it, the result stands here, worked out by hand.

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "tests/kernel_properties/laws.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

/// One group of four items on one buffer of eight ints 0, 10, 20, …, 70.
generate::Kernel settings() {
  generate::Kernel kernel;
  kernel.wg_size = 4;
  kernel.inputs = {{"a", ScalarType::Int, true, {0, 10, 20, 30, 40, 50, 60, 70}}};
  return kernel;
}

/// The functions of all kernels here, and the body of one.
std::string text_of(const std::string& body) {
  return "int zero(int n) { return n - n; }\n"
         "int unset(int n) { int x; if (n == 9) x = 1; return x; }\n"
         "int second(int m, int n) { return m; }\n"
         "int neighbour(int n) { return shuffle(n, n + 1); }\n"
         "int decides(int s) { return s ? 1 : 2; }\n"
         "int both(int s) { return s && 1; }\n"
         "int middle(int s) { return decides(s); }\n"
         "int outer(int s) { return middle(s); }\n"
         "void picks(uniform int s, __global int *a) { a[get_local_id(0)] = s ? 1 : 2; }\n"
         "void first(uniform int s, __global int *a) { if (s) a[get_local_id(0)] = 7; }\n"
         "void add(uniform int n, __global int *a) { a[get_local_id(0)] = a[get_local_id(0)] * 2 + n; }\n"
         "__kernel void k(__global int *a) {\n  int i = get_local_id(0);\n  " +
         body + "\n}\n";
}

/// The first four cells after a run, or the name of its fault.
std::string result_of(const std::string& body) {
  const generate::Kernel kernel = settings();
  const Ready ready = make_ready({kernel, text_of(body), 0});
  const Ran ran = run_machine(ready, kernel, plain_options(kernel));
  if (ran.outcome.fault) {
    return std::string(launch::name_of(ran.outcome.fault->kind));
  }
  std::string cells;
  for (std::size_t k = 0; k < 4; ++k) {
    std::int32_t cell = 0;
    std::memcpy(&cell, ran.buffers.front().bytes.data() + 4 * k, sizeof cell);
    cells += (cells.empty() ? "" : " ") + std::to_string(cell);
  }
  return cells;
}

/// The machine and the evaluator do the same, whatever the group is divided into, and the machine ends.
void agree(const std::string& body) {
  INFO(body);
  const generate::Kernel kernel = settings();
  const std::string text = text_of(body);
  for (const std::uint64_t salt : {1U, 2U, 3U}) {
    CHECK(agreement_of_warps({kernel, text, salt}).wrong == "");
  }
  const Verdict verdict = agreement({kernel, text, 0});
  CHECK(verdict.wrong == "");
  CHECK(verdict.is_compared);
}

}  // namespace

TEST_CASE("Directed: what is uninitialised is asked for wherever it stands", "[kernels]") {
  const std::string x = "int x; if (i == 9) x = 1; ";
  for (const char* use : {"a[i] = a[x];",
                          "a[x] = i;",
                          "a[i] = x;",
                          "int q[4]; q[x] = a[i];",
                          "int q[4] = {1, 2, 3, 4}; a[i] = q[x];",
                          "a[i] = shuffle(i, x);",
                          "a[i] = shuffle(x, i);",
                          "a[i] = any(x);",
                          "a[i] = ballot(x) != 0;",
                          "a[i] = zero(x);",
                          "a[i] = second(i, x);",
                          "a[i] = unset(i);",
                          "x;",
                          "x + 1;",
                          "if (x) a[i] = 1;",
                          "switch (x) { case 1: a[i] = 1; }",
                          "a[i] = x ? 1 : 2;",
                          "a[i] = -x;",
                          "a[0] = 7 / (x - x);",
                          "crev add(x, a);",
                          "while (x) { a[i] = 1; }",
                          "x += 1;",
                          "x++;"}) {
    agree(x + use);
    CHECK(result_of(x + use) == "uninitialised-variable");
  }
}

TEST_CASE("Directed: what only some items have written", "[kernels]") {
  for (const char* body :
       {"int x; for (int r = 0; r < i; r++) x = r; a[i] = x;", "int x; while (i > 1 && (x = i) > 2) i--; a[i] = x;",
        "int x; switch (i) { case 0: case 1: x = 1; } a[i] = x;", "int x; switch (i) { case 0: x = 1; break; default: x = 2; } a[i] = x;",
        "int x; i > 1 ? (x = 1) : 0; a[i] = x;", "int q[4]; q[0] = 1; a[i] = q[i];", "int x; i > 1 && (x = 1); a[i] = x;",
        "int x; i > 1 || (x = 1); a[i] = x;", "int x; if (i) { if (i == 3) return; x = 4; } a[i] = x;",
        "int x; do { if (i == 2) break; x = 1; } while (0); a[i] = x;",
        "for (int r = 0; r < 2; r++) { int x; if (r == 0) x = 5; if (i == 3) a[i] = x; }",
        "for (int r = 0; r < 2; r++) { int q[2]; if (r == 0) q[1] = 5; a[i] = q[1]; }",
        "int x; if (i == 0) { x = 1; } else { x = 2; } a[i] = x;", "int x; if (i == 0) { x = 1; } a[i] = i == 0 && x;",
        "int x; if (i == 0) { x = 1; } a[i] = i == 0 ? x : 3;"}) {
    agree(body);
  }
}

TEST_CASE("Directed: poison that decides", "[kernels]") {
  for (const char* body : {"a[i] = shuffle(i, i + 1); int v = a[i] ? 1 : 2; a[4 + i] = v;",
                           "a[i] = shuffle(i, i + 1); a[i] = a[i] && i < 9;",
                           "a[i] = 7 / shuffle(i, i + 1);",
                           "int q[2] = {0, 0}; int *p = q; *p = shuffle(i, i + 1); a[i] = *p ? 1 : 2;",
                           "__local int l[4]; l[i] = i; l[i] = shuffle(i, i + 1); a[i] = l[i] ? 1 : 2;",
                           "a[i] = neighbour(i) ? 1 : 2;",
                           "a[i] = neighbour(i) || i;",
                           "int s = shuffle(i, i + 1); a[i] = s ? 1 : 2;",
                           "int s = 0; s = shuffle(i, i + 1); a[i] = s ? 1 : 2;",
                           "int s = 0; s = shuffle(i, i + 1); int t = s * 2; a[i] = t && i;",
                           "int s = 0; s += shuffle(i, i + 1); a[i] = i || s;",
                           "a[i] = decides(shuffle(i, i + 1));",
                           "a[i] = both(shuffle(i, i + 1));",
                           "a[i] = both(i); a[i] = both(shuffle(i, i + 1));",
                           "a[i] = decides(decides(neighbour(i)));",
                           "crev first(shuffle(i, i + 1), a);",
                           "crev picks(shuffle(i, i + 1), a);",
                           "a[i] = outer(shuffle(i, i + 1)) + middle(i);",
                           "a[i] = middle(i) + outer(shuffle(i, i + 1));",
                           "int s = shuffle(i, i + 1); a[i] = i > 5 ? (s ? 1 : 2) : 3;",
                           "int q[2] = {shuffle(i, i + 1), shuffle(i, i + 1)}; q[i & 1] = 3; a[i] = q[i & 1] ? 1 : 2;",
                           "int q[2] = {i, shuffle(i, i + 1)}; a[i] = q[1] ? 1 : 2;",
                           "int s = shuffle(i, i + 1); a[i] = i > 5 && (s ? 1 : 2);",
                           "int s = shuffle(i, i + 1); a[i] = i > 5 && (s && 1);",
                           "int s = shuffle(i, i + 1); a[i] = i > 5 ? (s || 1) : 3;",
                           "int s = shuffle(i, i + 1); a[i] = i < 5 || s;",
                           "int s = shuffle(i, i + 1); a[i] = i < 5 ? 1 : s;",
                           "a[i] = any(shuffle(i, i + 1));",
                           "a[i] = shuffle(a[i], shuffle(i, i + 1));",
                           "a[shuffle(i, i + 1)] = 1;",
                           "while (shuffle(i, i + 1)) { i = 0; }",
                           "for (int r = 0; r < 2; r++) { if (i == 1) break; a[i] = shuffle(i, 1) && r; }"}) {
    agree(body);
  }
}

TEST_CASE("Directed: what is computed for those alone who need it", "[kernels]") {
  for (const char* body :
       {"a[i] = i && 7 / i;", "a[i] = i ? 7 / i : 0;", "a[i] = i == 0 || 7 % i == 0;", "a[i] = i < 9 && (uchar)(i * 100.0f);",
        "a[i] = i < 2 ? (uchar)(i * 200.0f) : 0;", "7 / i;", "(uchar)(i * 100.0f);", "a[i] = i < 2 && a[i + 6];",
        "int q[2] = {4, 5}; a[i] = i < 2 ? q[i] : 0;", "int x = 5; if (i > 1) x = zero(i); a[i] = x;", "int q[2]; q[i] = 1; a[i] = 1;",
        "int q[2]; if (i < 2) q[i] = 1; a[i] = 1;", "while (i && 6 / i > 2) i--; a[i] = i;",
        "for (int r = 3; 6 / r > 1; r--) { if (i == r) break; a[i] = r; }", "a[i] = (i > 1, 7 / (i + 1));"}) {
    agree(body);
  }
}

TEST_CASE("Directed: operands that wait see nothing of what comes later", "[kernels]") {
  for (const char* body :
       {"int n = i; a[i] = n * 10 + (n = 5);", "int n = i; a[i] = n * 10 + (i > 1 && 1 + (n = 5));",
        "int n = i; a[i] = n + (i > 1 ? (n = 5) : n++);", "int q[2] = {i, 1}; a[i] = q[0] * 10 + (q[0] = 7);",
        "int q[2] = {i, 1}; int *p = q; a[i] = q[0] * 10 + (*p = 7);", "int q[2] = {i, 1}; a[i] = q[0] * 10 + (i > 1 && (q[0] = 7));",
        "int q[2] = {i, 1}; q[0] = q[0] + a[q[0]];", "int n = i; a[i] = n++ * 10 + n;", "int n = i; a[i] = -n + (n = 4) * n;",
        "int q[3] = {0, 1, 2}; int n = 0; q[n] = (n = 2); a[i] = q[0];",
        "int n = 1; int q[3] = {7, 8, 9}; q[n++] += n; a[i] = q[1] * 10 + n;", "int n = i; a[i] = shuffle(n, 3 - n) + (n = 9);",
        "int n = i; int m = (n = n + 1) * 2 + n; a[i] = m;", "uchar c = 255; a[i] = (c += 2) + c;", "uchar c = 255; a[i] = c++ + c;",
        "int x = 3; int *p = &x; a[i] = x * 10 + (*p = 4) + x;", "int x = 3; int *p = &x; a[i] = x * 10 + (i > 1 && (*p = 4)) + x;"}) {
    agree(body);
  }
}

TEST_CASE("Directed: the first fault from left to right is the one", "[kernels]") {
  for (const char* body :
       {"a[i] = 7 / i + a[i + 6];", "a[i] = a[i + 6] + 7 / i;", "a[i] = (uchar)(i * 100.0f) + a[i + 8];",
        "a[i] = 7 / i + (uchar)(i * 100.0f);", "int x; a[i] = 7 / i + x;", "int x; a[i] = a[i + 9] + (i > 7 ? x : 7 / (i - 1));",
        "a[i] = 7 / i + (i > 1 ? 7 / (i - 2) : 7 / (i - 1));", "a[i] = (uchar)(300.0f + i) + (i && 7 / (i - 2));",
        "int q[2]; a[i] = q[i] + 7 / i;", "a[i] = 7 / i + any(shuffle(i, i + 1));", "a[i] = 7 / (i - 1) + zero(7 / i);",
        "a[i] = zero(7 / i) + a[i + 9];", "a[7 / i] = a[i + 9];"}) {
    agree(body);
  }
}

TEST_CASE("Directed: ways out of loops and switches", "[kernels]") {
  for (const char* body :
       {"for (int r = 0; r < 3; r++) { switch (i) { case 1: if (r == 1) continue; a[1] += 10; case 2: a[i] += 1; } a[4 + i] += 1; }",
        "for (int r = 0; r < 3; r++) { switch (i) { case 0: continue; case 1: break; case 2: return; default: a[i] += 1; } a[4 + i] += r; "
        "}",
        "while (0) { a[i] = 9; } a[i] = 5;", "barrier(CLK_LOCAL_MEM_FENCE); a[i] = 5; barrier(CLK_LOCAL_MEM_FENCE);",
        "do { a[i] = 9; } while (0); a[i] += 5;", "for (;;) { if (i-- == 0) break; a[i] += 1; }",
        "while (1) { if (i > 2) break; if (i == 1) { i = 3; continue; } i++; a[i] += 1; }",
        "int n = 0; do { n++; if (n == i) continue; a[i] += n; } while (n < 3);",
        "int n = 0; do { n++; if (n == i) break; a[i] += n; } while (n < 3);",
        "for (int r = 0; r < 3; r++) { for (int s = 0; s < 3; s++) { if (s == i) break; if (r == i) return; a[i] += s; } a[i] += 100; }",
        "switch (i) { default: a[i] = 1; break; case 1: a[i] = 2; case 2: a[i] += 3; }",
        "switch (i) { case 1: a[i] = 2; default: a[i] += 1; case 3: a[i] *= 5; }",
        "switch (i & 1) { case 0: if (i) break; a[i] = 4; case 1: a[i] += 1; }",
        "for (int r = 0; r < 4; r++) { if (r < i) continue; a[i] += r; }",
        "int n = 3; for (; n > 0; n--) { if (n == i) { a[i] = n; return; } } a[i] = -1;"}) {
    agree(body);
  }
}

TEST_CASE("Directed: rows and pointers to them", "[kernels]") {
  for (const char* body :
       {"int q[4][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}}; a[i] = (*(q + i))[1];",
        "int q[4][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}}; a[i] = (q + i) - q;",
        "int q[4][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}}; a[i] = q[i][1];",
        "int q[4][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}}; a[i] = q[i][i];",
        "int x[2] = {1, 2}; int y[2] = {3, 4}; a[i] = (i == 3 ? y : x) - x;", "int q[2][3][2]; q[1][i][1] = 5; a[i] = q[1][i][1];",
        "int q[4] = {1, 2, 3, 4}; int *p = &q[4]; a[i] = *(p - 1 - i);", "int q[4] = {1, 2, 3, 4}; a[i] = *(&q[i] + 1);",
        "__local int l[2][4]; l[1][i] = i; a[i] = l[1][i ^ 1];", "__local int l[2][4]; l[i & 1][i] = i; a[i] = l[i & 1][i];"}) {
    agree(body);
  }
}

TEST_CASE("Directed: what the front end decides, by hand", "[kernels]") {
  const struct {
    const char* body;
    const char* expected;
  } cases[] = {
      {"int q[-0.0 ? 1 : 4]; q[i] = i; a[i] = q[i];", "0 1 2 3"},                           // the sign of zero does not count
      {"switch (i) { case 2 && 3: a[i] = 7; }", "0 7 20 30"},                               // && is 0 or 1
      {"switch (i) { case 4294967297L: a[i] = 7; }", "0 7 20 30"},                          // a label has the type of the switch, int
      {"switch ((uchar)i) { case 257: a[i] = 7; break; case 1: a[i] = 8; }", "0 8 20 30"},  // which is promoted before
      {"a[i] = -1 < 1u;", "0 0 0 0"},                                                       // uint
      {"a[i] = -1 < (ushort)1;", "1 1 1 1"},                                                // int
      {"a[i] = -1L < 1u;", "1 1 1 1"},                                                      // long
      {"a[i] = ((ushort)65535 * (ushort)65535) / 65536;", "-1 -1 -1 -1"},                   // int, which wraps
      {"a[i] = (1 << 33) + (i >> 32L);", "2 3 4 5"},                                        // counts modulo 32, whatever their type
      {"a[i] = -(uchar)1 >> 1;", "-1 -1 -1 -1"},                                            // of int
      {"a[i] = ~(uchar)1 == -2;", "1 1 1 1"},                                               // of int
      {"a[i] = !0.5f + any(0.5f);", "1 1 1 1"},                                             // of the whole number
      {"a[i] = 2147483648 > 0;", "1 1 1 1"},                                                // a long
      {"a[i] = 0x80000000 + 0x80000000 == 0;", "1 1 1 1"},                                  // uints
      {"a[i] = 4294967295 + 1 == 0;", "0 0 0 0"},                                           // a long
      {"a[i] = (char)200 < 0;", "1 1 1 1"},
      {"const char c = 200; a[i] = c;", "-56 -56 -56 -56"},
      {"a[i] = min((char)-1, (char)1) + (int)max((uchar)200, (uchar)100);", "199 199 199 199"},
      {"a[i] = (int)(abs(-2147483647 - 1) / 2u) + i;", "1073741824 1073741825 1073741826 1073741827"},  // abs gives uint
      {"int q[4] = {5}; a[i] = q[i];", "5 0 0 0"},
      {"int q[2][2] = {{5}, {6, 7}}; a[i] = q[i / 2][i % 2];", "5 0 6 7"},
      {"float z = 0.0f; a[i] = 1.0f / -z < 0.0f;", "1 1 1 1"},
  };
  for (const auto& c : cases) {
    INFO(c.body);
    CHECK(result_of(c.body) == c.expected);
    agree(c.body);
  }
}

TEST_CASE("Directed: only a constant 0 is a null pointer", "[kernels]") {
  CHECK(result_of("__global int *p = 0; a[i] = p == 0;") == "1 1 1 1");
  CHECK(result_of("__global int *p = 1 - 1; a[i] = p == 0;") == "1 1 1 1");
  CHECK_THROWS_WITH(result_of("__global int *p = 1; a[i] = p == 0;"), Catch::Contains("cannot convert"));
  CHECK_THROWS_WITH(result_of("__global int *p = i; a[i] = p == 0;"), Catch::Contains("cannot convert"));
}

TEST_CASE("Directed: each index of an array is checked for itself", "[kernels]") {
  const std::string q = "int q[4][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}}; ";
  CHECK(result_of(q + "a[i] = q[0][2];") == "out-of-bounds");
  CHECK(result_of(q + "int *p = &q[0][2]; a[i] = *(p - 1);") == "1 1 1 1");  // the address behind a row is one, as in C
  CHECK(result_of(q + "int n = 2; a[i] = q[0][n];") == "out-of-bounds");
  CHECK(result_of(q + "a[i] = q[i + 1][0];") == "out-of-bounds");
  CHECK(result_of(q + "long n = i + 9223372036854775800L; a[i] = q[n][1];") == "out-of-bounds");
}

TEST_CASE("Directed: groups in one pack have votes and memory of their own", "[kernels]") {
  for (const char* body : {"a[get_global_id(0)] = work_group_any(get_group_id(0) == 1 && i == 2);",
                           "a[get_global_id(0)] = work_group_all(get_group_id(0) == 1 || i == 2);",
                           "a[get_global_id(0)] = any(get_group_id(0) == 1 && i == 2);",
                           "__local int l[4]; l[i] = get_group_id(0) * 10 + i; a[get_global_id(0)] = l[i];",
                           "__local int l[4]; __local int m[4]; __local int *p = i & 1 ? l : m; p[i] = get_group_id(0) * 10 + i; "
                           "a[get_global_id(0)] = p[i];",
                           "if (get_group_id(0) == i / 2) crev add(i, a);"}) {
    INFO(body);
    generate::Kernel kernel = settings();
    kernel.groups = 2;
    const std::string text = text_of(body);
    for (std::uint64_t salt = 1; salt <= 8; ++salt) {
      CHECK(pack_independence({kernel, text, salt}).wrong == "");
      CHECK(agreement_of_warps({kernel, text, salt}).wrong == "");
    }
  }
}

TEST_CASE("Directed: groups in one pack, without a look at races", "[kernels]") {
  generate::Kernel kernel = settings();
  kernel.groups = 2;
  const std::string text = text_of(
      "__local int l[4]; __local int m[4]; __local int *p = i & 1 ? l : m; p[i] = get_group_id(0) * 10 + i; a[get_global_id(0)] = p[i];");
  const Ready ready = make_ready({kernel, text, 0});
  launch::LaunchOptions options = plain_options(kernel);
  options.races = false;
  const Ran alone = run_machine(ready, kernel, options);
  options.pack = 2;
  CHECK(difference(kernel, run_machine(ready, kernel, options).buffers, alone.buffers) == "");
}

TEST_CASE("Directed: how many races", "[kernels]") {
  const struct {
    const char* body;
    std::uint64_t races;
  } cases[] = {
      {"__local int l[4]; l[i] = 1; if (i == 0) a[0] = get_group_id(0);", 1},  // the second group's store; each group has its own l
      {"int v = a[get_group_id(0)]; if (i == 0) a[get_group_id(0)] = v + 1;",
       2},  // each group: the second warp's read, the first one's store
  };
  for (const auto& c : cases) {
    INFO(c.body);
    generate::Kernel kernel = settings();
    kernel.groups = 2;
    launch::LaunchOptions options = plain_options(kernel);
    options.warp_size = 2;
    const std::string text = text_of(c.body);
    CHECK(run_machine(make_ready({kernel, text, 0}), kernel, options).outcome.race_count == c.races);
  }
}

TEST_CASE("Directed: limits are where they are said to be", "[kernels]") {
  const generate::Kernel kernel = settings();
  const Ready ready = make_ready({kernel,
                                  "int down(int n) { return n == 0 ? 0 : down(n - 1) + 1; }\n"
                                  "__kernel void k(__global int *a) { a[get_local_id(0)] = down(9); }\n",
                                  0});
  launch::LaunchOptions options = plain_options(kernel);
  const auto fault = [&] {
    const Ran ran = run_machine(ready, kernel, options);
    return ran.outcome.fault ? std::string(launch::name_of(ran.outcome.fault->kind)) : "none";
  };
  const std::uint64_t steps = run_machine(ready, kernel, options).outcome.steps;
  options.max_steps = steps;
  CHECK(fault() == "none");
  options.max_steps = steps - 1;
  CHECK(fault() == "step-limit");
  options.max_steps = steps;
  options.max_depth = 11;  // the kernel, and down of 9, 8, … 0
  CHECK(fault() == "none");
  options.max_depth = 10;
  CHECK(fault() == "depth-limit");
  options.max_depth = 11;
  options.frame_memory = 64;
  CHECK(fault() == "memory-limit");
}

TEST_CASE("Directed: an index of an unsigned type moves backwards too", "[kernels]") {
  const std::string p = "__global int *p = a + 4; size_t w = i; ";
  for (const char* body : {"a[i] = p[w - 4];", "a[i] = *(&p[w - 4]);", "a[i] = *(p + (w - 4));", "a[i] = *(p - (4 - w));",
                           "p += w - 4; a[i] = *p;", "__global int *q = i % 2 ? p : p; a[i] = q[w - 4];"}) {
    agree(p + body);
    CHECK(result_of(p + body) == "0 10 20 30");
  }
  agree(p + "a[i] = &p[w - 4] - p;");
  CHECK(result_of(p + "a[i] = &p[w - 4] - p;") == "-4 -3 -2 -1");
  for (const char* body : {"a[i] = a[w - 1];", "int q[4] = {1, 2, 3, 4}; a[i] = q[w - 1];",
                           "int q[2][2] = {{1, 2}, {3, 4}}; a[i] = q[w - 1][0];", "int q[2][2] = {{1, 2}, {3, 4}}; a[i] = q[1][w - 1];"}) {
    agree(p + body);
    CHECK(result_of(p + body) == "out-of-bounds");
  }
}
