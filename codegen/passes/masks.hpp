#pragma once
// Third pass: control becomes masks.

#include "codegen/passes/assignments.hpp"

namespace lockstep::passes {

/// Replaces If, Block, Leave and Everywhere by masks at the assignments inside (borG paper, section 4.1), and gives each Loop the variable
/// that says which items are in it. Temporaries are assigned in all items, unless their right-hand side looks at the mask. The then-arm
/// still stands before the else-arm: the order of everything is the program's.
void propagate_masks(Assignments& assignments);

}  // namespace lockstep::passes
