// Property 6 (Theorem 3.5) and its neighbours: what the translation makes is well-formed, has no code that no path leads to, and can be
// written and read back.

#include <catch2/catch.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "semantics/typed/check.hpp"
#include "semantics/typed/parse.hpp"
#include "tests/unit/core_translate_text.hpp"

using namespace lockstep;

namespace {

void check_program(const typed::Program& program) {
  const Diagnostics findings = typed::check(program);
  INFO(typed::print(program));
  CHECK(findings.empty());  // not even a warning
  const auto text = std::make_shared<const SourceFile>("translated.mus", typed::print(program));
  const auto back = typed::parse(text);
  if (!back) {
    FAIL(render(*text, back.error()));
  }
  CHECK(typed::same(program, *back));
}

/// Every kernel of the text, with every order of crev.
void check_all(const std::string& name, const std::string& text, core::Options options = {}) {
  const auto source = std::make_shared<const SourceFile>(name, text);
  for (const auto order : {core::CrevOrder::Ascending, core::CrevOrder::Descending, core::CrevOrder::Permuted}) {
    options.crev_order = order;
    Diagnostics warnings;
    const auto program = core::read_kernels(source, options, warnings);
    if (!program) {
      FAIL(render(*source, program.error()));
    }
    for (const core::Function& function : program->functions) {
      if (function.is_kernel) {
        INFO(name << ", kernel " << function.name);
        check_program(core::translate(*program, function));
      }
    }
  }
}

/// A kernel with two buffers and two scalars; `f` and `g` can be called, `r` by crev.
void check_body(const std::string& statements) {
  check_all("corpus.cl",
            "int f(__global int *a, int n) { for (;;) { if (a[n] > 3) return n; if (a[n] < 0) break; n -= 1; } return 0; }\n"
            "void g(int *p) { *p += 1; }\n"
            "void r(uniform __global int *a, uniform int n) {\n"
            "  if (n > 0) { a[get_local_id(0)] += n; crev r(a, n - 1); } else return;\n"
            "  for (int i = 0; i < n; i++) { if (i == get_local_id(0)) continue; crev r(a, n - i - 2); }\n"
            "}\n"
            "__kernel void k(__global int *a, __global float *b, int n, float x) {\n  int v = get_local_id(0);\n  " +
                statements + "\n}\n");
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

}  // namespace

TEST_CASE("core translate: leaving from anywhere is well-formed", "[core][translate]") {
  check_body("");
  check_body("return;");
  check_body("if (v) return; a[v] = 1;");
  check_body("if (v) return; else return; a[v] = 1;");
  check_body("if (v) { if (n) return; a[v] = 1; } a[v] += 2;");
  check_body("while (v--) { if (v == 3) break; if (v == 4) continue; if (v == 5) return; a[v] = 1; } a[v] = 2;");
  check_body("do { if (v == 3) break; if (v == 4) continue; if (v == 5) return; a[v] = 1; } while (a[v]); a[v] = 2;");
  check_body("do { if (v == 3) break; if (v == 4) continue; if (v == 5) return; a[v] = 1; } while (0); a[v] = 2;");
  check_body("do { if (v == 3) break; v++; } while (1); a[v] = 2;");
  check_body("for (int i = 0; i < n; i++) for (int j = i; ; j++) { if (j > 5) break; for (;;) { if (a[j]) return; break; } continue; }");
  check_body("for (int i = 0; i < n; i++) { break; }");
  check_body("for (int i = 0; i < n; i++) { continue; }");
  check_body("for (int i = 0; i < n; i++) { return; }");
  check_body("for (;;) a[v] = 1;");
  check_body("for (;;) { while (1) { if (v) break; } }");
  check_body("if (n) for (;;) a[v] = 1; a[v] = 2;");
  check_body("if (n) for (;;) a[v] = 1; else while (1) a[v] = 2; a[v] = 3;");
  check_body("if (n) { for (;;) a[v] = 1; } else { if (v) return; a[v] = 2; } a[v] = 3;");
  check_body("while (1) { if (n) for (;;) a[v] = 1; else break; } a[v] = 2;");
  check_body("if (v) { } if (v) ; else { } while (0) a[v] = 1; for (int i = 0; i < 3; i++) ; { } ;");
}

TEST_CASE("core translate: switches are well-formed", "[core][translate]") {
  check_body("switch (v) { } switch (v) { default: a[v] = 1; } switch (v) { case 1: ; }");
  check_body("switch (v) { case 1: a[v] = 1; case 2: if (n) break; a[v] = 2; default: if (n > 3) break; a[v] = 3; case 7: a[v] = 4; }");
  check_body(
      "while (n--) { switch (v) { case 1: continue; case 2: break; case 3: return; default: if (n) continue; a[v] = 1; } a[v] = 2; }");
  check_body(
      "switch (v) { case 1: switch (n) { case 2: break; case 3: return; } break; case 4: while (1) { if (n) break; n++; } case 5: n = 1; "
      "}");
  check_body("switch (v) { case 1: for (;;) a[v] = 1; default: for (;;) a[v] = 2; }");
}

TEST_CASE("core translate: expressions that branch are well-formed", "[core][translate]") {
  check_body("a[v] = n && a[v] && (a[v + 1] || x > 2.0f && f(a, v)) ? a[a[v]]++ : --n;");
  check_body("if (a[v] && (v ? a[n] : b[n] > x)) a[v] = f(a, f(a, n)); else n ? g(&n) : g(&v);");
  check_body("while (a[v] && v > 3 || f(a, v)) { if (a[v] ? n : a[n]) break; v -= a[v] ? 1 : 2; }");
  check_body("for (int i = a[v] ? 1 : 2; a[i] && i < 5; i += a[i] ? 1 : 2) if (i == 3) continue; else a[i] = 1;");
  check_body("int m[2][3] = {{1, a[v] ? 2 : 3}}; m[v][n] += m[1][m[0][1]++] * f(a, m[1][1] = 4);");
  check_body("a[v] = shuffle(a[v] ? n : v, n && a[n]) + any(a[v] || n) + popcount(ballot(v > n && a[n]));");
}

TEST_CASE("core translate: crev is well-formed wherever it stands", "[core][translate]") {
  check_body("crev r(a, v);");
  check_body(
      "if (v > 1) crev r(a, a[v] ? v : n); else { while (n--) { if (v == n) break; crev r(a, n); if (n == 3) return; crev r(a, 2); } }");
  check_body("switch (v) { case 1: crev r(a, 1); case 2: if (n) break; crev r(a, v); }");
}

TEST_CASE("core translate: every example is well-formed", "[core][translate]") {
  std::size_t kernels = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(LOCKSTEP_SOURCE_DIR) + "/examples")) {
    if (entry.path().extension() != ".cl") {
      continue;
    }
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const unsigned wg_size : {1U, 4U, 32U}) {
      core::Options options;
      options.wg_size = text.contains("reqd_work_group_size") ? 0 : wg_size;
      check_all(entry.path().filename().string(), text, options);
    }
    ++kernels;
  }
  CHECK(kernels >= 10);
}

TEST_CASE("core translate: deep nesting and long texts", "[core][translate]") {
  check_body(repeated("if (v > 1) { ", 150) + "return;" + repeated(" a[v] = 1; }", 150));
  check_body(repeated("while (v > 1) { ", 100) + "return;" + repeated(" if (n) break; a[v] = 1; }", 100));
  check_body("a[v] = " + repeated("(n + ", 150) + "n" + repeated(")", 150) + ";");
  check_body("a[v] = " + repeated("(a[v] && ", 100) + "n" + repeated(")", 100) + ";");
  check_body(repeated("if (v == n) return; a[v] += 1;\n", 500));
  check_body(repeated("n = n * 3 + a[v] - (n << 2);\n", 2000));
}
