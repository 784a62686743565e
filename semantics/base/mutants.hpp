#pragma once
// Planted faults, to see whether the tests notice. In the `mutants` binary (LOCKSTEP_MUTANTS) one fault at a time is switched on at run
// time; everywhere else this is the correct code and nothing more. Faults in the premises of the rules need no code of their own
// (semantics/musimd/mutants.hpp); these are all others.

#ifdef LOCKSTEP_MUTANTS
#include <optional>
#include <type_traits>
#endif

namespace lockstep {

#ifdef LOCKSTEP_MUTANTS

enum class Mutant {
#define MUTANT(id, place, text) id,
#include "semantics/base/mutants.def"
#undef MUTANT
};

/// The fault that is switched on.
inline std::optional<Mutant> planted;

/// No constant has a fault.
constexpr bool mutated(Mutant m) { return !std::is_constant_evaluated() && planted == m; }

/// `correct`, unless the fault `id` is switched on. Only one of the two is evaluated.
#define LOCKSTEP_MUTATE(id, correct, faulty) (::lockstep::mutated(::lockstep::Mutant::id) ? (faulty) : (correct))

#else

#define LOCKSTEP_MUTATE(id, correct, faulty) (correct)

#endif

}  // namespace lockstep
