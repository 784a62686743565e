#pragma once
// Statements and whole functions.

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// The statements of a block, in a scope that stands already.
void check_statements(FunctionContext& context, const std::vector<syntax::Stmt>& statements, Body& body);

}  // namespace lockstep::core::sema
