// Every rule and premise that only typed programs have: seen to fire and to hold in a program, and to fail in another one.

#include <catch2/catch.hpp>

#include "interpreter/debug/kernel/run.hpp"
#include "semantics/typed/parse.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using launch::FaultKind;
using musimd::RuleId;

namespace {

/// Runs a typed program of one group of four items on one buffer of eight ints 0, 1, …, 7.
struct Ran {
  launch::Outcome outcome;
  std::uint32_t line = 0;  ///< of the fault
};
Ran run_text(const std::string& body, const launch::LaunchOptions& options) {
  const auto source = std::make_shared<const SourceFile>("t.mus", ".typed\n.wg_size 4\n" + body);
  auto program = typed::parse(source);
  if (!program) {
    FAIL(render(*source, program.error()));
  }
  launch::Arguments arguments = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7})});
  Ran ran{launch_text::run(std::make_shared<const typed::Program>(std::move(*program)), arguments, options), 0};
  ran.line = ran.outcome.fault ? source->place(ran.outcome.fault->party.span.begin).line : 0;
  return ran;
}
launch::Outcome run(const std::string& body) { return run_text(body, {}).outcome; }

std::uint64_t fired(const launch::Outcome& outcome, RuleId rule) { return outcome.rule_counts[static_cast<std::size_t>(rule)]; }

const std::string head = ".kernel k(global int* a)\n.var int i, j\n.temp ulong u\n";

}  // namespace

TEST_CASE("each rule of the typed extension fires, and what its premises ask then holds", "[launch]") {
  const launch::Outcome outcome = run(head +
                                      "  i = int(local_id)\n"
                                      "  j = shfl.active(i, 3 - i)\n"
                                      "  u = ballot.active(i > 1)\n"
                                      "  call f(i)\n"
                                      "  j = call g(j / 2)\n"
                                      "  barrier\n"
                                      "  i = ld a[i]\n"
                                      "  st a[local_id] = j + i\n"
                                      "  atomic.add(a[0], i)\n"
                                      "  j = atomic.compare(a[1], 4, j)\n"
                                      "  stop\n"
                                      ".function void f(int x)\n  ret\n"
                                      ".function int g(int x)\n  ret int(float(x))\n");
  CHECK_FALSE(outcome.fault.has_value());
  CHECK(fired(outcome, RuleId::CALL) == 2);
  CHECK(fired(outcome, RuleId::RET) == 2);
  CHECK(fired(outcome, RuleId::SVA) == 2);
  CHECK(fired(outcome, RuleId::AT) == 2);
  CHECK(fired(outcome, RuleId::BR) == 1);
  CHECK(fired(outcome, RuleId::BP) == 1);  // i = int(local_id)
  CHECK(fired(outcome, RuleId::LD) == 1);
  CHECK(fired(outcome, RuleId::ST) == 1);
  CHECK(fired(outcome, RuleId::SP) == 1);
  CHECK(fired(outcome, RuleId::IT) == 7);  // what is not control: two collectives, one operation, a load, a store, two atomic changes
  CHECK(outcome.steps == 7 + 2 + 2 + 1 + 1);
}

TEST_CASE("defined premises of the typed extension: where they fail, the program is undefined", "[launch]") {
  const struct {
    const char* premise;
    std::string body;
    FaultKind kind;
  } cases[] = {
      {"BP.3, a quotient", "  i = (-2147483647 - 1) / -1\n  stop\n", FaultKind::DivisionOverflow},
      {"BP.3, a conversion", "  i = int(3e9)\n  stop\n", FaultKind::ConversionOverflow},
      {"BP.3, an index", ".var int r[4]\n  r[within(local_id, 3)] = 1\n  stop\n", FaultKind::OutOfBounds},
      {"LD.3", "  i = ld a[local_id + 5ul]\n  stop\n", FaultKind::OutOfBounds},
      {"AT.2", "  atomic.min(a[local_id + 5ul], 3)\n  stop\n", FaultKind::OutOfBounds},
      {"LD.3, the null pointer", "  i = ld (null.global.int)[0]\n  stop\n", FaultKind::OutOfBounds},
      {"LD.3, poison", "  i = 0\n  j = shfl.active(i, 4)\n  i = ld a[j]\n  stop\n", FaultKind::PoisonAddress},
      {"ST.4", "  st a[int(local_id) - 1] = 1\n  stop\n", FaultKind::OutOfBounds},
      {"SVA.2", "  i = 0\n  j = shfl.active(i, 4)\n  i = any.active(j)\n  stop\n", FaultKind::PoisonBranch},
      {"MV.2, of an argument", "  call f(i)\n  stop\n.function void f(int x)\n  ret\n", FaultKind::UninitialisedVariable},
  };
  for (const auto& c : cases) {
    INFO(c.premise);
    const launch::Outcome outcome = run(head + c.body);
    REQUIRE(outcome.fault.has_value());
    CHECK(launch::name_of(outcome.fault->kind) == launch::name_of(c.kind));
  }
  const launch::Outcome unset = run_text(".local int l[1]\n" + head + "  i = atomic.exchange(@l[0], 3)\n  stop\n", {}).outcome;  // AT.3
  REQUIRE(unset.fault.has_value());
  CHECK(launch::name_of(unset.fault->kind) == launch::name_of(FaultKind::UninitialisedCell));
}

TEST_CASE("typed instructions ask the premises of rules.def, in this order", "[launch]") {
  const std::string operand = "MV.2+ BP.3+ ";  // of each operand: places, bases, indices, values
  const struct {
    std::string body;
    typed::Label pc;
    std::string said;
  } cases[] = {
      {"  i = 3\n", 0, "CT.1+ " + operand + operand + ", AS.1- , BP.1- "},
      {"  i = 3\n  j = i\n", 1, "CT.1- , AS.1+ " + operand + operand + ", BP.1- "},
      {"  i = j\n", 0, "CT.1- , AS.1+ " + operand + "MV.2- , BP.1- "},
      {"  i = int(local_id)\n", 0, "CT.1- , AS.1- , BP.1+ " + operand + operand},
      {"  i = 1 / (int(local_id) - 1)\n", 0, "CT.1- , AS.1- , BP.1+ " + operand + "MV.2+ BP.3- "},
      {"  i = ld a[local_id]\n", 0, operand + operand + operand + "LD.3+ MM.2+ "},
      {"  i = ld a[local_id + 5ul]\n", 0, operand + operand + operand + "LD.3- "},
      {"  i = ld a[j]\n", 0, operand + operand + "MV.2- "},
      {"  st a[local_id] = 1\n", 0, operand + operand + operand + "ST.4+ "},
      {"  st a[local_id + 5ul] = 1\n", 0, operand + operand + operand + "ST.4- "},
      {"  st a[0] = j\n", 0, operand + operand + "MV.2- "},
      {"  atomic.add(a[local_id], 1)\n", 0, operand + operand + operand + "AT.2+ AT.3+ "},
      {"  i = atomic.compare(a[0], 1, 2)\n", 0, operand + operand + operand + operand + "AT.2+ AT.3+ "},
      {"  atomic.add(a[local_id + 5ul], 1)\n", 0, operand + operand + operand + "AT.2- "},
      {"  atomic.compare(a[0], j, 2)\n", 0, operand + operand + "MV.2- "},
      {"  i = shfl.active(j, 4)\n", 0, operand},
      {"  i = any.active(3)\n", 0, operand + "SVA.2+ "},
      {"  i = 0\n  j = shfl.active(i, 4)\n  i = any.active(j)\n", 2, operand + "SVA.2- "},
      {"  call f(3)\n  stop\n.function void f(int x)\n  ret\n", 0, operand},
      {"  call f(3)\n  stop\n.function void f(int x)\n  ret\n", 2, "RET.2+ RET.3+ RET.4+ " + operand},
      {"  call f(3)\n  stop\n.function void f(int x)\n  everywhere\n  ret\n", 3, "RET.2+ RET.3- "},
      {"  call f(3)\n  stop\n.function void f(int x)\n  bz 0, L\nL:  ret\n", 3, "RET.2- "},
      {"  ret\n", 0, "RET.2+ RET.3+ RET.4- "},
      {"  barrier\n", 0, ""},
  };
  for (const auto& c : cases) {
    INFO(c.body);
    auto program = typed::parse(std::make_shared<const SourceFile>("t.mus", ".typed\n.wg_size 4\n" + head + c.body + "  stop\n"));
    REQUIRE(program.has_value());
    const auto arguments = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7})});
    KernelRun run(std::make_shared<const typed::Program>(std::move(*program)), arguments, {}, false);
    while (run.pack().fragments()[run.pack().present_fragment()].state.pc != c.pc) {
      REQUIRE(run.step());
    }
    std::string said;
    for (const launch::CandidateReport& candidate : run.pack().explain()) {
      said += said.empty() ? "" : ", ";
      for (const auto& premise : candidate.premises) {
        said += std::string(musimd::name(premise.rule)) + "." + std::to_string(premise.number) + (premise.holds ? "+ " : "- ");
      }
    }
    CHECK(said == c.said);
  }
}

TEST_CASE("a typed program that is stuck is told the premises that no rule has", "[launch]") {
  const struct {
    std::string body;
    unsigned line;  // in the body
    std::vector<std::string> reasons;
  } cases[] = {
      {"  sync\n  stop\n", 1, {"SS wants Π = (at, done, l, todo) : Π'", "SI.sync wants Π = (at, done, l, todo) : Π'"}},
      {"  end_everywhere\n  stop\n", 1, {"EE wants Λ = (Θ', Π') : Λ'"}},
      {"  everywhere\n  bz local_id < 2ul, L\nL:  end_everywhere\n  stop\n", 3, {"EE wants every entry of Π has done = ∅ and todo = ∅"}},
      {"  bz local_id < 2ul, L\nL:  stop\n", 2, {"SP wants Π = []"}},
      {"  everywhere\n  stop\n", 2, {"SP wants Λ = []"}},
      {"  jmp_mask 1, L\nL:  stop\n", 1, {"BA wants Λ = (Θ', Π') : Λ'", "BI wants Λ = (Θ', Π') : Λ'"}},
      {"  everywhere\n  jmp_mask local_id, L\nL:  stop\n",
       2,
       {"BA wants e is the same number in every t ∈ Θ", "BI wants e is the same number in every t ∈ Θ"}},
      {"  everywhere\n  jmp_mask 0x8000000000000000ul + local_id, L\nL:  stop\n", 2, {"BA wants e is the same number in every t ∈ Θ"}},
      {"  call f()\n  stop\n.function void f()\n  bz local_id < 2ul, L\nL:  ret\n", 5, {"RET wants Π = []"}},
      {"  call f()\n  stop\n.function void f()\n  everywhere\n  ret\n", 5, {"RET wants |Λ| is as at the call"}},
      {"  bz 1, L\nL:  call f()\n  sync\n  stop\n.function void f()\n  sync\n  ret\n", 6, {"SS wants Π", "SI.sync wants Π"}},
  };
  for (const auto& c : cases) {
    INFO(c.body);
    for (const unsigned warp_size : {0U, 3U}) {  // the first three items diverge wherever all four do
      launch::LaunchOptions options;
      options.warp_size = warp_size;
      const auto [outcome, line] = run_text(".kernel k(global int* a)\n" + c.body, options);
      REQUIRE(outcome.fault.has_value());
      CHECK(outcome.fault->kind == FaultKind::Stuck);
      CHECK(line == c.line + 3);  // behind the lines of the head
      for (const std::string& reason : c.reasons) {
        INFO(outcome.fault->message);
        CHECK(outcome.fault->message.find(reason) != std::string::npos);
      }
    }
  }
}

TEST_CASE("control that runs off the end of a typed program is stuck", "[launch]") {
  const launch::Outcome outcome = run(".kernel k(global int* a)\n  st a[0] = 1\n");
  REQUIRE(outcome.fault.has_value());
  CHECK(outcome.fault->kind == FaultKind::Stuck);
}

TEST_CASE("a declaration forgets the values of the items that come by", "[launch]") {
  const std::string forget_some = head + "  i = 5\n  bz local_id < 2ul, L\n  forget i\nL:  sync\n  bz local_id >= 2ul, M\n";
  CHECK_FALSE(run(forget_some + "  st a[local_id] = i\nM:  sync\n  stop\n").fault.has_value());
  const launch::Outcome outcome = run(forget_some + "M:  sync\n  st a[local_id] = i\n  stop\n");
  REQUIRE(outcome.fault.has_value());
  CHECK(launch::name_of(outcome.fault->kind) == "uninitialised-variable");
  CHECK(outcome.fault->party.item == 0);
}

TEST_CASE("a shuffle from an item that has written nothing gives poison", "[launch]") {
  const launch::Outcome outcome = run(head +
                                      "  bz local_id < 2ul, L\n  i = 7\nL:  sync\n  j = shfl(i, 3)\n"
                                      "  bz j, M\nM:  sync\n  stop\n");
  REQUIRE(outcome.fault.has_value());
  CHECK(launch::name_of(outcome.fault->kind) == "poison-branch");
}
