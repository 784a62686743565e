#pragma once
// LLVM's description of a target, made once for each thread and target: making one costs more than compiling a small kernel.

#include <expected>
#include <string>

#include "codegen/emit/llvm/target.hpp"

namespace llvm {
class TargetMachine;
}

namespace lockstep::emit_llvm {

/// `target`, with this host's names if its triple is empty, and with the features that every machine of the triple has that is worth
/// compiling for (a RISC-V without floating point is none).
Target resolved(const Target& target);

/// Belongs to the calling thread and lives as long as it. Code is relocatable; level is LLVM's, 0 to 3. Errors: a sentence about the
/// triple, the processor or the features; a machine that is not supported (docs/llvm.md), which LLVM might fail to compile for later.
std::expected<llvm::TargetMachine*, std::string> machine_for(const Target& target, unsigned level);

}  // namespace lockstep::emit_llvm
