#pragma once
// Expressions: from syntax to typed nodes. All functions say what is wrong themselves and then return nothing, so that whoever uses the
// result stays silent.

#include <optional>
#include <string>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// Any expression: a place, a value, an array, or a call that returns void.
std::optional<ExprId> check_expression(FunctionContext& context, const syntax::Expr& expr);

/// An expression where a value is wanted: a scalar or a pointer; arrays decay.
std::optional<ExprId> check_value(FunctionContext& context, const syntax::Expr& expr);

/// An expression for its effects: anything, also cast to void (which then leaves no node).
std::optional<ExprId> check_effect(FunctionContext& context, const syntax::Expr& expr);

/// Whether it is a place in memory or a variable.
bool is_place(const Expr& expr);

/// Whether evaluating it does anything but give a value.
bool has_effect(const Function& function, ExprId id);

/// Whether the value is of integer type, as `purpose` needs; says so if it is not.
bool require_integer(FunctionContext& context, ExprId value, const std::string& purpose);

/// Whether the value is a number or pointer, so that it is true or false; says so if it is not.
bool require_truth(FunctionContext& context, ExprId value);

/// A value of integer type; `purpose` is what it is for: "an array index".
std::optional<ExprId> check_integer(FunctionContext& context, const syntax::Expr& expr, const std::string& purpose);

/// `left op right` of C's binary operators on values, with conversions, pointer arithmetic and contraction.
std::optional<ExprId> binary(FunctionContext& context, syntax::BinaryOp op, ExprId left, ExprId right, SourceSpan span, SourceSpan op_span);

/// +, - and ~ of a value.
std::optional<ExprId> check_sign(FunctionContext& context, syntax::UnaryOp op, ExprId operand, SourceSpan span);

/// The unary operators.
std::optional<ExprId> check_unary(FunctionContext& context, const syntax::Unary& unary, SourceSpan span);

/// base[index] of checked parts.
std::optional<ExprId> element_at(FunctionContext& context, ExprId base, ExprId index, SourceSpan span);

/// base[index], also with the two exchanged (C99 6.5.2.1).
std::optional<ExprId> check_subscript(FunctionContext& context, const syntax::Subscript& subscript, SourceSpan span);

std::optional<ExprId> check_assignment(FunctionContext& context, const syntax::Assignment& assignment, SourceSpan span);

/// ++ and --, on either side.
std::optional<ExprId> check_step(FunctionContext& context, const syntax::Unary& unary, SourceSpan span);

/// *p and &x.
std::optional<ExprId> check_dereference(FunctionContext& context, const syntax::Expr& operand, SourceSpan span);
std::optional<ExprId> check_address_of(FunctionContext& context, const syntax::Expr& operand, SourceSpan span);

/// A call of a function or builtin as an expression.
std::optional<ExprId> check_call(FunctionContext& context, const syntax::Call& call, SourceSpan span);

/// crev f(…); empty where an error was reported.
std::optional<CrevCall> check_crev_call(FunctionContext& context, const syntax::Call& call, SourceSpan span);

/// The arguments of a call as values; empty if one of them is wrong (all are looked at).
std::optional<std::vector<ExprId>> check_arguments(FunctionContext& context, const syntax::Call& call);

/// A call of a function of the program with these arguments, which are converted to its parameters' types. Empty where an error was
/// reported.
std::optional<ExprId> call_of(FunctionContext& context, const Signature& function, std::vector<ExprId> arguments, SourceSpan span);

/// The operator as it is written: "<<".
std::string_view text_of(syntax::BinaryOp op);

}  // namespace lockstep::core::sema
