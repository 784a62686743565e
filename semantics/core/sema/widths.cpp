#include "semantics/core/sema/widths.hpp"

#include <algorithm>
#include <array>

#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;

/// The integer of twice the size with the same sign; nothing for what is no integer of at most 32 bits.
std::optional<ScalarType> twice_as_wide(ScalarType type) {
  switch (type) {
    case ScalarType::Char:
      return ScalarType::Short;
    case ScalarType::UChar:
      return ScalarType::UShort;
    case ScalarType::Short:
      return ScalarType::Int;
    case ScalarType::UShort:
      return ScalarType::UInt;
    case ScalarType::Int:
      return ScalarType::Long;
    case ScalarType::UInt:
      return ScalarType::ULong;
    default:
      return std::nullopt;
  }
}

/// (high << bits) | low.
ExprId joined(FunctionContext& context, ExprId high, ExprId low, ScalarType wide, SourceSpan span) {
  const unsigned bits = bits_of(context.function.at(high).type.scalar);
  const ScalarType type = promoted(wide);
  const ExprId count = add_integer(context, bits, type, span);
  const ExprId raised = add_scalar(context, Operate{Op::Shl, type, {convert(context, high, type), count}}, type, span);
  return convert(context, add_scalar(context, Operate{Op::BitOr, type, {raised, convert(context, low, type)}}, type, span), wide);
}

Checked count_of_components(FunctionContext& context, std::span<const ExprId> arguments, SourceSpan span) {
  const Type type = arguments.empty() ? Type{} : context.function.at(arguments[0]).type;
  if (arguments.size() != 1 || (!type.is_scalar() && !type.is_vector())) {
    context.unit.reporter.error(span, "'vec_step' takes one number or vector, or its type");
    return std::nullopt;
  }
  return add_integer(context, !type.is_vector() ? 1 : type.components == 3 ? 4 : type.components, ScalarType::Int, span);
}

}  // namespace

bool is_of_widths(std::string_view name) { return name == "upsample" || name == "vec_step"; }

Checked widths_call(FunctionContext& context, const syntax::Name& name, std::span<const ExprId> arguments, SourceSpan span) {
  if (name.text == "vec_step") {
    return count_of_components(context, arguments, span);
  }
  const auto type = [&](std::size_t i) { return context.function.at(arguments[i]).type; };
  const bool are_two = arguments.size() == 2 && type(0).is_scalar() == type(1).is_scalar() &&
                       (type(0).is_scalar() || type(0).is_vector()) && (type(1).is_scalar() || type(1).is_vector()) &&
                       type(0).components == type(1).components;
  const auto wide = are_two ? twice_as_wide(type(0).scalar) : std::nullopt;
  if (!wide || is_float(type(1).scalar) || is_signed(type(1).scalar) ||
      lockstep::size_of(type(0).scalar) != lockstep::size_of(type(1).scalar)) {
    context.unit.reporter.error(
        span, "'upsample' takes integers of at most 32 bits, or vectors of them, and as many unsigned ones of the same size");
    return std::nullopt;
  }
  if (type(0).is_scalar()) {
    return joined(context, arguments[0], arguments[1], *wide, span);
  }
  std::array operands = {components_of(context, arguments[0]), components_of(context, arguments[1])};
  Vector result;
  result.before = in_order(context, operands);
  for (std::size_t k = 0; k < operands[0].parts.size(); ++k) {
    result.parts.push_back(joined(context, operands[0].parts[k], operands[1].parts[k], *wide, span));
  }
  return vector_of(context, std::move(result), *wide, span);
}

}  // namespace lockstep::core::sema
