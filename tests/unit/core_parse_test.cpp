// Kernels as trees: every construct, precedence, spans, constants, limits.

#include <catch2/catch.hpp>
#include <string>
#include <tuple>
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

std::string message_of(const std::string& text) {
  const auto result = parse(SourceFile("t", text), {});
  return result ? "accepted" : result.error().at(0).message;
}

template <class T>
const T& as(const Item& item) {
  return std::get<T>(item.node);
}
template <class T>
const T& as(const Stmt& statement) {
  return std::get<T>(statement.node);
}
template <class T>
const T& as(const Expr& expression) {
  return std::get<T>(expression.node);
}

/// A unit whose one function has these statements.
class Body {
 public:
  explicit Body(const std::string& statements) : text_("void f(){" + statements + "}"), unit_(parsed(text_)) {}

  const std::vector<Stmt>& statements() const { return as<Function>(unit_.items.at(0)).body->statements; }
  const Stmt& operator[](std::size_t i) const { return statements().at(i); }
  const Expr& expression(std::size_t i = 0) const { return *as<ExprStatement>((*this)[i]).expression; }
  std::string at(SourceSpan span) const { return text_.substr(span.begin, span.end - span.begin); }

 private:
  std::string text_;
  TranslationUnit unit_;
};

const Specifiers& specifiers_of(const Item& item) { return as<Declaration>(item).specifiers; }

}  // namespace

TEST_CASE("operators bind as in C", "[core][parse]") {
  // Left: as written; right: the same with all parentheses, by the grammar of C99 6.5.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a * b / c % d", "((a * b) / c) % d"},
      {"a + b - c + d", "((a + b) - c) + d"},
      {"a + b * c - d / e", "(a + (b * c)) - (d / e)"},
      {"a << b + c >> d", "(a << (b + c)) >> d"},
      {"a < b << c", "a < (b << c)"},
      {"a < b <= c > d >= e", "(((a < b) <= c) > d) >= e"},
      {"a == b < c != d", "(a == (b < c)) != d"},
      {"a & b == c", "a & (b == c)"},
      {"a ^ b & c", "a ^ (b & c)"},
      {"a | b ^ c | d", "(a | (b ^ c)) | d"},
      {"a && b | c && d", "(a && (b | c)) && d"},
      {"a || b && c || d", "(a || (b && c)) || d"},
      {"a ? b : c ? d : e", "a ? b : (c ? d : e)"},
      {"a ? b ? c : d : e", "a ? (b ? c : d) : e"},
      {"a || b ? c, d : e || f", "(a || b) ? (c, d) : (e || f)"},
      {"a = b ? c : d", "a = (b ? c : d)"},
      {"a ? b = c : d", "a ? (b = c) : d"},
      {"a = b = c", "a = (b = c)"},
      {"a += b -= c *= d /= e %= g", "a += (b -= (c *= (d /= (e %= g))))"},
      {"a <<= b >>= c &= d ^= e |= g", "a <<= (b >>= (c &= (d ^= (e |= g))))"},
      {"a = b, c = d, e", "((a = b), (c = d)), e"},
      {"-a * +b - ~c / !d", "((-a) * (+b)) - ((~c) / (!d))"},
      {"- - a", "-(-a)"},
      {"!a == b", "(!a) == b"},
      {"*p++", "*(p++)"},
      {"(*p)++", "((*p))++"},
      {"++*p", "++(*p)"},
      {"-a[b]", "-(a[b])"},
      {"&a[b][c]", "&((a[b])[c])"},
      {"*a[b]++", "*((a[b])++)"},
      {"a--- b", "(a--) - b"},
      {"a - --b", "a - (--b)"},
      {"(int)a + b", "((int)a) + b"},
      {"(int)a[b]++", "(int)((a[b])++)"},
      {"(int)-a * b", "((int)(-a)) * b"},
      {"-(int)a", "-((int)a)"},
      {"(float)(int)a", "(float)((int)a)"},
      {"(int)(a + b) * c", "((int)(a + b)) * c"},
      {"sizeof a + b", "(sizeof a) + b"},
      {"sizeof(int) * a", "(sizeof(int)) * a"},
      {"sizeof(a)[b]", "sizeof((a)[b])"},
      {"sizeof -a", "sizeof(-a)"},
      {"sizeof sizeof a", "sizeof(sizeof a)"},
      {"g(a, b = c, d ? e : h)[i]", "(g((a), (b = c), (d ? e : h)))[i]"},
      {"g(a, (b, c))", "g((a), ((b, c)))"},
      {"a[b, c]", "a[(b, c)]"},
      {"a * b + c * d << e < h == i & j ^ k | l && m || n ? o : p",
       "(((((((((((a * b) + (c * d)) << e) < h) == i) & j) ^ k) | l) && m) || n) ? o : p)"},
      {"a = b || c && d | e ^ h & i == j < k << l + m * -n", "a = (b || (c && (d | (e ^ (h & (i == (j < (k << (l + (m * (-n)))))))))))"},
  };
  for (const auto& [written, parenthesised] : cases) {
    INFO(written);
    CHECK(same(Body(written + ";").expression(), Body(parenthesised + ";").expression()));
  }
  CHECK_FALSE(same(Body("a + (b + c);").expression(), Body("a + b + c;").expression()));
  CHECK_FALSE(same(Body("a += b;").expression(), Body("a = b;").expression()));
  CHECK_FALSE(same(Body("a++;").expression(), Body("++a;").expression()));
}

TEST_CASE("each operator is its own node", "[core][parse]") {
  const std::vector<std::pair<std::string, BinaryOp>> binary = {
      {"*", BinaryOp::Mul},        {"/", BinaryOp::Div},     {"%", BinaryOp::Rem},           {"+", BinaryOp::Add},
      {"-", BinaryOp::Sub},        {"<<", BinaryOp::Shl},    {">>", BinaryOp::Shr},          {"<", BinaryOp::Less},
      {"<=", BinaryOp::LessEqual}, {">", BinaryOp::Greater}, {">=", BinaryOp::GreaterEqual}, {"==", BinaryOp::Equal},
      {"!=", BinaryOp::NotEqual},  {"&", BinaryOp::BitAnd},  {"^", BinaryOp::BitXor},        {"|", BinaryOp::BitOr},
      {"&&", BinaryOp::And},       {"||", BinaryOp::Or},
  };
  for (const auto& [sign, op] : binary) {
    INFO(sign);
    const Body body("a " + sign + " b;");
    CHECK(as<Binary>(body.expression()).op == op);
    CHECK(as<Identifier>(*as<Binary>(body.expression()).left).name == "a");
    CHECK(as<Identifier>(*as<Binary>(body.expression()).right).name == "b");
    CHECK(body.at(as<Binary>(body.expression()).op_span) == sign);
  }
  for (const auto& [sign, op] : std::vector<std::pair<std::string, BinaryOp>>{{"*=", BinaryOp::Mul},
                                                                              {"/=", BinaryOp::Div},
                                                                              {"%=", BinaryOp::Rem},
                                                                              {"+=", BinaryOp::Add},
                                                                              {"-=", BinaryOp::Sub},
                                                                              {"<<=", BinaryOp::Shl},
                                                                              {">>=", BinaryOp::Shr},
                                                                              {"&=", BinaryOp::BitAnd},
                                                                              {"^=", BinaryOp::BitXor},
                                                                              {"|=", BinaryOp::BitOr}}) {
    INFO(sign);
    const Body body("a " + sign + " b;");
    CHECK(as<Assignment>(body.expression()).op == op);
    CHECK(body.at(as<Assignment>(body.expression()).op_span) == sign);
  }
  CHECK_FALSE(as<Assignment>(Body("a = b;").expression()).op.has_value());
  for (const auto& [text, op] : std::vector<std::pair<std::string, UnaryOp>>{{"+a", UnaryOp::Plus},
                                                                             {"-a", UnaryOp::Minus},
                                                                             {"~a", UnaryOp::BitNot},
                                                                             {"!a", UnaryOp::Not},
                                                                             {"*a", UnaryOp::Dereference},
                                                                             {"&a", UnaryOp::AddressOf},
                                                                             {"++a", UnaryOp::PreIncrement},
                                                                             {"--a", UnaryOp::PreDecrement},
                                                                             {"a++", UnaryOp::PostIncrement},
                                                                             {"a--", UnaryOp::PostDecrement}}) {
    INFO(text);
    CHECK(as<Unary>(Body(text + ";").expression()).op == op);
  }
}

TEST_CASE("types in all their spellings", "[core][parse]") {
  const std::vector<std::pair<std::string, ScalarType>> cases = {
      {"bool", ScalarType::Bool},
      {"char", ScalarType::Char},
      {"signed char", ScalarType::Char},
      {"char signed", ScalarType::Char},
      {"unsigned char", ScalarType::UChar},
      {"char unsigned", ScalarType::UChar},
      {"uchar", ScalarType::UChar},
      {"short", ScalarType::Short},
      {"short int", ScalarType::Short},
      {"signed short int", ScalarType::Short},
      {"unsigned short", ScalarType::UShort},
      {"int short unsigned", ScalarType::UShort},
      {"ushort", ScalarType::UShort},
      {"int", ScalarType::Int},
      {"signed", ScalarType::Int},
      {"signed int", ScalarType::Int},
      {"unsigned", ScalarType::UInt},
      {"unsigned int", ScalarType::UInt},
      {"int unsigned", ScalarType::UInt},
      {"uint", ScalarType::UInt},
      {"long", ScalarType::Long},
      {"long int", ScalarType::Long},
      {"int long signed", ScalarType::Long},
      {"ptrdiff_t", ScalarType::Long},
      {"intptr_t", ScalarType::Long},
      {"unsigned long", ScalarType::ULong},
      {"unsigned long int", ScalarType::ULong},
      {"long unsigned int", ScalarType::ULong},
      {"int long unsigned", ScalarType::ULong},
      {"ulong", ScalarType::ULong},
      {"size_t", ScalarType::ULong},
      {"uintptr_t", ScalarType::ULong},
      {"float", ScalarType::Float},
      {"double", ScalarType::Double},
  };
  for (const auto& [spelling, type] : cases) {
    INFO(spelling);
    const TranslationUnit unit = parsed("constant " + spelling + " x = 1;");
    CHECK(specifiers_of(unit.items.at(0)).type == type);
    CHECK(as<Cast>(Body("(" + spelling + " const)x;").expression()).type.specifiers.type == type);
  }
  for (const char* wrong : {"int int", "unsigned signed", "short long", "unsigned float", "long float", "void int", "uint int",
                            "unsigned uint", "signed bool", "long long", "long double", "char int", "int int int int int"}) {
    INFO(wrong);
    CHECK(message_of("constant " + std::string(wrong) + " x;").starts_with("there is no type '" + std::string(wrong) + "'"));
  }
}

TEST_CASE("qualifiers", "[core][parse]") {
  const auto specifiers = [](const std::string& text) { return specifiers_of(parsed(text + " x;").items.at(0)); };
  for (const char* space : {"global", "local", "constant", "private"}) {
    INFO(space);
    CHECK(name_of(*specifiers(std::string(space) + " int").space) == space);
    CHECK(name_of(*specifiers("__" + std::string(space) + " int").space) == space);
    CHECK(name_of(*specifiers("int " + std::string(space)).space) == space);
  }
  CHECK_FALSE(specifiers("int").space.has_value());
  CHECK(specifiers("const int").is_const);
  CHECK(specifiers("int const").is_const);
  CHECK_FALSE(specifiers("volatile int").is_const);
  CHECK(specifiers("static __attribute__((aligned(8))) constant int const volatile").is_const);
  CHECK(specifiers("uniform int").uniformity == Uniformity::Uniform);
  CHECK(specifiers("int varying").uniformity == Uniformity::Varying);
  CHECK(specifiers("int").uniformity == Uniformity::Unspecified);
  CHECK_FALSE(specifiers("int").is_kernel);
  for (const char* text : {"kernel void f();", "__kernel void f();", "void kernel f();",
                           "__attribute__((x)) kernel __attribute__((y(1,(2)))) void f();", "kernel void f() __attribute__((z));"}) {
    INFO(text);
    CHECK(as<Function>(parsed(text).items.at(0)).specifiers.is_kernel);
  }
}

TEST_CASE("uniform, varying and crev are names where they can be nothing else", "[core][parse]") {
  const Body body(
      "int uniform, varying = 1, crev; uniform = varying * crev; uniform * 2; crev(uniform); uniform int x; crev g(uniform); int varying "
      "y;");
  CHECK(as<Declaration>(body[0]).declarators.size() == 3);
  CHECK(as<Declaration>(body[0]).declarators[0].name.text == "uniform");
  CHECK(std::holds_alternative<Assignment>(body.expression(1).node));
  CHECK(std::holds_alternative<Binary>(body.expression(2).node));
  CHECK_FALSE(as<Call>(body.expression(3)).is_crev);
  CHECK(as<Call>(body.expression(3)).function.text == "crev");
  CHECK(as<Declaration>(body[4]).specifiers.uniformity == Uniformity::Uniform);
  CHECK(as<Call>(body.expression(5)).is_crev);
  CHECK(as<Call>(body.expression(5)).function.text == "g");
  CHECK(as<Declaration>(body[6]).specifiers.uniformity == Uniformity::Varying);
}

TEST_CASE("declarators", "[core][parse]") {
  const TranslationUnit unit = parsed(
      "constant int a[2][3] = {{1, 2, 3}, {4, 5, 6,},}, *p, *const restrict q = a, *volatile *r[4], s[] = {1}, t = 3;\n"
      "float *g(global const float *restrict x, local int y[], int z[][4], uniform ulong n, int, float *, int *const) { return x; }\n"
      "void none(void); void empty();");
  const auto& declarators = as<Declaration>(unit.items.at(0)).declarators;
  REQUIRE(declarators.size() == 6);
  CHECK(declarators[0].extents.size() == 2);
  const auto& rows = std::get<std::vector<Initialiser>>(declarators[0].initialiser->value);
  REQUIRE(rows.size() == 2);
  CHECK(std::get<std::vector<Initialiser>>(rows[1].value).size() == 3);
  CHECK(std::tuple(declarators[1].pointers, declarators[1].is_const) == std::tuple(1U, false));
  CHECK(std::tuple(declarators[2].pointers, declarators[2].is_const) == std::tuple(1U, true));
  CHECK(std::holds_alternative<ExprPtr>(declarators[2].initialiser->value));
  CHECK(std::tuple(declarators[3].pointers, declarators[3].is_const, declarators[3].extents.size()) == std::tuple(2U, false, 1U));
  REQUIRE(declarators[4].extents.size() == 1);
  CHECK(declarators[4].extents[0] == nullptr);
  CHECK_FALSE(declarators[1].initialiser.has_value());

  const auto& function = as<Function>(unit.items.at(1));
  CHECK(function.pointers == 1);
  CHECK(function.name.text == "g");
  REQUIRE(function.parameters.size() == 7);
  CHECK(function.parameters[0].specifiers.space == AddressSpace::Global);
  CHECK(function.parameters[0].specifiers.is_const);
  CHECK(function.parameters[0].declarator.pointers == 1);
  CHECK(function.parameters[1].declarator.extents.at(0) == nullptr);
  CHECK(function.parameters[2].declarator.extents.size() == 2);
  CHECK(function.parameters[3].specifiers.uniformity == Uniformity::Uniform);
  CHECK(function.parameters[4].declarator.name.text.empty());
  CHECK(function.parameters[6].declarator.is_const);
  CHECK(function.body.has_value());
  for (const std::size_t i : {2U, 3U}) {
    CHECK(as<Function>(unit.items.at(i)).parameters.empty());
    CHECK_FALSE(as<Function>(unit.items.at(i)).body.has_value());
    CHECK_FALSE(as<Function>(unit.items.at(i)).specifiers.type.has_value());
  }
}

TEST_CASE("type names", "[core][parse]") {
  const Body body("(const __global float *)p; sizeof(int[3][4]); sizeof(float *[2]); sizeof(void); sizeof x;");
  const auto& cast = as<Cast>(body.expression(0));
  CHECK(cast.type.specifiers.is_const);
  CHECK(cast.type.specifiers.space == AddressSpace::Global);
  CHECK(cast.type.pointers == 1);
  CHECK(as<SizeofType>(body.expression(1)).type.extents.size() == 2);
  CHECK(as<SizeofType>(body.expression(2)).type.pointers == 1);
  CHECK_FALSE(as<SizeofType>(body.expression(3)).type.specifiers.type.has_value());
  CHECK(as<Identifier>(*as<SizeofExpr>(body.expression(4)).operand).name == "x");
}

TEST_CASE("statements", "[core][parse]") {
  const Body body(
      "if (a) b; else if (c) ; else { d; e; } while (a) b; do a; while (b); for (int i = 0, j; i < 3; ++i, ++j) a; for (;;) ; for (a; ; b) "
      "{}"
      "switch (a) { case 1: case 2 + 3: b; break; default: continue; } return; return a, b; {} ;");
  const auto& branch = as<If>(body[0]);
  CHECK(as<Identifier>(*as<ExprStatement>(*branch.then).expression).name == "b");
  const auto& second = as<If>(*branch.otherwise);
  CHECK(as<ExprStatement>(*second.then).expression == nullptr);
  CHECK(as<Block>(*second.otherwise).statements.size() == 2);
  CHECK(as<Identifier>(*as<While>(body[1]).condition).name == "a");
  CHECK(as<Identifier>(*as<DoWhile>(body[2]).condition).name == "b");
  CHECK(as<Identifier>(*as<ExprStatement>(*as<DoWhile>(body[2]).body).expression).name == "a");
  CHECK(as<Declaration>(*as<For>(body[3]).init).declarators.size() == 2);
  CHECK(std::holds_alternative<Binary>(as<For>(body[3]).condition->node));
  CHECK(std::holds_alternative<Comma>(as<For>(body[3]).step->node));
  CHECK(as<ExprStatement>(*as<For>(body[4]).init).expression == nullptr);
  CHECK(as<For>(body[4]).condition == nullptr);
  CHECK(as<For>(body[4]).step == nullptr);
  CHECK(as<For>(body[5]).condition == nullptr);
  CHECK(as<Identifier>(*as<For>(body[5]).step).name == "b");
  const auto& cases = as<Block>(*as<Switch>(body[6]).body).statements;
  REQUIRE(cases.size() == 6);
  CHECK(as<IntegerLiteral>(*as<CaseLabel>(cases[0]).value).value == 1);
  CHECK(std::holds_alternative<Binary>(as<CaseLabel>(cases[1]).value->node));
  CHECK(std::holds_alternative<Break>(cases[3].node));
  CHECK(as<CaseLabel>(cases[4]).value == nullptr);
  CHECK(std::holds_alternative<Continue>(cases[5].node));
  CHECK(as<Return>(body[7]).value == nullptr);
  CHECK(std::holds_alternative<Comma>(as<Return>(body[8]).value->node));
  CHECK(as<Block>(body[9]).statements.empty());
  CHECK(as<ExprStatement>(body[10]).expression == nullptr);
}

TEST_CASE("an else belongs to the nearest if", "[core][parse]") {
  const Body body("if (a) if (b) c; else d; if (a) while (b) if (c) d; else e;");
  CHECK(as<If>(body[0]).otherwise == nullptr);
  CHECK(as<If>(*as<If>(body[0]).then).otherwise != nullptr);
  CHECK(as<If>(body[1]).otherwise == nullptr);
}

TEST_CASE("the contraction pragma is a part of the tree", "[core][parse]") {
  const TranslationUnit unit = parsed(
      "#pragma OPENCL FP_CONTRACT OFF\nvoid f() {\n  x;\n  #pragma OPENCL FP_CONTRACT ON\n  {\n#pragma OPENCL FP_CONTRACT DEFAULT\n  "
      "}\n}\n;;");
  REQUIRE(unit.items.size() == 2);
  CHECK(as<ContractPragma>(unit.items[0]).on == false);
  const auto& statements = as<Function>(unit.items[1]).body->statements;
  CHECK(as<ContractPragma>(statements.at(1)).on == true);
  CHECK_FALSE(as<ContractPragma>(as<Block>(statements.at(2)).statements.at(0)).on.has_value());
}

TEST_CASE("integer constants", "[core][parse]") {
  struct Case {
    std::string text;
    std::uint64_t value;
    bool is_decimal, is_unsigned, is_long, is_character;
  };
  const std::vector<Case> cases = {
      {"0", 0, true, false, false, false},
      {"42", 42, true, false, false, false},
      {"052", 42, false, false, false, false},
      {"0x2a", 42, false, false, false, false},
      {"0X2A", 42, false, false, false, false},
      {"1u", 1, true, true, false, false},
      {"1U", 1, true, true, false, false},
      {"1l", 1, true, false, true, false},
      {"1uL", 1, true, true, true, false},
      {"1Lu", 1, true, true, true, false},
      {"0xffu", 255, false, true, false, false},
      {"0xful", 15, false, true, true, false},
      {"18446744073709551615", UINT64_MAX, true, false, false, false},
      {"0xffffffffffffffff", UINT64_MAX, false, false, false, false},
      {"01777777777777777777777", UINT64_MAX, false, false, false, false},
      {"'a'", 97, true, false, false, true},
      {"' '", 32, true, false, false, true},
      {"'\\n'", 10, true, false, false, true},
      {"'\\0'", 0, true, false, false, true},
      {"'\\177'", 127, true, false, false, true},
      {"'\\x7F'", 127, true, false, false, true},
      {"'\\''", 39, true, false, false, true},
      {"'\"'", 34, true, false, false, true},
      {"'\\\\'", 92, true, false, false, true},
      {"'\\xff'", static_cast<std::uint64_t>(std::int64_t{-1}), true, false, false, true},
      {"'\\a'", 7, true, false, false, true},
      {"'\\b'", 8, true, false, false, true},
      {"'\\t'", 9, true, false, false, true},
      {"'\\v'", 11, true, false, false, true},
      {"'\\f'", 12, true, false, false, true},
      {"'\\r'", 13, true, false, false, true},
      {"'\\?'", 63, true, false, false, true},
  };
  for (const Case& expected : cases) {
    INFO(expected.text);
    const Body body(expected.text + ";");
    const auto& literal = as<IntegerLiteral>(body.expression());
    CHECK(literal.value == expected.value);
    CHECK(literal.is_decimal == expected.is_decimal);
    CHECK(literal.is_unsigned == expected.is_unsigned);
    CHECK(literal.is_long == expected.is_long);
    CHECK(literal.is_character == expected.is_character);
  }
  CHECK(as<BoolLiteral>(Body("true;").expression()).value);
  CHECK_FALSE(as<BoolLiteral>(Body("false;").expression()).value);
}

TEST_CASE("floating constants keep their digits", "[core][parse]") {
  for (const char* digits : {"1.5", ".5", "1.", "1e3", "1E+3", "1.5e-3", "0.0", "09.5", "09e1", "0x1p3", "0x1.8P-3", "0x.8p0", "0X1.p+1",
                             "1e999", "3.14159265358979323846264338327950288"}) {
    INFO(digits);
    for (const char* suffix : {"", "f", "F"}) {
      const Body body(std::string(digits) + suffix + ";");
      CHECK(as<FloatLiteral>(body.expression()).digits == digits);
      CHECK(as<FloatLiteral>(body.expression()).is_float == (*suffix != '\0'));
    }
  }
}

TEST_CASE("spans", "[core][parse]") {
  const Body body("x = -(a + b[1]) * g(c, d)++; int *p = &q[2], r; if (a) { b; } else c; for (;;) d; (float)e; sizeof(int); crev h(i);");
  const auto& assignment = as<Assignment>(body.expression(0));
  CHECK(body.at(body[0].span) == "x = -(a + b[1]) * g(c, d)++;");
  CHECK(body.at(body.expression(0).span) == "x = -(a + b[1]) * g(c, d)++");
  CHECK(body.at(assignment.op_span) == "=");
  CHECK(body.at(assignment.right->span) == "-(a + b[1]) * g(c, d)++");
  const auto& product = as<Binary>(*assignment.right);
  CHECK(body.at(product.left->span) == "-(a + b[1])");
  const Expr& sum = *as<Unary>(*product.left).operand;
  CHECK(body.at(sum.span) == "(a + b[1])");
  CHECK(sum.parenthesised);
  CHECK_FALSE(product.left->parenthesised);
  CHECK(body.at(as<Binary>(sum).right->span) == "b[1]");
  CHECK(body.at(product.right->span) == "g(c, d)++");
  const Expr& call = *as<Unary>(*product.right).operand;
  CHECK(body.at(call.span) == "g(c, d)");
  CHECK(body.at(as<Call>(call).function.span) == "g");
  CHECK(body.at(body[1].span) == "int *p = &q[2], r;");
  CHECK(body.at(as<Declaration>(body[1]).specifiers.type_span) == "int");
  CHECK(body.at(as<Declaration>(body[1]).declarators[0].name.span) == "p");
  CHECK(body.at(as<Declaration>(body[1]).declarators[0].initialiser->span) == "&q[2]");
  CHECK(body.at(body[2].span) == "if (a) { b; } else c;");
  CHECK(body.at(as<If>(body[2]).then->span) == "{ b; }");
  CHECK(body.at(body[3].span) == "for (;;) d;");
  CHECK(body.at(body.expression(4).span) == "(float)e");
  CHECK(body.at(body.expression(5).span) == "sizeof(int)");
  CHECK(body.at(body.expression(6).span) == "crev h(i)");

  const std::string text = "kernel void k(global const unsigned long int *p, int n) { }";
  const TranslationUnit unit = parsed(text);
  const auto& function = as<Function>(unit.items[0]);
  const auto at = [&](SourceSpan span) { return text.substr(span.begin, span.end - span.begin); };
  CHECK(at(function.span) == "kernel void k(global const unsigned long int *p, int n)");
  CHECK(at(function.specifiers.span) == "kernel void");
  CHECK(at(function.name.span) == "k");
  CHECK(at(function.parameters[0].span) == "global const unsigned long int *p");
  CHECK(at(function.parameters[0].specifiers.type_span) == "unsigned long int");
  CHECK(at(function.parameters[0].declarator.name.span) == "p");
}

TEST_CASE("spans through macros", "[core][parse]") {
  const std::string text = "#define SQ(x) ((x) * (x))\n#define N 2 + 3\nvoid f() { y = SQ(a + 1) - N; }";
  const TranslationUnit unit = parsed(text);
  const auto at = [&](SourceSpan span) { return text.substr(span.begin, span.end - span.begin); };
  const Expr& whole = *as<ExprStatement>(as<Function>(unit.items[0]).body->statements[0]).expression;
  CHECK(at(whole.span) == "y = SQ(a + 1) - N");
  const auto& sum = as<Binary>(*as<Assignment>(whole).right);  // (SQ(a + 1) - 2) + 3
  CHECK(at(sum.op_span) == "N");
  const auto& difference = as<Binary>(*sum.left);
  CHECK(at(difference.op_span) == "-");
  CHECK(at(difference.left->span) == "SQ(a + 1)");
  CHECK(at(as<Binary>(*difference.left).op_span) == "SQ(a + 1)");
  CHECK(at(as<Binary>(*as<Binary>(*difference.left).left).op_span) == "+");
}

TEST_CASE("nesting has a limit", "[core][parse][limits]") {
  const auto repeated = [](const std::string& text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) {
      all += text;
    }
    return all;
  };
  const auto body = [](const std::string& statements) { return "void f(){" + statements + "}"; };
  struct Case {
    std::string begin, repeat, middle, close;
  };
  const std::vector<Case> cases = {
      {"", "(", "x", ")"},
      {"x=", "-", "x", ""},
      {"", "~!", "x", ""},
      {"", "*", "p", ""},
      {"", "g(", "x", ")"},
      {"", "a[", "x", "]"},
      {"", "(int)", "x", ""},
      {"", "sizeof ", "x", ""},
      {"x", "+x", "", ""},
      {"x", "*x", "", ""},
      {"x", "=x", "", ""},
      {"x", "?x:x", "", ""},
      {"", "x?", "x", ":x"},
      {"x", ",x", "", ""},
      {"x", "[0]", "", ""},
      {"x", "++", "", ""},
      {"", "{", "", "}"},
      {"", "if(x)", "", ""},
      {"", "if(x);else ", "", ""},
      {"", "while(x)", "", ""},
      {"", "for(;;)", "", ""},
      {"", "do ", "", ";while(x)"},
      {"", "switch(x)", "", ""},
      {"int x=", "{", "1", "}"},
      {"x=", "(-", "1", ")"},
      {"x", "&&x||x", "", ""},
      {"", "sizeof(int[", "1", "])"},
      {"", "crev g(", "x", ")"},
      {"int x[", "sizeof(int[", "1", "])]"},
      {"int x", "[1]", "", ""},
      {"int ", "*", "x", ""},
      {"int x=1", ",y=1", "", ""},
      {"g(1", ",1", "", ")"},
      {"", ";", "", ""},
      {"", "x;", "", ""},
      {"", "{}", "", ""},
  };
  for (const Case& c : cases) {
    INFO(c.begin + " " + c.repeat);
    for (const std::size_t times : {10U, 190U, 5000U, 100000U}) {
      const std::string ends = c.close == "])]"                     ? repeated("])", times) + "]"
                               : c.close == ")" && c.begin == "g(1" ? ")"
                                                                    : repeated(c.close, times);
      const std::string message = message_of(body(c.begin + repeated(c.repeat, times) + c.middle + ends + ";"));
      const bool is_flat =
          c.repeat == ";" || c.repeat == "x;" || c.repeat == "{}" || c.repeat == ",y=1" || c.repeat == ",1" || c.repeat == "[1]";
      const std::string limit = "this is nested too deeply: at most 400 levels are allowed";
      CHECK(message == (is_flat || times <= 190 ? "accepted" : limit));
    }
  }
  CHECK(message_of(body(repeated("(", 390) + "x" + repeated(")", 390) + ";")) == "accepted");
  CHECK(message_of(body("x" + repeated("+x", 390) + ";")) == "accepted");
  CHECK(message_of(repeated("(", 100000)) == "expected a function or a declaration");
  CHECK(message_of(body(repeated("(", 100000))) == "this is nested too deeply: at most 400 levels are allowed");
}

TEST_CASE("the size of a text has a limit", "[core][parse][limits]") {
  CHECK(message_of(std::string((std::size_t{64} << 20) + 1, ' ')) == "the text is too long: at most 64 MiB can be read");
  CHECK(parsed(std::string(std::size_t{1} << 20, ' ')).items.empty());
  CHECK(message_of(std::string("int x;\0", 7)) == "not a text file: there is a NUL byte or invalid UTF-8 here");
  CHECK(message_of("// \xff") == "not a text file: there is a NUL byte or invalid UTF-8 here");
}

}  // namespace lockstep::core::syntax
