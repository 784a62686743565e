// The primitives and conversions of values: constants on machine numbers, cases one by one, the rest as terms of Z3.

#include <z3++.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "semantics/base/internal_error.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/prove/budget.hpp"
#include "semantics/prove/context.hpp"
#include "semantics/prove/value_expression.hpp"
#include "semantics/prove/value_term.hpp"

namespace lockstep::prove {

namespace {

z3::expr checked(Z3_ast ast) {
  context().check_error();
  return z3::to_expr(context(), ast);
}

z3::expr rounding() { return checked(Z3_mk_fpa_rne(context())); }

std::string named(const char* operation, ScalarType type) { return std::string(operation) + "." + std::string(info(type).name); }

z3::expr numeral(ScalarType type, std::uint64_t bits) {
  if (is_float(type) && exact()) {
    const z3::expr number = float_of_bits(type, context().bv_val(bits, width(type)));
    return ops::is_nan(type, bits) ? number : number.simplify();  // simplified, a NaN has lost its bits
  }
  const std::uint64_t low = width(type) == 64 ? bits : bits & ((std::uint64_t{1} << width(type)) - 1);
  return context().bv_val(low, width(type));
}

/// Whether the constant that an operation gives is one: the bits of a NaN that is computed, and not written, are not known.
bool is_known(ScalarType type, std::uint64_t bits) { return !FloatTheory::shows_bits() || !ops::is_nan(type, bits); }

/// Calls f with machine numbers of the constants' type, and gives the bits of what it returns.
template <class F>
Value folded(ScalarType type, F&& f) {
  return with_type(type, [&]<class T>(T) {
    const auto result = f(T{});
    return Value::number(type, ops::bits_from(static_cast<T>(result)));
  });
}

/// Cases that the operands of an operation may have together, for it to be done case by case.
constexpr unsigned most_cases_together = 64;

/// A constant, or one of several.
bool is_plain(const Value& v) { return v.known() || (v.choice() != nullptr && !has_pointer(v)); }

/// Whether an operation on these is done case by case.
bool by_their_cases(const Value& a, const Value& b) {
  return (a.choice() != nullptr || b.choice() != nullptr) && is_plain(a) && is_plain(b) && a.cases() * b.cases() <= most_cases_together;
}
template <class F>
auto in_each_case(const Value& a, const Value& b, const F& f) {
  return by_cases(a, [&](const Value& x) { return by_cases(b, [&](const Value& y) { return f(x, y); }); });
}

/// Whether the machine would trap, or C has no result: case by case, a divisor may be one that the condition of another case rules out.
template <class T>
bool has_no_result(Primitive p, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return (p == Primitive::Quotient || p == Primitive::Remainder) && ops::division_undefined(a, b);
  }
  return false;
}

template <class T>
T machine(Primitive p, T a, T b) {
  switch (p) {
    case Primitive::Plus:
      return lockstep::plus(a, b);
    case Primitive::Minus:
      return lockstep::minus(a, b);
    case Primitive::Times:
      return lockstep::times(a, b);
    case Primitive::Quotient:
      return lockstep::quotient(a, b);
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (p) {
      case Primitive::Remainder:
        return lockstep::remainder(a, b);
      case Primitive::ShiftLeft:
        return lockstep::shifted_left(a, b);
      case Primitive::ShiftRight:
        return lockstep::shifted_right(a, b);
      case Primitive::And:
        return lockstep::bit_and(a, b);
      case Primitive::Or:
        return lockstep::bit_or(a, b);
      case Primitive::Xor:
        return lockstep::bit_xor(a, b);
      default:
        break;
    }
  }
  throw InternalError("a primitive on numbers that have none such");
}

z3::expr term_of_integers(Primitive p, bool is_signed, const z3::expr& a, const z3::expr& b) {
  switch (p) {
    case Primitive::Plus:
      return a + b;
    case Primitive::Minus:
      return a - b;
    case Primitive::Times:
      return a * b;
    case Primitive::Quotient:
      return is_signed ? a / b : z3::udiv(a, b);
    case Primitive::Remainder:
      return is_signed ? z3::srem(a, b) : z3::urem(a, b);
    case Primitive::ShiftLeft:
      return z3::shl(a, b);
    case Primitive::ShiftRight:
      return is_signed ? z3::ashr(a, b) : z3::lshr(a, b);
    case Primitive::And:
      return a & b;
    case Primitive::Or:
      return a | b;
    case Primitive::Xor:
      break;
  }
  return a ^ b;
}

z3::expr term_of_floats(Primitive p, ScalarType type, const z3::expr& a, const z3::expr& b) {
  using Operation = Z3_ast (*)(Z3_context, Z3_ast, Z3_ast, Z3_ast);
  struct Row {
    const char* name;
    Operation operation;
  };
  static constexpr std::array<Row, 4> rows = {
      {{"add", Z3_mk_fpa_add}, {"sub", Z3_mk_fpa_sub}, {"mul", Z3_mk_fpa_mul}, {"div", Z3_mk_fpa_div}}};
  const Row& row = rows.at(static_cast<std::size_t>(p));
  return exact() ? checked(row.operation(context(), rounding(), a, b)) : unknown_function(named(row.name, type), sort_of(type), {a, b});
}

std::uint64_t bits_of_float(ScalarType type, double number) {
  return type == ScalarType::Double ? ops::bits_from(number) : ops::bits_from(static_cast<float>(number));
}

/// Whether a float may stand for another one where they differ in the bits of a NaN alone; between terms of IEEE numbers Z3 knows it
/// itself.
bool has_shortcuts() { return !exact() && !FloatTheory::shows_bits(); }

/// What IEEE 754 says of every number x, where any NaN stands for any other (tests/proofs/values_test.cpp proves it): x + -0, x - 0, 1 * x
/// and x / 1 are x. Passes rely on it, so that functions of which nothing is known have to obey it as well.
std::optional<Value> float_shortcut(Primitive p, const Value& a, const Value& b) {
  const std::uint64_t one = bits_of_float(a.type(), 1.0);
  const auto neutral = [&](std::uint64_t bits) { return b.known() == bits ? std::optional(a) : std::nullopt; };
  const auto neutral_on_both_sides = [&](std::uint64_t bits) { return a.known() == bits ? std::optional(b) : neutral(bits); };
  switch (p) {
    case Primitive::Plus:
      return neutral_on_both_sides(bits_of_float(a.type(), -0.0));
    case Primitive::Minus:
      return neutral(0);
    case Primitive::Times:
      return neutral_on_both_sides(one);
    case Primitive::Quotient:
      return neutral(one);
    default:
      return std::nullopt;
  }
}

/// The result where one operand is a constant that decides, or changes nothing; of integers.
std::optional<Value> shortcut(Primitive p, const Value& a, const Value& b) {
  const bool left_zero = a.known() == 0;
  const bool right_zero = b.known() == 0;
  switch (p) {
    case Primitive::Plus:
      return left_zero ? std::optional(b) : right_zero ? std::optional(a) : std::nullopt;
    case Primitive::Minus:
    case Primitive::ShiftLeft:
    case Primitive::ShiftRight:
      return right_zero ? std::optional(a) : std::nullopt;
    case Primitive::Times:
      if (left_zero || right_zero) {
        return left_zero ? a : b;
      }
      return a.known() == 1 ? std::optional(b) : b.known() == 1 ? std::optional(a) : std::nullopt;
    default:
      return std::nullopt;
  }
}

template <class F>
Value on_float(const Value& a, const char* name, F exact_term, double (*on_machine)(double), float (*on_floats)(float)) {
  return by_cases(a, [&](const Value& x) -> Value {
    const ScalarType type = x.type();
    if (x.is_any()) {
      return x;
    }
    if (const auto bits = x.known()) {
      const std::uint64_t result = type == ScalarType::Double ? ops::bits_from(on_machine(ops::number_from<double>(*bits)))
                                                              : ops::bits_from(on_floats(ops::number_from<float>(*bits)));
      if (is_known(type, result)) {
        return Value::number(type, result);
      }
    }
    const z3::expr e = expression(x, type);
    return value_of(type, exact() ? exact_term(e) : unknown_function(named(name, type), sort_of(type), {e}));
  });
}

/// The bits of a float under an exact operation on its sign bit alone.
Value with_sign(const Value& a, Z3_ast (*exact_operation)(Z3_context, Z3_ast), bool flips) {
  return by_cases(a, [&](const Value& x) -> Value {
    if (x.is_any()) {
      return x;
    }
    const ScalarType type = x.type();
    const std::uint64_t sign = std::uint64_t{1} << (width(type) - 1);
    if (const auto bits = x.known()) {
      return Value::number(type, flips ? *bits ^ sign : *bits & ~sign);
    }
    const z3::expr e = expression(x, type);
    if (exact()) {
      return value_of(type, checked(exact_operation(context(), e)));
    }
    const z3::expr bit = context().bv_val(sign, width(type));
    return value_of(type, flips ? (e ^ bit) : (e & ~bit));
  });
}

}  // namespace

// ---- values and terms ----------------------------------------------------------------------------------------------------

Node node_of(const z3::expr& e) {
  Budget::check();
  return std::make_shared<const z3::expr>(e);
}

z3::expr unknown_function(const std::string& name, const z3::sort& result, const std::vector<z3::expr>& operands) {
  z3::sort_vector sorts(context());
  z3::expr_vector all(context());
  for (const z3::expr& each : operands) {
    sorts.push_back(each.get_sort());
    all.push_back(each);
  }
  return context().function(name.c_str(), sorts, result)(all);
}

z3::sort sort_of(ScalarType type) {
  if (is_float(type) && exact()) {
    return type == ScalarType::Double ? context().fpa_sort<64>() : context().fpa_sort<32>();
  }
  return context().bv_sort(width(type));
}

bool has_pointer(const Value& v) {
  const Value::Choice* choice = v.choice();
  return v.as_pointer() != nullptr || (choice != nullptr && (has_pointer(choice->then) || has_pointer(choice->otherwise)));
}

z3::expr expression(const Value& v, ScalarType type) {
  if (const Value::Choice* choice = v.choice()) {
    return z3::ite(expression(choice->condition), expression(choice->then, type), expression(choice->otherwise, type));
  }
  if (v.as_pointer() != nullptr) {
    throw InternalError("a pointer where a number is needed");
  }
  const Node node = v.as_term();
  return node != nullptr ? *node : numeral(type, v.known().value_or(0));
}

Value value_of(ScalarType type, const Node& node) {
  std::uint64_t bits = 0;
  if (node->is_bv() && node->is_numeral_u64(bits)) {
    return Value::number(type, ops::bits_as(type, bits));
  }
  return Value::term(type, node);
}
Value value_of(ScalarType type, const z3::expr& e) { return value_of(type, node_of(e)); }

std::uint64_t bits_in(const z3::model& model, const Value& v) {
  if (v.type() == ScalarType::Bool) {
    return model.eval(expression(nonzero(v)), true).is_true() ? 1 : 0;
  }
  const bool is_ieee = is_float(v.type()) && exact();
  const bool has_bits = is_ieee && FloatTheory::shows_bits();
  const z3::expr e = expression(v, v.type());
  z3::expr number = model.eval(has_bits ? bits_of_float(e) : e, true);
  if (is_ieee && !has_bits) {
    number = checked(Z3_mk_fpa_to_ieee_bv(context(), number)).simplify();
  }
  std::uint64_t bits = 0;
  if (!number.is_numeral_u64(bits)) {
    return is_float(v.type()) ? (v.type() == ScalarType::Double ? 0x7ff8000000000000U : 0x7fc00000U) : 0;  // a NaN has no bits in Z3
  }
  return ops::bits_as(v.type(), bits);
}

// ---- primitives ----------------------------------------------------------------------------------------------------------

Value primitive(Primitive p, const Value& a, const Value& b) {
  if (a.is_any() || b.is_any()) {
    return {};
  }
  const ScalarType type = a.type();
  if (a.known() && b.known()) {
    const std::optional<std::uint64_t> bits = with_type(type, [&]<class T>(T) -> std::optional<std::uint64_t> {
      const T x = ops::number_from<T>(*a.known());
      const T y = ops::number_from<T>(*b.known());
      return has_no_result(p, x, y) ? std::nullopt : std::optional(ops::bits_from(static_cast<T>(machine(p, x, y))));
    });
    if (!bits || is_known(type, *bits)) {
      return bits ? Value::number(type, *bits) : Value();
    }
  }
  if (by_their_cases(a, b)) {
    return in_each_case(a, b, [&](const Value& x, const Value& y) { return primitive(p, x, y); });
  }
  if (!is_float(type)) {
    if (const auto result = shortcut(p, a, b)) {
      return *result;
    }
    return value_of(type, term_of_integers(p, is_signed(type), expression(a, type), expression(b, type)));
  }
  if (const auto result = has_shortcuts() ? float_shortcut(p, a, b) : std::nullopt) {
    return *result;
  }
  return value_of(type, term_of_floats(p, type, expression(a, type), expression(b, type)));
}

Value inverted(const Value& a) {
  return by_cases(a, [](const Value& x) -> Value {
    const ScalarType type = x.type();
    if (const auto bits = x.known()) {
      return folded(type, [&]<class T>(T) -> T {
        if constexpr (std::is_integral_v<T>) {
          return lockstep::bit_not(ops::number_from<T>(*bits));
        } else {
          throw InternalError("the bits of a float are not inverted");
        }
      });
    }
    return x.is_any() ? x : value_of(type, ~expression(x, type));
  });
}

Value negated(const Value& a) { return with_sign(a, Z3_mk_fpa_neg, true); }
Value magnitude(const Value& a) { return with_sign(a, Z3_mk_fpa_abs, false); }
Value square_root(const Value& a) {
  const auto exact_term = [](const z3::expr& e) { return checked(Z3_mk_fpa_sqrt(context(), rounding(), e)); };
  return on_float(a, "sqrt", exact_term, std::sqrt, std::sqrt);
}

Value fused(const Value& a, const Value& b, const Value& c) {
  if (a.is_any() || b.is_any() || c.is_any()) {
    return {};
  }
  const ScalarType type = a.type();
  if (a.known() && b.known() && c.known()) {
    const Value result = folded(type, [&]<class T>(T) -> T {
      if constexpr (std::is_floating_point_v<T>) {
        return std::fma(ops::number_from<T>(*a.known()), ops::number_from<T>(*b.known()), ops::number_from<T>(*c.known()));
      } else {
        throw InternalError("fma of integers");
      }
    });
    if (is_known(type, *result.known())) {
      return result;
    }
  }
  const unsigned cases = a.cases() * b.cases() * c.cases();
  if (is_plain(a) && is_plain(b) && is_plain(c) && cases > 1 && cases <= most_cases_together) {
    return in_each_case(a, b, [&](const Value& x, const Value& y) { return by_cases(c, [&](const Value& z) { return fused(x, y, z); }); });
  }
  if (has_shortcuts()) {  // likewise: 1 * x + c is x + c, and a * b + -0 is a * b
    const std::uint64_t one = bits_of_float(type, 1.0);
    if (a.known() == one || b.known() == one) {
      return primitive(Primitive::Plus, a.known() == one ? b : a, c);
    }
    if (c.known() == bits_of_float(type, -0.0)) {
      return primitive(Primitive::Times, a, b);
    }
  }
  const z3::expr x = expression(a, type);
  const z3::expr y = expression(b, type);
  const z3::expr z = expression(c, type);
  return value_of(type, exact() ? checked(Z3_mk_fpa_fma(context(), rounding(), x, y, z))
                                : unknown_function(named("fma", type), sort_of(type), {x, y, z}));
}

Truth less(const Value& a, const Value& b) {
  if (a.is_any() || b.is_any()) {
    return Truth(false);
  }
  const ScalarType type = a.type();
  if (a.known() && b.known()) {
    return Truth(
        with_type(type, [&]<class T>(T) { return lockstep::less(ops::number_from<T>(*a.known()), ops::number_from<T>(*b.known())); }));
  }
  if (by_their_cases(a, b)) {
    return in_each_case(a, b, [](const Value& x, const Value& y) { return less(x, y); });
  }
  const z3::expr x = expression(a, type);
  const z3::expr y = expression(b, type);
  if (is_float(type)) {
    return Truth(
        node_of(exact() ? checked(Z3_mk_fpa_lt(context(), x, y)) : unknown_function(named("less", type), context().bool_sort(), {x, y})));
  }
  if (z3::eq(x, y)) {
    return Truth(false);
  }
  return Truth(node_of(is_signed(type) ? x < y : z3::ult(x, y)));
}

Truth equal(const Value& a, const Value& b) {
  if (a.is_any() || b.is_any()) {
    return Truth(false);
  }
  const ScalarType type = a.type();
  if (a.known() && b.known()) {
    return Truth(
        with_type(type, [&]<class T>(T) { return lockstep::equal(ops::number_from<T>(*a.known()), ops::number_from<T>(*b.known())); }));
  }
  if (by_their_cases(a, b)) {
    return in_each_case(a, b, [](const Value& x, const Value& y) { return equal(x, y); });
  }
  const z3::expr x = expression(a, type);
  const z3::expr y = expression(b, type);
  if (is_float(type)) {
    return Truth(
        node_of(exact() ? checked(Z3_mk_fpa_eq(context(), x, y)) : unknown_function(named("equal", type), context().bool_sort(), {x, y})));
  }
  return z3::eq(x, y) ? Truth(true) : Truth(node_of(x == y));
}

Truth nonzero(const Value& v) {
  return by_cases(v, [](const Value& x) {
    return x.is_any() ? Truth(false) : x.as_pointer() != nullptr ? Truth(true) : !equal(x, Value::number(x.type(), 0));
  });
}

Truth same_result(const Value& a, const Value& b) {
  if (identical(a, b)) {
    return Truth(true);
  }
  const ScalarType type = a.is_any() ? b.type() : a.type();
  if (type == ScalarType::Bool) {
    return same(nonzero(a), nonzero(b));
  }
  if (a.known() && b.known()) {
    return Truth(exact() ? ops::same_number(type, *a.known(), *b.known()) : *a.known() == *b.known());
  }
  return Truth(node_of(expression(a, type) == expression(b, type)));  // IEEE numbers have one NaN in Z3
}

// ---- votes ---------------------------------------------------------------------------------------------------------------

Value ballot_of(std::span<const Truth> votes) {
  constexpr unsigned bits = 64;
  constexpr std::ptrdiff_t most_in_cases = 5;  // bits that are not known: their cases are kept apart, those of more are too many
  if (std::ranges::count_if(votes, [](const Truth& each) { return !each.known(); }) > most_in_cases) {
    z3::expr_vector from_above(context());
    if (votes.size() < bits) {
      from_above.push_back(context().bv_val(0, bits - static_cast<unsigned>(votes.size())));
    }
    for (std::size_t k = votes.size(); k-- > 0;) {
      from_above.push_back(z3::ite(expression(votes[k]), context().bv_val(1, 1), context().bv_val(0, 1)));
    }
    return value_of(ScalarType::ULong, z3::concat(from_above));
  }
  Value ballot = Value::number(ScalarType::ULong, 0);
  for (std::size_t k = 0; k < votes.size(); ++k) {
    const Value bit = Value::number(ScalarType::ULong, std::uint64_t{1} << k);
    ballot = primitive(Primitive::Or, ballot, choose(votes[k], bit, Value::number(ScalarType::ULong, 0)));
  }
  return ballot;
}

// ---- conversions ---------------------------------------------------------------------------------------------------------

namespace {

z3::expr integer_of_other_width(const z3::expr& e, ScalarType from, ScalarType to) {
  const unsigned before = width(from);
  const unsigned after = width(to);
  if (after < before) {
    return e.extract(after - 1, 0);
  }
  return after == before ? e : is_signed(from) ? z3::sext(e, after - before) : z3::zext(e, after - before);
}

z3::expr exact_conversion(const z3::expr& e, ScalarType from, ScalarType to) {
  if (is_float(from) && is_float(to)) {
    return checked(Z3_mk_fpa_to_fp_float(context(), rounding(), e, sort_of(to)));
  }
  if (is_float(to)) {
    return checked((is_signed(from) ? Z3_mk_fpa_to_fp_signed : Z3_mk_fpa_to_fp_unsigned)(context(), rounding(), e, sort_of(to)));
  }
  const z3::expr toward_zero = checked(Z3_mk_fpa_rtz(context()));
  return checked((is_signed(to) ? Z3_mk_fpa_to_sbv : Z3_mk_fpa_to_ubv)(context(), toward_zero, e, width(to)));
}

/// Whether every number of `from` is one of `to`.
bool holds_all(ScalarType to, ScalarType from) {
  const unsigned digits = width(from) - (is_signed(from) ? 1 : 0);
  if (is_float(from)) {
    return is_float(to) && size_of(to) >= size_of(from);
  }
  return is_float(to) && digits <= (to == ScalarType::Float ? 24U : 53U);
}

std::string name_of_conversion(ScalarType from, ScalarType to) { return named("convert", from) + "." + std::string(info(to).name); }

/// The number of another type that became this uninterpreted float, if the float's type holds all numbers of that type.
std::optional<Value> number_before_conversion(const z3::expr& e, ScalarType type) {
  if (e.is_app() && e.num_args() == 1) {
    const std::string made_by = e.decl().name().str();
    for (const ScalarInfo& before : scalar_table) {
      if (before.type != ScalarType::Bool && made_by == name_of_conversion(before.type, type) && holds_all(type, before.type)) {
        return value_of(before.type, e.arg(0));
      }
    }
  }
  return std::nullopt;
}

/// What is converted is a float or becomes one. A float that was a number of another type, all of whose numbers it holds, is that number.
Value float_conversion(const z3::expr& e, ScalarType from, ScalarType to) {
  if (exact()) {
    return value_of(to, exact_conversion(e, from, to));
  }
  const auto number = number_before_conversion(e, from);
  const bool shows_nan = number && is_float(number->type()) && is_float(to) && !has_shortcuts();
  if (number && !shows_nan) {
    return number->type() == to ? *number : convert(to, *number);
  }
  return value_of(to, unknown_function(name_of_conversion(from, to), sort_of(to), {e}));
}

/// Whether an integer of at most 32 bits is one of an integer type.
Truth fits_integer(ScalarType to, const Value& number) {
  const Value wide = convert(ScalarType::Long, number);
  const auto bound = [](std::int64_t n) { return Value::number(ScalarType::Long, static_cast<std::uint64_t>(n)); };
  if (width(to) == 64) {
    return is_signed(to) ? Truth(true) : !less(wide, bound(0));
  }
  const std::int64_t beyond = std::int64_t{1} << (width(to) - (is_signed(to) ? 1 : 0));
  return !less(wide, bound(is_signed(to) ? -beyond : 0)) && less(wide, bound(beyond));
}

}  // namespace

Value convert(ScalarType to, const Value& v) {
  return by_cases(v, [&](const Value& x) -> Value {
    const ScalarType from = x.type();
    if (x.is_any() || from == to) {
      return x;
    }
    if (to == ScalarType::Bool) {
      return Value::truth(to, nonzero(x));
    }
    if (const auto bits = x.known()) {
      const auto converted = ops::convert(from, to, *bits);
      if (!converted || is_known(to, *converted)) {
        return converted ? Value::number(to, *converted) : Value();
      }
    }
    const z3::expr e = expression(x, from);
    return is_float(from) || is_float(to) ? float_conversion(e, from, to) : value_of(to, integer_of_other_width(e, from, to));
  });
}

Truth misfits(ScalarType to, const Value& v) {
  if (to == ScalarType::Bool || is_float(to)) {
    return Truth(false);
  }
  return by_cases(v, [&](const Value& x) {
    if (x.is_any() || !is_float(x.type())) {
      return Truth(false);
    }
    if (const auto bits = x.known()) {
      return Truth(!ops::convert(x.type(), to, *bits).has_value());
    }
    const z3::expr e = expression(x, x.type());
    if (!exact()) {
      if (const auto number = number_before_conversion(e, x.type())) {
        return is_float(number->type()) ? misfits(to, *number) : !fits_integer(to, *number);
      }
      return Truth(node_of(unknown_function(named("misfits", x.type()) + "." + std::string(info(to).name), context().bool_sort(), {e})));
    }
    // Truncated, it has to lie between the bounds, which are powers of two and so are exact.
    const z3::expr whole = checked(Z3_mk_fpa_round_to_integral(context(), checked(Z3_mk_fpa_rtz(context())), e));
    const int digits = static_cast<int>(width(to)) - (is_signed(to) ? 1 : 0);
    const auto bound = [&](double number) { return checked(Z3_mk_fpa_numeral_double(context(), number, sort_of(x.type()))); };
    const z3::expr low = checked(Z3_mk_fpa_geq(context(), whole, bound(is_signed(to) ? -std::ldexp(1.0, digits) : 0.0)));
    const z3::expr high = checked(Z3_mk_fpa_lt(context(), whole, bound(std::ldexp(1.0, digits))));
    return Truth(node_of(!(low && high)));
  });
}

}  // namespace lockstep::prove
