#pragma once
// The typing of Π: condition 2 of well-formedness (docs/wellformed.md). An abstract stack is the sequence of the branch pcs of
// the entries of Π since the start of the program or of the everywhere block.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "semantics/musimd/blocks.hpp"
#include "semantics/musimd/syntax.hpp"

namespace lockstep::musimd {

/// An abstract stack: index into StackForest.
using StackId = std::uint32_t;

/// Abstract stacks, each stored once, as a path to the root of a tree: one tree for the program outside of all blocks, one for
/// each everywhere block. Equal stacks of one block have equal ids.
class StackForest {
 public:
  /// The empty stack of the block that `everywhere` opens; no_label: outside of all blocks. A new one at each call.
  StackId empty_stack(Label everywhere);

  /// `stack` with an entry of `branch` on top.
  StackId push(StackId stack, Label branch);

  /// `stack` without its top entry; for an empty stack the stack itself.
  StackId pop(StackId stack) const { return nodes_[stack].below; }

  /// Number of entries.
  std::uint32_t depth(StackId stack) const { return nodes_[stack].depth; }

  /// The branch of the top entry; for an empty stack the everywhere of its block, or no_label.
  Label top(StackId stack) const { return nodes_[stack].label; }

  /// True if some entry of `stack` is one of `branch`. O(log depth) where `branch` occurs in few stacks, never more than O(depth).
  bool contains(StackId stack, Label branch) const;

  /// The branches of the entries, the lowest one first.
  std::vector<Label> entries(StackId stack) const;

  /// Number of stacks: the ids are 0 to size() - 1.
  std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    Label label;
    StackId below;
    StackId jump;  // some stack further below, chosen so that every depth is O(log depth) steps away
    std::uint32_t depth;
    StackId same_label;  // the stack made before this one with the same branch on top
  };

  StackId at_depth(StackId stack, std::uint32_t depth) const;

  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, StackId> pushed_;  // (stack, branch) to what push gave
  std::vector<StackId> last_with_;                     // per branch: the last stack with it on top
  std::vector<std::uint32_t> count_with_;              // per branch: how many stacks have it on top
};

/// A label with one of the abstract stacks that control can arrive with.
struct Configuration {
  Label pc = 0;
  StackId stack = 0;
  std::uint32_t from = 0;  ///< index of the configuration that this one was first reached from; the first one has itself
};

/// The abstract configurations that are reachable, and where the typing fails.
struct StackTyping {
  /// More configurations than this are not looked at: a program that is merely long has about one for each instruction.
  static std::size_t max_configurations(const Program& program);

  StackForest stacks;
  std::vector<Configuration> reached;      ///< in breadth-first order
  std::vector<std::uint32_t> empty_syncs;  ///< configurations in which a sync meets the empty stack
  std::vector<std::uint32_t> growing;      ///< configurations in which a branch would push a second entry of its own
  bool complete = true;                    ///< false: more than max_configurations, the first ones are here

  /// Every label has a finite set of stacks, and no sync meets the empty one.
  bool typed() const { return complete && empty_syncs.empty() && growing.empty(); }
};

/// The typing of a program whose blocks are sound. Almost linear in the number of configurations.
StackTyping type_stacks(const Program& program, const Blocks& blocks);

/// Indices of configurations: the way to `configuration` from the first one, both included; an everywhere block that was run to its
/// end is one step.
std::vector<std::uint32_t> path_to(const StackTyping& typing, std::uint32_t configuration);

}  // namespace lockstep::musimd
