#pragma once
// Takes away what nobody reads.

#include "codegen/passes/assignments.hpp"

namespace lockstep::passes {

/// Removes assignments to variables that are never read, and then the loops that have become empty.
void remove_dead(Assignments& assignments);

}  // namespace lockstep::passes
