#pragma once
// Turns the tokens of a typed expression, fed from left to right, into the post-order of program.hpp, and finds every type on the way.

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::typed {

/// Parentheses, brackets, calls, unary operators and conditionals may nest this deep in a text; the parser refuses more.
inline constexpr unsigned max_expression_depth = 400;

/// An error in a line that is correct so far. Thrown by the parser's parts, and never leaves it.
struct LineError {
  Diagnostic diagnostic;
};

/// Throws a LineError.
[[noreturn]] void refuse(SourceSpan where, std::string message, Diagnostics notes = {});

/// What stands before a parenthesis: an operation of ops.def that is written as a call, or the type of a conversion.
using Callee = std::variant<Op, ScalarType>;

/// Operator precedence without recursion: pending operators wait on a stack until their right operand is complete. The caller (the
/// grammar) checks the syntax; the calls must come in the order of a correct expression. A wrong type ends in a LineError. One builder
/// serves many expressions, one after the other; `clear` starts afresh after an abandoned one.
class ExpressionBuilder {
 public:
  /// A node without operands, with its type and span.
  void operand(const ExprNode& node);

  /// A prefix operator.
  void unary(Op op, SourceSpan sign);

  /// A left-associative infix operator.
  void binary(Op op, SourceSpan sign);

  /// The `?` of a conditional, and its `:`; the middle operand was ended by `finish`.
  void question(SourceSpan sign);
  void colon();

  /// `(`; or a call or `within(`, where `token` is the word; or the name of an array, before its `[`.
  void open(SourceSpan token);
  void open_call(Callee callee, SourceSpan token);
  void open_element(RegisterId array, const ValueType& type, SourceSpan token);

  /// The closing bracket of the innermost one that is open; `end` is the offset behind it.
  void close(std::uint32_t end);
  /// The same for `within(`, with the limit, its second operand.
  void close_within(std::uint64_t limit, std::uint32_t end);

  /// The (sub)expression ends here: everything that waits in it is complete.
  void finish();

  /// Where the innermost open bracket begins.
  SourceSpan innermost_open() const;

  /// The finished expression; the builder is empty again.
  Expr take();

  /// Forgets an expression that was not finished.
  void clear();

 private:
  struct Parenthesis {};
  struct OpenElement {
    RegisterId array;
    ValueType type;
  };
  struct Unary {
    Op op;
  };
  struct Binary {
    Op op;
  };
  struct Question {};
  struct Colon {};
  struct Pending {
    std::variant<Parenthesis, Callee, OpenElement, Unary, Binary, Question, Colon> what;
    SourceSpan token;
    std::size_t values;  // complete operands below it
  };
  struct Value {
    ValueType type;
    SourceSpan span;
  };

  template <class Kind>
  bool waiting() const {
    return !pending_.empty() && std::holds_alternative<Kind>(pending_.back().what);
  }
  void push_nested(Pending pending);
  Pending pop();
  void emit(decltype(ExprNode::node) node, const ValueType& type, SourceSpan span, std::size_t arity);
  void emit_operation(Op op, SourceSpan sign, SourceSpan span, std::size_t arity);
  void emit_binary(Op op, SourceSpan sign);
  void emit_select(SourceSpan sign);
  void close_call(Callee callee, const Pending& opened, SourceSpan span);
  void apply_unary();
  void apply_binary(int at_least);

  std::vector<ExprNode> nodes_;
  std::vector<Value> values_;  // the complete operands that wait for their operator
  std::vector<Pending> pending_;
  unsigned depth_ = 0;  // number of pending entries that count as nesting: all but Binary
};

}  // namespace lockstep::typed
