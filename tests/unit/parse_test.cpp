#include "semantics/musimd/parse.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace lockstep::musimd {
namespace {

Program parsed(const std::string& text) {
  const SourceFile source("t.mus", text);
  auto result = parse(source);
  INFO(text);
  INFO((result ? std::string() : render(source, result.error())));
  REQUIRE(result.has_value());
  return *result;
}

std::string errors_of(const std::string& text) {
  const SourceFile source("t.mus", text);
  const auto result = parse(source);
  return result ? "" : render(source, result.error());
}

std::size_t error_count(const std::string& text) {
  const SourceFile source("t.mus", text);
  const auto result = parse(source);
  return result ? 0 : result.error().size();
}

/// The tree in Lisp's notation, which shows every grouping.
std::string lisp(const Program& program, const Expr& expression) {
  std::vector<std::string> stack;
  for (const ExprNode& node : expression.nodes) {
    if (const auto* constant = std::get_if<Constant>(&node)) {
      stack.push_back(std::to_string(constant->value));
    } else if (const auto* variable = std::get_if<Variable>(&node)) {
      stack.push_back(program.variables.at(variable->id));
    } else if (const auto* operation = std::get_if<Operation>(&node)) {
      const auto arity = static_cast<std::size_t>(info(operation->op).arity);
      REQUIRE(stack.size() >= arity);
      std::string text = "(" + std::string(info(operation->op).name);
      for (std::size_t i = stack.size() - arity; i < stack.size(); ++i) {
        text += " " + stack[i];
      }
      stack.resize(stack.size() - arity);
      stack.push_back(text + ")");
    } else {
      stack.push_back("tid");
    }
  }
  REQUIRE(stack.size() == 1);
  return stack.front();
}

std::string tree(const std::string& expression) {
  const Program program = parsed("r = " + expression);
  return lisp(program, std::get<Assign>(program.code.at(0).instruction).value);
}

std::int64_t number(const std::string& literal) {
  const Program program = parsed("r = " + literal);
  const Expr& value = std::get<Assign>(program.code.at(0).instruction).value;
  REQUIRE(value.nodes.size() == 1);
  return std::get<Constant>(value.nodes.front()).value;
}

std::string repeated(const std::string& piece, std::size_t times) {
  std::string text;
  text.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) {
    text += piece;
  }
  return text;
}

std::string covered(const std::string& text, SourceSpan span) { return text.substr(span.begin, span.end - span.begin); }

}  // namespace

TEST_CASE("operators have C's precedence and associativity", "[parse]") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a + b * c", "(Add a (Mul b c))"},
      {"a * b + c", "(Add (Mul a b) c)"},
      {"a - b - c", "(Sub (Sub a b) c)"},
      {"a / b % c * d", "(Mul (Rem (Div a b) c) d)"},
      {"a << b + c >> d", "(Shr (Shl a (Add b c)) d)"},
      {"a < b << c", "(Lt a (Shl b c))"},
      {"a < b <= c > d >= e", "(Ge (Gt (Le (Lt a b) c) d) e)"},
      {"a == b < c", "(Eq a (Lt b c))"},
      {"a == b != c", "(Ne (Eq a b) c)"},
      {"a & b == c", "(BitAnd a (Eq b c))"},
      {"a ^ b & c", "(BitXor a (BitAnd b c))"},
      {"a | b ^ c", "(BitOr a (BitXor b c))"},
      {"a && b | c", "(LogicalAnd a (BitOr b c))"},
      {"a || b && c", "(LogicalOr a (LogicalAnd b c))"},
      {"a && b || c", "(LogicalOr (LogicalAnd a b) c)"},
      {"a || b ? c : d", "(Select (LogicalOr a b) c d)"},
      {"a ? b : c ? d : e", "(Select a b (Select c d e))"},
      {"a ? b ? c : d : e", "(Select a (Select b c d) e)"},
      {"a ? b : c + 1", "(Select a b (Add c 1))"},
      {"(a ? b : c) ? d : e", "(Select (Select a b c) d e)"},
      {"a + (b ? c : d) * e", "(Add a (Mul (Select b c d) e))"},
      {"!a + ~b", "(Add (LogicalNot a) (BitNot b))"},
      {"!a == b", "(Eq (LogicalNot a) b)"},
      {"-a * b", "(Mul (Neg a) b)"},
      {"!~-a", "(LogicalNot (BitNot (Neg a)))"},
      {"- -a", "(Neg (Neg a))"},
      {"--a", "(Neg (Neg a))"},
      {"a--b", "(Sub a (Neg b))"},
      {"a!=!b", "(Ne a (LogicalNot b))"},
      {"a&&~b", "(LogicalAnd a (BitNot b))"},
      {"a<-b", "(Lt a (Neg b))"},
      {"min(a, b + 1) * max(c ? 1 : 2, tid)", "(Mul (Min a (Add b 1)) (Max (Select c 1 2) tid))"},
      {"-min(a, b)", "(Neg (Min a b))"},
      {"minimum + max_ + tide", "(Add (Add minimum max_) tide)"},
      {"((a))", "a"},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK(tree(text) == expected);
  }
}

TEST_CASE("a minus belongs to the literal directly behind it", "[parse]") {
  CHECK(tree("-5") == "-5");
  CHECK(tree("- 5") == "-5");
  CHECK(tree("-(5)") == "(Neg 5)");
  CHECK(tree("-(-5)") == "(Neg -5)");
  CHECK(tree("- -5") == "(Neg -5)");
  CHECK(tree("2-5") == "(Sub 2 5)");
  CHECK(tree("2 - -5") == "(Sub 2 -5)");
  CHECK(tree("-5 * 2") == "(Mul -5 2)");
  CHECK(tree("!-5") == "(LogicalNot -5)");
  CHECK(tree("-!5") == "(Neg (LogicalNot 5))");
}

TEST_CASE("integer literals", "[parse]") {
  CHECK(number("0") == 0);
  CHECK(number("007") == 7);
  CHECK(number("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(number("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(number("00000000000000000000000000000012") == 12);
  CHECK(number("0x10") == 16);
  CHECK(number("0XaBc") == 2748);
  CHECK(number("0xffffffffffffffff") == -1);
  CHECK(number("0x8000000000000000") == std::numeric_limits<std::int64_t>::min());
  CHECK(number("0x0000000000000000000001") == 1);
  CHECK(number("-0x10") == -16);
  CHECK(number("-0xffffffffffffffff") == 1);
}

TEST_CASE("every instruction in both spellings", "[parse]") {
  const Program program = parsed(
      "v0 = \u2193 tid\n"
      "v0 = ld tid\n"
      "\u2191 v1 = v0\n"
      "st v1 + 1 = 2\n"
      "bz v0, End\n"
      "jmp 0\n"
      "jmp_mask v8, End\n"
      "v3 = shfl(v2, v8)\n"
      "v3 = shfl(tid, 1)\n"
      "sync\nstop\neverywhere\nend_everywhere\n"
      "End:\n");
  REQUIRE(program.code.size() == 13);
  CHECK(program.variables == std::vector<std::string>{"v0", "v1", "v8", "v3", "v2"});
  for (const std::size_t i : {0U, 1U}) {
    const auto& load = std::get<Load>(program.code[i].instruction);
    CHECK(load.dst == 0);
    CHECK(lisp(program, load.address) == "tid");
  }
  CHECK(lisp(program, std::get<Store>(program.code[2].instruction).address) == "v1");
  CHECK(lisp(program, std::get<Store>(program.code[2].instruction).value) == "v0");
  CHECK(lisp(program, std::get<Store>(program.code[3].instruction).address) == "(Add v1 1)");
  CHECK(std::get<BranchZero>(program.code[4].instruction).target.pc == 13);
  CHECK(std::get<BranchZero>(program.code[4].instruction).target.label == 0U);
  CHECK(std::get<Jump>(program.code[5].instruction).target.pc == 0);
  CHECK_FALSE(std::get<Jump>(program.code[5].instruction).target.label.has_value());
  CHECK(lisp(program, std::get<JumpMask>(program.code[6].instruction).thread) == "v8");
  CHECK(std::get<Variable>(std::get<Shuffle>(program.code[7].instruction).source).id == 4);
  CHECK(lisp(program, std::get<Shuffle>(program.code[7].instruction).lane) == "v8");
  CHECK(std::holds_alternative<ThreadId>(std::get<Shuffle>(program.code[8].instruction).source));
  CHECK(std::holds_alternative<Sync>(program.code[9].instruction));
  CHECK(std::holds_alternative<Stop>(program.code[10].instruction));
  CHECK(std::holds_alternative<Everywhere>(program.code[11].instruction));
  CHECK(std::holds_alternative<EndEverywhere>(program.code[12].instruction));
}

TEST_CASE("labels name the instruction behind them", "[parse]") {
  const Program program = parsed("A: B:\nC : sync\nD: // nothing\n\nstop\nE:\nF:G:");
  REQUIRE(program.labels.size() == 7);
  const std::vector<std::pair<std::string, Label>> expected = {{"A", 0}, {"B", 0}, {"C", 0}, {"D", 1}, {"E", 2}, {"F", 2}, {"G", 2}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(program.labels[i].name == expected[i].first);
    CHECK(program.labels[i].pc == expected[i].second);
  }
  const Program forward = parsed("x = 1\njmp x\nx: stop");  // a label and a variable may share a name
  CHECK(std::get<Jump>(forward.code[1].instruction).target.pc == 2);
}

TEST_CASE("comments, blanks, line ends and a byte order mark", "[parse]") {
  const Program plain = parsed(".threads 2\nL: v = a / b\nstop\n");
  const std::vector<std::string> variants = {
      ".threads 2\r\nL: v = a / b\r\nstop\r\n",
      "\xEF\xBB\xBF.threads 2\nL:v=a/b\nstop",
      "\t.threads\t2 // two\n;; prose\n;@ directive\nL:\t\tv = a / b# c\n\n  stop ; stop // stop # stop\n   ",
      "// \u22EF any text: = ( ' \" \u2193\n.threads 2\nL:\n  v = a / b // b\nstop",
  };
  for (const std::string& text : variants) {
    INFO(text);
    CHECK(same(parsed(text), plain));
  }
}

TEST_CASE("directives", "[parse]") {
  CHECK(parsed("stop\n.threads 1024\n").threads == 1024U);
  CHECK(parsed(".threads 1\nstop").threads == 1U);
  CHECK_FALSE(parsed("stop").threads.has_value());
  const std::vector<std::string> variants = {
      ".shared 0x10 : 1 -2 0xffffffffffffffff - 4\nstop",
      ".shared 16:1 -2 -1 -4\nstop",
      ".shared 16 : 1 .. // one\n -2 ..\n\n // none\n .. -1\n.. -4\nstop",
      "stop\n.shared 16 :\n.. 1 -2\n.. -1 -4",
      ".shared 16 : ..\n1..\n-2 -1 ..\n-4\nstop",
  };
  for (const std::string& text : variants) {
    INFO(text);
    const Program program = parsed(text);
    REQUIRE(program.shared.size() == 1);
    CHECK(program.shared[0].base == 16);
    CHECK(program.shared[0].values == std::vector<std::int64_t>{1, -2, -1, -4});
  }
  const Program two = parsed(".shared 4 : 1 2\n.shared 2 : 3 4\n.shared 9223372036854775807 : 1\nstop");
  CHECK(two.shared.size() == 3);
}

TEST_CASE("spans cover what was written", "[parse]") {
  const std::string text = "L:  v1 = (a + -5) * min(b, 3)  // c\n  bz (v1), L\n";
  const Program program = parsed(text);
  CHECK(covered(text, program.code[0].span) == "v1 = (a + -5) * min(b, 3)");
  CHECK(covered(text, program.labels[0].span) == "L");
  const Expr& value = std::get<Assign>(program.code[0].instruction).value;
  REQUIRE(value.nodes.size() == 7);
  const std::vector<std::string> expected = {"a", "-5", "a + -5", "b", "3", "min(b, 3)", "(a + -5) * min(b, 3)"};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const SourceSpan span = std::visit([](const auto& node) { return node.span; }, value.nodes[i]);
    CHECK(covered(text, span) == expected[i]);
  }
  CHECK(covered(text, value.span) == "(a + -5) * min(b, 3)");
  CHECK(covered(text, program.code[1].span) == "bz (v1), L");
  CHECK(covered(text, std::get<BranchZero>(program.code[1].instruction).condition.span) == "(v1)");
  CHECK(covered(text, std::get<BranchZero>(program.code[1].instruction).target.span) == "L");
}

TEST_CASE("nesting is limited, length is not", "[parse]") {
  const std::size_t deepest = max_expression_depth;
  CHECK(tree(repeated("(", deepest) + "a" + repeated(")", deepest)) == "a");
  CHECK(error_count("r = " + repeated("(", deepest + 1) + "a" + repeated(")", deepest + 1)) == 1);
  CHECK(error_count("r = " + repeated("~", deepest) + "a") == 0);
  CHECK(error_count("r = " + repeated("~", deepest + 1) + "a") == 1);
  CHECK(error_count("r = " + repeated("a ? b : ", deepest) + "c") == 0);
  CHECK(error_count("r = " + repeated("a ? b : ", deepest + 1) + "c") == 1);
  CHECK(error_count("r = " + repeated("max(1, ", deepest) + "c" + repeated(")", deepest)) == 0);
  CHECK(error_count("r = " + repeated("max(1, ", deepest + 1) + "c" + repeated(")", deepest + 1)) == 1);
  CHECK(error_count("r = " + repeated("(a) + ", 10'000) + "a") == 0);  // one behind the other is not nested

  for (const char* piece : {"(", "-", "!", "~", "- ", "a ? ", "a ? b : ", "min(1, ", "min(", "(-", "a+(", "!(a?"}) {
    INFO(piece);
    const std::string report = errors_of("r = " + repeated(piece, 1'000'000) + "a");
    const bool refused = report.find("nested too deeply: at most 200 levels") != std::string::npos;
    CHECK(refused);
    CHECK(report.size() < 1000);
  }
  for (const char* piece : {"1+", "a-", "a&&", "a<<1*b+"}) {
    INFO(piece);
    CHECK(error_count("r = " + repeated(piece, 100'000) + "1") == 0);
  }
}

TEST_CASE("texts that are no programs", "[parse]") {
  const std::string empty = "t.mus:1:1: error: the program has no instruction\n  \n  ^\n";
  CHECK(errors_of("") == empty);
  CHECK(errors_of("// nothing") == "t.mus:1:1: error: the program has no instruction\n  // nothing\n  ^\n");
  CHECK(errors_of("\n\n") == empty);
  CHECK(error_count("\n\n.threads 4\nL:\n") == 1);
  for (const std::string& binary : {std::string("stop\n\0", 6), std::string("\x7f\x45LF\x80\xff", 6), std::string("v = \xC0\x80"),
                                    std::string("v = \xED\xA0\x80"), std::string("v = \xF5\x80\x80\x80"), std::string("v = \xE2\x86")}) {
    const std::string report = errors_of(binary);
    CHECK(error_count(binary) == 1);
    CHECK(report.find("not a text file") != std::string::npos);
  }
  CHECK(errors_of("stop\n\x01") == "t.mus:2:1: error: unexpected character 0x01; expected an instruction\n  ?\n  ^\n");
  const std::string long_text(std::size_t{64} << 20, ' ');
  CHECK(errors_of(long_text + "stop").find("the text is too long: at most 64 MiB can be read") != std::string::npos);
}

TEST_CASE("twenty errors are shown, then a note", "[parse]") {
  const auto result = [](std::size_t lines) {
    const auto program = parse(SourceFile("t.mus", repeated("v = \n", lines)));
    REQUIRE_FALSE(program.has_value());
    return program.error();
  };
  CHECK(result(20).size() == 20);
  CHECK(result(20).back().severity == Severity::Error);
  for (const std::size_t lines : {21U, 100'000U}) {
    const Diagnostics errors = result(lines);
    REQUIRE(errors.size() == 21);
    CHECK(errors[19].severity == Severity::Error);
    CHECK(errors[20].severity == Severity::Note);
    CHECK(errors[20].message == "there are more errors from here on");
  }
  CHECK(error_count(repeated("L: jmp Missing\n", 50)) == 21);
}

TEST_CASE("large programs are read in linear time", "[parse]") {
  std::string code;
  for (int i = 0; i < 100'000; ++i) {
    code += "L" + std::to_string(i) + ": bz v" + std::to_string(i % 100) + " + 1, L" + std::to_string(99'999 - i) + "\n";
  }
  const Program program = parsed(code);
  CHECK(program.code.size() == 100'000);
  CHECK(std::get<BranchZero>(program.code[1].instruction).target.pc == 99'998);
  const Program memory = parsed(".shared 0 :" + repeated(" -1", 1'000'000) + "\nstop");
  CHECK(memory.shared.at(0).values.size() == 1'000'000);
}

}  // namespace lockstep::musimd
