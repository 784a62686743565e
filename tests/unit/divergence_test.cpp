// Divergence analysis: one program for each way in which threads come to disagree or agree, and, on random programs run by the
// big-step evaluator, that a branch that is called uniform never takes rule BD.

#include "semantics/musimd/divergence.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "semantics/musimd/parse.hpp"
#include "tests/bigstep/bigstep.hpp"
#include "tests/unit/random_mus.hpp"

using namespace lockstep;
using namespace lockstep::musimd;

namespace {

Program program(const std::string& text) {
  const SourceFile source("test.mus", text);
  const auto parsed = parse(source);
  if (!parsed) {
    FAIL(render(source, parsed.error()));
  }
  return *parsed;
}

// Is the branch at label B uniform?
bool uniform(const std::string& text) {
  const Program p = program(text);
  const Divergence divergence = analyse_divergence(p);
  REQUIRE(divergence.analysed);
  for (const LabelDefinition& label : p.labels) {
    if (label.name == "B") {
      return divergence.uniform(p, label.pc);
    }
  }
  FAIL("no label B");
  return false;
}

// The program that asks for `v` behind `text`.
bool agrees(const std::string& text) { return uniform(text + "B: bz v, End\nEnd: sync\nstop\n"); }

}  // namespace

TEST_CASE("straight-line code: what a value is made of", "[divergence]") {
  CHECK(agrees("v = 3\n"));
  CHECK_FALSE(agrees("v = tid\n"));
  CHECK_FALSE(agrees("u = tid & 1\nv = u * 0\n"));
  CHECK(agrees("u = 4\nv = u + 1\n"));
  CHECK(agrees("v = tid\nv = 2\n"));
  CHECK_FALSE(agrees("u = 1\n"));  // v is whatever it was at the start
  CHECK(agrees("v = ld 3\n"));
  CHECK_FALSE(agrees("v = ld tid\n"));
  CHECK(agrees("u = tid\nv = shfl(u, 2)\n"));
  CHECK(agrees("v = shfl(tid, 2)\n"));
  CHECK_FALSE(agrees("v = shfl(tid, tid ^ 1)\n"));
  CHECK(agrees("st tid = tid\nv = ld 0\n"));
}

TEST_CASE("a single thread agrees with itself", "[divergence]") {
  CHECK(agrees(".threads 1\nv = tid\n"));
  CHECK_FALSE(agrees(".threads 2\nv = tid\n"));
}

TEST_CASE("behind a branch that splits: what the arms wrote differs, what they left alone does not", "[divergence]") {
  CHECK_FALSE(agrees("v = 1\nbz tid, X\nv = 2\nX: sync\n"));
  CHECK_FALSE(agrees("bz tid, X\nv = 1\njmp J\nX: v = 2\nJ: sync\n"));
  CHECK(agrees("v = 1\nbz tid, X\nu = 2\nX: sync\n"));
}

TEST_CASE("behind a uniform branch the threads still agree", "[divergence]") {
  CHECK(agrees("u = ld 0\nv = 1\nbz u, X\nv = 2\nX: sync\n"));
  CHECK(agrees("u = ld 0\nbz u, X\nv = 1\njmp J\nX: v = 2\nJ: sync\n"));
}

TEST_CASE("inside an arm the threads of the arm agree", "[divergence]") {
  CHECK(uniform("bz tid, X\nv = 2\nB: bz v, Y\nY: sync\nX: sync\nstop\n"));
  CHECK(uniform("v = 2\nbz tid, X\nB: bz v, Y\nY: sync\nX: sync\nstop\n"));
}

TEST_CASE("temporal divergence: a counter agrees in the loop, not behind it", "[divergence]") {
  const std::string loop = "v = 0\nH: bz v < tid, X\nIN v = v + 1\njmp H\nX: sync\n";
  const auto with = [&](const std::string& text) {
    std::string result = loop;
    return result.replace(result.find("IN "), 3, text);
  };
  CHECK_FALSE(agrees(with("")));
  CHECK(uniform(with("B: bz v, Y\nY: sync\n") + "stop\n"));
  CHECK(agrees("v = 0\nH: bz v < 9, X\nv = v + 1\njmp H\nX: sync\n"));  // all leave together
}

TEST_CASE("threads that were deferred in different rounds resume together", "[divergence]") {
  // The taken side of the branch runs after the sync, with the threads of all rounds.
  CHECK_FALSE(uniform("v = 0\nH: bz v < tid, X\nv = v + 1\njmp H\nX: u = v\nB: bz u, Y\nY: sync\nsync\nstop\n"));
}

TEST_CASE("an everywhere block in the arm that runs first writes to the threads that wait", "[divergence]") {
  CHECK_FALSE(uniform("v = 0\nbz tid, X\neverywhere\nv = tid\nend_everywhere\njmp J\nX: u = 1\nB: bz v, Y\nY: sync\nJ: sync\nstop\n"));
  CHECK(uniform("v = 0\nbz tid, X\neverywhere\nw = tid\nend_everywhere\njmp J\nX: u = 1\nB: bz v, Y\nY: sync\nJ: sync\nstop\n"));
}

TEST_CASE("an everywhere block begins with threads of which nothing is known", "[divergence]") {
  CHECK_FALSE(uniform("v = 1\neverywhere\nB: bz v, X\nX: sync\nend_everywhere\nstop\n"));
  CHECK(uniform("everywhere\nv = 1\nB: bz v, X\nX: sync\nend_everywhere\nstop\n"));
}

TEST_CASE("behind an everywhere block: written in it by all, or not written", "[divergence]") {
  CHECK(agrees("everywhere\nv = 1\nend_everywhere\n"));
  CHECK(agrees("v = 1\neverywhere\nu = tid\nend_everywhere\n"));
  CHECK_FALSE(agrees("v = 1\neverywhere\nv = tid\nend_everywhere\n"));
  CHECK_FALSE(agrees("v = 1\neverywhere\nbz tid, X\nv = 2\nX: sync\nend_everywhere\n"));
  CHECK_FALSE(agrees("v = tid\neverywhere\nu = 1\nend_everywhere\n"));
  CHECK_FALSE(agrees("v = 1\neverywhere\neverywhere\nv = tid\nend_everywhere\nend_everywhere\n"));
}

TEST_CASE("a branch that turns out to split later in the analysis still reaches its sync", "[divergence]") {
  // c is constant in the first round and tid from the second round on.
  CHECK_FALSE(
      uniform("n = 0\nc = 0\nL: bz c, X\nv = 1\nc = 0\njmp J\nX: v = 2\nc = 0\nJ: sync\nB: bz v, Y\nY: sync\nc = tid\n"
              "n = n + 1\nbz n >= 2, L\nsync\nstop\n"));
}

TEST_CASE("the reason names the variable", "[divergence]") {
  const Program p = program("u = tid\nv = u\nbz 1 + v, X\nX: sync\nbz tid, Y\nY: sync\nstop\n");
  const Divergence divergence = analyse_divergence(p);
  REQUIRE(divergence.branches[2].variable.has_value());
  CHECK(p.variables[*divergence.branches[2].variable] == "v");
  CHECK(divergence.branches[4].may_split);
  CHECK_FALSE(divergence.branches[4].variable.has_value());
  CHECK_FALSE(divergence.uniform(p, 0));
}

TEST_CASE("of programs with broken blocks or stacks nothing is claimed", "[divergence]") {
  for (const char* text : {"bz 0, X\nX: end_everywhere\nstop\n", "sync\nbz 0, X\nX: sync\nstop\n"}) {
    const Divergence divergence = analyse_divergence(program(text));
    CHECK_FALSE(divergence.analysed);
  }
}

TEST_CASE("a chain of copies that settles one variable a round: exact when short, given up when long", "[divergence]") {
  const auto chain = [](int length) {
    std::string text = "n = 0\n";
    for (int i = 0; i <= length; ++i) {
      text += "x" + std::to_string(i) + " = 0\n";
    }
    text += "L: n = n + 1\n";
    for (int i = 0; i < length; ++i) {
      text += "x" + std::to_string(i) + " = x" + std::to_string(i + 1) + "\n";
    }
    text += "x" + std::to_string(length) + " = tid\nB: bz x0, Y\nY: sync\nC: bz n >= 9, L\nsync\nstop\n";
    return program(text);
  };
  const Program small = chain(300);
  const Divergence exact = analyse_divergence(small);
  CHECK(exact.analysed);
  CHECK_FALSE(exact.uniform(small, small.labels[1].pc));
  CHECK(exact.uniform(small, small.labels[3].pc));
  const Program large = chain(30000);
  const Divergence given_up = analyse_divergence(large);
  CHECK_FALSE(given_up.analysed);
  CHECK_FALSE(given_up.uniform(large, large.labels[1].pc));
  CHECK_FALSE(given_up.uniform(large, large.labels[3].pc));
}

TEST_CASE("large programs are analysed exactly: work goes with their size", "[divergence]") {
  const auto number = [](int i) { return std::to_string(i); };
  SECTION("straight on through many variables, one set of them for all") {
    std::string text = "x0 = tid\ny0 = 1\n";
    for (int i = 1; i < 20000; ++i) {
      text += "x" + number(i) + " = x" + number(i - 1) + "\ny" + number(i) + " = y" + number(i - 1) + "\n";
    }
    CHECK_FALSE(uniform(text + "B: bz x19999, X\nX: sync\nbz y19999, Y\nY: sync\nstop\n"));
    CHECK(uniform(text + "bz x19999, X\nX: sync\nB: bz y19999, Y\nY: sync\nstop\n"));
  }
  SECTION("one branch in the other: what the innermost arm writes, the outermost sync knows") {
    constexpr int depth = 20000;
    std::string text = "v = 1\nu = 1\nbz tid, X0\n";
    for (int i = 1; i < depth; ++i) {
      text += "bz 1, X" + number(i) + "\n";
    }
    text += "v = 2\n";
    for (int i = depth - 1; i >= 0; --i) {
      text += "X" + number(i) + ": sync\n";
    }
    CHECK_FALSE(agrees(text));
    CHECK(uniform(text + "B: bz u, End\nEnd: sync\nstop\n"));
  }
}

TEST_CASE("a branch that is called uniform never splits", "[divergence]") {
  std::size_t splits = 0;
  std::size_t together = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    RandomMus random(seed);
    if (seed % 4 == 0) {
      random.mutate();
    }
    const std::string text = random.text();
    const Program p = program(text);
    const Divergence divergence = analyse_divergence(p);
    bigstep::Options options;
    options.max_steps = 1500;
    if (seed % 2 == 1) {
      options.initial_active = {static_cast<unsigned>(seed / 2 % 4), static_cast<unsigned>((seed / 2 + 1) % 4)};
    }
    std::vector<unsigned> pcs;
    options.observe = [&](const bigstep::Config& config) { pcs.push_back(config.pc); };
    const bigstep::Result result = bigstep::run(text, options);
    for (std::size_t i = 0; i < result.rules.size(); ++i) {
      const bool uniform_branch = divergence.uniform(p, pcs[i]);
      if (result.rules[i] == "BD") {
        ++splits;
        if (uniform_branch) {
          FAIL("seed " << seed << ", pc " << pcs[i] << "\n" << text);
        }
      } else if (uniform_branch) {
        ++together;
      }
    }
  }
  CHECK(splits > 5000);
  CHECK(together > 10000);
}
