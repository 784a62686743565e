#include "interpreter/launch/lane_kernels.hpp"

namespace lockstep::launch {

extern const LaneKernels lane_kernels_baseline;
#ifdef __x86_64__
extern const LaneKernels lane_kernels_v3;
extern const LaneKernels lane_kernels_v4;
#endif

namespace {

const LaneKernels& best() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0) {
    return lane_kernels_v4;
  }
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("fma") != 0) {
    return lane_kernels_v3;
  }
#endif
  return lane_kernels_baseline;
}

}  // namespace

const LaneKernels& lane_kernels() {
  static const LaneKernels& chosen = best();
  return chosen;
}

}  // namespace lockstep::launch
