// The preprocessor: what becomes of a text, where the tokens are said to stand, and what is refused. The expected texts follow C99 6.10;
// those of 6.10.3.5 are the standard's own examples.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "semantics/core/preprocess.hpp"

namespace lockstep::core {
namespace {

/// The tokens with one blank between them, or the message of the error.
std::string tokens_of(const std::string& text, std::vector<std::pair<std::string, std::string>> defines = {}) {
  const SourceFile source("t", text);
  Options options;
  options.defines = std::move(defines);
  try {
    const TokenList list = preprocess(source, options);
    std::string joined;
    for (const Token& token : list.tokens) {
      joined += (joined.empty() || token.kind == TokenKind::End ? "" : " ") + std::string(token.text);
    }
    return joined;
  } catch (const Refused& refused) {
    return "refused: " + refused.diagnostic.message;
  }
}

/// "line:column+length" of every token but the end.
std::string places_of(const std::string& text) {
  const SourceFile source("t", text);
  const TokenList list = preprocess(source, {});
  std::string joined;
  for (const Token& token : list.tokens) {
    if (token.kind != TokenKind::End) {
      const LineColumn place = source.place(token.span.begin);
      joined += (joined.empty() ? "" : " ") + std::to_string(place.line) + ":" + std::to_string(place.column) + "+" +
                std::to_string(token.span.end - token.span.begin);
    }
  }
  return joined;
}

}  // namespace

TEST_CASE("tokens are cut as in C", "[core][preprocess]") {
  CHECK(tokens_of("a+++++b") == "a ++ ++ + b");
  CHECK(tokens_of("x<<=y>>=z<=w->v...u") == "x <<= y >>= z <= w -> v ... u");
  CHECK(tokens_of("1.5e+3f 0x1p-2 .5 1..2 0xe+1") == "1.5e+3f 0x1p-2 .5 1..2 0xe+1");
  CHECK(tokens_of("'a' '\\'' '\\\\' \"s\\\"t\" '\"'") == "'a' '\\'' '\\\\' \"s\\\"t\" '\"'");
  CHECK(tokens_of("a/**/b/* * / */c//d\ne") == "a b c e");
  CHECK(tokens_of("in\\\nt x = 1\\\r\n2; // c \\\n still\ny") == "int x = 12 ; y");
  CHECK(tokens_of("\xEF\xBB\xBFx") == "x");
  CHECK(tokens_of("") == "");
  CHECK(tokens_of("a \\ b") == "a \\ b");
}

TEST_CASE("macros are replaced", "[core][preprocess]") {
  CHECK(tokens_of("#define N 16\nN*N") == "16 * 16");
  CHECK(tokens_of("#define E\nE a E b E") == "a b");
  CHECK(tokens_of("#define A B\n#define B C\n#define C 3\nA") == "3");
  CHECK(tokens_of("#define MAX(a, b) ((a) > (b) ? (a) \\\n  : (b))\nMAX(x, y[1, 2])") ==
        "refused: the macro 'MAX' has 2 parameters, but gets 3 arguments");
  CHECK(tokens_of("#define MAX(a, b) ((a) > (b) ? (a) \\\n  : (b))\nMAX(x, f(1, 2))") ==
        "( ( x ) > ( f ( 1 , 2 ) ) ? ( x ) : ( f ( 1 , 2 ) ) )");
  CHECK(tokens_of("#define F() 1\nF() F ( ) F") == "1 1 F");
  CHECK(tokens_of("#define F (1)\nF") == "( 1 )");
  CHECK(tokens_of("#define ID(x) x\nID()ID(ID(a))ID(\n1\n)") == "a 1");
  CHECK(tokens_of("#define N 1\n#undef N\n#undef N\nN") == "N");
  CHECK(tokens_of("#define CALL(g) g(1)\n#define F(x) <x>\nCALL(F)") == "< 1 >");
  CHECK(tokens_of("#define G F\n#define F(x) <x>\nG(2) G") == "< 2 > F");
  CHECK(tokens_of("#define int long\nint x;") == "long x ;");
  CHECK(tokens_of("#define N 1\n#define  N  1 \n#define F(a)  a+ a\n#define F(a) a+ a\nN") == "1");
}

TEST_CASE("macros take any number of arguments, and make strings of them", "[core][preprocess]") {
  // C99 6.10.3.5, examples 4 and 7, shortened to what the preprocessor does.
  CHECK(tokens_of("#define showlist(...) puts(#__VA_ARGS__)\nshowlist(The first, second, and third items.);") ==
        "puts ( \"The first, second, and third items.\" ) ;");
  CHECK(tokens_of("#define report(test, ...) ((test)?puts(#test):printf(__VA_ARGS__))\nreport(x>y, \"x is %d but y is %d\", x, y);") ==
        "( ( x > y ) ? puts ( \"x>y\" ) : printf ( \"x is %d but y is %d\" , x , y ) ) ;");
  CHECK(tokens_of("#define debug(...) f(stderr, __VA_ARGS__)\ndebug(\"Flag\");debug(\"X = %d\\n\", x);") ==
        "f ( stderr , \"Flag\" ) ; f ( stderr , \"X = %d\\n\" , x ) ;");
  CHECK(tokens_of(
            "#define str(s) # s\n#define xstr(s) str(s)\n#define N 4\nstr(N) xstr(N) str(strncmp(\"abc\\0d\", \"abc\", '\\4') == 0) str() "
            "str( a   +/**/ b )") == "\"N\" \"4\" \"strncmp(\\\"abc\\\\0d\\\", \\\"abc\\\", '\\\\4') == 0\" \"\" \"a + b\"");
  CHECK(tokens_of("#define F(a, ...) g(a, ## __VA_ARGS__)\nF(1) F(1, 2, 3) F(1, F(2))") == "g ( 1 ) g ( 1 , 2 , 3 ) g ( 1 , F ( 2 ) )");
  // As clang and gcc have it: others that are nothing are others.
  CHECK(tokens_of("#define F(a, ...) g(a, ## __VA_ARGS__)\nF(1,) F(1,,)") == "g ( 1 , ) g ( 1 , , )");
  CHECK(tokens_of("#define E(...) <__VA_ARGS__>\nE() E(,) E((1, 2), 3)") == "< > < , > < ( 1 , 2 ) , 3 >");
  CHECK(tokens_of("#define SUM(a, b, ...) a + b\nSUM(1, 2) SUM(1, 2, 3) SUM(1)") ==
        "refused: the macro 'SUM' has 3 parameters, but gets 1 argument");
  CHECK(tokens_of("#define L __LINE__\n__LINE__\n#if __LINE__ == 3\nL \\\n L\n#endif\n__FILE__") == "2 4 5 \"t\"");
}

TEST_CASE("a macro does not expand in its own text", "[core][preprocess]") {
  CHECK(tokens_of("#define A A+1\nA") == "A + 1");
  CHECK(tokens_of("#define A B\n#define B A\nA B") == "A B");
  CHECK(tokens_of("#define f(x) f(x+1)\nf(f(2))") == "f ( f ( 2 + 1 ) + 1 )");
}

TEST_CASE("the examples of the C standard", "[core][preprocess]") {
  // 6.10.3.5 example 3, without its '#' and variadic lines
  CHECK(tokens_of("#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n"
                  "#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n"
                  "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n"
                  "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };") ==
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; "
        "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ; "
        "int i [ ] = { 1 , 23 , 4 , 5 , } ;");
  // 6.10.3.5 example 5
  CHECK(tokens_of("#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };") ==
        "int j [ ] = { 123 , 45 , 67 , 89 , 10 , 11 , 12 , } ;");
}

TEST_CASE("pasting", "[core][preprocess]") {
  CHECK(tokens_of("#define CAT(a, b) a##b\n#define N 3\nCAT(x, N) CAT(<, <=) CAT(1, .5e) CAT(N, N)") == "xN <<= 1.5e NN");
  CHECK(tokens_of("#define CAT(a, b) a##b\n#define XCAT(a, b) CAT(a, b)\n#define N 3\nXCAT(x, N)") == "x3");
  CHECK(tokens_of("#define P(a) z a ## b\nP()") == "z b");
  CHECK(tokens_of("#define CAT(a, b) a##b\nCAT(/, /)") == "refused: '##' joins '/' and '/', which is not one token");
  CHECK(tokens_of("#define CAT(a, b) a##b\nCAT(+, x)") == "refused: '##' joins '+' and 'x', which is not one token");
}

TEST_CASE("conditional text", "[core][preprocess]") {
  const auto chosen = [](const std::string& condition) {
    return tokens_of("#define A 5\n#define E\n#if " + condition + "\nyes\n#else\nno\n#endif");
  };
  for (const char* condition : {"1",
                                "A",
                                "A == 5 && !defined(B)",
                                "defined A",
                                "defined(A) && defined ( A )",
                                "B == 0",
                                "-1 < 0",
                                "-1 > 0u",
                                "(1 ? 2 : 3) == 2",
                                "1 || 1/0",
                                "0 ? 1/0 : 1",
                                "!(0 && 1/0)",
                                "'a' == 97",
                                "0x10 == 16 && 010 == 8",
                                "1 << 3 == 8",
                                "7 / 2 * 2 + 7 % 2 == 7",
                                "~0 == -1",
                                "2 + 3 * 4 - 1 == 13",
                                "(3 & 2 | 4 ^ 1) == 7",
                                "-7 / 2 == -3",
                                "-8 >> 1 == -4",
                                "18446744073709551615 > 0",
                                "true == 1",  // OpenCL C 6.3.1
                                "1 ? 0 ? 0 : 1 : 0",
                                "9223372036854775807 + 1 < 0",
                                "(-9223372036854775807 - 1) / -1 < 0"}) {
    INFO(condition);
    CHECK(chosen(condition) == "yes");
  }
  for (const char* condition : {"0", "B", "defined B", "A < 5", "!A", "1 && 0", "3 > 2 > 1", "0 || 0", "2 - 2", "1u - 2 < 0"}) {
    INFO(condition);
    CHECK(chosen(condition) == "no");
  }
  CHECK(tokens_of("#ifdef A\n1\n#elif 0\n2\n#elif 1\n3\n#elif 1\n4\n#else\n5\n#endif\n6") == "3 6");
  CHECK(tokens_of("#define A\n#ifdef A\n1\n#elif 1/0\n2\n#else\n#error no\n#endif") == "1");
  CHECK(tokens_of("#ifndef A\n#define A 1\n#endif\n#ifndef A\n2\n#endif\nA") == "1");
  CHECK(tokens_of("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#endif") == "c");
  CHECK(tokens_of("#if 0\ndon't \"do\n#foo\n#include <x>\n#define A (\n#endif\n/* # */ # /* x */ if 1 // c\na\n# endif\n#\n") == "a");
}

TEST_CASE("what is predefined, and -D", "[core][preprocess]") {
  CHECK(tokens_of("__OPENCL_VERSION__ __OPENCL_C_VERSION__ __LOCKSTEP__ INFINITY CLK_LOCAL_MEM_FENCE") ==
        "300 300 1 INFINITY CLK_LOCAL_MEM_FENCE");
  CHECK(tokens_of("CL_VERSION_2_0 __ENDIAN_LITTLE__ cl_khr_fp64 __opencl_c_fp64") == "200 1 1 1");
  CHECK(tokens_of("#if INT_MAX == 2147483647 && INT_MIN < 0 && ULONG_MAX > 0 && UINT_MAX > -1 && true && !false\nx\n#endif") == "");
  CHECK(tokens_of("#if INT_MAX == 2147483647 && INT_MIN < 0 && ULONG_MAX > 0 && true && !false && !other\nx\n#endif") == "x");
  CHECK(tokens_of("#if M_PI > 3\n#endif") == "refused: a condition of the preprocessor computes with integers, not with 'M_PI'");
  CHECK(tokens_of("#ifndef M_PI\n#define M_PI 3\n#endif\nM_PI") == "M_PI");
  CHECK(tokens_of("#undef M_PI\n#ifndef M_PI\n#define M_PI 3\n#endif\nM_PI") == "3");
  CHECK(tokens_of("#if defined(__LINE__) && defined __FILE__ && defined CHAR_BIT\nx\n#endif") == "x");
  CHECK(tokens_of("REAL x[N]", {{"REAL", "double"}, {"N", "2 * M"}, {"M", "1"}}) == "double x [ 2 * 1 ]");
  CHECK(tokens_of("SQ(3) E", {{"SQ(x)", "x*x"}, {"E", ""}}) == "3 * 3");
  CHECK(tokens_of("#ifndef N\n#define N 1\n#endif\nN", {{"N", "2"}}) == "2");
  CHECK(tokens_of("", {{"1N", "2"}}) == "refused: -D 1N=2: a macro's name must be an identifier, not '1N'");
  CHECK(tokens_of("", {{"", "2"}}) == "refused: -D =2: a macro's name must be an identifier, not '2'");
  CHECK(tokens_of("#define N 1", {{"N", "2"}}) ==
        "refused: the macro 'N' is defined already (by -D or the language), with another text; #undef it first, or ask with #ifndef");
}

TEST_CASE("pragmas", "[core][preprocess]") {
  CHECK(tokens_of("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma ivdep\n#pragma\nx") == "x");
  CHECK(tokens_of("#pragma OPENCL FP_CONTRACT OFF\n#pragma STDC FP_CONTRACT DEFAULT\n") == "OFF DEFAULT");
  CHECK(tokens_of("#pragma OPENCL FP_CONTRACT MAYBE") == "refused: FP_CONTRACT needs ON, OFF or DEFAULT behind it");
  CHECK(tokens_of("#pragma OPENCL FP_CONTRACT") == "refused: FP_CONTRACT needs ON, OFF or DEFAULT behind it");
  CHECK(places_of("a\n  #pragma OPENCL FP_CONTRACT ON\n") == "1:1+1 2:11+21");
  CHECK(tokens_of("#define ROUNDS (4)\n#pragma unroll ROUNDS\n#pragma unroll (ROUNDS)\n#pragma unroll\n#pragma nounroll\n") ==
        "4 4 unroll nounroll");
}

TEST_CASE("tokens stand where the user wrote them", "[core][preprocess]") {
  CHECK(places_of("ab  +\n\tc") == "1:1+2 1:5+1 2:2+1");
  CHECK(places_of("/* x\n */ a \\\n b") == "2:5+1 3:2+1");
  CHECK(places_of("in\\\nt x") == "1:1+5 2:3+1");
  // from a macro: the use; from an argument: the argument
  CHECK(places_of("#define N (1 + 2)\n x * N;") == "2:2+1 2:4+1 2:6+1 2:6+1 2:6+1 2:6+1 2:6+1 2:7+1");
  CHECK(places_of("#define SQ(x) x*x\ny + SQ( z );") == "2:1+1 2:3+1 2:9+1 2:5+7 2:9+1 2:12+1");
  CHECK(places_of("#define SQ(x) x*x\nSQ(\n  z\n)") == "3:3+1 2:1+9 3:3+1");
  CHECK(places_of("#define A B 1\n#define B(x) x C\n#define C +\nA B(2)") == "4:1+1 4:1+1 4:5+1 4:3+4");
}

TEST_CASE("what the preprocessor refuses", "[core][preprocess]") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"#include <math.h>", "the text of 'math.h' was not put in: a program does that with include_files, the command with -I"},
      {"#define", "#define needs the name of a macro"},
      {"#define 3", "a macro's name must be an identifier, not '3'"},
      {"#define defined 1", "'defined' cannot be the name of a macro"},
      {"#define F(a", "the parameters of the macro 'F' have no ')' in this line"},
      {"#define F(", "the parameters of the macro 'F' have no ')' in this line"},
      {"#define F(a,", "the parameters of the macro 'F' have no ')' in this line"},
      {"#define F(a b)", "expected ',' or ')' after the parameter 'a'"},
      {"#define F(1)", "expected the name of a parameter, not '1'"},
      {"#define F(a,a)", "the macro has two parameters 'a'"},
      {"#define F(..., a) 1", "'...' is the last parameter: expected ')' behind it"},
      {"#define F(__VA_ARGS__) 1", "'__VA_ARGS__' stands for the arguments behind '...'; it is no parameter's name"},
      {"#define F(a) #b", "'#' needs a parameter of the macro behind it"},
      {"#define F(a) a #", "'#' needs a parameter of the macro behind it"},
      {"#define F ## a", "'##' needs a token on both sides"},
      {"#define F a ##", "'##' needs a token on both sides"},
      {"#define F a ## ## b", "'##' needs a token on both sides"},
      {"#define N 1\n#define N 2", "the macro 'N' is defined already, with another text; #undef it first, or ask with #ifndef"},
      {"#define N(a) a\n#define N(b) b", "the macro 'N' is defined already, with another text; #undef it first, or ask with #ifndef"},
      {"#define F(a) a\nF(1", "the arguments of the macro 'F' have no closing ')'"},
      {"#define F(a) a\nF(\n#if 1\n", "a directive cannot stand between the arguments of the macro 'F'"},
      {"#define F() 1\nF(1)", "the macro 'F' has 0 parameters, but gets 1 argument"},
      {"#define F(a) 1\nF(1,2)", "the macro 'F' has 1 parameter, but gets 2 arguments"},
      {"#undef", "#undef needs the name of a macro"},
      {"#undef A B", "expected the end of the line after the macro's name"},
      {"#ifdef", "#ifdef needs the name of a macro"},
      {"#if\n#endif", "#if needs a condition"},
      {"#if 1\n", "this #if is not closed: #endif is missing"},
      {"#ifndef X\n#else\n", "this #ifndef is not closed: #endif is missing"},
      {"#else", "there is no #if that this #else could belong to"},
      {"#if 1\n#else\n#elif 1\n#endif", "#elif after #else"},
      {"#if 1\n#endif x", "expected the end of the line after #endif"},
      {"#if 1 +\n#endif", "expected a number behind '+' in the condition"},
      {"#if (1\n#endif", "expected ')' behind '1' in the condition"},
      {"#if 1 2\n#endif", "expected an operator or the end of the line, not '2'"},
      {"#if 1 ? 2\n#endif", "expected ':' behind '2' in the condition"},
      {"#if 1.5\n#endif", "a condition of the preprocessor computes with integers, not with '1.5'"},
      {"#if 1 / 0\n#endif", "the condition divides by 0"},
      {"#if = 1\n#endif", "expected a number, not '='"},
      {"#if defined\n#endif", "'defined' needs the name of a macro"},
      {"#if defined(A\n#endif", "expected ')' after the name of the macro"},
      {"#error  write a  better one", "#error write a  better one"},
      {"#error", "#error"},
      {"#defin N 1", "unknown directive '#defin'; did you mean 'define'?"},
      {"#line 3", "there is no #line: messages speak of the file as it is"},
      {"a /* b", "this comment is not closed: '*/' is missing"},
  };
  for (const auto& [text, message] : cases) {
    INFO(text);
    CHECK(tokens_of(text) == "refused: " + message);
  }
}

TEST_CASE("what would never end is refused", "[core][preprocess]") {
  std::string doubling = "#define A0 x\n";
  for (int i = 1; i < 64; ++i) {
    const std::string before = "A" + std::to_string(i - 1);
    doubling += "#define A" + std::to_string(i) + " " + before + " " + before + "\n";
  }
  CHECK(tokens_of(doubling + "A63") == "refused: the macros produce too much text: more than 4194304 tokens");
  std::string nothing = "#define A0\n";
  for (int i = 1; i < 64; ++i) {
    const std::string before = "A" + std::to_string(i - 1);
    nothing += "#define A" + std::to_string(i) + " " + before + " " + before + "\n";
  }
  CHECK(tokens_of(nothing + "A63") == "refused: the macros produce too much text: more than 4194304 tokens");
  std::string nested;
  for (int i = 0; i < 1000; ++i) {
    nested += "F(";
  }
  CHECK(tokens_of("#define F(x) x\n" + nested + std::string(1000, ')')) ==
        "refused: macros are nested too deeply: at most 200 levels are allowed");
  CHECK(tokens_of("#if " + std::string(100000, '(')) == "refused: the condition is nested too deeply: at most 200 levels are allowed");
  CHECK(tokens_of("#if " + std::string(100000, '~') + "1") ==
        "refused: the condition is nested too deeply: at most 200 levels are allowed");
  std::string deep;
  for (int i = 0; i < 2000; ++i) {
    deep += "#if 0\n";
  }
  CHECK(tokens_of(deep) == "refused: #if is nested too deeply: at most 1000 levels are allowed");
  std::string chain;
  for (int i = 0; i < 20000; ++i) {
    chain += "#define A" + std::to_string(i) + " A" + std::to_string(i + 1) + "\n";
  }
  CHECK(tokens_of(chain + "A0") == "A20000");
  // Names and strings that double.
  const auto around = [](const std::string& inner) {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      text += "F(";
    }
    return text + inner + std::string(60, ')');
  };
  const std::string too_much = "refused: the macros produce too much text: '#' and '##' make more than 67108864 characters of it";
  CHECK(tokens_of("#define G(x) x##x\n#define F(x) G(x)\n" + around("a")) == too_much);
  CHECK(tokens_of("#define G(x) #x\n#define F(x) G(x)\n" + around("\"a\"")) == too_much);
  CHECK(tokens_of(std::string(5000000, ';')) == "refused: the program is too long: at most 4194304 tokens can be read");
}

}  // namespace lockstep::core
