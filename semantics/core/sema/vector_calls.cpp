// Functions of vectors (OpenCL C 6.12): those of scalars, one component at a time, and those that vectors alone have.

#include <algorithm>
#include <array>
#include <string>

#include "semantics/core/parse_words.hpp"
#include "semantics/core/sema/builtins.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/library.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;
using Arguments = std::span<const ExprId>;
using syntax::BinaryOp;

/// A call on its way.
struct VectorCall {
  FunctionContext& context;
  const syntax::Name& name;
  Arguments arguments;
  SourceSpan span;

  Type type(std::size_t i) const { return context.function.at(arguments[i]).type; }
  std::nullopt_t refuse(const std::string& why) const {
    context.unit.reporter.error(span, quoted(name.text) + " " + why);
    return std::nullopt;
  }
};

constexpr std::string_view conversion_prefix = "convert_";

/// convert_float4, convert_uchar4_sat_rte and so on.
struct Conversion {
  NamedType to;
  std::string component;  ///< the function of one component; empty if a cast is
};

std::optional<Conversion> conversion(std::string_view name) {
  if (!name.starts_with(conversion_prefix)) {
    return std::nullopt;
  }
  name.remove_prefix(conversion_prefix.size());
  const std::string_view type = name.substr(0, name.find('_'));
  const std::string_view suffix = name.substr(type.size());
  const NamedType to = core::type_of(&type, 1).value_or(NamedType{});
  if (to.components <= 1) {
    return std::nullopt;
  }
  const std::string component =
      suffix.empty() ? "" : std::string(conversion_prefix) + std::string(info(*to.scalar).name) + std::string(suffix);
  return suffix.empty() || is_in_library(component) ? std::optional(Conversion{to, component}) : std::nullopt;
}

/// How many components the name of vloadn or vstoren says; 0 for another one.
unsigned stored(std::string_view name) {
  for (const std::string_view prefix : {"vload", "vstore"}) {
    if (name.starts_with(prefix)) {
      const std::string vector = "int" + std::string(name.substr(prefix.size()));
      const std::string_view type = vector;
      const unsigned components = core::type_of(&type, 1).value_or(NamedType{}).components;
      return components > 1 ? components : 0;
    }
  }
  return 0;
}

/// The components that lie one behind the other from p + offset * n on.
std::optional<Vector> packed(const VectorCall& call, ExprId offset, ExprId pointer, unsigned components) {
  FunctionContext& context = call.context;
  const Type type = context.function.at(pointer).type;
  if (!require_integer(context, offset, "an offset")) {
    return std::nullopt;
  }
  if (!type.is_pointer() || !type.extents.empty()) {
    return call.refuse("needs a pointer to scalars, but this is '" + name_of(type) + "'"), std::nullopt;
  }
  const ExprId wide = convert(context, offset, ScalarType::Long);
  const ExprId size = add_integer(context, components, ScalarType::Long, call.span);
  const ExprId index = add_scalar(context, Operate{Op::Mul, ScalarType::Long, {wide, size}}, ScalarType::Long, call.span);
  Vector result;
  const ExprId first = keep(context, result.before, add(context, PointerAdd{pointer, index}, type, call.span));
  for (std::size_t k = 0; k < components; ++k) {
    const ExprId base = k == 0 ? first : copy(context, first);
    result.parts.push_back(
        add_scalar(context, Subscript{base, add_integer(context, k, ScalarType::Long, call.span)}, type.scalar, call.span));
  }
  return result;
}

Checked load(const VectorCall& call, unsigned components) {
  if (call.arguments.size() != 2) {
    return call.refuse("takes an offset and a pointer");
  }
  std::optional<Vector> memory = packed(call, call.arguments[0], call.arguments[1], components);
  if (!memory) {
    return std::nullopt;
  }
  const ScalarType scalar = call.type(1).scalar;
  return vector_of(call.context, std::move(*memory), scalar, call.span);
}

Checked store(const VectorCall& call, unsigned components) {
  if (call.arguments.size() != 3 || !call.type(0).is_vector() || call.type(0).components != components) {
    return call.refuse("takes a vector of " + std::to_string(components) + " components, an offset and a pointer");
  }
  const Type to = call.type(2);
  if (to.is_pointer() && (to.is_const || to.scalar != call.type(0).scalar)) {
    return call.refuse("cannot store '" + name_of(call.type(0)) + "' to what '" + name_of(to) + "' points to");
  }
  Vector value = components_of(call.context, call.arguments[0]);
  demand_values(call.context, value);
  settle(call.context, value);
  const std::optional<Vector> memory = packed(call, call.arguments[1], call.arguments[2], components);
  if (!memory) {
    return std::nullopt;
  }
  std::vector<ExprId> effects = std::move(value.before);
  std::ranges::copy(memory->before, std::back_inserter(effects));
  for (std::size_t k = 0; k < components; ++k) {
    effects.push_back(add_scalar(call.context, Assign{memory->parts[k], value.parts[k]}, to.scalar, call.span));
  }
  const ExprId last = effects.back();
  effects.pop_back();
  return add(call.context, Comma{sequence(call.context, effects), last}, Type{}, call.span);
}

// ---- geometry (OpenCL C 6.12.5) ----------------------------------------------------------------------------------------

/// Vectors or scalars of one floating type, all with as many components.
std::optional<std::vector<Vector>> of_floats(const VectorCall& call, std::size_t count) {
  if (call.arguments.size() != count) {
    call.refuse("takes " + counted(count, "argument") + ", but " + std::to_string(call.arguments.size()) + " are given");
    return std::nullopt;
  }
  std::vector<Vector> values;
  for (const ExprId argument : call.arguments) {
    const Type& type = call.context.function.at(argument).type;
    const Type& first = call.type(0);
    if ((!type.is_scalar() && !type.is_vector()) || !is_float(type.scalar) || type.scalar != first.scalar ||
        type.components != first.components) {
      call.refuse("needs vectors of float or double, all of one type, but this is '" + name_of(type) + "'");
      return std::nullopt;
    }
    values.push_back(type.is_vector() ? components_of(call.context, argument) : scalar_as_operand(call.context, argument));
  }
  return values;
}

ExprId multiplied(const VectorCall& call, ExprId left, ExprId right) {
  return binary(call.context, BinaryOp::Mul, left, right, call.span, call.span).value();
}

/// a.x * b.x + a.y * b.y + …, as it would be written.
ExprId product_sum(const VectorCall& call, std::span<const ExprId> left, std::span<const ExprId> right) {
  ExprId sum = multiplied(call, left[0], right[0]);
  for (std::size_t k = 1; k < left.size(); ++k) {
    sum = binary(call.context, BinaryOp::Add, sum, multiplied(call, left[k], right[k]), call.span, call.span).value();
  }
  return sum;
}

Checked dot(const VectorCall& call) {
  auto values = of_floats(call, 2);
  if (!values) {
    return std::nullopt;
  }
  const std::vector<ExprId> before = in_order(call.context, *values);
  return behind(call.context, before, product_sum(call, (*values)[0].parts, (*values)[1].parts));
}

std::vector<ExprId> copies(FunctionContext& context, std::span<const ExprId> kept) {
  std::vector<ExprId> result;
  for (const ExprId part : kept) {
    result.push_back(copy(context, part));
  }
  return result;
}

/// The root of the vector's product with itself. Its parts are kept.
ExprId length_of(const VectorCall& call, const Vector& value, ScalarType scalar) {
  const std::vector<ExprId> again = copies(call.context, value.parts);
  const ExprId square = product_sum(call, copies(call.context, value.parts), again);
  return add_scalar(call.context, Operate{Op::Sqrt, scalar, {square}}, scalar, call.span);
}

Checked length(const VectorCall& call) {
  auto values = of_floats(call, 1);
  if (!values) {
    return std::nullopt;
  }
  Vector& value = values->front();
  settle(call.context, value);
  return behind(call.context, value.before, length_of(call, value, call.type(0).scalar));
}

Checked distance(const VectorCall& call) {
  auto values = of_floats(call, 2);
  if (!values) {
    return std::nullopt;
  }
  Vector difference;
  difference.before = in_order(call.context, *values);
  for (std::size_t k = 0; k < (*values)[0].parts.size(); ++k) {
    difference.parts.push_back(
        binary(call.context, BinaryOp::Sub, (*values)[0].parts[k], (*values)[1].parts[k], call.span, call.span).value());
  }
  settle(call.context, difference);
  return behind(call.context, difference.before, length_of(call, difference, call.type(0).scalar));
}

Checked normalize(const VectorCall& call) {
  auto values = of_floats(call, 1);
  if (!values) {
    return std::nullopt;
  }
  const ScalarType scalar = call.type(0).scalar;
  Vector& value = values->front();
  settle(call.context, value);
  const ExprId length = keep(call.context, value.before, length_of(call, value, scalar));
  // A vector of zeros stays one (OpenCL C 6.12.5).
  const ExprId one = convert(call.context, add_integer(call.context, 1, ScalarType::Int, call.span), scalar);
  const ExprId divisor =
      keep(call.context, value.before, add_scalar(call.context, Conditional{length, copy(call.context, length), one}, scalar, call.span));
  for (ExprId& part : value.parts) {
    part = add_scalar(call.context, Operate{Op::Div, scalar, {part, copy(call.context, divisor)}}, scalar, call.span);
  }
  if (!call.type(0).is_vector()) {
    return behind(call.context, value.before, value.parts.front());
  }
  return vector_of(call.context, std::move(value), scalar, call.span);
}

Checked cross(const VectorCall& call) {
  auto values = of_floats(call, 2);
  if (!values) {
    return std::nullopt;
  }
  const Type type = call.type(0);
  if (type.components != 3 && type.components != 4) {
    return call.refuse("needs vectors of three or four components, but this is '" + name_of(type) + "'");
  }
  for (Vector& value : *values) {
    settle(call.context, value);
  }
  Vector result;
  result.before = in_order(call.context, *values);
  const auto part = [&](std::size_t which, std::size_t k) { return copy(call.context, (*values)[which].parts[k]); };
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    const std::size_t last = (k + 2) % 3;
    const ExprId first = multiplied(call, part(0, next), part(1, last));
    const ExprId second = multiplied(call, part(0, last), part(1, next));
    result.parts.push_back(binary(call.context, BinaryOp::Sub, first, second, call.span, call.span).value());
  }
  if (type.components == 4) {
    result.parts.push_back(add_scalar(call.context, Literal{}, type.scalar, call.span));
  }
  return vector_of(call.context, std::move(result), type.scalar, call.span);
}

// ---- relations and choice (6.12.6) -------------------------------------------------------------------------------------

/// any(v), all(v): int 0 or 1, by the bits at the top.
Checked vote(const VectorCall& call, bool all) {
  if (call.arguments.size() != 1 || !is_integer(call.type(0).scalar)) {
    return call.refuse("takes one vector of integers");
  }
  Vector value = components_of(call.context, call.arguments[0]);
  const SourceSpan span = call.span;
  ExprId joined = value.parts.front();
  for (std::size_t k = 1; k < value.parts.size(); ++k) {
    joined = binary(call.context, all ? BinaryOp::BitAnd : BinaryOp::BitOr, joined, value.parts[k], span, span).value();
  }
  joined = convert(call.context, joined, call.type(0).scalar);
  const ExprId one = add_integer(call.context, 1, ScalarType::Int, span);
  const ExprId zero = add_integer(call.context, 0, ScalarType::Int, span);
  return behind(call.context, value.before, chosen_by_sign(call.context, joined, one, zero));
}

/// select(a, b, c): b where the top bit of c is set.
Checked select(const VectorCall& call) {
  if (call.arguments.size() != 3 ||
      !std::ranges::all_of(call.arguments, [&](ExprId argument) { return is_vector(call.context, argument); }) ||
      call.type(0).scalar != call.type(1).scalar || call.type(0).components != call.type(1).components ||
      call.type(0).components != call.type(2).components || !is_integer(call.type(2).scalar) ||
      size_of(call.type(0).scalar) != size_of(call.type(2).scalar)) {
    return call.refuse("of vectors takes two of one type, and one of integers of as many bits that chooses");
  }
  const ScalarType scalar = call.type(0).scalar;
  std::vector<Vector> operands;
  for (const ExprId argument : call.arguments) {
    operands.push_back(components_of(call.context, argument));
  }
  Vector result;
  result.before = in_order(call.context, operands);
  for (std::size_t k = 0; k < operands[0].parts.size(); ++k) {
    result.parts.push_back(chosen_by_sign(call.context, operands[2].parts[k], operands[1].parts[k], operands[0].parts[k]));
  }
  return vector_of(call.context, std::move(result), scalar, call.span);
}

/// shuffle(v, mask) and shuffle2(a, b, mask) of OpenCL (6.12.12): components by their number, modulo how many there are.
Checked shuffled(const VectorCall& call, std::size_t sources) {
  if (call.arguments.size() != sources + 1 || !call.type(0).is_vector() || !call.type(sources).is_vector() ||
      !is_integer(call.type(sources).scalar) || (sources == 2 && name_of(call.type(0)) != name_of(call.type(1)))) {
    return call.refuse("takes " + std::string(sources == 1 ? "a vector" : "two vectors of one type") + " and a vector of integers");
  }
  const Type type = call.type(0);
  std::vector<Vector> operands;
  for (const ExprId argument : call.arguments) {
    operands.push_back(components_of(call.context, argument));
  }
  Vector result;
  result.before = in_order(call.context, operands);
  const unsigned each = type.components == 3 ? 4U : type.components;
  // Into an array, whose element the mask chooses.
  const VarId array =
      add_temporary(call.context, {Type::Kind::Array, type.scalar, AddressSpace::Private, false, {sources * each}}, call.span);
  const auto element = [&](ExprId index) {
    return add_scalar(call.context, Subscript{variable(call.context, array, call.span), index}, type.scalar, call.span);
  };
  for (std::size_t source = 0; source < sources; ++source) {
    for (std::size_t k = 0; k < type.components; ++k) {
      const ExprId place = element(add_integer(call.context, source * each + k, ScalarType::Long, call.span));
      result.before.push_back(add_scalar(call.context, Assign{place, operands[source].parts[k]}, type.scalar, call.span));
    }
  }
  for (const ExprId part : operands[sources].parts) {
    const ExprId wide = convert(call.context, part, ScalarType::Long);
    const ExprId most = add_integer(call.context, sources * each - 1, ScalarType::Long, call.span);
    result.parts.push_back(
        element(add_scalar(call.context, Operate{Op::BitAnd, ScalarType::Long, {wide, most}}, ScalarType::Long, call.span)));
  }
  return vector_of(call.context, std::move(result), type.scalar, call.span);
}

// ---- one component at a time -------------------------------------------------------------------------------------------

Checked converted(const VectorCall& call, const Conversion& conversion) {
  const NamedType& to = conversion.to;
  if (call.arguments.size() != 1 || !call.type(0).is_vector() || call.type(0).components != to.components) {
    return call.refuse("takes a vector of " + std::to_string(to.components) + " components");
  }
  Vector value = components_of(call.context, call.arguments[0]);
  value.is_place = false;
  for (ExprId& part : value.parts) {
    part = conversion.component.empty() ? cast(call.context, part, Type::scalar_of(*to.scalar), call.span).value()
                                        : library_call(call.context, conversion.component, {part}, call.span).value();
  }
  return vector_of(call.context, std::move(value), *to.scalar, call.span);
}

bool is_geometric(std::string_view name) {
  constexpr std::array names = {"dot", "cross", "length", "distance", "normalize", "fast_length", "fast_distance", "fast_normalize"};
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool is_vector_name(std::string_view name) { return stored(name) != 0 || conversion(name) || is_geometric(name) || name == "shuffle2"; }

Checked vector_call(FunctionContext& context, const syntax::Name& name, Arguments arguments, SourceSpan span) {
  const VectorCall call{context, name, arguments, span};
  const std::string_view text = name.text;
  if (const unsigned components = stored(text); components != 0) {
    return text.starts_with("vload") ? load(call, components) : store(call, components);
  }
  if (const std::optional<Conversion> to = conversion(text)) {
    return converted(call, *to);
  }
  const std::string_view geometric = text.starts_with("fast_") ? text.substr(5) : text;
  if (geometric == "dot") {
    return dot(call);
  }
  if (geometric == "cross") {
    return cross(call);
  }
  if (geometric == "length") {
    return length(call);
  }
  if (geometric == "distance") {
    return distance(call);
  }
  if (geometric == "normalize") {
    return normalize(call);
  }
  if (text == "any" || text == "all") {
    return vote(call, text == "all");
  }
  if (text == "select") {
    return select(call);
  }
  if (text == "shuffle2" || (text == "shuffle" && arguments.size() == 2 && is_vector(context, arguments[1]))) {
    return shuffled(call, text == "shuffle2" ? 2 : 1);
  }
  return component_call(context, name, arguments, span);
}

}  // namespace lockstep::core::sema
