#pragma once
// Which runs compute several elements in a round of their loop, as these lie side by side in memory and are moved at once.

#include "codegen/emit/cuda/plan.hpp"

namespace lockstep::emit_cuda {

/// Sets the runs' widths and pieces, and Plan::wide.
void choose_widths(const infreg::Kernel& kernel, Plan& plan);

}  // namespace lockstep::emit_cuda
