#pragma once
// What the parser can only do with the whole text: tying names after the last line.

#include <cstddef>
#include <string_view>
#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/musimd/syntax.hpp"

namespace lockstep::musimd {

/// The jump at code[instruction] names `label`, or a number that is its pc already if `label` is empty.
struct UnresolvedTarget {
  std::size_t instruction;
  std::string_view label;
};

/// Sets the targets' pcs and label indices. Reports labels that are undefined or defined twice, numbers beyond the program and
/// shared cells that are defined twice. With `complete` false the text was not read to its end, and nothing is said that the
/// rest could refute. O(n log n).
void resolve(Program& program, const std::vector<UnresolvedTarget>& targets, bool complete, Diagnostics& all);

}  // namespace lockstep::musimd
