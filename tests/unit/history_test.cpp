#include "interpreter/debug/program/history.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <sstream>

#include "semantics/musimd/parse.hpp"
#include "tests/unit/random_mus.hpp"

using namespace lockstep;

namespace {

std::shared_ptr<const musimd::Program> parsed(const std::string& text) {
  return std::make_shared<const musimd::Program>(musimd::parse(SourceFile("h.mus", text)).value());
}

std::string fig6() {
  std::ifstream file(LOCKSTEP_SOURCE_DIR "/examples/musimd/fig6.mus");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Everything that a machine is, ready to be compared.
struct Whole {
  std::vector<std::vector<unsigned>> sets;
  std::vector<std::uint64_t> numbers;
  std::vector<Cell> locals;
  std::vector<std::pair<std::int64_t, Cell>> shared;
  std::string ending;

  bool operator==(const Whole&) const = default;
};

Whole whole(const Machine& m) {
  Whole w;
  const auto set = [&](const LaneSet& s) {
    w.sets.emplace_back();
    s.for_each([&](unsigned t) { w.sets.back().push_back(t); });
  };
  const Machine::State& s = m.state();
  set(s.active);
  w.numbers = {s.pc, m.steps(), s.frame_base, s.sync.size(), s.context.size()};
  for (const auto& entry : s.sync) {
    set(entry.done);
    set(entry.todo);
    w.numbers.insert(w.numbers.end(), {entry.branch_pc, entry.resume_at});
  }
  for (const auto& frame : s.context) {
    set(frame.mask);
    w.numbers.push_back(frame.sync_base);
  }
  w.numbers.insert(w.numbers.end(), m.rule_counts().begin(), m.rule_counts().end());
  for (musimd::VarId v = 0; v < m.program().variables.size(); ++v) {
    for (unsigned t = 0; t < m.threads(); ++t) {
      w.locals.push_back(s.bank.read(v, t));
    }
  }
  s.shared.for_each([&](std::int64_t address, const Cell& cell) { w.shared.emplace_back(address, cell); });
  w.ending = m.ending() ? std::string(status_word(*m.ending())) + reason(*m.ending()) : "";
  return w;
}

/// The states of a fresh machine after 0, 1, … steps, stepped without any history; the last one has the ending.
std::vector<Whole> states_of(const std::shared_ptr<const musimd::Program>& program, std::uint64_t most) {
  auto m = *Machine::make(program, {});
  std::vector<Whole> states = {whole(*m)};
  while (m->steps() < most) {
    const std::uint64_t before = m->steps();
    const bool goes_on = m->step();
    if (m->steps() == before) {
      states.back() = whole(*m);  // the same position, now known to be the end
    } else {
      states.push_back(whole(*m));
    }
    if (!goes_on) {
      break;
    }
  }
  return states;
}

void visit_all(const std::shared_ptr<const musimd::Program>& program, std::uint64_t seed) {
  constexpr std::uint64_t most = 300;
  const std::vector<Whole> expected = states_of(program, most);
  auto m = *Machine::make(program, {});
  History history(*m, most);
  for (std::size_t k = 1; k < expected.size(); ++k) {
    REQUIRE(history.step());
  }
  REQUIRE(history.step() == false);
  REQUIRE(whole(*m) == expected.back());
  for (std::size_t k = expected.size(); k-- > 0;) {  // back, one by one
    history.go_to(k);
    REQUIRE(whole(*m) == expected[k]);
  }
  std::mt19937_64 random(seed);
  for (int i = 0; i < 40; ++i) {
    const std::size_t k = random() % expected.size();
    history.go_to(k);
    REQUIRE(whole(*m) == expected[k]);
  }
  history.go_to(UINT64_MAX);
  REQUIRE(whole(*m) == expected.back());
}

/// Stops at every multiple of `distance`.
struct EveryNth {
  const Machine& machine;
  std::uint64_t distance;
  void begin() const {}
  bool after_step() const { return machine.steps() % distance == 0; }
};

/// A loop of five instructions that stores to one cell after the other: after 1 + 5k steps v0 = tid + k·W.
const char* const storing_loop = "v0 = tid\nL: st v0 = v0\nv1 = ld v0\nv0 = v0 + 4\nv2 = v1 * 2\njmp L\n";

}  // namespace

TEST_CASE("going back is the inverse of stepping, on fig6", "[history]") {
  REQUIRE(states_of(parsed(fig6()), 100).size() == 40);
  visit_all(parsed(fig6()), 1);
}

TEST_CASE("going back is the inverse of stepping, on random programs", "[history]") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    RandomMus mus(seed);
    if (seed % 3 == 0) {
      mus.mutate();  // some get stuck
    }
    INFO(mus.text());
    visit_all(parsed(mus.text()), seed);
  }
}

TEST_CASE("every kind of ending is reached again", "[history]") {
  for (const auto& [text, word] : std::initializer_list<std::pair<const char*, std::string_view>>{
           {"v0 = 1\nstop\n", "halted"}, {"v0 = 1\nsync\n", "stuck"}, {"v0 = 1\n", "stuck"}, {"v0 = 1\nv1 = v2\n", "error"}}) {
    auto m = *Machine::make(parsed(text), {});
    History history(*m);
    history.go_to(UINT64_MAX);
    REQUIRE(history.at_end());
    const std::uint64_t end = history.position();
    history.go_to(0);
    REQUIRE(!history.at_end());
    history.go_to(end);
    REQUIRE(history.at_end());
    REQUIRE(status_word(*m->ending()) == word);
    REQUIRE(history.position() == end);
  }
}

TEST_CASE("the step limit bounds every way of moving", "[history]") {
  auto m = *Machine::make(parsed("L: jmp L\n"), {});
  History history(*m, 10);
  history.go_to(1'000'000);
  CHECK(history.position() == 10);
  CHECK(history.at_limit());
  CHECK(!history.step());
  EveryNth never{*m, 1000};
  history.go_to(0);
  CHECK(!history.run_until(never));
  CHECK(history.position() == 10);
}

TEST_CASE("a run of a million steps stays within its budget and is right everywhere", "[history]") {
  constexpr std::size_t budget = std::size_t{24} << 20;
  auto m = *Machine::make(parsed(storing_loop), {});
  History history(*m, 1'000'000, budget);
  history.go_to(UINT64_MAX);
  REQUIRE(history.position() == 1'000'000);
  CHECK(history.snapshot_count() > 2);
  CHECK(history.snapshot_bytes() <= budget);
  std::mt19937_64 random(7);
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t k = random() % 199'999;
    history.go_to(1 + 5 * k);
    REQUIRE(history.position() == 1 + 5 * k);
    REQUIRE(m->state().pc == 1);
    const auto first = static_cast<std::int64_t>(4 * k);
    CHECK(m->state().bank.read(0, 3) == Cell{CellState::Number, first + 3});
    CHECK(m->state().shared.read(first).state == CellState::Uninitialised);
    CHECK((k == 0 || m->state().shared.read(first - 1) == Cell{CellState::Number, first - 1}));
  }
}

TEST_CASE("snapshots that share no pages are thinned out, the first one stays", "[history]") {
  // Every round writes to 16 pages, so that each snapshot has pages of its own; all that are taken are twice the budget.
  const std::string page = std::to_string(Cells::page_cells);
  auto m = *Machine::make(parsed(".threads 16\ni = 0\nLoop: i = i + 1\nst tid * " + page + " = i\njmp Loop\n"), {});
  const std::size_t budget = 160 * Cells::page_bytes();
  History history(*m, 400'000, budget);
  history.go_to(UINT64_MAX);
  REQUIRE(history.position() == 400'000);
  CHECK(history.snapshot_count() > 2);
  CHECK(history.snapshot_count() < 10);  // 160 pages, 16 for each
  CHECK(history.snapshot_bytes() <= budget);
  std::mt19937_64 random(11);
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t k = i == 0 ? 1 : 1 + random() % 133'000;
    history.go_to(1 + 3 * k);
    REQUIRE(history.position() == 1 + 3 * k);
    REQUIRE(m->state().pc == 1);
    for (const std::int64_t thread : {0, 15}) {
      const Cell expected{CellState::Number, static_cast<std::int64_t>(k)};
      CHECK(m->state().bank.read(0, static_cast<unsigned>(thread)) == expected);
      CHECK(m->state().shared.read(thread * static_cast<std::int64_t>(Cells::page_cells)) == expected);
    }
  }
  history.go_to(0);
  REQUIRE(history.position() == 0);
  CHECK(m->state().pc == 0);
  CHECK(m->state().shared.page_count() == 0);
}

TEST_CASE("searching backwards finds the stops of the way forwards in reverse", "[history]") {
  auto m = *Machine::make(parsed(storing_loop), {});
  History history(*m, 50'000);
  EveryNth check{*m, 4096};  // also at snapshots
  std::vector<std::uint64_t> stops;
  while (history.run_until(check)) {
    stops.push_back(history.position());
  }
  REQUIRE(stops.size() == 12);
  REQUIRE(stops.front() == 4096);
  while (!stops.empty()) {
    const auto found = history.last_stop_before_here(check);
    REQUIRE(found == stops.back());
    history.go_to(*found);
    stops.pop_back();
  }
  CHECK(!history.last_stop_before_here(check));
}
