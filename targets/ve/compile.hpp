#pragma once
// clang, which compiles emitted C for VE to object code.

#include <expected>
#include <functional>
#include <string>

#include "codegen/emit/ve/emit.hpp"
#include "codegen/host/compiler.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::targets {

struct VeRequest {
  host::Compiler clang;  ///< of find_clang
  unsigned level = 2;    ///< 1 to 3: -O2
  std::string scratch;   ///< the folder in which its files are made; empty: the system's
  std::function<bool()> is_cancelled;
};

/// The files that an emitted kernel consists of.
host::TextFile ve_source(const infreg::Kernel& kernel, const std::string& text);
std::vector<host::TextFile> ve_headers(const infreg::Kernel& kernel, const std::string& header);

/// The object file. Of a fault of LLVM's back end the sentence is the line that says which.
std::expected<std::string, host::CompileFailure> compile_ve(const infreg::Kernel& kernel, const emit_ve::Emitted& emitted,
                                                            const VeRequest& request);

}  // namespace lockstep::targets
