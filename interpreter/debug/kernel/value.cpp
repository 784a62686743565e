#include "interpreter/debug/kernel/value.hpp"

#include <algorithm>
#include <array>

#include "semantics/memory/pointer.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ops/lane.hpp"

namespace lockstep {

std::string text_of(const KernelValue& value) { return value.is_number() ? ops::text_of(value.type.scalar, value.bits) : "*"; }

bool is_true(const KernelValue& v) {
  return v.is_number() && (v.type.is_pointer ? v.bits != 0 : ops::convert(v.type.scalar, ScalarType::Bool, v.bits).value_or(0) != 0);
}

KernelValue converted(const KernelValue& v, ScalarType to) {
  if (!v.is_number()) {
    return v;
  }
  if (v.type.is_pointer) {
    return KernelValue::nothing("a pointer is no number");
  }
  const auto bits = ops::convert(v.type.scalar, to, v.bits);
  return bits ? KernelValue::scalar(to, *bits) : KernelValue::nothing("it does not fit the type");
}

namespace {

/// C's integer promotions.
ScalarType promoted(ScalarType type) { return type < ScalarType::Int ? ScalarType::Int : type; }

/// C's usual arithmetic conversions; the types are in the order of their rank.
ScalarType common(ScalarType a, ScalarType b) { return std::max(promoted(a), promoted(b)); }

KernelValue on_pointers(Op op, std::span<const KernelValue> operands) {
  const bool both = operands.size() == 2 && operands[0].type.is_pointer && operands[1].type.is_pointer;
  if (both && is_comparison(op)) {
    const std::array<std::uint64_t, 2> bits = {operands[0].bits, operands[1].bits};
    if (memory::misordered(op, bits[0], bits[1])) {
      return KernelValue::nothing("pointers into different objects have no order");
    }
    return KernelValue::scalar(ScalarType::Int, ops::apply(op, memory::pointer_order, bits).value_or(0));
  }
  return KernelValue::nothing("pointers can only be compared and indexed");
}

/// && and ||, whose right side need have no value where the left one decides.
KernelValue logical(Op op, std::span<const KernelValue> operands) {
  const bool deciding = op == Op::LogicalOr;
  if (operands[0].is_number() && is_true(operands[0]) == deciding) {
    return truth(deciding);
  }
  return !operands[0].is_number() ? operands[0] : !operands[1].is_number() ? operands[1] : truth(is_true(operands[1]));
}

KernelValue arithmetic(Op op, std::span<const KernelValue> operands) {
  ScalarType type = promoted(operands[0].type.scalar);
  if (op != Op::Shl && op != Op::Shr) {
    for (const KernelValue& operand : operands) {
      type = common(type, operand.type.scalar);
    }
  }
  if (float_only(op) && !is_float(type)) {
    type = ScalarType::Double;
  }
  if (op == Op::Abs && is_float(type)) {
    op = Op::Fabs;
  }
  if (!ops::takes(op, type)) {
    return KernelValue::nothing("the operation wants integers");
  }
  std::array<std::uint64_t, 3> bits{};
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const KernelValue operand = converted(operands[k], type);
    if (!operand.is_number()) {
      return operand;
    }
    bits.at(k) = operand.bits;
  }
  const auto result = ops::apply(op, type, std::span(bits).first(operands.size()));
  const bool by_zero = operands.size() == 2 && bits[1] == 0;
  return result ? KernelValue::scalar(ops::result_type(op, type), *result)
                : KernelValue::nothing(by_zero ? "division by 0" : "the quotient does not fit");
}

}  // namespace

KernelValue apply_operator(Op op, std::span<const KernelValue> operands) {
  if (op == Op::LogicalAnd || op == Op::LogicalOr) {
    return logical(op, operands);
  }
  const auto at = [&](int k) -> const KernelValue& { return operands[static_cast<std::size_t>(k)]; };
  const int passed = ops::passed_on(
      op, static_cast<int>(operands.size()), [&](int k) { return at(k).is_number(); }, [&](int k) { return is_true(at(k)); });
  if (passed >= 0) {
    const bool is_arm = op == Op::Select && passed != 0;
    return !is_arm && at(passed).is_array ? KernelValue::nothing("an array is no number; name one of its elements") : at(passed);
  }
  if (op == Op::LogicalNot) {
    return truth(!is_true(operands[0]));
  }
  if (std::any_of(operands.begin(), operands.end(), [](const KernelValue& v) { return v.type.is_pointer; })) {
    return on_pointers(op, operands);
  }
  return arithmetic(op, operands);
}

}  // namespace lockstep
