// The operations of semantics/ops on values, made of the primitives in value_term.hpp.

#include <algorithm>

#include "semantics/base/internal_error.hpp"
#include "semantics/prove/value_term.hpp"

namespace lockstep::prove {

namespace {

/// Of a signed T in the unsigned type of its width.
template <class T>
Value absolute(const Number<T>& a) {
  const Number<T> result = choose(less(a, like(a, 0)), ops::Neg(a), a);
  return result.value.as(scalar_type_of<std::make_unsigned_t<T>>);
}

/// How many bits are 1.
template <class T>
Value ones(const Number<T>& a) {
  Number<T> sum = like(a, 0);
  for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit) {
    sum = plus(sum, bit_and(ops::Shr(a, like(a, bit)), like(a, 1)));
  }
  return sum.value;
}

template <class T>
Value function(Op op, std::span<const Value> v) {
  const Number<T> a{v[0]};
  if constexpr (std::is_floating_point_v<T>) {
    switch (op) {
      case Op::Fma:
        return fused(v[0], v[1], v[2]);
      case Op::Sqrt:
        return square_root(v[0]);
      case Op::Fabs:
        return magnitude(v[0]);
      case Op::Rcp:
        return quotient(like(a, 1), a).value;
      default:
        break;
    }
  } else {
    if (op == Op::Popcount) {
      return ones(a);
    }
    if constexpr (std::is_signed_v<T>) {
      if (op == Op::Abs) {
        return absolute(a);
      }
    }
    if (op == Op::Abs) {
      return v[0];
    }
  }
  throw InternalError("an operation on a type that it does not take");
}

template <class T>
Value operation(Op op, std::span<const Value> v) {
  const auto operand = [&](std::size_t k) { return Number<T>{v[k]}; };
  switch (op) {
#define LOCKSTEP_CALL_1(id) ops::id(operand(0)).value
#define LOCKSTEP_CALL_2(id) ops::id(operand(0), operand(1)).value
#define LOCKSTEP_CALL_3(id) ops::id(operand(0), operand(1), operand(2)).value
#define OP(id, text, arity, precedence, undefined, meaning)                 \
  case Op::id:                                                              \
    if constexpr (!(integer_only(Op::id) && std::is_floating_point_v<T>)) { \
      return LOCKSTEP_CALL_##arity(id);                                     \
    }                                                                       \
    break;
#include "semantics/ops/ops.def"
#undef OP
#undef LOCKSTEP_CALL_1
#undef LOCKSTEP_CALL_2
#undef LOCKSTEP_CALL_3
    default:
      break;
  }
  return function<T>(op, v);
}

template <class T>
Truth truth_of(Op op, std::span<const Value> v) {
  const auto operand = [&](std::size_t k) { return Number<T>{v[k]}; };
  switch (op) {
    case Op::Lt:
      return ops::holds::Lt(operand(0), operand(1));
    case Op::Le:
      return ops::holds::Le(operand(0), operand(1));
    case Op::Gt:
      return ops::holds::Gt(operand(0), operand(1));
    case Op::Ge:
      return ops::holds::Ge(operand(0), operand(1));
    case Op::Eq:
      return ops::holds::Eq(operand(0), operand(1));
    case Op::Ne:
      return ops::holds::Ne(operand(0), operand(1));
    case Op::LogicalNot:
      return ops::holds::LogicalNot(operand(0));
    case Op::LogicalAnd:
      return ops::holds::LogicalAnd(operand(0), operand(1));
    case Op::LogicalOr:
      return ops::holds::LogicalOr(operand(0), operand(1));
    default:
      break;
  }
  throw InternalError("an operation that gives no truth value");
}

/// Of truth values: the operations that there are on bool.
Truth of_truths(Op op, std::span<const Value> v) {
  const Truth a = nonzero(v[0]);
  const Truth b = v.size() > 1 ? nonzero(v[1]) : Truth(false);
  switch (op) {
    case Op::BitAnd:
    case Op::LogicalAnd:
    case Op::Min:
      return a && b;
    case Op::BitOr:
    case Op::LogicalOr:
    case Op::Max:
      return a || b;
    case Op::BitXor:
    case Op::Ne:
      return !same(a, b);
    case Op::Eq:
      return same(a, b);
    case Op::LogicalNot:
      return !a;
    default:
      break;
  }
  throw InternalError("an operation that bool does not have");
}

bool some_any(std::span<const Value> v) {
  return std::any_of(v.begin(), v.end(), [](const Value& each) { return each.is_any(); });
}

}  // namespace

Value apply(Op op, ScalarType type, std::span<const Value> operands) {
  if (some_any(operands)) {
    return {};
  }
  if (gives_truth(op)) {
    return Value::truth(ScalarType::Int, holds(op, type, operands));
  }
  if (type == ScalarType::Bool) {
    return Value::truth(type, of_truths(op, operands));
  }
  return with_type(type, [&]<class T>(T) { return operation<T>(op, operands); });
}

Truth holds(Op op, ScalarType type, std::span<const Value> operands) {
  if (some_any(operands)) {
    return Truth(false);
  }
  if (type == ScalarType::Bool && !is_order(op)) {
    return of_truths(op, operands);
  }
  return with_type(type, [&]<class T>(T) { return truth_of<T>(op, operands); });
}

Truth undefined(Op op, ScalarType type, std::span<const Value> operands) {
  if (!may_be_undefined(op, type) || some_any(operands)) {
    return Truth(false);
  }
  const Value& divisor = operands[1];
  Truth by_zero = equal(divisor, Value::number(type, 0));
  if (!is_signed(type)) {
    return by_zero;
  }
  const std::uint64_t lowest = ~std::uint64_t{0} << (bits_of(type) - 1);
  return by_zero || (equal(divisor, Value::number(type, ~std::uint64_t{0})) && equal(operands[0], Value::number(type, lowest)));
}

}  // namespace lockstep::prove
