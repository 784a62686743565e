#pragma once
// The forms that are one instruction, or none. Inside the reorderings only.

#include <optional>

#include "codegen/emit/avx512/permute_pattern.hpp"

namespace lockstep::emit_avx512 {

/// One way to bring about a pattern of at most two sources.
struct Single {
  Form form = Form::Anything;
  std::optional<Step> step = {};                 ///< none: no instruction
  std::optional<IndexVector> index_vector = {};  ///< that the step's `index` speaks of
  double cycles = 0;                             ///< its constants included
};

/// The cheapest one that is allowed. The pattern has at most two sources.
Single cheapest_single(const Pattern& pattern, const Allowed& allowed);

/// What a step costs: its instruction and, if it has one, its mask.
double cycles(const Step& step, unsigned register_bits);

}  // namespace lockstep::emit_avx512
