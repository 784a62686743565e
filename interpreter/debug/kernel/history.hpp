#pragma once
// A launch of kernels that can be visited at any step.

#include "interpreter/debug/kernel/run.hpp"
#include "interpreter/debug/launch_history.hpp"

namespace lockstep {

using KernelHistory = LaunchHistory<KernelRun>;

}  // namespace lockstep
