#pragma once
// Planted faults (semantics/base/mutants.hpp) in the rules: every Guard and Defined premise dropped or negated.

#include <cstddef>

#include "semantics/base/mutants.hpp"
#include "semantics/musimd/rule_table.hpp"

#ifdef LOCKSTEP_MUTANTS
#include <optional>
#endif

namespace lockstep::musimd {

#ifdef LOCKSTEP_MUTANTS

/// The premise whose answer is wrong; at most one of the two is set.
struct PremiseFault {
  std::optional<std::size_t> dropped;  ///< index into premise_table
  std::optional<std::size_t> negated;  ///< index into premise_table
};
inline PremiseFault premise_fault;

inline bool dropped(RuleId rule, int number) { return premise_fault.dropped == premise_index(rule, number); }
inline bool negated(RuleId rule, int number) { return premise_fault.negated == premise_index(rule, number); }

#else

constexpr bool dropped(RuleId, int) { return false; }
constexpr bool negated(RuleId, int) { return false; }

#endif

}  // namespace lockstep::musimd
