// Trees back to text: print and parse are each other's inverse.

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "semantics/core/front_end.hpp"
#include "semantics/core/print.hpp"

namespace lockstep::core::syntax {
namespace {

TranslationUnit parsed(const std::string& text) {
  const SourceFile source("t", text);
  auto result = parse(source, {});
  INFO(text);
  INFO((result ? std::string() : render(source, result.error())));
  REQUIRE(result.has_value());
  return std::move(*result);
}

ExprPtr make(auto node) { return std::make_unique<Expr>(Expr{std::move(node), {}, false}); }
ExprPtr name(const std::string& text) { return make(Identifier{text}); }
ExprPtr binary(BinaryOp op, ExprPtr left, ExprPtr right) { return make(Binary{op, std::move(left), std::move(right), {}}); }
ExprPtr unary(UnaryOp op, ExprPtr operand) { return make(Unary{op, std::move(operand)}); }

Stmt statement(auto node) { return Stmt{std::move(node), {}}; }
std::unique_ptr<Stmt> boxed(Stmt statement) { return std::make_unique<Stmt>(std::move(statement)); }
Stmt evaluates(const std::string& text) { return statement(ExprStatement{name(text)}); }

TranslationUnit unit_of(Stmt body) {
  Function function;
  function.name.text = "f";
  function.body.emplace();
  function.body->statements.push_back(std::move(body));
  TranslationUnit unit;
  unit.items.push_back({std::move(function)});
  return unit;
}

// Kernels as people write them.
const std::vector<std::string> corpus = {
    R"(
__kernel void saxpy(__global const float *restrict x, __global float *restrict y, const float a, const unsigned int n) {
  const size_t i = get_global_id(0);
  if (i >= n) return;
  y[i] = a * x[i] + y[i];
}
)",
    R"(
#define TILE 16
__kernel __attribute__((reqd_work_group_size(TILE, 1, 1)))
void sgemm(__global const float *A, __global const float *B, __global float *C, int M, int N, int K) {
  __local float As[TILE][TILE + 1], Bs[TILE][TILE + 1];
  const int row = get_local_id(0) / TILE, col = get_local_id(0) % TILE;
  float acc = 0.0f;
  for (int t = 0; t < K / TILE; ++t) {
    As[row][col] = A[row * K + t * TILE + col];
    Bs[row][col] = B[(t * TILE + row) * N + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int k = 0; k < TILE; k++)
      acc += As[row][k] * Bs[k][col];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[row * N + col] = acc;
}
)",
    R"(
kernel void collatz(global const ulong *start, global uint *steps) {
  ulong v = start[get_global_id()];
  uint count = 0;
  while (v != 1) {
    v = v & 1 ? 3 * v + 1 : v >> 1;
    if (++count > 100000u) { count = ~0u; break; }
  }
  steps[get_global_id()] = count;
}
)",
    R"(
#ifndef REAL
#define REAL double
#endif
#define ROW(i) row[(i)]
static REAL dot(varying const REAL *row, uniform int n) {
  REAL sum = 0, c = 0;
  for (int i = 0; i < n; ++i) {
    REAL t = sum + ROW(i) * shuffle(ROW(i), (get_local_id() + 1) % get_local_size());
    c += fabs(sum) >= fabs(ROW(i)) ? (sum - t) + ROW(i) : (ROW(i) - t) + sum;
    sum = t;
  }
  return sum + c;
}
kernel void ldu(global REAL *out) {
  REAL row[get_local_size()], x = 1.e-3, inv;
  for (int i = 0; i < (int)get_local_size(); i++) row[i] = i == (int)get_local_id() ? 0x1.8p+1 : 1 / (REAL)(i + 1);
  inv = rcp(dot(row, get_local_size()));
  out[get_global_id()] = -inv * x - -x;
}
)",
    R"(
constant int table[3][2] = {{1, 2}, {3, 4}, {5, 6,},};
constant char letters[] = {'a', '\n', '\0', '\\', '\'', '\x7f'};
void step(uniform int depth, uniform global int *out);
void visit(uniform int depth, uniform global int *out) {
  if (depth == 0) { out[get_global_id()] += table[depth][0]; return; }
  local int found;
  found = any(out[depth] > 3) || all(letters[depth] != 'b');
  if (found) crev visit(depth - 1, out);
  else if (depth > 2) crev step(depth - 1, out);
  else ;
}
kernel void walk(global int *out) { crev visit(4, out); }
)",
    R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void odd(global long *p, global const char *s, int n) {
#pragma OPENCL FP_CONTRACT ON
  switch (n) {
    case 0:
    case 'x': { p[0] = 1; break; }
    case 2 + 3 * 4: p[1]++; --p[2]; p[3] <<= 2; p[4] >>= 1; p[5] ^= p[6] |= p[7] &= 3; break;
    default: p[n] %= 7; p[n] /= 3;
  }
  do { n -= 1; if (n == 3) continue; } while (n > 0 && s[n] != s[n - 1]);
  do n--; while (n);
  for (;;) if (n) break; else n = sizeof(int[3]) + sizeof n + sizeof(p) - sizeof p[0];
  for (n = 0, p[0] = 1; n < 3; n++, p[0]--) { }
  global const long *q = &p[1], *const r = p + 1;
  private long v[2][2] = {{1l, 2ul}, {0x3u, 4}}, w;
  w = (n, v[0][1]), w = *q - - *r + (long)*(global long *)q;
  w = n ? w ? 1 : 2 : w ? 3 : 4;
  (w = 3) + (((w)));
  ;
  { int w = true, z = !false; { } }
}
)",
};

}  // namespace

TEST_CASE("what is printed is read as the same tree", "[core][print]") {
  for (const std::string& text : corpus) {
    const TranslationUnit unit = parsed(text);
    const std::string printed = print(unit);
    INFO(printed);
    const TranslationUnit again = parsed(printed);
    CHECK(same(unit, again));
    CHECK(print(again) == printed);
  }
}

TEST_CASE("the printed form", "[core][print]") {
  const std::string canonical = R"(#pragma OPENCL FP_CONTRACT OFF
constant int table[2][2] = {{1, 2}, {3, 4}};
float g(uniform int n, global const float *p, float *const, int[]);

kernel void k(local float *s, ulong n) {
  const int i = (int)get_local_id(), *p, *const q = &i;
  #pragma OPENCL FP_CONTRACT DEFAULT
  if (i < 3) {
    s[i] = 1.5f;
  } else if (i == 3)
    s[i]++;
  else
    ;
  if (i)
    if (p)
      s[0] = 1.;
    else
      s[1] = 'a';
  while (i)
    for (int j = 0; j < 3; ++j)
      crev g(j, s);
  for (;;) {
    break;
  }
  do
    continue;
  while (i, n);
  do {
    return;
  } while (i);
  switch (i) {
    int x;
    case 1:
    case 2:
      x = 0x2a;
      {
        x = 3ul;
      }
    default:
  }
  return (-i - -i + +(++i)) * (sizeof(int[3]) + sizeof i);
}

void h();
)";
  CHECK(print(parsed(canonical)) == canonical);
}

TEST_CASE("parentheses where the tree needs them", "[core][print]") {
  const auto a = [] { return name("a"); };
  const auto b = [] { return name("b"); };
  const auto c = [] { return name("c"); };
  const auto add = [](ExprPtr x, ExprPtr y) { return binary(BinaryOp::Add, std::move(x), std::move(y)); };
  const auto mul = [](ExprPtr x, ExprPtr y) { return binary(BinaryOp::Mul, std::move(x), std::move(y)); };
  const auto assign = [](ExprPtr x, ExprPtr y) { return make(Assignment{std::nullopt, std::move(x), std::move(y), {}}); };
  const auto choose = [](ExprPtr x, ExprPtr y, ExprPtr z) { return make(Conditional{std::move(x), std::move(y), std::move(z)}); };
  const auto comma = [](ExprPtr x, ExprPtr y) { return make(Comma{std::move(x), std::move(y)}); };
  const auto call = [](ExprPtr argument) {
    Call node{{"g", {}}, {}, false};
    node.arguments.push_back(std::move(argument));
    return make(std::move(node));
  };
  const auto cast = [](ExprPtr operand) {
    TypeName type;
    type.specifiers.type = ScalarType::Int;
    return make(Cast{std::move(type), std::move(operand)});
  };
  const auto size = [](ExprPtr operand) { return make(SizeofExpr{std::move(operand)}); };
  const auto index = [](ExprPtr base, ExprPtr at) { return make(Subscript{std::move(base), std::move(at)}); };
  std::vector<std::pair<ExprPtr, std::string>> cases;
  const auto expect = [&](ExprPtr tree, const std::string& text) { cases.emplace_back(std::move(tree), text); };
  expect(add(add(a(), b()), c()), "a + b + c");
  expect(add(a(), add(b(), c())), "a + (b + c)");
  expect(mul(add(a(), b()), c()), "(a + b) * c");
  expect(add(mul(a(), b()), c()), "a * b + c");
  expect(assign(a(), assign(b(), c())), "a = b = c");
  expect(assign(assign(a(), b()), c()), "(a = b) = c");
  expect(choose(choose(a(), b(), c()), b(), c()), "(a ? b : c) ? b : c");
  expect(choose(a(), b(), choose(a(), b(), c())), "a ? b : a ? b : c");
  expect(choose(a(), comma(a(), b()), assign(b(), c())), "a ? a, b : (b = c)");
  expect(call(comma(a(), b())), "g((a, b))");
  expect(call(assign(a(), b())), "g(a = b)");
  expect(comma(a(), comma(b(), c())), "a, (b, c)");
  expect(index(add(a(), b()), comma(b(), c())), "(a + b)[b, c]");
  expect(index(unary(UnaryOp::Dereference, a()), b()), "(*a)[b]");
  expect(unary(UnaryOp::Dereference, index(a(), b())), "*a[b]");
  expect(unary(UnaryOp::Minus, unary(UnaryOp::Minus, a())), "- -a");
  expect(unary(UnaryOp::Minus, unary(UnaryOp::PreDecrement, a())), "- --a");
  expect(unary(UnaryOp::Plus, unary(UnaryOp::Minus, a())), "+-a");
  expect(unary(UnaryOp::AddressOf, unary(UnaryOp::AddressOf, a())), "& &a");
  expect(unary(UnaryOp::PostIncrement, unary(UnaryOp::PreIncrement, a())), "(++a)++");
  expect(unary(UnaryOp::PostIncrement, make(IntegerLiteral{.value = 14, .is_decimal = false})), "0xe ++");
  expect(unary(UnaryOp::Minus, add(a(), b())), "-(a + b)");
  expect(cast(add(a(), b())), "(int)(a + b)");
  expect(add(cast(a()), b()), "(int)a + b");
  expect(index(cast(a()), b()), "((int)a)[b]");
  expect(size(cast(a())), "sizeof((int)a)");
  expect(size(unary(UnaryOp::Minus, cast(a()))), "sizeof -(int)a");
  expect(size(add(a(), b())), "sizeof (a + b)");
  expect(size(a()), "sizeof a");
  for (const auto& [tree, text] : cases) {
    CHECK(print(*tree) == text);
    const TranslationUnit unit = parsed("void f() { " + print(*tree) + "; }");
    const auto& body = *std::get<Function>(unit.items[0].node).body;
    CHECK(same(*tree, *std::get<ExprStatement>(body.statements[0].node).expression));
  }
}

TEST_CASE("every binary operator inside every other", "[core][print]") {
  for (const BinaryOp outer : {BinaryOp::Mul, BinaryOp::Div, BinaryOp::Rem, BinaryOp::Add, BinaryOp::Sub, BinaryOp::Shl, BinaryOp::Shr,
                               BinaryOp::Less, BinaryOp::GreaterEqual, BinaryOp::Equal, BinaryOp::NotEqual, BinaryOp::BitAnd,
                               BinaryOp::BitXor, BinaryOp::BitOr, BinaryOp::And, BinaryOp::Or}) {
    for (const BinaryOp inner : {BinaryOp::Mul, BinaryOp::Sub, BinaryOp::Shr, BinaryOp::LessEqual, BinaryOp::Greater, BinaryOp::Equal,
                                 BinaryOp::BitAnd, BinaryOp::BitXor, BinaryOp::BitOr, BinaryOp::And, BinaryOp::Or}) {
      for (const bool left : {false, true}) {
        ExprPtr nested = binary(inner, name("a"), name("b"));
        const ExprPtr tree = left ? binary(outer, std::move(nested), name("c")) : binary(outer, name("c"), std::move(nested));
        const std::string text = print(*tree);
        INFO(text);
        const TranslationUnit unit = parsed("void f() { " + text + "; }");
        const auto& body = *std::get<Function>(unit.items[0].node).body;
        CHECK(same(*tree, *std::get<ExprStatement>(body.statements[0].node).expression));
      }
    }
  }
}

TEST_CASE("bodies that need braces get them", "[core][print]") {
  If inner{name("b"), boxed(evaluates("x")), nullptr};
  If outer{name("a"), boxed(statement(std::move(inner))), boxed(evaluates("y"))};
  CHECK(print(unit_of(statement(std::move(outer)))) == "void f() {\n  if (a) {\n    if (b)\n      x;\n  } else\n    y;\n}\n");
  Declaration declaration;
  declaration.specifiers.type = ScalarType::Int;
  declaration.declarators.emplace_back();
  declaration.declarators[0].name.text = "x";
  While loop{name("a"), boxed(statement(std::move(declaration)))};
  CHECK(print(unit_of(statement(std::move(loop)))) == "void f() {\n  while (a) {\n    int x;\n  }\n}\n");
}

TEST_CASE("trees that differ are not the same", "[core][print]") {
  const std::vector<std::string> different = {
      "int x;",
      "int y;",
      "uint x;",
      "const int x;",
      "constant int x;",
      "int *x;",
      "int *const x;",
      "int x[2];",
      "int x[3];",
      "int x[];",
      "int x = 1;",
      "int x = 1u;",
      "int x = 1l;",
      "int x = 0x1;",
      "int x = 'a';",
      "int x = 97;",
      "int x = 1.0;",
      "int x = 1.0f;",
      "int x = 1.00;",
      "int x = true;",
      "int x = false;",
      "int x = {1};",
      "int x = {1, 1};",
      "int x = {{1}};",
      "int x, y;",
      "uniform int x;",
      "varying int x;",
      "void x();",
      "int x();",
      "int *x();",
      "void x(int);",
      "void x(int a);",
      "void x(int b);",
      "kernel void x();",
      "void x() { }",
      "void x() { ; }",
      "void x() { a; }",
      "void x() { {} }",
      "void x() { +a; }",
      "void x() { -a; }",
      "void x() { a(); }",
      "void x() { crev a(); }",
      "void x() { a(b); }",
      "void x() { a = b; }",
      "void x() { a += b; }",
      "void x() { a, b; }",
      "void x() { a[b]; }",
      "void x() { (int)a; }",
      "void x() { (uint)a; }",
      "void x() { (int *)a; }",
      "void x() { sizeof(int); }",
      "void x() { sizeof a; }",
      "void x() { a ? b : c; }",
      "void x() { a + b; }",
      "void x() { a - b; }",
      "void x() { if (a) b; }",
      "void x() { if (a) b; else c; }",
      "void x() { while (a) b; }",
      "void x() { do b; while (a); }",
      "void x() { for (;;) b; }",
      "void x() { for (a;;) b; }",
      "void x() { for (;a;) b; }",
      "void x() { for (;;a) b; }",
      "void x() { switch (a) b; }",
      "void x() { case a: }",
      "void x() { default: }",
      "void x() { break; }",
      "void x() { continue; }",
      "void x() { return; }",
      "void x() { return a; }",
      "#pragma OPENCL FP_CONTRACT ON\n",
      "#pragma OPENCL FP_CONTRACT OFF\n",
      "#pragma OPENCL FP_CONTRACT DEFAULT\n",
      "",
      "int x; int x;",
  };
  std::vector<TranslationUnit> units;
  for (const std::string& text : different) {
    units.push_back(parsed(text));
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (std::size_t k = 0; k < units.size(); ++k) {
      INFO(different[i] + " and " + different[k]);
      CHECK(same(units[i], units[k]) == (i == k));
    }
  }
  CHECK(same(parsed("void f(){x=(a+b);}"), parsed("void f ( void )\n{ x = a + ((b)); }")));
}

}  // namespace lockstep::core::syntax
