#pragma once

#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// Turns loops whose rounds do nothing unless a condition of the whole pack holds, which then ends them: it is asked in front of the loop
/// and at the end of each round instead, at the same moments as before, and a round that there is needs no mask for it. Returns whether
/// anything changed.
bool turn_loops(infreg::Kernel& kernel);

}  // namespace lockstep::passes::clean
