#include "semantics/prove/theorems/typed_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "semantics/prove/value_term.hpp"

namespace lockstep::prove {

namespace {

Value long_number(std::uint64_t number) { return Value::number(ScalarType::Long, number); }

// ---- operands ----------------------------------------------------------------------------------------------------------

Reading reading(const Cell& cell) { return {cell.value, !cell.written, cell.poison}; }

Operand number(ScalarType type, std::uint64_t bits) {
  return [=](const World&, unsigned) { return Reading{Value::number(type, bits)}; };
}

/// One of `cells` at a char index: where it lies outside, or is poison, that fails.
Reading element(const std::vector<const Cell*>& cells, const Reading& index) {
  Reading result{Value(), index.fails || index.poison, Truth(false)};
  Truth inside(false);
  for (std::size_t k = cells.size(); k-- > 0;) {
    const Truth here = equal(index.value, Value::number(ScalarType::Char, k));
    inside = inside || here;
    result.fails = result.fails || (here && !cells[k]->written);
    result.poison = result.poison || (here && cells[k]->poison);
    result.value = choose(here, cells[k]->value, result.value);
  }
  result.fails = result.fails || !inside;
  return result;
}

/// row[b]
Reading element_of_row(const World& world, unsigned item) {
  std::vector<const Cell*> cells;
  for (std::uint64_t e = 0; e < elements; ++e) {
    cells.push_back(&world.cell("row", item, e));
  }
  return element(cells, register_named("b")(world, item));
}

/// a / b
Reading quotient(const World& world, unsigned item) {
  const Reading a = register_named("a")(world, item);
  const Reading b = register_named("b")(world, item);
  const Truth poison = a.poison || b.poison;
  return {apply(Op::Div, ScalarType::Char, std::array{a.value, b.value}),
          a.fails || b.fails || (has_no_quotient(ScalarType::Char, a.value, b.value) && !poison), poison};
}

struct Shape {
  const char* text;
  Operand operand;
};

/// Constants, copies and operations. A number, poison, what is uninitialised and what is undefined: the last two may be any of these.
std::vector<Shape> shapes() {
  return {{"1c", number(ScalarType::Char, 1)}, {"a", register_named("a")}, {"row[b]", element_of_row}, {"a / b", quotient}};
}

// ---- memory ------------------------------------------------------------------------------------------------------------

Value plus(const Value& a, const Value& b) { return primitive(Primitive::Plus, a, b); }

/// A pointer: a register, or an object's, of elements of the type that the line has, or of bytes as elements of another type.
struct Base {
  std::string text;
  std::function<std::vector<PointsTo>(const World&, unsigned item)> cases;
  Operand operand;  ///< whether it fails or is poison
  std::optional<ScalarType> bytes = std::nullopt;
};

Base base_of(const std::string& pointer) {
  return {pointer, [pointer](const World& world, unsigned item) { return world.cases_of(pointer, item); }, register_named(pointer)};
}
/// `@tile`, `@fixed`.
Base object_at(const std::string& text, std::uint32_t object) {
  return {text, [object](const World&, unsigned) { return std::vector<PointsTo>{{Truth(true), object, long_number(0)}}; },
          number(ScalarType::Long, 0)};
}
Base tile() { return object_at("@tile", 2); }
Base fixed() { return object_at("@fixed", 3); }
/// `(as.global.T(p))`: the same place.
Base as(const std::string& space, const Base& base, ScalarType type) {
  return {fmt::format("(as.{}.{}({}))", space, info(type).name, base.text), base.cases, base.operand, type};
}

/// Where an index leads to, of elements: to one of them.
std::vector<Spot> elements_at(const World& world, unsigned item, const Base& base, const Reading& index) {
  std::vector<Spot> all;
  for (const PointsTo& each : base.cases(world, item)) {
    const Value place = plus(each.element, convert(ScalarType::Long, index.value));
    for (std::size_t k = cells_of(world, each.object, item).size(); k-- > 0;) {
      all.push_back({each.condition && equal(place, long_number(k)), each.object, k});
    }
  }
  return all;
}

/// Of bytes: a place is a multiple of the size of what lies there, counted from where the object begins, and all its bytes lie in the
/// object. The index is counted in elements, by as many as there are between all places that pointers can be: no product of it wraps.
std::vector<Spot> bytes_at(const World& world, unsigned item, const Base& base, const Reading& index, Slip slip) {
  constexpr std::uint64_t far = std::uint64_t{1} << 41U;
  const unsigned size = size_of(*base.bytes);
  const Value by = convert(ScalarType::Long, index.value);
  const Truth is_near = less(long_number(-far), by) && less(by, long_number(far));
  std::vector<Spot> all;
  for (const PointsTo& each : base.cases(world, item)) {
    const std::uint64_t bytes = cells_of(world, each.object, item).size();
    const Value place = plus(each.element, primitive(Primitive::Times, by, long_number(size)));
    for (std::uint64_t k = 0; k < bytes; k += slip == Slip::Misaligned ? 1 : size) {
      if (k + size <= bytes || slip == Slip::PartlyOutside) {
        all.push_back(
            {each.condition && is_near && equal(place, long_number(k)), each.object, k, std::min<std::uint64_t>(size, bytes - k), true});
      }
    }
  }
  return all;
}

Spots spots_at(const Base& base, const Operand& index, Slip slip = Slip::None) {
  return [=](const World& world, unsigned item) {
    return base.bytes ? bytes_at(world, item, base, index(world, item), slip) : elements_at(world, item, base, index(world, item));
  };
}

/// A number, the least significant byte first; a bool is whether its byte is not 0.
Value number_of(ScalarType type, std::span<const Cell* const> bytes) {
  Value bits = Value::number(ScalarType::ULong, 0);
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const Value byte = convert(ScalarType::ULong, bytes[k]->value.as(ScalarType::UChar));
    bits = primitive(Primitive::Or, bits, primitive(Primitive::ShiftLeft, byte, Value::number(ScalarType::ULong, 8 * k)));
  }
  constexpr std::array types = {ScalarType::UChar, ScalarType::UShort, ScalarType::UInt, ScalarType::ULong};
  const auto as_large = *std::ranges::find(types, size_of(type), [](ScalarType each) { return size_of(each); });
  const Value narrow = convert(as_large, bits);
  return type == ScalarType::Bool ? Value::truth(type, !equal(narrow, Value::number(as_large, 0))) : narrow.as(type);
}

/// What an item finds, or whether it finds a place at all: where there is none, or the address is poison, that fails. `reads`: what lies
/// there must be initialised.
Operand found_at(const Base& base, const Operand& index_operand, bool reads, Slip slip = Slip::None) {
  return [=](const World& world, unsigned item) {
    const Reading pointer = base.operand(world, item);
    const Reading index = index_operand(world, item);
    Reading result{Value(), pointer.fails || index.fails || pointer.poison || index.poison, Truth(false)};
    Truth inside(false);
    for (const Spot& spot : spots_at(base, index_operand, slip)(world, item)) {
      const std::vector<const Cell*> all = cells_of(world, spot.object, item);
      const std::span<const Cell* const> cells(all.data() + spot.first, spot.count);
      Truth written = cells[0]->written;
      Truth poison = cells[0]->poison;
      for (const Cell* cell : cells) {
        written = slip == Slip::PartlyWritten ? written : written && cell->written;
        poison = slip == Slip::PartlyPoison ? poison : poison || cell->poison;
      }
      inside = inside || spot.here;
      result.fails = result.fails || (spot.here && Truth(reads) && !written);
      result.poison = result.poison || (spot.here && poison);
      const Value value = base.bytes ? number_of(*base.bytes, cells) : cells[0]->value;
      result.value = choose(spot.here, value, result.value);
    }
    result.fails = result.fails || !inside;
    return result;
  };
}

// ---- instructions ------------------------------------------------------------------------------------------------------

TypedSubject load(const std::string& target, const Base& base, const Shape& index, const std::string& registers = "",
                  ScalarType type = ScalarType::Char, Slip slip = Slip::None) {
  const Operand cell = found_at(base, index.operand, true, slip);
  return plain({fmt::format("{} = ld {}[{}]", target, base.text, index.text), registers, Line::Where::Anywhere, type}, {cell}, cell);
}

TypedSubject store(const Base& base, const Shape& index, const Shape& value, const std::string& registers = "",
                   ScalarType type = ScalarType::Char, Slip slip = Slip::None) {
  TypedSubject result = plain({fmt::format("st {}[{}] = {}", base.text, index.text, value.text), registers, Line::Where::Anywhere, type},
                              {found_at(base, index.operand, false, slip), value.operand}, value.operand);
  result.spots = spots_at(base, index.operand, slip);
  return result;
}

/// `row[e] = …`, of which the place is found out in front of the value: only where it lies counts.
TypedSubject set_element(const Line& line, const Operand& index, std::vector<Operand> operands, Operand result) {
  operands.emplace_back([index](const World& world, unsigned item) {
    static const Cell any{Value(), Truth(false), Truth(true)};
    return element(std::vector<const Cell*>(elements, &any), index(world, item));
  });
  TypedSubject subject = plain(line, operands, std::move(result));
  subject.index = index;
  return subject;
}

/// No item of Θ fails in one of the operands.
Truth evaluate(const World& world, const std::vector<Operand>& operands) {
  return for_active(world, [&](unsigned t) {
    Truth fine(true);
    for (const Operand& each : operands) {
      fine = fine && !each(world, t).fails;
    }
    return fine;
  });
}
Truth numbers(const World& world, const Operand& operand) {
  return for_active(world, [&](unsigned t) { return !operand(world, t).poison; });
}
Truth uniform(const World& world, const Operand& operand) {
  std::vector<Value> values;
  for (unsigned t = 0; t < world.width(); ++t) {
    values.push_back(operand(world, t).value);
  }
  return for_active(world, [&](unsigned t) { return for_active(world, [&](unsigned u) { return equal(values[t], values[u]); }); });
}
/// Whether a lane is `k`; of bool there are two.
Truth is_number(const Value& lane, ScalarType type, unsigned k) {
  return type == ScalarType::Bool && k > 1 ? Truth(false) : equal(lane, Value::number(type, k));
}
/// Some item of Θ names an item of the set.
Truth names_one_of(const World& world, const Operand& lane, ScalarType type, const ThreadSet& set) {
  Truth result(false);
  for (unsigned t = 0; t < world.width(); ++t) {
    for (unsigned k = 0; k < world.width(); ++k) {
      result = result || (world.state.active[t] && set[k] && is_number(lane(world, t).value, type, k));
    }
  }
  return result;
}

TypedSubject stacks(const std::string& text, const std::function<bool(const TypedState&)>& as_wanted) {
  return {{text}, [=](const World& world) { return Expected{as_wanted(world.state)}; }};
}
bool pi_is_empty(const TypedState& s) { return s.sync.size() == s.frame_base; }

/// An operand that decides control or a vote: a number.
TypedSubject deciding(const std::string& text, const Operand& operand, const std::string& registers = "") {
  return {{text, registers}, [=](const World& world) { return Expected{true, evaluate(world, {operand}) && numbers(world, operand)}; }};
}

/// Items in which the operand is 0 go, the others go on: all go, none does, or some.
std::vector<TypedSubject> branches() {
  std::vector<TypedSubject> all;
  for (const Shape& shape : shapes()) {
    TypedSubject& subject = all.emplace_back(deciding(fmt::format("bz {}, Next", shape.text), shape.operand));
    subject.expected = [operand = shape.operand, decide = subject.expected](const World& world) {
      const auto is_zero = [&](unsigned t) { return equal(operand(world, t).value, Value::number(ScalarType::Char, 0)); };
      const Truth all_go = for_active(world, is_zero);
      const Truth none_goes = for_active(world, [&](unsigned t) { return !is_zero(t); });
      Expected result = decide(world);
      result.chosen = {all_go, none_goes, !all_go && !none_goes};
      return result;
    };
  }
  return all;
}

std::vector<TypedSubject> mask_jumps() {
  std::vector<TypedSubject> all;
  for (const Shape& shape : shapes()) {
    all.push_back(mask_jump({fmt::format("jmp_mask {}, Next", shape.text)}, shape.operand, ScalarType::Char));
  }
  return all;
}

Truth converged(const TypedState& s) {
  Truth all(true);
  for (std::size_t k = s.frame_base; k < s.sync.size(); ++k) {
    all = all && empty(s.sync[k].done) && empty(s.sync[k].todo);
  }
  return all;
}

std::vector<TypedSubject> moves() {
  std::vector<TypedSubject> all;
  for (const Shape& shape : shapes()) {
    all.push_back(plain({fmt::format("c = {}", shape.text)}, {shape.operand}, shape.operand));
    const Operand c = register_named("c");
    all.push_back(set_element({fmt::format("row[{}] = c", shape.text)}, shape.operand, {c}, c));
    all.push_back(set_element({fmt::format("row[{}] = 1c", shape.text)}, shape.operand, {}, number(ScalarType::Char, 1)));
  }
  const Operand id = [](const World&, unsigned item) { return Reading{Value::number(ScalarType::ULong, item)}; };
  all.push_back({{"x = local_id", ".var ulong x"}, [](const World&) { return Expected{}; }, id});
  const Operand within = [](const World& world, unsigned item) {
    const Reading a = register_named("a")(world, item);
    const Truth inside = equal(a.value, Value::number(ScalarType::Char, 0)) || equal(a.value, Value::number(ScalarType::Char, 1));
    return Reading{a.value, a.fails || (!a.poison && !inside), a.poison};
  };
  all.push_back(plain({"c = within(a, 2)"}, {within}, within));
  return all;
}

std::vector<TypedSubject> fetches() {
  std::vector<TypedSubject> all;
  for (const Shape& index : shapes()) {
    all.push_back(load("c", base_of("p"), index));
  }
  const Shape a{"a", register_named("a")};
  all.push_back(load("c", tile(), a));
  const Operand cell = found_at(tile(), a.operand, true);
  all.push_back(set_element({"row[b] = ld @tile[a]"}, register_named("b"), {cell}, cell));
  all.push_back(load("x", as("global", base_of("p"), ScalarType::Short), a, ".var short x"));
  return all;
}

std::vector<TypedSubject> puts() {
  std::vector<TypedSubject> all;
  const Shape c{"c", register_named("c")};
  for (const Shape& shape : shapes()) {
    all.push_back(store(base_of("p"), shape, c));
    all.push_back(store(tile(), c, shape));
  }
  all.push_back(
      store(as("global", base_of("p"), ScalarType::Short), {"a", register_named("a")}, {"x", register_named("x")}, ".var short x"));
  return all;
}

/// Of ints, or of bytes as uints. What an item finds depends on those before it: nothing is said here of the number.
TypedSubject change(const std::string& target, const std::string& operation, const Base& base, const Shape& index,
                    const std::vector<std::string>& values) {
  const bool asks = !target.empty() || operation != "exchange";
  std::string text = fmt::format("{}atomic.{}({}[{}]", target.empty() ? "" : target + " = ", operation, base.text, index.text);
  std::vector<Operand> operands{found_at(base, index.operand, asks)};
  for (const std::string& value : values) {
    text += ", " + value;
    operands.push_back(register_named(value));
  }
  const std::string type = base.bytes ? "uint" : "int";
  return plain({text + ")", fmt::format(".var {0} x\n.var {0} y\n.var {0} z", type), Line::Where::Anywhere, ScalarType::Int}, operands);
}

std::vector<TypedSubject> changes() {
  std::vector<TypedSubject> all;
  for (const Shape& index : shapes()) {
    all.push_back(change("", "add", base_of("p"), index, {"x"}));
  }
  const Shape a{"a", register_named("a")};
  all.push_back(change("z", "add", base_of("p"), a, {"x"}));
  all.push_back(change("", "max", tile(), a, {"x"}));
  all.push_back(change("", "exchange", tile(), a, {"x"}));
  all.push_back(change("z", "exchange", tile(), a, {"x"}));
  all.push_back(change("z", "compare", tile(), a, {"x", "y"}));
  all.push_back(change("", "xor", as("global", base_of("p"), ScalarType::UInt), a, {"x"}));
  return all;
}

std::vector<TypedSubject> shuffles(bool active) {
  std::vector<TypedSubject> all;
  for (const Shape& shape : shapes()) {
    all.push_back(plain({fmt::format("c = shfl{}(a, {})", active ? ".active" : "", shape.text)}, {shape.operand},
                        shuffled(active, "a", shape.operand, ScalarType::Char)));
  }
  return all;
}

/// What a vote of a char comes to, the same in all items.
Operand counted(const std::string& vote, const Operand& operand) {
  return [=](const World& world, unsigned) {
    const auto says_yes = [&](unsigned t) { return !equal(operand(world, t).value, Value::number(ScalarType::Char, 0)); };
    if (vote == "ballot.active") {
      Value bits = Value::number(ScalarType::ULong, 0);
      for (unsigned t = 0; t < world.width(); ++t) {
        const Value bit =
            choose(world.state.active[t] && says_yes(t), Value::number(ScalarType::ULong, 1), Value::number(ScalarType::ULong, 0));
        bits = primitive(Primitive::Or, bits, primitive(Primitive::ShiftLeft, bit, Value::number(ScalarType::ULong, t)));
      }
      return Reading{bits};
    }
    const Truth all = for_active(world, says_yes);
    const Truth any = !for_active(world, [&](unsigned t) { return !says_yes(t); });
    return Reading{choose(vote.starts_with("any") ? any : all, Value::number(ScalarType::Int, 1), Value::number(ScalarType::Int, 0))};
  };
}

std::vector<TypedSubject> votes() {
  std::vector<TypedSubject> all;
  const auto add = [&](const std::string& vote, const Shape& shape) {
    const std::string registers = vote == "ballot.active" ? ".var ulong x" : ".var int x";
    all.push_back(deciding(fmt::format("x = {}({})", vote, shape.text), shape.operand, registers));
    all.back().result = counted(vote, shape.operand);
  };
  for (const Shape& shape : shapes()) {
    add("any.active", shape);
  }
  for (const char* vote : {"all.active", "any.group", "all.group", "ballot.active"}) {
    add(vote, shapes()[1]);
  }
  return all;
}

std::vector<TypedSubject> calls() {
  std::vector<TypedSubject> all;
  const Operand c = register_named("c");
  for (const Shape& shape : shapes()) {
    all.push_back(plain({fmt::format("c = call f({}, c)", shape.text)}, {shape.operand, c}));
    all.back().arguments = {shape.operand, c};
    all.push_back(plain({fmt::format("call v(c, {})", shape.text)}, {c, shape.operand}));
    all.back().arguments = {c, shape.operand};
  }
  return all;
}

bool may_return(const TypedState& s) { return pi_is_empty(s) && s.bank.size() > 1 && s.context.size() == s.bank.back().contexts; }

std::vector<TypedSubject> returns() {
  std::vector<TypedSubject> all = {
      {{"ret", "", Line::Where::Void}, [](const World& world) { return Expected{may_return(world.state), Truth(true)}; }}};
  for (const Shape& shape : shapes()) {
    all.push_back({{fmt::format("ret {}", shape.text), "", Line::Where::Called},
                   [operand = shape.operand](const World& world) { return Expected{may_return(world.state), evaluate(world, {operand})}; },
                   shape.operand});
  }
  return all;
}

}  // namespace

Operand register_named(const std::string& name) {
  return [name](const World& world, unsigned item) { return reading(world.cell(name, item)); };
}

TypedSubject plain(const Line& line, const std::vector<Operand>& operands, Operand result) {
  return {line, [=](const World& world) { return Expected{true, evaluate(world, operands)}; }, std::move(result)};
}

TypedSubject mask_jump(const Line& line, const Operand& lane, ScalarType type) {
  return {line, [=](const World& world) {
            const auto& blocks = world.state.context;
            const Truth jumps = blocks.empty() ? Truth(false) : names_one_of(world, lane, type, blocks.back().mask);
            return Expected{!blocks.empty(), evaluate(world, {lane}) && numbers(world, lane) && uniform(world, lane), {jumps, !jumps}};
          }};
}

Operand shuffled(bool active, const std::string& source, const Operand& lane, ScalarType type) {
  return [=](const World& world, unsigned item) {
    const TypedState& s = world.state;
    const ThreadSet& mask = active || s.context.empty() ? s.active : s.context.back().mask;
    const Reading named = lane(world, item);
    Reading result{Value(), named.fails};
    Truth found(false);
    for (unsigned k = 0; k < world.width(); ++k) {
      const Cell& there = world.cell(source, k);
      const Truth here = is_number(named.value, type, k);
      found = found || (here && mask[k] && there.written && !there.poison);
      result.value = choose(here, there.value, result.value);
    }
    result.poison = named.poison || !found;
    return result;
  };
}

Spots spots_of(const std::string& pointer, const std::string& index, std::optional<ScalarType> bytes, Slip slip) {
  const Base base = base_of(pointer);
  return spots_at(bytes ? as("global", base, *bytes) : base, register_named(index), slip);
}

Value byte_of(const Value& number, unsigned k) {
  constexpr std::array types = {ScalarType::UChar, ScalarType::UShort, ScalarType::UInt, ScalarType::ULong};
  const auto as_large = *std::ranges::find(types, size_of(number.type()), [](ScalarType each) { return size_of(each); });
  const Value bits = number.type() == ScalarType::Bool ? convert(as_large, number) : number.as(as_large);
  return convert(ScalarType::UChar, primitive(Primitive::ShiftRight, bits, Value::number(as_large, 8 * k)));
}

Truth meet(const World& world, const Spots& a, unsigned item, const Spots& b, unsigned other) {
  Truth result(false);
  for (const Spot& x : a(world, item)) {
    for (const Spot& y : b(world, other)) {
      const bool overlap = x.first < y.first + y.count && y.first < x.first + x.count;
      if (x.object == y.object && x.object < world.memory->objects.size() && overlap) {
        result = result || (x.here && y.here);
      }
    }
  }
  return result;
}

Truth same_where_they_meet(const World& world, const TypedSubject& a, unsigned item, const TypedSubject& b, unsigned other) {
  const Reading mine = a.result(world, item);
  const Reading others = b.result(world, other);
  Truth result(true);
  for (const Spot& x : a.spots(world, item)) {
    for (const Spot& y : b.spots(world, other)) {
      if (x.object != y.object || x.object >= world.memory->objects.size()) {
        continue;
      }
      for (std::uint64_t k = std::max(x.first, y.first); k < std::min(x.first + x.count, y.first + y.count); ++k) {
        const Truth number = x.bytes ? equal(byte_of(mine.value, static_cast<unsigned>(k - x.first)),
                                             byte_of(others.value, static_cast<unsigned>(k - y.first)))
                                     : same_result(mine.value, others.value);
        const Truth alike = same(mine.poison, others.poison) && (mine.poison || number);
        result = result && implies(x.here && y.here, alike);
      }
    }
  }
  return result;
}

std::vector<TypedSubject> typed_values(ScalarType type) {
  const auto line = [type](const std::string& text) {
    return Line{text, fmt::format(".var {} x", info(type).name), Line::Where::Anywhere, type};
  };
  const Operand one = number(type, type == ScalarType::Float ? ops::bits_from(1.0F) : type == ScalarType::Double ? ops::bits_from(1.0) : 1);
  const Operand b = register_named("b");
  const Shape a{"a", register_named("a")};
  const Shape c{"c", register_named("c")};
  const Operand element_of(element_of_row);
  return {plain(line(fmt::format("c = {}", written_one(type))), {one}, one),
          plain(line("x = c"), {c.operand}, c.operand),
          plain(line("c = row[b]"), {element_of}, element_of),
          set_element(line("row[b] = c"), b, {c.operand}, c.operand),
          plain(line("x = shfl(c, b)"), {b}, shuffled(false, "c", b, ScalarType::Char)),
          plain(line("x = shfl.active(c, b)"), {b}, shuffled(true, "c", b, ScalarType::Char)),
          load("c", base_of("p"), a, "", type),
          load("c", tile(), a, "", type),
          load("c", fixed(), a, "", type),
          load("c", base_of("k"), a, fmt::format(".var constant {}* k", info(type).name), type),
          store(base_of("p"), a, c, "", type),
          store(tile(), a, c, "", type)};
}

std::vector<TypedSubject> typed_calls(ScalarType type) {
  const std::string scalar(info(type).name);
  const std::string parameters = fmt::format("char a, char b, {0} l, constant {0}* g", scalar);
  const std::string registers = fmt::format(".var constant {}* k", scalar);
  const Signature of_number{parameters, scalar, "l", "c"};
  const Signature of_pointer{parameters, fmt::format("constant {}*", scalar), "g", "k"};
  std::vector<TypedSubject> all;
  const auto call = [&](const std::string& text, const Signature& signature, const Operand& last) {
    const std::vector<Operand> arguments = {register_named("a"), register_named("b"), last, register_named("k")};
    all.push_back(plain({text, registers, Line::Where::Anywhere, type, signature}, arguments));
    all.back().arguments = arguments;
  };
  const auto give = [&](const std::string& text, const Signature& signature, const Operand& operand) {
    all.push_back({{"ret " + text, registers, Line::Where::Called, type, signature},
                   [operand](const World& world) { return Expected{may_return(world.state), evaluate(world, {operand})}; },
                   operand});
  };
  call("c = call f(a, b, c, k)", of_number, register_named("c"));
  call("c = call f(a, b, row[b], k)", of_number, element_of_row);
  call("k = call f(a, b, c, k)", of_pointer, register_named("c"));
  call("call v(a, b, c, k)", of_number, register_named("c"));
  give("c", of_number, register_named("c"));
  give("row[b]", of_number, element_of_row);
  give("k", of_pointer, register_named("k"));
  return all;
}

std::vector<TypedSubject> typed_bytes(ScalarType type, Slip slip, bool far) {
  const std::string registers = fmt::format(".var {} x\n.var long d\n.var global long* q\n.var constant {}* k", info(type).name,
                                            type == ScalarType::Char ? "long" : "char");
  const Base base = as("global", base_of(type == ScalarType::Char ? "q" : "p"), type);
  const Shape near{"a", register_named("a")};
  const Shape x{"x", register_named("x")};
  std::vector<TypedSubject> all;
  std::vector<Shape> indices = {near};
  if (far) {
    indices.push_back({"d", register_named("d")});
  }
  for (const Shape& index : indices) {
    all.push_back(load("x", base, index, registers, ScalarType::Char, slip));
    all.push_back(store(base, index, x, registers, ScalarType::Char, slip));
  }
  all.push_back(load("x", as("constant", base_of("k"), type), near, registers, ScalarType::Char, slip));
  if (type != ScalarType::Char) {
    const Base local = as("local", tile(), type);
    all.push_back(load("x", local, near, registers, ScalarType::Char, slip));
    all.push_back(store(local, near, x, registers, ScalarType::Char, slip));
  }
  return all;
}

Truth has_no_quotient(ScalarType type, const Value& a, const Value& b) {
  Truth by_zero = equal(b, Value::number(type, 0));
  if (!is_signed(type)) {
    return by_zero;
  }
  const Value lowest = Value::number(type, std::uint64_t{1} << (bits_of(type) - 1)).as(type);
  return by_zero || (equal(b, Value::number(type, ~std::uint64_t{0})) && equal(a, lowest));
}

Truth for_active(const World& world, const std::function<Truth(unsigned)>& f) {
  Truth all(true);
  for (unsigned t = 0; t < world.width(); ++t) {
    all = all && implies(world.state.active[t], f(t));
  }
  return all;
}

std::string name(TypedKind kind) {
  static constexpr const char* names[] = {"stop",           "jmp",      "bz",   "jmp_mask", "sync",  "everywhere",
                                          "end_everywhere", "move",     "drop", "fetch",    "put",   "change",
                                          "shfl",           "exchange", "poll", "enter",    "leave", "wait"};
  return std::string("typed.") + names[static_cast<std::size_t>(kind)];
}

Rules rules_of(const std::vector<TypedSubject>& subjects) {
  const FloatTheory floats(FloatMode::Uninterpreted, true);
  Rules rules;
  for (const TypedSubject& subject : subjects) {
    for (const Case& c : {Case{1, {0}, {}}, Case{1, {0, 1}, {}}, Case{1, {0, 0}, {true}}}) {
      if (fits(subject.line, c)) {
        rules.merge(rules_of(firings(arbitrary_world(c, subject.line))));
      }
    }
  }
  return rules;
}

Rules rules_of(TypedKind kind) { return rules_of(typed_subjects(kind)); }

std::vector<World> typed_worlds(TypedKind kind, const Case& c) {
  std::vector<World> all;
  for (const TypedSubject& subject : typed_subjects(kind)) {
    if (fits(subject.line, c)) {
      all.push_back(arbitrary_world(c, subject.line));
      if (kind == TypedKind::Bz && c.depths.back() > 0) {
        all.push_back(arbitrary_world(c, subject.line, true));
      }
    }
  }
  return all;
}

std::vector<Case> cases_of(TypedKind kind, bool full) {
  if (std::ranges::find(typed_data_kinds, kind) == std::end(typed_data_kinds)) {
    return typed_cases(full);
  }
  const bool follows_pointers = kind == TypedKind::Fetch || kind == TypedKind::Put || kind == TypedKind::Change;
  return typed_data_cases(follows_pointers && !full ? 2 : 4);
}

std::vector<TypedSubject> typed_conditions() {
  std::vector<TypedSubject> all;
  for (unsigned k = 0; k <= static_cast<unsigned>(ScalarType::Double); ++k) {
    const std::string registers = fmt::format(".var {} x\n.var int y", info(static_cast<ScalarType>(k)).name);
    all.push_back(deciding("bz x, Next", register_named("x"), registers));
    all.push_back(deciding("y = any.active(x)", register_named("x"), registers));
  }
  return all;
}

std::vector<TypedSubject> typed_subjects(TypedKind kind) {
  switch (kind) {
    case TypedKind::Stop:
      return {stacks("stop", [](const TypedState& s) { return s.sync.size() == s.frame_base && s.context.empty(); })};
    case TypedKind::Jmp:
      return {plain({"jmp Next"}, {})};
    case TypedKind::Bz:
      return branches();
    case TypedKind::JmpMask:
      return mask_jumps();
    case TypedKind::Sync:
      return {{{"sync"}, [](const World& world) {
                 if (pi_is_empty(world.state)) {
                   return Expected{false};
                 }
                 const Truth nobody_waits = empty(world.state.sync.back().todo);
                 return Expected{true, Truth(true), {!nobody_waits, nobody_waits}};
               }}};
    case TypedKind::Everywhere:
      return {plain({"everywhere"}, {})};
    case TypedKind::EndEverywhere:
      return {{{"end_everywhere"}, [](const World& world) { return Expected{!world.state.context.empty(), converged(world.state)}; }}};
    case TypedKind::Move:
      return moves();
    case TypedKind::Drop:
      return {plain({"forget a"}, {}), plain({"forget row"}, {})};
    case TypedKind::Fetch:
      return fetches();
    case TypedKind::Put:
      return puts();
    case TypedKind::Change:
      return changes();
    case TypedKind::Shfl:
      return shuffles(false);
    case TypedKind::Exchange:
      return shuffles(true);
    case TypedKind::Poll:
      return votes();
    case TypedKind::Enter:
      return calls();
    case TypedKind::Leave:
      return returns();
    case TypedKind::Wait:
      return {plain({"barrier"}, {})};
  }
  return {};
}

}  // namespace lockstep::prove
