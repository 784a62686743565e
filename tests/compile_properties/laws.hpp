#pragma once
// What compiled kernels owe to the interpreter (docs/kernel-language.md, docs/infreg-ir.md): the same bits, any NaN for a NaN, and anything
// for poison.

#include "tests/kernel_properties/trial.hpp"

namespace lockstep::test {

/// Lowered to InfReg-IR and evaluated. The salt chooses WG_PACK, 1 to 4, and the order in which crev serves; the verifier runs after every
/// pass. Kernels that recurse, race, or meet something undefined are left out.
Verdict lowering(const KernelTrial& trial);

/// And compiled by LLVM and called in this process. The salt also chooses LLVM's level and the lanes of a chunk.
Verdict llvm_code(const KernelTrial& trial);

/// The same two where pointers of one type point into one buffer; the pointers' distances are the salt's, too.
Verdict lowering_of_overlaps(const KernelTrial& trial);
Verdict llvm_code_of_overlaps(const KernelTrial& trial);

}  // namespace lockstep::test
