#pragma once
// Arrays of which each element is a value by itself.

#include "codegen/passes/assignments.hpp"

namespace lockstep::passes {

/// An array that is touched at elements known by their numbers only, once loops are unrolled, becomes as many variables
/// (Variable::first_element): else a write to one of its elements would be a choice among all of them. Needs loop classes.
void part_elements(Assignments& assignments);

}  // namespace lockstep::passes
