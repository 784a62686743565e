#pragma once
// Copies between __local and __global memory by all items of a group (OpenCL C 6.12.10). Here they are done when they begin; an event waits
// for nothing but the other items.

#include <optional>
#include <span>
#include <string_view>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// async_work_group_copy and async_work_group_strided_copy.
bool is_async_copy(std::string_view name);

/// A call of one; empty where an error was reported.
std::optional<ExprId> async_copy(FunctionContext& context, const syntax::Name& name, std::span<const ExprId> arguments, SourceSpan span);

}  // namespace lockstep::core::sema
