#pragma once
// Threads that have nothing more to do.

#include <optional>

#include "codegen/emit/cuda/plan.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_cuda {

/// The first condition without which a thread stores nothing, where no other lane ever wants something of it: `if (item < batch)` around a
/// whole kernel. Threads for which it does not hold can leave, and for the others it holds: what stands below needs no conditions of its
/// own. Lanes meet without them. The ways of everything else have been chosen.
std::optional<infreg::ValueId> staying_condition(const infreg::Kernel& kernel, const Plan& plan);

}  // namespace lockstep::emit_cuda
