#include "interpreter/store/instruction_set.hpp"

namespace lockstep {

InstructionSet instruction_set() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0) {
    return InstructionSet::V4;
  }
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("fma") != 0) {
    return InstructionSet::V3;
  }
#endif
  return InstructionSet::Baseline;
}

}  // namespace lockstep
