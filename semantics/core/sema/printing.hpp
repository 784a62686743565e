#pragma once
// printf (OpenCL C 1.2, 6.12.13): the arguments against the format, and what a call leaves in the buffer (base/print_format.hpp).

#include <optional>
#include <span>
#include <string_view>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

bool is_printf(std::string_view name);

/// A call, whose value is the int 0. Where there is no buffer it only computes its arguments, and a warning says so once. Empty where an
/// error was reported.
std::optional<ExprId> printf_call(FunctionContext& context, const syntax::Name& name, std::span<const ExprId> arguments, SourceSpan span);

}  // namespace lockstep::core::sema
