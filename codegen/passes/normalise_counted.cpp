// Counted loops: those of which it can be shown how often they run, with bounds that the whole pack has alike.

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "codegen/passes/counted.hpp"
#include "codegen/passes/normalise_walk.hpp"
#include "codegen/passes/normaliser.hpp"

namespace lockstep::passes {

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

/// a op b is b turned(op) a.
Op turned(Op op) { return op == Op::Lt ? Op::Gt : op == Op::Gt ? Op::Lt : op == Op::Le ? Op::Ge : op == Op::Ge ? Op::Le : op; }

bool declares(const core::Body& body, core::VarId variable) {
  return std::ranges::any_of(body, [&](const core::Stmt& statement) {
    const auto* declare = std::get_if<core::Declare>(&statement.node);
    return declare != nullptr && declare->variable == variable;
  });
}

}  // namespace

std::optional<Normaliser::Head> Normaliser::head_of(const core::Loop& loop) {
  if (!loop.condition || !loop.step || leaves_loop(loop.body, true)) {
    return std::nullopt;
  }
  const core::Function& function = *frame().function;
  const auto* step = std::get_if<core::Assign>(&at(*loop.step).node);
  const auto* place = step == nullptr ? nullptr : std::get_if<core::Var>(&at(step->place).node);
  const auto* condition = std::get_if<core::Operate>(&at(*loop.condition).node);
  if (place == nullptr || condition == nullptr || !is_comparison(condition->op) || condition->op == Op::Eq ||
      frame().is_risky[*loop.condition] || frame().is_risky[step->value] || at(condition->operands[0]).type.is_pointer()) {
    return std::nullopt;
  }
  const Binding& binding = frame().bindings[place->id];
  const core::Type& type = function.variables[place->id].type;
  std::set<core::VarId> assigned;
  for_each_assigned(function, loop.body, [&](core::VarId id) { assigned.insert(id); });
  if (!binding.var || !type.is_scalar() || !is_integer(type.scalar) || type.scalar == ScalarType::Bool || assigned.contains(place->id) ||
      mentions(function, step->value, assigned) || mentions(function, *loop.condition, assigned)) {
    return std::nullopt;
  }
  const Known* known = known_.find(*binding.var);
  if (known == nullptr || !known->symbolic || !known->symbolic->range || !is_pack_wide(out_, known->symbolic->value)) {
    return std::nullopt;
  }
  const bool left_is_bound = !mentions(function, condition->operands[0], {place->id});
  const Head head{place->id,
                  *binding.var,
                  type,
                  *known->symbolic,
                  step->value,
                  left_is_bound ? turned(condition->op) : condition->op,
                  condition->operand_type,
                  condition->operands[left_is_bound ? 1 : 0],
                  condition->operands[left_is_bound ? 0 : 1]};
  return mentions(function, head.bound, {place->id}) ? std::nullopt : std::optional(head);
}

std::optional<Symbolic> Normaliser::bound_of(const Head& head) {
  Result bound = value(head.bound);
  if (!bound.symbolic || !is_pack_wide(out_, bound.symbolic->value)) {
    return std::nullopt;
  }
  if (!bound.symbolic->range && head.compared_as == ScalarType::ULong) {
    // No counter gets as far as the greatest long: what is beyond it is no less than it.
    const Polynomial value = bound.symbolic->value;
    bound = opaque(Operate{Op::Min, ScalarType::ULong, {bound.operand, Literal{Element::of(ScalarType::ULong), most}}}, ScalarType::ULong,
                   Range{0, most});
    if (assumes_ && assumptions_.is_positive(out_, value)) {  // of one that is not, the bound may be nearly 2^64
      assumptions_.bound(std::get<Ref>(bound.operand).var, value);
    }
  }
  return bound.symbolic->range ? bound.symbolic : std::nullopt;
}

std::optional<std::int64_t> Normaliser::above_counter(const Head& head, VarId counter, const Range& range, core::ExprId id) {
  const std::size_t variables_before = out_.variables.size();
  const std::size_t statements_before = statements_;
  const bool assumes = std::exchange(assumes_, false);
  std::optional<Symbolic> found;
  inside([&] {
    known_.learn(head.var, {Symbolic{Symbol::of(counter), range}, std::nullopt});
    old_values_.push_back(read_variable(head.var, head.type));
    found = value(id).symbolic;
    old_values_.pop_back();
  });
  statements_ = statements_before;
  out_.variables.resize(variables_before);
  assumes_ = assumes;
  const auto difference = found && found->range ? exact_difference(found->value, Polynomial(Symbol::of(counter))) : std::nullopt;
  return difference && difference->is_constant() ? std::optional(difference->constant()) : std::nullopt;
}

std::optional<Normaliser::Rounds> Normaliser::rounds_of(const Head& head, const Symbolic& bound, VarId counter) {
  // A guess from one value, then the same is asked for all values that follow from it.
  std::optional<std::int64_t> by;
  std::optional<std::int64_t> shift;
  for (const std::int64_t end : {head.from.range->lo, head.from.range->hi}) {
    by = by ? by : above_counter(head, counter, {end, end}, head.next);
    shift = shift ? shift : above_counter(head, counter, {end, end}, head.compared);
  }
  const auto limit = shift ? exact_difference(bound.value, *shift) : std::nullopt;
  const Wide low = Wide{bound.range->lo} - shift.value_or(0);
  const Wide high = Wide{bound.range->hi} - shift.value_or(0);
  if (!by || !limit || low < std::numeric_limits<std::int64_t>::min() || high > most) {
    return std::nullopt;
  }
  const auto distance = exact_difference(*limit, head.from.value);
  const Range whole = range_of(head.type.scalar).value_or(Range{0, most});
  const auto counted_to = [&](Wide least, Wide greatest) {
    return least > greatest ? std::nullopt
                            : counted(head.op, *head.from.range, {static_cast<std::int64_t>(least), static_cast<std::int64_t>(greatest)},
                                      distance && distance->is_constant() ? std::optional(distance->constant()) : std::nullopt, *by,
                                      {std::max(whole.lo, countable.lo), std::min(whole.hi, countable.hi)});
  };
  auto found = counted_to(low, high);
  if (!found && assumes_) {
    // Of a limit that is small enough for one more step.
    const auto beyond = exact_sum(*limit, *by);
    found = counted_to(std::max(low, -Wide{assumed_below} - *by), std::min(high, Wide{assumed_below} - 1 - *by));
    if (!found || !beyond || !assumed(ScalarType::Int, *beyond)) {
      return std::nullopt;
    }
  }
  if (!found || above_counter(head, counter, found->inside, head.next) != by ||
      above_counter(head, counter, found->reached, head.compared) != shift) {
    return std::nullopt;
  }
  return Rounds{*limit + Polynomial(found->adjust), *by, found->inside};
}

void Normaliser::write_last(const Head& head, const Rounds& rounds) {
  const auto number = [](const Polynomial& p) { return Operand(Number{ScalarType::Long, p}); };
  const auto on_long = [&](Op op, const Operand& a, const Operand& b) {
    return Operand(temporary(Operate{op, ScalarType::Long, {a, b}}, Element::of(ScalarType::Long)));
  };
  const Polynomial& from = head.from.value;
  const Polynomial span = rounds.by > 0 ? rounds.limit - from : from - rounds.limit;
  const std::int64_t stride = rounds.by > 0 ? rounds.by : -rounds.by;
  const Operand count = on_long(Op::Div, on_long(Op::Max, number(span + Polynomial(stride - 1)), number(0)), number(stride));
  const Operand end = on_long(Op::Add, number(from), on_long(Op::Mul, count, number(rounds.by)));
  write(head.var, convert_value({end, std::nullopt, std::nullopt}, ScalarType::Long, head.type.scalar));
}

bool Normaliser::counted_loop(const core::Loop& loop) {
  const auto head = head_of(loop);
  const auto bound = head ? bound_of(*head) : std::nullopt;
  if (!bound) {
    return false;
  }
  const VarId counter = new_variable(frame().function->variables[head->id].name, Element::of(ScalarType::Long), /*implicit=*/false);
  out_.variables[counter].is_loop = true;
  out_.variables[counter].kind = Layout::Kind::Pack;
  const auto rounds = rounds_of(*head, *bound, counter);
  if (!rounds) {
    out_.variables.pop_back();
    return false;
  }
  if (assumes_) {
    assumptions_.counter(counter, head->from.value, rounds->limit, rounds->inside);
  }
  forget_assigned(loop.body);
  const LabelId round = next_label_++;
  Body body = inside([&] {
    known_.learn(head->var, {Symbolic{Symbol::of(counter), rounds->inside}, std::nullopt});
    frame().breaks.push_back(round);
    frame().continues.push_back(round);
    Body block = inside([&] { statements(loop.body); });
    emit(Block{round, std::move(block)});
    frame().breaks.pop_back();
    frame().continues.pop_back();
  });
  For lowered{counter, head->from.value, rounds->limit, rounds->by, std::move(body)};
  lowered.hint = loop.hint;
  emit(std::move(lowered));
  known_.forget(head->var);
  if (!declares(loop.init, head->id)) {
    write_last(*head, *rounds);
  }
  return true;
}

}  // namespace lockstep::passes
