#pragma once
// Second pass: which arrays live in registers.

#include "codegen/passes/assignments.hpp"

namespace lockstep::passes {

/// Private objects become variables where every index is known for all items before the kernel runs, or is the same for the whole pack,
/// where no pointer to them is made, and where they are not too large for registers; their loads and stores become assignments. The others
/// stay in memory, as in the paper.
void promote_arrays(Assignments& assignments);

}  // namespace lockstep::passes
