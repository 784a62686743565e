// Typed trees of kernels, written by hand from C99's rules and docs/kernel-language.md.

#include <bit>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/core_tree_text.hpp"

using namespace lockstep;
using namespace lockstep::core_test;

namespace {

struct Kernel {
  Reading reading;
  const core::Function* function;

  const core::Body& body() const { return function->body; }
  const core::Stmt& last() const { return function->body.back(); }
  std::string text(core::ExprId id) const { return tree_text(*reading.program, *function, id); }
};

/// The file's last function.
Kernel checked(const std::string& source, core::Options options = {}) {
  Kernel kernel{read(source, options), nullptr};
  INFO(source << kernel.reading.errors());
  REQUIRE(kernel.reading.program);
  kernel.function = &kernel.reading.program->functions.back();
  return kernel;
}

constexpr const char* head = "__kernel void k(__global float *a, __global int *p, uint u, int i, long l, char c, bool b, float x) {\n";

Kernel in_kernel(const std::string& statements, core::Options options = {}) { return checked(head + statements + "\n}\n", options); }

/// The tree of an expression over the kernel's parameters.
std::string tree(const std::string& expression) {
  const Kernel kernel = in_kernel("float r[4][5]; int q[3];\n" + expression + ";");
  return kernel.text(std::get<core::Evaluate>(kernel.last().node).expression);
}

/// The initial values of the kernel's last declaration.
std::string values(const std::string& declaration) {
  const Kernel kernel = in_kernel(declaration);
  const auto& declare = std::get<core::Declare>(kernel.last().node);
  std::string text = name_of(kernel.function->variables[declare.variable].type);
  for (const core::ExprId id : declare.values) {
    const auto* literal = std::get_if<core::Literal>(&kernel.function->at(id).node);
    text += " " + (literal != nullptr ? ops::text_of(kernel.function->at(id).type.scalar, literal->bits) : kernel.text(id));
  }
  return text;
}

std::uint64_t literal_bits(const std::string& text) {
  const Kernel kernel = in_kernel(text + ";");
  const core::Expr& expr = kernel.function->at(std::get<core::Evaluate>(kernel.last().node).expression);
  return std::get<core::Literal>(expr.node).bits;
}

}  // namespace

TEST_CASE("sema tree: conversions stand where C makes them") {
  CHECK(tree("u + i") == "(+ u:uint (conv i:int):uint):uint");
  CHECK(tree("c + b") == "(+ (conv c:char):int (conv b:bool):int):int");
  CHECK(tree("c << l") == "(<< (conv c:char):int (conv l:long):int):int");
  CHECK(tree("l < u") == "(< l:long (conv u:uint):long):int");
  CHECK(tree("!x") == "(! x:float):int");
  CHECK(tree("b ? i : x") == "(? b:bool (conv i:int):float x:float):float");
  CHECK(tree("i = x") == "(= i:int (conv x:float):int):int");
  CHECK(tree("x = 1") == "(= x:float 1:float):float");
  CHECK(tree("x = 1.0 / 3") == "(= x:float (conv (/ 1:double 3:double):double):float):float");
  CHECK(tree("(float)i / 2") == "(/ (cast i:int):float 2:float):float");
  CHECK(tree("(int)i + 0") == "(+ (cast i:int):int 0:int):int");
  CHECK(tree("i && x") == "(&& i:int x:float):int");
  CHECK(tree("get_local_id(0) - 1 < 0") == "(< (- ask0:ulong 1:ulong):ulong 0:ulong):int");
}

TEST_CASE("sema tree: compound assignments and steps are expanded") {
  CHECK(tree("i += x") == "(= i:int (conv (+ (conv old:int):float x:float):float):int):int");
  CHECK(tree("c <<= 1") == "(= c:char (conv (<< (conv old:char):int 1:int):int):char):char");
  CHECK(tree("i++") == "(=old i:int (+ old:int 1:int):int):int");
  CHECK(tree("--c") == "(= c:char (conv (- (conv old:char):int 1:int):int):char):char");
  CHECK(tree("b++") == "(=old b:bool (conv (+ (conv old:bool):int 1:int):int):bool):bool");
  CHECK(tree("x--") == "(=old x:float (- old:float 1:float):float):float");
  CHECK(tree("a += i") == "(= a:__global float * (padd old:__global float * (conv i:int):long):__global float *):__global float *");
  CHECK(tree("a[i++] *= 2") ==
        "(= ([] a:__global float * (=old i:int (+ old:int 1:int):int):int):float (* old:float 2:float):float):float");
}

TEST_CASE("sema tree: places and pointers") {
  CHECK(tree("r[1][i]") == "([] ([] r:float[4][5] 1:int):float[5] i:int):float");
  CHECK(tree("*a") == "([] a:__global float * 0:long):float");
  CHECK(tree("*(a + u)") == "([] (padd a:__global float * (conv u:uint):long):__global float * 0:long):float");
  CHECK(tree("u + a") == "(padd a:__global float * (conv u:uint):long):__global float *");
  CHECK(tree("a - i") == "(padd a:__global float * (- (conv i:int):long):long):__global float *");
  CHECK(tree("&a[i] - a") == "(pdiff (addr ([] a:__global float * i:int):float):__global float * a:__global float *):long");
  CHECK(tree("&a[1] > a") == "(> (addr ([] a:__global float * 1:int):float):__global float * a:__global float *):int");
  CHECK(tree("r[1] + 1") == "(padd (addr ([] r:float[4][5] 1:int):float[5]):float * 1:long):float *");
  CHECK(tree("r + 1") == "(padd (addr r:float[4][5]):float (*)[5] 1:long):float (*)[5]");
  CHECK(tree("**r") == "([] ([] r:float[4][5] 0:long):float[5] 0:long):float");
  CHECK(tree("(float *)r") == "(padd (addr r:float[4][5]):float (*)[5] 0:long):float *");
  CHECK(tree("(const __global float *)a") == "(padd a:__global float * 0:long):const __global float *");
  CHECK(tree("!a") == "(? a:__global float * 0:int 1:int):int");
  CHECK(tree("a && i") == "(&& a:__global float * i:int):int");
}

TEST_CASE("sema tree: sizeof") {
  CHECK(tree("sizeof(r)") == "80:ulong");
  CHECK(tree("sizeof r[0]") == "20:ulong");
  CHECK(tree("sizeof(a)") == "8:ulong");
  CHECK(tree("sizeof(double[3])") == "24:ulong");
  CHECK(tree("sizeof c") == "1:ulong");
}

TEST_CASE("sema tree: work items and groups") {
  CHECK(tree("get_local_size(0)") == "32:ulong");
  CHECK(tree("get_global_id(0)") == "(+ (* ask1:ulong 32:ulong):ulong ask0:ulong):ulong");
  CHECK(tree("get_global_size()") == "(* ask2:ulong 32:ulong):ulong");
  CHECK(tree("get_sub_group_size()") == "(conv ask3:ulong):uint");
  CHECK(tree("get_sub_group_id()") == "(conv ask4:ulong):uint");
  CHECK(tree("get_sub_group_local_id()") == "(conv ask5:ulong):uint");
  CHECK(tree("shuffle(x, 3)") == "(group0 x:float 3:long):float");
  CHECK(tree("sub_group_broadcast(x, i)") == "(group0 x:float (conv i:int):long):float");
  CHECK(tree("sub_group_shuffle_xor(c, 1)") == "(group1 c:char 1:long):char");
  CHECK(tree("any(i)") == "(group2 i:int):int");
  CHECK(tree("all(x)") == "(group3 (!= x:float 0:float):int):int");
  CHECK(tree("ballot(l)") == "(group4 (!= l:long 0:long):int):ulong");
  CHECK(tree("work_group_any(b)") == "(group5 (conv b:bool):int):int");
  CHECK(tree("work_group_all(i > 1)") == "(group6 (> i:int 1:int):int):int");
}

TEST_CASE("sema tree: operations as builtins") {
  CHECK(tree("max(u, i)") == "(max u:uint (conv i:int):uint):uint");
  CHECK(tree("min(c, c)") == "(min c:char c:char):char");
  CHECK(tree("abs(c)") == "(abs c:char):uchar");
  CHECK(tree("abs(b)") == "(abs (conv b:bool):int):uint");
  CHECK(tree("rcp(x)") == "(rcp x:float):float");
  CHECK(tree("fma(x, i, 2)") == "(fma x:float (conv i:int):float 2:float):float");
  CHECK(tree("popcount(c)") == "(popcount c:char):char");
}

TEST_CASE("sema tree: floating constants are rounded once, to their own type") {
  CHECK(literal_bits("0.1") == 0x3FB999999999999A);
  CHECK(literal_bits("0.1f") == 0x3DCCCCCD);
  // Just above the middle of 1 and the next float: by way of double it would round to the even neighbour, 1.
  CHECK(literal_bits("1.00000005960464477540f") == 0x3F800001);
  CHECK(literal_bits("0x1.8p1") == 0x4008000000000000);
  CHECK(literal_bits("1e-400") == 0);
  CHECK(literal_bits("4.9406564584124654e-324") == 1);
  CHECK(literal_bits("INFINITY") == 0x7F800000);
  CHECK(literal_bits("M_PI") == 0x400921FB54442D18);
  CHECK(literal_bits("M_PI_F") == 0x40490FDB);
  CHECK(literal_bits("INT_MIN") == 0xFFFFFFFF80000000);
  CHECK(literal_bits("FLT_MAX") == 0x7F7FFFFF);
}

TEST_CASE("sema tree: initialisers") {
  CHECK(values("int v = 2.5f;") == "int 2");
  CHECK(values("int v = {3};") == "int 3");
  CHECK(values("float v[3] = {1, 2};") == "float[3] 1 2 0");
  CHECK(values("int v[] = {1, 2, 3,};") == "int[3] 1 2 3");
  CHECK(values("int v[2][3] = {{1}, {2, 3}};") == "int[2][3] 1 0 0 2 3 0");
  CHECK(values("int v[2][2] = {1, 2, 3};") == "int[2][2] 1 2 3 0");
  CHECK(values("int v[][2] = {1, 2, {3}, 4};") == "int[3][2] 1 2 3 0 4 0");
  CHECK(values("int v[2] = {i, i + 1};") == "int[2] i:int (+ i:int 1:int):int");
  CHECK(values("const int n = 2; int v[n + get_local_size() / 32] = {7};") == "int[3] 7 0 0");
  CHECK(values("__global float *q = a;") == "__global float * a:__global float *");
  CHECK(values("int v[2];") == "int[2]");
}

TEST_CASE("sema tree: __constant objects") {
  const Kernel kernel = checked(
      "__constant int n = 2 + 3;\n"
      "__constant float t[2][n - 3] = {{1, 2}, {-3}};\n"
      "__kernel void k(__global float *a) { a[n] = t[1][0]; }\n");
  const std::vector<core::Constant>& constants = kernel.reading.program->constants;
  REQUIRE(constants.size() == 2);
  CHECK(constants[0].name == "n");
  CHECK(constants[0].values == std::vector<std::uint64_t>{5});
  CHECK(name_of(constants[1].type) == "__constant float[2][2]");
  CHECK(constants[1].values == std::vector<std::uint64_t>{std::bit_cast<std::uint32_t>(1.0F), std::bit_cast<std::uint32_t>(2.0F),
                                                          std::bit_cast<std::uint32_t>(-3.0F), 0});
  CHECK(kernel.text(std::get<core::Evaluate>(kernel.last().node).expression) ==
        "(= ([] a:__global float * n:int):float ([] ([] t:__constant float[2][2] 1:int):__constant float[2] 0:int):float):float");
}

TEST_CASE("sema tree: constant expressions") {
  const auto size = [](const std::string& expression) { return values("int v[" + expression + "];"); };
  CHECK(size("2 * 3 - 1") == "int[5]");
  CHECK(size("get_local_size(0) / 2") == "int[16]");
  CHECK(size("7 % 4 << 1") == "int[6]");
  CHECK(size("1 ? 2 : 1 / 0") == "int[2]");
  CHECK(size("(0 && 1 / 0) + 1") == "int[1]");
  CHECK(size("(2 || 1 / 0) + 1") == "int[2]");
  CHECK(size("(int)2.9f") == "int[2]");
  CHECK(size("max(3, 4)") == "int[4]");
  CHECK(size("sizeof(int) * 2") == "int[8]");
  CHECK(size("-1 < 0u ? 1 : 2") == "int[2]");
  CHECK(size("(1 - 2.0f < -0.0f) + !0.0") == "int[2]");
}

TEST_CASE("sema tree: parameters") {
  const Kernel kernel = checked(
      "void f(uniform int n, const float v[4], float m[2][3], __local int *const s, varying uint w) {}\n"
      "__kernel void k(double *plain, const __global int *q, __constant float *t) {}\n");
  const core::Function& f = kernel.reading.program->functions[0];
  std::string types;
  for (const core::Variable& variable : f.variables) {
    types += name_of(variable.type) + (variable.is_uniform ? " uniform" : "") + (variable.is_const ? " const" : "") + "; ";
  }
  CHECK(types == "int uniform; const float *; float (*)[3]; __local int * const; uint; ");
  CHECK(f.parameter_count == 5);
  CHECK_FALSE(f.is_kernel);
  const core::Function& k = kernel.reading.program->functions[1];
  CHECK(name_of(k.variables[0].type) == "__global double *");  // as seed 000 writes its kernels
  CHECK(name_of(k.variables[1].type) == "const __global int *");
  CHECK(name_of(k.variables[2].type) == "__constant float *");
  CHECK(k.is_kernel);
}

TEST_CASE("sema tree: variables") {
  const Kernel kernel =
      in_kernel("__local int s[get_local_size()]; __local float t; int v = 1; int *w = &v; const int n = 1; __local int *q = s;");
  const auto variable = [&](const std::string& name) {
    for (const core::Variable& candidate : kernel.function->variables) {
      if (candidate.name == name) {
        return candidate;
      }
    }
    FAIL("no variable " << name);
    return core::Variable{};
  };
  CHECK(variable("s").space == AddressSpace::Local);
  CHECK(name_of(variable("s").type) == "__local int[32]");
  CHECK(variable("t").space == AddressSpace::Local);
  CHECK(variable("v").address_taken);
  CHECK_FALSE(variable("w").address_taken);
  CHECK(variable("n").is_const);
  CHECK(variable("q").space == AddressSpace::Private);
  CHECK(name_of(variable("q").type) == "__local int *");
}

TEST_CASE("sema tree: statements") {
  SECTION("switch") {
    const Kernel kernel = in_kernel("switch (c) { case 'a': case '\\xff': i = 1; i = 2; default: i = 3; break; case 7: ; }");
    const auto& node = std::get<core::Switch>(kernel.last().node);
    CHECK(kernel.text(node.value) == "(conv c:char):int");
    REQUIRE(node.sections.size() == 3);
    CHECK(node.sections[0].values == std::vector<std::uint64_t>{97, ~std::uint64_t{0}});
    CHECK(node.sections[0].body.size() == 2);
    CHECK(node.sections[1].is_default);
    CHECK(node.sections[1].body.size() == 2);
    CHECK(node.sections[2].values == std::vector<std::uint64_t>{7});
  }
  SECTION("case values take the type of the switch") {
    const Kernel kernel = in_kernel("switch (l) { case 0xffffffff: i = 1; }");
    CHECK(std::get<core::Switch>(kernel.last().node).sections[0].values == std::vector<std::uint64_t>{0xFFFFFFFF});
  }
  SECTION("for") {
    const Kernel kernel = in_kernel("for (int j = 0; ; ++j) { if (j > i) break; continue; }");
    const auto& loop = std::get<core::Loop>(kernel.last().node);
    CHECK(loop.kind == core::Loop::Kind::For);
    CHECK(std::holds_alternative<core::Declare>(loop.init.at(0).node));
    CHECK_FALSE(loop.condition);
    CHECK(loop.step);
    CHECK(loop.body.size() == 2);
  }
  SECTION("do and while") {
    CHECK(std::get<core::Loop>(in_kernel("do i--; while (i);").last().node).kind == core::Loop::Kind::DoWhile);
    CHECK(std::get<core::Loop>(in_kernel("while (i) i--;").last().node).kind == core::Loop::Kind::While);
  }
  SECTION("barrier") {
    CHECK(std::holds_alternative<core::Barrier>(in_kernel("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);").last().node));
    CHECK(std::holds_alternative<core::Barrier>(in_kernel("barrier();").last().node));
  }
  SECTION("crev") {
    const Kernel kernel = checked(
        "void f(uniform int n, __global int *q) {}\n"
        "__kernel void k(__global int *q, char c) { crev f(c, q); }\n");
    const auto& crev = std::get<core::CrevCall>(kernel.last().node);
    CHECK(crev.function == 0);
    CHECK(kernel.text(crev.arguments.at(0)) == "(conv c:char):int");
    CHECK(kernel.reading.program->functions[0].is_crev_target);
    CHECK_FALSE(kernel.reading.program->functions[1].is_crev_target);
  }
}

TEST_CASE("sema tree: functions") {
  SECTION("recursion, also through a prototype") {
    const Kernel kernel = checked(
        "int odd(int n);\n"
        "int even(int n) { return n == 0 ? 1 : odd(n - 1); }\n"
        "int odd(int n) { return n == 0 ? 0 : even(n - 1); }\n"
        "__kernel void k(__global int *p) { p[0] = even(7); }\n");
    CHECK(kernel.reading.program->functions.size() == 3);
    CHECK(kernel.reading.program->functions[0].name == "even");
  }
  SECTION("the only kernel, or one by name") {
    const Reading reading = read("void f() {}\n__kernel void one() {}\n__kernel void two() {}\n");
    REQUIRE(reading.program);
    CHECK(reading.program->kernel("two")->name == "two");
    CHECK(reading.program->kernel("f") == nullptr);
    CHECK(reading.program->kernel("") == nullptr);
    CHECK(read("__kernel void one() {}\n").program->kernel("")->name == "one");
  }
  SECTION("inner names hide outer ones") {
    const Kernel kernel = in_kernel("int v = 1; { float v = 2; x = v; } i = v;");
    const auto& inner = std::get<core::Block>(kernel.body().at(1).node);
    CHECK(kernel.text(std::get<core::Evaluate>(inner.body.at(1).node).expression) == "(= x:float v:float):float");
    CHECK(kernel.text(std::get<core::Evaluate>(kernel.last().node).expression) == "(= i:int v:int):int");
  }
}

TEST_CASE("sema tree: changes that are sequenced are fine") {
  for (const std::string expression : {"(i++, i++)", "i++ && i++", "i++ ? i++ : i--", "i = (i++, 5)", "a[i++] = u++", "i = min(i, 3) + u++",
                                       "p[0]++ + p[1]++", "p[i] = i++", "p[i]++ + (i++, p[i]++)", "i = j(i++)"}) {
    INFO(expression);
    const Reading reading = read("int j(int n) { return n; }\n" + std::string(head) + expression + ";\n}\n");
    CHECK(reading.errors() == "");
  }
}

TEST_CASE("sema tree: warnings") {
  const auto warnings = [](const std::string& source) { return read(source).warning_text(); };
  CHECK(warnings("__kernel void k(int i) {\n  i + 1;\n  (void)i;\n}\n") ==
        "k.cl:2:3: warning: the value of this expression is not used\n    i + 1;\n    ^^^^^\n");
  CHECK(warnings("int f(int i) {\n  if (i) return 1;\n}\n__kernel void k() {}\n") ==
        "k.cl:1:5: warning: control can reach the end of 'f' without returning 'int'\n  int f(int i) {\n      ^\n");
  CHECK(warnings("__kernel void k() {\n  int v[2];\n  v[2] = 1;\n  v[-1] = 1;\n}\n") ==
        "k.cl:3:5: warning: the index 2 lies outside the array, which has 2 elements\n    v[2] = 1;\n      ^\n"
        "k.cl:4:5: warning: the index -1 lies outside the array, which has 2 elements\n    v[-1] = 1;\n      ^^\n");
  for (const std::string body : {"while (1) {}", "for (;;) { if (i) return 2; }", "if (i) return 1; else return 2;",
                                 "do { return 1; } while (i);", "switch (i) { case 1: return 1; default: return 2; }"}) {
    INFO(body);
    CHECK(warnings("int f(int i) { " + body + " }\n__kernel void k() {}\n").empty());
  }
  for (const std::string body : {"while (i) return 1;", "for (;;) { if (i) break; }", "do { if (i) continue; return 1; } while (i);",
                                 "switch (i) { case 1: return 1; }", "switch (i) { case 1: break; default: return 2; }"}) {
    INFO(body);
    CHECK(warnings("int f(int i) { " + body + " }\n__kernel void k() {}\n").find("control can reach the end of 'f'") != std::string::npos);
  }
}
