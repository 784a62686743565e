#include "semantics/core/contract.hpp"

namespace lockstep::core {
namespace {

/// The factors of a product of `type`; null if the node is something else.
const Operate* product(const Function& function, ExprId id, ScalarType type) {
  const auto* operate = std::get_if<Operate>(&function.at(id).node);
  return operate != nullptr && operate->op == Op::Mul && operate->operand_type == type ? operate : nullptr;
}

ExprId negated(Function& function, ExprId id, ScalarType type) {
  const SourceSpan span = function.at(id).span;
  function.expressions.push_back({Operate{Op::Neg, type, {id}}, Type::scalar_of(type), span});
  return static_cast<ExprId>(function.expressions.size() - 1);
}

}  // namespace

std::optional<Operate> contracted(Function& function, const Operate& operate) {
  const ScalarType type = operate.operand_type;
  if ((operate.op != Op::Add && operate.op != Op::Sub) || !is_float(type)) {
    return std::nullopt;
  }
  const ExprId left = operate.operands[0];
  const ExprId right = operate.operands[1];
  if (const Operate* factors = product(function, left, type)) {
    const ExprId x = factors->operands[0];
    const ExprId y = factors->operands[1];
    const ExprId z = (operate.op == Op::Sub) ? negated(function, right, type) : right;
    return Operate{Op::Fma, type, {x, y, z}};
  }
  if (const Operate* factors = product(function, right, type)) {
    const ExprId y = factors->operands[1];
    const ExprId x = (operate.op == Op::Sub) ? negated(function, factors->operands[0], type) : factors->operands[0];
    return Operate{Op::Fma, type, {x, y, left}, /*last_first=*/true};
  }
  return std::nullopt;
}

}  // namespace lockstep::core
