// What changes vectors and their components: OpenCL C 6.1.7 and 6.3.

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/records.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"
#include "semantics/core/walk.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;

/// A component's place as far as it is known: in a variable at an index, or anywhere in an address space.
struct Cell {
  std::optional<VarId> array;
  std::optional<std::uint64_t> index;
  AddressSpace space = AddressSpace::Private;
};

Cell cell_of(const Function& function, ExprId place) {
  const auto& subscript = std::get<Subscript>(function.at(place).node);
  Cell cell;
  const auto* index = std::get_if<Literal>(&function.at(subscript.index).node);
  const Expr* base = &function.at(subscript.base);
  cell.space = base->type.space;
  cell.index = index != nullptr && std::holds_alternative<Var>(base->node) ? std::optional(index->bits) : std::nullopt;
  while (const auto* inner = std::get_if<Subscript>(&base->node)) {
    base = &function.at(inner->base);
  }
  const auto* var = std::get_if<Var>(&base->node);
  cell.array = var != nullptr && base->type.is_array() ? std::optional(var->id) : std::nullopt;
  return cell;
}

bool may_be_one(const Cell& a, const Cell& b) {
  if (a.space != b.space || (a.array && b.array && *a.array != *b.array)) {
    return false;
  }
  return !a.array || !b.array || !a.index || !b.index || *a.index == *b.index;
}

/// Whether the expression reads what may be the cell.
bool reads(const Function& function, ExprId id, const Cell& cell) {
  const Expr& expr = function.at(id);
  bool found = std::holds_alternative<Subscript>(expr.node) && expr.type.is_scalar() && may_be_one(cell_of(function, id), cell);
  for_each_operand(expr, [&](ExprId operand) { found = found || reads(function, operand, cell); });
  return found;
}

/// Whether a store to a component could change one that is computed behind it.
bool meets_later(const Function& function, const Vector& place, const Vector& value) {
  for (std::size_t i = 0; i < place.parts.size(); ++i) {
    const Cell cell = cell_of(function, place.parts[i]);
    for (std::size_t k = i + 1; k < value.parts.size(); ++k) {
      if (reads(function, value.parts[k], cell)) {
        return true;
      }
    }
  }
  return false;
}

/// Which components the name means, of so many; empty if none.
std::vector<std::size_t> selected(std::string_view name, std::size_t components) {
  // Of three components .hi and .odd would have a fourth one, which is none.
  const std::size_t even = components + components % 2;
  std::vector<std::size_t> indices;
  if (name == "lo" || name == "hi") {
    for (std::size_t k = 0; k < even / 2; ++k) {
      indices.push_back(k + (name == "hi" ? even / 2 : 0));
    }
  } else if (name == "even" || name == "odd") {
    for (std::size_t k = 0; k < even; k += 2) {
      indices.push_back(k + (name == "odd" ? 1 : 0));
    }
  } else if (name.size() > 1 && (name.front() == 's' || name.front() == 'S')) {
    for (const char c : name.substr(1)) {
      const std::size_t digit = std::string_view("0123456789abcdef0123456789ABCDEF").find(c);
      indices.push_back(digit == std::string_view::npos ? components : digit % 16);
    }
  } else {
    for (const char c : name) {
      indices.push_back(std::min(std::string_view("xyzw").find(c), components));
    }
  }
  return indices;
}

std::string known_names(std::size_t components) {
  const std::string last(1, "0123456789abcdef"[components - 1]);
  return (components <= 4 ? std::string("x to ") + "xyzw"[components - 1] + ", " : std::string()) + "s0 to s" + last +
         ", several of them, lo" + (components == 3 ? "" : ", hi, odd") + " and even";
}

}  // namespace

Checked vector_assignment(FunctionContext& context, ExprId place, std::optional<syntax::BinaryOp> op, ExprId value, SourceSpan span,
                          SourceSpan op_span, bool yields_old) {
  const Type type = context.function.at(place).type;
  Vector to = components_of(context, place);
  std::optional<Vector> from = operand_for(context, op, value, type);
  if (!from) {
    return std::nullopt;
  }
  Vector result;
  result.before = std::move(to.before);
  if (!from->before.empty()) {  // the place is decided before the value
    for (ExprId& part : to.parts) {
      part = settled_place(context, result.before, part, true);
    }
  }
  std::vector<ExprId> old;
  if (yields_old || (op && !from->before.empty())) {
    for (const ExprId part : to.parts) {
      old.push_back(keep(context, result.before, copy(context, part)));
    }
  }
  if (meets_later(context.function, to, *from)) {
    settle(context, *from);
  }
  std::ranges::copy(from->before, std::back_inserter(result.before));
  const bool is_own = is_private_place(context.function, place);
  for (std::size_t k = 0; k < to.parts.size(); ++k) {
    Checked part = from->parts[k];
    if (!is_own) {
      demand_values(context, *part);
    }
    if (op) {
      const Type scalar = context.function.at(to.parts[k]).type;
      const ExprId left = old.empty() ? add(context, OldValue{}, scalar, context.function.at(to.parts[k]).span) : copy(context, old[k]);
      part = component_binary(context, *op, left, *part, type.scalar, span, op_span);
    }
    if (!part) {
      return std::nullopt;
    }
    result.before.push_back(add(context, Assign{to.parts[k], *part}, Type::scalar_of(type.scalar), span));
    result.parts.push_back(yields_old ? old[k] : copy(context, to.parts[k]));
  }
  return vector_of(context, std::move(result), type.scalar, span);
}

Checked check_member(FunctionContext& context, const syntax::Member& member, SourceSpan span) {
  const Checked base = check_expression(context, *member.base);
  if (base && context.function.at(*base).type.is_record()) {
    return record_member(context, *base, member.name, span);
  }
  return base ? member_of(context, *base, member.name, span) : std::nullopt;
}

Checked member_of(FunctionContext& context, ExprId base, const syntax::Name& selector, SourceSpan span) {
  const Type type = context.function.at(base).type;
  const std::string& name = selector.text;
  if (!type.is_vector()) {
    const bool points = type.is_pointer() && (type.record != nullptr || type.components != 0) && type.extents.size() == 1;
    const std::string hint = points ? "; '->' goes through a pointer" : "";
    context.unit.reporter.error(
        selector.span, quoted(shortened(name)) + " is a component of a vector or a member, but this is '" + name_of(type) + "'" + hint);
    return std::nullopt;
  }
  const std::vector<std::size_t> indices = selected(name, type.components);
  if (indices.empty() || std::ranges::any_of(indices, [&](std::size_t index) { return index >= type.components; })) {
    context.unit.reporter.error(selector.span, "'" + name_of(type) + "' has no component " + quoted(shortened(name)) + "; there are " +
                                                   known_names(type.components));
    return std::nullopt;
  }
  constexpr std::array<std::size_t, 6> sizes = {1, 2, 3, 4, 8, 16};
  if (std::ranges::find(sizes, indices.size()) == sizes.end()) {
    context.unit.reporter.error(selector.span, "there are no vectors of " + counted(indices.size(), "component"));
    return std::nullopt;
  }
  if (indices.size() == 1 && !context.vectors.contains(base)) {
    const ExprId part = component(context, base, indices.front());
    context.function.expressions[part].span = span;
    return part;
  }
  Vector whole = components_of(context, base);
  if (indices.size() == 1) {
    const ExprId part = whole.parts[indices.front()];
    context.function.expressions[part].carries = false;
    return whole.is_place && whole.before.empty() ? part : behind(context, whole.before, part);
  }
  Vector result;
  result.before = std::move(whole.before);
  std::vector<bool> used(type.components);
  result.is_place = whole.is_place;
  for (const std::size_t index : indices) {
    if (used[index] && !whole.is_place && !std::holds_alternative<Var>(context.function.at(whole.parts[index]).node)) {
      whole.parts[index] = keep(context, result.before, whole.parts[index]);
    }
    result.parts.push_back(used[index] ? copy(context, whole.parts[index]) : whole.parts[index]);
    context.function.expressions[result.parts.back()].span = span;
    result.is_place = result.is_place && !used[index];
    used[index] = true;
  }
  return vector_of(context, std::move(result), type.scalar, span);
}

}  // namespace lockstep::core::sema
