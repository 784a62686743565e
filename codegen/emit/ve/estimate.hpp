#pragma once
// How long a plan's function takes, in cycles of the model of a core (docs/ve-model.md): good enough to choose between two plans of one
// kernel before there is object code. What is known of it then is what the VE machine counts.

#include "codegen/emit/ve/plan.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

/// Of one call that works on so many lanes.
double cycles_of(const infreg::Kernel& kernel, const Plan& plan, unsigned lanes);

}  // namespace lockstep::emit_ve
