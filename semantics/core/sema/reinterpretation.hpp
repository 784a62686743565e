#pragma once
// as_float, as_uchar4 and so on: the same bits as another type (OpenCL C 6.2.4).

#include <optional>
#include <span>
#include <string_view>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

bool is_reinterpretation(std::string_view name);

/// A call of one; empty where an error was reported.
std::optional<ExprId> reinterpreted(FunctionContext& context, const syntax::Name& name, std::span<const ExprId> arguments, SourceSpan span);

}  // namespace lockstep::core::sema
