// Functions of scalars (OpenCL C 6.15), of vectors one component at a time.

#include <algorithm>
#include <array>
#include <string>

#include "semantics/core/sema/builtins.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/library.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;

/// A call on its way.
struct ComponentCall {
  FunctionContext& context;
  const syntax::Name& name;
  std::span<const ExprId> arguments;
  SourceSpan span;

  std::nullopt_t refuse(const std::string& why) const {
    context.unit.reporter.error(span, quoted(name.text) + " " + why);
    return std::nullopt;
  }
};

/// Shuffles: the second argument is the number of an item.
bool has_lane(std::string_view name) { return name == "shuffle" || name.starts_with("sub_group_"); }

/// A pointer to vectors as pointers to the components of the first.
Vector pointers_to_components(FunctionContext& context, ExprId pointer, std::size_t components) {
  Vector result;
  const ExprId first = keep(context, result.before, pointer_to_components(context, pointer));
  const Expr kept = context.function.at(first);
  for (std::size_t k = 0; k < components; ++k) {
    const ExprId index = add_integer(context, k, ScalarType::Long, kept.span);
    result.parts.push_back(add(context, PointerAdd{k == 0 ? first : copy(context, first), index}, kept.type, kept.span));
  }
  return result;
}

/// The argument of that number of a function that computes one component at a time, beside a vector of this type.
std::optional<Vector> operand_of(const ComponentCall& call, std::size_t number, const Type& type) {
  const ExprId argument = call.arguments[number];
  const Type own = call.context.function.at(argument).type;
  const Parameter parameter = parameter_of(call.name.text, number);
  if (parameter == Parameter::Pointer && own.is_pointer() && own.extents.size() == 1 && own.components == type.components) {
    return pointers_to_components(call.context, argument, type.components);
  }
  if (parameter == Parameter::Pointer) {
    return call.refuse("needs a pointer to vectors of " + std::to_string(type.components) + " components, but this is '" + name_of(own) +
                       "'");
  }
  if (own.is_vector() && own.components != type.components) {
    return call.refuse("needs vectors of one length, but these are '" + name_of(type) + "' and '" + name_of(own) + "'");
  }
  if (!own.is_vector() && !own.is_scalar()) {
    return call.refuse("needs a number, but this is '" + name_of(own) + "'");
  }
  if (own.is_vector() && (parameter == Parameter::Other ? !is_integer(own.scalar) : own.scalar != type.scalar)) {
    return call.refuse("needs vectors of one type, but these are '" + name_of(type) + "' and '" + name_of(own) + "'");
  }
  if (own.is_vector()) {
    return components_of(call.context, argument);
  }
  // A scalar beside vectors is of their type.
  const bool stays = has_lane(call.name.text) || parameter == Parameter::Other;
  return widened(call.context, stays ? argument : convert(call.context, argument, type.scalar), type.components);
}

}  // namespace

bool is_relation(std::string_view name) {
  constexpr std::array relations = {"isnan",          "isinf",  "isfinite",    "isnormal",      "isequal",   "isnotequal",  "isgreater",
                                    "isgreaterequal", "isless", "islessequal", "islessgreater", "isordered", "isunordered", "signbit"};
  return std::ranges::find(relations, name) != relations.end();
}

Checked component_call(FunctionContext& context, const syntax::Name& name, std::span<const ExprId> arguments, SourceSpan span) {
  const ComponentCall call{context, name, arguments, span};
  if (call.name.text.starts_with("get_")) {
    return call.refuse("needs a number, not a vector");
  }
  const auto first = std::ranges::find_if(call.arguments, [&](ExprId argument) { return is_vector(call.context, argument); });
  const Type type = call.context.function.at(*first).type;
  std::vector<Vector> operands;
  bool writes = false;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    std::optional<Vector> operand = operand_of(call, i, type);
    if (!operand) {
      return std::nullopt;
    }
    operands.push_back(std::move(*operand));
    writes = writes || parameter_of(call.name.text, i) == Parameter::Pointer;
  }
  if (writes) {  // all is read before any component is written
    std::ranges::for_each(operands, [&](Vector& operand) { settle(call.context, operand); });
  }
  Vector result;
  result.before = in_order(call.context, operands);
  for (std::size_t k = 0; k < type.components; ++k) {
    std::vector<ExprId> parts;
    for (const Vector& operand : operands) {
      parts.push_back(operand.parts[k]);
    }
    const Checked part = is_builtin(call.name.text) ? builtin_call(call.context, call.name.text, std::move(parts), call.span)
                                                    : library_call(call.context, call.name.text, std::move(parts), call.span);
    if (!part) {
      return std::nullopt;
    }
    result.parts.push_back(writes ? keep(call.context, result.before, *part) : *part);
  }
  ScalarType scalar = call.context.function.at(result.parts.front()).type.scalar;
  if (is_relation(call.name.text)) {
    scalar = signed_of(type.scalar);
    for (ExprId& part : result.parts) {
      part = truth_of_component(call.context, part, type.scalar);
    }
  }
  return vector_of(call.context, std::move(result), scalar, call.span);
}

}  // namespace lockstep::core::sema
