#include "semantics/musimd/expression_builder.hpp"

#include <utility>

namespace lockstep::musimd {

void ExpressionBuilder::operand(const ExprNode& node, SourceSpan span) {
  nodes_.push_back(node);
  values_.push_back(span);
  apply_unary();
}

bool ExpressionBuilder::unary(Op op, std::uint32_t begin) { return push_nested({Kind::Unary, op, begin}); }

void ExpressionBuilder::binary(Op op) {
  apply_binary(info(op).precedence);
  pending_.push_back({Kind::Binary, op, 0});
}

bool ExpressionBuilder::question() {
  apply_binary(0);  // a waiting Select stays: the conditional is right-associative
  return push_nested({Kind::Question, Op::Select, 0});
}

void ExpressionBuilder::colon() { pending_.back().kind = Kind::Select; }

bool ExpressionBuilder::open(std::uint32_t begin) { return push_nested({Kind::Open, Op::Add, begin}); }

void ExpressionBuilder::close_parenthesis(std::uint32_t end) {
  values_.back() = {pending_.back().begin, end};
  pop();
  apply_unary();
}

void ExpressionBuilder::close_call(Op op, std::uint32_t end) {
  const SourceSpan span{pending_.back().begin, end};
  pop();
  values_.pop_back();
  values_.back() = span;
  nodes_.emplace_back(Operation{op, span});
  apply_unary();
}

void ExpressionBuilder::finish() {
  apply_binary(0);
  while (waiting(Kind::Select)) {
    pop();
    emit(Op::Select, 3);
  }
}

std::uint32_t ExpressionBuilder::innermost_open() const {
  for (auto entry = pending_.rbegin(); entry != pending_.rend(); ++entry) {
    if (entry->kind == Kind::Open) {
      return entry->begin;
    }
  }
  return 0;
}

Expr ExpressionBuilder::take() {
  Expr expression{std::move(nodes_), values_.back()};
  clear();
  return expression;
}

void ExpressionBuilder::clear() {
  nodes_ = {};
  values_.clear();
  pending_.clear();
  depth_ = 0;
}

bool ExpressionBuilder::push_nested(Pending pending) {
  pending_.push_back(pending);
  return ++depth_ <= max_expression_depth;
}

void ExpressionBuilder::pop() {
  depth_ -= waiting(Kind::Binary) ? 0U : 1U;
  pending_.pop_back();
}

void ExpressionBuilder::emit(Op op, std::size_t arity) {
  const SourceSpan span{values_[values_.size() - arity].begin, values_.back().end};
  values_.resize(values_.size() - arity);
  values_.push_back(span);
  nodes_.emplace_back(Operation{op, span});
}

void ExpressionBuilder::apply_unary() {
  while (waiting(Kind::Unary)) {
    const Pending top = pending_.back();
    pop();
    values_.back().begin = top.begin;
    nodes_.emplace_back(Operation{top.op, values_.back()});
  }
}

void ExpressionBuilder::apply_binary(int at_least) {
  while (waiting(Kind::Binary) && info(pending_.back().op).precedence >= at_least) {
    const Op op = pending_.back().op;
    pop();
    emit(op, 2);
  }
}

}  // namespace lockstep::musimd
