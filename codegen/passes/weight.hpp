#pragma once
// How much a nest of counted loops becomes when it is unrolled.

#include <cstddef>
#include <optional>

#include "codegen/passes/assignments.hpp"

namespace lockstep::passes {

/// Assignments beyond which no loop is unrolled, unless a hint asks for it.
constexpr std::size_t most_unrolled = 512;

/// The assignments that the loop becomes when all its rounds are written one behind the other, those of the loops inside as well. It is
/// added up round by round, because an inner loop may begin or end at the variable of an outer one. A round counts as one assignment at
/// least, and there are never more than most + 1. Empty if some loop's bounds are no numbers.
std::optional<std::size_t> unrolled_weight(const For& loop, std::size_t most);

}  // namespace lockstep::passes
