// Places and values of structures, in the tree without them.

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/record_folder.hpp"
#include "semantics/core/sema/records.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {

RecordPlace RecordFolder::place_of_variable(VarId id, SourceSpan span) {
  RecordPlace place{.type = from_.variables[id].type};
  if (in_pieces_[id]) {
    place.pieces = &pieces_[id];
    place.span = span;
  } else {
    place.memory = variable(context_, variables_[id], span);
  }
  return place;
}

RecordPlace RecordFolder::place(ExprId id) {
  const Expr& expr = old(id);
  if (const auto* var = std::get_if<Var>(&expr.node)) {
    return place_of_variable(var->id, expr.span);
  }
  if (std::holds_alternative<GlobalConstant>(expr.node)) {
    return {.type = expr.type, .memory = add(context_, expr.node, words_.lowered(expr.type), expr.span)};
  }
  if (const auto* comma = std::get_if<Comma>(&expr.node)) {
    const ExprId first = effect(comma->left);
    RecordPlace result = place(comma->right);
    result.before.insert(result.before.begin(), first);
    return result;
  }
  const auto* subscript = std::get_if<Subscript>(&expr.node);
  if (subscript == nullptr) {
    return place_of_value(id);
  }
  const Type& whole = old(subscript->base).type;
  if (whole.is_pointer()) {
    const ExprId pointer = value(subscript->base);
    const ExprId index = value(subscript->index);
    return {.type = expr.type, .memory = add(context_, Subscript{pointer, index}, words_.lowered(expr.type), expr.span)};
  }
  RecordPlace around = place(subscript->base);
  if (whole.is_record()) {
    RecordPlace result = places_.member(std::move(around), std::get<Literal>(old(subscript->index).node).bits);
    result.span = expr.span;
    return result;
  }
  RecordPlace result = places_.element_at(std::move(around), value(subscript->index));
  result.type = expr.type;
  result.span = expr.span;
  return result;
}

RecordPlace RecordFolder::place_of_value(ExprId id) {
  const Expr& expr = old(id);
  if (const auto* assign = std::get_if<Assign>(&expr.node)) {
    return assigned(*assign, expr.span);
  }
  const Type type = record_type(expr.type.record);
  const VarId temporary = add_temporary(context_, words_.lowered(type), expr.span);
  RecordPlace result{.type = type, .memory = variable(context_, temporary, expr.span)};
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    Call made = this->call(*call, result.before);
    const ExprId memory = variable(context_, temporary, expr.span);
    made.arguments.push_back(add(context_, AddressOf{memory}, pointer_to(words_.lowered(type), AddressSpace::Private, false), expr.span));
    result.before.push_back(add(context_, std::move(made), Type{}, expr.span));
    return result;
  }
  const auto& choice = std::get<Conditional>(expr.node);
  const ExprId condition = value(choice.condition);
  const auto arm = [&](ExprId from) {
    RecordPlace source = place(from);
    std::vector<ExprId> effects;
    copy(result, source, expr.span, effects);
    return sequence(context_, effects);
  };
  const ExprId then = arm(choice.then);
  const ExprId otherwise = arm(choice.otherwise);
  const Type arms = context_.function.at(then).type;
  result.before.push_back(add(context_, Conditional{condition, then, otherwise}, arms, expr.span));
  return result;
}

void RecordFolder::copy(const RecordPlace& to, RecordPlace& from, SourceSpan span, std::vector<ExprId>& effects) {
  places_.settle(from, to.pieces != nullptr);  // an index may be a member of the target
  std::ranges::copy(from.before, std::back_inserter(effects));
  if (!leaves(to.type, span).empty()) {
    places_.copy_all(to, from, effects);
  }
  if (effects.empty()) {  // an error was reported
    effects.push_back(add_integer(context_, 0, ScalarType::Int, span));
  }
}

RecordPlace RecordFolder::assigned(const Assign& assign, SourceSpan span) {
  RecordPlace to = place(assign.place);
  RecordPlace from = place(assign.value);
  places_.settle(to, has_effect(from_, assign.value));
  std::vector<ExprId> effects = std::exchange(to.before, {});
  copy(to, from, span, effects);
  const Leaf all;
  RecordPlace result = places_.leaf_at(to, all);
  result.before = std::move(effects);
  return result;
}

ExprId RecordFolder::effect(ExprId id) {
  if (!old(id).type.is_record()) {
    return value(id);
  }
  const RecordPlace result = place(id);
  return result.before.empty() ? add_integer(context_, 0, ScalarType::Int, old(id).span) : sequence(context_, result.before);
}

ExprId RecordFolder::value(ExprId id) {
  const Expr& expr = old(id);
  if (is_place(expr)) {
    RecordPlace from = place(id);
    if (needs_words(from)) {
      places_.settle(from, false);
    }
    const ExprId loaded = places_.load(from);
    context_.function.expressions[loaded].span = expr.span;
    if (expr.carries) {
      carry(context_, loaded);
    }
    return behind(context_, from.before, loaded);
  }
  if (const auto* assign = std::get_if<Assign>(&expr.node)) {
    return assignment(*assign, expr);
  }
  if (const auto* comma = std::get_if<Comma>(&expr.node)) {
    const ExprId left = effect(comma->left);
    const ExprId right = value(comma->right);
    return add(context_, Comma{left, right}, context_.function.at(right).type, expr.span);
  }
  if (const auto* address = std::get_if<AddressOf>(&expr.node)) {
    return address_of(*address, expr);
  }
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    std::vector<ExprId> before;
    Call made = this->call(*call, before);
    return behind(context_, before, add(context_, std::move(made), words_.lowered(expr.type), expr.span));
  }
  if (std::holds_alternative<OldValue>(expr.node)) {
    return old_value(expr);
  }
  if (const auto* atomic = std::get_if<Atomic>(&expr.node)) {
    return atomic_change(*atomic, expr);
  }
  decltype(Expr::node) node = expr.node;
  rebuild(node);
  return add(context_, std::move(node), words_.lowered(expr.type), expr.span);
}

bool RecordFolder::needs_words(const RecordPlace& place) const {
  return place.pieces == nullptr && place.is_inside && place.type.is_scalar() && places_.words_of(place) > 1;
}

void RecordFolder::rebuild(decltype(Expr::node)& node) {
  std::visit(
      [&](auto& part) {
        using Node = std::decay_t<decltype(part)>;
        if constexpr (std::is_same_v<Node, PointerAdd>) {
          part.pointer = value(part.pointer);
          part.index = value(part.index);
        } else if constexpr (std::is_same_v<Node, PointerDifference> || std::is_same_v<Node, ShortCircuit>) {
          part.left = value(part.left);
          part.right = value(part.right);
        } else if constexpr (std::is_same_v<Node, Operate> || std::is_same_v<Node, Collective>) {
          for (ExprId& operand : part.operands) {
            operand = value(operand);
          }
        } else if constexpr (std::is_same_v<Node, Convert> || std::is_same_v<Node, Bitcast>) {
          part.operand = value(part.operand);
        } else if constexpr (std::is_same_v<Node, Conditional>) {
          part.condition = value(part.condition);
          part.then = value(part.then);
          part.otherwise = value(part.otherwise);
        }
      },
      node);
}

ExprId RecordFolder::old_value(const Expr& expr) {
  OldNumber& old = olds_.back();
  if (old.place == nullptr) {
    const ExprId word = add(context_, OldValue{}, expr.type.is_scalar() ? Type::scalar_of(old.word) : words_.lowered(expr.type), expr.span);
    return expr.type.is_scalar() ? number_of_word(context_, word, expr.type.scalar) : word;
  }
  if (!old.kept) {
    const Leaf here;
    old.kept = keep(context_, *old.before, places_.load(places_.leaf_at(*old.place, here)));
  }
  return sema::copy(context_, *old.kept);
}

ExprId RecordFolder::assignment(const Assign& assign, const Expr& expr) {
  RecordPlace to = place(assign.place);
  if (needs_words(to)) {
    return assignment_of_words(assign, expr, to);
  }
  const std::optional<ExprId> ordinary = places_.ordinary(to);
  const ExprId target = ordinary ? *ordinary : places_.word_at(to, 0);
  context_.function.expressions[target].span = old(assign.place).span;
  const Type stored = context_.function.at(target).type;
  olds_.push_back({.word = stored.scalar});
  ExprId from = value(assign.value);
  olds_.pop_back();
  if (!ordinary) {
    from = word_of_number(context_, from, stored.scalar);
  }
  const ExprId made = add(context_, Assign{target, from, assign.yields_old}, stored, expr.span);
  return behind(context_, to.before, ordinary ? made : number_of_word(context_, made, expr.type.scalar));
}

ExprId RecordFolder::atomic_change(const Atomic& atomic, const Expr& expr) {
  const RecordPlace at = place(atomic.place);
  const std::optional<ExprId> ordinary = places_.ordinary(at);
  const bool is_ordered = atomic.op == AtomicOp::Min || atomic.op == AtomicOp::Max;
  const bool is_moved = atomic.op == AtomicOp::Exchange || atomic.op == AtomicOp::CompareExchange;
  if (!ordinary && (places_.words_of(at) != 1 || is_ordered || ((is_float(expr.type.scalar) || is_float(at.word)) && !is_moved))) {
    context_.unit.reporter.error(expr.span, "this cannot change a '" + name_of(expr.type) + "' here: the memory is made of '" +
                                                std::string(info(at.word).name) + "' words; make all its members '" + name_of(expr.type) +
                                                "', or use a buffer of them");
    return add_scalar(context_, Literal{}, expr.type.scalar, expr.span);
  }
  const ExprId target = ordinary ? *ordinary : places_.word_at(at, 0);
  const ScalarType word = context_.function.at(target).type.scalar;
  Atomic made{target, std::nullopt, 0, atomic.op};
  if (atomic.compare) {
    made.compare = word_of_number(context_, value(*atomic.compare), word);
  }
  made.value = word_of_number(context_, value(atomic.value), word);
  const ExprId result = add_scalar(context_, made, word, expr.span);
  return behind(context_, at.before, number_of_word(context_, result, expr.type.scalar));
}

ExprId RecordFolder::assignment_of_words(const Assign& assign, const Expr& expr, RecordPlace& to) {
  places_.settle(to, has_effect(from_, assign.value));
  std::vector<ExprId> effects = std::exchange(to.before, {});
  olds_.push_back({.word = to.word, .before = &effects, .place = &to, .kept = {}});
  std::optional<ExprId> before;
  if (assign.yields_old) {
    before = old_value(expr);
  }
  const ExprId from = keep(context_, effects, value(assign.value));
  olds_.pop_back();
  places_.store(to, from, effects);
  return behind(context_, effects, before ? *before : sema::copy(context_, from));
}

ExprId RecordFolder::address_of(const AddressOf& address, const Expr& expr) {
  const RecordPlace at = place(address.place);
  const Type pointer = words_.lowered(expr.type);
  if (at.pieces != nullptr || !at.is_inside) {
    const ExprId place = *places_.ordinary(at);
    if (const auto* var = std::get_if<Var>(&context_.function.at(place).node)) {
      Variable& variable = context_.function.variables[var->id];
      variable.address_taken = variable.address_taken || (variable.type.is_scalar() && variable.space == AddressSpace::Private);
    }
    return behind(context_, at.before, add(context_, AddressOf{place}, pointer, expr.span));
  }
  const bool is_other = at.type.record == nullptr && at.type.scalar != at.word;
  const bool has_bytes = (pointer.space == AddressSpace::Global || pointer.space == AddressSpace::Local) &&
                         at.type.scalar != ScalarType::Bool && at.word != ScalarType::Bool;
  if (is_other && !has_bytes) {
    context_.unit.reporter.error(
        expr.span, "the address of a '" + name_of(at.type) + "' cannot be taken here: the memory of this structure is made of '" +
                       std::string(info(at.word).name) + "' words; pass the address of the structure, or copy the member into a variable");
  }
  const ExprId first = places_.word_at(at, 0);
  const Type word = pointer_to(context_.function.at(first).type, expr.type.space, expr.type.is_const);
  const ExprId made = add(context_, AddressOf{first}, word, expr.span);
  if (is_other) {
    return behind(context_, at.before, add(context_, Bitcast{made}, pointer, expr.span));
  }
  const ExprId same = add(context_, PointerAdd{made, add_integer(context_, 0, ScalarType::Long, expr.span)}, pointer, expr.span);
  return behind(context_, at.before, pointer == word ? made : same);
}

Call RecordFolder::call(const Call& from, std::vector<ExprId>& before) {
  std::vector<Vector> operands;
  const bool has_structures = std::ranges::any_of(from.arguments, [&](ExprId id) { return old(id).type.is_record(); });
  if (!has_structures) {
    Call made{from.function, {}};
    for (const ExprId argument : from.arguments) {
      made.arguments.push_back(value(argument));
    }
    return made;
  }
  for (const ExprId argument : from.arguments) {
    if (!old(argument).type.is_record()) {
      operands.push_back(scalar_as_operand(context_, value(argument)));
      continue;
    }
    RecordPlace source = place(argument);
    places_.settle(source, false);
    Vector numbers;
    for (const Leaf& leaf : leaves(source.type, old(argument).span)) {
      numbers.parts.push_back(places_.load(places_.leaf_at(source, leaf)));
      carry(context_, numbers.parts.back());
    }
    numbers.before = std::move(source.before);
    operands.push_back(std::move(numbers));
  }
  std::ranges::copy(in_order(context_, operands), std::back_inserter(before));
  Call made{from.function, {}};
  for (const Vector& operand : operands) {
    std::ranges::copy(operand.parts, std::back_inserter(made.arguments));
  }
  return made;
}

}  // namespace lockstep::core::sema
