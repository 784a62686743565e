#pragma once
// What a step of a typed program can come to besides a next state without new poison, rule by rule: the table of docs/proofs.md, which is
// printed from here. That it is right, and complete, are the theorems `outcomes.typed.KIND`.

#include <string>
#include <string_view>

#include "semantics/musimd/rule_table.hpp"

namespace lockstep::prove {

struct Outcome {
  musimd::RuleId rule;
  bool makes_poison = false;  ///< where nothing was poison before
  /// "RET.2, RET.3": the first premise of the rule that fails is one of these, and no other rule applies.
  std::string_view stuck_by = {};
  /// The first premise that fails is one of these, of the rule or of what it reads.
  std::string_view undefined_by = {};
};

/// The row of a rule.
const Outcome& outcome(musimd::RuleId rule);

/// "RET.2"
std::string premise_name(musimd::RuleId rule, int number);

/// Whether `list`, as it stands in an Outcome, has the premise.
bool names(std::string_view list, std::string_view premise);

/// The rows as a table of Markdown.
std::string outcome_table();

}  // namespace lockstep::prove
