#pragma once
// Operator precedence without recursion.

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "semantics/base/program_text.hpp"
#include "semantics/base/source.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::musimd {

/// The base of an expression builder `Self`: pending operators wait on a stack until their right operand is complete. The caller (the
/// grammar) checks the syntax; the calls must come in the order of a correct expression. Self has
///   void emit_unary(Op op, SourceSpan sign), void emit_binary(Op op, SourceSpan sign), void emit_select(SourceSpan sign)
/// which make one operand of the last one, two or three. `Bracket` is what Self wants to know of a bracket when it is closed. More than
/// `max_depth` brackets, prefix operators and conditionals inside each other are refused.
template <class Self, class Bracket, unsigned max_depth>
class OperatorStack {
 public:
  /// A prefix operator.
  void unary(Op op, SourceSpan sign) { push_nested({Unary{op}, sign}); }

  /// A left-associative infix operator.
  void binary(Op op, SourceSpan sign) {
    apply_binary(info(op).precedence);
    pending_.push_back({Binary{op}, sign});
  }

  /// The `?` of a conditional, and its `:`; the middle operand was ended by `finish`.
  void question(SourceSpan sign) {
    apply_binary(0);  // a waiting Colon stays: the conditional is right-associative
    push_nested({Question{}, sign});
  }
  void colon() { pending_.back().what = Colon{}; }

  /// The (sub)expression ends here: everything that waits in it is complete.
  void finish() {
    apply_binary(0);
    while (waiting<Colon>()) {
      self().emit_select(pop().token);
    }
  }

  /// Where the innermost open bracket begins; an empty span if there is none.
  SourceSpan innermost_open() const {
    for (auto entry = pending_.rbegin(); entry != pending_.rend(); ++entry) {
      if (std::holds_alternative<Bracket>(entry->what)) {
        return entry->token;
      }
    }
    return {};
  }

 protected:
  /// A bracket that was open, and where it, or the word before it, begins.
  struct Opened {
    Bracket bracket;
    SourceSpan token;
  };

  void push_bracket(Bracket bracket, SourceSpan token) { push_nested({std::move(bracket), token}); }
  /// The innermost bracket, which is closed; what it makes of its operands is an operand (operand_complete).
  Opened pop_bracket() {
    const Pending top = pop();
    return {std::get<Bracket>(top.what), top.token};
  }

  /// An operand is there: prefix operators that wait for it are applied.
  void operand_complete() {
    while (waiting<Unary>()) {
      const Pending top = pop();
      self().emit_unary(std::get<Unary>(top.what).op, top.token);
    }
  }

  void clear_operators() {
    pending_.clear();
    depth_ = 0;
  }

 private:
  OperatorStack() = default;
  friend Self;
  struct Unary {
    Op op;
  };
  struct Binary {
    Op op;
  };
  struct Question {};
  struct Colon {};
  struct Pending {
    std::variant<Bracket, Unary, Binary, Question, Colon> what;
    SourceSpan token;
  };

  Self& self() { return static_cast<Self&>(*this); }

  template <class Kind>
  bool waiting() const {
    return !pending_.empty() && std::holds_alternative<Kind>(pending_.back().what);
  }

  void push_nested(Pending pending) {
    if (++depth_ > max_depth) {
      refuse(pending.token, "the expression is nested too deeply: at most " + std::to_string(max_depth) + " levels are allowed");
    }
    pending_.push_back(std::move(pending));
  }

  Pending pop() {
    Pending top = std::move(pending_.back());
    depth_ -= std::holds_alternative<Binary>(top.what) ? 0U : 1U;
    pending_.pop_back();
    return top;
  }

  void apply_binary(int at_least) {
    while (waiting<Binary>() && info(std::get<Binary>(pending_.back().what).op).precedence >= at_least) {
      const Pending top = pop();
      self().emit_binary(std::get<Binary>(top.what).op, top.token);
    }
  }

  std::vector<Pending> pending_;
  unsigned depth_ = 0;  // number of pending entries that count as nesting: all but Binary
};

}  // namespace lockstep::musimd
