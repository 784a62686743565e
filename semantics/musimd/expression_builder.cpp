#include "semantics/musimd/expression_builder.hpp"

#include <utility>

namespace lockstep::musimd {

void ExpressionBuilder::operand(const ExprNode& node, SourceSpan span) {
  nodes_.push_back(node);
  values_.push_back(span);
  operand_complete();
}

void ExpressionBuilder::close_parenthesis(std::uint32_t end) {
  values_.back() = {pop_bracket().token.begin, end};
  operand_complete();
}

void ExpressionBuilder::close_call(Op op, std::uint32_t end) {
  emit(op, 2, {pop_bracket().token.begin, end});
  operand_complete();
}

Expr ExpressionBuilder::take() {
  Expr expression{std::move(nodes_), values_.back()};
  clear();
  return expression;
}

void ExpressionBuilder::clear() {
  nodes_ = {};
  values_.clear();
  clear_operators();
}

void ExpressionBuilder::emit(Op op, std::size_t arity, SourceSpan span) {
  values_.resize(values_.size() - arity);
  values_.push_back(span);
  nodes_.emplace_back(Operation{op, span});
}

}  // namespace lockstep::musimd
