// Unary and binary operators on values: C99 6.5.3 and 6.5.5 to 6.5.14.

#include <array>
#include <expected>
#include <string>

#include "semantics/core/contract.hpp"
#include "semantics/core/sema/constants.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;
using syntax::BinaryOp;
using syntax::UnaryOp;

struct BinaryInfo {
  BinaryOp syntax;
  Op op;
};

/// In the order of syntax::BinaryOp.
constexpr std::array binary_table = {
    BinaryInfo{BinaryOp::Mul, Op::Mul},     BinaryInfo{BinaryOp::Div, Op::Div},         BinaryInfo{BinaryOp::Rem, Op::Rem},
    BinaryInfo{BinaryOp::Add, Op::Add},     BinaryInfo{BinaryOp::Sub, Op::Sub},         BinaryInfo{BinaryOp::Shl, Op::Shl},
    BinaryInfo{BinaryOp::Shr, Op::Shr},     BinaryInfo{BinaryOp::Less, Op::Lt},         BinaryInfo{BinaryOp::LessEqual, Op::Le},
    BinaryInfo{BinaryOp::Greater, Op::Gt},  BinaryInfo{BinaryOp::GreaterEqual, Op::Ge}, BinaryInfo{BinaryOp::Equal, Op::Eq},
    BinaryInfo{BinaryOp::NotEqual, Op::Ne}, BinaryInfo{BinaryOp::BitAnd, Op::BitAnd},   BinaryInfo{BinaryOp::BitXor, Op::BitXor},
    BinaryInfo{BinaryOp::BitOr, Op::BitOr}, BinaryInfo{BinaryOp::And, Op::LogicalAnd},  BinaryInfo{BinaryOp::Or, Op::LogicalOr},
};

const BinaryInfo& row(BinaryOp op) { return binary_table[static_cast<std::size_t>(op)]; }

/// The two sides of a binary operator on its way.
struct Sides {
  BinaryOp op;
  ExprId left;
  ExprId right;
  SourceSpan span;
  SourceSpan op_span;
};

const Type& type_at(const FunctionContext& context, ExprId id) { return context.function.at(id).type; }

std::nullopt_t refuse(FunctionContext& context, const Sides& sides, const std::string& why) {
  context.unit.reporter.error(sides.op_span, "'" + std::string(text_of(sides.op)) + "' " + why + " '" +
                                                 name_of(type_at(context, sides.left)) + "' and '" +
                                                 name_of(type_at(context, sides.right)) + "'");
  return std::nullopt;
}

ExprId offset(FunctionContext& context, ExprId integer) { return convert(context, integer, ScalarType::Long); }

bool is_index(const Type& type) { return type.is_scalar() && is_integer(type.scalar); }

bool same_object_type(Type left, Type right) {
  left.is_const = right.is_const = false;
  return left == right;
}

Checked pointer_sum(FunctionContext& context, const Sides& sides) {
  const bool pointer_first = type_at(context, sides.left).is_pointer();
  const ExprId pointer = pointer_first ? sides.left : sides.right;
  const ExprId index = pointer_first ? sides.right : sides.left;
  if (!is_index(type_at(context, index))) {
    return refuse(context, sides, "cannot add these types:");
  }
  const Type type = type_at(context, pointer);
  return add(context, PointerAdd{pointer, offset(context, index)}, type, sides.span);
}

Checked pointer_difference(FunctionContext& context, const Sides& sides) {
  const Type left = type_at(context, sides.left);
  const Type right = type_at(context, sides.right);
  if (left.is_pointer() && right.is_pointer() && same_object_type(left, right)) {
    return add_scalar(context, PointerDifference{sides.left, sides.right}, ScalarType::Long, sides.span);
  }
  if (!left.is_pointer() || !is_index(right)) {
    return refuse(context, sides, "cannot subtract these types:");
  }
  const ExprId index = offset(context, sides.right);
  const ExprId negated =
      add_scalar(context, Operate{Op::Neg, ScalarType::Long, {index}}, ScalarType::Long, context.function.at(index).span);
  return add(context, PointerAdd{sides.left, negated}, left, sides.span);
}

Checked pointer_comparison(FunctionContext& context, Sides sides) {
  if (!is_order(row(sides.op).op)) {  // a null pointer constant may stand on one side
    const Type left = type_at(context, sides.left);
    const Type right = type_at(context, sides.right);
    if (left.is_pointer() && is_null_constant(context, sides.right)) {
      sides.right = null_pointer(context, sides.right, left);
    } else if (right.is_pointer() && is_null_constant(context, sides.left)) {
      sides.left = null_pointer(context, sides.left, right);
    }
  }
  if (!same_object_type(type_at(context, sides.left), type_at(context, sides.right))) {
    return refuse(context, sides, "cannot compare these types:");
  }
  return add_scalar(context, Operate{row(sides.op).op, ScalarType::ULong, {sides.left, sides.right}}, ScalarType::Int, sides.span);
}

Checked on_pointers(FunctionContext& context, const Sides& sides) {
  if (sides.op == BinaryOp::Add) {
    return pointer_sum(context, sides);
  }
  if (sides.op == BinaryOp::Sub) {
    return pointer_difference(context, sides);
  }
  return is_comparison(row(sides.op).op) ? pointer_comparison(context, sides) : refuse(context, sides, "is not defined for");
}

/// A warning where the count of a shift is a number that is not below the width.
void look_at_count(FunctionContext& context, ExprId count, ScalarType type) {
  const std::expected<std::uint64_t, NotConstant> number = evaluate(context, count);
  const unsigned width = bits_of(type);
  if (!number || *number < width) {
    return;
  }
  const Expr& written = context.function.at(count);
  const std::string text = ops::text_of(written.type.scalar, *number);
  context.unit.reporter.warning(written.span, "the count " + text + " is taken modulo " + std::to_string(width) + ", the width of '" +
                                                  std::string(info(type).name) + "'");
}

/// The type of a shift is that of its promoted left side; the count counts modulo its width, so that its own type does not matter.
ExprId shift(FunctionContext& context, const Sides& sides) {
  const ExprId left = promote(context, sides.left);
  const ScalarType type = type_at(context, left).scalar;
  look_at_count(context, sides.right, type);
  const ExprId count = convert(context, sides.right, type);
  return add_scalar(context, Operate{row(sides.op).op, type, {left, count}}, type, sides.span);
}

ExprId arithmetic(FunctionContext& context, const Sides& sides) {
  const Op op = row(sides.op).op;
  const ScalarType type = usual_type(type_at(context, sides.left).scalar, type_at(context, sides.right).scalar);
  const ExprId left = convert(context, sides.left, type);
  const ExprId right = convert(context, sides.right, type);
  if (may_be_undefined(op, type) && evaluate(context, right) == 0U) {
    context.unit.reporter.warning(context.function.at(sides.right).span, "a division by zero is undefined");
  }
  Operate operate{op, type, {left, right}};
  if (context.contract) {
    operate = contracted(context.function, operate).value_or(operate);
  }
  return add_scalar(context, std::move(operate), is_comparison(op) ? ScalarType::Int : type, sides.span);
}

}  // namespace

Checked check_sign(FunctionContext& context, UnaryOp op, ExprId operand, SourceSpan span) {
  const Type type = type_at(context, operand);
  const bool needs_integer = op == UnaryOp::BitNot;
  if (!type.is_scalar() || (needs_integer && !is_integer(type.scalar))) {
    const std::string sign = op == UnaryOp::Plus ? "+" : needs_integer ? "~" : "-";
    context.unit.reporter.error(
        span, "'" + sign + "' needs " + (needs_integer ? "an integer" : "a number") + ", but its operand is '" + name_of(type) + "'");
    return std::nullopt;
  }
  const ExprId value = promote(context, operand);
  if (op == UnaryOp::Plus) {
    return value;
  }
  const ScalarType result = type_at(context, value).scalar;
  return add_scalar(context, Operate{needs_integer ? Op::BitNot : Op::Neg, result, {value}}, result, span);
}

namespace {

ExprId logical_not(FunctionContext& context, ExprId operand, SourceSpan span) {
  if (type_at(context, operand).is_scalar()) {
    const ExprId value = promote(context, operand);
    return add_scalar(context, Operate{Op::LogicalNot, type_at(context, value).scalar, {value}}, ScalarType::Int, span);
  }
  const ExprId zero = add_integer(context, 0, ScalarType::Int, span);
  const ExprId one = add_integer(context, 1, ScalarType::Int, span);
  return add_scalar(context, Conditional{operand, zero, one}, ScalarType::Int, span);
}

}  // namespace

std::string_view text_of(BinaryOp op) { return info(row(op).op).text; }

Checked binary(FunctionContext& context, BinaryOp op, ExprId left, ExprId right, SourceSpan span, SourceSpan op_span) {
  const Sides sides{op, left, right, span, op_span};
  if (is_vector(context, left) || is_vector(context, right)) {
    return vector_binary(context, op, left, right, span, op_span);
  }
  if (op == BinaryOp::And || op == BinaryOp::Or) {
    if (!require_truth(context, left) || !require_truth(context, right)) {
      return std::nullopt;
    }
    return add_scalar(context, ShortCircuit{op == BinaryOp::And, left, right}, ScalarType::Int, span);
  }
  const Type left_type = type_at(context, left);
  const Type right_type = type_at(context, right);
  if (!left_type.is_scalar() || !right_type.is_scalar()) {
    return on_pointers(context, sides);
  }
  if (integer_only(row(op).op) && (!is_integer(left_type.scalar) || !is_integer(right_type.scalar))) {
    return refuse(context, sides, "needs integers, but its operands are");
  }
  return op == BinaryOp::Shl || op == BinaryOp::Shr ? shift(context, sides) : arithmetic(context, sides);
}

Checked check_unary(FunctionContext& context, const syntax::Unary& unary, SourceSpan span) {
  switch (unary.op) {
    case UnaryOp::Dereference:
      return check_dereference(context, *unary.operand, span);
    case UnaryOp::AddressOf:
      return check_address_of(context, *unary.operand, span);
    case UnaryOp::PreIncrement:
    case UnaryOp::PreDecrement:
    case UnaryOp::PostIncrement:
    case UnaryOp::PostDecrement:
      return check_step(context, unary, span);
    case UnaryOp::Plus:
    case UnaryOp::Minus:
    case UnaryOp::BitNot:
    case UnaryOp::Not:
      break;
  }
  const Checked operand = check_value(context, *unary.operand);
  if (!operand) {
    return std::nullopt;
  }
  if (is_vector(context, *operand)) {
    return vector_unary(context, unary.op, *operand, span);
  }
  if (unary.op == UnaryOp::Not && !require_truth(context, *operand)) {
    return std::nullopt;
  }
  return unary.op == UnaryOp::Not ? logical_not(context, *operand, span) : check_sign(context, unary.op, *operand, span);
}

}  // namespace lockstep::core::sema
