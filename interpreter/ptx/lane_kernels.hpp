#pragma once
// The loops of the instructions that compilers write most, compiled once for each instruction set that the host may have and chosen at
// start.

#include <span>

#include "interpreter/ptx/lane_key.hpp"
#include "interpreter/ptx/lane_operations.hpp"

namespace lockstep::ptx_machine {

struct LaneLoop;
using FindLoop = LaneLoop (*)(const LaneKey& key);

/// By function of forms.def, what finds the loop for a key.
struct LaneKernels {
  const char* name;  ///< "v4"
#define HOT(function) FindLoop function;
#define BOTH(function) HOT(function)
#define COLD(function)
#include "interpreter/ptx/lane_functions.def"
};

/// The best that this processor runs.
const LaneKernels& lane_kernels();
/// All that this processor runs, ascending; the last one is the best.
std::span<const LaneKernels* const> all_lane_kernels();

}  // namespace lockstep::ptx_machine
