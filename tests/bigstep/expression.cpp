// Operands and operations: t, β ⊢ e = c.

#include <stdexcept>

#include "tests/bigstep/rules.hpp"

namespace bigstep {
namespace {

std::uint64_t bits(std::int64_t n) { return static_cast<std::uint64_t>(n); }
std::int64_t wrapped(std::uint64_t n) { return static_cast<std::int64_t>(n); }

std::int64_t unary(const std::string& sign, std::int64_t a) {
  if (sign == "-") {
    return wrapped(0 - bits(a));
  }
  if (sign == "~") {
    return ~a;
  }
  if (sign == "!") {
    return a == 0 ? 1 : 0;
  }
  throw std::logic_error("unknown operator " + sign);
}

/// b is not zero for "/" and "%". Dividing by -1 is negation, which wraps where the hardware's division would trap.
std::int64_t binary(const std::string& sign, std::int64_t a, std::int64_t b) {
  if (sign == "+") {
    return wrapped(bits(a) + bits(b));
  }
  if (sign == "-") {
    return wrapped(bits(a) - bits(b));
  }
  if (sign == "*") {
    return wrapped(bits(a) * bits(b));
  }
  if (sign == "/") {
    return b == -1 ? wrapped(0 - bits(a)) : a / b;
  }
  if (sign == "%") {
    return b == -1 ? 0 : a % b;
  }
  if (sign == "<<") {
    return wrapped(bits(a) << (bits(b) % 64));
  }
  if (sign == ">>") {
    return a >> (bits(b) % 64);
  }
  if (sign == "&") {
    return a & b;
  }
  if (sign == "^") {
    return a ^ b;
  }
  if (sign == "|") {
    return a | b;
  }
  if (sign == "<") {
    return a < b ? 1 : 0;
  }
  if (sign == "<=") {
    return a <= b ? 1 : 0;
  }
  if (sign == ">") {
    return a > b ? 1 : 0;
  }
  if (sign == ">=") {
    return a >= b ? 1 : 0;
  }
  if (sign == "==") {
    return a == b ? 1 : 0;
  }
  if (sign == "!=") {
    return a != b ? 1 : 0;
  }
  if (sign == "&&") {
    return a != 0 && b != 0 ? 1 : 0;
  }
  if (sign == "||") {
    return a != 0 || b != 0 ? 1 : 0;
  }
  if (sign == "min") {
    return a < b ? a : b;
  }
  if (sign == "max") {
    return a > b ? a : b;
  }
  throw std::logic_error("unknown operator " + sign);
}

/// ⊕ on operands that are numbers or poison.
Value combine(const std::string& sign, const std::vector<Value>& operands, unsigned t) {
  if (sign == "?:") {
    if (operands[0] == poison) {
      return poison;
    }
    return operands[0].number != 0 ? operands[1] : operands[2];
  }
  if ((sign == "/" || sign == "%") && operands[1] == number(0)) {
    undefined(t, "division by zero");
  }
  for (const Value& operand : operands) {
    if (operand == poison) {
      return poison;
    }
  }
  if (operands.size() == 1) {
    return number(unary(sign, operands[0].number));
  }
  return number(binary(sign, operands[0].number, operands[1].number));
}

}  // namespace

Value evaluate(const Config& m, unsigned t, const Expression& e) {
  switch (e.kind) {
    case Expression::Kind::Constant:
      return number(e.constant);
    case Expression::Kind::ThreadId:  // MT
      return number(t);
    case Expression::Kind::Variable: {  // MV
      const Value value = m.locals.at(e.name).at(t);
      if (value.kind == Value::Uninitialised) {
        undefined(t, "read of uninitialised variable " + e.name);
      }
      return value;
    }
    case Expression::Kind::Operation: {
      std::vector<Value> operands;
      for (const Expression& operand : e.operands) {
        operands.push_back(evaluate(m, t, operand));
      }
      return combine(e.name, operands, t);
    }
  }
  throw std::logic_error("no such expression");
}

}  // namespace bigstep
