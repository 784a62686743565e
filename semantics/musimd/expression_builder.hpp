#pragma once
// Turns the tokens of an expression, fed from left to right, into the post-order of syntax.hpp.

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "semantics/musimd/operator_stack.hpp"
#include "semantics/musimd/syntax.hpp"

namespace lockstep::musimd {

/// Operators are fed as OperatorStack says. One builder serves many expressions, one after the other; `clear` starts afresh after an
/// abandoned one.
class ExpressionBuilder : public OperatorStack<ExpressionBuilder, std::monostate, max_expression_depth> {
 public:
  /// An integer, a variable or tid that stands at `span`.
  void operand(const ExprNode& node, SourceSpan span);

  /// `(`; or `min` and `max` before it.
  void open(SourceSpan token) { push_bracket({}, token); }

  /// The `)` of a parenthesis; `end` is the offset behind it.
  void close_parenthesis(std::uint32_t end);

  /// The `)` of a call of the two-operand operation `op`; `end` is the offset behind it.
  void close_call(Op op, std::uint32_t end);

  /// The finished expression; the builder is empty again.
  Expr take();

  /// Forgets an expression that was not finished.
  void clear();

 private:
  friend OperatorStack;
  void emit_unary(Op op, SourceSpan sign) { emit(op, 1, {sign.begin, values_.back().end}); }
  void emit_binary(Op op, SourceSpan) { emit(op, 2, {values_[values_.size() - 2].begin, values_.back().end}); }
  void emit_select(SourceSpan) { emit(Op::Select, 3, {values_[values_.size() - 3].begin, values_.back().end}); }
  void emit(Op op, std::size_t arity, SourceSpan span);

  std::vector<ExprNode> nodes_;
  std::vector<SourceSpan> values_;  // the spans of the complete operands that wait for their operator
};

}  // namespace lockstep::musimd
