// Operations, conversions and pointers in typed assignments: for every type, when they are defined, as docs/kernel-language.md says it.

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "semantics/prove/theorems/typed_subjects.hpp"
#include "semantics/prove/value_term.hpp"

namespace lockstep::prove {

namespace {

Value long_number(std::uint64_t number) { return Value::number(ScalarType::Long, number); }

std::string_view word(ScalarType type) { return info(type).name; }

// ---- operations --------------------------------------------------------------------------------------------------------

bool takes(Op op, ScalarType type) {
  if (type == ScalarType::Bool) {
    return gives_truth(op) || op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor || op == Op::Min || op == Op::Max || op == Op::Select;
  }
  return is_float(type) ? !integer_only(op) : !float_only(op);
}

ScalarType result_of(Op op, ScalarType type) {
  if (op == Op::Abs && is_signed(type)) {
    return static_cast<ScalarType>(static_cast<unsigned>(type) + 1);
  }
  return gives_truth(op) ? ScalarType::Int : type;
}

std::string written(Op op) {
  const OpInfo& of = info(op);
  if (op == Op::Select) {
    return "i ? l : m";
  }
  const bool is_word = std::isalpha(static_cast<unsigned char>(of.text.front())) != 0;
  if (is_word) {
    constexpr std::array operands = {"l", "l, m", "l, m, n"};
    return fmt::format("{}({})", of.text, operands[static_cast<std::size_t>(of.arity - 1)]);
  }
  return of.arity == 1 ? fmt::format("{}(l)", of.text) : fmt::format("l {} m", of.text);
}

/// Poison where an operand is, and then defined whatever the others are; `?:` is poison where its condition or the arm that it takes is.
Reading outcome(const World& world, unsigned item, Op op, ScalarType type) {
  std::vector<Reading> operands;
  if (op == Op::Select) {
    operands.push_back(register_named("i")(world, item));
  }
  for (const char* name : {"l", "m", "n"}) {
    if (operands.size() < static_cast<std::size_t>(info(op).arity)) {
      operands.push_back(register_named(name)(world, item));
    }
  }
  Reading result;
  std::vector<Value> numbers;
  for (const Reading& each : operands) {
    result.fails = result.fails || each.fails;
    result.poison = result.poison || each.poison;
    numbers.push_back(each.value);
  }
  if (op == Op::Select) {
    const Truth takes_second = equal(operands[0].value, Value::number(ScalarType::Int, 0));
    result.poison = operands[0].poison || (takes_second && operands[2].poison) || (!takes_second && operands[1].poison);
    result.value = choose(takes_second, operands[2].value, operands[1].value);
  } else {
    result.value = apply(op, type, numbers);  // which number an operation gives is said by semantics/ops, of all types at once
  }
  if ((op == Op::Div || op == Op::Rem) && !is_float(type)) {
    result.fails = result.fails || (has_no_quotient(type, operands[0].value, operands[1].value) && !result.poison);
  }
  return result;
}

// ---- conversions -------------------------------------------------------------------------------------------------------

/// A float whose whole part an integer type does not hold, or a NaN. The numbers that fit lie between two floats, which do not.
template <class F>
Truth does_not_fit(ScalarType from, ScalarType to, const Value& v) {
  const int digits = static_cast<int>(bits_of(to)) - (is_signed(to) ? 1 : 0);
  const F above = std::ldexp(F{1}, digits);
  F below = is_signed(to) ? -above - 1 : F{-1};
  if (is_signed(to) && below == -above) {  // there is no such float
    below = std::nextafter(-above, -std::numeric_limits<F>::infinity());
  }
  const auto constant = [&](F number) { return Value::number(from, ops::bits_from(number)); };
  return !(less(constant(below), v) && less(v, constant(above)));
}

Truth misfit(ScalarType from, ScalarType to, const Value& v) {
  if (!is_float(from) || is_float(to) || to == ScalarType::Bool) {
    return Truth(false);
  }
  return from == ScalarType::Float ? does_not_fit<float>(from, to, v) : does_not_fit<double>(from, to, v);
}

std::vector<TypedSubject> operations(ScalarType type) {
  std::vector<TypedSubject> all;
  for (std::size_t k = 0; k < op_count; ++k) {
    const auto op = static_cast<Op>(k);
    if (takes(op, type)) {
      const std::string registers = fmt::format(".var {0} l, m, n\n.var int i\n.var {1} x", word(type), word(result_of(op, type)));
      const Operand operand = [=](const World& world, unsigned item) { return outcome(world, item, op, type); };
      all.push_back(plain({"x = " + written(op), registers}, {operand}, operand));
    }
  }
  return all;
}

std::vector<TypedSubject> conversions(ScalarType from) {
  std::vector<TypedSubject> all;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(ScalarType::Double); ++k) {
    const auto to = static_cast<ScalarType>(k);
    if (to == from) {
      continue;
    }
    const Operand operand = [=](const World& world, unsigned item) {
      const Reading l = register_named("l")(world, item);
      return Reading{convert(to, l.value), l.fails || (misfit(from, to, l.value) && !l.poison), l.poison};
    };
    all.push_back(
        plain({fmt::format("x = {}(l)", word(to)), fmt::format(".var {} l\n.var {} x", word(from), word(to))}, {operand}, operand));
  }
  return all;
}

/// The same bits: of floats, whose numbers are no more than their bits here.
std::vector<TypedSubject> bitcasts(ScalarType from) {
  std::vector<TypedSubject> all;
  for (std::size_t k = 1; k <= static_cast<std::size_t>(ScalarType::Double); ++k) {
    const auto to = static_cast<ScalarType>(k);
    if (from == ScalarType::Bool || size_of(to) != size_of(from)) {
      continue;
    }
    const Operand operand = [=](const World& world, unsigned item) {
      const Reading l = register_named("l")(world, item);
      return Reading{l.value.as(to), l.fails, l.poison};
    };
    all.push_back(
        plain({fmt::format("x = as.{}(l)", word(to)), fmt::format(".var {} l\n.var {} x", word(from), word(to))}, {operand}, operand));
  }
  return all;
}

// ---- pointers ----------------------------------------------------------------------------------------------------------

/// Two pointers `l` and `m` as they are written, which are registers of these names.
struct Pair {
  std::string l;
  std::string m;
  std::string left;
  std::string right;
  ScalarType type = ScalarType::Char;
  bool bytes = false;  ///< their elements are bytes
  std::string_view space = "global";
};

/// Moved by as many elements as are 2^39 bytes, or that far from its object.
Truth too_far(const World& world, unsigned item, const Pair& of) {
  const unsigned size = size_of(of.type);
  const auto is_near = [](const Value& v, std::uint64_t limit) { return less(long_number(-limit), v) && less(v, long_number(limit)); };
  constexpr std::uint64_t limit = std::uint64_t{1} << 39U;
  const Value& by = world.cell("d", item).value;
  const Value step = of.bytes ? primitive(Primitive::Times, by, long_number(size)) : by;
  Truth near(true);
  for (const PointsTo& each : world.cases_of(of.left, item)) {
    near = near && implies(each.condition, is_near(primitive(Primitive::Plus, each.element, step), of.bytes ? limit : limit / size));
  }
  return !(near && is_near(by, limit / size));
}

/// The pointer `l`, `d` elements further on.
Value sum(const World& world, unsigned item, const Pair& of) {
  const Value& by = world.cell("d", item).value;
  const Value step = of.bytes ? primitive(Primitive::Times, by, long_number(size_of(of.type))) : by;
  Value result;
  for (const PointsTo& each : world.cases_of(of.left, item)) {
    result = choose(each.condition, Value::pointer(each.object, primitive(Primitive::Plus, each.element, step)), result);
  }
  return result;
}

Truth apart(const World& world, unsigned item, const Pair& of) {
  Truth result(false);
  for (const PointsTo& a : world.cases_of(of.left, item)) {
    for (const PointsTo& b : world.cases_of(of.right, item)) {
      result = result || (Truth(a.object != b.object) && a.condition && b.condition);
    }
  }
  return result;
}

/// How the two compare; in order, where they are of one object.
Value comparison(const World& world, unsigned item, const Pair& of, Op op) {
  Truth holds(false);
  for (const PointsTo& a : world.cases_of(of.left, item)) {
    for (const PointsTo& b : world.cases_of(of.right, item)) {
      const Truth equals = Truth(a.object == b.object) && equal(a.element, b.element);
      const Truth below = less(a.element, b.element);
      const Truth here = op == Op::Eq   ? equals
                         : op == Op::Ne ? !equals
                         : op == Op::Lt ? below
                         : op == Op::Le ? below || equals
                         : op == Op::Gt ? !(below || equals)
                                        : !below;
      holds = holds || (a.condition && b.condition && here);
    }
  }
  return choose(holds, Value::number(ScalarType::Int, 1), Value::number(ScalarType::Int, 0));
}

/// Of elements that are cells; what bytes that are no whole number of elements are to a difference, no page says.
Value difference(const World& world, unsigned item, const Pair& of) {
  Value result;
  for (const PointsTo& a : world.cases_of(of.left, item)) {
    for (const PointsTo& b : world.cases_of(of.right, item)) {
      if (a.object == b.object && !of.bytes) {
        result = choose(a.condition && b.condition, primitive(Primitive::Minus, a.element, b.element), result);
      }
    }
  }
  return result;
}

void add_pointers(std::vector<TypedSubject>& all, const Pair& of) {
  const std::string registers =
      fmt::format(".var {1} {0}* l, m, r\n.var global long* w, v\n.var long d\n.var int i", word(of.type), of.space);
  using Numbers = std::function<Value(const World&, unsigned)>;
  using Undefined = std::function<Truth(const World&, unsigned)>;
  const auto add = [&](const std::string& text, const std::string& right, const Undefined& undefined, const Numbers& value) {
    const Operand operand = [=](const World& world, unsigned item) {
      const Reading a = register_named(of.left)(world, item);
      const Reading b = register_named(right)(world, item);
      const Truth poison = a.poison || b.poison;
      return Reading{value(world, item), a.fails || b.fails || (undefined(world, item) && !poison), poison};
    };
    all.push_back(plain({text, registers}, {operand}, operand));
  };
  const Undefined parts = [of](const World& world, unsigned item) { return apart(world, item, of); };
  const Undefined never = [](const World&, unsigned) { return Truth(false); };
  add(
      fmt::format("r = {} + d", of.l), "d", [of](const World& world, unsigned item) { return too_far(world, item, of); },
      [of](const World& world, unsigned item) { return sum(world, item, of); });
  add(fmt::format("d = {} - {}", of.l, of.m), of.right, parts,
      [of](const World& world, unsigned item) { return difference(world, item, of); });
  constexpr std::pair<Op, const char*> comparisons[] = {{Op::Lt, "<"},  {Op::Le, "<="}, {Op::Gt, ">"},
                                                        {Op::Ge, ">="}, {Op::Eq, "=="}, {Op::Ne, "!="}};
  for (const auto& [op, sign] : comparisons) {
    add(fmt::format("i = {} {} {}", of.l, sign, of.m), of.right, is_order(op) ? parts : never,
        [of, op = op](const World& world, unsigned item) { return comparison(world, item, of, op); });
  }
}

/// Of elements, and of bytes: reinterpreted from a pointer to char, to char from one to long.
std::vector<TypedSubject> pointers(ScalarType type) {
  std::vector<TypedSubject> all;
  for (const char* space : {"global", "constant"}) {
    add_pointers(all, {"l", "m", "l", "m", type, false, space});
  }
  const std::string from = type == ScalarType::Char ? "w" : "p";
  const std::string other = type == ScalarType::Char ? "v" : "m";
  const std::string as = fmt::format("as.global.{}", word(type));
  add_pointers(
      all, {fmt::format("{}({})", as, from), type == ScalarType::Char ? fmt::format("{}({})", as, other) : other, from, other, type, true});
  return all;
}

// ---- lanes -------------------------------------------------------------------------------------------------------------

std::vector<TypedSubject> lanes(ScalarType type) {
  const std::string registers = fmt::format(".var {} x", word(type));
  const Operand x = register_named("x");
  return {mask_jump({"jmp_mask x, Next", registers}, x, type), plain({"c = shfl(a, x)", registers}, {x}, shuffled(false, "a", x, type)),
          plain({"c = shfl.active(a, x)", registers}, {x}, shuffled(true, "a", x, type))};
}

}  // namespace

std::vector<TypedGroup> typed_groups() {
  using What = TypedGroup::What;
  std::vector<TypedGroup> all;
  for (const What what :
       {What::Values, What::Operations, What::Conversions, What::Bitcasts, What::Pointers, What::Bytes, What::Lanes, What::Calls}) {
    for (std::size_t k = 0; k <= static_cast<std::size_t>(ScalarType::Double); ++k) {
      const auto type = static_cast<ScalarType>(k);
      if ((what == What::Bitcasts && type == ScalarType::Bool) || (what == What::Lanes && is_float(type))) {
        continue;
      }
      all.push_back({what, type});
    }
  }
  return all;
}

std::string name(const TypedGroup& group) {
  constexpr std::array names = {"values", "operations", "conversions", "bitcasts", "pointers", "bytes", "lanes", "calls"};
  return fmt::format("typed.{}.{}", names[static_cast<std::size_t>(group.what)], word(group.type));
}

std::vector<TypedSubject> typed_subjects(const TypedGroup& group) {
  switch (group.what) {
    case TypedGroup::What::Values:
      return typed_values(group.type);
    case TypedGroup::What::Operations:
      return operations(group.type);
    case TypedGroup::What::Conversions:
      return conversions(group.type);
    case TypedGroup::What::Bitcasts:
      return bitcasts(group.type);
    case TypedGroup::What::Pointers:
      return pointers(group.type);
    case TypedGroup::What::Bytes:
      return typed_bytes(group.type, Slip::None, true);
    case TypedGroup::What::Lanes:
      return lanes(group.type);
    case TypedGroup::What::Calls:
      return typed_calls(group.type);
  }
  return {};
}

}  // namespace lockstep::prove
