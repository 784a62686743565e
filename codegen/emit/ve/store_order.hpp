#pragma once
// Of lanes that meet in a cell the highest one wins (docs/infreg-ir.md).

#include "codegen/emit/ve/plan.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

/// Whether that is so for rows if element after element is stored, each in all lanes from the first to the last.
bool stores_in_order(const infreg::Kernel& kernel, const infreg::Store& store, infreg::Shape shape);

}  // namespace lockstep::emit_ve
