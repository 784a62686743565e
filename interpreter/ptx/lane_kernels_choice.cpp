#include <array>

#include "interpreter/ptx/lane_kernels.hpp"
#include "interpreter/store/instruction_set.hpp"

namespace lockstep::ptx_machine {

extern const LaneKernels lane_kernels_baseline;
#ifdef __x86_64__
extern const LaneKernels lane_kernels_v3;
extern const LaneKernels lane_kernels_v4;
#endif

std::span<const LaneKernels* const> all_lane_kernels() {
#ifdef __x86_64__
  static const std::array<const LaneKernels*, 3> all = {&lane_kernels_baseline, &lane_kernels_v3, &lane_kernels_v4};
  static const auto count = static_cast<std::size_t>(instruction_set()) + 1;
#else
  static const std::array<const LaneKernels*, 1> all = {&lane_kernels_baseline};
  static const std::size_t count = 1;
#endif
  return std::span(all).first(count);
}

const LaneKernels& lane_kernels() { return *all_lane_kernels().back(); }

}  // namespace lockstep::ptx_machine
