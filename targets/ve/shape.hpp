#pragma once
// The options that shape the C of ve and of ve-host.

#include <vector>

#include "codegen/emit/ve/emit.hpp"
#include "targets/option.hpp"
#include "targets/target.hpp"

namespace lockstep::targets {

std::vector<Option> ve_shape_options();
emit_ve::EmitOptions ve_shape_of(const Asked& asked);

/// How campaigns shape it: by the kernel's number, so that a seed's kernels are those of other targets.
void choose_ve_shape(Shape& shape, generate::Choices& choices);

}  // namespace lockstep::targets
