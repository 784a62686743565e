#pragma once
// Breakpoints and watches of VE.

#include "interpreter/debug/launch_stops.hpp"
#include "interpreter/debug/ve/expression.hpp"
#include "interpreter/debug/ve/history.hpp"

namespace lockstep {

using VeBreakpoint = AnyBreakpoint<VeExpression>;
using VeStops = LaunchStops<VeHistory, VeExpression>;

inline VeMoment moment_of(const VeHistory& history) { return {VeView(history.run()), history.position()}; }

}  // namespace lockstep
