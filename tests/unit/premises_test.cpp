// Which premises each candidate is asked, in which order, and what they say: on each side of each, and as printed. From rules.def, by hand.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "tests/unit/run_text.hpp"

using namespace lockstep;
using namespace lockstep::testing;
using musimd::RuleId;
using enum lockstep::musimd::Erratum;

namespace {

/// What the candidates of the last step that was tried said: "BT.3+ BT.4-, BF.3+ BF.4+". Without the first premises, that the instruction
/// is the rule's, but for those about the shape of an assigned expression.
class Answers : public Observer {
 public:
  Interest interest() const override { return {.premises = true, .stores_only = false}; }
  void asked(const Machine&, std::span<const CandidateReport> candidates) override {
    said.clear();
    for (const CandidateReport& candidate : candidates) {
      CHECK(candidate.applies == std::ranges::all_of(candidate.premises, &AskedPremise::holds));
      said += said.empty() ? "" : ",";
      for (const AskedPremise& premise : candidate.premises) {
        const bool is_shape = premise.rule == RuleId::CT || premise.rule == RuleId::AS || premise.rule == RuleId::BP;
        if (premise.number == 1 && !is_shape) {
          continue;
        }
        said += fmt::format(" {}.{}{}", musimd::name(premise.rule), premise.number, premise.holds ? '+' : '-');
      }
    }
    said.erase(0, said.starts_with(' ') ? 1 : 0);
  }

  std::string said;
};

/// At the last instruction of `text`, behind which enough stands that it can go on.
std::string asked(const std::string& text, musimd::AsPrinted printed = {}) {
  MachineOptions options;
  options.printed = std::move(printed);
  const std::string program = text + "\nL: stop\n";
  const std::size_t last = parse_text(program)->code.size() - 2;
  const auto machine = make_machine(program, std::move(options));
  Answers answers;
  machine->attach(answers);
  for (int step = 0; step < 100; ++step) {
    const bool is_there = machine->state().pc == last;
    machine->run(1);
    if (is_there) {
      return answers.said;
    }
  }
  return "never there";
}

}  // namespace

TEST_CASE("premises of bz", "[premises]") {
  CHECK(asked("bz 0, L") == "MV.2+ BP.2+ BT.3+ BT.4+, MV.2+ BP.2+ BF.3+ BF.4-, MV.2+ BP.2+ BD.3+ BD.4+ BD.5-");
  CHECK(asked("bz 1, L") == "MV.2+ BP.2+ BT.3+ BT.4-, MV.2+ BP.2+ BF.3+ BF.4+, MV.2+ BP.2+ BD.3+ BD.4-");
  CHECK(asked("bz tid, L") == "MV.2+ BP.2+ BT.3+ BT.4-, MV.2+ BP.2+ BF.3+ BF.4-, MV.2+ BP.2+ BD.3+ BD.4+ BD.5+");
  CHECK(asked("bz x, L") == "MV.2-, MV.2-, MV.2-");
  CHECK(asked("bz 1 / tid, L") == "MV.2+ BP.2-, MV.2+ BP.2-, MV.2+ BP.2-");
  CHECK(asked("p = shfl(tid, 9)\nbz p, L") == "MV.2+ BP.2+ BT.3-, MV.2+ BP.2+ BF.3-, MV.2+ BP.2+ BD.3-");
  CHECK(asked("bz tid, L", {E1}) == "MV.2+ BP.2+ BT.3+ BT.4-, MV.2+ BP.2+ BF.3+ BF.4-, MV.2+ BP.2+ BD.3+");
  CHECK(asked("bz 0, L", {E7}) == "BT.2-, BF.2-, BD.2-");
  CHECK(asked("bz tid, L", {E7}) == "BT.2+ MV.2+ BP.2+ BT.3+ BT.4-, BF.2+ MV.2+ BP.2+ BF.3+ BF.4-, BD.2+ MV.2+ BP.2+ BD.3+ BD.4+ BD.5+");
  CHECK(asked("bz 0, L", {E2}) == "MV.2+ BP.2+ BT.3+ BT.4+ BT.5+, MV.2+ BP.2+ BF.3+ BF.4-, MV.2+ BP.2+ BD.3+ BD.4+ BD.5-");
  CHECK(asked("bz 1, L", {E2}) == "MV.2+ BP.2+ BT.3+ BT.4-, MV.2+ BP.2+ BF.3+ BF.4+ BF.5+, MV.2+ BP.2+ BD.3+ BD.4-");
  CHECK(asked("bz tid, L", {E2}) == "MV.2+ BP.2+ BT.3+ BT.4-, MV.2+ BP.2+ BF.3+ BF.4-, MV.2+ BP.2+ BD.3+ BD.4+ BD.5+ BD.6+");
  // Threads 1 and 3 have come to the sync: the top entry's done set is not empty, and the printed push has no clause for it.
  const std::string second_arm = "bz tid & 1, X\nsync\nX: bz ";
  CHECK(asked(second_arm + "0, L", {E2}) == "MV.2+ BP.2+ BT.3+ BT.4+ BT.5-, MV.2+ BP.2+ BF.3+ BF.4-, MV.2+ BP.2+ BD.3+ BD.4+ BD.5-");
  CHECK(asked(second_arm + "1, L", {E2}) == "MV.2+ BP.2+ BT.3+ BT.4-, MV.2+ BP.2+ BF.3+ BF.4+ BF.5-, MV.2+ BP.2+ BD.3+ BD.4-");
  CHECK(asked(second_arm + "tid & 2, L", {E2}) == "MV.2+ BP.2+ BT.3+ BT.4-, MV.2+ BP.2+ BF.3+ BF.4-, MV.2+ BP.2+ BD.3+ BD.4+ BD.5+ BD.6-");
  // It looks at the top entry alone.
  CHECK(asked("bz 0, A\nA: " + second_arm + "0, L", {E2}) ==
        "MV.2+ BP.2+ BT.3+ BT.4+ BT.5-, MV.2+ BP.2+ BF.3+ BF.4-, MV.2+ BP.2+ BD.3+ BD.4+ BD.5-");
  CHECK(asked(second_arm + "tid & 2, L", {E1, E2}) == "MV.2+ BP.2+ BT.3+ BT.4-, MV.2+ BP.2+ BF.3+ BF.4-, MV.2+ BP.2+ BD.3+ BD.6-");
}

TEST_CASE("premises of the other control instructions", "[premises]") {
  CHECK(asked("sync") == "SS.2-, SI.sync.2-");
  CHECK(asked("bz 0, X\nX: sync") == "SS.2+ SS.3-, SI.sync.2+ SI.sync.3+");
  CHECK(asked("bz tid, X\nX: sync") == "SS.2+ SS.3+, SI.sync.2+ SI.sync.3-");
  CHECK(asked("stop") == "SP.2+ SP.3+");
  CHECK(asked("bz 0, X\nX: stop") == "SP.2-");
  CHECK(asked("everywhere\nstop") == "SP.2+ SP.3-");
  CHECK(asked("everywhere\nstop", {E8}) == "SP.2+");
  CHECK(asked("jmp L").empty());
  CHECK(asked("everywhere").empty());
  CHECK(asked("end_everywhere") == "EE.2-");
  CHECK(asked("everywhere\nend_everywhere") == "EE.2+ EE.3+");
  CHECK(asked("everywhere\nbz 0, X\nX: end_everywhere") == "EE.2+ EE.3+");
  CHECK(asked("everywhere\nbz tid, X\nX: end_everywhere") == "EE.2+ EE.3-");        // thread 0 waits
  CHECK(asked("everywhere\nbz tid, X\nsync\nX: end_everywhere") == "EE.2+ EE.3-");  // the others are done
  CHECK(asked("everywhere\nend_everywhere", {E3}) == "EE.2+ EE.4+");
  CHECK(asked("everywhere\nbz 0, X\nX: end_everywhere", {E3}) == "EE.2+ EE.4-");
  CHECK(asked("jmp_mask 0, L") == "BA.2-, BI.2-");
  CHECK(asked("everywhere\njmp_mask 0, L") == "BA.2+ MV.2+ BP.2+ BA.3+ BA.4+, BI.2+ MV.2+ BP.2+ BI.3+ BI.4-");
  CHECK(asked("everywhere\njmp_mask 4, L") == "BA.2+ MV.2+ BP.2+ BA.3+ BA.4-, BI.2+ MV.2+ BP.2+ BI.3+ BI.4+");
  CHECK(asked("everywhere\njmp_mask tid, L") == "BA.2+ MV.2+ BP.2+ BA.3-, BI.2+ MV.2+ BP.2+ BI.3-");
  CHECK(asked("everywhere\njmp_mask x, L") == "BA.2+ MV.2-, BI.2+ MV.2-");
  CHECK(asked("everywhere\njmp_mask 1 / tid, L") == "BA.2+ MV.2+ BP.2-, BI.2+ MV.2+ BP.2-");
}

TEST_CASE("premises of assignments and of memory", "[premises]") {
  CHECK(asked("v = 3") == "CT.1+, AS.1-, BP.1-");
  CHECK(asked("v = tid") == "CT.1-, AS.1+ MV.2+, BP.1-");
  CHECK(asked("v = x") == "CT.1-, AS.1+ MV.2-, BP.1-");
  CHECK(asked("v = tid + 1") == "CT.1-, AS.1-, BP.1+ MV.2+ BP.2+");
  CHECK(asked("v = x + 1") == "CT.1-, AS.1-, BP.1+ MV.2-");
  CHECK(asked("v = 1 / tid") == "CT.1-, AS.1-, BP.1+ MV.2+ BP.2-");
  CHECK(asked("v = 3", {E4}) == "IT.2-, IT.2-, IT.2-");
  CHECK(asked("everywhere\nv = 3", {E4}) == "IT.2+ CT.1+, IT.2+ AS.1-, IT.2+ BP.1-");
  CHECK(asked(".shared 0 : 7\nv = ld 0") == "MV.2+ BP.2+ LD.2+ MM.2+");
  CHECK(asked(".shared 0 : 7\nv = ld 1") == "MV.2+ BP.2+ LD.2+ MM.2-");
  CHECK(asked("v = ld x") == "MV.2-");
  CHECK(asked("v = ld 1 / tid") == "MV.2+ BP.2-");
  CHECK(asked("v = ld tid - 1") == "MV.2+ BP.2+ LD.2-");
  CHECK(asked("st 0 = 1") == "MV.2+ BP.2+ ST.3+ MV.2+ BP.2+");
  CHECK(asked("st x = 1") == "MV.2-");
  CHECK(asked("st 1 / tid = 1") == "MV.2+ BP.2-");
  CHECK(asked("st tid - 1 = 1") == "MV.2+ BP.2+ ST.3-");
  CHECK(asked("st 0 = x") == "MV.2+ BP.2+ ST.3+ MV.2-");
  CHECK(asked("st 0 = 1 / tid") == "MV.2+ BP.2+ ST.3+ MV.2+ BP.2-");
  CHECK(asked("st 0 = tid", {E7}) == "ST.2-");
  CHECK(asked("st tid = 0", {E7}) == "ST.2-");
  CHECK(asked("st tid = tid", {E7}) == "ST.2+ MV.2+ BP.2+ ST.3+ MV.2+ BP.2+");
}

TEST_CASE("premises of shfl", "[premises]") {
  CHECK(asked("v = shfl(tid, 0)") == "MV.2+ BP.2+ SV.4+ SV.5+, MV.2+ BP.2+ SI.shfl.4-");
  CHECK(asked("v = shfl(tid, 9)") == "MV.2+ BP.2+ SV.4-, MV.2+ BP.2+ SI.shfl.4+");
  CHECK(asked("v = shfl(w, 0)") == "MV.2+ BP.2+ SV.4+ SV.5-, MV.2+ BP.2+ SI.shfl.4+");
  CHECK(asked("v = shfl(tid, tid + 1)") == "MV.2+ BP.2+ SV.4+ SV.5+, MV.2+ BP.2+ SI.shfl.4+");  // by some threads each
  CHECK(asked("v = shfl(tid, x)") == "MV.2-, MV.2-");
  CHECK(asked("v = shfl(tid, 1 / tid)") == "MV.2+ BP.2-, MV.2+ BP.2-");
  CHECK(asked("v = shfl(tid, 0)", {E7}) == "SV.2-, SI.shfl.2-");
  CHECK(asked("v = shfl(tid, tid)", {E7}) == "SV.2+ MV.2+ BP.2+ SV.4+ SV.5+, SI.shfl.2+ MV.2+ BP.2+ SI.shfl.4-");
  CHECK(asked("v = shfl(w, 0)", {E10}) == "MV.2+ BP.2+ SV.3-, MV.2+ BP.2+ SI.shfl.3-");
  CHECK(asked("w = 1\nv = shfl(w, 0)", {E10}) == "MV.2+ BP.2+ SV.3+ SV.4+ SV.5+, MV.2+ BP.2+ SI.shfl.3+ SI.shfl.4-");
}
