#include "semantics/core/sema/vectors.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/walk.hpp"

namespace lockstep::core::sema {
namespace {

/// Whether to evaluate it several times is as good as once: a few operations on numbers and variables, without a look into memory.
bool is_repeatable(const Function& function, ExprId id, unsigned& nodes) {
  const Expr& expr = function.at(id);
  const bool fits = std::holds_alternative<Literal>(expr.node) || std::holds_alternative<Var>(expr.node) ||
                    std::holds_alternative<GlobalConstant>(expr.node) || std::holds_alternative<Ask>(expr.node) ||
                    std::holds_alternative<Operate>(expr.node) || std::holds_alternative<Convert>(expr.node) ||
                    std::holds_alternative<Bitcast>(expr.node) || std::holds_alternative<PointerAdd>(expr.node) ||
                    std::holds_alternative<AddressOf>(expr.node) || (std::holds_alternative<Subscript>(expr.node) && expr.type.is_array());
  if (!fits || nodes == 0) {
    return false;
  }
  --nodes;
  bool all = true;
  for_each_operand(expr, [&](ExprId operand) { all = all && is_repeatable(function, operand, nodes); });
  return all;
}

bool is_repeatable(const Function& function, ExprId id) {
  unsigned nodes = 16;
  return is_repeatable(function, id, nodes);
}

}  // namespace

Type vector_type(ScalarType scalar, unsigned components) {
  return {Type::Kind::Array, scalar, AddressSpace::Private, false, {components == 3 ? 4U : components}, components};
}

ExprId copy(FunctionContext& context, ExprId id) {
  Expr expr = context.function.at(id);
  std::visit(
      [&](auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Subscript>) {
          node.base = copy(context, node.base);
          node.index = copy(context, node.index);
        } else if constexpr (std::is_same_v<Node, Operate>) {
          for (ExprId& operand : node.operands) {
            operand = copy(context, operand);
          }
        } else if constexpr (std::is_same_v<Node, Convert> || std::is_same_v<Node, Bitcast>) {
          node.operand = copy(context, node.operand);
        } else if constexpr (std::is_same_v<Node, PointerAdd>) {
          node.pointer = copy(context, node.pointer);
          node.index = copy(context, node.index);
        } else if constexpr (std::is_same_v<Node, AddressOf>) {
          node.place = copy(context, node.place);
        }
      },
      expr.node);
  const ExprId made = add(context, std::move(expr.node), std::move(expr.type), expr.span);
  context.function.expressions[made].carries = expr.carries;
  return made;
}

void demand_values(FunctionContext& context, ExprId id) {
  context.function.expressions[id].carries = false;
  const Expr expr = context.function.at(id);
  for_each_operand(expr, [&](ExprId operand) { demand_values(context, operand); });
}

void demand_values(FunctionContext& context, const Vector& value) {
  for (const ExprId part : value.parts) {
    demand_values(context, part);
  }
}

bool is_private_place(const Function& function, ExprId place) {
  const Expr& expr = function.at(place);
  if (const auto* subscript = std::get_if<Subscript>(&expr.node)) {
    const Type& base = function.at(subscript->base).type;
    return base.is_pointer() ? base.space == AddressSpace::Private : is_private_place(function, subscript->base);
  }
  const auto* var = std::get_if<Var>(&expr.node);
  return var != nullptr && function.variables[var->id].space == AddressSpace::Private;
}

ExprId keep(FunctionContext& context, std::vector<ExprId>& before, ExprId value) {
  const Type type = context.function.at(value).type;
  const SourceSpan span = context.function.at(value).span;
  const VarId id = add_temporary(context, type, span);
  before.push_back(add(context, Assign{variable(context, id, span), value}, type, span));
  return variable(context, id, span);
}

void settle(FunctionContext& context, Vector& value) {
  for (ExprId& part : value.parts) {
    if (!std::holds_alternative<Literal>(context.function.at(part).node)) {
      part = keep(context, value.before, part);
    }
  }
  value.is_place = false;
}

ExprId sequence(FunctionContext& context, std::span<const ExprId> effects) {
  if (effects.size() == 1) {
    return effects.front();
  }
  // In halves, so that the tree is no deeper than it must be.
  const std::size_t half = effects.size() / 2;
  const ExprId left = sequence(context, effects.first(half));
  return behind(context, std::array{left}, sequence(context, effects.subspan(half)));
}

ExprId component(FunctionContext& context, ExprId place, std::size_t index) {
  const SourceSpan span = context.function.at(place).span;
  const Type type = Type::scalar_of(context.function.at(place).type.scalar);
  return add(context, Subscript{place, add_integer(context, index, ScalarType::Long, span)}, type, span);
}

bool is_vector(const FunctionContext& context, ExprId id) { return context.function.at(id).type.is_vector(); }

ExprId pointer_to_components(FunctionContext& context, ExprId pointer) {
  Type type = context.function.at(pointer).type;
  if (type.extents.empty()) {
    return pointer;
  }
  type.extents.clear();
  type.components = 0;
  return cast(context, pointer, type, context.function.at(pointer).span).value();
}

std::string component_name(unsigned components, std::size_t index) {
  return components <= 4 ? std::string(1, "xyzw"[index]) : std::string("s") + "0123456789abcdef"[index];
}

VarId add_temporary(FunctionContext& context, Type type, SourceSpan span) {
  const VarId id = add_variable(context, {.name = "tmp", .type = std::move(type), .span = span});
  context.temporaries.push_back(id);
  return id;
}

ExprId variable(FunctionContext& context, VarId id, SourceSpan span) {
  return add(context, Var{id}, context.function.variables[id].type, span);
}

ExprId settled_place(FunctionContext& context, std::vector<ExprId>& before, ExprId place, bool may_change) {
  const Expr expr = context.function.at(place);
  const auto* subscript = std::get_if<Subscript>(&expr.node);
  if (subscript == nullptr) {
    return place;
  }
  const auto decided = [&](ExprId id) {
    const bool stays = may_change ? std::holds_alternative<Literal>(context.function.at(id).node) : is_repeatable(context.function, id);
    return stays ? id : keep(context, before, id);
  };
  const bool is_inside = context.function.at(subscript->base).type.is_array();
  const ExprId base = is_inside ? settled_place(context, before, subscript->base, may_change) : decided(subscript->base);
  return add(context, Subscript{base, decided(subscript->index)}, expr.type, expr.span);
}

Vector components_of(FunctionContext& context, ExprId vector) {
  if (const auto found = context.vectors.find(vector); found != context.vectors.end()) {
    return found->second;
  }
  const Type type = context.function.at(vector).type;
  Vector result;
  result.is_place = true;
  const ExprId place = settled_place(context, result.before, vector, false);
  for (std::size_t k = 0; k < type.components; ++k) {
    result.parts.push_back(component(context, k == 0 ? place : copy(context, place), k));
    context.function.expressions[result.parts.back()].carries = true;
  }
  return result;
}

Vector scalar_as_operand(FunctionContext& context, ExprId scalar) {
  Vector result;
  result.parts = {scalar};
  if (has_effect(context.function, scalar)) {
    settle(context, result);
  }
  return result;
}

Vector widened(FunctionContext& context, ExprId scalar, std::size_t components) {
  Vector result;
  result.parts = {scalar};
  if (!is_repeatable(context.function, scalar)) {
    settle(context, result);
  }
  while (result.parts.size() < components) {
    result.parts.push_back(copy(context, result.parts.front()));
  }
  return result;
}

ExprId vector_of(FunctionContext& context, Vector value, ScalarType scalar, SourceSpan span) {
  const auto components = static_cast<unsigned>(value.parts.size());
  if (std::ranges::any_of(value.parts, [&](ExprId part) { return has_effect(context.function, part); })) {
    settle(context, value);
  }
  const ExprId id = add(context, Literal{}, vector_type(scalar, components), span);
  context.vectors.emplace(id, std::move(value));
  return id;
}

std::vector<ExprId> in_order(FunctionContext& context, std::span<Vector> operands) {
  bool comes_later = false;
  for (std::size_t i = operands.size(); i-- > 0;) {
    const bool has_before = !operands[i].before.empty();
    if (comes_later) {
      settle(context, operands[i]);
    }
    comes_later = comes_later || has_before;
  }
  std::vector<ExprId> before;
  for (Vector& operand : operands) {
    std::ranges::copy(std::exchange(operand.before, {}), std::back_inserter(before));
  }
  return before;
}

ExprId behind(FunctionContext& context, std::span<const ExprId> before, ExprId value) {
  if (before.empty()) {
    return value;
  }
  const ExprId left = sequence(context, before);
  return add(context, Comma{left, value}, context.function.at(value).type, context.function.at(value).span);
}

ExprId as_effect(FunctionContext& context, ExprId vector) {
  Vector value = components_of(context, vector);
  if (value.before.empty() || value.is_place) {
    value.before.push_back(value.parts.front());
  }
  return sequence(context, value.before);
}

std::vector<ExprId> listed(FunctionContext& context, ExprId vector) {
  Vector value = components_of(context, vector);
  value.parts.front() = behind(context, value.before, value.parts.front());
  return value.parts;
}

}  // namespace lockstep::core::sema
