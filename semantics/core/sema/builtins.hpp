#pragma once
// The functions of the language itself: which there are, and what a call of one becomes.

#include <optional>
#include <span>
#include <string_view>

#include "semantics/base/fences.hpp"
#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

bool is_builtin(std::string_view name);

/// True for barrier and fences, which stand only as statements.
bool is_barrier(std::string_view name);

/// All of them, in alphabetical order.
std::span<const std::string_view> builtin_names();

/// A call of a builtin as a value; empty where an error was reported. barrier is none here.
std::optional<ExprId> builtin_call(FunctionContext& context, std::string_view name, std::vector<ExprId> arguments, SourceSpan span);

/// What is ordered where items wait for each other. Nothing where they do not, at fences, since what an item does is in order here anyway;
/// and where an error was reported.
std::optional<Fences> check_barrier(FunctionContext& context, const syntax::Call& call, SourceSpan span);

}  // namespace lockstep::core::sema
