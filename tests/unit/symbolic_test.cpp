// The prover's terms and domain: constants fold to the numbers of plain C++, unknowns behave as the laws of arithmetic and sets
// want, and no answer but a proof counts as one.

#include "semantics/prove/symbolic.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "semantics/musimd/parse.hpp"
#include "semantics/ops/scalar.hpp"
#include "semantics/prove/execute.hpp"
#include "semantics/prove/solver.hpp"
#include "semantics/prove/theorem.hpp"

using namespace lockstep;
using namespace lockstep::prove;

namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

/// What a one-line program leaves in `r` of thread 0.
PlainCell result_of(const std::string& expression) {
  const auto program = musimd::parse(SourceFile("test.mus", ".threads 1\nr = " + expression + "\nstop"));
  INFO(expression);
  REQUIRE(program.has_value());
  const ConstantRun run = run_symbolic_on_constants(*program, {});
  REQUIRE(run.status == RunStatus::Halted);
  return run.locals.at(0).at(0);
}

bool always(const Truth& truth) { return Solver(10'000).possible(!truth) == Answer::Unsatisfiable; }
bool sometimes(const Truth& truth) { return Solver(10'000).possible(truth) == Answer::Satisfiable; }

/// Symbolic set operations on three threads with constant members.
ThreadSet members(bool a, bool b, bool c) { return ThreadSet({Truth(a), Truth(b), Truth(c)}); }

Theorem theorem_about(const Obligation& obligation) {
  return {"test.theorem", 0, "", "", {{1, {0}}}, [obligation](const Case&) { return obligation; }};
}

}  // namespace

TEST_CASE("operations on constants fold to C's results", "[symbolic]") {
  const std::vector<std::pair<std::string, std::int64_t>> expected = {
      {"min(3, -2)", -2},
      {"max(3, -2)", 3},
      {"-(-9223372036854775808)", lowest},
      {"~5", -6},
      {"!0", 1},
      {"!7", 0},
      {"4294967296 * 4294967296", 0},
      {"-3 * 5", -15},
      {"-7 / 2", -3},
      {"7 / -2", -3},
      {"-9223372036854775808 / -1", lowest},
      {"-7 % 2", -1},
      {"7 % -2", 1},
      {"-9223372036854775808 % -1", 0},
      {"9223372036854775807 + 1", lowest},
      {"-9223372036854775808 - 1", highest},
      {"1 << 63", lowest},
      {"1 << 64", 1},
      {"-8 >> 1", -4},
      {"-1 >> 127", -1},
      {"-1 < 0", 1},
      {"0 < -1", 0},
      {"2 <= 2", 1},
      {"3 <= 2", 0},
      {"3 > 2", 1},
      {"2 > 2", 0},
      {"2 >= 3", 0},
      {"-1 >= -1", 1},
      {"4 == 4", 1},
      {"4 != 4", 0},
      {"12 & 10", 8},
      {"12 ^ 10", 6},
      {"12 | 10", 14},
      {"2 && 4", 1},
      {"2 && 0", 0},
      {"0 || 4", 1},
      {"0 || 0", 0},
      {"2 ? 5 : 6", 5},
      {"0 ? 5 : 6", 6},
  };
  for (const auto& [expression, number] : expected) {
    INFO(expression);
    CHECK((result_of(expression) == PlainCell{PlainCell::State::Number, number}));
  }
}

TEST_CASE("unknown words obey two's complement arithmetic", "[symbolic]") {
  const Word x = Word::named("x");
  const Word y = Word::named("y");
  CHECK(always(equal(minus(plus(x, y), y), x)));
  CHECK(always(equal(ops::Div(x, Word(-1)), ops::Neg(x))));
  CHECK(always(equal(ops::Rem(x, Word(-1)), Word(0))));
  CHECK(always(equal(ops::Shl(x, Word(65)), plus(x, x))));
  CHECK(always(less(ops::Shr(x, Word(63)), Word(1))));
  CHECK(sometimes(less(plus(x, Word(1)), x)));  // it wraps
  CHECK(sometimes(equal(ops::Neg(x), x) && !equal(x, Word(0))));
  CHECK(!always(less(x, y) || less(y, x)));
  const Truth p = Truth::named("p");
  CHECK(always(implies(p, equal(choose(p, x, y), x)) && implies(!p, equal(choose(p, x, y), y))));
}

TEST_CASE("Boolean terms fold where a constant decides", "[symbolic]") {
  const Truth p = Truth::named("p");
  CHECK((p && Truth(false)).known() == false);
  CHECK((p || Truth(true)).known() == true);
  CHECK(!(p && Truth(true)).known());
  CHECK(always(p || !p));
  CHECK(!sometimes(p && !p));
  CHECK(always(same(choose(p, Truth(true), Truth(false)), p)));
}

TEST_CASE("sets of threads", "[symbolic]") {
  const ThreadSet a = members(true, true, false);
  const ThreadSet b = members(false, true, true);
  CHECK(prove::same(a | b, members(true, true, true)).known() == true);
  CHECK(prove::same(a & b, members(false, true, false)).known() == true);
  CHECK(prove::same(a - b, members(true, false, false)).known() == true);
  CHECK(prove::empty(ThreadSet()).known() == true);
  CHECK(prove::same(ThreadSet() | a, a).known() == true);
  CHECK(prove::same(a - ThreadSet(), a).known() == true);
  CHECK(prove::subset(members(false, true, false), a).known() == true);
  CHECK(prove::subset(a, b).known() == false);
  CHECK(prove::same(members(false, true, false), a).known() == false);
  CHECK(prove::same(a, members(false, true, false)).known() == false);
  CHECK(prove::same(Symbolic::without_first(b), members(false, false, true)).known() == true);
}

TEST_CASE("memory remembers the last write to each address", "[symbolic]") {
  Memory memory;
  CHECK(memory.read(Word(3)).written.known() == false);
  memory.write(Truth(true), Word(3), {Word(7), Truth(true), Truth(false)});
  memory.write(Truth(true), Word(4), {Word(8), Truth(true), Truth(false)});
  memory.write(Truth(true), Word(3), {Word(9), Truth(true), Truth(false)});
  memory.write(Truth(false), Word(5), {Word(1), Truth(true), Truth(false)});
  CHECK(memory.read(Word(3)).value.known() == 9);
  CHECK(memory.read(Word(4)).value.known() == 8);
  CHECK(memory.read(Word(5)).written.known() == false);
  CHECK((memory.known_addresses() == std::vector<std::int64_t>{3, 4}));

  const Word x = Word::named("x");
  const Word y = Word::named("y");
  const Truth p = Truth::named("p");
  Memory unknown = Memory::named("m");
  const CellTerm before = unknown.read(y);
  unknown.write(p, x, {Word(5), Truth(true), Truth(true)});
  const CellTerm after = unknown.read(y);
  CHECK(always(implies(p && equal(x, y), after.is_poison())));
  CHECK(always(implies(!p || !equal(x, y), prove::same(before, after))));
  CHECK(sometimes(after.is_poison() && !equal(x, y)));
}

TEST_CASE("poison goes through operations, but not through the arm that is not chosen", "[symbolic]") {
  const auto program =
      musimd::parse(SourceFile("test.mus", ".threads 1\np = shfl(tid, 1)\na = p + 1\nb = 0 ? p : 4\nc = 1 ? p : 4\nd = p ? 1 : 2\nstop"));
  REQUIRE(program.has_value());
  const ConstantRun run = run_symbolic_on_constants(*program, {});
  REQUIRE(run.status == RunStatus::Halted);
  CHECK((run.locals.at(0).at(0) == PlainCell{PlainCell::State::Poison, 0}));
  CHECK((run.locals.at(1).at(0) == PlainCell{PlainCell::State::Poison, 0}));
  CHECK((run.locals.at(2).at(0) == PlainCell{PlainCell::State::Number, 4}));
  CHECK((run.locals.at(3).at(0) == PlainCell{PlainCell::State::Poison, 0}));
  CHECK((run.locals.at(4).at(0) == PlainCell{PlainCell::State::Poison, 0}));
}

TEST_CASE("decisions are answered both ways, each on its own path", "[symbolic]") {
  Symbolic d(1);
  const Truth p = Truth::named("p");
  const Truth q = Truth::named("q");
  std::vector<std::string> ways;
  Truth paths(false);
  d.explore([&] {
    std::string way = d.decide(p) ? "p" : "-";
    way += d.decide(Truth(true)) ? "1" : "0";
    if (way[0] == 'p') {
      way += d.decide(q) ? "q" : "-";
    }
    ways.push_back(way);
    CHECK(!sometimes(paths && d.path()));
    paths = paths || d.path();
  });
  CHECK((ways == std::vector<std::string>{"p1q", "p1-", "-1"}));
  CHECK(always(paths));
}

TEST_CASE("a bz has three successors, and push merges or not", "[symbolic]") {
  Symbolic d(2);
  State s;
  s.active = d.all();
  s.pc = Word(4);
  s.sync.push_back({Word::named("branch"), d.none(), Word(9), d.none()});
  Symbolic::Values v;
  v.value = {Word::named("a"), Word::named("b")};
  const std::vector<Successor> next = step(d, s, musimd::Bz<Symbolic>{{Symbolic::Shape::Operation, v}, Word(9)});
  REQUIRE(next.size() == 6);  // BT, BF, BD; each with the top entry this branch's or another's
  for (const Successor& each : next) {
    CHECK(sometimes(each.condition));
    CHECK(each.state.sync.size() >= 1);
    CHECK(always(implies(each.condition, same(equal(s.sync[0].branch_pc, Word(4)), Truth(each.state.sync.size() == 1)))));
  }
}

TEST_CASE("a rule whose premise is known to fail leads nowhere", "[symbolic]") {
  Symbolic d(2);
  State s;
  s.active = d.all();
  s.pc = Word(4);
  s.sync.push_back({Word(7), d.none(), Word(9), d.none()});
  const auto places_after = [&](std::int64_t first, std::int64_t second) {
    Symbolic::Values v;
    v.value = {Word(first), Word(second)};
    std::vector<std::int64_t> places;
    for (const Successor& each : step(d, s, musimd::Bz<Symbolic>{{Symbolic::Shape::Operation, v}, Word(9)})) {
      CHECK(each.condition.known() == true);
      places.push_back(each.state.pc.known().value());
    }
    return places;
  };
  CHECK(places_after(0, 0) == std::vector<std::int64_t>{9});
  CHECK(places_after(1, 1) == std::vector<std::int64_t>{5});
  CHECK(places_after(0, 1) == std::vector<std::int64_t>{5});
}

TEST_CASE("a load has a value for each thread, and no other", "[symbolic]") {
  const Symbolic d(2);
  State s;
  s.active = d.all();
  for (const std::int64_t address : {3, 4, 5}) {
    s.shared.write(Truth(true), Word(address), {Word(10 * address), Truth(true), Truth(false)});
  }
  Symbolic::Values addresses;
  addresses.value = {Word(4), Word(3), Word(5)};  // of a third thread that there is not
  const Symbolic::Values loaded = d.load(s, addresses, d.none());
  REQUIRE(loaded.value.size() == 2);
  CHECK(loaded.value[0].known() == 40);
  CHECK(loaded.value[1].known() == 30);
}

TEST_CASE("only unsatisfiable negations are proofs", "[symbolic][proofs]") {
  const Word x = Word::named("x");
  Obligation obligation;
  obligation.goal = equal(plus(x, Word(0)), x);
  CHECK(prove::prove(theorem_about(obligation), {}).verdict == Verdict::Proved);

  obligation.goal = less(x, Word(10));
  obligation.shown.words.push_back({"x", x});
  const ProofResult refuted = prove::prove(theorem_about(obligation), {});
  CHECK(refuted.verdict == Verdict::Refuted);
  CHECK(refuted.where == "w1-p0");
  REQUIRE(refuted.counterexample.starts_with("x = "));
  CHECK(std::stoll(refuted.counterexample.substr(4)) >= 10);

  obligation.hypotheses = {Truth::named("p"), !Truth::named("p")};
  CHECK(prove::prove(theorem_about(obligation), {}).verdict == Verdict::Vacuous);

  Obligation unreachable;
  unreachable.reachable.push_back({"never", less(x, x)});
  const ProofResult vacuous = prove::prove(theorem_about(unreachable), {});
  CHECK(vacuous.verdict == Verdict::Vacuous);
  CHECK(vacuous.where == "never");

  Obligation hard;  // the factors of a product of two large primes
  const Word y = Word::named("y");
  hard.goal = !(equal(times(x, y), Word(1000000007LL * 998244353LL)) && less(Word(1), x) && less(x, y) && less(y, Word(2000000000)));
  ProofOptions hurried;
  hurried.timeout_ms = 100;  // Z3 forgets a timer that runs out before the search has begun, and then never stops
  CHECK(prove::prove(theorem_about(hard), hurried).verdict == Verdict::Unknown);

  Theorem without_cases = theorem_about({});
  without_cases.cases.clear();
  CHECK(prove::prove(without_cases, {}).verdict == Verdict::Vacuous);
}

TEST_CASE("questions are written as SMT-LIB on request", "[symbolic][proofs]") {
  const std::filesystem::path dir = std::filesystem::temp_directory_path() / "lockstep_symbolic_test_smt";
  std::filesystem::create_directories(dir);
  Obligation obligation;
  obligation.hypotheses.push_back(less(Word(0), Word::named("x")));
  ProofOptions options;
  options.smt_dir = dir.string();
  const ProofResult result = prove::prove(theorem_about(obligation), options);
  CHECK(result.questions == 2);
  std::stringstream text;
  text << std::ifstream(dir / "test.theorem-w1-p0.smt2").rdbuf();
  CHECK(text.str().find("(declare-fun x () (_ BitVec 64))") != std::string::npos);
  CHECK(text.str().find("(check-sat)") != std::string::npos);
  CHECK(std::filesystem::exists(dir / "test.theorem-w1-p0-hypotheses.smt2"));
  std::filesystem::remove_all(dir);
}
