#pragma once
// Breakpoints and watches of PTX.

#include "interpreter/debug/launch_stops.hpp"
#include "interpreter/debug/ptx/expression.hpp"
#include "interpreter/debug/ptx/history.hpp"

namespace lockstep {

using PtxBreakpoint = AnyBreakpoint<PtxExpression>;
using PtxStops = LaunchStops<PtxHistory, PtxExpression>;

inline PtxMoment moment_of(const PtxHistory& history) { return {PtxView(history.run()), history.position()}; }

}  // namespace lockstep
