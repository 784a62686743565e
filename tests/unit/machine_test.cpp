// The machine on small programs worked out by hand: every rule, every ending with its reason, orders, limits, snapshots.
#include "interpreter/machine/machine.hpp"

#include <algorithm>

#include "tests/unit/run_text.hpp"

using namespace lockstep;
using namespace lockstep::testing;
using musimd::Erratum;

namespace {

using Counts = std::map<std::string, std::uint64_t>;
using Threads = std::vector<unsigned>;

std::string end_of(const std::string& text, MachineOptions options = {}) { return ending(*run_text(text, std::move(options))); }

std::string v_after(const std::string& text, MachineOptions options = {}) {
  const auto machine = run_text(text + "\nstop", std::move(options));
  return ending(*machine) == "halted" ? local(*machine, "v") : ending(*machine);
}

MachineOptions printed(Erratum e) {
  MachineOptions options;
  options.printed = {e};
  return options;
}

MachineOptions with_order(std::vector<unsigned> order) {
  MachineOptions options;
  options.order = std::move(order);
  return options;
}

std::string make_error(const std::string& text, MachineOptions options) {
  const auto machine = Machine::make(parse_text(text), std::move(options));
  REQUIRE_FALSE(machine.has_value());
  return machine.error();
}

}  // namespace

TEST_CASE("SP, JP: stop counts as a step, jumped-over instructions do not run", "[machine]") {
  const auto machine = run_text("jmp L\nv = 1\nL: stop");
  CHECK(ending(*machine) == "halted");
  CHECK(machine->steps() == 2);
  CHECK(rules(*machine) == Counts{{"JP", 1}, {"SP", 1}});
  CHECK(local(*machine, "v") == "* * * *");
}

TEST_CASE("CT, AS, BP: who counts as what", "[machine]") {
  const auto machine = run_text("a = 7\nb = a\nc = tid\nd = a + c\ne = -(1)\nstop");
  CHECK(local(*machine, "a") == "7 7 7 7");
  CHECK(local(*machine, "b") == "7 7 7 7");
  CHECK(local(*machine, "c") == "0 1 2 3");
  CHECK(local(*machine, "d") == "7 8 9 10");
  CHECK(local(*machine, "e") == "-1 -1 -1 -1");
  CHECK(rules(*machine) == Counts{{"IT", 5}, {"CT", 1}, {"AS", 2}, {"BP", 2}, {"SP", 1}});
}

TEST_CASE("LD, ST: through Σ", "[machine]") {
  const auto machine = run_text(".shared 10 : 5 6 7 8\nv = ld 10 + tid\nst 3 - tid = v * 10\nstop");
  CHECK(local(*machine, "v") == "5 6 7 8");
  CHECK(shared(*machine) == "0:80 1:70 2:60 3:50 10:5 11:6 12:7 13:8");
  CHECK(rules(*machine) == Counts{{"IT", 2}, {"LD", 1}, {"ST", 1}, {"SP", 1}});
}

TEST_CASE("BT, BF: one side pushes an entry without threads; sync pops it", "[machine]") {
  auto machine = make_machine("bz 0, L\nv = 1\nL: sync\nstop");
  REQUIRE(machine->step());
  CHECK(machine->state().pc == 2);
  REQUIRE(machine->state().sync.size() == 1);
  CHECK(machine->state().sync[0].todo.empty());
  CHECK(machine->state().sync[0].done.empty());
  CHECK(machine->state().sync[0].branch_pc == 0);
  CHECK(machine->state().sync[0].resume_at == 2);
  machine->run(10);
  CHECK(ending(*machine) == "halted");
  CHECK(rules(*machine) == Counts{{"BT", 1}, {"SI.sync", 1}, {"SP", 1}});
  const auto other = run_text("bz 5, L\nv = 1\nL: sync\nstop");
  CHECK(rules(*other) == Counts{{"BF", 1}, {"IT", 1}, {"CT", 1}, {"SI.sync", 1}, {"SP", 1}});
  CHECK(local(*other, "v") == "1 1 1 1");
}

TEST_CASE("BD, SS, SI.sync: the nonzero threads go on, the others wait", "[machine]") {
  auto machine = make_machine("bz tid & 1, L\nv = 1\nL: sync\nstop");
  REQUIRE(machine->step());
  CHECK(machine->state().pc == 1);
  CHECK(members(machine->state().active) == Threads{1, 3});
  CHECK(members(machine->state().sync.at(0).todo) == Threads{0, 2});
  REQUIRE(machine->step());
  REQUIRE(machine->step());  // SS
  CHECK(machine->state().pc == 2);
  CHECK(members(machine->state().active) == Threads{0, 2});
  CHECK(members(machine->state().sync.at(0).done) == Threads{1, 3});
  CHECK(machine->state().sync.at(0).todo.empty());
  REQUIRE(machine->step());  // SI.sync
  CHECK(members(machine->state().active) == Threads{0, 1, 2, 3});
  CHECK(machine->state().sync.empty());
  CHECK_FALSE(machine->step());
  CHECK(local(*machine, "v") == "* 1 * 1");
  CHECK(rules(*machine) == Counts{{"BD", 1}, {"IT", 1}, {"CT", 1}, {"SS", 1}, {"SI.sync", 1}, {"SP", 1}});
}

TEST_CASE("a loop that threads leave one by one: push merges into the branch's own entry", "[machine]") {
  // Thread t runs the body t times.
  const auto machine = run_text("i = tid\nn = 0\nL: bz i, E\ni = i - 1\nn = n + 1\njmp L\nE: sync\nstop");
  CHECK(ending(*machine) == "halted");
  CHECK(local(*machine, "n") == "0 1 2 3");
  // bz: three times divergent, then all that are left leave; SS once for the three that left before.
  CHECK(rules(*machine).at("BD") == 3);
  CHECK(rules(*machine).at("BT") == 1);
  CHECK(rules(*machine).at("SS") == 1);
  CHECK(rules(*machine).at("SI.sync") == 1);
}

TEST_CASE("nested branches need nested syncs", "[machine]") {
  const auto machine = run_text("v = 0\nbz tid & 2, A\nbz tid & 1, B\nv = 3\nB: sync\nv = v + 10\nA: sync\nstop");
  CHECK(ending(*machine) == "halted");
  CHECK(local(*machine, "v") == "0 0 10 13");
}

TEST_CASE("EB, EE: all threads run the block, then Θ and Π are as before", "[machine]") {
  auto machine = make_machine("bz tid == 2, L\nw = 1\nL: everywhere\nv = tid\nend_everywhere\nsync\nstop");
  REQUIRE(machine->run(3).index() == 3);
  CHECK(members(machine->state().active) == Threads{0, 1, 2, 3});
  REQUIRE(machine->state().context.size() == 1);
  CHECK(members(machine->state().context[0].mask) == Threads{2});
  CHECK(machine->state().sync_empty());
  CHECK(machine->state().sync.size() == 1);
  machine->run(2);
  CHECK(members(machine->state().active) == Threads{2});
  CHECK_FALSE(machine->state().sync_empty());
  machine->run(20);
  CHECK(ending(*machine) == "halted");
  CHECK(local(*machine, "v") == "0 1 2 3");
  CHECK(rules(*machine).at("EB") == 2);  // thread 2 first, the others after the switch
  CHECK(rules(*machine).at("EE") == 2);
}

TEST_CASE("EE drops converged entries", "[machine]") { CHECK(end_of("everywhere\nbz 0, L\nL: end_everywhere\nstop") == "halted"); }

TEST_CASE("BA, BI: is the thread active outside of the block", "[machine]") {
  const std::string text = "bz tid & 1, L\nw = 1\nL: everywhere\nv = 0\njmp_mask K, T\nv = 1\nT: end_everywhere\nsync\nstop";
  const auto taken = [&](const std::string& k) {
    std::string with_k = text;
    with_k.replace(with_k.find('K'), 1, k);
    auto machine = make_machine(with_k);
    machine->run(4);
    machine->run(1);
    return machine->state().pc == 6 ? "BA" : "BI";
  };
  CHECK(std::string(taken("1")) == "BA");
  CHECK(std::string(taken("3")) == "BA");
  CHECK(std::string(taken("0")) == "BI");
  CHECK(std::string(taken("4")) == "BI");
  CHECK(std::string(taken("-1")) == "BI");
  CHECK(std::string(taken("4294967297")) == "BI");  // no wrapping to 1
  CHECK(std::string(taken("-9223372036854775808")) == "BI");
}

TEST_CASE("SV, SI.shfl: every thread reads the value from before", "[machine]") {
  CHECK(v_after("v = tid * 10\nv = shfl(v, tid ^ 1)") == "10 0 30 20");
  CHECK(v_after("v = shfl(tid, 3 - tid)") == "3 2 1 0");
  CHECK(v_after("w = 5\nv = shfl(w, tid + 2)") == "5 5 ? ?");
  CHECK(v_after("w = 5\nv = shfl(w, tid - 2)") == "? ? 5 5");
  CHECK(v_after("w = 5\nv = shfl(w, 1 << 32)") == "? ? ? ?");
  CHECK(v_after("w = shfl(tid, 9)\nv = shfl(tid, w)") == "? ? ? ?");
  CHECK(v_after("bz tid != 1, L\nw = tid\nL: sync\nv = shfl(w, tid)") == "0 ? 2 3");
  // Outside of a block the mask is Θ, inside it is Θ before the block.
  CHECK(v_after("w = tid + 10\nbz tid & 1, L\nv = shfl(w, tid - 1)\nL: sync") == "* ? * ?");
  CHECK(v_after("w = tid + 10\nbz tid & 1, L\neverywhere\nv = shfl(w, 1)\nend_everywhere\nL: sync") == "11 11 11 11");
  CHECK(v_after("w = tid + 10\nbz tid & 1, L\neverywhere\nv = shfl(w, 2)\nend_everywhere\nL: sync") == "? ? ? ?");
  CHECK(rules(*run_text("w = 1\nv = shfl(w, tid - 3)\nstop")) == Counts{{"IT", 2}, {"CT", 1}, {"SV", 1}, {"SP", 1}});
  CHECK(rules(*run_text("w = 1\nv = shfl(w, 7)\nstop")) == Counts{{"IT", 2}, {"CT", 1}, {"SI.shfl", 1}, {"SP", 1}});
}

TEST_CASE("poison is stored, loaded and copied, and decides nothing", "[machine]") {
  const std::string p = "p = shfl(tid, tid == 1 ? 9 : tid)\n";
  CHECK(v_after(p + "st tid = p\nv = ld tid") == "0 ? 2 3");
  CHECK(shared(*run_text(p + "st tid + 4 = p\nstop")) == "4:0 5:? 6:2 7:3");
  CHECK(end_of(p + "bz p, L\nL: sync\nstop") == "error: undefined behaviour in thread 1: BT.3 'no t ∈ Θ has e = poison' fails: e = poison");
  CHECK(end_of(p + "v = ld p\nstop") ==
        "error: undefined behaviour in thread 1: LD.2 'a is a number ≥ 0 in every t ∈ Θ' fails: a = poison");
  CHECK(end_of(p + "st p = 1\nstop") ==
        "error: undefined behaviour in thread 1: ST.3 'a is a number ≥ 0 in every t ∈ Θ' fails: a = poison");
  CHECK(
      end_of(p + "everywhere\njmp_mask p, L\nL: end_everywhere\nstop") ==
      "error: undefined behaviour in thread 1: BA.3 'e is the same number in every t ∈ Θ' fails: e = 0 in thread 0 and poison in thread 1");
}

TEST_CASE("undefined behaviour names rule, premise, thread and value", "[machine]") {
  const std::string mv = "MV.2 'σt(v) is initialised' fails";
  CHECK(end_of("w = v\nv = 1\nstop") == "error: undefined behaviour in thread 0: " + mv + " (for AS): v is uninitialised");
  CHECK(end_of("bz tid < 2, L\nv = 1\nL: sync\nw = v + 1\nstop") ==
        "error: undefined behaviour in thread 2: " + mv + " (for BP): v is uninitialised");
  CHECK(end_of("w = 1 ? 2 : v\nv = 1\nstop") == "error: undefined behaviour in thread 0: " + mv + " (for BP): v is uninitialised");
  CHECK(end_of("bz v, L\nL: sync\nv = 1\nstop") == "error: undefined behaviour in thread 0: " + mv + " (for BT): v is uninitialised");
  CHECK(end_of("st v = 1\nv = 1\nstop") == "error: undefined behaviour in thread 0: " + mv + " (for ST): v is uninitialised");
  CHECK(end_of("st 1 = v\nv = 1\nstop") == "error: undefined behaviour in thread 0: " + mv + " (for ST): v is uninitialised");
  CHECK(end_of("w = ld v\nv = 1\nstop") == "error: undefined behaviour in thread 0: " + mv + " (for LD): v is uninitialised");
  CHECK(end_of("w = shfl(tid, v)\nv = 1\nstop") == "error: undefined behaviour in thread 0: " + mv + " (for SV): v is uninitialised");
  CHECK(end_of(".shared 0 : 1 2 3\nv = ld tid\nstop") ==
        "error: undefined behaviour in thread 3: MM.2 'Σ(a) is initialised' fails (for LD): Σ(3) is uninitialised");
  CHECK(end_of("v = ld 1 - tid\nstop") == "error: undefined behaviour in thread 2: LD.2 'a is a number ≥ 0 in every t ∈ Θ' fails: a = -1");
  CHECK(end_of("st tid - 9223372036854775807 - 1 = 0\nstop") ==
        "error: undefined behaviour in thread 0: ST.3 'a is a number ≥ 0 in every t ∈ Θ' fails: a = -9223372036854775808");
  CHECK(end_of("v = 6 / (tid - 2)\nstop") ==
        "error: undefined behaviour in thread 2: BP.2 'no t ∈ Θ divides by 0' fails: the divisor is 0");
  CHECK(end_of("v = 6 % (tid - 3)\nstop") ==
        "error: undefined behaviour in thread 3: BP.2 'no t ∈ Θ divides by 0' fails: the divisor is 0");
  CHECK(end_of("everywhere\njmp_mask tid / 2, L\nL: end_everywhere\nstop") ==
        "error: undefined behaviour in thread 2: BA.3 'e is the same number in every t ∈ Θ' fails: e = 0 in thread 0 and 1 in thread 2");
}

TEST_CASE("what only inactive threads would do is not undefined", "[machine]") {
  CHECK(v_after("v = 9\nbz tid, L\nv = 6 / tid\nL: sync") == "9 6 3 2");
  CHECK(v_after(".shared 1 : 4 5 6\nv = 0\nbz tid, L\nv = ld tid\nL: sync") == "0 4 5 6");
}

TEST_CASE("stuck: the premises that fail", "[machine]") {
  CHECK(end_of("v = 1") == "stuck: no rule applies: there is no instruction at pc 1");
  CHECK(end_of("sync\nstop") ==
        "stuck: no rule applies: SS.2 'Π = (at, done, l, todo) : Π'' fails (Π = []); "
        "SI.sync.2 'Π = (at, done, l, todo) : Π'' fails (Π = [])");
  CHECK(end_of("end_everywhere\nstop") == "stuck: no rule applies: EE.2 'Λ = (Θ', Π') : Λ'' fails (Λ = [])");
  CHECK(end_of("jmp_mask 0, L\nL: stop") ==
        "stuck: no rule applies: BA.2 'Λ = (Θ', Π') : Λ'' fails (Λ = []); "
        "BI.2 'Λ = (Θ', Π') : Λ'' fails (Λ = [])");
  CHECK(end_of("bz tid, L\nL: stop") ==
        "stuck: no rule applies: SP.2 'Π = []' fails (Π has 1 entry, the top one: branch at pc 0, done {}, todo {0})");
  CHECK(end_of("bz 1, L\nL: stop") ==
        "stuck: no rule applies: SP.2 'Π = []' fails (Π has 1 entry, the top one: branch at pc 0, done {}, todo {})");
  CHECK(end_of("everywhere\nstop") == "stuck: no rule applies: SP.3 'Λ = []' fails (Λ has 1 frame)");
  CHECK(end_of("everywhere\nbz tid, L\nL: end_everywhere\nstop") ==
        "stuck: no rule applies: EE.3 'every entry of Π has done = ∅ and todo = ∅' fails (branch at pc 1, done {}, todo {0})");
  const auto machine = run_text("v = 1\nsync\nstop");
  CHECK(machine->steps() == 1);
  CHECK(machine->state().pc == 1);
  CHECK(rules(*machine) == Counts{{"IT", 1}, {"CT", 1}});
}

TEST_CASE("a failing store or load leaves the state as it was", "[machine]") {
  const auto machine = run_text("v = 5\nst 3 - tid * 2 = 1\nstop");
  CHECK(shared(*machine).empty());
  CHECK(local(*machine, "v") == "5 5 5 5");
  CHECK(machine->state().pc == 1);
  CHECK(machine->steps() == 1);
}

TEST_CASE("limits: steps, memory, stacks", "[machine]") {
  auto endless = make_machine("L: jmp L");
  CHECK(reason(endless->run(1000)) == "the step limit is reached");
  CHECK(endless->steps() == 1000);
  CHECK_FALSE(endless->ending().has_value());
  endless->run(5);
  CHECK(endless->steps() == 1005);

  MachineOptions small;
  small.memory_limit = 3 * Cells::page_bytes();
  const auto memory = run_text("i = 0\nL: st i * 100000 = 1\ni = i + 1\njmp L", small);
  CHECK(ending(*memory) == "limit: the memory limit of the shared memory is reached");
  CHECK(shared(*memory) == "0:1 100000:1 200000:1");
  CHECK(memory->state().pc == 1);
  CHECK(memory->steps() == 1 + 3 * 3);

  MachineOptions flat;
  flat.stack_limit = 10;
  const auto blocks = run_text("L: everywhere\njmp L", flat);
  CHECK(ending(*blocks) == "limit: the limit of the sync and context stacks is reached");
  CHECK(blocks->state().context.size() <= 11);
  const auto branches = run_text("L: bz 0, M\nM: bz 0, L", flat);
  CHECK(ending(*branches) == "limit: the limit of the sync and context stacks is reached");
}

TEST_CASE("huge sparse addresses", "[machine]") {
  const std::string text = "a = 9223372036854775807 - tid\nst a = tid + 1\nv = ld a\nstop";
  const auto machine = run_text(text);
  CHECK(ending(*machine) == "halted");
  CHECK(local(*machine, "v") == "1 2 3 4");
  CHECK(machine->state().shared.page_count() == 1);
  CHECK(end_of("st 9223372036854775807 + tid = 1\nstop") ==
        "error: undefined behaviour in thread 1: ST.3 'a is a number ≥ 0 in every t ∈ Θ' fails: a = -9223372036854775808");
}

TEST_CASE("thread order decides between stores to one cell", "[machine]") {
  CHECK(shared(*run_text("st 0 = tid\nstop")) == "0:3");
  CHECK(shared(*run_text("st 0 = tid\nstop", with_order({3, 2, 1, 0}))) == "0:0");
  CHECK(shared(*run_text("st 0 = tid\nstop", with_order({0, 3, 1, 2}))) == "0:2");
  CHECK(shared(*run_text("bz tid != 2, L\nst 0 = tid\nL: sync\nstop", with_order({0, 3, 1, 2}))) == "0:1");
  // Everything else is in two phases.
  CHECK(v_after("v = tid\nv = shfl(v, tid ^ 1)", with_order({3, 2, 1, 0})) == "1 0 3 2");
  CHECK(v_after(".shared 0 : 1 2 3 4\nv = ld tid\nst 3 - tid = v\nv = ld tid", with_order({2, 0, 3, 1})) == "4 3 2 1");
}

TEST_CASE("options that make no machine", "[machine]") {
  MachineOptions options;
  options.threads = 1025;
  CHECK(make_error("stop", options) == "1025 threads; there must be 1 to 1024");
  options.threads = 3;
  options.active = {3};
  CHECK(make_error("stop", options) == "the initial active set names thread 3, but there are 3 threads");
  options.active = {1, 1};
  CHECK(make_error("stop", options) == "the initial active set names thread 1 twice");
  options.active = {};
  options.order = {0, 1};
  CHECK(make_error("stop", options) == "the thread order names 2 of 3 threads; it must name each once");
  options.order = {};
  options.memory_limit = 0;
  CHECK(make_error(".shared 0 : 1\nstop", options) == "the .shared cells do not fit into the memory limit of 0 bytes");
  CHECK(Machine::make(parse_text("stop"), options).has_value());
}

TEST_CASE("thread counts: the program's, the option's, the default", "[machine]") {
  CHECK(make_machine("stop")->threads() == 4);
  CHECK(make_machine(".threads 7\nstop")->threads() == 7);
  MachineOptions options;
  options.threads = 65;
  CHECK(make_machine(".threads 7\nstop", options)->threads() == 65);
}

TEST_CASE("divergence at widths around the machine word", "[machine]") {
  for (const unsigned width : {1U, 2U, 63U, 64U, 65U, 1000U, 1024U}) {
    INFO(width);
    MachineOptions options;
    options.threads = width;
    const auto machine = run_text(
        "v = 0\nbz tid % 3, A\nv = 1\nbz tid % 3 == 1, B\nv = 2\nB: sync\nA: sync\ns = shfl(tid, tid + 1)\nst tid = v\nw = ld tid\nstop",
        options);
    REQUIRE(ending(*machine) == "halted");
    std::string v;
    std::string s;
    for (unsigned t = 0; t < width; ++t) {
      v += (t == 0 ? "" : " ") + std::to_string(t % 3 == 1 ? 2 : t % 3 == 2 ? 1 : 0);
      s += (t == 0 ? "" : " ") + (t + 1 < width ? std::to_string(t + 1) : "?");
    }
    CHECK(local(*machine, "v") == v);
    CHECK(local(*machine, "w") == v);
    CHECK(local(*machine, "s") == s);
    CHECK(machine->state().active.size() == width);
  }
}

TEST_CASE("an initial Θ that is not all", "[machine]") {
  MachineOptions options;
  options.active = {1, 2};
  CHECK(v_after("v = tid", options) == "* 1 2 *");
  CHECK(v_after("everywhere\nv = tid\nend_everywhere", options) == "0 1 2 3");
  CHECK(v_after("v = shfl(tid, 0)", options) == "* ? ? *");
}

TEST_CASE("printed readings: what each does to a small program", "[machine]") {
  // E1: BD keeps the zero threads; and without the two tests it comes after BT and BF, which fit first.
  CHECK(v_after("v = 0\nbz tid & 1, L\nv = 1\nL: sync") == "0 1 0 1");
  CHECK(v_after("v = 0\nbz tid & 1, L\nv = 1\nL: sync", printed(Erratum::E1)) == "1 0 1 0");
  // E2: a branch inside the arm that runs second.
  const std::string second_arm = "bz tid & 1, L\nL: bz tid & 2, M\nM: sync\nsync\nstop";
  CHECK(end_of(second_arm) == "halted");
  CHECK(end_of("everywhere\nbz 0, L\nL: end_everywhere\nstop", printed(Erratum::E3)) ==
        "stuck: no rule applies: EE.4 'Π = []' fails "
        "(Π has 1 entry, the top one: branch at pc 1, done {}, todo {})");
  CHECK(end_of("v = 1\nstop", printed(Erratum::E4)).starts_with("stuck: no rule applies: IT.2"));
  CHECK(v_after("v = tid * 10\nv = shfl(v, tid ^ 1)", printed(Erratum::E5)) == "10 10 30 30");
  CHECK(end_of("st tid = 1\nstop", printed(Erratum::E7)) == "stuck: no rule applies: ST.2 'neither a nor c is a constant' fails");
  CHECK(end_of("bz 0, L\nL: sync\nstop", printed(Erratum::E7)).starts_with("stuck: no rule applies: BT.2"));
  CHECK(end_of("everywhere\nstop", printed(Erratum::E8)) == "halted");
  CHECK(end_of("bz tid, L\nw = 1\nL: sync\nv = shfl(w, 1)\nstop") == "halted");
  CHECK(end_of("bz tid, L\nw = 1\nL: sync\nv = shfl(w, 1)\nstop", printed(Erratum::E10)) ==
        "error: undefined behaviour in thread 0: SV.3 'σt(v1) is initialised in the reading thread t' fails: w is uninitialised");
}

TEST_CASE("checking mode runs the same", "[machine]") {
  const std::string text = "i = tid\nn = 0\nL: bz i, E\ni = i - 1\nn = n + 1\njmp L\nE: sync\nv = shfl(n, tid - 1)\nst tid = n\nstop";
  MachineOptions checking;
  checking.checking = true;
  const auto checked = run_text(text, checking);
  const auto plain = run_text(text);
  CHECK(ending(*checked) == "halted");
  CHECK(rules(*checked) == rules(*plain));
  CHECK(shared(*checked) == "0:0 1:1 2:2 3:3");
  CHECK(local(*checked, "v") == "? 0 1 2");
}

TEST_CASE("snapshots: back to any state, as often as wanted", "[machine]") {
  auto machine = make_machine("i = 0\nL: st i = i * i\ni = i + 1\nbz i == 6, L\nsync\nstop");
  machine->run(4);
  const Snapshot early = machine->snapshot();
  const std::string cells_then = shared(*machine);
  const Counts rules_then = rules(*machine);
  machine->run(100);
  CHECK(ending(*machine) == "halted");
  const std::string cells_at_end = shared(*machine);
  CHECK(cells_at_end == "0:0 1:1 2:4 3:9 4:16 5:25");
  for (int round = 0; round < 3; ++round) {
    machine->restore(early);
    CHECK_FALSE(machine->ending().has_value());
    CHECK(machine->steps() == 4);
    CHECK(shared(*machine) == cells_then);
    CHECK(rules(*machine) == rules_then);
    CHECK(local(*machine, "i") == "1 1 1 1");
    machine->run(100);
    CHECK(shared(*machine) == cells_at_end);
    CHECK(machine->steps() == 1 + 6 * 3 + 2);
  }
}

TEST_CASE("a limit that was met is forgotten by restore", "[machine]") {
  MachineOptions small;
  small.memory_limit = Cells::page_bytes();
  auto machine = make_machine("v = 1\nst 0 = v\nst 100000 = 2\nstop", small);
  const Snapshot start = machine->snapshot();
  machine->run(10);
  CHECK(ending(*machine) == "limit: the memory limit of the shared memory is reached");
  machine->restore(start);
  CHECK(machine->step());
  CHECK(machine->step());
  CHECK(shared(*machine) == "0:1");
}

TEST_CASE("events: what a step read, wrote and took", "[machine]") {
  struct Seen : Observer {
    std::vector<std::string> lines;
    void after_step(const Machine& m, const StepEvent& e) override {
      std::string line = std::to_string(e.step) + " " + std::to_string(e.pc) + " " + std::string(musimd::name(e.fired.root));
      for (const unsigned t : members(e.active)) {
        line += " " + std::to_string(t);
        line += e.taken ? (e.taken->contains(t) ? "T" : "F") : "";
        if (e.access) {
          const bool poison = e.access->poison != nullptr && e.access->poison->contains(t);
          line += (e.access->write ? "w" : "r") + std::to_string(e.access->addresses[t]) + "=" +
                  (poison ? "?" : std::to_string(e.access->values[t]));
        }
      }
      lines.push_back(line + (e.written ? " " + m.program().variables[*e.written] : ""));
    }
  };
  Seen seen;
  auto machine =
      make_machine(".threads 2\n.shared 0 : 7 8\nv = tid\nv = ld v\nst tid + v = shfl_\nshfl_ = shfl(v, 5)\nbz v == 8, L\nL: sync\nstop");
  machine->attach(seen);
  machine->run(2);
  CHECK(seen.lines == std::vector<std::string>{"0 0 AS 0 1 v", "1 1 LD 0r0=7 1r1=8 v"});
  machine->detach(seen);
  machine->run(10);
  CHECK(seen.lines.size() == 2);

  Seen later;
  machine = make_machine(".threads 2\np = shfl(tid, 1 - 2 * tid)\nst tid + 3 = p\nbz tid, L\njmp L\nL: sync\nstop");
  machine->attach(later);
  machine->run(100);
  CHECK(later.lines == std::vector<std::string>{"0 0 SV 0 1 p", "1 1 ST 0w3=1 1w4=?", "2 2 BD 0T 1F", "3 3 JP 1T", "4 4 SS 1",
                                                "5 4 SI.sync 0", "6 5 SP 0 1"});
}

TEST_CASE("observers that look on change nothing", "[machine]") {
  struct Quiet : Observer {
    Interest wanted;
    int asked_count = 0;
    int steps = 0;
    bool over = false;
    Interest interest() const override { return wanted; }
    void asked(const Machine&, std::span<const CandidateReport>) override { ++asked_count; }
    void after_step(const Machine&, const StepEvent&) override { ++steps; }
    void ended(const Machine&, const Ending&) override { over = true; }
  };
  const std::string text = "v = tid\nst 0 = v\nbz v & 1, L\nst 1 = v\nL: sync\nstop";
  for (const bool premises : {false, true}) {
    for (const bool stores : {false, true}) {
      Quiet quiet;
      quiet.wanted = {premises, stores};
      auto machine = make_machine(text);
      machine->attach(quiet);
      machine->run(100);
      CHECK(ending(*machine) == "halted");
      CHECK(quiet.over);
      CHECK(quiet.steps == (stores ? 2 : 7));
      CHECK(quiet.asked_count == (premises ? 7 : 0));
      CHECK(rules(*machine) == rules(*run_text(text)));
      CHECK(shared(*machine) == "0:3 1:3");
    }
  }
}
