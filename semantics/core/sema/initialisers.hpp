#pragma once
// = e and = {…}: C99 6.7.8, without designators.

#include <optional>
#include <string>
#include <vector>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// The values of an object of `type`, in the order of its elements: one for a scalar or pointer, else one for each element, those not
/// written out 0. A first extent of 0 stands for `[]` and is set to what the initialiser has. Empty where an error was reported.
std::optional<std::vector<ExprId>> check_initialiser(FunctionContext& context, const syntax::Initialiser& initialiser, Type& type,
                                                     const std::string& name);

}  // namespace lockstep::core::sema
