// Which values `uniform` parameters accept. Each case is argued from the meaning: the value is, or is not, the same for all active items.

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/core_tree_text.hpp"

using namespace lockstep;
using namespace lockstep::core_test;

namespace {

/// True if no error is reported for the kernel; `u` is a uniform sink, lid varies, n is the same for all.
bool accepts(const std::string& statements) {
  const Reading reading = read(
      "void u(uniform int x) {}\n"
      "int same(int x) { return x + 1; }\n"
      "int own(int x) { return x + get_local_id(0); }\n"
      "int early(int x) { if (get_local_id(0) > 3) return 1; return x; }\n"
      "void row(float *r) {}\n"
      "__kernel void k(__global int *p, int n) {\n  int lid = get_local_id(0);\n  int i = 0;\n  int q[4];\n  __local int s[4];\n" +
      statements + "\n}\n");
  const std::string errors = reading.errors();
  INFO(statements << "\n" << errors);
  CHECK((errors.empty() || errors.find("uniform") != std::string::npos));
  return errors.empty();
}

bool accepts_function(const std::string& function) {
  const Reading reading = read(function + "\n__kernel void k() {}\n");
  const std::string errors = reading.errors();
  INFO(function << "\n" << errors);
  CHECK((errors.empty() || errors.find("uniform") != std::string::npos));
  return errors.empty();
}

}  // namespace

TEST_CASE("uniformity: sources") {
  CHECK(accepts("u(1); u(n); u(n * 2 + get_group_id(0)); u(get_local_size(0)); u(get_num_groups(0));"));
  CHECK_FALSE(accepts("u(lid);"));
  CHECK_FALSE(accepts("u(get_global_id(0));"));
  CHECK_FALSE(accepts("u(get_sub_group_local_id());"));
  CHECK(accepts("u(p[n]); u(s[0]); u(*p);"));
  CHECK_FALSE(accepts("u(p[lid]);"));
  CHECK_FALSE(accepts("u(*(p + lid));"));
  CHECK(accepts("u(shuffle(lid, 0)); u(shuffle(lid, n)); u(any(lid)); u(all(lid)); u(ballot(lid));"));
  CHECK_FALSE(accepts("u(shuffle(n, lid));"));
  CHECK_FALSE(accepts("u(sub_group_shuffle_xor(lid, 1));"));
}

TEST_CASE("uniformity: variables") {
  CHECK(accepts("i = lid; i = 3; u(i);"));
  CHECK_FALSE(accepts("i = lid; u(i);"));
  CHECK_FALSE(accepts("i += lid; u(i);"));
  CHECK(accepts("q[0] = n; u(q[0]);"));
  CHECK_FALSE(accepts("q[0] = lid; u(q[1]);"));
  CHECK_FALSE(accepts("q[lid & 3] = 1; u(q[0]);"));
  CHECK_FALSE(accepts("int *r = q; *r = lid; u(q[0]);"));
  CHECK_FALSE(accepts("int *r = &i; *r = lid; u(i);"));
  CHECK_FALSE(accepts("__global int *r = p + lid; u(*r);"));
}

TEST_CASE("uniformity: what stays of a varying value") {
  CHECK_FALSE(accepts("int *r = q; *r = lid; u(*r);"));
  CHECK_FALSE(accepts("i = lid; i += 1; u(i);"));
  CHECK_FALSE(accepts("i = lid; i++; u(i);"));
  CHECK_FALSE(accepts("i = lid; switch (n) { case 0: i = 1; } u(i);"));
  CHECK(accepts("i = lid; switch (n) { case 0: i = 1; break; default: i = 2; } u(i);"));
}

TEST_CASE("uniformity: control") {
  CHECK(accepts("if (n) i = 1; u(i);"));
  CHECK_FALSE(accepts("if (lid) i = 1; u(i);"));
  CHECK_FALSE(accepts("lid && (i = 1); u(i);"));
  CHECK(accepts("n && (i = 1); u(i);"));
  CHECK_FALSE(accepts("i = lid ? 1 : 2; u(i);"));
  CHECK(accepts("if (lid) { int t = 1; u(t); u(2); }"));
  CHECK(accepts("if (n) { i = lid; i = 2; } else i = 3; u(i);"));
  CHECK_FALSE(accepts("if (n) i = lid; else i = 3; u(i);"));
  CHECK(accepts("switch (n) { case 1: i = 2; break; default: i = 3; } u(i);"));
  CHECK_FALSE(accepts("switch (lid) { case 1: i = 2; break; default: i = 3; } u(i);"));
  CHECK(accepts("if (lid > 3) return; i = 1; u(i);"));
}

TEST_CASE("uniformity: loops") {
  CHECK(accepts("for (int j = 0; j < n; ++j) { i += j; u(j); } u(i);"));
  CHECK_FALSE(accepts("for (int j = 0; j < lid; ++j) { i = j; } u(i);"));
  CHECK_FALSE(accepts("for (int j = 0; j < lid; ++j) { u(j); }"));
  CHECK_FALSE(accepts("while (1) { i++; if (i > lid) break; } u(i);"));
  CHECK(accepts("while (1) { i++; if (i > n) break; } u(i);"));
  CHECK_FALSE(accepts("for (int j = 0; j < n; ++j) { if (j == lid) continue; i++; } u(i);"));
  CHECK(accepts("for (int j = 0; j < n; ++j) { i++; if (j == lid) continue; q[0] = lid; } u(i);"));
  CHECK(accepts("for (int j = 0; j < n; ++j) { int t = 0; if (j == lid) continue; t = 1; u(t); }"));
  CHECK_FALSE(accepts("int a = 0, b = 0, c = 0; while (i < n) { i++; u(a); a = b; b = c; c = lid; }"));
  CHECK_FALSE(accepts("do { i++; } while (i < lid); u(i);"));
  CHECK(accepts("for (;;) { if (lid > 2) return; i++; u(i); if (i > n) break; }"));
}

TEST_CASE("uniformity: calls") {
  CHECK(accepts("u(same(n));"));
  CHECK_FALSE(accepts("u(same(lid));"));
  CHECK_FALSE(accepts("u(own(n));"));
  CHECK_FALSE(accepts("u(early(1));"));
}

TEST_CASE("uniformity: inside functions") {
  CHECK(accepts_function("void v(uniform int x) {}\nvoid f(uniform int x, int y) { v(x); v(x * 2); x = x + 1; v(x); }"));
  CHECK_FALSE(accepts_function("void v(uniform int x) {}\nvoid f(int y) { v(y); }"));
  CHECK_FALSE(accepts_function("void f(uniform int x, int y) { x += y; }"));
  CHECK_FALSE(accepts_function("void f(uniform int x, int y) { while (y--) x++; }"));
  CHECK_FALSE(accepts_function("void f(uniform int x) { if (get_local_id(0)) x = 1; }"));
  CHECK(accepts_function("void f(uniform int x) { if (x) x = 1; }"));
  CHECK(accepts_function("void f(uniform int x, int y) { if (y) return; x = 1; }"));
}

TEST_CASE("uniformity: crev passes scalars and pointers that vary: each caller's are broadcast") {
  const std::string callee = "void f(uniform int x, __global int *p) {}\n";
  CHECK(read(callee + "__kernel void k(__global int *p) { crev f(get_local_id(0), p + get_group_id(0)); }\n").errors().empty());
  CHECK(read(callee + "__kernel void k(__global int *p) { crev f(1, p + get_local_id(0)); }\n").errors().empty());
}

TEST_CASE("uniformity: long chains through loops end soon") {
  std::string source = "void u(uniform int x) {}\n__kernel void k(int n) {\n";
  for (int i = 0; i < 300; ++i) {
    source += "  int v" + std::to_string(i) + " = 0;\n";
  }
  source += "  while (n--) {\n    u(v0);\n";
  for (int i = 0; i < 299; ++i) {
    source += "    v" + std::to_string(i) + " = v" + std::to_string(i + 1) + ";\n";
  }
  source += "    v299 = get_local_id(0);\n  }\n}\n";
  CHECK_FALSE(read(source).errors().empty());
}
