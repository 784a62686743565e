#pragma once
// Turns the tokens of an expression, fed from left to right, into the post-order of syntax.hpp.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "semantics/musimd/syntax.hpp"

namespace lockstep::musimd {

/// Operator precedence without recursion: pending operators wait on a stack until their right operand is complete. The
/// caller (the grammar) checks the syntax; the calls must come in the order of a correct expression. One builder serves
/// many expressions, one after the other; `clear` starts afresh after an abandoned one.
class ExpressionBuilder {
 public:
  /// An integer, a variable or tid that stands at `span`.
  void operand(const ExprNode& node, SourceSpan span);

  /// A prefix operator at offset `begin`. False if the expression is nested too deeply now (max_expression_depth).
  [[nodiscard]] bool unary(Op op, std::uint32_t begin);

  /// A left-associative infix operator.
  void binary(Op op);

  /// The `?` of a conditional. False if nested too deeply.
  [[nodiscard]] bool question();

  /// The `:` of a conditional; the middle operand was ended by `finish`.
  void colon();

  /// `(`, or `min(` and `max(`, which begins at offset `begin`. False if nested too deeply.
  [[nodiscard]] bool open(std::uint32_t begin);

  /// The `)` of a parenthesis; `end` is the offset behind it.
  void close_parenthesis(std::uint32_t end);

  /// The `)` of a call of the two-operand operation `op`; `end` is the offset behind it.
  void close_call(Op op, std::uint32_t end);

  /// The (sub)expression ends here: everything that waits in it is complete.
  void finish();

  /// Where the innermost open parenthesis or call begins.
  std::uint32_t innermost_open() const;

  /// The finished expression; the builder is empty again.
  Expr take();

  /// Forgets an expression that was not finished.
  void clear();

 private:
  enum class Kind : std::uint8_t { Unary, Binary, Question, Select, Open };

  struct Pending {
    Kind kind;
    Op op;
    std::uint32_t begin;  ///< of a unary operator, parenthesis or call
  };

  bool push_nested(Pending pending);
  void pop();
  bool waiting(Kind kind) const { return !pending_.empty() && pending_.back().kind == kind; }
  void emit(Op op, std::size_t arity);
  void apply_unary();
  void apply_binary(int at_least);

  std::vector<ExprNode> nodes_;
  std::vector<SourceSpan> values_;  // the spans of the complete operands that wait for their operator
  std::vector<Pending> pending_;
  unsigned depth_ = 0;  // number of pending entries that count as nesting: all but Binary
};

}  // namespace lockstep::musimd
