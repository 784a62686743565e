#pragma once
// Planted faults, to see whether the tests notice. In the `mutants` binary (LOCKSTEP_MUTANTS) one fault at a time is
// switched on at run time; everywhere else these are the correct rules and nothing more.
// Faults: every Guard and Defined premise dropped or negated (they need no code of their own), and the effects of mutants.def.

#include <cstddef>

#include "semantics/musimd/rule_table.hpp"

#ifdef LOCKSTEP_MUTANTS
#include <optional>
#endif

namespace lockstep::musimd {

#ifdef LOCKSTEP_MUTANTS

enum class Mutant {
#define MUTANT(id, rule, text) id,
#include "semantics/musimd/mutants.def"
#undef MUTANT
};

/// The fault that is switched on; at most one of the three is set.
struct Fault {
  std::optional<std::size_t> dropped;  ///< index into premise_table
  std::optional<std::size_t> negated;  ///< index into premise_table
  std::optional<Mutant> effect;
};
inline Fault fault;

inline bool mutated(Mutant m) { return fault.effect == m; }
inline bool dropped(RuleId rule, int number) { return fault.dropped == premise_index(rule, number); }
inline bool negated(RuleId rule, int number) { return fault.negated == premise_index(rule, number); }

/// `correct`, unless the fault `id` is switched on.
#define LOCKSTEP_MUTATE(id, correct, faulty) (::lockstep::musimd::mutated(::lockstep::musimd::Mutant::id) ? (faulty) : (correct))

#else

constexpr bool dropped(RuleId, int) { return false; }
constexpr bool negated(RuleId, int) { return false; }
#define LOCKSTEP_MUTATE(id, correct, faulty) (correct)

#endif

}  // namespace lockstep::musimd
