#pragma once
// Constant expressions: what array sizes, case labels and file-scope initialisers are made of.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// The part of an expression that keeps it from being constant, and why.
struct NotConstant {
  SourceSpan span;
  std::string reason;  ///< "'n' is not a constant"
};

/// The bits of the value of a scalar expression of the tree. Constant are numbers, operations on them, const variables with constant
/// initialisers and elements of __constant objects.
std::expected<std::uint64_t, NotConstant> evaluate(const FunctionContext& context, ExprId id);

/// The same for a place that wants a constant `what` ("the array size"); says so and returns nothing where it is none.
std::optional<std::uint64_t> require_constant(FunctionContext& context, ExprId id, const std::string& what);

/// C99 6.3.2.3: an integer constant expression with the value 0, which stands for the null pointer where a pointer is wanted. Variables,
/// const or not, are not part of such an expression.
bool is_null_constant(const FunctionContext& context, ExprId id);

/// Reads the digits of a floating constant, rounded once to `type`; empty if the number is too large.
std::optional<std::uint64_t> read_float(const std::string& digits, ScalarType type);

}  // namespace lockstep::core::sema
