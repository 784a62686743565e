// The big-step evaluator against the CREV paper's Figs. 6 and 7 and against programs worked out by hand.

#include "tests/bigstep/bigstep.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using bigstep::Config;
using bigstep::Ending;
using bigstep::Options;
using bigstep::Result;
using bigstep::SyncEntry;
using bigstep::Threads;
using bigstep::Value;
using Values = std::vector<Value>;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr Value poison = {Value::Poison, 0};
constexpr Value none = {Value::Uninitialised, 0};

Value n(std::int64_t number) { return {Value::Number, number}; }

Values numbers(const std::vector<std::int64_t>& list) {
  Values result;
  for (const std::int64_t number : list) {
    result.push_back(n(number));
  }
  return result;
}

std::string rules(const Result& result) {
  std::string text;
  for (const std::string& rule : result.rules) {
    text += (text.empty() ? "" : " ") + rule;
  }
  return text;
}

Result run_as_printed(const std::string& text, const std::string& erratum, const std::vector<unsigned>& order = {}) {
  Options options;
  options.as_printed = {erratum};
  options.thread_order = order;
  return bigstep::run(text, options);
}

/// The values of `v` after `text`, which must halt.
Values halted_v(const std::string& text) {
  const Result result = bigstep::run(text + "\n stop");
  INFO(result.failing_rule_or_reason);
  CHECK(result.ending == Ending::Halted);
  return result.locals.at("v");
}

const std::string fig6 = R"(
.threads 4
.shared 0 : 0 1 1 0 2 1 3 4 1 5 6 1 2 3 1 7 1 3 4 0
      v0 = ld tid
      v1 = v0 == 0
      bz v1, Done
      v2 = 4 * (tid + 1)
      everywhere
      v8 = 0
Loop: jmp_mask v8, Call
      jmp Next
Call: v3 = shfl(v2, v8)
      v4 = v3 + tid
      v5 = ld v4
      v6 = v5 + 1
      st v4 = v6
Next: v8 = v8 + 1
      v7 = v8 == 4
      bz v7, Loop
      end_everywhere
      st tid = 1
Done: sync
      stop
)";

/// The rules of Fig. 7 as executed: without its misprinted rows (erratum E9), and with the second sync and the stop.
const std::string fig7_rules =
    "IT/LD IT/BP BD IT/BP EB IT/CT "
    "BA IT/SV IT/BP IT/LD IT/BP IT/ST IT/BP IT/BP BT "
    "BI JP IT/BP IT/BP BT "
    "BI JP IT/BP IT/BP BT "
    "BA IT/SV IT/BP IT/LD IT/BP IT/ST IT/BP IT/BP BF "
    "EE IT/ST SS SI.sync SP";

/// What column Var of Fig. 7 shows: behind which instruction (counted from 0), which variable, with which values.
struct Row {
  std::size_t step;
  std::string variable;
  Values values;
};

const std::vector<Row>& fig7() {
  static const std::vector<Row> rows = {
      {0, "v0", numbers({0, 1, 1, 0})},      {1, "v1", numbers({1, 0, 0, 1})},  {3, "v2", {n(4), none, none, n(16)}},
      {5, "v8", numbers({0, 0, 0, 0})},      {7, "v3", numbers({4, 4, 4, 4})},  {8, "v4", numbers({4, 5, 6, 7})},
      {9, "v5", numbers({2, 1, 3, 4})},      {10, "v6", numbers({3, 2, 4, 5})}, {12, "v8", numbers({1, 1, 1, 1})},
      {13, "v7", numbers({0, 0, 0, 0})},     {17, "v8", numbers({2, 2, 2, 2})}, {18, "v7", numbers({0, 0, 0, 0})},
      {22, "v8", numbers({3, 3, 3, 3})},     {23, "v7", numbers({0, 0, 0, 0})}, {26, "v3", numbers({16, 16, 16, 16})},
      {27, "v4", numbers({16, 17, 18, 19})}, {28, "v5", numbers({1, 3, 4, 0})}, {29, "v6", numbers({2, 4, 5, 1})},
      {31, "v8", numbers({4, 4, 4, 4})},     {32, "v7", numbers({1, 1, 1, 1})},
  };
  return rows;
}

}  // namespace

TEST_CASE("bigstep: Fig. 6 runs through the rows of Fig. 7") {
  std::vector<Config> before;
  Options options;
  options.observe = [&](const Config& m) { before.push_back(m); };
  const Result result = bigstep::run(fig6, options);

  CHECK(result.ending == Ending::Halted);
  CHECK(result.failing_rule_or_reason.empty());
  CHECK(result.steps == 39);
  CHECK(result.races == 0);
  CHECK(rules(result) == fig7_rules);
  REQUIRE(before.size() == 39);
  for (const Row& row : fig7()) {
    INFO(row.step);
    CHECK(before[row.step + 1].locals.at(row.variable) == row.values);
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    INFO(i);
    const bool in_block = i >= 5 && i <= 34;  // behind everywhere, up to end_everywhere
    const bool in_arm = i == 3 || i == 4 || i == 35 || i == 36;
    CHECK(before[i].active == (i == 37 ? Threads{1, 2} : in_arm ? Threads{0, 3} : Threads{0, 1, 2, 3}));
    CHECK(before[i].context.size() == (in_block ? 1 : 0));
  }
  CHECK(before[5].context[0].mask == Threads{0, 3});
  CHECK(before[5].context[0].sync == std::vector<SyncEntry>{{2, {}, 18, {1, 2}}});

  Values sigma;
  for (const auto& [address, value] : result.shared) {
    sigma.push_back(value);
  }
  CHECK(sigma == numbers({1, 1, 1, 1, 3, 2, 4, 5, 1, 5, 6, 1, 2, 3, 1, 7, 2, 4, 5, 1}));
  CHECK(result.active == Threads{0, 1, 2, 3});
  CHECK(result.sync.empty());
  CHECK(result.context.empty());
}

TEST_CASE("bigstep: expressions are C's") {
  const std::vector<std::pair<std::int64_t, std::vector<std::string>>> table = {
      {-3, {"7 / -2", "-(3)"}},
      {1, {"7 % -2", "1 < 2 == 1", "4 >> 1 < 3", "2 && 3", "1 && 0 || 2", "1 || 0 | 0", "!0", "7 >= 7", "-1 < 0", "1 != 2"}},
      {-1, {"-7 % 2", "~0"}},
      {least,
       {"-9223372036854775808 / -1", "9223372036854775807 + 1", "4611686018427387904 * 2", "-(-9223372036854775808)", "1 << -1",
        "-0x8000000000000000"}},
      {0, {"-9223372036854775808 % -1", "3 == 3 & 2", "0 || 1 && 0", "!5", "7 > 7", "6 <= 5", "2 == 1", "tid * 3"}},
      {9223372036854775807, {"-9223372036854775808 - 1"}},
      {2, {"1 << 65", "8 / 2 / 2"}},
      {-4, {"-8 >> 1", "-8 >> 65", "min(3, -4)", "min(-4, 3)"}},
      {7, {"1 + 2 * 3", "10 -3"}},
      {9, {"(1 + 2) * 3"}},
      {-5, {"2 - 3 - 4"}},
      {3, {"1 | 6 & 3", "- -3", "max(3, -4)", "max(-4, 3)", "0 ? 1 : 0 ? 2 : 3"}},
      {12, {"5 ^ 1 | 8"}},
      {5, {"5 & 4 ^ 1", "1 ? 0 ? 4 : 5 : 6"}},
      {4, {"1 << 1 + 1"}},
      {13, {"10 - -3"}},
      {8, {"0 || 1 ? 8 : 9"}},
      {255, {"0xfF"}},
  };
  for (const auto& [value, expressions] : table) {
    for (const std::string& text : expressions) {
      INFO(text);
      CHECK(halted_v(".threads 1\n v = " + text) == numbers({value}));
    }
  }
}

TEST_CASE("bigstep: CT, AS and BP are told by the root") {
  const Result result = bigstep::run("v = 1 // one\nv = -1 ; two\nv = (1) # three\nv = tid\nw = v\nv = -(1)\nv = -v\nstop");
  CHECK(rules(result) == "IT/CT IT/CT IT/CT IT/AS IT/AS IT/BP IT/BP SP");
  CHECK(result.locals.at("w") == numbers({0, 1, 2, 3}));
  CHECK(result.pc == 7);
}

TEST_CASE("bigstep: both arms of a branch, then-arm first") {
  std::vector<Config> before;
  Options options;
  options.observe = [&](const Config& m) { before.push_back(m); };
  const Result result = bigstep::run(".threads 2\nbz tid, Else\nv = 10\njmp End\nElse: v = 20\nEnd: sync\nstop", options);
  CHECK(rules(result) == "BD IT/CT JP SS IT/CT SI.sync SP");
  CHECK(result.locals.at("v") == numbers({20, 10}));
  REQUIRE(before.size() == 7);
  CHECK(before[1].sync == std::vector<SyncEntry>{{0, {}, 3, {0}}});
  CHECK(before[1].active == Threads{1});
  CHECK(before[4].sync == std::vector<SyncEntry>{{0, {1}, 3, {}}});
  CHECK(before[4].active == Threads{0});
  CHECK(before[4].pc == 3);
  CHECK(before[6].active == Threads{0, 1});
}

TEST_CASE("bigstep: a divergent loop merges its waiting threads in one entry") {
  const Result result = bigstep::run(".threads 3\ni = tid\nLoop: bz i, Done\ni = i - 1\njmp Loop\nDone: sync\nstop");
  CHECK(rules(result) == "IT/AS BD IT/BP JP BD IT/BP JP BT SS SI.sync SP");
  CHECK(result.locals.at("i") == numbers({0, 0, 0}));
}

TEST_CASE("bigstep: a second switch keeps those who are done") {
  const std::string text = ".threads 3\nc = 0\nL: i = c + tid >= 2\nbz i, M\njmp E\nM: c = c + 1\njmp L\nE: sync\nstop";
  const Result result = bigstep::run(text);
  CHECK(rules(result) == "IT/CT IT/BP BD JP SS IT/BP JP IT/BP BD JP SS IT/BP JP IT/BP BF JP SI.sync SP");
  CHECK(result.active == Threads{0, 1, 2});
  CHECK(result.locals.at("c") == numbers({2, 1, 0}));
  CHECK(rules(run_as_printed(text, "E2")) == "IT/CT IT/BP BD JP SS IT/BP JP IT/BP");
}

TEST_CASE("bigstep: in nested blocks the innermost mask counts") {
  const Result result = bigstep::run(
      ".threads 2\nu = tid\nbz tid, L\neverywhere\neverywhere\njmp_mask 0, M\nsync\nM: v = shfl(u, 0)\nend_everywhere\n"
      "w = shfl(u, 0)\nend_everywhere\nL: sync\nstop");
  CHECK(rules(result) == "IT/AS BD EB EB BA IT/SV EE IT/SI.shfl EE SS SI.sync SP");
  CHECK(result.locals.at("v") == numbers({0, 0}));
  CHECK(result.locals.at("w") == Values(2, poison));
}

TEST_CASE("bigstep: jmp_mask asks the mask on top of the context stack") {
  Options options;
  options.initial_active = {0, 2};
  const Result result =
      bigstep::run(".threads 3\neverywhere\njmp_mask 2, 2\njmp_mask 1, 5\njmp_mask -1, 5\njmp_mask 3, 5\nend_everywhere\nstop", options);
  CHECK(rules(result) == "EB BA BI BI BI EE SP");
  CHECK(result.active == Threads{0, 2});
  const Result skips = bigstep::run(".threads 1\neverywhere\njmp_mask 0, L\nv = 1\nL: end_everywhere\nstop");
  CHECK(rules(skips) == "EB BA EE SP");
}

TEST_CASE("bigstep: shuffles") {
  const std::string start = "u = tid * 10\n";
  CHECK(halted_v(start + "v = shfl(u, tid + 2)") == Values{n(20), n(30), poison, poison});
  CHECK(halted_v(start + "v = shfl(u, -1)") == Values(4, poison));
  CHECK(halted_v(start + "x = shfl(u, 4)\nv = shfl(u, x)") == Values(4, poison));
  CHECK(halted_v(start + "x = shfl(u, tid * 4)\nv = shfl(x, tid & 1)") == Values{n(0), poison, n(0), poison});
  CHECK(halted_v("v = shfl(tid, 3 - tid)") == numbers({3, 2, 1, 0}));
  CHECK(halted_v("v = tid\nv = shfl(v, tid ^ 1)") == numbers({1, 0, 3, 2}));
  CHECK(halted_v(start + "bz tid & 1, L\nv = shfl(u, tid - 1)\nL: sync") == Values{none, poison, none, poison});
  CHECK(halted_v(start + "bz tid & 1, L\neverywhere\nv = shfl(u, tid)\nend_everywhere\nL: sync") == Values{poison, n(10), poison, n(30)});
  CHECK(halted_v("bz tid & 1, L\nu = 5\nL: sync\nv = shfl(u, tid)") == Values{poison, n(5), poison, n(5)});

  CHECK(rules(bigstep::run("v = shfl(tid, 4 * tid)\nstop")) == "IT/SV SP");
  CHECK(rules(bigstep::run("v = shfl(tid, 4)\nstop")) == "IT/SI.shfl SP");
  CHECK(rules(bigstep::run("x = shfl(tid, 4)\nv = shfl(x, 0)\nstop")) == "IT/SI.shfl IT/SI.shfl SP");
}

TEST_CASE("bigstep: poison flows") {
  const std::string start = ".threads 1\nx = shfl(tid, 9)\n";
  for (const std::string e : {"x", "x + 1", "-x", "0 && x", "x || 1", "7 / x", "x / 7", "x == x", "min(x, 0)", "x ? 1 : 1", "0 ? 5 : x"}) {
    INFO(e);
    CHECK(halted_v(start + "v = " + e) == Values{poison});
  }
  CHECK(halted_v(start + "v = 1 ? 5 : x") == numbers({5}));
  CHECK(halted_v(start + "v = 0 ? x : 6") == numbers({6}));
  CHECK(halted_v(start + "st 3 = x\nv = ld 3") == Values{poison});
  CHECK(bigstep::run(start + "st 3 = x\nstop").shared == std::map<std::int64_t, Value>{{3, poison}});
}

TEST_CASE("bigstep: undefined behaviour changes nothing") {
  const std::string start = ".threads 2\nx = shfl(tid, 9)\nv = 1\n";
  for (const std::string i :
       {"v = u", "v = ld 0", "v = ld -1", "v = ld x", "st tid - 1 = 5", "st x = 5", "st tid = u", "bz x, 0", "bz u, 0", "v = 1 / tid",
        "v = 1 % tid", "v = x / 0", "v = 1 ? 5 : u", "v = 1 ? 5 : 1 / 0", "v = 0 && u", "v = shfl(tid, u)"}) {
    INFO(i);
    const Result result = bigstep::run(start + i + "\nstop");
    CHECK(result.ending == Ending::Undefined);
    CHECK(result.steps == 2);
    CHECK(result.rules.size() == 2);
    CHECK(result.pc == 2);
    CHECK(result.locals.at("v") == numbers({1, 1}));
    CHECK(result.shared.empty());
    CHECK(result.sync.empty());
    CHECK_FALSE(result.failing_rule_or_reason.empty());
  }
  for (const std::string operand : {"x", "tid", "u"}) {
    const Result result = bigstep::run(start + "everywhere\njmp_mask " + operand + ", 0\nstop");
    CHECK(result.ending == Ending::Undefined);
    CHECK(result.pc == 3);
  }
}

TEST_CASE("bigstep: stuck, with the premise that failed") {
  struct Case {
    std::string text, reason;
    unsigned pc;
  };
  const std::vector<Case> cases = {
      {"", "no instruction", 0},
      {"v = 1", "no instruction", 1},
      {"jmp L\nL:", "no instruction", 1},
      {"sync", "SS: Π is empty; SI.sync: Π is empty", 0},
      {"v = 0\nbz v, L\nL: stop", "SP: Π is not empty", 2},
      {"everywhere\nstop", "SP: Λ is not empty", 1},
      {"end_everywhere", "EE: Λ is empty", 0},
      {"everywhere\nbz tid, L\nL: end_everywhere", "EE: an entry of Π has not converged", 2},
      {"everywhere\nbz tid, L\nL: v = tid\nbz v, M\nend_everywhere\nM: sync\nend_everywhere", "EE: an entry of Π has not converged", 4},
      {"jmp_mask unset, 0", "BA: Λ is empty; BI: Λ is empty", 0}};
  for (const Case& c : cases) {
    INFO(c.text);
    const Result result = bigstep::run(c.text);
    CHECK(result.ending == Ending::Stuck);
    CHECK(result.failing_rule_or_reason == c.reason);
    CHECK(result.pc == c.pc);
    CHECK(result.steps == result.rules.size());
  }
  const std::string done_only = ".threads 2\neverywhere\nbz tid, L\nsync\nL: end_everywhere\nstop";  // stops with done = {1}
  CHECK(bigstep::run(done_only).sync == std::vector<SyncEntry>{{1, {1}, 3, {}}});
  CHECK(bigstep::run(done_only).ending == Ending::Stuck);
}

TEST_CASE("bigstep: the step limit counts instructions") {
  Options options;
  options.max_steps = 10;
  CHECK(bigstep::run("L: jmp L", options).ending == Ending::Limit);
  CHECK(bigstep::run("L: jmp L", options).steps == 10);
  options.max_steps = 2;
  CHECK(bigstep::run("jmp 1\nstop", options).ending == Ending::Halted);
  options.max_steps = 1;
  CHECK(bigstep::run("jmp 1\nstop", options).ending == Ending::Limit);
  CHECK(bigstep::run("jmp 1\nstop", options).pc == 1);
}

TEST_CASE("bigstep: context stacks are listed from the outermost") {
  Options options;
  options.max_steps = 3;
  const Result result = bigstep::run(".threads 2\nbz tid, L\neverywhere\neverywhere\nL: stop", options);
  REQUIRE(result.context.size() == 2);
  CHECK(result.context[0] == bigstep::ContextEntry{{1}, {{0, {}, 3, {0}}}});
  CHECK(result.context[1] == bigstep::ContextEntry{{0, 1}, {}});
}

TEST_CASE("bigstep: stores, their order and races") {
  const std::string all_to_one = "st 0 = tid\nstop";
  CHECK(bigstep::run(all_to_one).shared.at(0) == n(3));
  CHECK(bigstep::run(all_to_one).races == 1);
  Options options;
  options.thread_order = {3, 1, 2, 0};
  CHECK(bigstep::run(all_to_one, options).shared.at(0) == n(0));
  CHECK(bigstep::run(all_to_one, options).races == 1);
  CHECK(bigstep::run("st tid & 1 = tid >> 1\nstop").races == 2);
  CHECK(bigstep::run("st 0 = 5\nst 0 = 6\nst tid = tid\nstop").races == 0);
  CHECK(bigstep::run("st 0 = tid\nst 0 = tid\nstop").races == 2);
  CHECK(bigstep::run("x = shfl(tid, 9)\nst 0 = x\nstop").races == 0);
  CHECK(bigstep::run("x = shfl(tid, tid * 9)\nst 0 = x\nstop").races == 1);
  CHECK(bigstep::run("st 9223372036854775807 = 1\nstop").shared.count(9223372036854775807) == 1);
  CHECK(halted_v(".shared 0 : 1 2 3 4\nv = ld 3 - tid") == numbers({4, 3, 2, 1}));
}

TEST_CASE("bigstep: number of threads and initially active threads") {
  CHECK(bigstep::run("stop").active == Threads{0, 1, 2, 3});
  CHECK(bigstep::run(".threads 2\nstop").active == Threads{0, 1});
  Options options;
  options.threads = 3;
  options.initial_active = {2};
  const Result result = bigstep::run(".threads 2\nv = tid\nstop", options);
  CHECK(result.active == Threads{2});
  CHECK(result.locals.at("v") == Values{none, none, n(2)});
  options.initial_active = {3};
  CHECK_THROWS_AS(bigstep::run("stop", options), std::invalid_argument);
  options.initial_active = {};
  for (const std::vector<unsigned>& order : {std::vector<unsigned>{0, 1}, {0, 0, 1}, {0, 1, 2, 2}, {1, 2, 3}}) {
    options.thread_order = order;
    CHECK_THROWS_AS(bigstep::run("stop", options), std::invalid_argument);
  }
  CHECK_THROWS_AS(run_as_printed("stop", "E6"), std::invalid_argument);
}

// The errata: a program each on which the printed rule and the reference differ.

TEST_CASE("bigstep: E1 as printed keeps the zero threads on the fall-through") {
  const std::string text = ".threads 2\nbz tid, Else\nv = 10\njmp End\nElse: v = 20\nEnd: sync\nstop";
  CHECK(run_as_printed(text, "E1").locals.at("v") == numbers({10, 20}));
  const std::string uniform = "v = 0\nbz v, L\nL: v = 1\nbz v, M\nM: sync\nsync\nstop";
  CHECK(rules(run_as_printed(uniform, "E1")) == "IT/CT BT IT/CT BF SI.sync SI.sync SP");
}

TEST_CASE("bigstep: E2 as printed has no clause for divergence in the second arm") {
  const std::string text = "bz tid & 1, A\nv = 1\njmp E\nA: bz tid & 2, B\nv = 2\nB: sync\nE: sync\nstop";
  const Result reference = bigstep::run(text);
  CHECK(rules(reference) == "BD IT/CT JP SS BD IT/CT SS SI.sync SI.sync SP");
  CHECK(reference.locals.at("v") == Values{none, n(1), n(2), n(1)});
  const Result printed = run_as_printed(text, "E2");
  CHECK(printed.ending == Ending::Stuck);
  CHECK(rules(printed) == "BD IT/CT JP SS");
  CHECK(printed.pc == 3);
  CHECK(printed.active == Threads{0, 2});
  // The same branch again after the first switch: thread 0 goes back to it with done = {1}.
  const std::string back = ".threads 2\nv = tid\nL: bz v, M\njmp E\nM: v = 1\njmp L\nE: sync\nstop";
  CHECK(rules(bigstep::run(back)) == "IT/AS BD JP SS IT/CT JP BF JP SI.sync SP");
  CHECK(rules(run_as_printed(back, "E2")) == "IT/AS BD JP SS IT/CT JP");
  CHECK(run_as_printed(back, "E2").ending == Ending::Stuck);
  // The condition is looked at before push, which is asked last.
  CHECK(run_as_printed("bz tid, A\nA: sync\nbz tid, B\nB: bz unset, 0", "E2").ending == Ending::Undefined);
  CHECK(run_as_printed("bz tid, A\njmp E\nA: bz unset, 0\nE: sync", "E2").ending == Ending::Undefined);
  // A loop whose threads all leave before the switch is within the printed clauses.
  const std::string loop = ".threads 3\ni = tid\nLoop: bz i, Done\ni = i - 1\njmp Loop\nDone: sync\nstop";
  CHECK(rules(run_as_printed(loop, "E2")) == "IT/AS BD IT/BP JP BD IT/BP JP BT SS SI.sync SP");
}

TEST_CASE("bigstep: E3 as printed wants an empty sync stack at the end of a block") {
  const std::string text = "everywhere\nv = 1\nbz v, L\nL: end_everywhere\nstop";
  CHECK(rules(bigstep::run(text)) == "EB IT/CT BF EE SP");
  const Result printed = run_as_printed(text, "E3");
  CHECK(printed.ending == Ending::Stuck);
  CHECK(printed.failing_rule_or_reason == "EE: Π is not empty");
  CHECK(printed.pc == 3);
  CHECK(run_as_printed(fig6, "E3").failing_rule_or_reason == "EE: Π is not empty");
}

TEST_CASE("bigstep: E4 as printed runs no data instruction outside everywhere") {
  CHECK(bigstep::run("v = 1\nstop").ending == Ending::Halted);
  const Result printed = run_as_printed("v = 1\nstop", "E4");
  CHECK(printed.ending == Ending::Stuck);
  CHECK(printed.failing_rule_or_reason == "IT: Λ is empty");
  CHECK(printed.steps == 0);
  CHECK(run_as_printed("everywhere\nv = 1\nend_everywhere\nstop", "E4").ending == Ending::Halted);
  CHECK(run_as_printed("v = unset", "E4").ending == Ending::Stuck);
}

TEST_CASE("bigstep: E5 as printed lets a shuffle read what it wrote") {
  const std::string text = ".threads 2\nv = tid\nv = shfl(v, tid ^ 1)\nstop";
  CHECK(bigstep::run(text).locals.at("v") == numbers({1, 0}));
  CHECK(run_as_printed(text, "E5").locals.at("v") == numbers({1, 1}));
  CHECK(run_as_printed(text, "E5", {1, 0}).locals.at("v") == numbers({0, 0}));
}

TEST_CASE("bigstep: E7 as printed has no rule for constant operands") {
  for (const std::string i : {"st 5 = tid", "st tid = 1", "bz 0, 1", "v = shfl(tid, 0)"}) {
    INFO(i);
    const Result reference = bigstep::run(i);
    CHECK(reference.steps == 1);
    const Result printed = run_as_printed(i, "E7");
    CHECK(printed.ending == Ending::Stuck);
    CHECK(printed.steps == 0);
  }
  CHECK(rules(run_as_printed("v = 0\nst tid = v\nbz v, L\nL: sync\nv = shfl(v, tid)\nv = ld 0\nstop", "E7")) ==
        "IT/CT IT/ST BT SI.sync IT/SV IT/LD SP");
}

TEST_CASE("bigstep: E8 as printed stops inside everywhere") {
  CHECK(bigstep::run("everywhere\nstop").ending == Ending::Stuck);
  CHECK(run_as_printed("everywhere\nstop", "E8").ending == Ending::Halted);
  CHECK(run_as_printed("bz tid, L\nL: stop", "E8").ending == Ending::Stuck);
}

TEST_CASE("bigstep: E10 as printed wants the source in the reading thread too") {
  const std::string text = ".threads 2\nbz tid, L\nv = 7\nL: sync\nw = shfl(v, 1)\nstop";
  CHECK(bigstep::run(text).locals.at("w") == numbers({7, 7}));
  const Result printed = run_as_printed(text, "E10");
  CHECK(printed.ending == Ending::Undefined);
  CHECK(printed.pc == 3);
  CHECK(run_as_printed("v = shfl(tid, 9)\nv = shfl(v, 0)\nstop", "E10").ending == Ending::Halted);
}

TEST_CASE("bigstep: the reader refuses what it cannot read") {
  const std::vector<std::vector<std::string>> texts = {
      {"v = 9223372036854775808", "v = -9223372036854775809", "v = 99999999999999999999999", "v = 0x", "v = 12a"},
      {"jmp L", "jmp 5", "jmp -1", "bz v L", "L:\nL: stop"},
      {".threads 0", ".threads 1025", ".threads 2\n.threads 2", ".other 1"},
      {".shared -1 : 0", ".shared 0 : 1\n.shared 0 : 2", ".shared 9223372036854775807 : 1 2"},
      {"v =", "v = (1", "v = min(1)", "v = 1 +", "v = 1 ? 2", "v = 1 $ 2"},
      {"tid = 1", "v = ld", "v = sync", "v = shfl(1, 2)", "frob", "stop stop"},
  };
  for (const auto& group : texts) {
    for (const std::string& text : group) {
      INFO(text);
      CHECK_THROWS_AS(bigstep::run(text), std::runtime_error);
    }
  }
  CHECK(bigstep::run("A: B:\nC: jmp C2\nC2: jmp 2 // here\r\n\n  stop").ending == Ending::Halted);
  CHECK(bigstep::run(".shared 9223372036854775807 : -5\nstop").shared.at(9223372036854775807) == n(-5));
}
