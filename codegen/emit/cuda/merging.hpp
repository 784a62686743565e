#pragma once
// Choices within choices.

#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_cuda {

/// Where a mask chooses between what another mask has chosen and the number that this one has left as well, one mask chooses for both:
/// m ? (c ? x : y) : y is m && c ? x : y.
infreg::Kernel with_merged_choices(infreg::Kernel kernel);

}  // namespace lockstep::emit_cuda
