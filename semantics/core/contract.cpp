#include "semantics/core/contract.hpp"

#include "semantics/base/mutants.hpp"

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
  if ((operate.op != Op::Add && operate.op != Op::Sub) || LOCKSTEP_MUTATE(contract_takes_integers, !is_float(type), false)) {
    return std::nullopt;
  }
  const ExprId left = operate.operands[0];
  const ExprId right = operate.operands[1];
  if (const Operate* factors = LOCKSTEP_MUTATE(contract_prefers_right, product(function, left, type),
                                               product(function, right, type) != nullptr ? nullptr : product(function, left, type))) {
    const ExprId x = factors->operands[0];
    const ExprId y = factors->operands[1];
    const ExprId z = LOCKSTEP_MUTATE(contract_forgets_minus, operate.op == Op::Sub, false) ? negated(function, right, type) : right;
    return Operate{Op::Fma, type, {x, y, z}};
  }
  if (const Operate* factors = product(function, right, type)) {
    const ExprId y = factors->operands[1];
    const ExprId x = LOCKSTEP_MUTATE(contract_negates_sum, operate.op == Op::Sub, false) ? negated(function, factors->operands[0], type)
                                                                                         : factors->operands[0];
    return Operate{Op::Fma, type, {x, y, left}, /*last_first=*/LOCKSTEP_MUTATE(contract_reads_right_first, true, false)};
  }
  return std::nullopt;
}

}  // namespace lockstep::core
