#pragma once
// What people ask a stepper to stop at.

#include <optional>
#include <string>
#include <vector>

#include "semantics/musimd/rule_table.hpp"
#include "semantics/musimd/syntax.hpp"

namespace lockstep {

/// Where a run stops. With `pcs`: where control is at one of them (and `condition`, if any, holds). With a `rule`: behind each step that
/// used it (and `condition` holds). With `watched`: where its value differs from before the step in some thread. With a `condition`
/// alone: where it has become true. Each is a property of a position and the step that led to it, so that a run backwards finds the
/// same stops.
template <class Expression>
struct AnyBreakpoint {
  int id = 0;
  bool temporary = false;
  std::string text;  ///< as people wrote it
  std::vector<musimd::Label> pcs;
  std::optional<musimd::RuleId> rule;
  std::optional<Expression> condition;
  std::optional<Expression> watched;
};

}  // namespace lockstep
