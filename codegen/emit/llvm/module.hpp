#pragma once
// What is behind a Module. The holder of LLVM's objects is defined in emit.cpp; others reach them by these functions.

#include "codegen/emit/llvm/emit.hpp"

namespace llvm {
class Module;
}

namespace lockstep::emit_llvm {

/// Runs LLVM's passes at a level and writes object code, or assembly. Errors are sentences, LLVM's own complaints among them.
std::expected<std::string, std::string> compiled(llvm::Module& module, const Target& target, unsigned level, bool assembly);

}  // namespace lockstep::emit_llvm
