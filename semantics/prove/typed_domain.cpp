#include "semantics/prove/typed_domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "semantics/base/internal_error.hpp"
#include "semantics/ops/lane.hpp"
#include "semantics/prove/budget.hpp"
#include "semantics/prove/value_bytes.hpp"

namespace lockstep::prove {

namespace {

Value long_number(std::uint64_t number) { return Value::number(ScalarType::Long, number); }
Value as_long(const Value& v) { return convert(ScalarType::Long, v); }

/// Whether an active item is surely not there.
bool is_out(const ThreadSet& set, std::size_t item) { return set[item].known() == false; }

}  // namespace

TypedSymbolic::TypedSymbolic(const typed::Program& program, LaunchMemory& memory, std::uint64_t group, std::uint64_t num_groups,
                             const Truth& everybody)
    : program_(program),
      puns_(program),
      memory_(memory),
      group_(group),
      num_groups_(num_groups),
      width_(program.wg_size),
      addressed_(typed::addressed_arrays(program)),
      next_private_(static_cast<std::uint32_t>(memory.objects.size())),
      somebody_{everybody},
      given_(program.wg_size) {}

TypedSymbolic::State TypedSymbolic::start(const std::vector<Value>& arguments) {
  State s;
  s.active = all();
  s.pc = program_.kernel().begin;
  push_frame(s, 0, std::nullopt, {});
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    for (Cell& cell : s.bank.back().registers[k]) {
      cell = {arguments[k], Truth(false), Truth(true)};
    }
  }
  return s;
}

// ---- operands ------------------------------------------------------------------------------------------------------------

bool TypedSymbolic::is_constant(Operand o) {
  const auto& root = o->nodes.back().node;
  return o->nodes.size() == 1 && (std::holds_alternative<typed::Constant>(root) || std::holds_alternative<typed::ObjectAddress>(root));
}
bool TypedSymbolic::is_copy(Operand o) {
  const auto& root = o->nodes.back().node;
  return o->nodes.size() == 1 && (std::holds_alternative<typed::Register>(root) || std::holds_alternative<typed::Ask>(root));
}

const Given& TypedSymbolic::given(const State& s, unsigned item) {
  std::optional<Given>& known = given_[item];
  if (!known || !identical(known->condition(), s.active[item])) {
    known.emplace(s.active[item]);
  }
  return *known;
}

Value TypedSymbolic::query(typed::Query query, unsigned item) const {
  const auto answer = [](std::uint64_t number) { return Value::number(ScalarType::ULong, number); };
  switch (query) {
    case typed::Query::LocalId:  // MT
    case typed::Query::LaneId:
      return answer(item);
    case typed::Query::GroupId:
      return answer(group_);
    case typed::Query::NumGroups:
      return answer(num_groups_);
    case typed::Query::WarpSize:
      return answer(width_);
    case typed::Query::WarpId:
      break;
  }
  return answer(0);
}

Value TypedSymbolic::address_of(const State& s, typed::RegisterId array) const {
  const Frame& frame = s.bank.back();
  const std::vector<typed::RegisterId>& addressed = addressed_[frame.function];
  const auto place = std::ranges::find(addressed, array) - addressed.begin();
  return Value::pointer(frame.first_object + static_cast<std::uint32_t>(place), long_number(0));
}

TypedSymbolic::One TypedSymbolic::operation(Item& item, const typed::Operation& o, std::vector<One>&& operands) const {
  std::vector<Value> values;
  Truth poison(false);
  for (const One& each : operands) {
    values.push_back(each.value);
    poison = ops::poison_of(poison, each.poison);
  }
  if (o.op == Op::Select) {
    const Truth first = nonzero(values[0]);
    return {choose(first, values[1], values[2]), ops::poison_of_choice(operands[0].poison, first, operands[1].poison, operands[2].poison)};
  }
  if (o.on_pointers) {
    const Compared result = compared(o.op, values[0], values[1]);
    item.undefined = item.undefined || (result.undefined && !poison);
    return {Value::truth(ScalarType::Int, result.holds), poison};
  }
  item.undefined = item.undefined || (undefined(o.op, o.operand_type, values) && !poison);
  return {apply(o.op, o.operand_type, values), poison};
}

void TypedSymbolic::push(Item& item, const State& s, const typed::ExprNode& node, const typed::ValueType& last) {
  const unsigned t = item.number;
  std::vector<One> operands(typed::operand_count(node));
  for (std::size_t k = operands.size(); k-- > 0;) {
    operands[k] = std::move(item.stack.back());
    item.stack.pop_back();
  }
  const auto read = [&](const Cell& cell, bool carries) -> One {
    const Truth missing = !(*item.given)(cell.written);
    if (carries) {
      return {(*item.given)(cell.value), (*item.given)(cell.poison) || missing};
    }
    item.uninitialised = item.uninitialised || missing;
    return {(*item.given)(cell.value), (*item.given)(cell.poison)};
  };
  const auto require = [&](const Truth& fine, const Truth& poison) { item.undefined = item.undefined || !(fine || poison); };
  const auto visit = [&]<class N>(const N& n) -> One {
    if constexpr (std::is_same_v<N, typed::Constant>) {
      return node.type.is_pointer ? One{Value::pointer(0, long_number(0)), Truth(false)}
                                  : One{Value::number(node.type.scalar, n.bits), Truth(false)};
    } else if constexpr (std::is_same_v<N, typed::Register>) {
      return read(s.bank.back().registers[n.id][t], n.carries);
    } else if constexpr (std::is_same_v<N, typed::Element>) {
      const std::uint64_t count = s.bank.back().registers[n.array].size() / width_;
      const Value index = as_long(operands[0].value);
      item.undefined = item.undefined || operands[0].poison || !within(index, count);
      return read(read_cell(s.bank.back().registers[n.array], index, t, width_, count), n.carries);
    } else if constexpr (std::is_same_v<N, typed::Ask>) {
      return {query(n.query, t), Truth(false)};
    } else if constexpr (std::is_same_v<N, typed::RegisterAddress>) {
      return {address_of(s, n.array), Truth(false)};
    } else if constexpr (std::is_same_v<N, typed::ObjectAddress>) {
      return {Value::pointer(static_cast<std::uint32_t>(memory_.first_of_program) + n.object, long_number(0)), Truth(false)};
    } else if constexpr (std::is_same_v<N, typed::Operation>) {
      return operation(item, n, std::move(operands));
    } else if constexpr (std::is_same_v<N, typed::Convert>) {
      require(!misfits(node.type.scalar, operands[0].value), operands[0].poison);
      return {convert(node.type.scalar, operands[0].value), operands[0].poison};
    } else if constexpr (std::is_same_v<N, typed::Bitcast>) {
      return {bitcast(node.type.scalar, operands[0].value), operands[0].poison};
    } else if constexpr (std::is_same_v<N, typed::Within>) {
      require(within(as_long(operands[0].value), n.limit), operands[0].poison);
      return operands[0];
    } else if constexpr (std::is_same_v<N, typed::Reinterpret>) {
      return operands[0];
    } else {
      const bool adds = std::is_same_v<N, typed::PointerAdd>;
      const typed::ValueType& type = adds ? node.type : last;
      const bool bytes = puns_(type.space, type.scalar);
      const Moved result = adds ? moved(operands[0].value, as_long(operands[1].value), type.scalar, bytes)
                                : distance(operands[0].value, operands[1].value, cells_each(type.scalar, bytes));
      const Truth poison = operands[0].poison || operands[1].poison;
      require(!result.undefined, poison);
      return {result.pointer, poison};
    }
  };
  item.stack.push_back(std::visit(visit, node.node));
}

void TypedSymbolic::evaluate_in(Item& item, const State& s, const typed::Expr& e) {
  for (std::size_t k = 0; k < e.nodes.size(); ++k) {
    push(item, s, e.nodes[k], e.nodes[k == 0 ? 0 : k - 1].type);
  }
}

TypedSymbolic::Values TypedSymbolic::evaluate(const State& s, Operand o) {
  Values result;
  std::vector<Truth> uninitialised(width_, Truth(false));
  std::vector<Truth> undefined(width_, Truth(false));
  std::vector<Truth> poison(width_, Truth(false));
  result.value.resize(width_);
  for (unsigned t = 0; t < width_; ++t) {
    if (is_out(s.active, t)) {
      continue;
    }
    Item item;
    item.number = t;
    item.given = &given(s, t);
    evaluate_in(item, s, *o);
    result.value[t] = item.stack.back().value;
    uninitialised[t] = s.active[t] && item.uninitialised;
    undefined[t] = s.active[t] && item.undefined;
    poison[t] = s.active[t] && item.stack.back().poison;
  }
  result.uninitialised = Set(std::move(uninitialised));
  result.zero_divisor = Set(std::move(undefined));
  result.poison = Set(std::move(poison));
  return result;
}

TypedSymbolic::Values TypedSymbolic::evaluate_base(const State& s, Operand o) {
  Values result = evaluate(s, o);
  result.pointee = o->type().scalar;
  result.space = o->type().space;
  return result;
}

TypedSymbolic::ArgumentValues TypedSymbolic::evaluate_arguments(const State& s, const std::vector<Operand>& arguments) {
  ArgumentValues all{{}, none(), none()};
  for (const Operand argument : arguments) {
    all.values.push_back(evaluate(s, argument));
    all.uninitialised = all.uninitialised | all.values.back().uninitialised;
    all.zero_divisor = all.zero_divisor | all.values.back().zero_divisor;
  }
  return all;
}

TypedSymbolic::Target TypedSymbolic::target(const State& s, Place place) {
  Target target{std::vector<Value>(width_, long_number(0)), none(), none()};
  if (!place->index) {
    return target;
  }
  const Values index = evaluate(s, &*place->index);
  const std::uint64_t count = s.bank.back().registers[place->id].size() / width_;
  std::vector<Truth> undefined(width_, Truth(false));
  for (unsigned t = 0; t < width_; ++t) {
    target.row[t] = as_long(index.value[t]);
    undefined[t] = s.active[t] && (index.zero_divisor[t] || index.poison[t] || !within(target.row[t], count));
  }
  target.uninitialised = index.uninitialised;
  target.zero_divisor = Set(std::move(undefined));
  return target;
}

// ---- registers -----------------------------------------------------------------------------------------------------------

void TypedSymbolic::assign(State& s, Place place, const Target& target, const Values& value, const Set& threads) {
  std::vector<Cell>& cells = s.bank.back().registers[place->id];
  for (unsigned t = 0; t < width_; ++t) {
    write_cell(cells, threads[t], target.row[t], t, width_, cells.size() / width_,
               {value.value[t], given(s, t)(value.poison[t]), Truth(true)});
  }
}

void TypedSymbolic::assign(State& s, typed::RegisterId dst, const Values& value, const Set& threads) {
  for (unsigned t = 0; t < width_; ++t) {
    overwrite(s.bank.back().registers[dst][t], threads[t], {value.value[t], given(s, t)(value.poison[t]), Truth(true)});
  }
}

void TypedSymbolic::assign_poison(State& s, typed::RegisterId dst, const Set& threads) const {
  for (unsigned t = 0; t < width_; ++t) {
    Cell& cell = s.bank.back().registers[dst][t];
    cell.poison = choose(threads[t], Truth(true), cell.poison);
    cell.written = cell.written || threads[t];
  }
}

void TypedSymbolic::forget(State& s, typed::RegisterId dst, const Set& threads) const {
  std::vector<Cell>& cells = s.bank.back().registers[dst];
  for (std::size_t k = 0; k < cells.size(); ++k) {
    cells[k].written = cells[k].written && !threads[k % width_];
  }
}

namespace {

/// Whether index * step is no more than a Long: what is beyond lies in no object.
Truth is_within_64_bits(const Value& index, unsigned step) {
  const auto most = static_cast<std::int64_t>(std::numeric_limits<std::int64_t>::max() / step);
  return step == 1
             ? Truth(true)
             : !less(index, long_number(static_cast<std::uint64_t>(-most))) && !less(long_number(static_cast<std::uint64_t>(most)), index);
}

}  // namespace

// ---- memory --------------------------------------------------------------------------------------------------------------

const MemoryObject* TypedSymbolic::object(std::uint32_t number) const {
  return number < memory_.objects.size() ? &memory_.objects[number] : nullptr;
}

std::vector<Cell>* TypedSymbolic::private_array(const State& s, std::uint32_t number) const {
  for (const Frame& frame : s.bank) {
    const std::vector<typed::RegisterId>& addressed = addressed_[frame.function];
    if (number >= frame.first_object && number < frame.first_object + addressed.size()) {
      return const_cast<std::vector<Cell>*>(&frame.registers[addressed[number - frame.first_object]]);  // the caller says what it is for
    }
  }
  return nullptr;
}

std::uint64_t TypedSymbolic::count_of(const State& s, std::uint32_t number) const {
  if (const MemoryObject* found = object(number)) {
    return found->count;
  }
  const std::vector<Cell>* cells = private_array(s, number);
  return cells != nullptr ? cells->size() / width_ : 0;
}

/// Whether there is such a place.
Truth TypedSymbolic::inside(const State& s, const Access& access, const Value& pointer) const {
  return by_cases(pointer, [&](const Value& p) {
    const Value::Pointer* to = p.as_pointer();
    if (to == nullptr) {
      return Truth(false);
    }
    if (!access.bytes) {
      return within(to->element, count_of(s, to->object));
    }
    const unsigned size = size_of(access.type);
    const MemoryObject* found = object(to->object);
    return !memory::misaccess<Truth>(Number<std::int64_t>{to->element}, size, size, found != nullptr ? found->cells.size() : 0, {}, false)
                .any();
  });
}

/// Makes a buffer as large as the index asks for. NOLINTNEXTLINE(misc-no-recursion): over the cases of a value
void TypedSymbolic::grow(const State& s, const Access& access, const Value& pointer) {
  if (const Value::Choice* choice = pointer.choice()) {
    grow(s, access, choice->then);
    grow(s, access, choice->otherwise);
    return;
  }
  const Value::Pointer* to = pointer.as_pointer();
  if (to == nullptr || to->object == 0 || to->object >= memory_.first_of_program) {
    return;
  }
  if (prove::grow(memory_.objects[to->object], to->element, cells_each(access.type, access.bytes))) {
    memory_.has_unknown_index[to->object] = true;
  }
}

/// Notes that an item reads or writes what the pointer points to.
void TypedSymbolic::note(const State& s, unsigned item, const Value& pointer, Touching how) {
  if (memory_.accesses.is_noting()) {
    memory_.accesses.note(given(s, item)(pointer), s.active[item], BufferAccess{group_, item, s.pc, how});
  }
}

TypedSymbolic::Access TypedSymbolic::access(const State& s, const Values& base, const Values& index) {
  Access access;
  access.type = base.pointee;
  access.bytes = puns_(base.space, base.pointee);
  const unsigned step = cells_each(access.type, access.bytes);
  std::vector<Truth> undefined(width_, Truth(false));
  access.pointer.resize(width_);
  for (unsigned t = 0; t < width_; ++t) {
    if (is_out(s.active, t)) {
      continue;
    }
    const Value number = scaled(as_long(index.value[t]), step);
    const Truth reaches = is_within_64_bits(as_long(index.value[t]), step);
    access.pointer[t] = by_cases(base.value[t], [&](const Value& p) {
      const Value::Pointer* from = p.as_pointer();
      return from == nullptr ? Value() : Value::pointer(from->object, primitive(Primitive::Plus, from->element, number));
    });
    if (memory_.grows) {
      grow(s, access, access.pointer[t]);
      continue;
    }
    undefined[t] = s.active[t] && (base.poison[t] || index.poison[t] || !given(s, t)(reaches && inside(s, access, access.pointer[t])));
  }
  access.undefined = Set(std::move(undefined));
  return access;
}

Cell TypedSymbolic::element_at(const State& s, unsigned item, const Value& pointer, const Access& access) const {
  return by_cases(pointer, [&](const Value& p) -> Cell {
    const Value::Pointer* from = p.as_pointer();
    if (from == nullptr) {
      return {};
    }
    if (const MemoryObject* memory = object(from->object)) {
      return access.bytes ? read_bytes(memory->cells, from->element, access.type)
                          : read_cell(memory->cells, from->element, 0, 1, memory->count);
    }
    const std::vector<Cell>* cells = private_array(s, from->object);
    return cells == nullptr ? Cell() : read_cell(*cells, from->element, item, width_, cells->size() / width_);
  });
}

TypedSymbolic::Values TypedSymbolic::fetch(const State& s, const Access& access) {
  Values result;
  std::vector<Truth> uninitialised(width_, Truth(false));
  std::vector<Truth> poison(width_, Truth(false));
  result.value.resize(width_);
  for (unsigned t = 0; t < width_; ++t) {
    if (is_out(s.active, t)) {
      continue;
    }
    const Cell cell = element_at(s, t, access.pointer[t], access);
    note(s, t, access.pointer[t], Touching::Reads);
    const Given& here = given(s, t);
    result.value[t] = here(cell.value);
    poison[t] = s.active[t] && here(cell.poison);
    uninitialised[t] = s.active[t] && !here(cell.written);
  }
  result.uninitialised = memory_.grows ? none() : Set(std::move(uninitialised));
  result.zero_divisor = none();
  result.poison = Set(std::move(poison));
  return result;
}

// NOLINTNEXTLINE(misc-no-recursion): over the cases of a value
void TypedSymbolic::store_at(State& s, unsigned item, const Value& pointer, const Access& access, const Truth& condition,
                             const Cell& cell) {
  if (condition.known() == false) {
    return;
  }
  if (const Value::Choice* choice = pointer.choice()) {
    store_at(s, item, choice->then, access, condition && choice->condition, cell);
    store_at(s, item, choice->otherwise, access, condition && !choice->condition, cell);
    return;
  }
  const Value::Pointer* to = pointer.as_pointer();
  if (to == nullptr) {
    return;
  }
  if (to->object < memory_.objects.size()) {
    MemoryObject& memory = memory_.objects[to->object];
    access.bytes ? write_bytes(memory.cells, condition, to->element, access.type, cell)
                 : write_cell(memory.cells, condition, to->element, 0, 1, memory.count, cell);
  } else if (std::vector<Cell>* cells = private_array(s, to->object)) {
    write_cell(*cells, condition, to->element, item, width_, cells->size() / width_, cell);
  }
}

void TypedSymbolic::put(State& s, const Access& access, const Values& value) {
  for (unsigned t = 0; t < width_; ++t) {
    note(s, t, access.pointer[t], Touching::Writes);
    store_at(s, t, access.pointer[t], access, s.active[t], {value.value[t], given(s, t)(value.poison[t]), Truth(true)});
  }
}

TypedSymbolic::Set TypedSymbolic::missing(const State& s, const Access& access) {
  std::vector<Truth> missing(width_, Truth(false));
  for (unsigned t = 0; !memory_.grows && t < width_; ++t) {
    if (!is_out(s.active, t)) {
      missing[t] = s.active[t] && !given(s, t)(element_at(s, t, access.pointer[t], access).written);
    }
  }
  return Set(std::move(missing));
}

TypedSymbolic::Values TypedSymbolic::change(State& s, AtomicOp op, const Access& access, const Values* compare, const Values& value) {
  Values old{std::vector<Value>(width_), none(), none(), none()};
  std::vector<Truth> poison(width_, Truth(false));
  for (unsigned t = 0; t < width_; ++t) {
    if (is_out(s.active, t)) {
      continue;
    }
    note(s, t, access.pointer[t], Touching::Changes);
    const Given& here = given(s, t);
    const Cell found = element_at(s, t, access.pointer[t], access);
    old.value[t] = here(found.value);
    poison[t] = s.active[t] && here(found.poison);
    const One next =
        changed(op, access.type, {old.value[t], here(found.poison)},
                compare == nullptr ? One{} : One{compare->value[t], here(compare->poison[t])}, {value.value[t], here(value.poison[t])});
    store_at(s, t, access.pointer[t], access, s.active[t], {next.value, next.poison, Truth(true)});
  }
  old.poison = Set(std::move(poison));
  return old;
}

// ---- items that look at each other ---------------------------------------------------------------------------------------

TypedSymbolic::Set TypedSymbolic::zeros(const State& s, const Values& v) {
  std::vector<Truth> zero;
  for (std::size_t t = 0; t < v.value.size(); ++t) {
    zero.push_back(s.active[t] && !nonzero(v.value[t]));
  }
  return Set(std::move(zero));
}

namespace {

/// The value of the first active item.
Value first_value(const TypedSymbolic::State& s, const TypedSymbolic::Values& v) {
  Value first;
  for (std::size_t t = v.value.size(); t-- > 0;) {
    first = choose(s.active[t], v.value[t], first);
  }
  return convert(ScalarType::Long, first);
}

/// Whether a lane's number, as a ulong may be too large for a long, is `k`.
Truth is_lane(const Value& v, std::uint64_t k) { return equal(as_long(v), long_number(k)); }

}  // namespace

TypedSymbolic::Set TypedSymbolic::not_uniform(const State& s, const Values& v) {
  const Value first = first_value(s, v);
  std::vector<Truth> different;
  for (std::size_t t = 0; t < v.value.size(); ++t) {
    different.push_back(s.active[t] && (v.poison[t] || !equal(as_long(v.value[t]), first)));
  }
  return Set(std::move(different));
}

Truth TypedSymbolic::first_value_in(const State& s, const Values& v, const Set& mask) const {
  const Value first = first_value(s, v);
  Truth in(false);
  for (unsigned k = 0; k < width_; ++k) {
    in = in || (is_lane(first, k) && mask[k]);
  }
  return in;
}

TypedSymbolic::Set TypedSymbolic::lanes_in(const State& s, const Values& v, const Set& mask) const {
  std::vector<Truth> in;
  for (unsigned t = 0; t < width_; ++t) {
    Truth found(false);
    for (unsigned k = 0; k < width_; ++k) {
      found = found || (is_lane(v.value[t], k) && mask[k]);
    }
    in.push_back(s.active[t] && !v.poison[t] && found);
  }
  return Set(std::move(in));
}

TypedSymbolic::Values TypedSymbolic::shuffle(const State& s, typed::RegisterId source, const Values& lane, const Set& in_mask,
                                             Set& found) const {
  const std::vector<Cell>& cells = s.bank.back().registers[source];
  Values result{std::vector<Value>(width_), none(), none(), none()};
  std::vector<Truth> numbers;
  for (unsigned t = 0; t < width_; ++t) {
    const Cell cell = read_cell(cells, as_long(lane.value[t]), 0, 1, width_);
    const Given here(in_mask[t]);
    result.value[t] = here(cell.value);
    numbers.push_back(ops::finds_number(in_mask[t], here(cell.written), here(cell.poison)));
  }
  found = Set(std::move(numbers));
  return result;
}

void TypedSymbolic::vote(State& s, typed::VoteKind kind, typed::RegisterId dst, const Values& value) {
  Truth any(false);
  Truth every(true);
  std::vector<Truth> votes;
  for (unsigned t = 0; t < width_; ++t) {
    const Truth yes = nonzero(value.value[t]);
    votes.push_back(ops::says_yes(s.active[t], yes));
    any = any || votes.back();
    every = every && !ops::says_no(s.active[t], yes);
  }
  const bool is_any = kind == typed::VoteKind::Any || kind == typed::VoteKind::GroupAny;
  const Value answer = kind == typed::VoteKind::Ballot ? ballot_of(votes) : Value::truth(ScalarType::Int, is_any ? any : every);
  assign(s, dst, Values{std::vector<Value>(width_, answer), none(), none(), none()}, s.active);
}

// ---- calls ---------------------------------------------------------------------------------------------------------------

void TypedSymbolic::push_frame(State& s, Function f, const Result& result, const ArgumentValues& arguments) {
  Frame frame;
  frame.function = f;
  frame.first_object = next_private_;
  next_private_ += static_cast<std::uint32_t>(addressed_[f].size());
  frame.return_pc = s.pc + 1;
  frame.active = s.active;
  frame.frame_base = s.frame_base;
  frame.contexts = s.context.size();
  frame.result = result;
  std::uint64_t cells = 0;
  for (const typed::RegisterInfo& info : program_.functions[f].registers) {
    cells += info.count.value_or(1) * width_;
  }
  Budget::reserve(cells, sizeof(Cell));
  for (const typed::RegisterInfo& info : program_.functions[f].registers) {
    frame.registers.emplace_back(info.count.value_or(1) * width_, Cell{Value(), Truth(false), Truth(false)});
  }
  s.bank.push_back(std::move(frame));
  for (std::size_t k = 0; k < arguments.values.size(); ++k) {
    assign(s, static_cast<typed::RegisterId>(k), arguments.values[k], s.active);
  }
}

void TypedSymbolic::pop_frame(State& s, const Values* result) {
  const Frame frame = std::move(s.bank.back());
  s.bank.pop_back();
  s.active = frame.active;
  s.frame_base = frame.frame_base;
  s.pc = frame.return_pc;
  if (result != nullptr && frame.result) {
    assign(s, *frame.result, *result, s.active);
  }
}

}  // namespace lockstep::prove
