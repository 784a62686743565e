#pragma once
// More than one form in one register: each brings the lanes of one or two sources, and masks put them together. Inside the reorderings
// only.

#include <optional>

#include "codegen/emit/avx512/permute_pattern.hpp"

namespace lockstep::emit_avx512 {

/// The cheapest merge of two parts or more; none if the pattern has fewer than two sources.
std::optional<Sequence> cheapest_merge(RegisterKind kind, const Pattern& pattern, const Allowed& allowed);

/// What the steps and the index vectors of a sequence cost together.
double cycles(const Sequence& sequence);

}  // namespace lockstep::emit_avx512
