// Ends the program as skipped, before anything else happens, on a processor that does not have what the rest of it is compiled for. This
// file is compiled for every processor.
#include <cstdio>
#include <cstdlib>

namespace {

__attribute__((constructor(101))) void need_avx512() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("fma")) {
    std::puts("This processor has no AVX512 F, VL, DQ and BW: nothing was tested.");
    std::puts("counts: 0 passed, 0 failed, 1 skipped");
    std::fflush(stdout);
    std::_Exit(77);
  }
}

}  // namespace
