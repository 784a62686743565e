// Operators on vectors (OpenCL C 6.3), conversions and literals (6.1.6, 6.2).

#include <algorithm>
#include <array>
#include <string>

#include "semantics/core/sema/constants.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;
using syntax::BinaryOp;
using syntax::UnaryOp;

bool is_comparison(BinaryOp op) { return op >= BinaryOp::Less && op <= BinaryOp::NotEqual; }
bool is_logical(BinaryOp op) { return op == BinaryOp::And || op == BinaryOp::Or; }
bool is_shift(BinaryOp op) { return op == BinaryOp::Shl || op == BinaryOp::Shr; }

std::string named(const FunctionContext& context, ExprId id) { return "'" + name_of(context.function.at(id).type) + "'"; }

/// int 0 or 1: whether the scalar is not zero.
ExprId is_nonzero(FunctionContext& context, ExprId value) {
  const SourceSpan span = context.function.at(value).span;
  const ScalarType type = promoted(context.function.at(value).type.scalar);
  const ExprId zero = convert(context, add_integer(context, 0, ScalarType::Int, span), type);
  return add_scalar(context, Operate{Op::Ne, type, {convert(context, value, type), zero}}, ScalarType::Int, span);
}

/// Whether a scalar is of a higher rank than the components of a vector that it stands beside (OpenCL C 6.2.6).
bool loses(ScalarType scalar, ScalarType component) {
  return is_float(scalar) != is_float(component) ? is_float(scalar) : size_of(scalar) > size_of(component);
}

bool same_vector(Type a, const Type& b) {
  a.space = b.space;
  a.is_const = b.is_const;
  return a == b;
}

/// A scalar as it is in all components: what is true is -1 in integers (OpenCL C 6.2.2).
ExprId all_components(FunctionContext& context, ExprId scalar, ScalarType to) {
  if (context.function.at(scalar).type.scalar == ScalarType::Bool && is_integer(to)) {
    return convert(context, truth_of_component(context, convert(context, scalar, ScalarType::Int), to), to);
  }
  return convert(context, scalar, to);
}

/// What stands between the parentheses behind `(float4)`.
void collect(const syntax::Expr& expr, bool is_list, std::vector<const syntax::Expr*>& elements) {
  if (const auto* comma = std::get_if<syntax::Comma>(&expr.node); comma != nullptr && is_list) {
    collect(*comma->left, !comma->left->parenthesised, elements);
    elements.push_back(comma->right.get());
  } else {
    elements.push_back(&expr);
  }
}

/// The last selection from what stands in parentheses behind the type.
const syntax::Member* member_of_literal(const syntax::Expr& operand) {
  const auto* member = operand.parenthesised ? nullptr : std::get_if<syntax::Member>(&operand.node);
  return member != nullptr && (member->base->parenthesised || member_of_literal(*member->base) != nullptr) ? member : nullptr;
}

}  // namespace

ScalarType signed_of(ScalarType type) {
  constexpr std::array types = {ScalarType::Char, ScalarType::Short, ScalarType::Int, ScalarType::Long};
  return *std::ranges::find(types, size_of(type), [](ScalarType t) { return size_of(t); });
}

ExprId truth_of_component(FunctionContext& context, ExprId truth, ScalarType scalar) {
  const SourceSpan span = context.function.at(truth).span;
  const ExprId negated = add_scalar(context, Operate{Op::Neg, ScalarType::Int, {truth}}, ScalarType::Int, span);
  return convert(context, negated, signed_of(scalar));
}

Checked component_binary(FunctionContext& context, BinaryOp op, ExprId left, ExprId right, ScalarType scalar, SourceSpan span,
                         SourceSpan op_span) {
  if (is_logical(op)) {
    const ExprId first = is_nonzero(context, left);
    const Operate both{op == BinaryOp::And ? Op::BitAnd : Op::BitOr, ScalarType::Int, {first, is_nonzero(context, right)}};
    return truth_of_component(context, add_scalar(context, both, ScalarType::Int, span), scalar);
  }
  const unsigned bits = bits_of(scalar);
  if (is_shift(op) && bits < 32 && is_integer(context.function.at(right).type.scalar)) {
    // An int's count would be taken modulo 32.
    const ExprId count = convert(context, right, ScalarType::Int);
    const ExprId mask = add_integer(context, bits - 1, ScalarType::Int, span);
    right = add_scalar(context, Operate{Op::BitAnd, ScalarType::Int, {count, mask}}, ScalarType::Int, span);
  }
  const Checked result = binary(context, op, left, right, span, op_span);
  if (!result) {
    return std::nullopt;
  }
  return is_comparison(op) ? truth_of_component(context, *result, scalar) : convert(context, *result, scalar);
}

std::optional<Vector> operand_for(FunctionContext& context, std::optional<BinaryOp> op, ExprId value, const Type& to) {
  const Type type = context.function.at(value).type;
  const bool counts = op && is_shift(*op) && type.is_vector() && type.components == to.components && is_integer(type.scalar);
  if (counts || (type.is_vector() && same_vector(type, to))) {
    return components_of(context, value);
  }
  if (type.is_scalar() && op && !is_shift(*op) && loses(type.scalar, to.scalar) && !evaluate(context, value)) {
    context.unit.reporter.error(context.function.at(value).span,
                                named(context, value) + " beside '" + name_of(to) + "' would lose bits; a cast says that it is meant");
    return std::nullopt;
  }
  if (type.is_scalar()) {
    return widened(context, all_components(context, value, to.scalar), to.components);
  }
  context.unit.reporter.error(context.function.at(value).span,
                              (type.is_vector() ? "vectors of different types do not go together: " : "this is no part of a vector: ") +
                                  named(context, value) + " and '" + name_of(to) + "'" +
                                  (type.is_vector() ? "; convert_" + name_of(vector_type(to.scalar, to.components)) + "(…) converts" : ""));
  return std::nullopt;
}

Checked as_vector(FunctionContext& context, ExprId value, const Type& to) {
  const Type type = context.function.at(value).type;
  if (type.is_vector() && same_vector(type, to)) {
    return value;
  }
  if (!type.is_scalar()) {
    return std::nullopt;
  }
  const SourceSpan span = context.function.at(value).span;
  return vector_of(context, widened(context, all_components(context, value, to.scalar), to.components), to.scalar, span);
}

Checked vector_binary(FunctionContext& context, BinaryOp op, ExprId left, ExprId right, SourceSpan span, SourceSpan op_span) {
  const bool left_decides = is_vector(context, left);
  const Type type = context.function.at(left_decides ? left : right).type;
  if (!left_decides && is_shift(op)) {
    context.unit.reporter.error(op_span, "a scalar is shifted by a scalar, not by " + named(context, right));
    return std::nullopt;
  }
  std::optional<Vector> first = operand_for(context, op, left, type);
  std::optional<Vector> second = first ? operand_for(context, op, right, type) : std::nullopt;
  if (!first || !second) {
    return std::nullopt;
  }
  std::array operands = {std::move(*first), std::move(*second)};
  Vector result;
  result.before = in_order(context, operands);
  for (std::size_t k = 0; k < type.components; ++k) {
    const Checked part = component_binary(context, op, operands[0].parts[k], operands[1].parts[k], type.scalar, span, op_span);
    if (!part) {
      return std::nullopt;
    }
    result.parts.push_back(*part);
  }
  const bool is_truth = is_comparison(op) || is_logical(op);
  return vector_of(context, std::move(result), is_truth ? signed_of(type.scalar) : type.scalar, span);
}

Checked vector_unary(FunctionContext& context, UnaryOp op, ExprId operand, SourceSpan span) {
  const ScalarType scalar = context.function.at(operand).type.scalar;
  Vector value = components_of(context, operand);
  value.is_place = false;
  for (ExprId& part : value.parts) {
    if (op == UnaryOp::Not) {
      const ExprId nonzero = is_nonzero(context, part);
      const Operate opposite{Op::LogicalNot, ScalarType::Int, {nonzero}};
      part = truth_of_component(context, add_scalar(context, opposite, ScalarType::Int, span), scalar);
      continue;
    }
    const Checked result = check_sign(context, op, part, span);
    if (!result) {
      return std::nullopt;
    }
    part = convert(context, *result, scalar);
  }
  return vector_of(context, std::move(value), op == UnaryOp::Not ? signed_of(scalar) : scalar, span);
}

Checked vector_conditional(FunctionContext& context, ExprId condition, ExprId then, ExprId otherwise, SourceSpan span) {
  const Type chooser = context.function.at(condition).type;
  const bool first_decides = is_vector(context, then);
  Type type = context.function.at(first_decides ? then : otherwise).type;
  if (!type.is_vector()) {  // scalars chosen by a vector
    const Type left = context.function.at(then).type;
    const Type right = context.function.at(otherwise).type;
    if (!left.is_scalar() || !right.is_scalar()) {
      context.unit.reporter.error(span,
                                  "a vector chooses between vectors, not between '" + name_of(left) + "' and '" + name_of(right) + "'");
      return std::nullopt;
    }
    type = vector_type(usual_type(left.scalar, right.scalar), chooser.components);
  }
  std::optional<Vector> first = operand_for(context, std::nullopt, then, type);
  std::optional<Vector> second = first ? operand_for(context, std::nullopt, otherwise, type) : std::nullopt;
  if (!first || !second) {
    return std::nullopt;
  }
  Vector result;
  if (!chooser.is_vector()) {
    // Each arm runs for its own items; what they give is kept in variables, so that control comes apart once.
    std::array<std::vector<ExprId>, 2> arms = {std::move(first->before), std::move(second->before)};
    for (std::size_t k = 0; k < type.components; ++k) {
      const VarId chosen = add_temporary(context, Type::scalar_of(type.scalar), span);
      for (std::size_t arm = 0; arm < 2; ++arm) {
        const ExprId value = (arm == 0 ? *first : *second).parts[k];
        const SourceSpan place = context.function.at(value).span;
        arms.at(arm).push_back(add_scalar(context, Assign{variable(context, chosen, span), value}, type.scalar, place));
      }
      result.parts.push_back(variable(context, chosen, span));
    }
    const auto arm = [&](std::size_t which) { return sequence(context, arms.at(which)); };
    const ExprId left = arm(0);
    result.before = {add_scalar(context, Conditional{condition, left, arm(1)}, type.scalar, span)};
    return vector_of(context, std::move(result), type.scalar, span);
  }
  if (chooser.components != type.components || !is_integer(chooser.scalar) || size_of(chooser.scalar) != size_of(type.scalar)) {
    context.unit.reporter.error(context.function.at(condition).span,
                                "what chooses between '" + name_of(type) +
                                    "' has as many components of as many bits, integers, but this is '" + name_of(chooser) + "'");
    return std::nullopt;
  }
  std::array operands = {components_of(context, condition), std::move(*first), std::move(*second)};
  result.before = in_order(context, operands);
  for (std::size_t k = 0; k < type.components; ++k) {
    result.parts.push_back(chosen_by_sign(context, operands[0].parts[k], operands[1].parts[k], operands[2].parts[k]));
  }
  return vector_of(context, std::move(result), type.scalar, span);
}

ExprId chosen_by_sign(FunctionContext& context, ExprId condition, ExprId then, ExprId otherwise) {
  const SourceSpan span = context.function.at(condition).span;
  const ScalarType type = context.function.at(condition).type.scalar;
  // The bit at the top, of whatever sign the type is.
  const ExprId as_signed = convert(context, convert(context, condition, signed_of(type)), promoted(signed_of(type)));
  const ScalarType wide = context.function.at(as_signed).type.scalar;
  const ExprId zero = add_integer(context, 0, wide, span);
  const ExprId is_set = add_scalar(context, Operate{Op::Lt, wide, {as_signed, zero}}, ScalarType::Int, span);
  const Type result = context.function.at(then).type;
  return add(context, Conditional{is_set, then, otherwise}, result, span);
}

Checked vector_cast(FunctionContext& context, const Type& to, const syntax::Expr& operand, SourceSpan span) {
  if (const syntax::Member* member = member_of_literal(operand)) {
    const Checked literal = vector_cast(context, to, *member->base, span);
    return literal ? member_of(context, *literal, member->name, span) : std::nullopt;
  }
  std::vector<const syntax::Expr*> written;
  collect(operand, operand.parenthesised && !operand.parenthesised_twice, written);
  std::vector<Vector> elements;
  std::size_t count = 0;
  for (const syntax::Expr* element : written) {
    const Checked value = check_value(context, *element);
    if (!value) {
      return std::nullopt;
    }
    const Type type = context.function.at(*value).type;
    if (!type.is_scalar() && !(type.is_vector() && type.scalar == to.scalar)) {
      context.unit.reporter.error(
          element->span, "'" + name_of(type) + "' is no part of '" + name_of(to) + "'" +
                             (type.is_vector() ? "; convert_" + name_of(vector_type(to.scalar, type.components)) + "(…) converts" : ""));
      return std::nullopt;
    }
    const ExprId scalar = type.is_vector()      ? *value
                          : written.size() == 1 ? all_components(context, *value, to.scalar)
                                                : convert(context, *value, to.scalar);
    elements.push_back(type.is_vector() ? components_of(context, *value) : scalar_as_operand(context, scalar));
    count += elements.back().parts.size();
  }
  if (written.size() == 1 && count == 1) {
    Vector all = widened(context, elements.front().parts.front(), to.components);
    all.before.insert(all.before.begin(), elements.front().before.begin(), elements.front().before.end());
    return vector_of(context, std::move(all), to.scalar, span);
  }
  if (count != to.components) {
    context.unit.reporter.error(span, "'" + name_of(to) + "' has " + counted(to.components, "component") + ", but " +
                                          std::to_string(count) + (count == 1 ? " is" : " are") + " given");
    return std::nullopt;
  }
  Vector result;
  result.before = in_order(context, elements);
  for (const Vector& element : elements) {
    std::ranges::copy(element.parts, std::back_inserter(result.parts));
  }
  return vector_of(context, std::move(result), to.scalar, span);
}

}  // namespace lockstep::core::sema
