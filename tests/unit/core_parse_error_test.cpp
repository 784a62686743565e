// Wrong kernels and exactly what the user reads about them.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "semantics/core/front_end.hpp"

namespace lockstep::core {
namespace {

struct Wrong {
  std::string text;
  std::string report;  ///< without the file name, which is "t:"
};

std::string report_of(const std::string& text) {
  const SourceFile source("t", text);
  const auto result = parse(source, {});
  return result ? "accepted\n" : render(source, result.error());
}

struct WrongLine {
  std::string line;
  std::size_t column;  ///< from 1
  std::size_t width;   ///< in carets
  std::string message;
};

std::string marked(const WrongLine& wrong, const std::string& kind) {
  return "t:1:" + std::to_string(wrong.column) + ": " + kind + ": " + wrong.message + "\n  " + wrong.line + "\n  " +
         std::string(wrong.column - 1, ' ') + std::string(wrong.width, '^') + "\n";
}

void check_lines(const std::vector<WrongLine>& cases) {
  for (const WrongLine& wrong : cases) {
    INFO(wrong.line);
    CHECK(report_of(wrong.line) == marked(wrong, "error"));
  }
}

/// As check_lines, for lines whose report ends in a note about an open bracket at column `open`.
void check_open(const std::vector<std::pair<WrongLine, std::size_t>>& cases) {
  for (const auto& [wrong, open] : cases) {
    INFO(wrong.line);
    const std::string bracket(1, wrong.line.at(open - 1));
    CHECK(report_of(wrong.line) == marked(wrong, "error") + marked({wrong.line, open, 1, "the '" + bracket + "' is here"}, "note"));
  }
}

}  // namespace

TEST_CASE("kernels: errors in expressions", "[core][parse][errors]") {
  check_lines({
      {"void f() { x = 1 }", 17, 1, "expected ';' after the expression"},
      {"void f() { x = ; }", 16, 1, "expected an expression after '='"},
      {"void f() { x = 1 + ; }", 20, 1, "expected an expression after '+'"},
      {"void f() { x = - * ; }", 20, 1, "expected an expression after '*'"},
      {"void f() { switch (x) { case 1 ... 3: ; } }", 32, 3, "there are no ranges of labels; write a 'case' for each value"},
      {"void f(int (*x)[3]);", 12, 1, "there are no pointers to arrays or functions as parameters; an array is 'int a[][4]'"},
      {"void f() { x = int; }", 16, 3, "expected an expression after '='"},
      {"void f() { a ? b; }", 17, 1, "expected ':' and the third operand of '?:'"},
      {"void f() { a ? b : ; }", 20, 1, "expected an expression after ':'"},
      {"void f() { a, ; }", 15, 1, "expected an expression after ','"},
      {"void f() { a[1](2); }", 16, 1, "only the name of a function can stand before '('"},
      {"void f() { (f)(2); }", 15, 1, "only the name of a function can stand before '('"},
      {"void f() { x.1 = 1; }", 13, 1, "expected ';' after the expression"},
      {"void f() { x.; }", 14, 1, "expected the name of a component or member"},
      {"void f() { x->1 = 1; }", 15, 1, "expected the name of a component or member"},
      {"void f() { x = {1}; }", 16, 1,
       "a list of values can only initialise a variable; with its type in front, as in (struct S){1, 2}, it is one"},
      {"void f() { x = $; }", 16, 1, "unexpected character '$'"},
      {"void f() { x = y \u00d7 z; }", 18, 1, "unexpected character '\u00d7'"},
      {"void f() { x = 'a; }", 16, 1, "the closing ' is missing in this line"},
      {"void f() { crev g; }", 18, 1, "expected '(' and the arguments of the crev call"},
      {"void f() { sizeof(int)x; }", 23, 1, "expected ';' after the expression"},
      {"void f() { (static int)x; }", 13, 6, "'static' cannot stand in the name of a type"},
  });
  check_open({
      {{"void f() { f(1, 2; }", 18, 1, "expected ',' or ')' after the argument"}, 13},
      {{"void f() { f(1 2); }", 16, 1, "expected ',' or ')' after the argument"}, 13},
      {{"void f() { (1 + 2; }", 18, 1, "expected ')'"}, 12},
      {{"void f() { ((1) + 2; }", 20, 1, "expected ')'"}, 12},
      {{"void f() { a[1 = 2; }", 19, 1, "expected ']' after the index"}, 13},
      {{"void f() { (int x; }", 17, 1, "expected ')' after the type"}, 12},
      {{"void f() { if (x { } }", 18, 1, "expected ')'"}, 15},
      {{"void f() { for (;;;) ; }", 19, 1, "expected ')' after the step of 'for'"}, 16},
  });
}

TEST_CASE("errors in constants", "[core][parse][errors]") {
  check_lines({
      {"void f() { x = 'ab'; }", 16, 4, "'ab' is more than one character"},
      {"void f() { x = ''; }", 16, 2, "there is no character between the quotes"},
      {"void f() { x = '\\q'; }", 16, 4, "there is no escape '\\q'"},
      {"void f() { x = '\\x'; }", 16, 4, "there is no escape '\\x'"},
      {"void f() { x = '\\x100'; }", 16, 7, "the value of '\\x100' does not fit a char"},
      {"void f() { x = '\\1234'; }", 16, 7, "'\\1234' is more than one character"},
      {"void f() { x = '\u00e9'; }", 16, 3, "'\u00e9' is not an ASCII character"},
      {"void f() { x = 08; }", 16, 2, "'8' is not an octal digit; a leading 0 makes a number octal"},
      {"void f() { x = 0x; }", 16, 2, "'0x' has no digits behind '0x'"},
      {"void f() { x = 0b11; }", 16, 4, "there are no binary constants; write '0b11' in hexadecimal"},
      {"void f() { x = 1ll; }", 16, 3, "there is no type 'long long'; long has 64 bits, and its suffix is 'l'"},
      {"void f() { x = 1f; }", 16, 2, "the suffix 'f' needs a decimal point: write '1.0f'"},
      {"void f() { x = 1uu; }", 16, 3, "'uu' is not a suffix of an integer; there are 'u', 'l' and 'ul'"},
      {"void f() { x = 3abc; }", 16, 4, "'abc' is not a suffix of an integer; there are 'u', 'l' and 'ul'"},
      {"void f() { x = 18446744073709551616; }", 16, 20, "this integer is too large: the largest one is 18446744073709551615"},
      {"void f() { x = 1.5h; }", 16, 4, "there is no type 'half'; write the suffix 'f' for a float"},
      {"void f() { x = 1.5L; }", 16, 4, "there is no type 'long double'; leave the suffix 'L' out"},
      {"void f() { x = 1.5x; }", 16, 4, "'x' is not a suffix of a floating constant; there is 'f' for float"},
      {"void f() { x = 1e; }", 16, 2, "'1e' is not a number"},
      {"void f() { x = 1.2.3; }", 16, 5, "'.3' is not a suffix of a floating constant; there is 'f' for float"},
      {"void f() { x = 0x1.8; }", 16, 5, "a hexadecimal floating constant needs an exponent, such as p0: '0x1.8'"},
  });
}

TEST_CASE("errors in declarations", "[core][parse][errors]") {
  check_lines({
      {"int x", 6, 1, "expected ';' after the declaration at the end of the file"},
      {"int x int y;", 6, 1, "expected ';' after the declaration"},
      {"int = 3;", 5, 1, "expected a name"},
      {"int if;", 5, 2, "'if' is a word of the language and cannot be a name"},
      {"int x, float;", 8, 5, "'float' is a word of the language and cannot be a name"},
      {"flaot x;", 1, 5, "unknown type name 'flaot'; did you mean 'float'?"},
      {"x = 3;", 1, 1, "'x' needs a type in front of it; there is no implicit 'int'"},
      {"f(int x) { }", 1, 1, "'f' needs a type in front of it; there is no implicit 'int'"},
      {"void f(global float5 *x);", 15, 6, "unknown type name 'float5'; did you mean 'float'?"},
      {"void f(global uint8_t *x);", 15, 7, "unknown type name 'uint8_t'; OpenCL's name for it is 'uchar'"},
      {"const flaot x = 3;", 7, 5, "unknown type name 'flaot'; did you mean 'float'?"},
      {"void f(read_only image2d_t x);", 8, 9,
       "there are no images, which 'read_only' belongs to; kernels work on scalars, arrays and buffers"},
      {"int x __attribute__((reqd_work_group_size(1, 1, 1)));", 22, 29, "only a kernel can require a size of its work groups"},
      {"kernel __attribute__((foo) void f();", 28, 4, "expected '))' after the attribute"},
      {"const x = 3;", 1, 5, "expected a type after 'const'; there is no implicit 'int'"},
      {"unsigned float x;", 1, 14, "there is no type 'unsigned float'"},
      {"long long x;", 1, 9, "there is no type 'long long'; long has 64 bits"},
      {"long double x;", 1, 11, "there is no type 'long double'; double has 64 bits"},
      {"global local int x;", 8, 5, "an object lies in one address space: this is 'global' already"},
      {"void f(uniform varying int x);", 16, 7, "a value is either 'uniform' or 'varying', not both"},
      {"kernel int x;", 1, 6, "only a function can be a kernel"},
      {"inline int x;", 1, 6, "only a function can be inline"},
      {"void f() { static int x; }", 12, 6, "a variable of a function cannot be static"},
      {"void f() { kernel int x; }", 12, 6, "only a function can be a kernel"},
      {"void f(static int x);", 8, 6, "'static' cannot stand in front of a parameter"},
      {"int *global p;", 6, 6, "'global' cannot stand behind '*': a pointer itself is private"},
      {"int (*p)[4];", 5, 1, "there are no function pointers, and no parentheses around a declared name"},
      {"void f() { int (*g)(int); }", 16, 1, "there are no function pointers, and no parentheses around a declared name"},
      {"struct S { };", 12, 1, "expected a member"},
      {"struct S { int; };", 15, 1, "expected a name"},
      {"struct S { int x : 3; };", 16, 1, "there are no bit-fields, such as 'x'; use a whole number and masks"},
      {"struct S { typedef int x; };", 12, 7, "a typedef cannot stand in a structure"},
      {"struct S { static int x; };", 12, 6, "'static' cannot stand in front of a member"},
      {"struct S { int x; } void f() { }", 8, 17, "there is no type 'S void'; is a ';' missing behind a '}'?"},
      {"struct { int x __attribute__((aligned)); } s;", 31, 7, "'aligned' needs a number of bytes here, as in aligned(16)"},
      {"struct ;", 8, 1, "expected '{' or the name of the struct, not ';'"},
      {"typedef struct { int x; } S __attribute__((packed));", 44, 6,
       "this attribute belongs to the structure itself; write it directly behind its '}'"},
      {"typedef int (*f)(int);", 13, 1, "there are no pointers to functions, and none to arrays as types of their own"},
      {"typedef int f(int);", 14, 1, "functions have no types with names; each is declared as a whole"},
      {"extern int x;", 1, 6, "there is no 'extern': a program is one file, and a prototype does without it"},
      {"void f() { register int x; }", 12, 8, "there is no 'register' in OpenCL C; leave it out"},
      {"void f(unsigned char4 v) { }", 8, 14, "there is no type 'unsigned char4'"},
      {"void f(image2d_t i) { }", 8, 9, "there is no type 'image2d_t'; kernels work on scalars, arrays and buffers"},
      {"void f(int a, ...) { }", 15, 3, "there are no functions with '...'; give the function as many parameters as it needs"},
      {"void f(a, b) int a, b; { }", 8, 1, "the parameter 'a' needs a type"},
      {"void f(foo *a) { }", 8, 3, "unknown type name 'foo'"},
      {"void f(int a) int b; { }", 15, 3, "parameters are declared between the parentheses, with their types"},
      {"int x, f(int a);", 9, 1, "a function needs a declaration of its own"},
      {"__attribute__) int x;", 14, 1, "expected '((…))' after '__attribute__'"},
      {"int f[2](int a);", 9, 1, "only the name of a function can stand before '('"},
      {"void f() { int x(3); }", 17, 1, "a variable gets its first value with '='"},
      {"int x[] = {,};", 12, 1, "expected a value"},
      {"int x[] = {1, .y};", 17, 1, "expected '=' and the value of what is designated"},
      {"int x[] = {[1] 2};", 16, 1, "expected '=' and the value of what is designated"},
      {"int x[] = {[1] = };", 18, 1, "expected the value of what is designated"},
      {"int x = offsetof(int);", 21, 1, "expected ',' after the type"},
      {"int x = offsetof(struct S, );", 28, 1, "expected the name of a component or member"},
      {"int x = ;", 9, 1, "expected an expression after '='"},
      {"__attribute__ int x;", 15, 3, "expected '((…))' after '__attribute__'"},
  });
  check_open({
      {{"int x[3;", 8, 1, "expected ']' after the size of the array"}, 6},
      {{"int x[] = {1, 2;", 16, 1, "expected ',' or '}' after the value"}, 11},
      {{"void f(int a;", 13, 1, "expected ',' or ')' after the parameter"}, 7},
  });
}

TEST_CASE("errors in statements", "[core][parse][errors]") {
  check_lines({
      {"void f() { while (1) }", 22, 1, "expected a statement"},
      {"void f() { if x; }", 15, 1, "expected '(' after 'if'"},
      {"void f() { else x; }", 12, 4, "there is no 'if' that this 'else' could belong to"},
      {"void f() { if (a) b; c; else d; }", 25, 4, "there is no 'if' that this 'else' could belong to"},
      {"void f() { do x; }", 18, 1, "expected 'while' after the body of 'do'"},
      {"void f() { do x; while (1) }", 27, 1, "expected ';' after 'do … while (…)'"},
      {"void f() { return 1 2; }", 20, 1, "expected ';' after 'return'"},
      {"void f() { break x; }", 17, 1, "expected ';' after 'break'"},
      {"void f() { for (int i = 0) ; }", 26, 1, "expected ';' after the declaration"},
      {"void f() { for (x; y) ; }", 21, 1, "expected ';' after the condition of 'for'"},
      {"void f() { switch (x) { case 1 x; } }", 32, 1, "expected ':' after the constant of 'case'"},
      {"void f() { if (1) case 1: ; }", 19, 4, "'case' must stand directly in the block of a 'switch'"},
      {"void f() { if (1) int x; }", 19, 3, "a declaration needs a block here: put it in '{' and '}'"},
      {"void f() { goto end; }", 12, 4, "there is no 'goto'; use loops, 'break' and 'continue'"},
      {"void f() { end: x = 1; }", 15, 1, "there are no labels, as there is no 'goto'"},
      {"void f() { flaot x; }", 12, 5, "unknown type name 'flaot'; did you mean 'float'?"},
      {"}", 1, 1, "there is no '{' that this '}' could close"},
      {"void f() { } }", 14, 1, "there is no '{' that this '}' could close"},
      {"void f() { } return;", 14, 6, "a statement can only stand in a function; is there a '}' too many above?"},
      {"void f() { x; # define N", 15, 1, "a directive must be the first in its line"},
  });
}

TEST_CASE("errors over several lines", "[core][parse][errors]") {
  const std::vector<Wrong> cases = {
      // a missing semicolon is shown where it belongs
      {"void f() {\n  x = 1\n  y = 2;\n}\n", "t:2:8: error: expected ';' after the expression\n    x = 1\n         ^\n"},
      // an open brace
      {"void f() {\n  if (x) {\n    y = 1;\n}\n",
       "t:4:2: error: expected '}' at the end of the file\n  }\n   ^\nt:1:10: note: the '{' is here\n  void f() {\n           ^\n"},
      {"void f() {\n  if (x) {\n\nvoid g(int a) {\n}\n",
       "t:4:7: error: a function cannot stand inside another one; is a '}' missing above?\n  void g(int a) {\n        ^\n"
       "t:2:10: note: the block begins here\n    if (x) {\n           ^\n"},
      {"void f() {\n  g(1,\n    2\n  x = 3;\n}",
       "t:3:6: error: expected ',' or ')' after the argument\n      2\n       ^\nt:2:4: note: the '(' is here\n    g(1,\n     ^\n"},
      // mistakes in macros
      {"#define ADD(a) a +\nvoid f() { x = ADD(1); }",
       "t:2:22: error: expected an expression after '+'\n  void f() { x = ADD(1); }\n                       ^\n"
       "t:1:18: note: it comes from this macro\n  #define ADD(a) a +\n                   ^\n"},
      {"#define N 08\nvoid f() { x = N; }",
       "t:2:16: error: '8' is not an octal digit; a leading 0 makes a number octal\n  void f() { x = N; }\n                 ^\n"
       "t:1:11: note: it comes from this macro\n  #define N 08\n            ^^\n"},
      {"#define N 1\n#define N 2\n",
       "t:2:9: error: the macro 'N' is defined already, with another text; #undef it first, or ask with #ifndef\n  #define N 2\n          "
       "^\n"
       "t:1:9: note: it is defined here\n  #define N 1\n          ^\n"},
      {"#define F(a) a\nint x = F(1, 2);",
       "t:2:9: error: the macro 'F' has 1 parameter, but gets 2 arguments\n  int x = F(1, 2);\n          ^\n"
       "t:1:9: note: it is defined here\n  #define F(a) a\n          ^\n"},
      {"#if 1\nint x;\n", "t:1:1: error: this #if is not closed: #endif is missing\n  #if 1\n  ^^^\n"},
      {"int x;\n#include \"a.h\"\n",
       "t:2:1: error: the text of 'a.h' was not put in: a program does that with include_files, the command with -I\n  #include \"a.h\"\n  "
       "^^^^^^^^^^^^^^\n"},
      {"int x; /* no end\n", "t:1:8: error: this comment is not closed: '*/' is missing\n  int x; /* no end\n         ^^\n"},
      {"#ifndef WG\n#error  WG must be given\n#endif\n",
       "t:2:9: error: #error WG must be given\n  #error  WG must be given\n          ^^^^^^^^^^^^^^^^\n"},
      {"void f() {\n  x = 1 +\n#pragma OPENCL FP_CONTRACT ON\n  2;\n}",
       "t:3:9: error: this pragma can stand outside of functions and between the statements of a block, not inside a statement\n"
       "  #pragma OPENCL FP_CONTRACT ON\n          ^^^^^^^^^^^^^^^^^^^^^\n"},
  };
  for (const Wrong& wrong : cases) {
    INFO(wrong.text);
    CHECK(report_of(wrong.text) == wrong.report);
  }
}

}  // namespace lockstep::core
