#pragma once
// In which order a permuted crev call serves its callers.

#include <cstdint>
#include <vector>

#include "semantics/core/options.hpp"

namespace lockstep::core {

/// A permutation of 0 … wg_size-1, decided by crev_seed.
std::vector<std::uint64_t> crev_permutation(const Options& options);

}  // namespace lockstep::core
