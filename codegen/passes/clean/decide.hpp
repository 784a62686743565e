#pragma once

#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// Puts the branch of an `if` whose condition is a constant in its place, likewise the body of a `for` with one round, and takes away loops
/// without rounds. Returns whether anything changed.
bool decide_control(infreg::Kernel& kernel);

}  // namespace lockstep::passes::clean
