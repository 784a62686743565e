#include "semantics/core/sema/reinterpretation.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "semantics/core/parse_words.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

constexpr std::string_view prefix = "as_";

std::optional<NamedType> target_of(std::string_view name) {
  const std::string_view type = name.starts_with(prefix) ? name.substr(prefix.size()) : "";
  const std::optional<NamedType> named = core::type_of(&type, 1);
  return named && named->scalar && *named->scalar != ScalarType::Bool ? named : std::nullopt;
}

ExprId shifted(FunctionContext& context, Op op, ExprId bits, std::size_t count, ScalarType type) {
  const SourceSpan span = context.function.at(bits).span;
  const ExprId left = convert(context, bits, type);
  return add_scalar(context, Operate{op, type, {left, add_integer(context, count, type, span)}}, type, span);
}

/// Bytes of a value of so many components: of three as of four.
std::size_t bytes_of(ScalarType scalar, std::size_t components) { return size_of(scalar) * (components == 3 ? 4 : components); }

}  // namespace

ScalarType unsigned_of_size(std::size_t bytes) {
  constexpr std::array types = {ScalarType::UChar, ScalarType::UShort, ScalarType::UInt, ScalarType::ULong};
  return *std::ranges::find(types, bytes, [](ScalarType type) { return size_of(type); });
}

ExprId bits_of_part(FunctionContext& context, ExprId part) {
  const ScalarType from = context.function.at(part).type.scalar;
  const ScalarType to = unsigned_of_size(size_of(from));
  return is_float(from) ? add_scalar(context, Bitcast{part}, to, context.function.at(part).span) : convert(context, part, to);
}

ExprId part_of_bits(FunctionContext& context, ExprId bits, ScalarType to) {
  return is_float(to) ? add_scalar(context, Bitcast{bits}, to, context.function.at(bits).span) : convert(context, bits, to);
}

std::vector<ExprId> regrouped(FunctionContext& context, Vector& value, std::size_t from, std::size_t to) {
  if (from == to) {
    return value.parts;
  }
  const ScalarType wide = std::max(from, to) == 8 ? ScalarType::ULong : ScalarType::UInt;
  const ScalarType type = unsigned_of_size(to);
  std::vector<ExprId> result;
  if (from > to) {
    settle(context, value);
    for (const ExprId part : value.parts) {
      for (std::size_t k = 0; k < from / to; ++k) {
        result.push_back(convert(context, shifted(context, Op::Shr, copy(context, part), 8 * to * k, wide), type));
      }
    }
    return result;
  }
  for (std::size_t i = 0; i + to / from <= value.parts.size(); i += to / from) {
    ExprId joined = convert(context, value.parts[i], wide);
    for (std::size_t k = 1; k < to / from; ++k) {
      const ExprId next = shifted(context, Op::Shl, value.parts[i + k], 8 * from * k, wide);
      joined = add_scalar(context, Operate{Op::BitOr, wide, {joined, next}}, wide, context.function.at(next).span);
    }
    result.push_back(convert(context, joined, type));
  }
  return result;
}

bool is_reinterpretation(std::string_view name) { return target_of(name).has_value(); }

std::optional<ExprId> reinterpreted(FunctionContext& context, const syntax::Name& name, std::span<const ExprId> arguments,
                                    SourceSpan span) {
  const NamedType to = *target_of(name.text);
  const Type from = arguments.empty() ? Type{} : context.function.at(arguments.front()).type;
  if (arguments.size() != 1 || (!from.is_scalar() && !from.is_vector()) || from.scalar == ScalarType::Bool) {
    context.unit.reporter.error(span, quoted(name.text) + " takes one number or vector");
    return std::nullopt;
  }
  const std::size_t given = from.is_vector() ? from.components : 1;
  const bool same_size = bytes_of(from.scalar, given) == bytes_of(*to.scalar, to.components);
  // OpenCL C 6.2.4.2: a vector of three only from and to ones whose components are as large.
  const bool three = (given == 3 || to.components == 3) && size_of(from.scalar) != size_of(*to.scalar);
  if (!same_size || three || (given == 3 && to.components == 4)) {
    context.unit.reporter.error(span, quoted(name.text) + " needs " + std::to_string(bytes_of(*to.scalar, to.components)) +
                                          " bytes of which all are there, but this is '" + name_of(from) + "'");
    return std::nullopt;
  }
  Vector value = from.is_vector() ? components_of(context, arguments.front()) : scalar_as_operand(context, arguments.front());
  for (ExprId& part : value.parts) {
    part = bits_of_part(context, part);
  }
  Vector result;
  result.parts = regrouped(context, value, size_of(from.scalar), size_of(*to.scalar));
  result.before = std::move(value.before);
  result.parts.resize(to.components);  // of four as three the last is left out
  for (ExprId& part : result.parts) {
    part = part_of_bits(context, part, *to.scalar);
  }
  if (to.components == 1) {
    return behind(context, result.before, result.parts.front());
  }
  return vector_of(context, std::move(result), *to.scalar, span);
}

}  // namespace lockstep::core::sema
