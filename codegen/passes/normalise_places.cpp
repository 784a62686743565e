// Reading and writing: variables, elements and pointers.

#include <algorithm>
#include <type_traits>

#include "codegen/passes/normalise_numbers.hpp"
#include "codegen/passes/normaliser.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::passes {

Result Normaliser::read_variable(VarId var, const core::Type& type) {
  const Known* known = known_.find(var);
  if (type.is_pointer()) {
    Result result{Ref{var, 0}, std::nullopt, std::nullopt};
    if (known != nullptr) {
      result.pointer = known->pointer;
    }
    return result;
  }
  if (!is_integer(type.scalar) || type.scalar == ScalarType::Bool) {
    return {Ref{var, 0}, std::nullopt, std::nullopt};
  }
  if (known == nullptr || !known->symbolic) {
    const Result copy = opaque(Copy{Ref{var, 0}}, type.scalar, std::nullopt, out_.variables[var].name);
    known_.learn(var, {copy.symbolic, std::nullopt});
    return copy;
  }
  const Symbolic& symbolic = *known->symbolic;
  if (symbolic.value.is_constant()) {
    return {literal(type.scalar, bits_of_number(type.scalar, symbolic.value.constant())), symbolic, std::nullopt};
  }
  if (is_static(out_, symbolic.value)) {
    return {Number{type.scalar, symbolic.value}, symbolic, std::nullopt};
  }
  return {Ref{var, 0}, symbolic, std::nullopt};
}

Result Normaliser::read(const std::variant<VarId, Place>& where, const core::Type& type) {
  if (const auto* var = std::get_if<VarId>(&where)) {
    return read_variable(*var, type);
  }
  const auto& place = std::get<Place>(where);
  return opaque(Load{place}, place.element, std::nullopt, "load");
}

void Normaliser::write(const std::variant<VarId, Place>& where, const Result& result) {
  if (const auto* place = std::get_if<Place>(&where)) {
    emit(Store{*place, result.operand, std::nullopt});
    return;
  }
  const VarId var = std::get<VarId>(where);
  const Operand operand = result.pointer ? operand_of_pointer(result) : result.operand;
  emit(Assign{{var, 0}, Copy{operand}, std::nullopt});
  known_.forget(var);
  if (result.symbolic || result.pointer) {
    known_.learn(var, {result.symbolic, result.pointer});
  }
}

Result Normaliser::settled(Result result, const core::Type& type) {
  const auto* ref = std::get_if<Ref>(&result.operand);
  const bool may_change =
      ref != nullptr && !out_.variables[ref->var].is_implicit && !out_.variables[ref->var].is_loop && !out_.variables[ref->var].parameter;
  if (may_change && !result.pointer) {
    result.operand = temporary(Copy{*ref}, element_of(type));
  }
  return result;
}

std::variant<VarId, Place> Normaliser::place(core::ExprId id) {
  const core::Expr& expr = at(id);
  if (const auto* var = std::get_if<core::Var>(&expr.node)) {
    const Binding& binding = frame().bindings[var->id];
    if (binding.var) {
      return *binding.var;
    }
    return Place{OfObject{*binding.object}, out_.objects[*binding.object].element, 0};
  }
  if (const auto* constant = std::get_if<core::GlobalConstant>(&expr.node)) {
    const auto [entry, is_new] = constants_.emplace(constant->id, static_cast<ObjectId>(out_.objects.size()));
    if (is_new) {
      const core::Constant& source = program_.constants[constant->id];
      out_.objects.push_back({source.name, source.type.scalar, AddressSpace::Constant, source.values.size(), source.values});
    }
    return Place{OfObject{entry->second}, program_.constants[constant->id].type.scalar, 0};
  }
  const auto* subscript = std::get_if<core::Subscript>(&expr.node);
  if (subscript == nullptr) {
    throw InternalError("no place");
  }
  const core::Type& base_type = at(subscript->base).type;
  Place base = base_type.is_pointer() ? pointed_at(subscript->base) : std::get<Place>(place(subscript->base));
  const Result index = value(subscript->index);
  const auto stride = expr.type.is_array() ? static_cast<std::int64_t>(core::product(expr.type.extents)) : 1;
  add_index(base, index_of(index, at(subscript->index).type.scalar) * Polynomial(stride));
  return base;
}

void Normaliser::add_index(Place& place, const Polynomial& index) {
  // What has been added up over many pointers is a number like any other.
  constexpr std::size_t most_terms = 16;
  place.index += index;
  if (place.index.terms().size() > most_terms) {
    place.index = Symbol::of(temporary(Copy{Number{ScalarType::Long, place.index}}, infreg::index_element, "index").var);
  }
}

Place Normaliser::pointed_at(core::ExprId pointer) {
  const Result result = value(pointer);
  if (result.pointer) {
    return *result.pointer;
  }
  return {settled(result, at(pointer).type).operand, at(pointer).type.scalar, 0};
}

Result Normaliser::pointer_to(Place place) { return {Literal{Element::pointer(), 0}, std::nullopt, std::move(place)}; }

Operand Normaliser::operand_of_pointer(const Result& result) {
  if (!result.pointer) {
    return result.operand;
  }
  const auto* base = std::get_if<Operand>(&result.pointer->base);
  if (base != nullptr && result.pointer->index == Polynomial(0)) {
    return *base;
  }
  return temporary(Address{*result.pointer}, Element::pointer(), "p");
}

}  // namespace lockstep::passes
