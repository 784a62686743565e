#pragma once
// Plain OpenCL C to PTX by clang, which needs no CUDA toolkit for it.

#include <expected>
#include <functional>
#include <string>

#include "codegen/host/compiler.hpp"
#include "targets/target.hpp"

namespace lockstep::targets {

/// The clang that `wanted` names, as words of a command, or else clang-19 or clang on the PATH. The error is a sentence: there is none.
std::expected<host::Compiler, std::string> find_clang(const std::string& wanted);

/// What is asked of clang besides the kernel.
struct ClangRequest {
  host::Compiler clang;
  unsigned level = 2;                            ///< -O
  std::string scratch = {};                      ///< the folder in which a temporary one is made; empty: the system's
  std::function<bool()> is_cancelled = nullptr;  ///< asked now and then; may be null
};

/// The PTX of a file of kernels: no product and sum is contracted, signed integers wrap, float's quotients and roots are rounded correctly.
std::expected<std::string, host::CompileFailure> compile_by_clang(const SourceKernel& kernel, const ClangRequest& request);

}  // namespace lockstep::targets
