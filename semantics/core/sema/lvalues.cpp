// Places: subscripts, * and &, and what changes them. C99 6.5.2.1, 6.5.2.4, 6.5.3.1, 6.5.3.2, 6.5.16.

#include <array>

#include "semantics/core/sema/constants.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/records.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;
using syntax::UnaryOp;

AddressSpace space_of(const Function& function, const Expr& place) {
  if (place.type.is_array()) {
    return place.type.space;
  }
  if (const auto* var = std::get_if<Var>(&place.node)) {
    return function.variables[var->id].space;
  }
  if (const auto* subscript = std::get_if<Subscript>(&place.node)) {
    return function.at(subscript->base).type.space;
  }
  return AddressSpace::Constant;
}

bool is_const(const Function& function, const Expr& place) {
  if (place.type.is_array()) {
    return place.type.is_const;
  }
  if (const auto* var = std::get_if<Var>(&place.node)) {
    return function.variables[var->id].is_const;
  }
  if (const auto* subscript = std::get_if<Subscript>(&place.node)) {
    const Type& whole = function.at(subscript->base).type;
    const auto* number = std::get_if<Literal>(&function.at(subscript->index).node);
    return whole.is_const || (whole.is_record() && number != nullptr && whole.record->members[number->bits].is_const);
  }
  return true;
}

/// Why the place may not be written, and where it was said so.
void report_const(FunctionContext& context, const Expr& place) {
  Reporter& reporter = context.unit.reporter;
  if (space_of(context.function, place) == AddressSpace::Constant) {
    reporter.error(place.span, "__constant memory cannot be written");
  } else if (const auto* var = std::get_if<Var>(&place.node)) {
    const Variable& variable = context.function.variables[var->id];
    reporter.error(place.span, quoted(variable.name) + " is const and cannot be changed", {note(variable.span, "it is declared here")});
  } else {
    const auto& subscript = std::get<Subscript>(place.node);
    reporter.error(place.span,
                   "this is const and cannot be changed; the type is '" + name_of(context.function.at(subscript.base).type) + "'");
  }
}

/// Components of a vector that may be changed.
bool are_changeable(FunctionContext& context, const Vector& components) {
  for (const ExprId part : components.parts) {
    const Expr place = context.function.at(part);
    if (is_const(context.function, place)) {
      report_const(context, place);
      return false;
    }
  }
  return true;
}

/// The place that an assignment, ++ or -- changes.
Checked check_changeable(FunctionContext& context, const syntax::Expr& expr) {
  const Checked place = check_expression(context, expr);
  if (!place) {
    return std::nullopt;
  }
  if (const auto vector = context.vectors.find(*place); vector != context.vectors.end()) {
    const Vector components = vector->second;
    if (!components.is_place) {
      context.unit.reporter.error(expr.span, "only components of a variable or element can be changed, each of them once");
      return std::nullopt;
    }
    return are_changeable(context, components) ? place : std::nullopt;
  }
  const Expr& found = context.function.at(*place);
  if (!is_place(found)) {
    context.unit.reporter.error(expr.span, "only a variable, an element or what a pointer points to can be changed");
    return std::nullopt;
  }
  if (found.type.is_array() && !found.type.is_vector() && !found.type.is_record()) {
    context.unit.reporter.error(expr.span, "an array cannot be changed as a whole; assign its elements");
    return std::nullopt;
  }
  if (is_const(context.function, found)) {
    report_const(context, found);
    return std::nullopt;
  }
  if (found.type.is_record() && found.type.record->has_const) {
    context.unit.reporter.error(expr.span, "a '" + name_of(found.type) + "' has const members and cannot be changed as a whole");
    return std::nullopt;
  }
  return place;
}

ExprId old_value(FunctionContext& context, ExprId place) {
  const Expr& expr = context.function.at(place);
  return add(context, OldValue{}, expr.type, expr.span);
}

/// Whether it is part of a vector.
bool is_component(const FunctionContext& context, ExprId id) {
  const auto* subscript = std::get_if<Subscript>(&context.function.at(id).node);
  return context.vectors.contains(id) || (subscript != nullptr && is_vector(context, subscript->base));
}

void warn_if_outside(FunctionContext& context, const Type& array, ExprId index) {
  const std::expected<std::uint64_t, NotConstant> value = evaluate(context, index);
  const Expr& expr = context.function.at(index);
  const bool is_negative = value && is_signed(expr.type.scalar) && static_cast<std::int64_t>(*value) < 0;
  if (value && (is_negative || *value >= array.extents.front())) {
    const std::string shown = is_negative ? std::to_string(static_cast<std::int64_t>(*value)) : std::to_string(*value);
    context.unit.reporter.warning(expr.span, "the index " + shown + " lies outside the array, which has " +
                                                 counted(static_cast<std::size_t>(array.extents.front()), "element"));
  }
}

}  // namespace

bool is_place(const Expr& expr) {
  return std::holds_alternative<Var>(expr.node) || std::holds_alternative<Subscript>(expr.node) ||
         std::holds_alternative<GlobalConstant>(expr.node);
}

Checked element_at(FunctionContext& context, ExprId base, ExprId index, SourceSpan span) {
  const Type type = context.function.at(base).type;
  if (context.vectors.contains(base)) {  // nowhere yet: into an array, whose element it is
    const Vector value = components_of(context, base);
    const std::expected<std::uint64_t, NotConstant> number = evaluate(context, index);
    if (number && *number < value.parts.size() && value.before.empty()) {
      return value.parts[*number];
    }
    const VarId array = add_temporary(context, vector_type(type.scalar, type.components), span);
    const Checked stored = vector_assignment(context, variable(context, array, span), std::nullopt, base, span, span);
    const Checked found = stored ? element_at(context, variable(context, array, span), index, span) : std::nullopt;
    return found ? Checked(behind(context, std::array{as_effect(context, *stored)}, *found)) : std::nullopt;
  }
  if (type.is_array()) {
    warn_if_outside(context, type, index);
    std::vector<ExprId> before;
    const ExprId place = is_place(context.function.at(base)) ? base : place_of_value(context, before, base);
    return after(context, before, add(context, Subscript{place, index}, element(type), span));
  }
  const ExprId found = add(context, Subscript{base, index}, pointee(type), span);
  return is_view(type) ? member_at(context, found, 0, span) : found;
}

Checked check_subscript(FunctionContext& context, const syntax::Subscript& subscript, SourceSpan span) {
  const Checked base = check_expression(context, *subscript.base);
  const Checked index = check_expression(context, *subscript.index);
  if (!base || !index) {
    return std::nullopt;
  }
  const auto has_elements = [&](ExprId id) {
    const Type& type = context.function.at(id).type;
    return (type.is_array() && !type.is_record()) || type.is_pointer();
  };
  const bool exchanged = !has_elements(*base) && has_elements(*index);
  const ExprId whole = exchanged ? *index : *base;
  const ExprId number = exchanged ? *base : *index;
  if (!has_elements(whole)) {
    context.unit.reporter.error(subscript.base->span,
                                "only arrays and pointers have elements, but this is '" + name_of(context.function.at(whole).type) + "'");
    return std::nullopt;
  }
  if (!require_integer(context, number, "an index")) {
    return std::nullopt;
  }
  return element_at(context, whole, number, span);
}

Checked check_dereference(FunctionContext& context, const syntax::Expr& operand, SourceSpan span) {
  const Checked base = check_expression(context, operand);
  if (!base) {
    return std::nullopt;
  }
  const Type& type = context.function.at(*base).type;
  if ((!type.is_array() && !type.is_pointer()) || type.is_vector() || type.is_record()) {
    context.unit.reporter.error(span, "'*' needs a pointer, but its operand is '" + name_of(type) + "'");
    return std::nullopt;
  }
  return element_at(context, *base, add_integer(context, 0, ScalarType::Long, span), span);
}

Checked check_address_of(FunctionContext& context, const syntax::Expr& operand, SourceSpan span) {
  const Checked place = check_expression(context, operand);
  if (!place) {
    return std::nullopt;
  }
  if (std::holds_alternative<syntax::Member>(operand.node) && is_component(context, *place)) {
    context.unit.reporter.error(span, "the address of components cannot be taken; that of the vector can");
    return std::nullopt;
  }
  const Expr& found = context.function.at(*place);
  if (!is_place(found)) {
    context.unit.reporter.error(span, "'&' needs a variable or an element");
    return std::nullopt;
  }
  if (found.type.is_pointer()) {
    context.unit.reporter.error(span, "there are no pointers to pointers, so a pointer's address cannot be taken");
    return std::nullopt;
  }
  if (const auto* var = std::get_if<Var>(&found.node)) {
    Variable& variable = context.function.variables[var->id];
    if (variable.is_uniform) {
      context.unit.reporter.error(span, "the address of the uniform parameter " + quoted(variable.name) + " cannot be taken");
      return std::nullopt;
    }
    variable.address_taken = variable.address_taken || (variable.type.is_scalar() && variable.space == AddressSpace::Private);
  }
  const Type pointer = pointer_to(found.type, space_of(context.function, found), is_const(context.function, found));
  if (const auto* subscript = std::get_if<Subscript>(&found.node)) {
    const ExprId whole = subscript->base;
    const Type seen = context.function.at(whole).type;
    if (seen.is_record() && seen.record->seen_in) {
      return add(context, AddressOf{whole}, pointer_to(seen, pointer.space, pointer.is_const), span);
    }
  }
  return add(context, AddressOf{*place}, pointer, span);
}

Checked check_assignment(FunctionContext& context, const syntax::Assignment& assignment, SourceSpan span) {
  const Checked place = check_changeable(context, *assignment.left);
  Checked value = std::nullopt;
  if (place && assignment.op && is_vector(context, *place)) {
    const Checked right = check_value(context, *assignment.right);
    return right ? vector_assignment(context, *place, assignment.op, *right, span, assignment.op_span) : std::nullopt;
  }
  if (place && assignment.op) {
    // The place's old value is the left operand, read before the right one (docs/kernel-language.md: left to right).
    const ExprId old = old_value(context, *place);
    const Checked right = check_value(context, *assignment.right);
    value = right ? binary(context, *assignment.op, old, *right, span, assignment.op_span) : std::nullopt;
  } else {
    value = check_value(context, *assignment.right);
  }
  if (!place || !value) {
    return std::nullopt;
  }
  const Type type = context.function.at(*place).type;
  const Checked converted = convert_as_if_assigned(context, *value, type, "in this assignment");
  if (type.is_vector()) {
    return converted ? vector_assignment(context, *place, std::nullopt, *converted, span, assignment.op_span) : std::nullopt;
  }
  return converted ? Checked(add(context, Assign{*place, *converted}, type, span)) : std::nullopt;
}

Checked check_step(FunctionContext& context, const syntax::Unary& unary, SourceSpan span) {
  const Checked place = check_changeable(context, *unary.operand);
  if (!place) {
    return std::nullopt;
  }
  const bool is_increment = unary.op == UnaryOp::PreIncrement || unary.op == UnaryOp::PostIncrement;
  const bool yields_old = unary.op == UnaryOp::PostIncrement || unary.op == UnaryOp::PostDecrement;
  const syntax::BinaryOp op = is_increment ? syntax::BinaryOp::Add : syntax::BinaryOp::Sub;
  const ExprId one = add_integer(context, 1, ScalarType::Int, span);
  if (is_vector(context, *place)) {
    if (is_float(context.function.at(*place).type.scalar)) {  // OpenCL C 6.3.3
      context.unit.reporter.error(span, std::string(is_increment ? "'++'" : "'--'") + " of vectors is for integers, but this is '" +
                                            name_of(context.function.at(*place).type) + "'");
      return std::nullopt;
    }
    return vector_assignment(context, *place, op, one, span, span, yields_old);
  }
  const ExprId old = old_value(context, *place);
  const Checked value = binary(context, op, old, one, span, span);
  const Type type = context.function.at(*place).type;
  const Checked converted = value ? convert_as_if_assigned(context, *value, type, "in this assignment") : std::nullopt;
  return converted ? Checked(add(context, Assign{*place, *converted, yields_old}, type, span)) : std::nullopt;
}

}  // namespace lockstep::core::sema
