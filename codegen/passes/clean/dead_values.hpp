#pragma once

#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// Takes away what nobody asks for: operations without effect, results of `if`, values that a loop carries for themselves alone, loops that
/// are sure to end and do nothing, objects. A `loop` stays, because it may not end. What is left is numbered in the order of the text.
/// Returns whether anything changed but numbers.
bool remove_dead_values(infreg::Kernel& kernel);

}  // namespace lockstep::passes::clean
