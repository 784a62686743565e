// Contraction: one case for each sentence of docs/kernel-language.md, expectations written by hand.

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/core_tree_text.hpp"

using namespace lockstep;
using namespace lockstep::core_test;

namespace {

/// Without types: "(fma x y z)". What stands behind `:` up to the next blank or parenthesis goes.
std::string without_types(const std::string& text) {
  std::string out;
  bool in_type = false;
  for (const char c : text) {
    in_type = c == ':' || (in_type && c != ' ' && c != ')');
    if (!in_type) {
      out += c;
    }
  }
  return out;
}

std::string kernel(const std::string& statements) {
  return "float g(float x) { return x; }\n"
         "__kernel void k(float x, float y, float z, float w, double d, int i, int j) {\n" +
         statements + "\n}\n";
}

/// The tree of the kernel's last statement, which is an expression.
std::string last(const std::string& source, bool contract = true) {
  core::Options options;
  options.contract = contract;
  const Reading reading = read(source, options);
  INFO(source << reading.errors());
  REQUIRE(reading.program);
  const core::Function& function = *reading.program->kernel("k");
  return without_types(tree_text(*reading.program, function, std::get<core::Evaluate>(function.body.back().node).expression));
}

std::string fused(const std::string& expression) { return last(kernel("w = " + expression + ";")); }

}  // namespace

TEST_CASE("contract: the four forms") {
  CHECK(fused("x*y + z") == "(= w (fma x y z))");
  CHECK(fused("z + x*y") == "(= w (z-first fma x y z))");
  CHECK(fused("x*y - z") == "(= w (fma x y (- z)))");
  CHECK(fused("z - x*y") == "(= w (z-first fma (- x) y z))");
}

TEST_CASE("contract: unary plus does not keep a product from its sum") { CHECK(fused("+(x*y) + z") == "(= w (fma x y z))"); }

TEST_CASE("contract: of two products the left one is fused") {
  CHECK(fused("x*y + z*w") == "(= w (fma x y (* z w)))");
  CHECK(fused("x*y - z*w") == "(= w (fma x y (- (* z w))))");
  CHECK(fused("x*y + z*w + x*z") == "(= w (z-first fma x z (fma x y (* z w))))");
}

TEST_CASE("contract: parentheses are allowed, and products of products") {
  CHECK(fused("(x*y) + z") == "(= w (fma x y z))");
  CHECK(fused("z - ((x*y))") == "(= w (z-first fma (- x) y z))");
  CHECK(fused("x*y*z + w") == "(= w (fma (* x y) z w))");
  CHECK(fused("x*(y*z + w)") == "(= w (* x (fma y z w)))");
}

TEST_CASE("contract: no cast, negation or ?: between") {
  CHECK(fused("(float)(x*y) + z") == "(= w (+ (cast (* x y)) z))");
  CHECK(fused("-(x*y) + z") == "(= w (+ (- (* x y)) z))");
  CHECK(fused("(i ? x*y : x) + z") == "(= w (+ (? i (* x y) x) z))");
  CHECK(fused("(i, x*y) + z") == "(= w (+ (, i (* x y)) z))");
}

TEST_CASE("contract: -x*y+z is (-x)*y+z") { CHECK(fused("-x*y + z") == "(= w (fma (- x) y z))"); }

TEST_CASE("contract: compound assignments are expanded first") {
  CHECK(last(kernel("w -= x*y;")) == "(= w (z-first fma (- x) y old))");
  CHECK(last(kernel("w += x*y;")) == "(= w (z-first fma x y old))");
  CHECK(last(kernel("w += x*y + z;")) == "(= w (+ old (fma x y z)))");
  CHECK(last(kernel("w *= x + y;")) == "(= w (* old (+ x y)))");
  CHECK(last(kernel("i += x*y;")) == "(= i (conv (z-first fma x y (conv old))))");
}

TEST_CASE("contract: float and double only") {
  CHECK(last(kernel("i = i*j + i;")) == "(= i (+ (* i j) i))");
  CHECK(last(kernel("d = d*d + d;")) == "(= d (fma d d d))");
}

TEST_CASE("contract: a product must have the result's type") {
  SECTION("its implicit conversion blocks") {
    CHECK(last(kernel("d = x*y + d;")) == "(= d (+ (conv (* x y)) d))");
    CHECK(fused("i*j + x") == "(= w (+ (conv (* i j)) x))");
  }
  SECTION("that of a factor does not") {
    CHECK(last(kernel("d = x*d + d;")) == "(= d (fma (conv x) d d))");
    CHECK(fused("i*x + y") == "(= w (fma (conv i) x y))");
  }
}

TEST_CASE("contract: macros fuse; variables, initialisers and functions do not") {
  CHECK(last("#define PRODUCT(a, b) a * b\n" + kernel("w = PRODUCT(x, y) + z;")) == "(= w (fma x y z))");
  CHECK(last(kernel("float p = x*y; w = p + z;")) == "(= w (+ p z))");
  CHECK(fused("g(x*y) + z") == "(= w (+ (call g (* x y)) z))");
  CHECK(fused("(x = y*z) + y") == "(= w (+ (= x (* y z)) y))");
}

TEST_CASE("contract: the option turns it off everywhere") {
  CHECK(last(kernel("w = x*y + z;"), false) == "(= w (+ (* x y) z))");
  CHECK(last(kernel("w -= x*y;"), false) == "(= w (- old (* x y)))");
  CHECK(last("#pragma OPENCL FP_CONTRACT ON\n" + kernel("w = x*y + z;"), false) == "(= w (+ (* x y) z))");
}

TEST_CASE("contract: the pragma holds to the end of its block") {
  const std::string off = "#pragma OPENCL FP_CONTRACT OFF\n";
  const std::string on = "\n#pragma OPENCL FP_CONTRACT ON\n";
  const std::string standard = "\n#pragma OPENCL FP_CONTRACT DEFAULT\n";
  const std::string apart = "(= w (+ (* x y) z))";
  const std::string together = "(= w (fma x y z))";
  CHECK(last(off + kernel("w = x*y + z;")) == apart);
  CHECK(last(kernel(off + "w = x*y + z;")) == apart);
  CHECK(last(kernel("if (i) {\n" + off + "w = 1; }\nw = x*y + z;")) == together);
  CHECK(last(off + kernel(on + "w = x*y + z;")) == together);
  CHECK(last(off + kernel(standard + "w = x*y + z;")) == together);
  CHECK(last(kernel(off + on + "w = x*y + z;")) == together);
}
