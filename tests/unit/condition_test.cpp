#include "interpreter/debug/program/condition.hpp"

#include <catch2/catch.hpp>

#include "semantics/musimd/parse.hpp"

using namespace lockstep;

namespace {

/// Threads 0 to 3; after three steps v0 is 0 10 20 30, v1 is poison in thread 0 and tid - 1 elsewhere, v2 is uninitialised;
/// Θ = {2,3} (bz jumps where the condition is 0, the others fall through), |Π| = 1.
struct Fixture {
  Fixture() : source("c.mus", ".shared 4 : 7 -8\nv0 = tid * 10\nv1 = shfl(tid, tid - 1)\nbz tid > 1, Else\nsync\nElse: v2 = 5\nstop\n") {
    program = std::make_shared<const musimd::Program>(*musimd::parse(source));
    machine = *Machine::make(program, {});
    machine->run(3);
  }
  Condition parse(std::string_view text) const {
    auto c = Condition::parse(text, *program, 4);
    INFO(text);
    REQUIRE(c.has_value());
    return *c;
  }
  bool holds(std::string_view text) const { return parse(text).holds(*machine); }
  std::int64_t number(std::string_view text) const {
    const Cell c = parse(text).value(*machine, 0);
    INFO(text);
    REQUIRE(c.state == CellState::Number);
    return c.number;
  }
  ConditionError error(std::string_view text) const {
    const auto c = Condition::parse(text, *program, 4);
    INFO(text);
    REQUIRE(!c.has_value());
    return c.error();
  }

  SourceFile source;
  std::shared_ptr<const musimd::Program> program;
  std::unique_ptr<Machine> machine;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "conditions compute as C does", "[condition]") {
  CHECK(number("1 + 2 * 3") == 7);
  CHECK(number("(1 + 2) * 3") == 9);
  CHECK(number("10 - 4 - 3") == 3);
  CHECK(number("7 / -2") == -3);
  CHECK(number("-7 % 3") == -1);
  CHECK(number("1 << 2 + 1") == 8);
  CHECK(number("-16 >> 2") == -4);
  CHECK(number("6 & 3 == 3") == 0);
  CHECK(number("6 ^ 3 | 8") == 13);
  CHECK(number("!0 && ~0 == -1") == 1);
  CHECK(number("0 || 0") == 0);
  CHECK(number("0 ? 1 : 1 ? 2 : 3") == 2);
  CHECK(number("min(3, max(1, 2))") == 2);
  CHECK(number("0x10 + 0X0f") == 31);
  CHECK(number("- - 5") == 5);
  CHECK(number("-9223372036854775808") == INT64_MIN);
  CHECK(number("9223372036854775807 + 1") == INT64_MIN);
}

TEST_CASE_METHOD(Fixture, "conditions read the state", "[condition]") {
  CHECK(number("v0[3]") == 30);
  CHECK(number("v0[v0[1] / 10]") == 10);
  CHECK(number("mem[4]") == 7);
  CHECK(number("mem[mem[4] - 2]") == -8);
  CHECK(number("step") == 3);
  CHECK(number("pc") == 3);
  CHECK(number("Else - pc") == 1);
  CHECK(number("depth(sync)") == 1);
  CHECK(number("depth(context)") == 0);
  CHECK(number("count(active)") == 2);
  CHECK(number("active(3) - active(1) - active(9)") == 1);
}

TEST_CASE_METHOD(Fixture, "a variable without a thread speaks of the active threads", "[condition]") {
  CHECK(holds("v0 == 20"));
  CHECK(!holds("v0 == 10"));  // only inactive thread 1 satisfies it
  CHECK(holds("v0 == 20 && tid == 2"));
  CHECK(!holds("v0 == 20 && tid == 3"));  // one thread must satisfy all of it
  CHECK(holds("any(v0 == 20) && any(v0 == 30)"));
  CHECK(holds("all(v0 >= 20)"));
  CHECK(!holds("all(v0 > 20)"));
  CHECK(!parse("any(v0)").per_thread());
  CHECK(parse("any(v0) + tid").per_thread());
}

TEST_CASE_METHOD(Fixture, "what has no value makes a condition false and is no error", "[condition]") {
  CHECK(!holds("v2 == 0"));  // uninitialised
  CHECK(!holds("v2 != 0"));
  CHECK(!holds("v1[0] == 0"));  // poison
  CHECK(!holds("v1[0] != 0"));
  CHECK(!holds("mem[99] == 0"));
  CHECK(!holds("mem[-1] == 0"));
  CHECK(!holds("1 / 0 == 0"));
  CHECK(!holds("1 / 0 != 0"));
  CHECK(!holds("v0[v0[1]] == 0"));  // there is no thread 10
  CHECK(!holds("1 || v2"));
  CHECK(!holds("all(v2 == 5)"));
  CHECK(!holds("!any(1) || v2"));
  CHECK(holds("1 ? 5 : v1[0]"));  // the arm that is not chosen is not looked at
  CHECK(parse("v1[0] + 1").value(*machine, 0).state == CellState::Poison);
}

TEST_CASE_METHOD(Fixture, "wrong conditions are refused with their place", "[condition]") {
  CHECK(error("").column == 0);
  CHECK(error("v0 ==").column == 5);
  CHECK(error("v0 == 1 1").column == 8);
  CHECK(error("nothing > 1").message == "there is no variable or label 'nothing'");
  CHECK(error("1 + nothing").column == 4);
  CHECK(error("(1").message == "expected ')' to match '('");
  CHECK(error("v0[4]").column == 3);
  CHECK(error("mem(4)").column == 3);
  CHECK(error("depth(heap)").message == "expected depth(sync) or depth(context)");
  CHECK(error("9223372036854775808").message == "the number does not fit into 64 bits");
  CHECK(error("12x").column == 2);
  CHECK(error("0x").column == 2);
  CHECK(error(std::string(100'000, '(')).message == "the expression is nested too deeply");
  std::string chain = "1";
  for (int i = 0; i < 10'000; ++i) {
    chain += "+1";
  }
  CHECK(error(chain).message == "the expression is too long");
}

TEST_CASE_METHOD(Fixture, "may_change names every instruction that matters", "[condition]") {
  const auto changes = [&](std::string_view text) {
    std::string out;
    for (const musimd::Statement& s : program->code) {
      out += parse(text).may_change(s.instruction) ? '1' : '0';
    }
    return out;
  };
  // v0 = …, shfl, bz, sync, v2 = …, stop
  CHECK(changes("v0[1]") == "100000");
  CHECK(changes("v0") == "101100");
  CHECK(changes("any(v2 == 5)") == "001110");
  CHECK(changes("mem[4]") == "000000");
  CHECK(changes("depth(sync)") == "001100");
  CHECK(changes("step > 2") == "111111");
  CHECK(changes("7") == "000000");
}
