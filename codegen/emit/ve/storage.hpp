#pragma once
// Which values share the vectors that they lie in.

#include <vector>

#include "codegen/emit/ve/plan.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

/// For each value the one whose storage it has, itself for most: of those that share it is the first one that is there. A loop's results
/// lie where its arguments do. So does what it begins with, if nobody else wants that, and the next round's value, if it is computed when
/// the present one is not read any more.
std::vector<infreg::ValueId> storage_of(const infreg::Kernel& kernel, const Plan& plan);

/// For each of those the one whose name is kept: what a loop carries has the kernel's name for it.
std::vector<infreg::ValueId> names_of(const infreg::Kernel& kernel, const std::vector<infreg::ValueId>& storage);

}  // namespace lockstep::emit_ve
