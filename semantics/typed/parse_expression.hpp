#pragma once
// Turns the tokens of a typed expression, fed from left to right, into the post-order of program.hpp, and finds every type on the way.

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "semantics/base/source.hpp"
#include "semantics/musimd/operator_stack.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::typed {

/// Parentheses, brackets, calls, unary operators and conditionals may nest this deep in a text; the parser refuses more.
inline constexpr unsigned max_expression_depth = 400;

/// The operations on bool whose result is one again, or an int: no others are defined for it.
constexpr bool takes_bool(Op op) {
  return gives_truth(op) || op == Op::Min || op == Op::Max || op == Op::BitAnd || op == Op::BitXor || op == Op::BitOr;
}

/// `as.float(`.
struct BitsAs {
  ScalarType to;
};
/// `maybe(v)`
struct Carries {};
/// What stands before a parenthesis: an operation of ops.def that is written as a call, the type of a conversion, that of a bitcast, the
/// one that a pointer is taken for, or `maybe`.
using Callee = std::variant<Op, ScalarType, BitsAs, ValueType, Carries>;

/// What waits for its closing bracket: a parenthesis or `within(`, a call, or an element of an array.
struct OpenElement {
  RegisterId array;
  ValueType type;
};
struct Bracket {
  std::variant<std::monostate, Callee, OpenElement> what;
  std::size_t values = 0;  ///< complete operands before it
};

/// Operators are fed as OperatorStack says. A wrong type ends in a Refused error. One builder serves many expressions, one after the
/// other; `clear` starts afresh after an abandoned one.
class ExpressionBuilder : public musimd::OperatorStack<ExpressionBuilder, Bracket, max_expression_depth> {
 public:
  /// A node without operands, with its type and span.
  void operand(const ExprNode& node);

  /// `(`; or a call or `within(`, where `token` is the word; or the name of an array, before its `[`.
  void open(SourceSpan token) { push_bracket({{}, values_.size()}, token); }
  void open_call(Callee callee, SourceSpan token) { push_bracket({callee, values_.size()}, token); }
  void open_element(RegisterId array, const ValueType& type, SourceSpan token) {
    push_bracket({OpenElement{array, type}, values_.size()}, token);
  }

  /// The closing bracket of the innermost one that is open; `end` is the offset behind it.
  void close(std::uint32_t end);
  /// The same for `within(`, with what stands behind its first operand.
  void close_within(const Within& within, std::uint32_t end);

  /// The finished expression; the builder is empty again.
  Expr take();

  /// Forgets an expression that was not finished.
  void clear();

 private:
  struct Value {
    ValueType type;
    SourceSpan span;
  };

  friend OperatorStack;
  void emit_unary(Op op, SourceSpan sign) { emit_operation(op, sign, {sign.begin, values_.back().span.end}, 1); }
  void emit_binary(Op op, SourceSpan sign);
  void emit_select(SourceSpan sign);
  void emit(decltype(ExprNode::node) node, const ValueType& type, SourceSpan span, std::size_t arity);
  void emit_operation(Op op, SourceSpan sign, SourceSpan span, std::size_t arity);
  void close_call(Callee callee, const Opened& opened, SourceSpan span);
  void close_bitcast(ScalarType to, SourceSpan span);

  std::vector<ExprNode> nodes_;
  std::vector<Value> values_;  // the complete operands that wait for their operator
};

}  // namespace lockstep::typed
