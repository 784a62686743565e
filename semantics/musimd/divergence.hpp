#pragma once
// Divergence analysis: at which branches can the active threads disagree?

#include <optional>
#include <vector>

#include "semantics/musimd/blocks.hpp"
#include "semantics/musimd/stack_typing.hpp"
#include "semantics/musimd/syntax.hpp"

namespace lockstep::musimd {

/// The verdict on one instruction.
struct BranchDivergence {
  bool may_split = false;         ///< a `bz` that is not known to be uniform
  std::optional<VarId> variable;  ///< a variable in its condition that may differ between the active threads; none: `tid`, or not analysed
};

/// The result of divergence analysis.
struct Divergence {
  /// More words of 64 variables than this are neither stored nor, times 16, visited.
  static constexpr std::size_t max_words = std::size_t{1} << 23;

  std::vector<BranchDivergence> branches;  ///< per pc
  /// False if the program was too large for the bounds, or has unsound blocks or an untyped sync stack; then every `bz` may split.
  bool analysed = true;

  /// True if `pc` is a `bz` that takes rule BT or BF whenever it runs, never BD: from every initial Θ, β and Σ, up to the first
  /// undefined behaviour, with as many threads in Θall as the program says, or, unless it says 1, any number.
  bool uniform(const Program& program, Label pc) const;
};

/// Analyses any program.
Divergence analyse_divergence(const Program& program);

/// The same, where blocks and stacks are known already and in order.
Divergence analyse_divergence(const Program& program, const Blocks& blocks, const StackTyping& typing);

}  // namespace lockstep::musimd
