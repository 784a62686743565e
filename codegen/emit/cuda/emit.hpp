#pragma once
// The CUDA target: a kernel as CUDA C++ (docs/cuda.md), built straight from InfReg-IR. A lane of a warp is a work item, an element of a
// layout a register of its thread.
//
// The text of a kernel K defines K_kernel, for a grid of one dimension with blocks of K's 32 * warps threads: any number of blocks runs all
// packs. Where there is a CUDA runtime, it also defines the entry points that K.cuda.h declares.

#include <cstdint>
#include <expected>
#include <string>

#include "codegen/emit/cuda/limits.hpp"
#include "codegen/emit/cuda/plan.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_cuda {

struct EmitOptions {
  std::string symbol = {};  ///< a C++ identifier in place of the kernel's name; empty: that
  bool entries = true;      ///< with #include lines and entry points for hosts
  Choices choices = {};
};

struct Emitted {
  std::string source;         ///< KERNEL.cu
  std::string header;         ///< KERNEL.cuda.h
  std::string explain;        ///< what was chosen
  std::string entry_symbol;   ///< of the entry point for host pointers
  std::string kernel_symbol;  ///< of the __global__ function
  unsigned block_threads = 0;
  unsigned packs_of_block = 0;  ///< that a block runs at a time
};

/// Of a verified kernel.
std::expected<Emitted, Refusal> emit(const infreg::Kernel& asked, const EmitOptions& options = {});

}  // namespace lockstep::emit_cuda
