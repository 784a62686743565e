#pragma once
// What is behind a CompiledKernel. Not for users.

#include <string>
#include <vector>

#include "codegen/compile/compile.hpp"
#include "codegen/emit/llvm/jit.hpp"

namespace lockstep {

/// Everything about a compiled kernel that the cache keeps.
struct KernelFile {
  std::string name;
  unsigned wg_size = 1;
  unsigned wg_pack = 1;
  std::vector<KernelParameter> parameters;
  Diagnostics warnings;
  LoweringVerdict verdict;
  std::string object;  ///< object code
};

struct CompiledKernel::Code {
  KernelFile file;  ///< without the object code
  emit_llvm::Callable callable;
  unsigned threads = 1;  ///< from 1
  bool is_from_cache = false;
};

}  // namespace lockstep
