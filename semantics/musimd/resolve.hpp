#pragma once
// What the parser can only do with the whole text: tying names after the last line.

#include <cstddef>
#include <string_view>
#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/utf8.hpp"
#include "semantics/musimd/syntax.hpp"

namespace lockstep::musimd {

/// So many errors are shown in one run.
inline constexpr std::size_t max_errors = 20;

using lockstep::first_bad_byte;

/// The jump at code[instruction] names `label`, or a number that is its pc already if `label` is empty.
struct UnresolvedTarget {
  std::size_t instruction;
  std::string_view label;
};

/// Sets the targets' pcs and label indices. Reports labels that are undefined or defined twice, numbers beyond the program and
/// shared cells that are defined twice. With `complete` false the text was not read to its end, and nothing is said that the
/// rest could refute. O(n log n).
void resolve(Program& program, const std::vector<UnresolvedTarget>& targets, bool complete, Diagnostics& all);

/// The errors in textual order; behind the first `max_errors` a note says that there are more.
Diagnostics limited(Diagnostics errors);

}  // namespace lockstep::musimd
