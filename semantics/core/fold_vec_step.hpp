#pragma once
// vec_step of a type (OpenCL C 6.11.1), which the grammar does not know as an argument.

#include "semantics/core/token.hpp"

namespace lockstep::core {

/// `vec_step(float3)` becomes the number 4; of an expression it stays a call.
void fold_vec_step(TokenList& list);

}  // namespace lockstep::core
