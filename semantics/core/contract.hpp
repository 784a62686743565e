#pragma once
// Contraction of products and sums into fused operations, a part of the language (docs/kernel-language.md).

#include <optional>

#include "semantics/core/tree.hpp"

namespace lockstep::core {

/// The fused operation that the float or double sum or difference `operate` is, if one of its operands is a product of its type: the left
/// one of two. x*y+z and z+x*y are fma(x,y,z), x*y-z is fma(x,y,-z), z-x*y is fma(-x,y,z). Empty for anything else. A product behind a
/// conversion, a negation, `?:`, a variable or a call is none. May add the negation to function.expressions.
std::optional<Operate> contracted(Function& function, const Operate& operate);

}  // namespace lockstep::core
