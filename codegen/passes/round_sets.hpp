#pragma once
// Index sets (borG paper, section 4.1, "Loop and Index Processing"): the rounds of a loop, divided so that those of a set can be done at
// once. Each round stands in the first set that lies behind all rounds which it has to wait for, so that rounds change places where
// nothing hinders them: `b[ix / 2] += c[ix / 2]` for ix = 0 .. 3 gives [[0, 2], [1, 3]].

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "codegen/passes/assignments.hpp"
#include "codegen/passes/bounds.hpp"
#include "codegen/passes/touches.hpp"

namespace lockstep::passes {

/// Numbers of scalars that are known: bits as literals have them.
using KnownNumbers = std::unordered_map<VarId, std::uint64_t>;

/// `known`, and the body's integer temporaries that follow from it.
KnownNumbers numbers_in(const Assignments& assignments, const Body& body, KnownNumbers known);

/// With numbers in place of the variables that are known.
Polynomial resolved(const Assignments& assignments, const KnownNumbers& known, const Polynomial& polynomial);

/// The sets, in the order in which they are done; empty if there are none that help: the rounds are not known when compiling, indices are
/// not known in each round, or one round after the other is as good. Sets whose rounds are not equally far apart are divided further.
/// O((rounds * touches)^2), at most some millions of steps.
std::vector<RoundSet> round_sets(const Assignments& assignments, const Bounds& bounds, const For& loop, const Touches& touches);

}  // namespace lockstep::passes
