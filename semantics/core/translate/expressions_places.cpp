#include <algorithm>
#include <utility>
#include <variant>

#include "semantics/base/internal_error.hpp"
#include "semantics/core/translate/expressions.hpp"
#include "semantics/core/translate/value_types.hpp"

namespace lockstep::core::translation {

namespace {

/// An index of at most this many nodes is computed twice rather than kept in a temporary.
constexpr std::size_t cheap_nodes = 3;

/// Of what a pointer without a known size points to.
constexpr std::uint64_t no_extent = 0;

}  // namespace

// ---- places ------------------------------------------------------------------------------------------------------------

/// A pointer to a variable, or to a file-scope constant.
void Expressions::push_address(ExprId place, SourceSpan span) {
  const Expr& expression = function_.at(place);
  typed::ValueType type{expression.type.scalar, true, AddressSpace::Private};
  if (const auto* constant = std::get_if<GlobalConstant>(&expression.node)) {
    type.space = AddressSpace::Constant;
    return push({typed::ObjectAddress{module_.constant_object(constant->id)}, type, span});
  }
  const Home& home = homes_[std::get<Var>(expression.node).id];
  if (home.kind == Home::Kind::Register) {
    throw InternalError("the address of a register is taken");
  }
  if (home.kind == Home::Kind::Array) {
    return push({typed::RegisterAddress{home.id}, type, span});
  }
  type.space = AddressSpace::Local;
  push({typed::ObjectAddress{home.id}, type, span});
}

Expressions::Place Expressions::push_place(ExprId id) {
  const Expr& expression = function_.at(id);
  if (std::holds_alternative<Subscript>(expression.node)) {
    return push_subscript(id, true);
  }
  Place place{Place::Kind::Memory, 0, scalar(expression.type.scalar), starts_.size(), expression.span, expression.carries};
  if (const auto* var = std::get_if<Var>(&expression.node)) {
    const Home& home = homes_[var->id];
    if (home.kind != Home::Kind::Object) {
      place.kind = home.kind == Home::Kind::Register ? Place::Kind::Register : Place::Kind::Element;
      place.id = home.id;
      place.type = emitter_.info(home.id).type;
    }
  } else if (!std::holds_alternative<GlobalConstant>(expression.node)) {
    throw InternalError("an expression stands where a place is wanted");
  }
  if (place.kind == Place::Kind::Memory) {
    push_address(id, expression.span);
  }
  if (place.kind != Place::Kind::Register) {
    push_constant(long_type, 0, expression.span);
  }
  return place;
}

/// `is_accessed`: the place is read or written, so that its last index has to be in range.
Expressions::Place Expressions::push_subscript(ExprId id, bool is_accessed) {
  const Expr& expression = function_.at(id);
  std::vector<ExprId> indices;
  ExprId root = id;
  do {
    const auto& subscript = std::get<Subscript>(function_.at(root).node);
    indices.push_back(subscript.index);
    root = subscript.base;
  } while (function_.at(root).type.is_array() && std::holds_alternative<Subscript>(function_.at(root).node));
  std::ranges::reverse(indices);

  Place place{Place::Kind::Memory, 0, scalar(expression.type.scalar), starts_.size(), expression.span, expression.carries};
  const Expr& base = function_.at(root);
  std::vector<std::uint64_t> extents = base.type.extents;
  if (!base.type.is_array()) {
    push_value(root);
    extents.insert(extents.begin(), no_extent);
  } else if (const auto* var = std::get_if<Var>(&base.node); var != nullptr && homes_[var->id].kind == Home::Kind::Array) {
    place.kind = Place::Kind::Element;
    place.id = homes_[var->id].id;
  } else {
    push_address(root, base.span);
  }
  push_indices(indices, extents, index_of(base), is_accessed);
  return place;
}

/// A check of the base's first index, without its limit; with the number 0 where the base has no name.
typed::Within Expressions::index_of(const Expr& base) {
  if (const auto* constant = std::get_if<GlobalConstant>(&base.node)) {
    return {0, 1, true, module_.constant_object(constant->id)};
  }
  const auto* var = std::get_if<Var>(&base.node);
  if (var == nullptr) {
    return {};
  }
  const Home& home = homes_[var->id];
  return {0, 1, home.kind == Home::Kind::Object, home.id};
}

/// The row-major number of the element, or of the first element of a smaller array: (i0 * e1 + i1) * e2 + i2 …. With several indices each
/// is checked for itself; a single one is what the access itself checks.
void Expressions::push_indices(const std::vector<ExprId>& indices, const std::vector<std::uint64_t>& extents, typed::Within check,
                               bool is_accessed) {
  const SourceSpan span = function_.at(indices.back()).span;
  const bool has_name = check.number != 0;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (k > 0) {
      multiply(extents[k], span);
    }
    if (k >= indices.size()) {
      continue;
    }
    push_value(indices[k]);
    if (extents.size() > 1 && extents[k] != no_extent && (is_accessed || k + 1 < indices.size())) {
      check.limit = extents[k];
      check.number = has_name ? static_cast<std::uint32_t>(k + 1) : 0;
      check_within(check, function_.at(indices[k]).span);
    }
    if (extents.size() > 1) {
      convert(ScalarType::Long, span);
    }
    if (k > 0) {
      operate(Op::Add, ScalarType::Long, span);
    }
  }
}

/// The value of the place, whose operands are on top of the stack.
void Expressions::read(const Place& place) {
  if (place.kind == Place::Kind::Register) {
    return push({typed::Register{place.id, place.carries}, place.type, place.span});
  }
  if (place.kind == Place::Kind::Element) {
    return apply({typed::Element{place.id, place.carries}, place.type, place.span}, 1);
  }
  typed::Expr index = pop();
  typed::Expr base = pop();
  before_check();
  const typed::RegisterId result = temporary(place.type, place.span);
  emitter_.emit(typed::Load{{result, {}, place.span}, std::move(base), std::move(index)}, place.span);
  push_register(result, place.span);
}

/// The same, but the operands stay where they are for a write.
void Expressions::read_again(const Place& place) {
  const std::size_t operands = place.kind == Place::Kind::Register ? 0 : place.kind == Place::Kind::Element ? 1 : 2;
  for (std::size_t operand = place.operand; operand < place.operand + operands; ++operand) {
    if (operand >= region_base_ && end_of(operand) - starts_[operand] > cheap_nodes) {
      save(operand);
    }
    copy(operand);
  }
  read(place);
}

/// Pops the value and the place's operands.
void Expressions::write(const Place& place, SourceSpan span) {
  typed::Expr value = pop();
  if (place.kind == Place::Kind::Register) {
    before_write(place.id);
    return emitter_.emit(typed::Assign{{place.id, {}, place.span}, std::move(value)}, span);
  }
  typed::Expr index = pop();
  if (place.kind == Place::Kind::Element) {
    before_write(place.id);
    return emitter_.emit(typed::Assign{{place.id, std::move(index), place.span}, std::move(value)}, span);
  }
  typed::Expr base = pop();
  before_effect(base.type().space == AddressSpace::Private);
  emitter_.emit(typed::Store{std::move(base), std::move(index), std::move(value)}, place.span);
}

void Expressions::assignment(ExprId id, const Assign& node, bool wants_value) {
  const SourceSpan span = function_.at(id).span;
  const Place place = push_place(node.place);
  std::optional<typed::RegisterId> result;
  if (wants_value && node.yields_old) {
    read_again(place);
    save(starts_.size() - 1);
    result = plain_register(starts_.size() - 1);
    pop();
  }
  places_.push_back(place);
  if (place.kind == Place::Kind::Register) {
    assign(place.id, node.value, span);
    result = result.value_or(place.id);
  } else if (place.kind == Place::Kind::Element && !wants_value && is_load(node.value)) {
    push_place(node.value);
    typed::Expr index = pop();
    typed::Expr base = pop();
    typed::Expr at = pop();
    before_write(place.id);
    before_check();
    emitter_.emit(typed::Load{{place.id, std::move(at), place.span}, std::move(base), std::move(index)}, function_.at(node.value).span);
  } else {
    push_value(node.value);
    if (wants_value && !result) {
      save(starts_.size() - 1);
      result = plain_register(starts_.size() - 1);
    }
    write(place, span);
  }
  places_.pop_back();
  if (wants_value) {
    push_register(*result, span);
  }
}

}  // namespace lockstep::core::translation
