#include "semantics/core/sema/expressions.hpp"

#include "semantics/core/sema/constants.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/declarations.hpp"
#include "semantics/core/sema/initialisers.hpp"
#include "semantics/core/sema/predefined.hpp"
#include "semantics/core/sema/records.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"
#include "semantics/core/walk.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;

Checked check(FunctionContext& context, const syntax::IntegerLiteral& literal, SourceSpan span) {
  const std::optional<ScalarType> type = type_of(literal);
  if (!type) {
    context.unit.reporter.error(span, "the constant does not fit 'long'; with the suffix u it may be a 'ulong'");
    return std::nullopt;
  }
  return add_integer(context, literal.value, *type, span);
}

Checked check(FunctionContext& context, const syntax::FloatLiteral& literal, SourceSpan span) {
  const ScalarType type = literal.is_float ? ScalarType::Float : ScalarType::Double;
  const std::optional<std::uint64_t> bits = read_float(literal.digits, type);
  if (!bits) {
    context.unit.reporter.error(span, "the constant is too large for '" + std::string(info(type).name) + "'; infinity is INFINITY");
    return std::nullopt;
  }
  return add_scalar(context, Literal{*bits}, type, span);
}

Checked check(FunctionContext& context, const syntax::BoolLiteral& literal, SourceSpan span) {
  return add_integer(context, literal.value ? 1 : 0, ScalarType::Bool, span);
}

Checked check(FunctionContext& context, const syntax::Identifier& identifier, SourceSpan span) {
  const NamedSymbol* found = find(context, identifier.name);
  if (found == nullptr) {
    if (const std::optional<Predefined> constant = predefined(identifier.name)) {
      return add_scalar(context, Literal{constant->bits}, constant->type, span);
    }
    report_undeclared(context, identifier.name, span);
    return std::nullopt;
  }
  if (const auto* variable = std::get_if<VariableSymbol>(&found->symbol)) {
    return add(context, Var{variable->id}, context.function.variables[variable->id].type, span);
  }
  if (const auto* constant = std::get_if<ConstantSymbol>(&found->symbol)) {
    return add(context, GlobalConstant{constant->id}, context.unit.program.constants[constant->id].type, span);
  }
  return std::nullopt;
}

Checked check(FunctionContext& context, const syntax::Unary& unary, SourceSpan span) { return check_unary(context, unary, span); }

Checked check(FunctionContext& context, const syntax::Binary& node, SourceSpan span) {
  const Checked left = check_value(context, *node.left);
  const Checked right = check_value(context, *node.right);
  return left && right ? binary(context, node.op, *left, *right, span, node.op_span) : std::nullopt;
}

Checked check(FunctionContext& context, const syntax::Assignment& node, SourceSpan span) { return check_assignment(context, node, span); }

/// The common type of two pointer arms; empty if there is none.
std::optional<Type> common_pointer(const Type& left, const Type& right) {
  if (!left.is_pointer() || !right.is_pointer()) {
    return std::nullopt;
  }
  Type common = left;
  common.is_const = left.is_const || right.is_const;
  return pointer_converts(right, common) ? std::optional(common) : std::nullopt;
}

Checked check(FunctionContext& context, const syntax::Conditional& node, SourceSpan span) {
  const Checked condition = check_value(context, *node.condition);
  Checked then = check_expression(context, *node.then);
  Checked otherwise = check_expression(context, *node.otherwise);
  if (!condition || !then || !otherwise) {
    return std::nullopt;
  }
  if (!require_truth(context, *condition)) {
    return std::nullopt;
  }
  if (is_vector(context, *condition) || is_vector(context, *then) || is_vector(context, *otherwise)) {
    return vector_conditional(context, *condition, *then, *otherwise, span);
  }
  then = decay(context, *then);
  otherwise = decay(context, *otherwise);
  if (context.function.at(*otherwise).type.is_pointer() && is_null_constant(context, *then)) {
    then = null_pointer(context, *then, context.function.at(*otherwise).type);
  } else if (context.function.at(*then).type.is_pointer() && is_null_constant(context, *otherwise)) {
    otherwise = null_pointer(context, *otherwise, context.function.at(*then).type);
  }
  const Type left = context.function.at(*then).type;
  const Type right = context.function.at(*otherwise).type;
  if (left.is_scalar() && right.is_scalar()) {
    const ScalarType type = usual_type(left.scalar, right.scalar);
    const ExprId first = convert(context, *then, type);
    const ExprId second = convert(context, *otherwise, type);
    return add_scalar(context, Conditional{*condition, first, second}, type, span);
  }
  if (same_record(left, right)) {
    return add(context, Conditional{*condition, *then, *otherwise}, record_type(left.record), span);
  }
  if (left.is_void() && right.is_void()) {
    return add(context, Conditional{*condition, *then, *otherwise}, left, span);
  }
  if (const std::optional<Type> common = common_pointer(left, right)) {
    return add(context, Conditional{*condition, *then, *otherwise}, *common, span);
  }
  context.unit.reporter.error(span, "the arms of '?:' do not go together: '" + name_of(left) + "' and '" + name_of(right) + "'");
  return std::nullopt;
}

Checked check(FunctionContext& context, const syntax::Comma& node, SourceSpan span) {
  Checked left = check_effect(context, *node.left);
  Checked right = check_expression(context, *node.right);
  if (!left || !right) {
    return std::nullopt;
  }
  left = is_vector(context, *left) ? as_effect(context, *left) : *left;
  if (is_vector(context, *right)) {
    Vector value = components_of(context, *right);
    value.before.insert(value.before.begin(), *left);
    value.is_place = false;
    return vector_of(context, std::move(value), context.function.at(*right).type.scalar, span);
  }
  right = decay(context, *right);
  return add(context, Comma{*left, *right}, context.function.at(*right).type, span);
}

Checked check(FunctionContext& context, const syntax::Subscript& node, SourceSpan span) { return check_subscript(context, node, span); }

Checked check(FunctionContext& context, const syntax::Member& node, SourceSpan span) { return check_member(context, node, span); }

Checked check(FunctionContext& context, const syntax::Call& node, SourceSpan span) { return check_call(context, node, span); }

/// `(void)e` where it is no statement of its own: e for what it does.
Checked cast_to_void(FunctionContext& context, const syntax::Expr& operand, SourceSpan span) {
  Checked value = check_effect(context, operand);
  if (!value) {
    return std::nullopt;
  }
  value = is_vector(context, *value) ? as_effect(context, *value) : *value;
  if (context.function.at(*value).type.is_void()) {
    return value;
  }
  const ExprId nothing = add(context, Convert{add_integer(context, 0, ScalarType::Int, span), false}, Type{}, span);
  return add(context, Comma{*value, nothing}, Type{}, span);
}

Checked check(FunctionContext& context, const syntax::Cast& node, SourceSpan span) {
  const std::optional<Type> type = resolve(context, node.type);
  if (type && type->is_void()) {
    return cast_to_void(context, *node.operand, span);
  }
  if (type && type->is_vector()) {
    return vector_cast(context, *type, *node.operand, span);
  }
  const Checked value = check_value(context, *node.operand);
  if (!type || !value) {
    return std::nullopt;
  }
  return cast(context, *value, *type, span);
}

Checked size_literal(FunctionContext& context, const Type& type, SourceSpan span) {
  if (type.is_void()) {
    context.unit.reporter.error(span, "'void' has no size");
    return std::nullopt;
  }
  return add_integer(context, size_of(type), ScalarType::ULong, span);
}

Checked check(FunctionContext& context, const syntax::SizeofType& node, SourceSpan span) {
  const std::optional<Type> type = resolve(context, node.type);
  return type ? size_literal(context, *type, span) : std::nullopt;
}

Checked check(FunctionContext& context, const syntax::SizeofExpr& node, SourceSpan span) {
  const Checked operand = check_expression(context, *node.operand);
  return operand ? size_literal(context, Type(context.function.at(*operand).type), span) : std::nullopt;
}

Checked check(FunctionContext& context, const syntax::Offsetof& node, SourceSpan span) {
  const std::optional<Type> type = resolve(context, node.type);
  const std::optional<std::uint64_t> offset = type ? offset_of(context, *type, node.path) : std::nullopt;
  return offset ? Checked(add_integer(context, *offset, ScalarType::ULong, span)) : std::nullopt;
}

Checked check(FunctionContext& context, const syntax::CompoundLiteral& node, SourceSpan span) {
  const std::optional<Type> type = resolve(context, node.type);
  return type ? compound_literal(context, *type, *node.initialiser, span) : std::nullopt;
}

}  // namespace

Checked check_expression(FunctionContext& context, const syntax::Expr& expr) {
  return std::visit([&](const auto& node) { return check(context, node, expr.span); }, expr.node);
}

Checked check_value(FunctionContext& context, const syntax::Expr& expr) {
  const Checked checked = check_expression(context, expr);
  if (!checked) {
    return std::nullopt;
  }
  if (context.function.at(*checked).type.is_void()) {
    context.unit.reporter.error(expr.span, "a value is needed here, but this is void");
    return std::nullopt;
  }
  return decay(context, *checked);
}

bool has_effect(const Function& function, ExprId id) {
  const Expr& expr = function.at(id);
  if (std::holds_alternative<Assign>(expr.node) || std::holds_alternative<Call>(expr.node) ||
      std::holds_alternative<Collective>(expr.node) || std::holds_alternative<Atomic>(expr.node)) {
    return true;
  }
  bool found = false;
  for_each_operand(expr, [&](ExprId operand) { found = found || has_effect(function, operand); });
  return found;
}

bool require_truth(FunctionContext& context, ExprId value) {
  const Expr& expr = context.function.at(value);
  if (expr.type.is_record()) {
    context.unit.reporter.error(expr.span, "'" + name_of(expr.type) + "' is neither true nor false; its members may be");
    return false;
  }
  return true;
}

bool require_integer(FunctionContext& context, ExprId value, const std::string& purpose) {
  const Expr& expr = context.function.at(value);
  const bool is_fine = expr.type.is_scalar() && is_integer(expr.type.scalar);
  if (!is_fine) {
    context.unit.reporter.error(expr.span, purpose + " must be an integer, but this is '" + name_of(expr.type) + "'");
  }
  return is_fine;
}

Checked check_integer(FunctionContext& context, const syntax::Expr& expr, const std::string& purpose) {
  const Checked value = check_value(context, expr);
  return value && require_integer(context, *value, purpose) ? value : std::nullopt;
}

Checked check_effect(FunctionContext& context, const syntax::Expr& expr) {
  if (const auto* written = std::get_if<syntax::Cast>(&expr.node)) {
    if (!written->type.specifiers.type && written->type.pointers == 0) {
      return check_effect(context, *written->operand);
    }
  }
  return check_expression(context, expr);
}

}  // namespace lockstep::core::sema
