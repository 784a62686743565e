#pragma once
// The kernels' sources, as they stood in examples/borg and here when this was built.

#include <string_view>

#include "bench/suite/kernels.hpp"

namespace lockstep::bench {

/// OpenCL C; REAL is float or double.
std::string_view kernel_text(KernelId kernel);

/// loops.cl: NAME and BOUND are to be defined in front of it.
std::string_view loops_text();

}  // namespace lockstep::bench
