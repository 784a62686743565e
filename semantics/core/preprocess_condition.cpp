#include "semantics/core/preprocess_condition.hpp"

#include <algorithm>
#include <optional>

#include "semantics/core/operators.hpp"
#include "semantics/core/parse_literal.hpp"
#include "semantics/core/sema/predefined.hpp"

namespace lockstep::core {
namespace {

using syntax::BinaryInfo;
using syntax::BinaryOp;
using syntax::Precedence;

struct Value {
  std::uint64_t bits = 0;
  bool is_unsigned = false;
};

std::int64_t as_signed(Value value) { return static_cast<std::int64_t>(value.bits); }
Value truth(bool value) { return {value ? 1U : 0U, false}; }

/// What a name stands for that is no macro here, but is one in other compilers' headers: `INT_MAX`. All others are 0.
Value value_of(const Token& name) {
  const auto found = sema::predefined(name.text);
  if (!found) {
    return truth(name.text == "true");
  }
  if (is_float(found->type)) {
    refuse(name, "a condition of the preprocessor computes with integers, not with '" + shortened(name.text) + "'");
  }
  return {found->bits, found->type == ScalarType::ULong || found->type == ScalarType::UInt};
}

/// One pass over the line. What && || and ?: leave out is read all the same, but may divide by 0 (`is_used` is false there).
class Condition {
 public:
  Condition(std::span<const Token> line, const Token& directive) : rest_(line), last_(directive) {}

  Value whole() {
    const Value value = conditional(true, 0);
    if (!rest_.empty()) {
      refuse(rest_.front(), "expected an operator or the end of the line, not '" + shortened(rest_.front().text) + "'");
    }
    return value;
  }

 private:
  bool accept(Word word) {
    const bool found = !rest_.empty() && rest_.front().word == word;
    if (found) {
      take();
    }
    return found;
  }
  const Token& take() {
    last_ = rest_.front();
    rest_ = rest_.subspan(1);
    return last_;
  }
  void expect(Word word) {
    if (!accept(word)) {
      refuse(last_, "expected '" + std::string(word.info().text) + "' behind '" + shortened(last_.text) + "' in the condition");
    }
  }
  void check_nesting(unsigned nesting) const {
    if (nesting > max_condition_nesting) {
      refuse(last_, "the condition is nested too deeply: at most " + std::to_string(max_condition_nesting) + " levels are allowed");
    }
  }

  Value operand(bool is_used, unsigned nesting);
  Value binary(Precedence at_least, bool is_used, unsigned nesting);
  Value conditional(bool is_used, unsigned nesting);
  Value apply(const BinaryInfo& op, Value a, Value b, bool is_used, const Token& where) const;

  std::span<const Token> rest_;
  Token last_;
};

Value Condition::operand(bool is_used, unsigned nesting) {
  check_nesting(nesting);
  if (rest_.empty()) {
    refuse(last_, "expected a number behind '" + shortened(last_.text) + "' in the condition");
  }
  const Token token = take();
  if (token.kind == TokenKind::Identifier) {
    return value_of(token);
  }
  if (token.kind == TokenKind::Character) {
    return {read_character(token).value, false};
  }
  if (token.kind == TokenKind::Number) {
    const auto number = read_number(token);
    const auto* integer = std::get_if<syntax::IntegerLiteral>(&number);
    if (integer == nullptr) {
      refuse(token, "a condition of the preprocessor computes with integers, not with '" + shortened(token.text) + "'");
    }
    return {integer->value, integer->is_unsigned || integer->value > static_cast<std::uint64_t>(INT64_MAX)};
  }
  if (token.word == "("_w) {
    const Value value = conditional(is_used, nesting + 1);
    expect(")"_w);
    return value;
  }
  if (token.word == "-"_w) {
    const Value value = operand(is_used, nesting + 1);
    return {0 - value.bits, value.is_unsigned};
  }
  if (token.word == "+"_w) {
    return operand(is_used, nesting + 1);
  }
  if (token.word == "~"_w) {
    const Value value = operand(is_used, nesting + 1);
    return {~value.bits, value.is_unsigned};
  }
  if (token.word == "!"_w) {
    return truth(operand(is_used, nesting + 1).bits == 0);
  }
  refuse(token, "expected a number, not '" + shortened(token.text) + "'");
}

Value Condition::apply(const BinaryInfo& op, Value a, Value b, bool is_used, const Token& where) const {
  const bool is_unsigned = a.is_unsigned || b.is_unsigned;
  const auto wrapped = [&](std::uint64_t bits) { return Value{bits, is_unsigned}; };
  const bool less = is_unsigned ? a.bits < b.bits : as_signed(a) < as_signed(b);
  switch (op.op) {
    case BinaryOp::Mul:
      return wrapped(a.bits * b.bits);
    case BinaryOp::Div:
    case BinaryOp::Rem: {
      if (b.bits == 0) {
        if (is_used) {
          refuse(where, "the condition divides by 0");
        }
        return wrapped(0);
      }
      const bool is_division = op.op == BinaryOp::Div;
      if (is_unsigned) {
        return wrapped(is_division ? a.bits / b.bits : a.bits % b.bits);
      }
      if (as_signed(b) == -1) {
        return wrapped(is_division ? 0 - a.bits : 0);
      }
      return wrapped(static_cast<std::uint64_t>(is_division ? as_signed(a) / as_signed(b) : as_signed(a) % as_signed(b)));
    }
    case BinaryOp::Add:
      return wrapped(a.bits + b.bits);
    case BinaryOp::Sub:
      return wrapped(a.bits - b.bits);
    case BinaryOp::Shl:
      return {a.bits << (b.bits & 63U), a.is_unsigned};
    case BinaryOp::Shr:
      return {a.is_unsigned ? a.bits >> (b.bits & 63U) : static_cast<std::uint64_t>(as_signed(a) >> (b.bits & 63U)), a.is_unsigned};
    case BinaryOp::Less:
      return truth(less);
    case BinaryOp::LessEqual:
      return truth(less || a.bits == b.bits);
    case BinaryOp::Greater:
      return truth(!less && a.bits != b.bits);
    case BinaryOp::GreaterEqual:
      return truth(!less);
    case BinaryOp::Equal:
      return truth(a.bits == b.bits);
    case BinaryOp::NotEqual:
      return truth(a.bits != b.bits);
    case BinaryOp::BitAnd:
      return wrapped(a.bits & b.bits);
    case BinaryOp::BitXor:
      return wrapped(a.bits ^ b.bits);
    case BinaryOp::BitOr:
      return wrapped(a.bits | b.bits);
    case BinaryOp::And:
      return truth(a.bits != 0 && b.bits != 0);
    case BinaryOp::Or:
      break;
  }
  return truth(a.bits != 0 || b.bits != 0);
}

Value Condition::binary(Precedence at_least, bool is_used, unsigned nesting) {
  Value left = operand(is_used, nesting);
  while (!rest_.empty() && rest_.front().kind == TokenKind::Sign) {
    const auto op = std::ranges::find(syntax::binary_table, rest_.front().text, &BinaryInfo::text);
    if (op == syntax::binary_table.end() || op->precedence < at_least) {
      break;
    }
    const Token sign = take();
    const bool decided = (op->op == BinaryOp::And && left.bits == 0) || (op->op == BinaryOp::Or && left.bits != 0);
    const bool right_used = is_used && !decided;
    const auto tighter = static_cast<Precedence>(static_cast<unsigned>(op->precedence) + 1);
    const Value right = binary(tighter, right_used, nesting + 1);
    left = apply(*op, left, right, right_used, sign);
  }
  return left;
}

Value Condition::conditional(bool is_used, unsigned nesting) {
  check_nesting(nesting);
  const Value condition = binary(Precedence::Or, is_used, nesting);
  if (!accept("?"_w)) {
    return condition;
  }
  const Value then = conditional(is_used && condition.bits != 0, nesting + 1);
  expect(":"_w);
  const Value otherwise = conditional(is_used && condition.bits == 0, nesting + 1);
  return {condition.bits != 0 ? then.bits : otherwise.bits, then.is_unsigned || otherwise.is_unsigned};
}

}  // namespace

bool is_condition_true(std::span<const Token> line, const Token& directive) { return Condition(line, directive).whole().bits != 0; }

}  // namespace lockstep::core
