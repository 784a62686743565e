#pragma once
// A launch of PTX that can be visited at any step.

#include "interpreter/debug/launch_history.hpp"
#include "interpreter/debug/ptx/run.hpp"

namespace lockstep {

using PtxHistory = LaunchHistory<PtxRun>;

}  // namespace lockstep
