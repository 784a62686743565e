#pragma once
// Two unsequenced changes of one object in one expression (C99 6.5, paragraph 2; docs/kernel-language.md makes them an error).

#include <span>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// Looks at a whole expression and reports the first pair of such changes. Variables are always recognised; elements where the indices are
/// the same constants or the same variables.
void check_sequencing(FunctionContext& context, ExprId id);

/// The same for the arguments of a crev call.
void check_sequencing(FunctionContext& context, std::span<const ExprId> arguments);

}  // namespace lockstep::core::sema
