// Strings that no call of printf has: arrays that they initialise, and constant arrays that nobody has declared. What a kernel makes of
// them is compared with what C++ makes of the same strings.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/core_tree_text.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;

namespace {

/// What the statements leave in `x`, which has 8 numbers -1.
std::vector<int> left_by(const std::string& statements) {
  const std::string text =
      "constant char text[] = \"he\\x6c\" \"lo\\n\";\nconstant char names[2][4] = {\"abc\", \"de\"};\n"
      "typedef struct { char tag[4]; int n; } entry;\n"
      "constant char *chosen(int i) { return i ? \"first\" : \"second\"; }\n"
      "int length(constant char *s) { int n = 0; while (s[n]) n++; return n; }\n"
      "kernel void k(global int *x) { int i = get_global_id(0);\n" +
      statements + "\n}";
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(8, -1))});
  const launch::Outcome outcome = launch_text::run(launch_text::program(text, 1), a, {});
  CHECK(!outcome.fault);
  return launch_text::numbers<int>(a.buffers.front());
}

std::string said(const std::string& statement) { return core_test::read("kernel void k(global int *x) { " + statement + " }").errors(); }

}  // namespace

TEST_CASE("strings initialise arrays of characters", "[core][strings]") {
  CHECK(left_by("for (int k = 0; k < 7; k++) x[k] = text[k]; x[7] = sizeof(text);") ==
        std::vector<int>{'h', 'e', 'l', 'l', 'o', '\n', 0, 7});
  CHECK(left_by("for (int k = 0; k < 8; k++) x[k] = names[k / 4][k % 4];") == std::vector<int>{'a', 'b', 'c', 0, 'd', 'e', 0, 0});
  CHECK(left_by("char t[6] = \"it's\\\"\", u[] = \"ab\"; for (int k = 0; k < 6; k++) x[k] = t[k]; x[6] = u[1]; x[7] = sizeof(u);") ==
        std::vector<int>{'i', 't', '\'', 's', '"', 0, 'b', 3});
  CHECK(left_by("char t[5] = \"quote\"; for (int k = 0; k < 5; k++) x[k] = t[k];") ==
        std::vector<int>{'q', 'u', 'o', 't', 'e', -1, -1, -1});
  CHECK(left_by("entry e = {\"ab\", 7}; x[0] = e.tag[0]; x[1] = e.tag[1]; x[2] = e.tag[2]; x[3] = e.n;") ==
        std::vector<int>{'a', 'b', 0, 7, -1, -1, -1, -1});
  CHECK(left_by("char t[] = \"\\0\\1012\\xff\\xc3\\xa9\u00e9%\"; for (int k = 0; k < 8; k++) x[k] = t[k];") ==
        std::vector<int>{0, 'A', '2', -1, -61, -87, -61, -87});
}

TEST_CASE("strings are constant arrays anywhere else", "[core][strings]") {
  CHECK(left_by("constant char *t = \"hello\"; x[0] = length(t); x[1] = length(\"four\") + length(\"hello\"); x[2] = t[i + 1];") ==
        std::vector<int>{5, 9, 'e', -1, -1, -1, -1, -1});
  CHECK(left_by("x[0] = chosen(1)[0]; x[1] = chosen(0)[1]; x[2] = \"xyz\"[i + 2]; x[3] = sizeof(\"abc\"); x[4] = *\"q\";") ==
        std::vector<int>{'f', 'e', 'z', 4, 'q', -1, -1, -1});
  CHECK(left_by("x[0] = \"one\" == \"one\"; x[1] = length(\"a\" \"b\" \"\");") == std::vector<int>{1, 2, -1, -1, -1, -1, -1, -1});
}

TEST_CASE("strings that stand where none can", "[core][strings]") {
  CHECK(said("char c = \"a\";").starts_with("k.cl:1:41: error: cannot convert '__constant char *' to 'char'"));
  CHECK(said("char t[2] = \"abc\";").contains("there are more initialisers than elements"));
  CHECK(said("x = \"abc\";").contains("the address spaces differ"));
  CHECK(said("char *t = \"abc\";").contains("the address spaces differ"));
  CHECK(said("x[0] = 1; \"abc\"[0] = 1;").contains("__constant memory cannot be written"));
}
