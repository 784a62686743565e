#include "semantics/core/sema/half.hpp"

#include <algorithm>
#include <array>

#include "semantics/core/fold_half.hpp"
#include "semantics/core/parse_words.hpp"
#include "semantics/core/record.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/library.hpp"
#include "semantics/core/sema/records.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;

/// What the name of an access says.
struct Access {
  bool is_load = false;
  unsigned components = 1;
  unsigned stride = 1;                 ///< from one vector to the next: vloada_half3 and its kin have four
  std::string_view rounding = "_rte";  ///< of a store; without a word OpenCL's default
};

std::optional<Access> access_of(std::string_view name) {
  constexpr auto heads = std::to_array<std::string_view>({"vload_half", "vloada_half", "vstore_half", "vstorea_half"});
  const auto* const head = std::ranges::find_if(heads, [&](std::string_view word) { return name.starts_with(word); });
  if (head == heads.end()) {
    return std::nullopt;
  }
  Access access{.is_load = head->starts_with("vload")};
  name.remove_prefix(head->size());
  if (const std::size_t digits = std::min(name.find('_'), name.size()); digits != 0) {
    const std::string vector = "int" + std::string(name.substr(0, digits));
    const std::string_view type = vector;
    access.components = core::type_of(&type, 1).value_or(NamedType{}).components;
    if (access.components == 1) {
      return std::nullopt;
    }
    name.remove_prefix(digits);
  }
  const bool is_aligned = (*head)[head->size() - std::string_view("_half").size() - 1] == 'a';
  access.stride = is_aligned && access.components == 3 ? 4 : access.components;
  constexpr auto roundings = std::to_array<std::string_view>({"_rte", "_rtz", "_rtp", "_rtn"});
  const auto* const rounding = std::ranges::find(roundings, name);
  if (!name.empty() && (access.is_load || rounding == roundings.end())) {
    return std::nullopt;
  }
  access.rounding = name.empty() ? access.rounding : *rounding;
  return access;
}

/// The bits of the numbers from p + offset * stride on, as places. Empty where an error was reported.
std::optional<Vector> bits_at(FunctionContext& context, const syntax::Name& name, const Access& access, ExprId offset, ExprId pointer,
                              SourceSpan span) {
  const Type type = context.function.at(pointer).type;
  if (!require_integer(context, offset, "an offset")) {
    return std::nullopt;
  }
  if (!type.is_pointer() || !is_half(type) || type.extents.size() != 1) {
    context.unit.reporter.error(context.function.at(pointer).span,
                                quoted(name.text) + " needs a pointer to half, but this is '" + name_of(type) + "'");
    return std::nullopt;
  }
  if (!access.is_load && (type.is_const || type.space == AddressSpace::Constant)) {
    context.unit.reporter.error(context.function.at(pointer).span,
                                quoted(name.text) + " cannot store to what '" + name_of(type) + "' points to");
    return std::nullopt;
  }
  const ExprId wide = convert(context, offset, ScalarType::Long);
  const ExprId size = add_integer(context, access.stride, ScalarType::Long, span);
  const ExprId index =
      access.stride == 1 ? wide : add_scalar(context, Operate{Op::Mul, ScalarType::Long, {wide, size}}, ScalarType::Long, span);
  Vector result;
  const ExprId first = keep(context, result.before, add(context, PointerAdd{pointer, index}, type, span));
  for (std::size_t k = 0; k < access.components; ++k) {
    const ExprId base = k == 0 ? first : copy(context, first);
    const ExprId number = add(context, Subscript{base, add_integer(context, k, ScalarType::Long, span)}, pointee(type), span);
    result.parts.push_back(member_at(context, number, 0, span));
  }
  return result;
}

Checked load(FunctionContext& context, const syntax::Name& name, const Access& access, std::span<const ExprId> arguments, SourceSpan span) {
  if (arguments.size() != 2) {
    context.unit.reporter.error(span, quoted(name.text) + " takes an offset and a pointer to half");
    return std::nullopt;
  }
  std::optional<Vector> bits = bits_at(context, name, access, arguments[0], arguments[1], span);
  if (!bits) {
    return std::nullopt;
  }
  for (ExprId& part : bits->parts) {
    part = library_call_for(context, "__half_value", ScalarType::UShort, {part}, span).value();
  }
  bits->is_place = false;
  return access.components == 1 ? behind(context, bits->before, bits->parts.front())
                                : vector_of(context, std::move(*bits), ScalarType::Float, span);
}

Checked store(FunctionContext& context, const syntax::Name& name, const Access& access, std::span<const ExprId> arguments,
              SourceSpan span) {
  const Type given = arguments.empty() ? Type{} : context.function.at(arguments[0]).type;
  const bool fits = access.components == 1 ? given.is_scalar() : given.is_vector() && given.components == access.components;
  if (arguments.size() != 3 || !fits || !(is_float(given.scalar) || access.components == 1)) {
    const std::string value =
        access.components == 1 ? "a float or double" : "floats or doubles, " + std::to_string(access.components) + ",";
    context.unit.reporter.error(span, quoted(name.text) + " takes " + value + " an offset and a pointer to half");
    return std::nullopt;
  }
  const ScalarType scalar = is_float(given.scalar) ? given.scalar : ScalarType::Float;
  Vector value = access.components == 1 ? scalar_as_operand(context, arguments[0]) : components_of(context, arguments[0]);
  demand_values(context, value);
  for (ExprId& part : value.parts) {
    part = library_call_for(context, "__half" + std::string(access.rounding), scalar, {convert(context, part, scalar)}, span).value();
  }
  settle(context, value);
  const std::optional<Vector> bits = bits_at(context, name, access, arguments[1], arguments[2], span);
  if (!bits) {
    return std::nullopt;
  }
  std::vector<ExprId> effects = std::move(value.before);
  std::ranges::copy(bits->before, std::back_inserter(effects));
  for (std::size_t k = 0; k < access.components; ++k) {
    effects.push_back(add_scalar(context, Assign{bits->parts[k], value.parts[k]}, ScalarType::UShort, span));
  }
  const ExprId last = effects.back();
  effects.pop_back();
  return add(context, Comma{sequence(context, effects), last}, Type{}, span);
}

}  // namespace

bool is_half(const Type& type) { return type.record != nullptr && type.record->name == half_name; }

bool is_half_access(std::string_view name) { return access_of(name).has_value(); }

Checked half_access(FunctionContext& context, const syntax::Name& name, std::span<const ExprId> arguments, SourceSpan span) {
  const Access access = *access_of(name.text);
  return access.is_load ? load(context, name, access, arguments, span) : store(context, name, access, arguments, span);
}

void explain_half(Diagnostics& errors) {
  for (Diagnostic& error : errors) {
    const bool names_it = error.message.contains("'half'") || error.message.contains("half *'");
    if (names_it && error.notes.empty() && !error.message.contains("pointer to half")) {
      error.notes.push_back({Severity::Note,
                             error.span,
                             "half is a type of memory alone (there is no cl_khr_fp16): vload_half(i, p) makes a float of p[i], "
                             "vstore_half(x, i, p) rounds x to it",
                             {}});
    }
  }
}

}  // namespace lockstep::core::sema
