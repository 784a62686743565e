// Well-formedness: programs that violate one condition each, what is said about them, what happens when they run, and hostile
// programs. Progress (an accepted program is never stuck) is tested on random programs run by the big-step evaluator.

#include "semantics/musimd/check.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "semantics/musimd/parse.hpp"
#include "tests/bigstep/bigstep.hpp"
#include "tests/unit/random_mus.hpp"

using namespace lockstep;
using namespace lockstep::musimd;

namespace {

Diagnostics checked(const std::string& text) {
  const SourceFile source("test.mus", text);
  const auto parsed = parse(source);
  if (!parsed) {
    FAIL(render(source, parsed.error()));
  }
  return check(*parsed);
}

std::uint32_t line_of(const std::string& text, const Diagnostic& finding) { return SourceFile("", text).place(finding.span.begin).line; }

// "LINE:NUMBER" for each error about a condition, "LINE:w" for each warning.
std::vector<std::string> findings(const std::string& text) {
  std::vector<std::string> result;
  for (const Diagnostic& finding : checked(text)) {
    const std::string line = std::to_string(line_of(text, finding)) + ":";
    if (finding.severity == Severity::Error) {
      REQUIRE(finding.message.starts_with("condition "));
      result.push_back(line + finding.message[10]);
    } else {
      REQUIRE(finding.severity == Severity::Warning);
      result.push_back(line + "w");
    }
  }
  return result;
}

// "LINE: message" of each note of the only error.
std::vector<std::string> notes(const std::string& text) {
  const Diagnostics all = checked(text);
  REQUIRE(all.size() == 1);
  std::vector<std::string> result;
  for (const Diagnostic& note : all[0].notes) {
    CHECK(note.severity == Severity::Note);
    result.push_back(std::to_string(line_of(text, note)) + ": " + note.message);
  }
  return result;
}

using List = std::vector<std::string>;

bigstep::Result run_for(const std::string& text, std::uint64_t steps) {
  bigstep::Options options;
  options.max_steps = steps;
  return bigstep::run(text, options);
}

std::string stuck_at(const std::string& text) {
  const bigstep::Result result = bigstep::run(text);
  return result.ending == bigstep::Ending::Stuck ? result.failing_rule_or_reason : "not stuck";
}

// The program of the paper's Fig. 6, plus a stop.
const std::string fig6 =
    ".threads 4\n"
    ".shared 0 : 0 1 1 0 2 1 3 4 1 5 6 1 2 3 1 7 1 3 4 0\n"
    "v0 = ld tid\nv1 = v0 == 0\nbz v1, Done\nv2 = 4 * (tid + 1)\neverywhere\nv8 = 0\n"
    "Loop: jmp_mask v8, Call\njmp Next\nCall: v3 = shfl(v2, v8)\nv4 = v3 + tid\nv5 = ld v4\nv6 = v5 + 1\nst v4 = v6\n"
    "Next: v8 = v8 + 1\nv7 = v8 == 4\nbz v7, Loop\nend_everywhere\nst tid = 1\nDone: sync\nstop\n";

// Fig. 8 around `body`, for a caller's lane in the variable `i`.
std::string call(const std::string& i, const std::string& body) {
  return "everywhere\n" + i + " = 0\nloop" + i + ": jmp_mask " + i + ", call" + i + "\njmp next" + i + "\ncall" + i + ": p = shfl(a, " + i +
         ")\n" + body + "next" + i + ": " + i + " = " + i + " + 1\nbz " + i + " == 4, loop" + i + "\nend_everywhere\n";
}

}  // namespace

TEST_CASE("the program of Fig. 6 is well-formed", "[check]") { CHECK(findings(fig6).empty()); }

TEST_CASE("Fig. 8's template is well-formed, three deep and under divergent branches", "[check]") {
  const std::string inner = call("k", "bz p & tid, K\nx = p\nK: sync\n");
  const std::string middle = call("j", "bz p > tid, J\n" + inner + "J: sync\n");
  const std::string outer = call("i", "bz p == tid, I\n" + middle + "st tid = p\nI: sync\n");
  CHECK(findings("a = tid\nbz tid, Z\n" + outer + "Z: sync\nstop\n").empty());
}

TEST_CASE("both kinds of loops, and a loop inside a loop, are well-formed", "[check]") {
  CHECK(findings("i = 0\nH: bz i < tid, X\ni = i + 1\njmp H\nX: sync\nstop\n").empty());
  CHECK(findings("i = 0\nL: i = i + 1\nbz i >= tid, L\nsync\nstop\n").empty());
  CHECK(findings("i = 0\nL: j = 0\nM: j = j + 1\nbz j >= i, M\nsync\ni = i + 1\nbz i >= tid, L\nsync\nstop\n").empty());
}

TEST_CASE("condition 1 alone", "[check]") {
  SECTION("no end") {
    CHECK(findings("everywhere\nL: jmp L\n") == List{"1:1"});
    CHECK(findings("stop\neverywhere\n") == List{"2:w"});
  }
  SECTION("no beginning: stuck") {
    const std::string text = "v = 1\nend_everywhere\nstop\n";
    CHECK(findings(text) == List{"2:1"});
    CHECK(stuck_at(text) != "not stuck");
  }
  SECTION("a jump into a block: stuck") {
    const std::string text = "v = ld 0\nbz v, X\nsync\njmp In\nX: sync\neverywhere\nIn: v = 1\nend_everywhere\nstop\n.shared 0 : 1\n";
    CHECK(findings(text) == List{"4:1", "8:1"});
    CHECK(stuck_at(text) != "not stuck");
  }
  SECTION("a jump out of a block, and back to before it: Λ grows for ever") {
    const std::string text = "A: v = 1\neverywhere\njmp_mask 0, A\nend_everywhere\nstop\n";
    CHECK(findings(text) == List{"3:1"});
    CHECK(notes(text) == List{"1: two paths with different blocks open meet here", "1: first path: straight on from here",
                              "2: second path, step 1: this everywhere begins its block",
                              "3: second path, step 2: this jmp_mask is taken"});
    const bigstep::Result result = run_for(text, 300);
    CHECK(result.ending == bigstep::Ending::Limit);
    CHECK(result.context.size() == 100);
  }
  SECTION("two ends") { CHECK(findings("everywhere\njmp_mask 0, X\nend_everywhere\njmp Y\nX: end_everywhere\nY: stop\n") == List{"5:1"}); }
  SECTION("a block in a block that ends too early") {
    CHECK(findings("everywhere\njmp_mask 0, X\neverywhere\nX: v = 1\nend_everywhere\nend_everywhere\nstop\n") == List{"2:1", "6:1"});
  }
  SECTION("a stop in a block violates conditions 1 and 4") {
    const std::string text = "everywhere\njmp_mask 0, X\nstop\nX: end_everywhere\nstop\n";
    CHECK(findings(text) == List{"1:1", "3:4"});
    const Diagnostics all = checked(text);
    List said;
    for (const Diagnostic& note : all[0].notes) {
      said.push_back(std::to_string(line_of(text, note)) + ": " + note.message);
    }
    CHECK(said == List{"4: the end_everywhere", "1: path, step 1: this everywhere begins its block",
                       "2: path, step 2: this jmp_mask falls through"});
  }
  SECTION("an endless loop in a block is no way out of it") {
    CHECK(findings("everywhere\njmp_mask 0, X\nL: jmp L\nX: end_everywhere\nstop\n").empty());
  }
}

TEST_CASE("condition 2 alone", "[check]") {
  SECTION("a sync too many: stuck") {
    const std::string text = "bz tid, X\nv = 1\nX: sync\nsync\nstop\n";
    CHECK(findings(text) == List{"4:2"});
    CHECK(notes(text) == List{"1: path, step 1: this branch is taken", "3: path, step 2: this sync takes the top entry off"});
    CHECK(stuck_at(text) != "not stuck");
  }
  SECTION("a sync that only one path brings an entry to") {
    const std::string text = "v = ld 0\nbz v, X\nsync\njmp Y\nX: v = 2\nY: sync\nstop\n.shared 0 : 1\n";
    CHECK(findings(text) == List{"6:2"});
    CHECK(stuck_at(text) != "not stuck");
  }
  SECTION("a branch without a sync in a loop: the stack grows, and the syncs behind the loop are too few") {
    const std::string text = "i = 0\nL: bz 0, M\nM: i = i + 1\nbz i == 4, L\nsync\nsync\nstop\n";
    CHECK(findings(text) == List{"2:2"});
    CHECK(notes(text) == List{"4: this branch's entry is then above the one of the round before",
                              "2: round, step 1: this branch falls through", "4: round, step 2: this branch is taken"});
    CHECK(stuck_at(text) != "not stuck");
  }
  SECTION("the outer stack is not seen in a block, and is there again behind it") {
    CHECK(findings("bz tid, X\neverywhere\nsync\nend_everywhere\nX: sync\nstop\n") == List{"3:2"});
    CHECK(findings("bz tid, X\neverywhere\nv = 1\nend_everywhere\nX: sync\nsync\nstop\n") == List{"6:2"});
  }
  SECTION("a branch that is met again with its entry on top pushes none") {
    CHECK(findings("i = 0\nL: i = i + 1\nbz i == 9, L\nbz i == 9, L\nsync\nsync\nstop\n") == List{"3:2"});
  }
}

TEST_CASE("condition 3 alone", "[check]") {
  const std::string text = "everywhere\ni = 0\nL: i = i + 1\nbz i > tid, L\nend_everywhere\nstop\n";
  CHECK(findings(text) == List{"5:3"});
  CHECK(notes(text) == List{"4: no sync takes the entry of this branch off, and its condition asks for tid",
                            "1: path, step 1: this everywhere begins its block", "4: path, step 2: this branch falls through"});
  CHECK(stuck_at(text) != "not stuck");
  SECTION("a counter from outside of the block need not agree") {
    const std::string outside = "bz tid, X\ni = 4\nX: sync\neverywhere\nL: i = i + 1\nbz i > 4, L\nend_everywhere\nstop\n";
    CHECK(findings(outside) == List{"7:3"});
    CHECK(notes(outside)[0] == "6: no sync takes the entry of this branch off, and i in its condition may differ between the threads");
  }
  SECTION("below a uniform entry") {
    CHECK(findings("everywhere\nbz tid, X\nX: bz 0, Y\nY: end_everywhere\nstop\n") == List{"4:3"});
    CHECK(findings("everywhere\nbz 1, X\nX: bz 0, Y\nY: end_everywhere\nstop\n").empty());
  }
}

TEST_CASE("condition 4 alone", "[check]") {
  SECTION("an entry at stop: stuck") {
    const std::string text = "bz 0, X\nX: stop\n";
    CHECK(findings(text) == List{"2:4"});
    CHECK(notes(text) == List{"1: no sync takes the entry of this branch off", "1: path, step 1: this branch falls through"});
    CHECK(stuck_at(text) != "not stuck");
  }
  SECTION("off the end: stuck") {
    CHECK(findings("v = 1\n") == List{"1:4"});
    CHECK(stuck_at("v = 1\n") != "not stuck");
    CHECK(findings("jmp End\nstop\nEnd:\n") == List{"1:4", "2:w"});
    CHECK(findings("bz 1, End\nsync\nstop\nEnd:\n") == List{"1:4"});
    const Diagnostics empty = check(Program{});
    REQUIRE(empty.size() == 1);
    CHECK(empty[0].message.starts_with("condition 4: "));
  }
  SECTION("a jmp_mask outside: stuck") {
    const std::string text = "jmp_mask 0, X\nX: stop\n";
    CHECK(findings(text) == List{"1:4"});
    CHECK(stuck_at(text) != "not stuck");
  }
}

TEST_CASE("the end of the text is no place where blocks meet: it is run off, inside one and outside", "[check]") {
  CHECK(findings("everywhere\njmp_mask 0, End\nend_everywhere\nEnd:\n") == List{"1:1", "2:4", "3:4"});
}

TEST_CASE("of many entries the uppermost four are named", "[check]") {
  const std::string entry = ": no sync takes the entry of this branch off";
  for (const std::size_t count : {2U, 4U, 6U}) {
    std::string text;
    for (std::size_t i = 1; i <= count; ++i) {
      text += "bz tid, X" + std::to_string(i) + "\nX" + std::to_string(i) + ": ";
    }
    const List said = notes(text + "stop\n");
    const std::size_t named = std::min<std::size_t>(count, 4);
    REQUIRE(said.size() == named + count);  // and one for each step of the path
    for (std::size_t i = 0; i < named; ++i) {
      CHECK(said[i] == std::to_string(count - i) + entry);
    }
    CHECK(said[named].ends_with("path, step 1: this branch falls through"));
  }
  // A round that pushes six more entries below its branch's own.
  std::string round = "L: bz 0, X0\n";
  for (int i = 0; i < 6; ++i) {
    round += "X" + std::to_string(i) + ": bz 0, X" + std::to_string(i + 1) + "\n";
  }
  const List said = notes(round + "X6: jmp L\n");
  const std::string above = ": this branch's entry is then above the one of the round before";
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(said[i] == std::to_string(7 - i) + above);
  }
  CHECK(said[4] == "1: round, step 1: this branch falls through");
}

TEST_CASE("several errors come in the order of the text, with warnings last", "[check]") {
  CHECK(findings("jmp_mask 0, X\nX: sync\nstop\nv = 1\nv = 2\n") == List{"1:4", "2:2", "4:w"});
  CHECK_FALSE(well_formed(checked("sync\nstop\n")));
  CHECK(well_formed(checked("stop\nv = 1\n")));
  std::string many = "everywhere\n";
  for (int i = 0; i < 100; ++i) {
    many += "jmp_mask 0, X" + std::to_string(i) + "\nstop\nX" + std::to_string(i) + ": v = 1\n";
  }
  CHECK(checked(many + "end_everywhere\nstop\n").size() == max_findings);
  std::string islands;
  for (int i = 0; i < 30; ++i) {
    islands += "jmp X" + std::to_string(i) + "\nv = 1\nX" + std::to_string(i) + ": v = 2\n";
  }
  CHECK(findings(islands + "stop\n").size() == max_findings);
}

TEST_CASE("of a long path the last ten steps are told", "[check]") {
  const auto told = [](int branches) {
    std::string text = "sync\n";  // one too many, behind a branch and a sync for each
    for (int i = 0; i < branches; ++i) {
      text.insert(0, "bz tid, X" + std::to_string(i) + "\nX" + std::to_string(i) + ": sync\n");
    }
    return notes(text + "stop\n");
  };
  CHECK(told(5).size() == 10);
  CHECK(told(5)[0] == "1: path, step 1: this branch falls through");
  CHECK(notes("bz tid, X\n" + std::string("X: sync\n") + "sync\nstop\n").size() == 2);
  const List said = told(50);
  REQUIRE(said.size() == 10);
  CHECK(said[0] == "91: path, step 91: this branch falls through (90 earlier steps left out)");
  CHECK(said[9] == "100: path, step 100: this sync takes the top entry off");
  // Eleven: the beginning of a block as well.
  std::string eleven = "everywhere\n";
  for (int i = 0; i < 5; ++i) {
    eleven += "bz tid, Y" + std::to_string(i) + "\nY" + std::to_string(i) + ": sync\n";
  }
  const List of_eleven = notes(eleven + "sync\nend_everywhere\nstop\n");
  REQUIRE(of_eleven.size() == 10);
  CHECK(of_eleven[0] == "2: path, step 2: this branch falls through (1 earlier steps left out)");
}

TEST_CASE("large programs", "[check]") {
  constexpr int count = 50000;
  std::string text;
  const auto number = [](int i) { return std::to_string(i); };
  SECTION("one if behind the other") {
    for (int i = 0; i < count; ++i) {
      text += "bz tid, X" + number(i) + "\nX" + number(i) + ": sync\n";
    }
    CHECK(findings(text + "stop\n").empty());
  }
  SECTION("one if in the other") {
    for (int i = 0; i < count; ++i) {
      text += "bz tid, X" + number(i) + "\n";
    }
    for (int i = count - 1; i >= 0; --i) {
      text += "X" + number(i) + ": sync\n";
    }
    CHECK(findings(text + "stop\n").empty());
  }
  SECTION("one loop behind the other, inside a block that the divergence analysis must look at") {
    text = "everywhere\ni = 0\nL: jmp_mask i, C\njmp N\nC: v = 0\n";
    for (int i = 0; i < count / 2; ++i) {
      text += "Y" + number(i) + ": v = v + 1\nbz v > tid, Y" + number(i) + "\nsync\n";
    }
    CHECK(findings(text + "N: i = i + 1\nbz i == 4, L\nend_everywhere\nstop\n").empty());
  }
  SECTION("one block in the other, in reverse") {
    for (int i = 0; i < count; ++i) {
      text += "everywhere\n";
    }
    CHECK(findings(text + "stop\n").size() == max_findings);
    for (int i = 0; i < count; ++i) {
      text += "end_everywhere\n";
    }
    CHECK(findings(text + "stop\n").empty());
  }
  SECTION("two stacks more with every pair of branches: refused, not counted out") {
    for (int i = 0; i < 40; ++i) {
      text += "bz 0, X" + number(i) + "\nbz 0, X" + number(i) + "\nX" + number(i) + ": v = 1\n";
    }
    const Diagnostics all = checked(text + "L: jmp L\n");
    REQUIRE(all.size() == 1);
    CHECK(all[0].message.starts_with("not decided: "));
    CHECK(undecided(all));
    CHECK_FALSE(well_formed(all));
    // With a violation next to it, the program is ill-formed.
    const Diagnostics both = checked("jmp_mask 0, X0\n" + text + "L: jmp L\n");
    CHECK(both.size() == 2);
    CHECK_FALSE(undecided(both));
  }
  SECTION("a merely long program is decided") {
    Program program;
    program.code.resize((std::size_t{1} << 20) + 10, Statement{Assign{0, {}}, {}});
    program.variables = {"v"};
    for (Statement& statement : program.code) {
      std::get<Assign>(statement.instruction).value.nodes.emplace_back(Constant{1, {}});
    }
    program.code.back().instruction = Stop{};
    const Diagnostics all = check(program);
    CHECK(well_formed(all));
    CHECK_FALSE(undecided(all));
  }
  SECTION("branches to everywhere, irreducible") {
    for (int i = 0; i < count; ++i) {
      text += "L" + number(i) + ": bz tid, L" + number(static_cast<int>(i * 7919LL % count)) + "\n";
    }
    CHECK_FALSE(findings(text + "stop\n").empty());
  }
}

TEST_CASE("well-formed by construction is accepted", "[check]") {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const std::string text = RandomMus(seed).text();
    const SourceFile source("random.mus", text);
    const Diagnostics all = checked(text);
    if (!well_formed(all)) {
      FAIL("seed " << seed << "\n" << text << render(source, all));
    }
  }
}

TEST_CASE("progress: an accepted program is never stuck", "[check]") {
  std::size_t accepted = 0;
  std::size_t stuck = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    RandomMus random(seed);
    random.mutate();
    const std::string text = random.text();
    const bool good = well_formed(checked(text));
    const bigstep::Result result = run_for(text, 1000);
    if (good) {
      ++accepted;
    }
    if (result.ending != bigstep::Ending::Stuck) {
      continue;
    }
    ++stuck;
    if (good) {
      FAIL("seed " << seed << ": " << result.failing_rule_or_reason << "\n" << text);
    }
  }
  CHECK(accepted > 300);
  CHECK(stuck > 1000);
}

TEST_CASE("progress: any sequence of control instructions", "[check]") {
  std::mt19937 random(3);
  const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  static const char* const words[] = {"sync",  "sync",    "everywhere", "end_everywhere", "stop",
                                      "jmp L", "bz 0, L", "bz tid, L",  "bz tid < 2, L",  "jmp_mask 1, L"};
  std::size_t accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::size_t size = 3 + pick(6);
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
      std::string word = i + 1 == size ? "stop" : words[pick(std::size(words))];
      if (word.ends_with("L")) {
        word += std::to_string(pick(size));
      }
      text += "L" + std::to_string(i) + ": " + word + "\n";
    }
    if (!well_formed(checked(text))) {
      continue;
    }
    ++accepted;
    const bigstep::Result result = run_for(text, 100);
    if (result.ending == bigstep::Ending::Stuck) {
      FAIL(result.failing_rule_or_reason << "\n" << text);
    }
  }
  CHECK(accepted > 1000);
}
