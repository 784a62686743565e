#pragma once
// What may notice a fault in C++ for AVX512: random kernels, compiled and run.

#include "tests/mutation/checks.hpp"

namespace lockstep::test {

/// Of many kernels, only those are compiled that look otherwise with the planted fault than without it: what is the same says nothing.
Check avx512_check();

}  // namespace lockstep::test
