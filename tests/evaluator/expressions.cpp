#include <string>

#include "semantics/base/internal_error.hpp"
#include "tests/evaluator/warp.hpp"

namespace lockstep::evaluator {

using core::ExprId;

namespace {

/// The low bits as a number of the type: signed integers are extended by their sign.
std::uint64_t low_bits(ScalarType type, std::uint64_t bits) {
  const std::size_t unused = 64 - 8 * size_of(type);
  const std::uint64_t high = bits << unused;
  return is_integer(type) && is_signed(type) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> unused) : high >> unused;
}

template <class... F>
struct Cases : F... {
  using F::operator()...;
};

/// How far an index moves: by whole elements, or by the arrays that the elements are.
Offset step_of(const core::Type& type, std::size_t extents_inside) {
  Offset step = 1;
  for (std::size_t k = type.extents.size() - extents_inside; k < type.extents.size(); ++k) {
    step *= type.extents[k];
  }
  return step;
}

/// An index is a long, of whatever type it is written.
Offset index_of(const Value& value) { return static_cast<std::int64_t>(value.bits); }

bool needs_order(Op op) { return op == Op::Lt || op == Op::Le || op == Op::Gt || op == Op::Ge; }

/// Of pointers; only those into one object have an order.
bool compare(Op op, const Value& a, const Value& b) {
  const bool less = a.offset < b.offset;
  const bool equal = a.object == b.object && a.offset == b.offset;
  switch (op) {
    case Op::Lt:
      return less;
    case Op::Le:
      return less || equal;
    case Op::Gt:
      return !less && !equal;
    case Op::Ge:
      return !less;
    case Op::Eq:
      return equal;
    case Op::Ne:
      return !equal;
    default:
      throw InternalError("the evaluator met arithmetic on pointers");
  }
}

}  // namespace

Value number(std::uint64_t bits) { return {State::Number, bits, nullptr, 0}; }

void Warp::fail(FaultKind kind, unsigned lane, SourceSpan span) const { throw Undefined{{kind, group_.number, first_item_ + lane, span}}; }

void Warp::tick() {
  if (++world_.steps > world_.launch.max_steps) {
    throw GaveUp{};
  }
}

Values Warp::value(Frame& frame, ExprId id, const Mask& active) {
  tick();
  const core::Expr& expression = frame.function->at(id);
  const auto read = [&] { return load(place(frame, id, active), active, expression.span); };
  return std::visit(Cases{[&](const core::Literal& e) { return Values(lanes_, number(e.bits)); }, [&](const core::Var&) { return read(); },
                          [&](const core::GlobalConstant&) { return read(); }, [&](const core::Subscript&) { return read(); },
                          [&](const core::AddressOf& e) {
                            const core::Expr& of = frame.function->at(e.place);
                            // As good as adding to a pointer to rows.
                            is_row_address_ = of.type.is_array() && std::holds_alternative<core::Subscript>(of.node);
                            const Places places = place(frame, e.place, active);
                            Values result(lanes_);
                            for (unsigned t = 0; t < lanes_; ++t) {
                              result[t] = {places[t].is_poison ? State::Poison : State::Number, 0, places[t].object, places[t].index};
                            }
                            check_reach(result, expression, active);
                            return result;
                          },
                          [&](const core::PointerAdd& e) { return pointer_add(frame, e, expression, active); },
                          [&](const core::PointerDifference& e) { return pointer_difference(frame, e, expression, active); },
                          [&](const core::OldValue&) { return load(*frame.assigned.back(), active, expression.span); },
                          [&](const core::Operate& e) { return operate(frame, e, expression, active); },
                          [&](const core::Convert& e) { return convert_all(frame, e, expression, active); },
                          [&](const core::Bitcast& e) {
                            Values result = value(frame, e.operand, active);
                            for (unsigned t = 0; t < lanes_; ++t) {
                              result[t].bits = low_bits(expression.type.scalar, result[t].bits);
                            }
                            return result;
                          },
                          [&](const core::ShortCircuit& e) { return short_circuit(frame, e, active); },
                          [&](const core::Conditional& e) { return conditional(frame, e, active); },
                          [&](const core::Assign& e) { return assign(frame, e, active); },
                          [&](const core::Atomic& e) { return atomic(frame, e, expression, active); },
                          [&](const core::Comma& e) {
                            effect(frame, e.left, active);
                            return value(frame, e.right, active);
                          },
                          [&](const core::Call& e) {
                            Values result = call(frame, e, active);
                            for (unsigned t = 0; t < lanes_; ++t) {
                              if (active[t] && expression.type.kind != core::Type::Kind::Void && result[t].state == State::Uninitialised) {
                                fail(FaultKind::UninitialisedVariable, t, expression.span);
                              }
                            }
                            return result;
                          },
                          [&](const core::Ask& e) { return ask(e.query, active); },
                          [&](const core::Collective& e) { return collective(frame, e, expression, active); }},
                    expression.node);
}

// ---- places ------------------------------------------------------------------------------------------------------------

Places Warp::place(Frame& frame, ExprId id, const Mask& active) {
  const core::Expr& expression = frame.function->at(id);
  return std::visit(Cases{[&](const core::Var& e) { return Places(lanes_, Place{variable(frame, e.id), 0, false}); },
                          [&](const core::GlobalConstant& e) { return Places(lanes_, Place{world_.constants[e.id], 0, false}); },
                          [&](const core::Subscript& e) { return element_places(frame, e, active); },
                          [](const auto&) -> Places { throw InternalError("the evaluator met an expression that is no place"); }},
                    expression.node);
}

Places Warp::element_places(Frame& frame, const core::Subscript& subscript, const Mask& active) {
  const bool is_address = std::exchange(is_row_address_, false);
  const core::Expr& base = frame.function->at(subscript.base);
  const core::Expr& index = frame.function->at(subscript.index);
  Places places(lanes_);
  if (base.type.is_array()) {
    places = place(frame, subscript.base, active);
  } else {
    const Values pointers = value(frame, subscript.base, active);
    for (unsigned t = 0; t < lanes_; ++t) {
      places[t] = {pointers[t].object, pointers[t].offset, pointers[t].state == State::Poison};
    }
  }
  const Values indices = value(frame, subscript.index, active);
  const Offset step = step_of(base.type, base.type.extents.size() - (base.type.is_array() ? 1 : 0));
  // Each index of an array of several dimensions must lie in its own dimension; that of a plain array is checked with the access.
  const bool is_one_of_several =
      base.type.is_array() && (base.type.extents.size() > 1 || std::holds_alternative<core::Subscript>(base.node));
  for (unsigned t = 0; t < lanes_; ++t) {
    if (!active[t]) {
      continue;
    }
    if (indices[t].state == State::Poison) {
      places[t].is_poison = true;
      continue;
    }
    const Offset at = index_of(indices[t]);
    if (is_one_of_several && !is_address && (at < 0 || at >= base.type.extents.front())) {
      fail(FaultKind::OutOfBounds, t, index.span);
    }
    places[t].index += at * step;
  }
  return places;
}

Value& Warp::cell(const Place& place, unsigned lane, SourceSpan span) const {
  if (place.is_poison) {
    fail(FaultKind::PoisonAddress, lane, span);
  }
  if (place.object == nullptr || place.index < 0 || place.index >= static_cast<Offset>(place.object->count)) {
    fail(FaultKind::OutOfBounds, lane, span);
  }
  const std::size_t start = place.object->space == AddressSpace::Private ? place.object->count * lane : 0;
  return place.object->elements[start + static_cast<std::size_t>(place.index)];
}

Values Warp::load(const Places& places, const Mask& active, SourceSpan span) const {
  Values result(lanes_);
  for (unsigned t = 0; t < lanes_; ++t) {
    if (active[t]) {
      static_cast<void>(cell(places[t], t, span));  // a wrong address comes before a cell without a value, whoever has it
    }
  }
  for (unsigned t = 0; t < lanes_; ++t) {
    if (!active[t]) {
      continue;
    }
    result[t] = cell(places[t], t, span);
    visit(places[t], false);
    if (result[t].state == State::Uninitialised) {
      const bool is_variable = places[t].object->space == AddressSpace::Private;
      fail(is_variable ? FaultKind::UninitialisedVariable : FaultKind::UninitialisedCell, t, span);
    }
  }
  return result;
}

void Warp::store(const Places& places, const Values& values, const Mask& active, SourceSpan span) const {
  for (unsigned t = 0; t < lanes_; ++t) {
    if (active[t]) {
      static_cast<void>(cell(places[t], t, span));  // nothing is stored when one of the addresses is wrong
    }
  }
  look_for_clashes(places, values, active);
  for (unsigned t = 0; t < lanes_; ++t) {
    if (active[t]) {
      cell(places[t], t, span) = values[t];
      visit(places[t], true);
    }
  }
}

Values Warp::assign(Frame& frame, const core::Assign& assignment, const Mask& active) {
  const Places places = place(frame, assignment.place, active);
  frame.assigned.push_back(&places);
  Values stored = value(frame, assignment.value, active);
  frame.assigned.pop_back();
  const SourceSpan span = frame.function->at(assignment.place).span;
  Values before = assignment.yields_old ? load(places, active, span) : Values{};
  store(places, stored, active, span);
  return assignment.yields_old ? before : stored;
}

/// One item after the other; each finds what those before it have left.
Values Warp::atomic(Frame& frame, const core::Atomic& change, const core::Expr& expression, const Mask& active) {
  const Places places = place(frame, change.place, active);
  const Values asked = change.compare ? value(frame, *change.compare, active) : Values(lanes_);
  const Values operands = value(frame, change.value, active);
  const SourceSpan span = expression.span;
  for (unsigned t = 0; t < lanes_; ++t) {
    if (active[t] && cell(places[t], t, span).state == State::Uninitialised) {
      fail(FaultKind::UninitialisedCell, t, span);
    }
  }
  Values before(lanes_);
  for (unsigned t = 0; t < lanes_; ++t) {
    if (!active[t]) {
      continue;
    }
    Value& there = cell(places[t], t, span);
    before[t] = there;
    visit(places[t], true, true);
    const bool known = there.state == State::Number && operands[t].state == State::Number;
    const auto changed = [&](Op op) {
      return known ? number(std::get<std::uint64_t>(apply(op, expression.type.scalar, {there.bits, operands[t].bits})))
                   : Value{State::Poison, 0, nullptr, 0};
    };
    switch (change.op) {
      case AtomicOp::Exchange:
        there = operands[t];
        break;
      case AtomicOp::CompareExchange:
        if (there.state != State::Number || asked[t].state != State::Number) {
          there.state = State::Poison;
        } else if (there.bits == asked[t].bits) {
          there = operands[t];
        }
        break;
      case AtomicOp::Add:
        there = changed(Op::Add);
        break;
      case AtomicOp::Sub:
        there = changed(Op::Sub);
        break;
      case AtomicOp::Min:
        there = changed(Op::Min);
        break;
      case AtomicOp::Max:
        there = changed(Op::Max);
        break;
      case AtomicOp::And:
        there = changed(Op::BitAnd);
        break;
      case AtomicOp::Or:
        there = changed(Op::BitOr);
        break;
      case AtomicOp::Xor:
        there = changed(Op::BitXor);
        break;
    }
  }
  return before;
}

// ---- operators ---------------------------------------------------------------------------------------------------------

Values Warp::operate(Frame& frame, const core::Operate& operation, const core::Expr& expression, const Mask& active) {
  std::vector<Values> operands;
  operands.reserve(operation.operands.size());
  if (operation.last_first) {  // z + x * y as fma(x, y, z): z comes first in the text
    Values last = value(frame, operation.operands.back(), active);
    for (std::size_t k = 0; k + 1 < operation.operands.size(); ++k) {
      operands.push_back(value(frame, operation.operands[k], active));
    }
    operands.push_back(std::move(last));
  } else {
    for (const ExprId id : operation.operands) {
      operands.push_back(value(frame, id, active));
    }
  }
  const bool on_pointers = frame.function->at(operation.operands.front()).type.is_pointer();
  Values result(lanes_);
  for (unsigned t = 0; t < lanes_; ++t) {
    if (!active[t]) {
      continue;
    }
    std::vector<std::uint64_t> bits;
    result[t].state = State::Number;
    for (const Values& operand : operands) {
      bits.push_back(operand[t].bits);
      if (operand[t].state == State::Poison) {
        result[t].state = State::Poison;
      }
    }
    if (result[t].state == State::Poison) {
      continue;
    }
    if (on_pointers) {
      if (needs_order(operation.op) && operands[0][t].object != operands[1][t].object) {
        fail(FaultKind::PointerMismatch, t, expression.span);
      }
      result[t] = number(std::uint64_t{compare(operation.op, operands[0][t], operands[1][t])});
      continue;
    }
    const Answer answer = apply(operation.op, operation.operand_type, bits);
    if (const auto* fault = std::get_if<FaultKind>(&answer)) {
      fail(*fault, t, expression.span);
    }
    result[t].bits = std::get<std::uint64_t>(answer);
  }
  return result;
}

Values Warp::convert_all(Frame& frame, const core::Convert& conversion, const core::Expr& expression, const Mask& active) {
  const core::Type& from = frame.function->at(conversion.operand).type;
  Values result = value(frame, conversion.operand, active);
  if (!from.is_scalar()) {
    return result;
  }
  for (unsigned t = 0; t < lanes_; ++t) {
    if (active[t] && result[t].state == State::Number) {
      const Answer answer = convert(from.scalar, expression.type.scalar, result[t].bits);
      if (const auto* fault = std::get_if<FaultKind>(&answer)) {
        fail(*fault, t, expression.span);
      }
      result[t].bits = std::get<std::uint64_t>(answer);
    }
  }
  return result;
}

Mask Warp::truth(Frame& frame, ExprId condition, const Mask& active) {
  const core::Expr& expression = frame.function->at(condition);
  const Values values = value(frame, condition, active);
  Mask result(lanes_, false);
  for (unsigned t = 0; t < lanes_; ++t) {
    if (active[t]) {
      if (values[t].state == State::Poison) {
        fail(FaultKind::PoisonBranch, t, expression.span);
      }
      result[t] = expression.type.is_pointer() ? values[t].object != nullptr : is_nonzero(expression.type.scalar, values[t].bits);
    }
  }
  return result;
}

Values Warp::short_circuit(Frame& frame, const core::ShortCircuit& operation, const Mask& active) {
  const Mask left = truth(frame, operation.left, active);
  Mask undecided(lanes_, false);
  for (unsigned t = 0; t < lanes_; ++t) {
    undecided[t] = active[t] && left[t] == operation.is_and;
  }
  // The left side decides where control goes; the right one is a value like any other, and may be poison.
  const core::Expr& right = frame.function->at(operation.right);
  const Values values = is_empty(undecided) ? Values(lanes_) : value(frame, operation.right, undecided);
  Values result(lanes_);
  for (unsigned t = 0; t < lanes_; ++t) {
    result[t] = number(std::uint64_t{left[t]});
    if (undecided[t]) {
      result[t] =
          number(std::uint64_t{right.type.is_pointer() ? values[t].object != nullptr : is_nonzero(right.type.scalar, values[t].bits)});
      result[t].state = values[t].state;
    }
  }
  return result;
}

Values Warp::conditional(Frame& frame, const core::Conditional& choice, const Mask& active) {
  const Mask chosen = truth(frame, choice.condition, active);
  Mask others(lanes_, false);
  for (unsigned t = 0; t < lanes_; ++t) {
    others[t] = active[t] && !chosen[t];
  }
  Values result(lanes_);
  for (const auto& [arm, mask] : {std::pair(choice.then, chosen), std::pair(choice.otherwise, others)}) {
    if (is_empty(mask)) {
      continue;
    }
    const Values values = value(frame, arm, mask);
    for (unsigned t = 0; t < lanes_; ++t) {
      if (mask[t]) {
        result[t] = values[t];
      }
    }
  }
  return result;
}

void Warp::check_reach(const Values& pointers, const core::Expr& expression, const Mask& active) const {
  for (unsigned t = 0; t < lanes_; ++t) {
    const Offset bytes = pointers[t].offset * size_of(expression.type.scalar);
    if (active[t] && pointers[t].state == State::Number && (bytes <= -pointer_reach || bytes >= pointer_reach)) {
      fail(FaultKind::OutOfBounds, t, expression.span);
    }
  }
}

Values Warp::pointer_add(Frame& frame, const core::PointerAdd& sum, const core::Expr& expression, const Mask& active) {
  Values result = value(frame, sum.pointer, active);
  const Values indices = value(frame, sum.index, active);
  const core::Type& pointer = frame.function->at(sum.pointer).type;
  const Offset step = step_of(pointer, pointer.extents.size());
  for (unsigned t = 0; t < lanes_; ++t) {
    if (active[t]) {
      result[t].offset += index_of(indices[t]) * step;
      result[t].state = indices[t].state == State::Poison ? State::Poison : result[t].state;
    }
  }
  check_reach(result, expression, active);
  return result;
}

Values Warp::pointer_difference(Frame& frame, const core::PointerDifference& difference, const core::Expr& expression, const Mask& active) {
  const Values left = value(frame, difference.left, active);
  const Values right = value(frame, difference.right, active);
  const core::Type& pointer = frame.function->at(difference.left).type;
  const Offset step = step_of(pointer, pointer.extents.size());
  Values result(lanes_);
  for (unsigned t = 0; t < lanes_; ++t) {
    if (!active[t]) {
      continue;
    }
    if (left[t].state == State::Poison || right[t].state == State::Poison) {
      result[t].state = State::Poison;
      continue;
    }
    if (left[t].object != right[t].object) {
      fail(FaultKind::PointerMismatch, t, expression.span);
    }
    result[t] = number(static_cast<std::uint64_t>((left[t].offset - right[t].offset) / step));
  }
  return result;
}

// ---- calls and what items learn of each other --------------------------------------------------------------------------

std::vector<Values> Warp::arguments(Frame& frame, const std::vector<ExprId>& ids, const Mask& active) {
  std::vector<Values> result;
  result.reserve(ids.size());
  for (const ExprId id : ids) {
    result.push_back(value(frame, id, active));
  }
  return result;
}

void Warp::effect(Frame& frame, ExprId id, const Mask& active) {
  if (const auto* only = std::get_if<core::Call>(&frame.function->at(id).node)) {
    call(frame, *only, active);
  } else {
    value(frame, id, active);
  }
}

Values Warp::call(Frame& frame, const core::Call& call, const Mask& active) {
  const std::vector<Values> passed = arguments(frame, call.arguments, active);
  return enter(world_.program.functions[call.function], passed, active);
}

Values Warp::ask(core::Query query, const Mask& active) const {
  Values result(lanes_);
  for (unsigned t = 0; t < lanes_; ++t) {
    if (!active[t]) {
      continue;
    }
    switch (query) {
      case core::Query::LocalId:
        result[t] = number(first_item_ + t);
        break;
      case core::Query::GroupId:
        result[t] = number(group_.number);
        break;
      case core::Query::NumGroups:
        result[t] = number(world_.launch.groups);
        break;
      case core::Query::WarpSize:
        result[t] = number(world_.warp_size);
        break;
      case core::Query::WarpId:
        result[t] = number(number_);
        break;
      case core::Query::LaneId:
        result[t] = number(t);
        break;
    }
  }
  return result;
}

Values Warp::collective(Frame& frame, const core::Collective& operation, const core::Expr& expression, const Mask& active) {
  using core::CollectiveOp;
  const Values operand = value(frame, operation.operands[0], active);
  const core::Expr& of = frame.function->at(operation.operands[0]);
  Values result(lanes_);
  if (operation.op == CollectiveOp::Shuffle || operation.op == CollectiveOp::ShuffleXor) {
    const Values lanes = value(frame, operation.operands[1], active);
    for (unsigned t = 0; t < lanes_; ++t) {
      const std::uint64_t lane = operation.op == CollectiveOp::Shuffle ? lanes[t].bits : lanes[t].bits ^ t;
      const bool there = active[t] && lanes[t].state == State::Number && lane < lanes_ && active[lane];
      result[t] = there ? operand[lane] : Value{State::Poison, 0, nullptr, 0};
    }
    return result;
  }
  if (operation.op == CollectiveOp::GroupAny || operation.op == CollectiveOp::GroupAll) {
    return group_vote(operation.op, operand, of, active, expression.span);
  }
  bool some = false;
  bool every = true;
  std::uint64_t ballot = 0;
  for (unsigned t = 0; t < lanes_; ++t) {
    if (!active[t]) {
      continue;
    }
    if (operand[t].state == State::Poison) {
      fail(FaultKind::PoisonBranch, t, of.span);
    }
    const bool yes = is_nonzero(of.type.scalar, operand[t].bits);
    some = some || yes;
    every = every && yes;
    ballot |= yes ? std::uint64_t{1} << t : 0;
  }
  const std::uint64_t answer = operation.op == CollectiveOp::Any   ? std::uint64_t{some}
                               : operation.op == CollectiveOp::All ? std::uint64_t{every}
                                                                   : ballot;
  return Values(lanes_, number(answer));
}

Values Warp::group_vote(core::CollectiveOp op, const Values& operand, const core::Expr& of, const Mask& active, SourceSpan span) {
  bool some = false;
  bool every = true;
  for (unsigned t = 0; t < lanes_; ++t) {
    if (!active[t]) {
      if (group_.warps > 1) {
        fail(FaultKind::DivergentBarrier, t, span);
      }
      continue;
    }
    if (operand[t].state == State::Poison) {
      fail(FaultKind::PoisonBranch, t, of.span);
    }
    const bool yes = is_nonzero(of.type.scalar, operand[t].bits);
    some = some || yes;
    every = every && yes;
  }
  const Meeting::Votes votes = group_.warps > 1 ? group_.meeting.wait(number_, some, every, span) : Meeting::Votes{some, every};
  ++local_interval_;
  ++global_interval_;
  return Values(lanes_, number(std::uint64_t{op == core::CollectiveOp::GroupAny ? votes.some : votes.all}));
}

}  // namespace lockstep::evaluator
