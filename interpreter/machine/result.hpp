#pragma once
// How a step and a run can end, each with its reason.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "semantics/base/lane_set.hpp"
#include "semantics/musimd/rule_table.hpp"
#include "semantics/musimd/state.hpp"
#include "semantics/musimd/syntax.hpp"

namespace lockstep {

/// One premise as it was asked in a state.
struct AskedPremise {
  musimd::RuleId rule = musimd::RuleId::SP;  ///< the premise's own rule: MV.2 may be asked on behalf of LD
  int number = 0;
  bool holds = false;
  LaneSet failing;     ///< the threads of Θ where it fails, for premises about threads
  std::string detail;  ///< the values it speaks of: "v3 is uninitialised", "e = 2 2 * 0"; may be empty
};

/// What a candidate rule's premises said, up to and including the first that fails.
struct CandidateReport {
  musimd::Fired rule;
  bool applies = false;
  std::vector<AskedPremise> premises;
};

/// `stop` ran.
struct Halted {};

/// No rule applies. `candidates` say which premise failed; empty when P[pc] holds no instruction.
struct Stuck {
  musimd::Label pc = 0;
  std::vector<CandidateReport> candidates;
};

/// A premise that has to be defined failed: the program's behaviour is undefined from here on.
struct Undefined {
  musimd::Fired rule;  ///< the candidate that asked
  AskedPremise premise;
  unsigned thread = 0;  ///< the first thread where it fails
};

/// A limit of the machine was reached. Steps: the next instruction was not tried. Memory: the store wrote nothing. Stacks: the
/// instruction that pushed one entry too many has done so. None of them counts as a step.
struct LimitReached {
  enum class What : std::uint8_t { Steps, Memory, Stacks };
  What what = What::Steps;
};

using Ending = std::variant<Halted, Stuck, Undefined, LimitReached>;

/// The word that `--json` uses for an ending: halted, stuck, error or limit.
std::string_view status_word(const Ending& ending);

/// One sentence without a final full stop; "" for Halted. Names rule, premise, thread and value.
std::string reason(const Ending& ending);

/// "BT.4 'Θn = ∅ …'", as messages name a premise.
std::string premise_text(musimd::RuleId rule, int number);

}  // namespace lockstep
