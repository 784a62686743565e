#pragma once
// The same kernel for packs of another size.

#include "semantics/infreg/kernel.hpp"

namespace lockstep::infreg {

/// `kernel` with packs of `wg_pack` groups, nothing else changed: what stands in an operation speaks of one group, so that a body means the
/// same for each group at every size of the pack. Votes of the whole pack are over as many groups as the pack then has.
Kernel with_pack(Kernel kernel, std::uint32_t wg_pack);

}  // namespace lockstep::infreg
