#pragma once

#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// Computes in front of a loop what is the same in all its rounds: operations that are defined whatever their operands are, and loads that
/// the loop is certain to come to, of memory that it does not write. Returns whether anything changed.
bool hoist_invariants(infreg::Kernel& kernel);

}  // namespace lockstep::passes::clean
