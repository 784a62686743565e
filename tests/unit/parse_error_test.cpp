// Wrong texts and exactly what the user reads about them.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "semantics/musimd/parse.hpp"

namespace lockstep::musimd {
namespace {

struct Wrong {
  std::string text;
  std::string report;  ///< without the file name, which is "t:"
};

std::string report_of(const std::string& text) {
  const SourceFile source("t", text);
  const auto result = parse(source);
  return result ? "accepted\n" : render(source, result.error());
}

void check_all(const std::vector<Wrong>& cases) {
  for (const Wrong& wrong : cases) {
    INFO(wrong.text);
    CHECK(report_of(wrong.text) == wrong.report);
  }
}

/// The report of an error in a text of one line: `column` counts from 1, `width` carets.
std::string at(const std::string& line, std::size_t column, std::size_t width, const std::string& message) {
  return "t:1:" + std::to_string(column) + ": error: " + message + "\n  " + line + "\n  " + std::string(column - 1, ' ') +
         std::string(width, '^') + "\n";
}

struct WrongLine {
  std::string line;
  std::size_t column;
  std::size_t width;
  std::string message;
};

void check_lines(const std::vector<WrongLine>& cases) {
  for (const WrongLine& wrong : cases) {
    INFO(wrong.line);
    CHECK(report_of(wrong.line) == at(wrong.line, wrong.column, wrong.width, wrong.message));
  }
}

}  // namespace

TEST_CASE("errors in expressions", "[parse][errors]") {
  check_lines({
      {"v0 =", 5, 1, "expected an expression after '='"},
      {"v0 = * 3", 6, 1, "expected an expression after '='"},
      {"v0 = +1", 6, 1, "expected an expression after '='; there is no unary '+'"},
      {"v0 = 1 +", 9, 1, "expected an operand after '+'"},
      {"v0 = 1 << )", 11, 1, "expected an operand after '<<'"},
      {"v0 = a && & b", 11, 1, "expected an operand after '&&'"},
      {"v0 = a ++ b", 9, 1, "expected an operand after '+'; there is no unary '+'"},
      {"v0 = - ", 7, 1, "expected an operand after '-'"},
      {"v0 = 1 2", 8, 1, "expected an operator or the end of the line"},
      {"v0 = a = 3", 8, 1, "expected an operator or the end of the line; equality is written '=='"},
      {"v0 = 1.5", 7, 1, "expected an operator or the end of the line; numbers are integers"},
      {"v0 = 1)", 7, 1, "expected an operator or the end of the line"},
      {"v0 = ()", 7, 1, "expected an expression after '('"},
      {"v0 = a ? b", 11, 1, "expected ':' and the third operand of '?:'"},
      {"v0 = a ? : b", 10, 1, "expected an operand after '?'"},
      {"v0 = a ? b :", 13, 1, "expected an operand after ':'"},
      {"v0 = min 1", 10, 1, "expected '(' after 'min'"},
      {"v0 = min(1)", 11, 1, "expected ',' and the second operand of min"},
      {"v0 = max(1, )", 13, 1, "expected an operand after ','"},
      {"v0 = max(1, 2, 3)", 14, 1, "expected ')' after the two operands of max"},
      {"v0 = $x", 6, 1, "unexpected character '$'; expected an expression after '='"},
      {"v0 = 1 \u22EF", 8, 1, "unexpected character '\u22EF'; expected an operator or the end of the line"},
      {"v0 = sync", 6, 4, "'sync' is a reserved word and cannot name a variable"},
      {"v0 = 1 + ld v3", 10, 2, "'ld' cannot stand inside an expression, only directly behind '='"},
  });
  check_all({{"v = (1 + (2)",
              "t:1:13: error: expected ')'\n  v = (1 + (2)\n              ^\n"
              "t:1:5: note: the '(' is here\n  v = (1 + (2)\n      ^\n"}});
}

TEST_CASE("errors in numbers", "[parse][errors]") {
  const std::string decimal = "the number is too big: integers go from -9223372036854775808 to 9223372036854775807";
  check_lines({
      {"v = 12abc", 5, 5, "'12abc' is not a number"},
      {"v = 0x", 5, 2, "'0x' is not a number"},
      {"v = 0xfg", 5, 4, "'0xfg' is not a number"},
      {"v = 9223372036854775808", 5, 19, decimal},
      {"v = -9223372036854775809", 5, 20, decimal},
      {"v = -(9223372036854775808)", 7, 19, decimal},
      {"v = 2 - 9223372036854775808", 9, 19, decimal},
      {"v = 99999999999999999999999999", 5, 26, decimal},
      {"v = 0x10000000000000000", 5, 19, "the number is too big: a hexadecimal one has at most 64 significant bits"},
  });
}

TEST_CASE("errors in instructions", "[parse][errors]") {
  check_lines({
      {"v0 == 1", 4, 2, "an assignment is written with '=', not '=='"},
      {"v0 => 1", 4, 2, "an assignment is written with '=', not '=>'"},
      {"v0 := 1", 4, 2, "an assignment is written with '=', not ':='"},
      {"v0 += 1", 4, 2, "an assignment is written with '=', not '+='"},
      {"v0 <- 1", 4, 2, "an assignment is written with '=', not '<-'"},
      {"st tid == 1", 8, 2, "an assignment is written with '=', not '=='"},
      {"st v4 v6", 7, 2, "expected '=' and a value"},
      {"st = 4", 1, 2, "'st' is a reserved word and cannot name a variable"},
      {"st", 3, 1, "expected an address after 'st'"},
      {"v0 = ld", 8, 1, "expected an address after 'ld'"},
      {"ld v0", 1, 2, "'ld' needs a variable to load into, as in 'v = ld e'"},
      {"\u2193 v0", 1, 1, "'\u2193' needs a variable to load into, as in 'v = \u2193 e'"},
      {"shfl(v1, 2)", 1, 4, "'shfl' needs a variable for its result, as in 'v = shfl(v1, e)'"},
      {"v0 = shfl(v1)", 13, 1, "expected ',' and the lane; shfl takes a variable or tid, and a lane"},
      {"v0 = shfl(3, 1)", 11, 1, "expected a variable or tid as the first operand of shfl"},
      {"v0 = shfl v1, 2", 11, 2, "expected '(' after 'shfl'"},
      {"v0 = shfl(v1, 2) + 1", 18, 1, "expected the end of the line"},
      {"bnz v1, L", 1, 3, "unknown instruction 'bnz': \u03BC-SIMD has only 'bz'; negate the condition, as in 'bz !(e), L'"},
      {"snyc", 1, 4, "unknown instruction 'snyc'; did you mean 'sync'?"},
      {"jump L", 1, 4, "unknown instruction 'jump'; did you mean 'jmp'?"},
      {"frobnicate v1, 2", 1, 10, "unknown instruction 'frobnicate'"},
      {"v0 ! 3", 4, 1, "expected '=' after the variable"},
      {"tid = 3", 1, 3, "tid cannot be assigned"},
      {"sync = 3", 1, 4, "'sync' is a reserved word and cannot name a variable"},
      {"min = 3", 1, 3, "'min' is a reserved word and cannot name a variable"},
      {"tid", 1, 3, "'tid' is a part of expressions and cannot begin an instruction"},
      {"everywhere {", 12, 1, "unexpected character '{'; expected the end of the line"},
      {"sync 3", 6, 1, "expected the end of the line"},
      {"(a)", 1, 1, "expected an instruction"},
  });
}

TEST_CASE("errors in labels and jumps", "[parse][errors]") {
  check_lines({
      {"bz v1 Done", 7, 4, "expected ',' and a label"},
      {"bz v1,", 7, 1, "expected a label or an instruction number"},
      {"bz , L", 4, 1, "expected an expression after 'bz'"},
      {"jmp_mask", 9, 1, "expected an expression after 'jmp_mask'"},
      {"jmp", 4, 1, "expected a label or an instruction number"},
      {"jmp -1", 5, 1, "expected a label or an instruction number"},
      {"jmp 0x0", 5, 3, "'0x0' is neither a label nor a decimal instruction number"},
      {"jmp sync", 5, 4, "'sync' is a reserved word and cannot name a label"},
      {"jmp 1", 5, 1, "jump out of range: the instructions have the numbers 0 to 0"},
      {"jmp 4294967296", 5, 10, "jump out of range: the instructions have the numbers 0 to 0"},
      {"jmp 99999999999999999999999", 5, 23, "jump out of range: the instructions have the numbers 0 to 0"},
      {"jmp Nowhere", 5, 7, "the label 'Nowhere' is not defined"},
      {"Loop: jmp Lop", 11, 3, "the label 'Lop' is not defined; did you mean 'Loop'?"},
      {"Loop jmp Loop", 5, 1, "expected ':' after the label 'Loop'"},
      {"stop: stop", 1, 4, "'stop' is a reserved word and cannot name a label"},
      {"1: sync", 1, 1, "expected an instruction; a label begins with a letter or '_'"},
  });
  check_all({{"Loop:\nsync\nLoop: stop",
              "t:3:1: error: the label 'Loop' stands twice\n  Loop: stop\n  ^^^^\n"
              "t:1:1: note: the first one is here\n  Loop:\n  ^^^^\n"}});
}

TEST_CASE("errors in directives", "[parse][errors]") {
  check_lines({
      {".thread 4", 1, 7, "unknown directive '.thread'; did you mean '.threads'?"},
      {".frobnicate", 1, 11, "unknown directive '.frobnicate'; there are '.threads' and '.shared'"},
      {"L: .threads 4", 4, 8, "a directive stands on a line of its own, without a label"},
      {".threads", 9, 1, "expected the number of threads"},
      {".threads 0", 10, 1, "the number of threads must be 1 to 1024"},
      {".threads -1", 10, 2, "the number of threads must be 1 to 1024"},
      {".threads 1025", 10, 4, "the number of threads must be 1 to 1024"},
      {".threads 4 5", 12, 1, "expected the end of the line"},
      {".shared", 8, 1, "expected the base address"},
      {".shared 0 1 2", 11, 1, "expected ':' after the base address"},
      {".shared 0 : 1, 2", 14, 1, "expected an integer or the end of the line; values are separated by blanks"},
      {".shared -1 : 1", 9, 2, "an address cannot be negative"},
      {".shared 0 :", 1, 11, "'.shared' needs at least one value after ':'"},
      {".shared 0 : 1 ..", 17, 1, "expected more values after '..'"},
      {".shared 9223372036854775807 : 1 2", 1, 33, "the last cell's address is beyond 9223372036854775807"},
      {".. 1 2", 1, 2, "there is no '.shared' directive that '..' could continue"},
  });
  check_all({
      {".threads 4\nstop\n.threads 4",
       "t:3:1: error: '.threads' stands twice\n  .threads 4\n  ^^^^^^^^^^\n"
       "t:1:1: note: the first one is here\n  .threads 4\n  ^^^^^^^^^^\n"},
      {".shared 4 : 1 2\n.shared 0 : 1 2 3 4 5\nstop",
       "t:2:1: error: the shared cell 4 gets a value twice\n  .shared 0 : 1 2 3 4 5\n  ^^^^^^^^^^^^^^^^^^^^^\n"
       "t:1:1: note: the first one is here\n  .shared 4 : 1 2\n  ^^^^^^^^^^^^^^^\n"},
      {".shared 0 : 1 2 3 4 5 6\n.shared 1 : 1\n.shared 5 : 1\n.shared 6 : 1\nstop",
       "t:2:1: error: the shared cell 1 gets a value twice\n  .shared 1 : 1\n  ^^^^^^^^^^^^^\n"
       "t:1:1: note: the first one is here\n  .shared 0 : 1 2 3 4 5 6\n  ^^^^^^^^^^^^^^^^^^^^^^^\n"
       "t:3:1: error: the shared cell 5 gets a value twice\n  .shared 5 : 1\n  ^^^^^^^^^^^^^\n"
       "t:1:1: note: the first one is here\n  .shared 0 : 1 2 3 4 5 6\n  ^^^^^^^^^^^^^^^^^^^^^^^\n"},
  });
}

TEST_CASE("several errors in one run, in textual order", "[parse][errors]") {
  check_all({
      {"jmp Nowhere\nv = 1 +  // why\n\t.threads 0\n",
       "t:1:5: error: the label 'Nowhere' is not defined\n  jmp Nowhere\n      ^^^^^^^\n"
       "t:2:8: error: expected an operand after '+'\n  v = 1 +  // why\n         ^\n"
       "t:3:11: error: the number of threads must be 1 to 1024\n  \t.threads 0\n  \t         ^\n"},
      // A refused line keeps its place and its label: nothing follows from it.
      {"L: v =\nM jmp 1\njmp L\njmp M\njmp 3\n",
       "t:1:7: error: expected an expression after '='\n  L: v =\n        ^\n"
       "t:2:2: error: expected ':' after the label 'M'\n  M jmp 1\n   ^\n"},
      // The values behind a refused `.shared` belong to it.
      {".shared x : 1 ..\n2 3 ..\n4\n.. 5\nstop", "t:1:9: error: expected the base address\n  .shared x : 1 ..\n          ^\n"},
      {".shared 0 : 1 ..\nstop\n", "t:2:1: error: expected an integer or the end of the line\n  stop\n  ^^^^\n"},
  });
}

}  // namespace lockstep::musimd
