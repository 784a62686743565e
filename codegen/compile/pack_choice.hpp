#pragma once
// How many groups the LLVM target should have in a pack: a model of what a pack costs, from the kernel's operations alone.
//
// An operation on a value of k chunks (vectors of the target) costs k, times the rounds of the loops around it; a loop whose rounds are not
// known counts as 16. That is the work W of a pack. To it come
//   - for a value of more chunks than the target keeps in registers one by one, which lies in memory (docs/llvm.md): three times its
//   chunks;
//   - for a load or store whose last chunk is not full, and therefore masked: 4;
//   - where A chunks are alive and there are only R < A registers: 0.3 (1 - R/A) of the operation.
// Operations also wait for each other. The longest chain of D operations takes 2 D, but a processor looks some 400 operations ahead, so
// that a short body hides behind its neighbours: 2 D min(1, W / 400) remains. The pack with the least (W + waiting) / WG_PACK is chosen; a
// bigger one has to promise 13 % less, because its code is longer. The numbers were fitted to what bench/compiled.cpp --packs measures.

#include <array>

#include "codegen/emit/llvm/target.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep {

inline constexpr std::array<unsigned, 4> pack_choices = {1, 2, 4, 8};

/// What one group costs in packs of `wg_pack`, by the model; about the number of vector instructions. The kernel's own WG_PACK does not
/// matter. `vector_bytes`: of the target's vectors.
double modelled_cost(const infreg::Kernel& kernel, unsigned wg_pack, unsigned vector_bytes);

/// One of pack_choices: the best by the model that leaves a pack at most 2^20 items and can be emitted (emit_llvm::fits), or 1.
unsigned choose_pack(const infreg::Kernel& kernel, const emit_llvm::Target& target = {});

}  // namespace lockstep
