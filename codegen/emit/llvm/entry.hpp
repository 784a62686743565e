#pragma once
// The functions around a kernel's packs: the entry point, the loop over packs, the wrapper for callers that know no types.

#include <cstdint>

#include "semantics/infreg/kernel.hpp"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace lockstep::emit_llvm {

/// A declaration of `void NAME.SUFFIX(<the kernel's parameters>, i64 wg.ix, i64 num_groups, ptr scratch)`, internal.
llvm::Function* declare_body(llvm::Module& module, const infreg::Kernel& kernel, const char* suffix);

/// Defines K.range, and K or, with `call_wrapper`, K.call. `one`: the body for one group, or null if a pack is one group.
void define_entries(llvm::Module& module, const infreg::Kernel& kernel, llvm::Function& pack, llvm::Function* one,
                    std::uint64_t scratch_bytes, bool call_wrapper);

}  // namespace lockstep::emit_llvm
