#pragma once
// Assignments as people read them: listing (b) of the borG paper's Example 2.

#include <string>

#include "codegen/passes/assignments.hpp"

namespace lockstep::passes {

/// C-like text, one assignment a line, a mask in front of it: `if_2 ? b[ix] = t + c[ix];`. For people only; it is not read back. Variables
/// of one name are told apart by numbers ("x.2").
std::string print(const Assignments& assignments);

}  // namespace lockstep::passes
