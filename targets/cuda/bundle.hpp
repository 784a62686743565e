#pragma once
// What goes around emitted CUDA C++ in a bundle: a Makefile that compares and measures on a GPU, and compares without one.

#include "codegen/emit/cuda/emit.hpp"
#include "targets/target.hpp"

namespace lockstep::targets {

Surroundings cuda_surroundings(const infreg::Kernel& kernel, const InPacks& in_packs, const emit_cuda::EmitOptions& options);

}  // namespace lockstep::targets
