#pragma once
// Which everywhere block each instruction stands in: condition 1 of well-formedness (docs/wellformed.md).

#include <cstdint>
#include <vector>

#include "semantics/musimd/syntax.hpp"

namespace lockstep::musimd {

/// In the place of a label: "none".
inline constexpr Label no_label = 0xffffffffU;

/// A step from one instruction to a successor.
struct Edge {
  Label from = 0;
  Label to = 0;
};

/// The everywhere blocks of a program, found by following Λ along every path from the first instruction.
struct Blocks {
  std::vector<bool> reachable;           ///< per pc, the end included
  std::vector<Label> innermost;          ///< per pc: the everywhere of the innermost open block, or no_label
  std::vector<Label> came_from;          ///< per reachable pc: its predecessor on a shortest path; no_label for the first
  std::vector<std::vector<Label>> ends;  ///< per pc of a reachable everywhere: the end_everywheres that close its block
  std::vector<Label> unopened;           ///< end_everywheres that are reached with no block open
  std::vector<Edge> conflicts;           ///< steps that arrive with other blocks open than an earlier path to the same pc

  /// Each reachable instruction has one sequence of open blocks, and each block has exactly one end. Then every everywhere
  /// dominates its end, and the blocks are properly nested.
  bool sound(const Program& program) const;
};

/// O(instructions).
Blocks find_blocks(const Program& program);

/// The pcs of a shortest path from the first instruction to `pc`, both included.
std::vector<Label> path_to(const Blocks& blocks, Label pc);

}  // namespace lockstep::musimd
