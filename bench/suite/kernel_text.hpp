#pragma once
// The kernels' sources, as they stood in examples/borg when this was built.

#include <string_view>

#include "bench/suite/kernels.hpp"

namespace lockstep::bench {

/// OpenCL C; REAL is float or double.
std::string_view kernel_text(KernelId kernel);

}  // namespace lockstep::bench
