#pragma once
// What the parsers of the steppers' expressions have in common: characters and operators.

#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "interpreter/debug/text.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep {

template <class Self, class Expression>
class ValueParser;

/// The base of a parser `Self` of C expressions with the operators of ops.def, by precedence climbing. The first problem is kept,
/// everything after it only ends the parse. Self has unary(), which parses an operand with what stands before it, and emit_operation(Op).
template <class Self>
class OperatorParser {
 protected:
  static constexpr unsigned max_depth = 100;

  bool failed() const { return error_.has_value(); }
  void fail(std::string message) { fail_at(at_, std::move(message)); }
  void fail_at(std::size_t column, std::string message) {
    if (!error_) {
      error_ = ConditionError{column, std::move(message)};
    }
  }

  static bool is_letter(char c) { return c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0; }
  static bool is_letter_or_digit(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

  /// The next character that is no blank; '\0' at the end.
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (failed() || peek() != c) {
      return false;
    }
    ++at_;
    return true;
  }

  void expect(char c, const char* where) {
    if (!accept(c)) {
      fail(std::string("expected '") + c + "' " + where);
    }
  }

  /// One level of nesting more. False, and a problem, if there are too many; else the caller says `--depth_` in the end.
  bool nest() {
    if (++depth_ > max_depth) {
      fail("the expression is nested too deeply");
      return false;
    }
    return true;
  }

  void expression() {
    if (!nest()) {
      return;
    }
    binary(0);
    if (accept('?')) {
      expression();
      expect(':', "of the conditional");
      expression();
      self().emit_operation(Op::Select);
    }
    --depth_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  std::optional<ConditionError> error_;

 private:
  friend Self;
  template <class S, class E>
  friend class ValueParser;
  explicit OperatorParser(std::string_view text) : text_(text) {}

  Self& self() { return static_cast<Self&>(*this); }

  /// The operator of two operands that stands here: the longest that fits.
  const OpInfo* binary_operator() {
    peek();
    const OpInfo* best = nullptr;
    for (const OpInfo& row : op_table) {
      if (row.arity == 2 && !is_letter(row.text.front()) && text_.substr(at_).starts_with(row.text) &&
          (best == nullptr || row.text.size() > best->text.size())) {
        best = &row;
      }
    }
    return best;
  }

  void binary(int lowest) {
    self().unary();
    while (!failed()) {
      const OpInfo* row = binary_operator();
      if (row == nullptr || row->precedence < lowest) {
        return;
      }
      at_ += row->text.size();
      binary(row->precedence + 1);
      self().emit_operation(row->op);
    }
  }
};

}  // namespace lockstep
