#pragma once
// The control flow graph of a μ-SIMD program and control equivalence on it (Ferrante et al., as Definition 3.4 of the CREV
// paper uses it).

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "semantics/musimd/syntax.hpp"

namespace lockstep::musimd {

/// The pcs that may follow an instruction, the next one first. A range: for (Label next : successors(program, pc)).
struct Successors {
  std::array<Label, 2> to{};
  std::size_t count = 0;

  const Label* begin() const { return to.data(); }
  const Label* end() const { return to.data() + count; }
};

/// The node behind the last instruction; control that gets there has run off the end.
Label end_of(const Program& program);

/// Successors of pc < end_of(program): none for stop, {pc + 1, target} for bz and jmp_mask, {target} for jmp, {pc + 1} for all
/// others. A target beyond end_of(program) counts as end_of(program). That a sync may resume at its branch's target (rule SS)
/// is no edge of its own: the branch, which lies on every path to that sync, has an edge to the same place.
Successors successors(const Program& program, Label pc);

/// The dominator tree of a graph.
class DominatorTree {
 public:
  /// `successors[n]` are the nodes that node n has edges to; every edge counts from `root`. Lengauer and Tarjan's algorithm,
  /// O(edges · log nodes), without recursion.
  DominatorTree(const std::vector<std::vector<std::uint32_t>>& successors, std::uint32_t root);

  /// True if there is a path from the root to `node`.
  bool reachable(std::uint32_t node) const { return first_[node] != none; }

  /// True if every path from the root to `b` crosses `a`: always when there is no such path. O(1).
  bool dominates(std::uint32_t a, std::uint32_t b) const;

 private:
  static constexpr std::uint32_t none = 0xffffffffU;

  // The nodes that n dominates are those whose first_ lies in [first_[n], last_[n]].
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> last_;
};

/// Dominance and post-dominance between the instructions of a program. The graph's exit is reached from every stop and by
/// running off the end. Endless paths do not reach it and do not count: an instruction from which no path ends is post-dominated by
/// every instruction.
class ControlEquivalence {
 public:
  explicit ControlEquivalence(const Program& program);

  /// Every path from the first instruction to `b` crosses `a`.
  bool dominates(Label a, Label b) const { return forward_.dominates(a, b); }

  /// Every path from `b` to the exit crosses `a`.
  bool post_dominates(Label a, Label b) const { return backward_.dominates(a, b); }

  /// `first` dominates `last`, and `last` post-dominates `first`.
  bool equivalent(Label first, Label last) const { return dominates(first, last) && post_dominates(last, first); }

 private:
  DominatorTree forward_;
  DominatorTree backward_;
};

}  // namespace lockstep::musimd
