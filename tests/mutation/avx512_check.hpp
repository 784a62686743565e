#pragma once
// What may notice a fault in C++ for AVX512: random kernels, compiled and run.

#include "tests/mutation/checks.hpp"

namespace lockstep::test {

Check avx512_check();

}  // namespace lockstep::test
