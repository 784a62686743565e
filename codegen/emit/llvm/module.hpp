#pragma once
// What is behind a Module. The holder of LLVM's objects is defined in emit.cpp; others reach them by these functions.

#include "codegen/emit/llvm/emit.hpp"

namespace llvm {
class Module;
}

namespace lockstep::emit_llvm {

/// Runs LLVM's passes at a level and writes object code, or assembly. LLVM's complaints are errors.
std::expected<std::string, Failure> compiled(llvm::Module& module, const Target& target, unsigned level, bool assembly);

}  // namespace lockstep::emit_llvm
