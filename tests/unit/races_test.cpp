#include "interpreter/observe/races.hpp"

#include "tests/unit/run_text.hpp"

using namespace lockstep;
using namespace lockstep::testing;

namespace {

/// Runs `text` and watches for races.
struct Watched {
  RaceObserver races;
  std::unique_ptr<Machine> machine;

  explicit Watched(const std::string& text, MachineOptions options = {}) : machine(make_machine(text, std::move(options))) {
    machine->attach(races);
    machine->run(100000);
  }
};

}  // namespace

TEST_CASE("races: different values in one cell, both parties named", "[races]") {
  const Watched w("st tid / 2 = tid\nstop");
  CHECK(w.races.count() == 2);
  REQUIRE(w.races.races().size() == 2);
  const Race& second = w.races.races()[1];
  CHECK(second.step == 1);
  CHECK(second.pc == 0);
  CHECK(second.address == 1);
  CHECK(second.threads[0] == 2);
  CHECK(second.threads[1] == 3);
  CHECK(second.values[0] == Cell{CellState::Number, 2});
  CHECK(second.values[1] == Cell{CellState::Number, 3});
}

TEST_CASE("races: what is none", "[races]") {
  CHECK(Watched("st tid = tid\nstop").races.count() == 0);            // ascending cells
  CHECK(Watched("st 3 - tid = tid\nstop").races.count() == 0);        // descending cells
  CHECK(Watched("st (tid * 3) % 4 = tid\nstop").races.count() == 0);  // a permutation
  CHECK(Watched("st 5 = 7\nstop").races.count() == 0);                // equal values
  CHECK(Watched("st 0 = 1\nst 0 = 2\nstop").races.count() == 0);      // different steps
  CHECK(Watched(".threads 1\nst 0 = tid\nstop").races.count() == 0);
  // The threads that would differ are not active.
  CHECK(Watched("bz tid & 1, L\nst 0 = tid & 1\nL: sync\nstop").races.count() == 0);
  MachineOptions two;
  two.active = {0, 2};
  CHECK(Watched("st 0 = tid & 1\nstop", two).races.count() == 0);
  two.active = {0, 3};
  CHECK(Watched("st 0 = tid & 1\nstop", two).races.count() == 1);
}

TEST_CASE("races: one for each step and cell, however many threads differ", "[races]") {
  const Watched all(".threads 64\nst 9 = tid\nstop");
  CHECK(all.races.count() == 1);
  CHECK(all.races.races()[0].threads[1] == 1);
  // The first that differs from the first: threads 0 to 3 agree.
  const Watched late(".threads 64\nst 9 = tid / 4\nstop");
  CHECK(late.races.races()[0].threads[0] == 0);
  CHECK(late.races.races()[0].threads[1] == 4);
}

TEST_CASE("races: poison differs from numbers and equals poison", "[races]") {
  // Lane 9 does not exist: p is poison in all threads but 0.
  const std::string poison = "p = shfl(tid, tid == 0 ? 0 : 9)\n";
  const Watched mixed(poison + "st 0 = p\nstop");
  REQUIRE(mixed.races.count() == 1);
  CHECK(mixed.races.races()[0].values[0] == Cell{CellState::Number, 0});
  CHECK(mixed.races.races()[0].values[1] == Cell{CellState::Poison, 0});
  CHECK(Watched("p = shfl(tid, 9)\nst 0 = p\nstop").races.count() == 0);
}

TEST_CASE("races: the first ten are kept, all are counted", "[races]") {
  const Watched w("i = 25\nL: st i = tid\ni = i - 1\nbz i == 0, L\nsync\nstop");
  CHECK(w.races.count() == 25);
  REQUIRE(w.races.races().size() == 10);
  CHECK(w.races.races()[0].address == 25);
  CHECK(w.races.races()[9].address == 16);
  CHECK(w.races.races()[9].step == 2 + 9 * 3);  // behind i = 25, in the tenth round
}

TEST_CASE("races: a store that does not happen is none", "[races]") {
  const Watched w("st tid - 1 = tid\nstop");
  CHECK(w.races.count() == 0);
  CHECK(std::holds_alternative<Undefined>(*w.machine->ending()));
}
