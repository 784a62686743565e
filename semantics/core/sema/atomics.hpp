#pragma once
// Atomic functions: which there are, and what a call of one becomes.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

bool is_atomic(std::string_view name);

/// All of them, in alphabetical order.
std::span<const std::string_view> atomic_names();

/// Nothing where an error was reported. Orders and scopes are looked at, but say nothing: each function is done as relaxed as may be, and
/// that a place which is changed atomically is met otherwise without a barrier between is a race.
std::optional<ExprId> atomic_call(FunctionContext& context, const syntax::Name& name, std::vector<ExprId> arguments, SourceSpan span);

}  // namespace lockstep::core::sema
