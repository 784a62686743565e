#pragma once
// Packed instructions compute two floats of 32 bits for each element: two packs of groups side by side in one.

#include "codegen/emit/ve/plan.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

/// Whether each operation of a kernel, arranged in groups, has a packed form, or is one on numbers that all groups have alike.
bool has_pairs(const infreg::Kernel& kernel, const Plan& groups);

}  // namespace lockstep::emit_ve
