#pragma once
// Which loops are unrolled, kept rolled, or done for all elements at once.

#include "codegen/passes/assignments.hpp"

namespace lockstep::passes {

/// Sets For::loop_class and For::elements (borG paper, section 4.1, "Loop and Index Processing"). A loop is done for all elements at once
/// where nothing that a round does depends on another round: what is in the way is found by comparing indices symbolically.
void classify_loops(Assignments& assignments);

}  // namespace lockstep::passes
