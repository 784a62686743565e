// Wrong typed texts and exactly what the user reads about them.

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "semantics/typed/parse.hpp"

namespace lockstep::typed {
namespace {

std::string report_of(const std::string& text) {
  const auto source = std::make_shared<const SourceFile>("t", text);
  const auto result = parse(source);
  return result ? "accepted\n" : render(*source, result.error());
}

const std::string head =
    ".typed\n.wg_size 4\n.local float tile[4]\n.constant int table[2] : 1 2\n"
    ".kernel k(global float* a, constant float* c, int n, float x)\n.var float row[4], y\n.var int i\n.var ulong u\n";
const std::string tail = "\n stop\n.function float half(float v)\n ret v / 2.0f\n.function void go(int v)\n ret\n";

struct WrongLine {
  std::string line;
  std::size_t column;
  std::size_t width;
  std::string message;
};

/// Each line stands alone in a program that is right otherwise.
void check_lines(const std::vector<WrongLine>& cases) {
  for (const WrongLine& wrong : cases) {
    INFO(wrong.line);
    const std::string expected = "t:9:" + std::to_string(wrong.column) + ": error: " + wrong.message + "\n  " + wrong.line + "\n  " +
                                 std::string(wrong.column - 1, ' ') + std::string(wrong.width, '^') + "\n";
    const std::string report = report_of(head + wrong.line + tail);
    CHECK(report.substr(0, report.find("t:1", 3)) == expected);
  }
}

struct Wrong {
  std::string text;
  std::string report;
};

void check_all(const std::vector<Wrong>& cases) {
  for (const Wrong& wrong : cases) {
    INFO(wrong.text);
    CHECK(report_of(wrong.text) == wrong.report);
  }
}

}  // namespace

TEST_CASE("type errors in expressions", "[typed][errors]") {
  CHECK(report_of(head + tail) == "accepted\n");
  check_lines({
      {"y = x + n", 7, 1, "the operands of '+' have different types: 'float' and 'int'"},
      {"i = n < 1u", 7, 1, "the operands of '<' have different types: 'int' and 'uint'"},
      {"y = x % x", 7, 1, "'%' is not defined for 'float'"},
      {"i = ~x", 5, 1, "'~' is not defined for 'float'"},
      {"i = sqrt(n)", 5, 4, "'sqrt' is not defined for 'int'"},
      {"y = fma(x, y)", 5, 9, "'fma' takes 3 operands, not 2"},
      {"i = int(x, y)", 5, 9, "the conversion to 'int' takes 1 operand, not 2"},
      {"i = int(a)", 9, 1, "a pointer cannot be converted: this is a 'global float*'"},
      {"y = as.float(u)", 14, 1, "'as.float' takes a number of the same size: int, uint or float, not 'ulong'"},
      {"u = as.ulong(x)", 14, 1, "'as.ulong' takes a number of the same size: long, ulong or double, not 'float'"},
      {"i = int(as.char(1s))", 17, 2, "'as.char' takes a number of the same size: char or uchar, not 'short'"},
      {"i = int(as.uchar(true))", 18, 4, "'as.uchar' takes a number of the same size: char or uchar, not 'bool'"},
      {"u = as.ulong(a)", 14, 1, "'as.ulong' takes a number of the same size: long, ulong or double, not 'global float*'"},
      {"i = as.int(null.global.int)", 12, 15, "'as.int' takes a number of the same size: int, uint or float, not 'global int*'"},
      {"i = int(as.bool(1c))", 9, 11, "there is no 'as.bool': not all bits are those of a bool; a conversion is written 'bool(…)'"},
      {"i = ld (as.local.int(a))[0]", 22, 1, "only a pointer into local memory can be one to 'int' there: this is a 'global float*'"},
      {"i = ld (as.private.int(&row))[0]", 9, 20, "a pointer to private memory keeps its type: registers have no bytes"},
      {"i = ld (as.global.int(5))[0]", 23, 1, "only a pointer into global memory can be one to 'int' there: this is a 'int'"},
      {"i = ld (as.global.int(a, a))[0]", 9, 19, "'as.global.int' takes 1 operand, not 2"},
      {"i = ld (as.global.uint(a))[0]", 8, 19, "'i' has the type 'int', a 'global uint*' leads to 'uint'"},
      {"i = as.int(x, y)", 5, 12, "'as.int' takes 1 operand, not 2"},
      {"i = as.int", 11, 1, "expected '(' and the operands"},
      {"i = as.uint(x)", 5, 10, "'i' has the type 'int', this has 'uint'; a conversion is written 'int(…)'"},
      {"y = a * 2.0f", 5, 1, "'*' is not defined for pointers: this is a 'global float*'"},
      {"i = a == c", 7, 2, "the operands of '==' have different types: 'global float*' and 'constant float*'"},
      {"y = ld (1 + a)[0]", 11, 1, "the pointer of a sum stands on its left side"},
      {"y = ld (a - 1)[0]", 11, 1, "an integer cannot be subtracted from a pointer; add the negative integer"},
      {"y = row[x]", 9, 1, "an array index is an integer, not 'float'"},
      {"y = row[within(x, 4)]", 16, 1, "'within' takes an integer, not 'float'"},
      {"y = x ? x : y", 5, 1, "the condition of '?:' is an 'int', not a 'float'"},
      {"y = n ? x : n", 7, 1, "the arms of '?:' have different types: 'float' and 'int'"},
      {"y = row", 8, 1, "expected '[' and an index: this is an array"},
      {"y = x[0]", 6, 1,
       "expected an operator or the end of the line; only an array has elements, and memory is read by 'v = ld base[index]'"},
      {"y = ld (&x)[0]", 10, 1, "'x' is no array; only an array has an address"},
      {"y = xx", 5, 2, "the register 'xx' is not declared; did you mean 'x'?"},
      {"y = ld @tyle[0]", 9, 4, "the object 'tyle' is not declared; did you mean 'tile'?"},
      {"y = tile", 5, 4, "'tile' is an object; its address is written '@tile'"},
      {"y = ld @row[0]", 9, 3, "'row' is a register; the address of an array is written '&row'"},
      {"y = half(x)", 5, 4, "'half' is no operation; a function is called by an instruction of its own, 'v = call f(…)'"},
  });
}

TEST_CASE("type errors in instructions", "[typed][errors]") {
  check_lines({
      {"y = n", 5, 1, "'y' has the type 'float', this has 'int'; a conversion is written 'float(…)'"},
      {"row = x", 1, 3, "'row' is an array: which element is written as in 'row[0] = …'"},
      {"y[0] = x", 1, 1, "'y' is no array and has no elements"},
      {"row[x] = x", 5, 1, "an array index is an integer, not 'float'"},
      {"y = ld x[0]", 8, 1, "memory is reached through a pointer: this is a 'float'"},
      {"y = ld a[x]", 10, 1, "an index is an integer, not 'float'"},
      {"i = ld a[0]", 8, 1, "'i' has the type 'int', a 'global float*' leads to 'float'"},
      {"st c[0] = x", 4, 1, "constant memory is never written: this is a 'constant float*'"},
      {"st a[0] = n", 11, 1, "the cell has the type 'float', this has 'int'; a conversion is written 'float(…)'"},
      {"i = shfl(x, 0)", 10, 1, "'i' has the type 'int', 'x' has 'float'"},
      {"y = shfl(row, 0)", 10, 3, "'row' is an array; here a single register is needed"},
      {"y = shfl.active(x, x)", 20, 1, "the lane of 'shfl.active' is an integer, not a 'float'"},
      {"i = ballot.active(n)", 1, 1, "the result of this vote has the type 'ulong', 'i' has 'int'"},
      {"i = any.group(a)", 15, 1, "a vote counts numbers that are not 0: this is a 'global float*'"},
      {"bz a, 0", 4, 1, "'bz' asks whether a number is 0: this is a 'global float*'"},
      {"jmp_mask x, 0", 10, 1, "'jmp_mask' takes the integer number of a lane, not a 'float'"},
      {"ret x", 5, 1, "'k' has no result"},
      {"jmp Lop", 5, 3, "the label 'Lop' is not defined in 'k'"},
      {"jmp 2", 5, 1, "jump out of the function: the instructions of 'k' have the numbers 0 to 1"},
      {"call hafl(x)", 6, 4, "the function 'hafl' is not defined; did you mean 'half'?"},
  });
}

TEST_CASE("calls name the function that they do not fit", "[typed][errors]") {
  const std::string note = "t:11:1: note: the function is here\n  .function float half(float v)\n  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n";
  const std::string other = "t:13:1: note: the function is here\n  .function void go(int v)\n  ^^^^^^^^^^^^^^^^^^^^^^^^\n";
  check_all({
      {head + "y = call half(x, y)" + tail,
       "t:9:10: error: 'half' takes 1 argument, not 2\n  y = call half(x, y)\n           ^^^^\n" + note},
      {head + "y = call half(n)" + tail,
       "t:9:15: error: the parameter 'v' has the type 'float', this has 'int'\n  y = call half(n)\n                ^\n" + note},
      {head + "i = call half(x)" + tail,
       "t:9:1: error: the result of 'half' has the type 'float', 'i' has 'int'\n  i = call half(x)\n  ^\n" + note},
      {head + "call k(a, c, n, x)" + tail,
       "t:9:6: error: the kernel cannot be called\n  call k(a, c, n, x)\n       ^\nt:5:1: note: the function is here\n  "
       ".kernel k(global float* a, constant float* c, int n, float x)\n  " +
           std::string(61, '^') + "\n"},
      {head + "i = call go(n)" + tail, "t:9:1: error: 'go' has no result\n  i = call go(n)\n  ^\n" + other},
  });
}

TEST_CASE("wrong forms in typed texts", "[typed][errors]") {
  check_lines({
      {"y == x", 3, 2, "an assignment is written with '=', not '=='"},
      {"snyc", 1, 4, "unknown instruction 'snyc'; did you mean 'sync'?"},
      {"bnz n, 0", 1, 3, "unknown instruction 'bnz': μ-SIMD has only 'bz'; negate the condition, as in 'bz !(e), L'"},
      {"ld a[0]", 1, 2, "'ld' needs a register for its result, as in 'v = ld …'"},
      {"y = x +", 8, 1, "expected an operand after '+'"},
      {"y = 1 + ld", 9, 2, "'ld' cannot stand inside an expression, only directly behind '='"},
      {"y = $", 5, 1, "expected an expression after '='"},
      {"stop = 1", 1, 4, "'stop' is a reserved word; a register of this name is written '$stop'"},
      {"stop 1", 6, 1, "expected the end of the line"},
      {"y = sync", 5, 4, "'sync' is a reserved word; a register of this name is written '$sync'"},
      {"i = 2147483648", 5, 10, "the number is too big: int goes from -2147483648 to 2147483647"},
      {"i = 0x1ffffffff", 5, 11, "the number is too big: a hexadecimal int has at most 32 significant bits"},
      {"u = -1ul", 5, 4, "a ulong has no minus of its own; its negation is written with parentheses, as in -(1u)"},
      {"y = 1.5q", 5, 4, "'1.5q' is not a number"},
      {"y = 1e99f", 5, 5, "the number is out of the range of float"},
      {"y = nanf(0)", 5, 4, "expected the bits of a nan in parentheses, as in nan(0x7ff8000000000001) or nanf(0x7fc00001)"},
      {".vra int z", 1, 4, "unknown directive '.vra'; did you mean '.var'?"},
      {".var float* p", 6, 5, "a pointer says where it points to: private, local, global or constant, as in 'global float*'"},
      {".var local int p", 12, 3, "only a pointer says which memory it is about, as in 'local int*'"},
      {".var int z[0]", 12, 1, "an array has at least one element"},
      {".var int z[2147483648]", 12, 10, "an array has at most 2147483647 elements"},
      {".var uniform int z", 18, 1, "only a parameter can be 'uniform'"},
      {".local global int* z", 15, 3, "an object holds numbers, not pointers"},
      {".constant int z[2] : 1", 1, 22, "'z' has 2 elements, but 1 value stands here"},
      {".constant int z : 1.0f", 19, 4, "the values of 'z' have the type 'int', this one 'float'"},
      {".. 3", 1, 2, "there is no '.constant' directive that '..' could continue"},
  });
}

TEST_CASE("errors in whole typed texts", "[typed][errors]") {
  check_all({
      {".typed\n.wg_size 65\n.kernel k()\n.var ulong u\nu = ballot.active(1)\nstop\n",
       "t:5:1: error: 'ballot.active' has a bit for each of at most 64 items, but the group has 65\n  u = ballot.active(1)\n"
       "  ^^^^^^^^^^^^^^^^^^^^\nt:2:10: note: its size is given here\n  .wg_size 65\n           ^^\n"},
      {".typed\n.wg_size 64\n.kernel k()\n.var ulong u\nu = ballot.active(1)\nstop\n", "accepted\n"},
      {"v = 1\n", "t:1:1: error: a typed program begins with '.typed'\n  v = 1\n  ^\n"},
      {".typed\n.wg_size 4\nstop\n", "t:3:1: error: instructions belong to a function: '.kernel' comes first\n  stop\n  ^^^^\n"},
      {".typed\n.wg_size 0\n.kernel k()\nstop\n", "t:2:10: error: a work group has 1 to 1048576 items\n  .wg_size 0\n           ^\n"},
      {".typed\n.kernel k()\nstop\n", "t:1:1: error: the program has no '.wg_size'\n  .typed\n  ^\n"},
      {".typed\n.wg_size 1\n.function void f()\nret\n",
       "t:3:16: error: the first function is the '.kernel'\n  .function void f()\n                 ^\n"},
      {".typed\n.wg_size 1\n.kernel k()\n", "t:3:1: error: 'k' has no instruction\n  .kernel k()\n  ^^^^^^^^^^^\n"},
      {".typed\n.wg_size 1\n.kernel k()\nstop\nEnd:\n", "t:5:1: error: no instruction of 'k' stands behind this label\n  End:\n  ^^^\n"},
      {".typed\n.wg_size 1\n.kernel k()\nL: sync\nL: stop\n",
       "t:5:1: error: the label 'L' stands twice\n  L: stop\n  ^\nt:4:1: note: the first one is here\n  L: sync\n  ^\n"},
      {".typed\n.wg_size 1\n.kernel k(int v)\n.var int v\nstop\n",
       "t:4:10: error: 'v' is declared twice\n  .var int v\n           ^\nt:3:15: note: the first one is here\n  .kernel k(int v)\n        "
       "        ^\n"},
      {".typed\n.wg_size 1\n.kernel k()\n.var ind v\nv = 1\nstop\n", "t:4:6: error: expected a type\n  .var ind v\n       ^^^\n"},
  });
}

TEST_CASE("the nesting of a typed text is limited", "[typed][errors]") {
  const auto nested = [](std::size_t depth) { return head + "y = " + std::string(depth, '(') + "x" + std::string(depth, ')') + tail; };
  CHECK(report_of(nested(400)) == "accepted\n");
  CHECK(report_of(nested(401)).find("nested too deeply: at most 400 levels are allowed") != std::string::npos);
  CHECK(report_of(nested(100000)).find("nested too deeply") != std::string::npos);
}

}  // namespace lockstep::typed
