#include <algorithm>
#include <type_traits>

#include "codegen/passes/kinds.hpp"
#include "codegen/passes/normalise_numbers.hpp"
#include "codegen/passes/normaliser.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/core/walk.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::passes {

void Normaliser::emit(Statement statement) {
  constexpr std::size_t most_statements = 200'000;
  if (++statements_ > most_statements) {
    throw Rejected{{Severity::Error,
                    frames_.empty() ? SourceSpan{} : kernel_.span,
                    "the kernel is too large to be compiled: with all calls inlined it has more than 200,000 operations",
                    {}}};
  }
  body_->push_back(std::move(statement));
}

VarId Normaliser::new_variable(std::string_view name, Element element, bool implicit) {
  Variable variable;
  variable.name = name;
  variable.element = element;
  variable.is_implicit = implicit;
  variable.span = span_;
  out_.variables.push_back(std::move(variable));
  return static_cast<VarId>(out_.variables.size() - 1);
}

Ref Normaliser::temporary(Right right, Element element, std::string_view name) {
  const VarId var = new_variable(name, element, /*implicit=*/true);
  // What looks at its mask may stand under one that differs from item to item, a shuffle of a number from the text, too; the pass `kinds`
  // looks at it again.
  const bool looks = std::holds_alternative<Load>(right) || std::holds_alternative<Shuffle>(right) || std::holds_alternative<Vote>(right);
  out_.variables[var].kind = looks ? Layout::Kind::Item : kind_of(out_, right);
  emit(Assign{{var, 0}, std::move(right), std::nullopt});
  return {var, 0};
}

Result Normaliser::opaque(Right right, ScalarType type, std::optional<Range> range, std::string_view name) {
  const Ref ref = temporary(std::move(right), Element::of(type), name);
  Result result{ref, std::nullopt, std::nullopt};
  if (is_integer(type) && type != ScalarType::Bool) {
    result.symbolic = Symbolic{Symbol::of(ref.var), range ? range : range_of(type)};
    if (range && assumes_) {
      assumptions_.range(ref.var, *range);
    }
  }
  return result;
}

std::optional<Symbolic> Normaliser::assumed(ScalarType type, const Polynomial& polynomial) {
  return assumes_ && assumptions_.assume(out_, type, polynomial) ? std::optional(Symbolic{polynomial, range_of(type)}) : std::nullopt;
}

std::optional<Symbolic> Normaliser::combined(Op op, ScalarType type, const Symbolic& a, const Symbolic& b) {
  auto exact = combine(op, type, a, b);
  if (exact || !assumes_ || !a.range || !b.range || bits_of(type) != 32) {
    return exact;
  }
  // Of operands that are exact the polynomial is the number, as long as it fits.
  const auto wide = combine(op, ScalarType::Long, a, b);
  return wide && wide->range ? assumed(type, wide->value) : std::nullopt;
}

Polynomial Normaliser::index_of(const Result& result, ScalarType type) {
  if (result.symbolic) {
    return result.symbolic->value;
  }
  if (type != ScalarType::Bool) {
    throw InternalError("an integer without a polynomial");
  }
  const Result number = opaque(Convert{ScalarType::Bool, ScalarType::Int, result.operand}, ScalarType::Int, Range{0, 1});
  return number.symbolic->value;
}

Operand Normaliser::converted_truth(Operand truth, ScalarType to) {
  if (to == ScalarType::Bool) {
    return truth;
  }
  if (const auto known = known_truth(truth)) {
    return literal(to, ops::convert(ScalarType::Bool, to, *known ? 1 : 0).value_or(0));
  }
  return temporary(Convert{ScalarType::Bool, to, std::move(truth)}, Element::of(to));
}

Operand Normaliser::compare(Op op, ScalarType type, const Result& left, const Result& right) {
  if (left.symbolic && right.symbolic && left.symbolic->range && right.symbolic->range) {
    const Polynomial& a = left.symbolic->value;
    const Polynomial& b = right.symbolic->value;
    if (a.is_constant() && b.is_constant()) {
      const std::int64_t operands[] = {a.constant(), b.constant()};
      return truth_literal(ops::apply(op, operands) != 0);
    }
    if (is_static(out_, a) && is_static(out_, b)) {
      return temporary(Resolve{{{a, op, b}}}, infreg::truth, "is");
    }
  }
  return temporary(Operate{op, type, {left.operand, right.operand}}, infreg::truth, "is");
}

std::vector<Result> Normaliser::operands_in_order(const core::Operate& node) {
  std::vector<std::size_t> order(node.operands.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = node.last_first ? (i + order.size() - 1) % order.size() : i;
  }
  std::vector<Result> results(node.operands.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const core::ExprId id = node.operands[order[k]];
    results[order[k]] = value(id);
    const bool later_writes = std::any_of(order.begin() + static_cast<std::ptrdiff_t>(k) + 1, order.end(),
                                          [&](std::size_t other) { return frame().has_effects[node.operands[other]]; });
    if (later_writes) {
      results[order[k]] = settled(std::move(results[order[k]]), at(id).type);
    }
  }
  return results;
}

Result Normaliser::compare_pointers(const core::Operate& node) {
  const Result left = value(node.operands[0]);
  const Operand a = settled({operand_of_pointer(left), std::nullopt, std::nullopt}, at(node.operands[0]).type).operand;
  const Operand b = operand_of_pointer(value(node.operands[1]));
  return {temporary(PointerCompare{node.op, a, b}, infreg::truth, "is"), std::nullopt, std::nullopt};
}

Result Normaliser::operate(const core::Operate& node, const core::Expr& expr) {
  if (node.op == Op::LogicalNot || is_comparison(node.op)) {
    throw InternalError("a truth value where a number is wanted");
  }
  const std::vector<Result> operands = operands_in_order(node);
  const ScalarType type = node.operand_type;
  const Symbolic none{0, Range{0, 0}};
  std::optional<Range> range;
  const auto symbolic_of = [&](std::size_t i) { return i < operands.size() ? operands[i].symbolic : std::nullopt; };
  if (is_integer(type) && symbolic_of(0)) {
    const auto a = symbolic_of(0);
    const auto b = symbolic_of(1);
    if (a->value.is_constant() && (operands.size() == 1 || (b && b->value.is_constant()))) {
      std::vector<std::uint64_t> bits;
      for (const Result& operand : operands) {
        bits.push_back(bits_of_number(type, operand.symbolic->value.constant()));
      }
      if (const auto folded = ops::apply(node.op, type, bits)) {
        const ScalarType result = expr.type.scalar;
        const auto whole = range_of(result);
        const std::int64_t number = number_of_bits(result, *folded);
        return {literal(result, *folded),
                Symbolic{Polynomial(number), whole || number >= 0 ? std::optional(Range{number, number}) : std::nullopt}, std::nullopt};
      }
    }
    if (const auto found = operands.size() == 1 || b ? combined(node.op, type, *a, b.value_or(none)) : std::nullopt) {
      if (is_static(out_, found->value) && !found->value.is_constant()) {
        return {Number{type, found->value}, found, std::nullopt};
      }
      if (found->value.is_constant()) {
        return {literal(type, bits_of_number(type, found->value.constant())), found, std::nullopt};
      }
    }
    range = range_after(node.op, type, a->range, b ? b->range : std::nullopt);
  }
  std::vector<Operand> plain;
  for (const Result& operand : operands) {
    plain.push_back(operand.operand);
  }
  Result result = opaque(Operate{node.op, type, std::move(plain)}, expr.type.scalar, range);
  if (is_integer(type) && symbolic_of(0) && (operands.size() == 1 || symbolic_of(1)) && result.symbolic) {
    if (const auto found = combined(node.op, type, *symbolic_of(0), symbolic_of(1).value_or(none))) {
      result.symbolic = found;
    } else if (assumes_ && (node.op == Op::Div || node.op == Op::Rem)) {
      // No larger than what is divided, if that is what its polynomial says: a number with a range, or one that is too small to wrap.
      const Symbolic divided = *symbolic_of(0);
      if (divided.range || assumptions_.is_positive(out_, divided.value)) {
        assumptions_.bound(std::get<Ref>(result.operand).var, divided.value);
      }
    }
  }
  return result;
}

Operand Normaliser::truth(core::ExprId id) {
  const core::Expr& expr = at(id);
  if (const auto* node = std::get_if<core::Operate>(&expr.node)) {
    if (node->op == Op::LogicalNot) {
      const Operand operand = truth(node->operands[0]);
      if (const auto known = known_truth(operand)) {
        return truth_literal(!*known);
      }
      return temporary(Operate{Op::Eq, ScalarType::Bool, {operand, truth_literal(false)}}, infreg::truth, "not");
    }
    if (is_comparison(node->op)) {
      if (at(node->operands[0]).type.is_pointer()) {
        return compare_pointers(*node).operand;
      }
      const std::vector<Result> operands = operands_in_order(*node);
      return compare(node->op, node->operand_type, operands[0], operands[1]);
    }
  }
  if (const auto* node = std::get_if<core::ShortCircuit>(&expr.node)) {
    return short_circuit(*node);
  }
  if (const auto* node = std::get_if<core::Convert>(&expr.node)) {
    const core::Type& from = at(node->operand).type;
    // To bool, or to a type that keeps whether an integer is 0.
    if (expr.type.scalar == ScalarType::Bool || (from.is_scalar() && is_integer(from.scalar) && is_integer(expr.type.scalar) &&
                                                 bits_of(expr.type.scalar) >= bits_of(from.scalar))) {
      return truth(node->operand);
    }
  }
  const Result result = value(id);
  if (expr.type.is_pointer()) {
    return temporary(PointerCompare{Op::Ne, operand_of_pointer(result), Literal{Element::pointer(), 0}}, infreg::truth, "is");
  }
  if (expr.type.scalar == ScalarType::Bool) {
    return result.operand;
  }
  const Result zero{literal(expr.type.scalar, 0), Symbolic{Polynomial(0), Range{0, 0}}, std::nullopt};
  if (const auto* constant = std::get_if<Literal>(&result.operand)) {
    return truth_literal(ops::convert(expr.type.scalar, ScalarType::Bool, constant->bits).value_or(0) != 0);
  }
  return compare(Op::Ne, expr.type.scalar, result, zero);
}

Operand Normaliser::short_circuit(const core::ShortCircuit& node) {
  const Operand left = truth(node.left);
  if (const auto known = known_truth(left)) {
    return *known == node.is_and ? truth(node.right) : left;
  }
  if (!frame().is_risky[node.right]) {
    const Operand settled_left = settled({left, std::nullopt, std::nullopt}, core::Type::scalar_of(ScalarType::Bool)).operand;
    const Operand right = truth(node.right);
    return node.is_and ? temporary(Choose{settled_left, right, truth_literal(false)}, infreg::truth, "and")
                       : temporary(Choose{settled_left, truth_literal(true), right}, infreg::truth, "or");
  }
  const VarId result = new_variable(node.is_and ? "and" : "or", infreg::truth, /*implicit=*/false);
  emit(Forget{{result}});
  emit(Assign{{result, 0}, Copy{left}, std::nullopt});
  Body arm = inside([&] { emit(Assign{{result, 0}, Copy{truth(node.right)}, std::nullopt}); });
  forget_assigned(node.right);
  If branch{Ref{result, 0}, {}, {}};
  (node.is_and ? branch.then : branch.otherwise) = std::move(arm);
  emit(std::move(branch));
  return temporary(Copy{Ref{result, 0}}, infreg::truth);
}

Result Normaliser::conditional(const core::Conditional& node, const core::Expr& expr) {
  const Operand condition = truth(node.condition);
  if (const auto known = known_truth(condition)) {
    return value(*known ? node.then : node.otherwise);
  }
  if (!frame().is_risky[node.then] && !frame().is_risky[node.otherwise] && expr.type.is_scalar()) {
    const Operand settled_condition = settled({condition, std::nullopt, std::nullopt}, core::Type::scalar_of(ScalarType::Bool)).operand;
    const Result then = value(node.then);
    const Result otherwise = value(node.otherwise);
    std::optional<Range> range;
    if (then.symbolic && otherwise.symbolic) {
      range = range_after(Op::Min, expr.type.scalar, then.symbolic->range, otherwise.symbolic->range);
      const auto high = range_after(Op::Max, expr.type.scalar, then.symbolic->range, otherwise.symbolic->range);
      range = range && high ? std::optional(Range{range->lo, high->hi}) : std::nullopt;
    }
    return opaque(Choose{settled_condition, then.operand, otherwise.operand}, expr.type.scalar, range);
  }
  std::optional<VarId> result;
  if (!expr.type.is_void()) {
    result = new_variable("choice", element_of(expr.type), /*implicit=*/false);
    emit(Forget{{*result}});
  }
  const auto arm = [&](core::ExprId id) {
    return inside([&] {
      const Result chosen = value(id);
      if (result) {
        emit(Assign{{*result, 0}, Copy{chosen.pointer ? operand_of_pointer(chosen) : chosen.operand}, std::nullopt});
      }
    });
  };
  const Operand settled_condition = settled({condition, std::nullopt, std::nullopt}, core::Type::scalar_of(ScalarType::Bool)).operand;
  If branch{settled_condition, arm(node.then), arm(node.otherwise)};
  forget_assigned(node.then);
  forget_assigned(node.otherwise);
  emit(std::move(branch));
  return result ? settled(read_variable(*result, expr.type), expr.type) : Result{};
}

Result Normaliser::assign(const core::Assign& node) {
  const auto where = place(node.place);
  const core::Type& type = at(node.place).type;
  old_values_.emplace_back();
  bool reads_old = node.yields_old;
  const auto mentions_old = [&](auto&& self, core::ExprId id) -> bool {
    if (std::holds_alternative<core::OldValue>(at(id).node)) {
      return true;
    }
    bool found = false;
    if (!std::holds_alternative<core::Assign>(at(id).node)) {
      core::for_each_operand(at(id), [&](core::ExprId operand) { found = found || self(self, operand); });
    }
    return found;
  };
  reads_old = reads_old || mentions_old(mentions_old, node.value);
  if (reads_old) {
    old_values_.back() = read(where, type);
    if (node.yields_old || frame().has_effects[node.value]) {
      old_values_.back() = settled(old_values_.back(), type);
    }
  }
  const Result result = value(node.value);
  const Result old = old_values_.back();
  old_values_.pop_back();
  write(where, result);
  return node.yields_old ? old : result;
}

Result Normaliser::convert_value(const Result& source, ScalarType from, ScalarType to) {
  if (from == to) {
    return source;
  }
  if (const auto* constant = std::get_if<Literal>(&source.operand)) {
    if (const auto bits = ops::convert(from, to, constant->bits)) {
      Result result{literal(to, *bits), std::nullopt, std::nullopt};
      if (is_integer(to) && to != ScalarType::Bool) {
        const std::int64_t number = number_of_bits(to, *bits);
        result.symbolic = Symbolic{Polynomial(number), range_of(to) || number >= 0 ? std::optional(Range{number, number}) : std::nullopt};
      }
      return result;
    }
  }
  if (from == ScalarType::Bool) {
    return opaque(Convert{from, to, source.operand}, to, Range{0, 1});
  }
  auto symbolic = source.symbolic ? convert(to, *source.symbolic) : std::nullopt;
  if (!symbolic && source.symbolic && bits_of(to) == 32) {
    symbolic = assumed(to, source.symbolic->value);
  }
  if (symbolic && is_static(out_, symbolic->value)) {
    return {Number{to, symbolic->value}, symbolic, std::nullopt};
  }
  Result result = opaque(Convert{from, to, source.operand}, to);
  if (symbolic) {
    result.symbolic = symbolic;
  }
  return result;
}

Result Normaliser::ask(const core::Ask& node) {
  constexpr std::int64_t most_groups = std::int64_t{1} << 48;
  const auto number = [](const Polynomial& value, std::int64_t lo, std::int64_t hi) {
    return Result{Number{ScalarType::ULong, value}, Symbolic{value, Range{lo, hi}}, std::nullopt};
  };
  switch (node.query) {
    case core::Query::LocalId:
    case core::Query::LaneId:
      return number(Symbol::item(), 0, std::int64_t{out_.wg_size} - 1);
    case core::Query::GroupId:
      return number(Symbol::group(), 0, most_groups);
    case core::Query::NumGroups: {
      Result groups = opaque(NumGroups{}, ScalarType::ULong, Range{0, most_groups}, "num_groups");
      if (assumes_) {
        assumptions_.number_of_groups(std::get<Ref>(groups.operand).var);
      }
      return groups;
    }
    case core::Query::WarpSize:
      return {literal(ScalarType::ULong, out_.wg_size), Symbolic{std::int64_t{out_.wg_size}, Range{out_.wg_size, out_.wg_size}},
              std::nullopt};
    case core::Query::WarpId:
      break;
  }
  return {literal(ScalarType::ULong, 0), Symbolic{Polynomial(0), Range{0, 0}}, std::nullopt};
}

Result Normaliser::atomic(const core::Atomic& node, const core::Expr& expr) {
  Atomic change{node.op, std::get<Place>(place(node.place)), std::nullopt, {}};
  if (node.compare) {
    Result compare = value(*node.compare);
    if (frame().has_effects[node.value]) {
      compare = settled(std::move(compare), at(*node.compare).type);
    }
    change.compare = compare.operand;
  }
  change.value = value(node.value).operand;
  return opaque(std::move(change), expr.type.scalar, std::nullopt, "old");
}

Result Normaliser::collective(const core::Collective& node, const core::Expr& expr) {
  using core::CollectiveOp;
  const ScalarType type = expr.type.is_scalar() ? expr.type.scalar : ScalarType::Int;
  if (node.op == CollectiveOp::Shuffle || node.op == CollectiveOp::ShuffleXor) {
    Result source = value(node.operands[0]);
    if (frame().has_effects[node.operands[1]]) {
      source = settled(std::move(source), at(node.operands[0]).type);
    }
    Result lane = value(node.operands[1]);
    const ScalarType lane_type = at(node.operands[1]).type.scalar;
    lane = convert_value(lane, lane_type, ScalarType::Long);
    if (node.op == CollectiveOp::ShuffleXor) {
      lane = opaque(Operate{Op::BitXor, ScalarType::Long, {lane.operand, Number{ScalarType::Long, Symbol::item()}}}, ScalarType::Long);
    }
    Operand where = lane.operand;
    if (lane.symbolic && (is_static(out_, lane.symbolic->value) || is_pack_wide(out_, lane.symbolic->value))) {
      where = Number{ScalarType::Long, lane.symbolic->value};
    }
    if (expr.type.is_pointer()) {
      return {temporary(Shuffle{operand_of_pointer(source), where}, Element::pointer()), std::nullopt, std::nullopt};
    }
    return opaque(Shuffle{source.operand, where}, type, std::nullopt, "shuffle");
  }
  const Operand operand = truth(node.operands[0]);
  const bool is_any = node.op == CollectiveOp::Any || node.op == CollectiveOp::GroupAny;
  const bool is_ballot = node.op == CollectiveOp::Ballot;
  const auto kind = is_any ? infreg::Vote::Kind::Any : is_ballot ? infreg::Vote::Kind::Ballot : infreg::Vote::Kind::All;
  const Ref vote = temporary(Vote{kind, operand}, Element::of(is_ballot ? ScalarType::ULong : ScalarType::Bool), "vote");
  if (is_ballot) {
    return {vote, Symbolic{Symbol::of(vote.var), std::nullopt}, std::nullopt};
  }
  return opaque(Convert{ScalarType::Bool, type, vote}, type, Range{0, 1});
}

Result Normaliser::value(core::ExprId id) {
  const core::Expr& expr = at(id);
  const SourceSpan outer = std::exchange(span_, expr.span);
  Result result = std::visit(
      [&](const auto& node) -> Result {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, core::Literal>) {
          if (expr.type.is_pointer()) {
            return {Literal{Element::pointer(), 0}, std::nullopt, std::nullopt};
          }
          Result number{literal(expr.type.scalar, node.bits), std::nullopt, std::nullopt};
          if (is_integer(expr.type.scalar) && expr.type.scalar != ScalarType::Bool) {
            const std::int64_t n = number_of_bits(expr.type.scalar, node.bits);
            number.symbolic = Symbolic{Polynomial(n), range_of(expr.type.scalar) || n >= 0 ? std::optional(Range{n, n}) : std::nullopt};
          }
          return number;
        } else if constexpr (std::is_same_v<Node, core::Var> || std::is_same_v<Node, core::GlobalConstant> ||
                             std::is_same_v<Node, core::Subscript>) {
          return read(place(id), expr.type);
        } else if constexpr (std::is_same_v<Node, core::AddressOf>) {
          return pointer_to(std::get<Place>(place(node.place)));
        } else if constexpr (std::is_same_v<Node, core::PointerAdd>) {
          Place base = pointed_at(node.pointer);
          // Of a pointer to rows, whole rows.
          const Polynomial stride(static_cast<std::int64_t>(core::product(at(node.pointer).type.extents)));
          add_index(base, index_of(value(node.index), at(node.index).type.scalar) * stride);
          return pointer_to(std::move(base));
        } else if constexpr (std::is_same_v<Node, core::PointerDifference>) {
          const Operand left = settled({operand_of_pointer(value(node.left)), std::nullopt, std::nullopt}, at(node.left).type).operand;
          Result distance =
              opaque(PointerDistance{at(node.left).type.scalar, left, operand_of_pointer(value(node.right))}, ScalarType::Long);
          const std::uint64_t row = core::product(at(node.left).type.extents);
          if (row != 1) {
            const Operand elements = Literal{Element::of(ScalarType::Long), row};
            distance = opaque(Operate{Op::Div, ScalarType::Long, {distance.operand, elements}}, ScalarType::Long);
          }
          return distance;
        } else if constexpr (std::is_same_v<Node, core::OldValue>) {
          return old_values_.back();
        } else if constexpr (std::is_same_v<Node, core::Operate>) {
          if (is_comparison(node.op) || node.op == Op::LogicalNot) {
            return convert_value({truth(id), std::nullopt, std::nullopt}, ScalarType::Bool, expr.type.scalar);
          }
          return operate(node, expr);
        } else if constexpr (std::is_same_v<Node, core::Convert>) {
          const core::Type& from = at(node.operand).type;
          if (expr.type.is_pointer()) {
            return value(node.operand);
          }
          if (expr.type.scalar == ScalarType::Bool) {
            return {truth(node.operand), std::nullopt, std::nullopt};
          }
          return convert_value(value(node.operand), from.scalar, expr.type.scalar);
        } else if constexpr (std::is_same_v<Node, core::Bitcast>) {
          if (expr.type.is_pointer()) {
            throw Rejected{{Severity::Error,
                            expr.span,
                            "memory that is seen as elements of another type or size cannot be compiled; `lockstep run` executes it",
                            {}}};
          }
          const ScalarType to = expr.type.scalar;
          const Operand source = value(node.operand).operand;
          if (const auto* constant = std::get_if<Literal>(&source)) {
            return {literal(to, ops::bits_as(to, constant->bits)), std::nullopt, std::nullopt};
          }
          return opaque(Bitcast{to, source}, to);
        } else if constexpr (std::is_same_v<Node, core::ShortCircuit>) {
          return convert_value({short_circuit(node), std::nullopt, std::nullopt}, ScalarType::Bool, expr.type.scalar);
        } else if constexpr (std::is_same_v<Node, core::Conditional>) {
          return conditional(node, expr);
        } else if constexpr (std::is_same_v<Node, core::Assign>) {
          return assign(node);
        } else if constexpr (std::is_same_v<Node, core::Comma>) {
          value(node.left);
          return value(node.right);
        } else if constexpr (std::is_same_v<Node, core::Call>) {
          return call(node);
        } else if constexpr (std::is_same_v<Node, core::Ask>) {
          return ask(node);
        } else if constexpr (std::is_same_v<Node, core::Atomic>) {
          return atomic(node, expr);
        } else {
          return collective(node, expr);
        }
      },
      expr.node);
  span_ = outer;
  return result;
}

}  // namespace lockstep::passes
