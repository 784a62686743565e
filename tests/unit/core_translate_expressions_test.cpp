// Expressions: what stays one expression, what becomes an instruction of its own, and in which order. The expected code is written by hand
// from docs/kernel-language.md (evaluation from left to right; && || ?: diverge like if) and the comments of tree.hpp.

#include <catch2/catch.hpp>

#include "tests/unit/core_translate_text.hpp"

using namespace lockstep;

namespace {

/// The listing of a kernel with a body, in which `a` and `f` are buffers and `n` and `x` scalars.
std::string body(const std::string& statements, const std::string& in_front = {}) {
  const auto program = translated(in_front + "__kernel void k(__global int *a, __global float *f, int n, float x) { " + statements + " }");
  std::string text = listing(program);
  const std::string end = "stop\n";
  REQUIRE(text.ends_with(end));
  text.resize(text.size() - end.size());
  return text;
}

}  // namespace

TEST_CASE("core translate: pure parts are one expression, loads are instructions in order", "[core][translate]") {
  CHECK(body("int y = (n + 3) * n - (n << 2); a[0] = y;") ==
        "y = (n + 3) * n - (n << 2)\n"
        "st a[0] = y\n");
  CHECK(body("a[n] = a[0] + a[1] * 2;") ==
        "t.1 = ld a[0]\n"
        "t.2 = ld a[1]\n"
        "st a[n] = t.1 + t.2 * 2\n");
  CHECK(body("int y = a[a[n] + 1]; a[0] = y;") ==
        "t.1 = ld a[n]\n"
        "y = ld a[t.1 + 1]\n"
        "st a[0] = y\n");
}

TEST_CASE("core translate: an operand that waits does not see later changes", "[core][translate]") {
  SECTION("of a variable") {
    CHECK(body("int y = n + (n = 3, a[0]); a[1] = y;") ==
          "t.1 = n\n"
          "n = 3\n"
          "t.2 = ld a[0]\n"
          "y = t.1 + t.2\n"
          "st a[1] = y\n");
  }
  SECTION("nor of an address") {
    CHECK(body("a[n] = (n = 5, 2);") ==
          "t.1 = n\n"
          "n = 5\n"
          "st a[t.1] = 2\n");
  }
  SECTION("of an array element") {
    CHECK(body("int m[2] = {1, 2}; int y = m[0] + (m[1] = 4); a[0] = y;") ==
          "m[0l] = 1\n"
          "m[1l] = 2\n"
          "t.1 = 4\n"
          "t.2 = m[0]\n"
          "m[1] = t.1\n"
          "y = t.2 + t.1\n"
          "st a[0] = y\n");
  }
  SECTION("by a call that has its address") {
    CHECK(body("int y = 1; int z = y + g(&y); a[0] = z;", "int g(int *p) { *p = 7; return 2; }\n") ==
          "y[0l] = 1\n"
          "t.2 = y[0l]\n"
          "t.1 = call g(&y)\n"
          "z = t.2 + t.1\n"
          "st a[0] = z\n");
  }
  SECTION("within an arm: it is saved for all, before the branch") {
    CHECK(body("int y = n + (x > 1.0f ? (n = a[1]) : 5); a[0] = y;") ==
          "t.2 = n\n"
          "bz x > 1.0f, Else1\n"
          "n = ld a[1]\n"
          "t.1 = n\n"
          "jmp Join1\n"
          "Else1: t.1 = 5\n"
          "Join1: sync\n"
          "y = t.2 + t.1\n"
          "st a[0] = y\n");
  }
  SECTION("but nothing is copied without need") {
    CHECK(body("int y = n + (x > 1.0f ? a[1] : 5); a[0] = y;") ==
          "bz x > 1.0f, Else1\n"
          "t.1 = ld a[1]\n"
          "jmp Join1\n"
          "Else1: t.1 = 5\n"
          "Join1: sync\n"
          "y = n + t.1\n"
          "st a[0] = y\n");
  }
}

TEST_CASE("core translate: assignments and their values", "[core][translate]") {
  CHECK(body("int y = n++ * 2; a[0] = y;") ==
        "t.1 = n\n"
        "n = n + 1\n"
        "y = t.1 * 2\n"
        "st a[0] = y\n");
  CHECK(body("int y = ++n * 2; a[0] = y;") ==
        "n = n + 1\n"
        "y = n * 2\n"
        "st a[0] = y\n");
  CHECK(body("a[n] += 2;") ==
        "t.1 = ld a[n]\n"
        "st a[n] = t.1 + 2\n");
  CHECK(body("a[n + n * n] += 2;") ==  // an address that is more than a few nodes is computed once
        "t.1 = n + n * n\n"
        "t.2 = ld a[t.1]\n"
        "st a[t.1] = t.2 + 2\n");
  CHECK(body("a[1] = a[2]++;") ==
        "t.1 = ld a[2]\n"
        "t.2 = t.1\n"
        "t.3 = ld a[2]\n"
        "st a[2] = t.3 + 1\n"
        "st a[1] = t.2\n");
  CHECK(body("int y; a[0] = y = n;") ==
        "y = n\n"
        "st a[0] = y\n");
}

TEST_CASE("core translate: short circuit without a branch only where nobody can tell", "[core][translate]") {
  SECTION("total, initialised, not poison") {
    CHECK(body("if (n > 1 && x < 2.0f) a[0] = 1;") ==
          "bz n > 1 && x < 2.0f, Join1\n"
          "st a[0] = 1\n"
          "Join1: sync\n");
    CHECK(body("a[0] = n > 1 ? n : 7;") == "st a[0] = n > 1 ? n : 7\n");
    CHECK(body("a[0] = !n || n + 1;") == "st a[0] = !n || n + 1 != 0\n");
  }
  SECTION("the right side reads memory") {
    CHECK(body("a[0] = n > 1 && a[n];") ==
          "t.1 = n > 1\n"
          "bz t.1, Join1\n"
          "t.2 = ld a[n]\n"
          "t.1 = t.2 != 0\n"
          "Join1: sync\n"
          "st a[0] = t.1\n");
  }
  SECTION("or: the right side is for those whose left side is 0") {
    CHECK(body("a[0] = n > 1 || a[n];") ==
          "t.1 = n > 1\n"
          "bz !t.1, Join1\n"
          "t.2 = ld a[n]\n"
          "t.1 = t.2 != 0\n"
          "Join1: sync\n"
          "st a[0] = t.1\n");
  }
  SECTION("a chain has one temporary") {
    CHECK(body("a[0] = n > 1 && a[n] && a[1];") ==
          "t.1 = n > 1\n"
          "bz t.1, Join1\n"
          "t.2 = ld a[n]\n"
          "t.1 = t.2 != 0\n"
          "Join1: sync\n"
          "bz t.1, Join2\n"
          "t.3 = ld a[1]\n"
          "t.1 = t.3 != 0\n"
          "Join2: sync\n"
          "st a[0] = t.1\n");
  }
  SECTION("a division, a conversion, an element, an uninitialised variable, something that a shuffle may have made poison") {
    const std::string branch = "bz ";
    CHECK(body("a[0] = n && 8 / n > 2;").find(branch) != std::string::npos);
    CHECK(body("a[0] = n && (int)x;").find(branch) != std::string::npos);
    CHECK(body("int m[2] = {1, 2}; a[0] = n && m[n];").find(branch) != std::string::npos);
    CHECK(body("int y; if (n) y = 1; a[0] = n > 1 && y;").find("bz t.1") != std::string::npos);
    CHECK(body("int y = shuffle(n, 1); a[0] = n > 1 && y;").find(branch) != std::string::npos);
    CHECK(body("int y = n; y = y + shuffle(n, 1); int z = y; a[0] = n > 1 && z;").find(branch) != std::string::npos);
    CHECK(body("a[0] = a[1] && n;").find(branch) != std::string::npos);  // the left side may be poison: a branch on it is undefined
    CHECK(body("a[0] = n > 1 ? 8 / n : 0;").find(branch) != std::string::npos);
  }
  SECTION("the chosen arm alone decides about poison") {
    CHECK(body("int y = a[1]; a[0] = n > 1 ? y : 0;") ==
          "y = ld a[1]\n"
          "st a[0] = n > 1 ? y : 0\n");
  }
  SECTION("a variable that both arms of an if set is initialised behind it") {
    CHECK(body("int y; if (n) y = 1; else y = 2; a[0] = n > 1 && y;").find("n > 1 && y != 0") != std::string::npos);
  }
}

TEST_CASE("core translate: a parameter may be poison only if some caller passes such a value", "[core][translate]") {
  const std::string text =
      "int f(int n) { return n > 0 && n < 9; }\n"
      "__kernel void clean(__global int *a, int n) { a[0] = f(n); }\n"
      "__kernel void loaded(__global int *a, int n) { a[0] = f(n) + f(a[1]); }\n";
  CHECK(listing(translated(text, {}, "clean"), "f") == "ret n > 0 && n < 9\n");
  CHECK(listing(translated(text, {}, "loaded"), "f") ==
        "t.1 = n > 0\n"
        "bz t.1, Join1\n"
        "t.1 = n < 9\n"
        "Join1: sync\n"
        "ret t.1\n");
}

TEST_CASE("core translate: arrays are row-major, of several indices each is checked", "[core][translate]") {
  CHECK(body("int m[4]; m[n] = 1; a[0] = m[n + 1];") ==
        "m[n] = 1\n"
        "st a[0] = m[n + 1]\n");
  CHECK(body("int m[2][3]; m[n][n + 1] = 1;") == "m[long(within(n, 2, m, 1)) * 3l + long(within(n + 1, 3, m, 2))] = 1\n");
  CHECK(body("int m[2][3][4]; m[n][1][n] = 1;") == "m[(long(within(n, 2, m, 1)) * 3l + 1l) * 4l + long(within(n, 4, m, 3))] = 1\n");
  CHECK(body("int m[2][3]; m[get_local_id(0)][0] = 1;") == "m[long(within(local_id, 2, m, 1)) * 3l + 0l] = 1\n");
  CHECK(body("__local float s[2][3]; s[n][n] = x; x = s[1][2];") ==
        "st @s[long(within(n, 2, @s, 1)) * 3l + long(within(n, 3, @s, 2))] = x\n"
        "x = ld @s[5l]\n");
  CHECK(body("__local int s; s = n; n = s;") ==
        "st @s[0l] = n\n"
        "n = ld @s[0l]\n");
  const auto program = translated("__kernel void k(int n) { int m[2][3]; __local char s[4]; m[n][0] = 1; s[n] = 2; }");
  REQUIRE(program.kernel().registers.size() == 2);
  CHECK(program.kernel().registers[1].count == 6);
  CHECK(program.kernel().registers[1].extents == std::vector<std::uint64_t>{2, 3});
  REQUIRE(program.objects.size() == 1);
  CHECK(program.objects[0].element == ScalarType::Char);
  CHECK(program.objects[0].count == 4);
  CHECK(program.objects[0].space == AddressSpace::Local);
}

TEST_CASE("core translate: pointers", "[core][translate]") {
  CHECK(body("int m[2][3]; int *p = &m[1][2]; *p = 4; p[n] = *(p + 1); n = p - &m[0][0];") ==
        "p = &m + 5l\n"
        "st p[0l] = 4\n"
        "t.1 = ld (p + 1l)[0l]\n"
        "st p[n] = t.1\n"
        "n = int(p - &m)\n");
  CHECK(body("int *p = &n; *p = 4;") ==  // a parameter whose address is taken moves to an array
        "n.2[0l] = n\n"
        "p = &n.2\n"
        "st p[0l] = 4\n");
  CHECK(body("int m[2][3]; g(m, n);", "void g(int m[2][3], int i) { m[i][1] = 5; }\n") == "call g(&m, n)\n");
}

TEST_CASE("core translate: file-scope constants", "[core][translate]") {
  const auto program = translated(
      "__constant int table[3] = {4, 5, 6}; __constant float unused[2] = {1, 2}; __constant int seven = 7;\n"
      "__kernel void k(__global int *a, int n) { a[0] = table[n] + seven; }\n");
  CHECK(listing(program) ==
        "t.1 = ld @table[n]\n"
        "st a[0] = t.1 + 7\n"
        "stop\n");
  REQUIRE(program.objects.size() == 1);
  CHECK(program.objects[0].values == std::vector<std::uint64_t>{4, 5, 6});
}

TEST_CASE("core translate: items of a warp look at each other", "[core][translate]") {
  CHECK(body("int y = shuffle(n, 3); a[0] = y;") ==
        "y = shfl.active(n, 3l)\n"
        "st a[0] = y\n");
  CHECK(body("a[0] = shuffle(n + 1, n);") ==
        "t.2 = n + 1\n"
        "t.1 = shfl.active(t.2, long(n))\n"
        "st a[0] = t.1\n");
  CHECK(body("int y; if (n) y = 1; a[0] = shuffle(y, 0);").find("t.2 = y\nt.1 = shfl.active(t.2, 0l)\n") !=
        std::string::npos);  // each item reads its own y, which has to be initialised
  CHECK(body("a[0] = any(n) + all(n > 1) + popcount(ballot(n));") ==
        "t.1 = any.active(n)\n"
        "t.2 = all.active(n > 1)\n"
        "t.3 = ballot.active(n)\n"
        "st a[0] = int(ulong(t.1 + t.2) + popcount(t.3))\n");
  CHECK(body("barrier(CLK_LOCAL_MEM_FENCE);") == "barrier local\n");
  CHECK(body("barrier(CLK_GLOBAL_MEM_FENCE);") == "barrier global\n");
  CHECK(body("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);") == "barrier\n");
  CHECK(body("barrier(0);") == "barrier nothing\n");
}

TEST_CASE("core translate: what is undefined is computed even if nobody wants it", "[core][translate]") {
  CHECK(body("8 / n;") == "t.1 = 8 / n\n");
  CHECK(body("a[n];") == "t.1 = ld a[n]\n");
  CHECK(body("n > 1 ? f[0] : x;") ==
        "bz n > 1, Else1\n"
        "t.1 = ld f[0]\n"
        "jmp Join1\n"
        "Else1: t.2 = x\n"
        "Join1: sync\n");
}

TEST_CASE("core translate: each instruction and node names its own place in the text", "[core][translate]") {
  const std::string text =
      "__kernel void k(__global int *a, int n) {\n"
      "  a[0] = n +\n"
      "         a[1] / n;\n"
      "}\n";
  const auto program = translated(text);
  const auto at = [&](SourceSpan span) { return text.substr(span.begin, span.end - span.begin); };
  REQUIRE(program.code.size() == 3);
  CHECK(at(program.code[0].span) == "a[1]");
  CHECK(at(program.code[1].span) == "a[0]");  // the store that may miss the buffer or race
  const auto& store = std::get<typed::Store>(program.code[1].instruction);
  CHECK(at(store.value.span()) == "n +\n         a[1] / n");
  REQUIRE(store.value.nodes.size() == 5);
  CHECK(at(store.value.nodes[3].span) == "a[1] / n");
}
