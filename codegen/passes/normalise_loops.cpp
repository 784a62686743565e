// Loops: those that are counted, with bounds that the whole pack has alike, and all others.

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "codegen/passes/normalise_walk.hpp"
#include "codegen/passes/normaliser.hpp"

namespace lockstep::passes {

void Normaliser::loop(const core::Loop& loop) {
  statements(loop.init);
  if (loop.kind == core::Loop::Kind::For && counted_loop(loop)) {
    return;
  }
  const LabelId outer = next_label_++;
  const LabelId inner = next_label_++;
  forget_assigned(loop.body);
  if (loop.condition) {
    forget_assigned(*loop.condition);
  }
  if (loop.step) {
    forget_assigned(*loop.step);
  }
  const auto test = [&] {
    if (!loop.condition) {
      return;
    }
    const Operand condition = truth(*loop.condition);
    const auto* constant = std::get_if<Literal>(&condition);
    if (constant == nullptr) {
      emit(If{condition, {}, {Statement{Leave{outer}, span_}}});
    } else if (constant->bits == 0) {
      emit(Leave{outer});
    }
  };
  Body round = inside([&] {
    if (loop.kind != core::Loop::Kind::DoWhile) {
      test();
    }
    frame().breaks.push_back(outer);
    frame().continues.push_back(inner);
    Body body = inside([&] { statements(loop.body); });
    emit(Block{inner, std::move(body)});
    frame().breaks.pop_back();
    frame().continues.pop_back();
    forget_assigned(loop.body);
    if (loop.step) {
      value(*loop.step);
    }
    if (loop.kind == core::Loop::Kind::DoWhile) {
      test();
    }
  });
  Body repeated;
  repeated.push_back({Loop{std::move(round), std::nullopt}, span_});
  emit(Block{outer, std::move(repeated)});
}

bool Normaliser::counted_loop(const core::Loop& loop) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (!loop.condition || !loop.step || leaves_loop(loop.body, true)) {
    return false;
  }
  const core::Function& function = *frame().function;
  const auto* step = std::get_if<core::Assign>(&at(*loop.step).node);
  const auto* place = step == nullptr ? nullptr : std::get_if<core::Var>(&at(step->place).node);
  const auto* condition = std::get_if<core::Operate>(&at(*loop.condition).node);
  if (place == nullptr || condition == nullptr || !is_comparison(condition->op) || condition->op == Op::Eq ||
      frame().is_risky[*loop.condition] || frame().is_risky[step->value] || at(condition->operands[0]).type.is_pointer()) {
    return false;
  }
  const Binding& binding = frame().bindings[place->id];
  const core::Type& type = function.variables[place->id].type;
  std::set<core::VarId> assigned;
  for_each_assigned(function, loop.body, [&](core::VarId id) { assigned.insert(id); });
  if (!binding.var || !type.is_scalar() || !is_integer(type.scalar) || type.scalar == ScalarType::Bool || assigned.contains(place->id) ||
      mentions(function, step->value, assigned)) {
    return false;
  }
  const Known* known = known_.find(*binding.var);
  if (known == nullptr || !known->symbolic || !known->symbolic->range) {
    return false;
  }
  const Symbolic from = *known->symbolic;
  assigned.insert(place->id);
  const bool left_is_bound = !mentions(function, condition->operands[0], assigned);
  const core::ExprId bound_id = condition->operands[left_is_bound ? 0 : 1];
  const core::ExprId counter_id = condition->operands[left_is_bound ? 1 : 0];
  if (mentions(function, bound_id, assigned) || !is_pack_wide(out_, from.value)) {
    return false;
  }
  Result bound = value(bound_id);
  if (bound.symbolic && !bound.symbolic->range && condition->operand_type == ScalarType::ULong &&
      is_pack_wide(out_, bound.symbolic->value)) {
    // Beyond 2^63 rounds no loop ends.
    bound = opaque(Operate{Op::Min, ScalarType::ULong, {bound.operand, Literal{Element::of(ScalarType::ULong), most}}}, ScalarType::ULong,
                   Range{0, most});
  }
  if (!bound.symbolic || !bound.symbolic->range || !is_pack_wide(out_, bound.symbolic->value)) {
    return false;
  }

  // What step and condition do to a counter of which only the range is supposed: try it aside.
  VarId counter = new_variable(function.variables[place->id].name, Element::of(ScalarType::Long), /*implicit=*/false);
  out_.variables[counter].is_loop = true;
  out_.variables[counter].kind = Layout::Kind::Pack;
  constexpr std::int64_t far = std::int64_t{1} << 62;
  const Range whole = range_of(type.scalar).value_or(Range{0, far});
  const auto aside = [&](const Range& range, auto&& f) {
    const std::size_t before = out_.variables.size();
    std::optional<Symbolic> result;
    const std::size_t statements_before = statements_;
    inside([&] {
      known_.learn(*binding.var, {Symbolic{Symbol::of(counter), range}, std::nullopt});
      old_values_.push_back(read_variable(*binding.var, type));
      result = f().symbolic;
      old_values_.pop_back();
    });
    statements_ = statements_before;
    out_.variables.resize(before);
    return result;
  };
  const auto offset_from_counter = [&](const std::optional<Symbolic>& symbolic) -> std::optional<std::int64_t> {
    const Polynomial difference = symbolic ? symbolic->value - Polynomial(Symbol::of(counter)) : Polynomial(Symbol::item());
    return difference.is_constant() ? std::optional(difference.constant()) : std::nullopt;
  };
  std::optional<std::int64_t> by;
  Range supposed;
  for (const bool up : {true, false}) {
    supposed = up ? Range{from.range->lo, std::min(whole.hi - 1, far)} : Range{std::max(whole.lo + 1, -far), from.range->hi};
    by = supposed.lo <= supposed.hi ? offset_from_counter(aside(supposed, [&] { return value(step->value); })) : std::nullopt;
    if (by && *by != 0 && (*by > 0) == up && (*by == 1 || *by == -1 || (*by > -far && *by < far))) {
      break;
    }
    by.reset();
  }
  const auto shift = by ? offset_from_counter(aside(supposed, [&] { return value(counter_id); })) : std::nullopt;
  const auto give_up = [&] {
    out_.variables.pop_back();
    return false;
  };
  if (!by || !shift || *shift <= -far || *shift >= far) {
    return give_up();
  }

  // counter op limit, with the limit's range.
  Op op = condition->op;
  if (left_is_bound) {
    op = op == Op::Lt ? Op::Gt : op == Op::Gt ? Op::Lt : op == Op::Le ? Op::Ge : op == Op::Ge ? Op::Le : op;
  }
  Wide low = static_cast<Wide>(bound.symbolic->range->lo) - *shift;
  Wide high = static_cast<Wide>(bound.symbolic->range->hi) - *shift;
  Polynomial limit = bound.symbolic->value - Polynomial(*shift);
  if (op == Op::Ne) {
    const Polynomial distance = limit - from.value;
    if (!distance.is_constant() || distance.constant() % *by != 0 || distance.constant() / *by < 0) {
      return give_up();
    }
    op = *by > 0 ? Op::Lt : Op::Gt;
  }
  if (op == Op::Le || op == Op::Ge) {
    limit += Polynomial(op == Op::Le ? 1 : -1);
    low += op == Op::Le ? 1 : -1;
    high += op == Op::Le ? 1 : -1;
    op = op == Op::Le ? Op::Lt : Op::Gt;
  }
  // All values that the counter takes, the last one included, must be what was supposed; else it may wrap.
  const Wide last = *by > 0 ? std::max<Wide>(high - 1 + *by, from.range->hi) : std::min<Wide>(low + 1 + *by, from.range->lo);
  if ((op == Op::Lt) != (*by > 0) || last < whole.lo || last > whole.hi ||
      (*by > 0 ? last - *by > supposed.hi : last - *by < supposed.lo)) {
    return give_up();
  }
  const Range inside_range = *by > 0 ? Range{from.range->lo, std::max(from.range->lo, static_cast<std::int64_t>(high - 1))}
                                     : Range{std::min(from.range->hi, static_cast<std::int64_t>(low + 1)), from.range->hi};

  forget_assigned(loop.body);
  const LabelId round = next_label_++;
  Body body = inside([&] {
    known_.learn(*binding.var, {Symbolic{Symbol::of(counter), inside_range}, std::nullopt});
    frame().breaks.push_back(round);
    frame().continues.push_back(round);
    Body block = inside([&] { statements(loop.body); });
    emit(Block{round, std::move(block)});
    frame().breaks.pop_back();
    frame().continues.pop_back();
  });
  emit(For{counter, from.value, limit, *by, std::move(body)});
  known_.forget(*binding.var);

  const bool is_own = std::ranges::any_of(loop.init, [&](const core::Stmt& statement) {
    const auto* declare = std::get_if<core::Declare>(&statement.node);
    return declare != nullptr && declare->variable == place->id;
  });
  if (!is_own) {
    // Rounded up to the first value that fails the condition.
    const auto number = [](const Polynomial& p) { return Operand(Number{ScalarType::Long, p}); };
    const auto on_long = [&](Op o, const Operand& a, const Operand& b) {
      return Operand(temporary(Operate{o, ScalarType::Long, {a, b}}, Element::of(ScalarType::Long)));
    };
    const Polynomial span = *by > 0 ? limit - from.value : from.value - limit;
    const std::int64_t stride = *by > 0 ? *by : -*by;
    const Operand rounds = on_long(Op::Div, on_long(Op::Max, number(span + Polynomial(stride - 1)), number(0)), number(stride));
    const Operand end = on_long(Op::Add, number(from.value), on_long(Op::Mul, rounds, number(*by)));
    write(*binding.var, convert_value({end, std::nullopt, std::nullopt}, ScalarType::Long, type.scalar));
  }
  return true;
}

}  // namespace lockstep::passes
