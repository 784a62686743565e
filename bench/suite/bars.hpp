#pragma once
// What the AVX512 target is to reach, and whether it does: one thread, medians.

#include <string>
#include <vector>

#include "bench/suite/suite.hpp"

namespace lockstep::bench {

/// A thing that is asked for, with what was measured. A case is a kernel, a type, and a size: of matrices, or of the groups of item-wise
/// kernels.
struct Bar {
  std::string name;          ///< "against the best peer, geometric mean"
  bool is_hot = false;       ///< data that stay in the caches, or the whole batch
  bool is_fraction = false;  ///< of the machine's limit; else how many times as fast
  double asked = 0;
  double measured = 0;     ///< 0: nothing was
  double worst = 0;        ///< of all cases; of a bar for the least it is what was measured
  std::string worst_at;    ///< "gemm 12 double: clang++ loops"
  std::size_t cases = 0;   ///< that were measured
  std::size_t below = 0;   ///< cases that have less than is asked for
  std::size_t failed = 0;  ///< cases without a time, because the kernel could not be built or its results were wrong

  bool holds() const { return cases > 0 && failed == 0 && measured >= asked; }
};

/// Whose bars they are: the first of the options' targets that compiles; empty if there is none.
std::string target_of_bars(const SuiteResult& result);

/// All of them, also those for which nothing was measured. Of several packs the best one counts.
std::vector<Bar> bars(const SuiteResult& result);

}  // namespace lockstep::bench
