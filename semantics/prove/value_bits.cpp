// The bits of floats. An IEEE number of Z3 has some, but for NaN: of that there is one. So the bits of a float are found by how it is made:
// what was made of bits has those, through moves and choices, and a change of the sign changes that bit. The NaN that any other operation
// gives has some bits that depend on the operation and the bits of its operands: nobody says which. (Not on their values: those know one
// NaN, and x + y has the same as y + x.)

#include <z3++.h>

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "semantics/base/internal_error.hpp"
#include "semantics/ops/lane.hpp"
#include "semantics/prove/budget.hpp"
#include "semantics/prove/context.hpp"
#include "semantics/prove/value_expression.hpp"
#include "semantics/prove/value_term.hpp"

namespace lockstep::prove {

namespace {

using Found = std::unordered_map<unsigned, z3::expr>;  // the bits of terms, by the term's number

bool has_bits(const z3::expr& e) { return e.get_sort().sort_kind() == Z3_FLOATING_POINT_SORT; }

unsigned width_of(const z3::expr& number) { return number.get_sort().fpa_ebits() + number.get_sort().fpa_sbits(); }

/// Bits of a NaN: all ones in the exponent, and not only zeros behind it.
z3::expr some_nan(const z3::expr& number, const z3::expr& any) {
  const unsigned fraction = number.get_sort().fpa_sbits() - 1;
  const unsigned width = width_of(number);
  const std::uint64_t fractions = (std::uint64_t{1} << fraction) - 1;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  const std::uint64_t exponents = (sign - 1) & ~fractions;
  const auto constant = [&](std::uint64_t bits) { return context().bv_val(bits, width); };
  const z3::expr high = any | constant(exponents);
  return z3::ite((any & constant(fractions)) == constant(0), high | constant(1), high);
}

/// Of what an operation has computed.
z3::expr computed_bits(const z3::expr& number, const Found& found) {
  std::vector<z3::expr> operands;
  for (unsigned k = 0; k < number.num_args(); ++k) {
    const z3::expr operand = number.arg(k);
    if (has_bits(operand)) {
      operands.push_back(found.at(operand.id()));
    } else if (operand.get_sort().sort_kind() != Z3_ROUNDING_MODE_SORT) {
      operands.push_back(operand);
    }
  }
  const z3::expr any = unknown_function("nan of " + number.decl().name().str(), context().bv_sort(width_of(number)), operands);
  const z3::expr bits = z3::ite(number.mk_is_nan(), some_nan(number, any), number.mk_to_ieee_bv());
  return number.num_args() == 0 ? bits.simplify() : bits;  // a numeral
}

z3::expr bits_by_form(const z3::expr& number, const Found& found) {
  const unsigned width = width_of(number);
  const z3::expr sign = context().bv_val(std::uint64_t{1} << (width - 1), width);
  const auto operand = [&](unsigned k) { return found.at(number.arg(k).id()); };
  switch (number.decl().decl_kind()) {
    case Z3_OP_ITE:
      return z3::ite(number.arg(0), operand(1), operand(2));
    case Z3_OP_FPA_NEG:
      return operand(0) ^ sign;
    case Z3_OP_FPA_ABS:
      return operand(0) & ~sign;
    case Z3_OP_FPA_TO_FP:
      if (number.num_args() == 1 && number.arg(0).is_bv()) {
        return number.arg(0);
      }
      break;
    default:
      break;
  }
  return computed_bits(number, found);
}

}  // namespace

z3::expr float_of_bits(ScalarType type, const z3::expr& bits) { return bits.mk_from_ieee_bv(sort_of(type)); }

z3::expr bits_of_float(const z3::expr& number) {
  Found found;
  std::vector<z3::expr> open{number};  // no recursion: sums are as deep as loops have rounds
  while (!open.empty()) {
    Budget::check();
    const z3::expr e = open.back();
    const std::size_t before = open.size();
    for (unsigned k = 0; k < e.num_args(); ++k) {
      if (has_bits(e.arg(k)) && !found.contains(e.arg(k).id())) {
        open.push_back(e.arg(k));
      }
    }
    if (open.size() == before) {
      found.emplace(e.id(), bits_by_form(e, found));
      open.pop_back();
    }
  }
  return found.at(number.id());
}

Value bitcast(ScalarType to, const Value& v) {
  return by_cases(v, [&](const Value& x) -> Value {
    const Node node = x.as_term();
    if (node != nullptr && is_float(x.type()) && !is_float(to) && !FloatTheory::shows_bits()) {
      throw InternalError("the bits of floats, where any NaN stands for any other");
    }
    if (node == nullptr || !exact() || is_float(x.type()) == is_float(to)) {
      return x.as(to);
    }
    return value_of(to, is_float(to) ? float_of_bits(to, *node) : bits_of_float(*node));
  });
}

MaybePoison changed(AtomicOp op, ScalarType type, const MaybePoison& old, const MaybePoison& compare, const MaybePoison& operand) {
  Truth same(true);
  Value value = operand.value;
  if (const std::optional<Op> change = info(op).change) {
    value = apply(*change, type, std::array{old.value, operand.value});
  } else if (op == AtomicOp::CompareExchange) {
    const auto bits = [&](const Value& v) {
      return is_float(type) ? bitcast(size_of(type) == 8 ? ScalarType::ULong : ScalarType::UInt, v) : v;
    };
    same = equal(bits(old.value), bits(compare.value));
    value = choose(same, operand.value, old.value);
  }
  return {value, ops::poison_of_change(op, old.poison, compare.poison, same, operand.poison)};
}

}  // namespace lockstep::prove
