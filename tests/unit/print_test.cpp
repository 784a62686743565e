#include "semantics/musimd/print.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "semantics/musimd/parse.hpp"

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

/// A random program from a list of numbers: 0 is always the simplest choice, so that RapidCheck shrinks to small programs.
class RandomProgram {
 public:
  explicit RandomProgram(std::vector<std::uint64_t> choices) : choices_(std::move(choices)) {}

  Program program() {
    if (choose(2) == 1) {
      result_.threads = static_cast<unsigned>(1 + choose(max_threads));
    }
    shared();
    const std::size_t size = 1 + choose(60);
    labels(size);
    for (std::size_t i = 0; i < size; ++i) {
      result_.code.push_back({instruction(size), {}});
    }
    return result_;
  }

  /// A program of one assignment.
  Program assignment() {
    result_.code.push_back({Assign{variable(), expression()}, {}});
    return result_;
  }

 private:
  std::uint64_t next() { return used_ < choices_.size() ? choices_[used_++] : 0; }
  std::size_t choose(std::size_t count) { return static_cast<std::size_t>(next() % count); }

  std::int64_t integer() {
    constexpr std::array<std::int64_t, 4> extremes = {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                                                      -1, 1};
    switch (choose(4)) {
      case 0:
        return static_cast<std::int64_t>(choose(10));
      case 1:
        return -static_cast<std::int64_t>(choose(10));
      case 2:
        return extremes[choose(extremes.size())];
      default:
        return static_cast<std::int64_t>(next());
    }
  }

  VarId variable() {
    static const std::array<std::string, 6> names = {"v0", "x", "_", "Loop", "minimum", "ldx"};
    const std::string& name = names[choose(names.size())];
    const auto found = std::ranges::find(result_.variables, name);
    if (found != result_.variables.end()) {
      return static_cast<VarId>(found - result_.variables.begin());
    }
    result_.variables.push_back(name);
    return static_cast<VarId>(result_.variables.size() - 1);
  }

  void grow(Expr& expression, unsigned depth) {
    const bool leaf = depth == 0 || choose(3) == 0;
    constexpr std::array<Op, 5> delicate = {Op::Neg, Op::Select, Op::Sub, Op::Max, Op::BitNot};
    const std::size_t choice = leaf             ? choose(3)
                               : choose(2) == 0 ? 3 + choose(op_table.size())
                                                : 3 + static_cast<std::size_t>(delicate[choose(delicate.size())]);
    if (choice == 0) {
      expression.nodes.emplace_back(Constant{integer(), {}});
    } else if (choice == 1) {
      expression.nodes.emplace_back(Variable{variable(), {}});
    } else if (choice == 2) {
      expression.nodes.emplace_back(ThreadId{});
    } else {
      const OpInfo& row = op_table[choice - 3];
      for (int i = 0; i < row.arity; ++i) {
        grow(expression, depth - 1);
      }
      expression.nodes.emplace_back(Operation{row.op, {}});
    }
  }

  Expr expression() {
    Expr result;
    grow(result, 5);
    return result;
  }

  void shared() {
    std::int64_t base = 0;
    for (std::size_t i = choose(4); i > 0; --i) {
      base += static_cast<std::int64_t>(choose(3));
      SharedRange range{base, {}, {}};
      for (std::size_t n = 1 + choose(40); n > 0; --n) {
        range.values.push_back(integer());
      }
      base += static_cast<std::int64_t>(range.values.size());
      result_.shared.push_back(std::move(range));
    }
  }

  void labels(std::size_t size) {
    for (Label pc = 0; pc <= size; ++pc) {
      for (std::size_t n = choose(4) / 2; n > 0; --n) {
        const std::string name = (choose(2) == 0 ? "L" : "AVeryLongLabel") + std::to_string(result_.labels.size());
        result_.labels.push_back({name, pc, {}});
      }
    }
  }

  Target target(std::size_t size) {
    if (result_.labels.empty() || choose(3) == 0) {
      return {static_cast<Label>(choose(size)), std::nullopt, {}};
    }
    const auto label = static_cast<std::uint32_t>(choose(result_.labels.size()));
    return {result_.labels[label].pc, label, {}};
  }

  // The parts of an instruction are made in the order in which they stand in the text: that order numbers the variables.
  Instruction instruction(std::size_t size) {
    const std::size_t choice = choose(11);
    if (choice == 0) {
      return Sync{};
    } else if (choice == 1) {
      return Stop{};
    } else if (choice == 2) {
      return Everywhere{};
    } else if (choice == 3) {
      return EndEverywhere{};
    } else if (choice == 4) {
      return Jump{target(size)};
    } else if (choice == 5) {
      Expr address = expression();
      return Store{std::move(address), expression()};
    } else if (choice <= 7) {
      Expr operand = expression();
      return choice == 6 ? Instruction(BranchZero{std::move(operand), target(size)}) : JumpMask{std::move(operand), target(size)};
    }
    const VarId dst = variable();
    if (choice == 8) {
      return Assign{dst, expression()};
    } else if (choice == 9) {
      return Load{dst, expression()};
    }
    if (choose(2) == 0) {
      return Shuffle{dst, ThreadId{}, expression()};
    }
    const Variable source{variable(), {}};
    return Shuffle{dst, source, expression()};
  }

  Program result_;
  std::vector<std::uint64_t> choices_;
  std::size_t used_ = 0;
};

/// Prints what failed; true if `program` survives print and parse.
bool survives(const Program& program) {
  const std::string text = print(program);
  const SourceFile source("printed.mus", text);
  const auto again = parse(source);
  if (!again) {
    RC_LOG() << text << render(source, again.error());
    return false;
  }
  RC_LOG() << text << "---\n" << print(*again);
  return same(program, *again) && print(*again) == text;
}

std::string with_one_expression(const std::string& text) {
  const Program program = parsed("r = " + text);
  return print(program, std::get<Assign>(program.code.at(0).instruction).value);
}

/// `text` without each pair of parentheses in turn that is not a call's.
std::vector<std::string> with_one_pair_less(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t open = text.find('('); open != std::string::npos; open = text.find('(', open + 1)) {
    std::size_t close = open;
    for (int depth = 0; close < text.size(); ++close) {
      depth += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
      if (depth == 0) {
        break;
      }
    }
    if (open == 0 || (text[open - 1] != 'n' && text[open - 1] != 'x')) {  // min( and max(
      std::string less = text;
      less[open] = ' ';
      less[close] = ' ';
      result.push_back(less);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("the layout of a program", "[print]") {
  const Program program = parsed(
      ".shared 0 : 0 1 1 0\n"
      "v0 = \u2193 tid\nbz (v1), Done ; c\nSeven77: Loop: jmp_mask v8,Loop\nTooLong8: \u2191(v4)=v6 \n jmp 002\nv3=shfl( v2,(v8) )\n"
      "everywhere\nend_everywhere\nDone: sync\n.threads 4\nstop\nEnd:");
  CHECK(print(program) ==
        ".threads 4\n"
        ".shared 0 : 0 1 1 0\n"
        "\n"
        "        v0 = ld tid\n"
        "        bz v1, Done\n"
        "Seven77:\n"
        "Loop:   jmp_mask v8, Loop\n"
        "TooLong8:\n"
        "        st v4 = v6\n"
        "        jmp 2\n"
        "        v3 = shfl(v2, v8)\n"
        "        everywhere\n"
        "        end_everywhere\n"
        "Done:   sync\n"
        "        stop\n"
        "End:\n");
  CHECK(labels_at(program, 2) == std::vector<std::string>{"Seven77", "Loop"});
  CHECK(labels_at(program, 0).empty());
  CHECK(labels_at(program, 10) == std::vector<std::string>{"End"});
  CHECK(print(program, program.code.at(3).instruction) == "st v4 = v6");
}

TEST_CASE("a program without directives begins with its code", "[print]") {
  CHECK(print(parsed("L:stop")) == "L:      stop\n");
  CHECK(print(parsed("Label6:stop")) == "Label6: stop\n");
  CHECK(print(parsed("Label77:stop")) == "Label77:\n        stop\n");
}

TEST_CASE("long value lists are broken", "[print]") {
  const Program program = parsed(".shared 7 : 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 -17\nstop");
  CHECK(print(program) == ".shared 7 : 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 ..\n        -17\n\n        stop\n");
  std::string zeros = ".shared 0 :";
  for (int i = 0; i < 33; ++i) {
    zeros += " 0";
  }
  const std::string text = print(parsed(zeros + "\nstop"));
  CHECK(std::ranges::count(text, '\n') == 5);  // 16, 16 and 1 values, a blank line, stop
}

TEST_CASE("parentheses stand only where the tree needs them", "[print]") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"((a+b))*c", "(a + b) * c"},
      {"(a*b)+c", "a * b + c"},
      {"a-(b-c)", "a - (b - c)"},
      {"(a-b)-c", "a - b - c"},
      {"a+(b+c)", "a + (b + c)"},
      {"(a<b)<c", "a < b < c"},
      {"a<(b<c)", "a < (b < c)"},
      {"(a?b:c)?(d?e:f):(g?h:i)", "(a ? b : c) ? d ? e : f : g ? h : i"},
      {"-(a+b)", "-(a + b)"},
      {"-(-a)", "- -a"},
      {"-(5)", "-(5)"},
      {"-(-5)", "- -5"},
      {"(-5)", "-5"},
      {"(-5)*2", "-5 * 2"},
      {"2-(-5)", "2 - -5"},
      {"-(5)*2", "-(5) * 2"},
      {"!(~(-(x)))", "!~-x"},
      {"~(-5)", "~-5"},
      {"min((a+b),(c?d:e))", "min(a + b, c ? d : e)"},
      {"-(min(a,b))", "-min(a, b)"},
      {"0xffffffffffffffff", "-1"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"a&(b==c)", "a & b == c"},
      {"(a&b)==c", "(a & b) == c"},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK(with_one_expression(text) == expected);
  }
}

TEST_CASE("long and deep expressions are printed", "[print]") {
  std::string flat = "x";
  std::string nested = "x";
  for (int i = 0; i < 100'000; ++i) {
    flat += " - x";
  }
  for (unsigned i = 0; i < max_expression_depth; ++i) {
    nested = "x - (" + nested + ")";
  }
  nested.replace(nested.find("(x)"), 3, "x");  // the innermost pair is not needed
  CHECK(with_one_expression(flat) == flat);
  CHECK(with_one_expression(nested) == nested);
  Expr deep{{ThreadId{}}, {}};  // deeper than the parser accepts: no recursion of ours may depend on it
  for (int i = 0; i < 1'000'000; ++i) {
    deep.nodes.emplace_back(Operation{Op::BitNot, {}});
  }
  CHECK(print(Program{}, deep) == std::string(1'000'000, '~') + "tid");
}

TEST_CASE("same() sees every difference and no span", "[print]") {
  const std::string text = ".threads 4\n.shared 0 : 1 2\nA: B: v = ld x\nbz v, A\nst v = 3\njmp 0\nv = shfl(x, 1)\nstop";
  const Program program = parsed(text);
  CHECK(same(program, parsed("\n\n" + text + "   // c")));
  const std::vector<std::pair<std::string, std::string>> changes = {
      {".threads 4", ".threads 5"},
      {".threads 4", ""},
      {"0 : 1 2", "1 : 1 2"},
      {"1 2", "1 3"},
      {"1 2", "1 2 3"},
      {"A: B:", "A:"},
      {"A: B:", "B: A:"},
      {"bz v", "bz x"},
      {"bz v, A", "bz v, B"},
      {"bz v, A", "bz v, 0"},
      {"jmp 0", "jmp 1"},
      {"jmp 0", "jmp A"},
      {"ld x", "ld y"},
      {"ld x", "x"},
      {"st v = 3", "st v = 4"},
      {"st v", "st tid"},
      {"shfl(x", "shfl(tid"},
      {"shfl(x", "shfl(v"},
      {"x, 1", "x, 2"},
      {"stop", "sync"},
      {"stop", "stop\nstop"},
      {"bz v", "jmp_mask v"},
      {"= 3", "= -3"},
      {"= 3", "= -(3)"},
  };
  for (const auto& [from, to] : changes) {
    INFO(from << " -> " << to);
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    CHECK_FALSE(same(program, parsed(changed)));
  }
}

TEST_CASE("random programs survive print and parse", "[print][property]") {
  const bool holds = rc::check("parse(print(p)) is p", [] {
    const auto choices = *rc::gen::container<std::vector<std::uint64_t>>(*rc::gen::inRange<std::size_t>(0, 3000),
                                                                         rc::gen::inRange<std::uint64_t>(0, 1'000'000'007));
    RC_ASSERT(survives(RandomProgram(choices).program()));
  });
  CHECK(holds);
}

TEST_CASE("no printed pair of parentheses can be left out", "[print][property]") {
  const bool holds = rc::check("each pair matters", [] {
    const auto choices = *rc::gen::container<std::vector<std::uint64_t>>(*rc::gen::inRange<std::size_t>(0, 300),
                                                                         rc::gen::inRange<std::uint64_t>(0, 1'000'000'007));
    const Program program = RandomProgram(choices).assignment();
    RC_ASSERT(survives(program));
    const std::string text = print(program, program.code.at(0).instruction);
    for (const std::string& less : with_one_pair_less(text)) {
      RC_LOG() << text << "\n" << less << "\n";
      const auto other = parse(SourceFile("less.mus", less));
      RC_ASSERT(!other || !same(*other, program));
    }
  });
  CHECK(holds);
}

}  // namespace lockstep::musimd
