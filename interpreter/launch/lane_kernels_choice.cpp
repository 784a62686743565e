#include "interpreter/launch/lane_kernels.hpp"
#include "interpreter/store/instruction_set.hpp"

namespace lockstep::launch {

extern const LaneKernels lane_kernels_baseline;
#ifdef __x86_64__
extern const LaneKernels lane_kernels_v3;
extern const LaneKernels lane_kernels_v4;
#endif

const LaneKernels& lane_kernels() {
#ifdef __x86_64__
  static const InstructionSet level = instruction_set();
  if (level != InstructionSet::Baseline) {
    return level == InstructionSet::V4 ? lane_kernels_v4 : lane_kernels_v3;
  }
#endif
  return lane_kernels_baseline;
}

}  // namespace lockstep::launch
