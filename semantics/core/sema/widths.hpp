#pragma once
// Functions of OpenCL C that give what no argument has: upsample (6.12.3), numbers twice as wide, and vec_step (6.11.1), how many
// components.

#include <optional>
#include <span>
#include <string_view>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

bool is_of_widths(std::string_view name);

/// A call of one, of numbers or vectors. Empty where an error was reported.
std::optional<ExprId> widths_call(FunctionContext& context, const syntax::Name& name, std::span<const ExprId> arguments, SourceSpan span);

}  // namespace lockstep::core::sema
