#pragma once

#include <cstddef>

#include "semantics/base/diagnostic.hpp"
#include "semantics/musimd/syntax.hpp"

namespace lockstep::musimd {

/// `check` names at most this many errors, and at most this many warnings.
inline constexpr std::size_t max_findings = 20;

/// Well-formedness (Definition 3.4 of the CREV paper, extended; docs/wellformed.md). First errors, in the order of the text: each
/// begins with "condition N: ", or with "not decided: " if the program is too large to be judged, points at the instruction at fault, and
/// has as notes the path or the two paths that prove it. Then warnings, which do not make a program ill-formed: code that no path leads to,
/// and that the conditions do not look at. Each condition has at least one error if it is violated, except that condition 2 is asked only
/// of programs that satisfy condition 1, and condition 3 only of programs that satisfy both. Terminates on every program; time is nearly
/// linear in instructions × abstract stacks per instruction.
Diagnostics check(const Program& program);

/// True if `findings`, as `check` returned them, contain no error: the program is never stuck (it halts, meets undefined
/// behaviour, or runs on).
bool well_formed(const Diagnostics& findings);

/// True if `findings`, as `check` returned them, have "not decided: " and no other error: nothing wrong was found, but not all
/// was looked at. Such a program is not well_formed().
bool undecided(const Diagnostics& findings);

}  // namespace lockstep::musimd
