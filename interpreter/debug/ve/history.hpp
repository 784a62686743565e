#pragma once
// A call on VE that can be visited at any step.

#include "interpreter/debug/launch_history.hpp"
#include "interpreter/debug/ve/run.hpp"

namespace lockstep {

using VeHistory = LaunchHistory<VeRun>;

}  // namespace lockstep
