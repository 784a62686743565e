#pragma once
// Breakpoints and watches of kernels.

#include "interpreter/debug/kernel/expression.hpp"
#include "interpreter/debug/kernel/history.hpp"
#include "interpreter/debug/launch_stops.hpp"

namespace lockstep {

using KernelBreakpoint = AnyBreakpoint<KernelExpression>;
using KernelStops = LaunchStops<KernelHistory, KernelExpression>;

inline KernelMoment moment_of(KernelHistory& history) {
  return {KernelView(history.run().pack()), history.run().arguments().values, history.position()};
}

}  // namespace lockstep
