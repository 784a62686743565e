// What a C++ compiler's time is estimated by.

#include <catch2/catch.hpp>
#include <string>

#include "codegen/emit/avx512/size.hpp"

using namespace lockstep::emit_avx512;

TEST_CASE("emit avx512: calls are counted, long ones sixty times more, and what exists twice twice", "[emit_avx512]") {
  CHECK(compile_cost("") == 0);
  CHECK(compile_cost("void f() {\n  x = v::add(v::set1(1), y);\n}\n") == 2);
  CHECK(compile_cost("void f() {\n  x = v::gather(p, v::scatter_mask(y));\n  z = v::div(x, v::rem(x, y));\n}\n") == 4 * 61);
  CHECK(compile_cost("template <bool Stream>\nvoid f() {\n  x = v::add(x, y);\n}\nvoid g() {\n  x = v::add(x, y);\n}\n") == 3);
}

TEST_CASE("emit avx512: beyond what a compiler can deal with is said", "[emit_avx512]") {
  std::string text = "void f() {\n";
  for (std::uint64_t i = 0; i < most_compile_cost; ++i) {
    text += "v::or_;\n";
  }
  CHECK_FALSE(too_large(text + "}\n").has_value());
  const auto problem = too_large(text + "v::or_;\n}\n");
  REQUIRE(problem.has_value());
  CHECK(problem->find("a measure of 100001, more than 100000") != std::string::npos);
}
