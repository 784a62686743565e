// Small kernels that each meet one thing where a pass or an emitter goes wrong easily; the interpreter says what they do.

#include <catch2/catch.hpp>
#include <string>

#include "tests/compile_properties/laws.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

/// The kernel in three groups of four items on a buffer of twelve ints 0, 10, 20, …, in all packs and cuts that the laws choose.
void holds(const std::string& text) {
  INFO(text);
  generate::Kernel kernel;
  kernel.wg_size = 4;
  kernel.groups = 3;
  kernel.inputs = {{"a", ScalarType::Int, true, {}}};
  for (std::uint64_t k = 0; k < 12; ++k) {
    kernel.inputs[0].values.push_back(10 * k);
  }
  for (std::uint64_t salt = 0; salt < 12; ++salt) {
    for (const KernelLaw law : {lowering, llvm_code}) {
      const Verdict verdict = law({kernel, text, salt});
      CHECK(verdict.wrong == "");
      CHECK(verdict.is_compared);
    }
  }
}

/// The body of a kernel whose item has the number i in the launch and l in its group.
void body_holds(const std::string& body) {
  holds("__kernel void k(__global int *a) {\n  int i = get_global_id(0), l = get_local_id(0);\n  " + body + "\n}\n");
}

}  // namespace

TEST_CASE("Directed: groups of a pack have local memory of their own", "[compile]") {
  body_holds("__local int t[4]; t[l] = a[i] + get_group_id(0); barrier(CLK_LOCAL_MEM_FENCE); a[i] = t[(a[i] / 10 + 1) % 4];");
}

TEST_CASE("Directed: a vote in a loop asks in every round", "[compile]") {
  body_holds(
      "int x[4], y[4]; for (int j = 0; j < 4; j++) x[j] = a[i] * (j - 1); "
      "for (int j = 0; j < 4; j++) y[j] = any(x[j] > 20) ? 1 : 0; "
      "a[i] = y[0] + 2 * y[1] + 4 * y[2] + 8 * y[3];");
}

TEST_CASE("Directed: indices wrap where their type does", "[compile]") {
  body_holds("uchar u = l; u += 254; a[i] = u;");
  body_holds("char c = l * 50; a[i] = c;");
  body_holds("uint u = l; u -= 2; a[i] = u > 5u;");
  body_holds("ushort s = l; s = s * 30000; a[i] = s + 1;");
}

TEST_CASE("Directed: a remainder has its dividend's sign", "[compile]") {
  body_holds("long w = (uint)((l - 2) % 3); a[i] = (int)(w >> 16);");
  body_holds("a[i] = (l - 2) % 3 < 0 ? 5 : 7;");
  body_holds("int r = (l - 2) % 3; if (r < 0) a[4 * get_group_id(0) + 2 + ((ushort)r - 65535)] = 9;");
}

TEST_CASE("Directed: rounds that a triangle leaves out are not done", "[compile]") {
  body_holds(
      "int t[4]; for (int j = 0; j < 4; j++) t[j] = a[i] + j; "
      "for (int s = 0; s < 4; s++) for (int j = 0; j < s; j++) t[j] = t[j] * 2 + 1; "
      "a[i] = t[0] + 3 * t[1] + 5 * t[2] + 7 * t[3];");
  body_holds(
      "int t[4]; for (int j = 0; j < 4; j++) t[j] = a[i] + j; "
      "for (int s = 0; s < 4; s++) for (int j = s + 1; j < 4; j++) t[j] = t[j] * 2 + 1; "
      "a[i] = t[0] + 3 * t[1] + 5 * t[2] + 7 * t[3];");
}

// In the rounds that a loop over a part of an array leaves out, the kernel's own condition reads what is not there.
TEST_CASE("Directed: a condition on an element beyond the last round decides nothing", "[compile]") {
  const std::string filled = "int x[4]; for (int j = 0; j < 4; j++) x[j] = a[i] - 10 * j; ";
  const std::string added = "a[i] = x[0] + 3 * x[1] + 5 * x[2] + 7 * x[3];";
  body_holds(filled + "for (int j = 0; j < 3; j++) if (x[j + 1] > 0) x[j] = 5; " + added);
  body_holds(filled + "for (int j = 1; j < 4; j++) if (x[j - 1] > 0) x[j] = 5; " + added);
  body_holds(filled + "for (int j = 0; j < 3; j++) if (x[j + 1] > 0) x[j] = 5; for (int j = 0; j < 4; j++) if (x[j] > 3) a[i] = x[j];");
  body_holds(filled + "int y[4] = {0}; for (int j = 0; j < 3; j++) { y[j] = 7; if (x[j + 1] > 0) a[i] = x[j] + y[j]; }");
  body_holds(filled +
             "bool y[4] = {true, false, true, true}; for (int j = 0; j < 3; j++) y[j] = y[j + 1] ? x[j] > x[j + 1] : false; "
             "a[i] = y[0] + 2 * y[1] + 4 * y[2] + 8 * y[3];");
}

// A number of the text is the same everywhere; what only the active items take from one of them is not.
TEST_CASE("Directed: a loop runs as often as a shuffled constant says", "[compile]") {
  body_holds("if (l & 1) { int m = shuffle(5, 1); int s = 0; for (int j = 0; j < m; ++j) s += a[i] + j; a[i] = s; }");
  holds(
      "void sum(uniform int n, __global int *a) { int i = get_global_id(0); for (int j = 0; j < n; ++j) a[i] = 2 * a[i] + j; }\n"
      "__kernel void k(__global int *a) { if (get_local_id(0) & 1) crev sum(5, a); }\n");
}

TEST_CASE("Directed: crev serves its callers in the order that is asked for", "[compile]") {
  holds(
      "void add(uniform int n, __global int *a) { a[get_local_id(0)] = a[get_local_id(0)] * 2 + n; }\n"
      "__kernel void k(__global int *a) { int l = get_local_id(0); __global int *own = a + 4 * get_group_id(0); if (l != 2) crev add(l + "
      "1, own); }\n");
}

// What the body assigns may stand in the loop's condition: then nothing is known of how often it runs.
TEST_CASE("Directed: a condition over what the body assigns is asked in every round", "[compile]") {
  body_holds("int x = 0, c = 0; for (int j = 0; j + x < 10; ++j) { x += 1; c += 1; } a[i] = c;");
  body_holds("int lo = 0, c = 0; for (int hi = 9; hi - lo > 0; --hi) { if (hi & 1) lo++; c++; } a[i] = c;");
  body_holds("int m = 1, c = 0; for (int j = 1; j * m < 20; ++j) { m += 1; c++; } a[i] = c;");
  body_holds("int n = 9, c = 0; for (int j = 0; j < n; ++j) { n -= l; c++; } a[i] = c;");
}

TEST_CASE("Directed: a counter is compared as the number that C makes of it", "[compile]") {
  body_holds("int c = 0; for (long j = -4; j < get_local_size(0); j += 1) c++; a[i] = c;");
  body_holds("int c = 0; for (long j = -4; get_local_size(0) > j; ++j) c++; a[i] = c;");
  body_holds("int c = 0; for (int j = -1; j < 5u; ++j) c++; a[i] = c;");
  body_holds("int c = 0; for (ulong j = 0; j - 1 < 5ul; ++j) c++; a[i] = c;");
  body_holds("int c = 0; for (ulong j = 1; j - 1 < 5ul; ++j) c++; a[i] = c;");
  body_holds("int c = 0; for (uchar j = 250; (uchar)(j + 10) < 12; ++j) c++; a[i] = c;");
  body_holds("int c = 0; for (char j = 120; j > 0; j += 3) c++; a[i] = c;");
  body_holds("int c = 0; for (uint j = 3; j <= 3; --j) c++; a[i] = c;");
  body_holds("int c = 0; for (int j = 0; j != 12; j += 3) c += j; a[i] = c;");
  body_holds("int c = 0; for (short j = 0; j < 100; j += 7) c += j; a[i] = c;");
}

TEST_CASE("Directed: shift counts from the width on begin again", "[compile]") {
  body_holds("uint n = a[i] + 77; a[4 * get_group_id(0) + (uchar)(n >> 32) % 4] = 7;");
  body_holds("int n = a[i] - 50; a[i] = (char)(n >> 40) + (n << 33);");
  body_holds("ulong n = a[i]; a[i] = (uchar)(n >> 64);");
}

// A bound may mean nothing where nobody comes to the loop: 12 / 0, or more rounds than anybody waits for.
TEST_CASE("Directed: a loop that nobody comes to has no rounds", "[compile]") {
  body_holds("int c = 0; for (int s = 0; s < 3; ++s) if (s > 0) for (int j = 0; j < 12 / s; ++j) c += j; a[i] = c;");
  body_holds("int c = 0; for (int s = 0; s < 3; ++s) if (s > l) for (int j = 0; j < 100.0f / s; ++j) c += j; a[i] = c;");
  body_holds("int c = 0; if (a[i] < 0) for (long j = 2147483647; j > -32767; j -= 1) c++; a[i] = c;");
  body_holds(
      "int c = 0; if (a[i] < 0) for (int s = 0; s < 1000; ++s) for (int j = 0; j < 1000; ++j) for (int k = 0; k < 10000; ++k) c ^= j + k; "
      "a[i] = c;");
  body_holds(
      "int c = 0; if (a[i] > 50) for (int s = 0; s < 40; ++s) for (int j = s; j < 40; ++j) for (int k = 0; k < 4; ++k) c ^= j + k; a[i] = "
      "c;");
}

// 3 * 0xAAAAAAAAAAAAAAAB is 2^65 + 1: item 3 begins one cell behind item 0.
TEST_CASE("Directed: indices that wrap meet where integers would not", "[compile]") {
  body_holds(
      "ulong b = 0xAAAAAAAAAAAAAAABul; if (l % 3 == 0) for (int j = 0; j < 3; ++j) a[l * b + j + 4 * get_group_id(0)] = 10 * l + j;");
  body_holds(
      "int t[4]; for (int j = 0; j < 4; ++j) t[j] = j; "
      "for (ulong j = 0; j < 4; j += 2) { t[j * 0x8000000000000000ul + 1] = a[i] + (int)j; t[2] += t[j * 0x8000000000000000ul + 1]; } "
      "a[i] = t[1] + 100 * t[2];");
}

// The first operand is read before the second one writes what it was read from.
TEST_CASE("Directed: operands keep their order", "[compile]") {
  holds(
      "int add(__global int *p) { *p += 5; return *p; }\n"
      "__kernel void k(__global int *a) { int i = get_global_id(0); a[i] = a[i] * 100 + add(a + i); }\n");
  holds(
      "int add(int *p) { *p += 5; return *p; }\n"
      "__kernel void k(__global int *a) { int i = get_global_id(0); int x = a[i]; a[i] = x * 100 + add(&x); x = a[i]; a[i] = x - add(&x); "
      "}\n");
}
