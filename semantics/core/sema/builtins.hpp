#pragma once
// The functions of the language itself: which there are, and what a call of one becomes.

#include <optional>
#include <span>
#include <string_view>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

bool is_builtin(std::string_view name);

/// True for barrier, which stands only as a statement.
bool is_barrier(std::string_view name);

/// All of them, in alphabetical order.
std::span<const std::string_view> builtin_names();

/// A call of a builtin as a value; empty where an error was reported. barrier is one here.
std::optional<ExprId> check_builtin_call(FunctionContext& context, const syntax::Call& call, SourceSpan span);

/// The flags of a barrier are looked at, but mean nothing: it always orders everything. False where an error was reported.
bool check_barrier(FunctionContext& context, const syntax::Call& call, SourceSpan span);

}  // namespace lockstep::core::sema
