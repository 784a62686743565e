#pragma once
// as_float, as_uchar4 and so on: the same bits as another type (OpenCL C 6.2.4).

#include <optional>
#include <span>
#include <string_view>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

ScalarType unsigned_of_size(std::size_t bytes);

/// A component's bits as an unsigned number of its size, and back.
ExprId bits_of_part(FunctionContext& context, ExprId part);
ExprId part_of_bits(FunctionContext& context, ExprId bits, ScalarType to);

/// Unsigned numbers of `to` bytes with the bits of `value`'s parts, which are of `from` bytes: the first bytes come first.
std::vector<ExprId> regrouped(FunctionContext& context, Vector& value, std::size_t from, std::size_t to);

bool is_reinterpretation(std::string_view name);

/// A call of one; empty where an error was reported.
std::optional<ExprId> reinterpreted(FunctionContext& context, const syntax::Name& name, std::span<const ExprId> arguments, SourceSpan span);

}  // namespace lockstep::core::sema
