#include "semantics/generate/known_values.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <variant>

#include "semantics/ops/apply.hpp"

namespace lockstep::generate {

namespace {

namespace syntax = core::syntax;
using syntax::BinaryOp;
using syntax::UnaryOp;

/// In the order of BinaryOp.
constexpr std::array binary_ops = {Op::Mul, Op::Div, Op::Rem, Op::Add, Op::Sub,    Op::Shl,    Op::Shr,   Op::Lt,         Op::Le,
                                   Op::Gt,  Op::Ge,  Op::Eq,  Op::Ne,  Op::BitAnd, Op::BitXor, Op::BitOr, Op::LogicalAnd, Op::LogicalOr};

ScalarType promoted(ScalarType type) { return std::max(type, ScalarType::Int); }

bool is_true(Value value) {
  const auto truth = ops::convert(value.type, ScalarType::Bool, value.bits);
  return truth && *truth != 0;
}

bool is_shift(BinaryOp op) { return op == BinaryOp::Shl || op == BinaryOp::Shr; }

/// Whether the result on signed integers is not the mathematical one.
bool overflows(Op op, ScalarType type, std::uint64_t left, std::uint64_t right, std::uint64_t result) {
  std::int64_t exact = 0;
  const auto a = static_cast<std::int64_t>(left);
  const auto b = static_cast<std::int64_t>(right);
  const bool is_wider = op == Op::Add   ? __builtin_add_overflow(a, b, &exact)
                        : op == Op::Sub ? __builtin_sub_overflow(a, b, &exact)
                        : op == Op::Mul ? __builtin_mul_overflow(a, b, &exact)
                                        : false;
  const bool counts = is_integer(type) && is_signed(type) && (op == Op::Add || op == Op::Sub || op == Op::Mul);
  return counts && (is_wider || static_cast<std::uint64_t>(exact) != result);
}

class Evaluator {
 public:
  explicit Evaluator(KnownValues& values) : values_(values) {}

  std::optional<Value> operator()(const syntax::Expr& e) {
    return std::visit([&](const auto& node) { return of(node); }, e.node);
  }

 private:
  template <class Node>
  std::optional<Value> of(const Node&) {
    return std::nullopt;
  }
  std::optional<Value> of(const syntax::IntegerLiteral& literal) { return converted({ScalarType::ULong, literal.value}, type_of(literal)); }
  std::optional<Value> of(const syntax::BoolLiteral& literal) { return Value{ScalarType::Bool, literal.value ? 1U : 0U}; }
  std::optional<Value> of(const syntax::Identifier& identifier) { return found(identifier.name); }
  std::optional<Value> of(const syntax::Call& call) { return found(call.function.text); }

  std::optional<Value> of(const syntax::Unary& unary) {
    switch (unary.op) {
      case UnaryOp::PreIncrement:
      case UnaryOp::PostIncrement:
      case UnaryOp::PreDecrement:
      case UnaryOp::PostDecrement: {
        const bool is_up = unary.op == UnaryOp::PreIncrement || unary.op == UnaryOp::PostIncrement;
        const bool is_pre = unary.op == UnaryOp::PreIncrement || unary.op == UnaryOp::PreDecrement;
        const auto before = (*this)(*unary.operand);
        const auto after = before ? binary(is_up ? BinaryOp::Add : BinaryOp::Sub, *before, {ScalarType::Int, 1}) : std::nullopt;
        const auto stored = after ? store(*unary.operand, *after) : std::nullopt;
        return is_pre ? stored : stored ? before : std::nullopt;
      }
      case UnaryOp::Dereference:
      case UnaryOp::AddressOf:
        return std::nullopt;
      default:
        break;
    }
    const auto operand = (*this)(*unary.operand);
    if (!operand) {
      return std::nullopt;
    }
    const auto value = converted(*operand, promoted(operand->type));
    switch (unary.op) {
      case UnaryOp::Plus:
        return value;
      case UnaryOp::Not:
        return Value{ScalarType::Int, is_true(*operand) ? 0U : 1U};
      case UnaryOp::Minus:
        return binary(BinaryOp::Sub, {value->type, 0}, *value);
      default:
        return applied(Op::BitNot, value->type, std::array{value->bits});
    }
  }

  std::optional<Value> of(const syntax::Binary& e) {
    const auto left = (*this)(*e.left);
    if (!left) {
      return std::nullopt;
    }
    if (e.op == BinaryOp::And || e.op == BinaryOp::Or) {
      if (is_true(*left) == (e.op == BinaryOp::Or)) {
        return Value{ScalarType::Int, is_true(*left) ? 1U : 0U};
      }
      const auto right = (*this)(*e.right);
      return right ? std::optional(Value{ScalarType::Int, is_true(*right) ? 1U : 0U}) : std::nullopt;
    }
    const auto right = (*this)(*e.right);
    return right ? binary(e.op, *left, *right) : std::nullopt;
  }

  std::optional<Value> of(const syntax::Assignment& e) {
    const auto before = e.op ? (*this)(*e.left) : Value{};
    const auto right = before ? (*this)(*e.right) : std::nullopt;
    const auto result = !right || !e.op ? right : binary(*e.op, *before, *right);
    return result ? store(*e.left, *result) : std::nullopt;
  }

  std::optional<Value> of(const syntax::Conditional& e) {
    const auto when = (*this)(*e.condition);
    if (!when) {
      return std::nullopt;
    }
    // The type is that of both arms, of which one is not evaluated: an evaluation aside.
    KnownValues aside = values_;
    const auto other = Evaluator(aside)(is_true(*when) ? *e.otherwise : *e.then);
    const auto chosen = (*this)(is_true(*when) ? *e.then : *e.otherwise);
    return other && chosen ? converted(*chosen, promoted(std::max(chosen->type, other->type))) : std::nullopt;
  }

  std::optional<Value> of(const syntax::Cast& e) {
    const auto operand =
        e.type.specifiers.type && e.type.specifiers.components == 1 && e.type.pointers == 0 ? (*this)(*e.operand) : std::nullopt;
    return operand ? converted(*operand, *e.type.specifiers.type) : std::nullopt;
  }

  std::optional<Value> found(const std::string& name) const {
    const Value* value = values_.find(name);
    return value == nullptr ? std::nullopt : std::optional(*value);
  }

  std::optional<Value> store(const syntax::Expr& place, Value value) {
    const auto* variable = std::get_if<syntax::Identifier>(&place.node);
    const Value* before = variable == nullptr ? nullptr : values_.find(variable->name);
    const auto result = before == nullptr ? std::nullopt : converted(value, before->type);
    if (result) {
      values_.set(variable->name, *result);
    }
    return result;
  }

  static std::optional<Value> applied(Op op, ScalarType type, std::span<const std::uint64_t> operands) {
    const auto bits = ops::takes(op, type) ? ops::apply(op, type, operands) : std::nullopt;
    return bits ? std::optional(Value{ops::result_type(op, type), *bits}) : std::nullopt;
  }

  std::optional<Value> binary(BinaryOp sign, Value left, Value right) {
    const Op op = binary_ops[static_cast<std::size_t>(sign)];
    const ScalarType type = is_shift(sign) ? promoted(left.type) : promoted(std::max(left.type, right.type));
    const auto a = converted(left, type);
    const auto b = is_shift(sign) ? std::optional(right) : converted(right, type);
    const auto result = a && b ? applied(op, type, std::array{a->bits, b->bits}) : std::nullopt;
    values_.overflowed = values_.overflowed || (result && overflows(op, type, a->bits, b->bits, result->bits));
    return result;
  }

  KnownValues& values_;
};

}  // namespace

void KnownValues::set(const std::string& name, Value value) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  if (found == entries.end()) {
    entries.push_back({name, value});
  } else {
    found->value = value;
  }
}

const Value* KnownValues::find(const std::string& name) const {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? nullptr : &found->value;
}

ScalarType type_of(const syntax::IntegerLiteral& literal) {
  if (literal.is_character) {
    return ScalarType::Int;
  }
  const bool may_be_unsigned = literal.is_unsigned || !literal.is_decimal;
  const bool may_be_signed = !literal.is_unsigned;
  if (!literal.is_long && may_be_signed && literal.value <= 0x7FFFFFFF) {
    return ScalarType::Int;
  }
  if (!literal.is_long && may_be_unsigned && literal.value <= 0xFFFFFFFF) {
    return ScalarType::UInt;
  }
  return may_be_signed && literal.value <= 0x7FFFFFFFFFFFFFFF ? ScalarType::Long : ScalarType::ULong;
}

std::optional<Value> converted(Value value, ScalarType to) {
  const auto bits = ops::convert(value.type, to, value.bits);
  return bits ? std::optional(Value{to, *bits}) : std::nullopt;
}

std::optional<Value> value_of(const syntax::Expr& expression, KnownValues& values) { return Evaluator(values)(expression); }

std::optional<unsigned> rounds_of(const LoopHead& head, KnownValues& values, unsigned most) {
  const auto start = value_of(*head.start, values);
  const auto first = start ? converted(*start, head.type) : std::nullopt;
  if (!first) {
    return std::nullopt;
  }
  values.set(head.counter, *first);
  unsigned rounds = 0;
  for (bool is_tested = !head.is_tested_last;; is_tested = true) {
    if (is_tested) {
      const auto again = value_of(*head.condition, values);
      if (!again || !is_true(*again)) {
        return again ? std::optional(rounds) : std::nullopt;
      }
    }
    if (++rounds > most) {
      return std::nullopt;
    }
    for (const BodyChange& change : head.changes) {
      const auto when = change.when == nullptr ? Value{ScalarType::Int, 1} : value_of(*change.when, values);
      if (!when || (is_true(*when) && !value_of(*change.what, values))) {
        return std::nullopt;
      }
    }
    if (!value_of(*head.step, values)) {
      return std::nullopt;
    }
  }
}

}  // namespace lockstep::generate
