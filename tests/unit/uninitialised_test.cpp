#include "interpreter/observe/uninitialised.hpp"

#include "tests/unit/run_text.hpp"

using namespace lockstep;
using namespace lockstep::testing;

namespace {

struct Watched {
  UninitialisedObserver reads;
  std::unique_ptr<Machine> machine;

  explicit Watched(const std::string& text, MachineOptions options = {}) : machine(make_machine(text, std::move(options))) {
    machine->attach(reads);
    machine->run(1000);
  }
};

// v is known in threads 2 and 3 only: those go on, 0 and 1 wait at the sync.
const std::string half = "bz tid / 2, L\nv = 10 * tid\nL: sync\n";

}  // namespace

TEST_CASE("uninitialised: shuffles tell which lane had nothing", "[uninitialised]") {
  const Watched w(half + "w = shfl(v, tid ^ 2)\nstop");
  CHECK(local(*w.machine, "w") == "20 30 ? ?");
  REQUIRE(w.reads.count() == 2);
  CHECK(w.reads.reads()[0].thread == 2);
  CHECK(w.reads.reads()[0].pc == 3);
  CHECK(w.reads.reads()[0].step == 5);  // bz, v, and two steps of sync come before
  CHECK(w.reads.reads()[0].what == "v is uninitialised in thread 0");
  CHECK_FALSE(w.reads.reads()[0].fatal);
  CHECK(w.reads.reads()[1].what == "v is uninitialised in thread 1");
}

TEST_CASE("uninitialised: the lane is known also where the shuffle overwrites what it is computed from", "[uninitialised]") {
  CHECK(Watched(half + "v = shfl(v, tid ^ 2)\nstop").reads.count() == 2);
  const Watched w(half + "k = 0\nk = shfl(v, k + min(tid, 2) - (tid > 1 ? k : 0))\nstop");
  CHECK(local(*w.machine, "k") == "? ? 20 20");
  REQUIRE(w.reads.count() == 2);
  CHECK(w.reads.reads()[1].thread == 1);
  CHECK(w.reads.reads()[1].what == "v is uninitialised in thread 1");
}

TEST_CASE("uninitialised: lanes that give poison for another reason do not count", "[uninitialised]") {
  CHECK(Watched("v = tid\nw = shfl(v, tid - 1)\nstop").reads.count() == 0);                  // out of range
  CHECK(Watched("v = shfl(tid, 9)\nw = shfl(v, 0)\nstop").reads.count() == 0);               // poison in the lane
  CHECK(Watched(half + "w = shfl(v, 4 + tid)\nstop").reads.count() == 0);                    // no such lane
  CHECK(Watched(half + "p = shfl(tid, 9)\nw = shfl(v, p)\nstop").reads.count() == 0);        // lane is poison
  CHECK(Watched("bz tid / 2, L\nw = shfl(v, 0)\nL: sync\nv = 1\nstop").reads.count() == 0);  // lane 0 is not in the mask
}

TEST_CASE("uninitialised: the read that ends the run", "[uninitialised]") {
  const Watched variable("w = 1\nx = w + v\nv = 1\nstop");
  CHECK(variable.reads.count() == 4);  // all threads read it
  REQUIRE(variable.reads.reads().size() == 1);
  CHECK(variable.reads.reads()[0].step == 2);
  CHECK(variable.reads.reads()[0].fatal);
  CHECK(variable.reads.reads()[0].pc == 1);
  CHECK(variable.reads.reads()[0].what == "v is uninitialised");
  const Watched cell(".shared 0 : 1 2\nx = ld tid\nstop");
  CHECK(cell.reads.count() == 2);  // threads 2 and 3
  REQUIRE(cell.reads.reads().size() == 1);
  CHECK(cell.reads.reads()[0].thread == 2);
  CHECK(cell.reads.reads()[0].what == "Σ(2) is uninitialised");
  CHECK(Watched("x = 1 / tid\nstop").reads.count() == 0);
  // A shuffle whose lane is uninitialised does not run: only the fatal read counts, although lane 0 has nothing either.
  const Watched both(half + "k = 1\nbz 0, M\nM: sync\nbz tid, N\nj = 0\nN: sync\nw = shfl(v, j)\nstop");
  REQUIRE(both.reads.count() == 1);
  CHECK(both.reads.reads()[0].fatal);
  CHECK(both.reads.reads()[0].what == "j is uninitialised");
}

TEST_CASE("uninitialised: ten are kept, the fatal one last", "[uninitialised]") {
  const Watched w(".threads 16\nbz 1, L\nL: sync\nbz tid == 15, M\nv = 1\nM: sync\nw = shfl(v, 0)\nx = y\ny = 1\nstop");
  CHECK(w.reads.count() == 32);  // each of the 16 threads reads v of thread 0, then y
  REQUIRE(w.reads.reads().size() == 10);
  CHECK(w.reads.reads()[8].thread == 8);
  CHECK(w.reads.reads()[9].fatal);
}
