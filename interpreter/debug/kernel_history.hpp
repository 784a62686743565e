#pragma once
// A launch of kernels that can be visited at any step.

#include "interpreter/debug/kernel_run.hpp"
#include "interpreter/debug/launch_history.hpp"

namespace lockstep {

using KernelHistory = LaunchHistory<KernelRun>;

}  // namespace lockstep
