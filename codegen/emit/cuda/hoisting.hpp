#pragma once
// Numbers of a small loop that are the same in each round of a loop around it.

#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_cuda {

/// The kernel with such loads, and what they are converted to, in front of the outer loop: all rounds of the inner one at once, each a
/// register. That is done in loops that store nothing and whose rounds are known, so that each load is done there anyway; compilers do not
/// do it for themselves, since they do not know that what stands in front of a load comes to an end.
infreg::Kernel with_hoisted_loads(infreg::Kernel kernel);

}  // namespace lockstep::emit_cuda
