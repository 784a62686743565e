#include "semantics/core/sema/conversions.hpp"

#include <expected>
#include <string>
#include <utility>

#include "semantics/core/sema/constants.hpp"
#include "semantics/core/sema/records.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::core::sema {
namespace {

Type flattened(Type pointer) {
  pointer.extents.clear();
  pointer.components = 0;
  return pointer;
}

std::string both(const Type& from, const Type& to) { return "'" + name_of(from) + "' to '" + name_of(to) + "'"; }

/// Why pointers of these two types do not go together.
std::string pointer_reason(const Type& from, const Type& to) {
  if (from.space != to.space) {
    return "; the address spaces differ";
  }
  if (is_view(from) && pointer_converts(seen_as(from), to)) {
    return "; what a cast pointer leads to is of another type, which this does not know: cast it where it is used";
  }
  if (is_view(to) && pointer_converts(from, seen_as(to))) {
    return "; that variable leads to memory of another type since its first value: use another variable";
  }
  if (from.record != to.record) {
    return "; they point to different types";
  }
  if (from.scalar != to.scalar) {
    return size_of(from.scalar) == size_of(to.scalar) ? "; a cast sees what lies there as the other type"
           : from.space == AddressSpace::Private
               ? "; private memory of one type is not seen as elements of another size: as_" + std::string(info(to.scalar).name) +
                     "(…) reinterprets values, and a union has elements of several types"
               : "; a cast sees what lies there as elements of another size";
  }
  if (from.extents != to.extents) {
    return "; they point to arrays of different sizes";
  }
  return from.is_const && !to.is_const ? "; 'const' would be lost" : "";
}

std::string mixed_reason(const Type& from, const Type& to) {
  if (from.is_vector()) {
    return to.is_vector()
               ? "; convert_" + name_of(Type{to.kind, to.scalar, AddressSpace::Private, false, to.extents, to.components}) + "(…) converts"
           : to.is_scalar() ? "; .x is a component of it"
                            : "";
  }
  if (from.is_pointer() && to.is_scalar()) {
    return "; a pointer is not a number";
  }
  return from.is_scalar() && to.is_pointer() ? "; a number is not a pointer" : "";
}

std::string reason(const Type& from, const Type& to) {
  return from.is_pointer() && to.is_pointer() ? pointer_reason(from, to) : mixed_reason(from, to);
}

/// Whether the integer keeps its value, or, if it is unsigned, its bits.
bool fits(ScalarType from, std::uint64_t bits, ScalarType to) {
  const unsigned width = bits_of(to);
  const std::uint64_t below = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if (!is_signed(from)) {
    return bits <= below;  // as a pattern of bits
  }
  const auto value = static_cast<std::int64_t>(bits);
  if (value < 0) {
    return value >= -static_cast<std::int64_t>(below / 2) - 1;
  }
  return bits <= (is_signed(to) ? below / 2 : below);
}

/// A warning where a constant changes by an implicit conversion more than a pattern of bits would.
void look_at_constant(FunctionContext& context, ExprId value, ScalarType to) {
  const ScalarType from = context.function.at(value).type.scalar;
  if (from == to || to == ScalarType::Bool) {
    return;
  }
  const std::expected<std::uint64_t, NotConstant> number = evaluate(context, value);
  if (!number) {
    return;
  }
  const std::string type = "'" + std::string(info(to).name) + "'";
  const std::optional<std::uint64_t> converted = ops::convert(from, to, *number);
  if (!converted) {
    context.unit.reporter.warning(context.function.at(value).span, ops::text_of(from, *number) + " does not fit " + type);
    return;
  }
  const bool changes = is_float(from) ? ops::convert(to, from, *converted) != number.value() : !fits(from, *number, to);
  if (is_integer(to) && changes) {
    context.unit.reporter.warning(context.function.at(value).span,
                                  ops::text_of(from, *number) + " becomes " + ops::text_of(to, *converted) + " as " + type);
  }
}

}  // namespace

ExprId convert(FunctionContext& context, ExprId value, ScalarType to, bool implicit) {
  const ScalarType from = context.function.at(value).type.scalar;
  const SourceSpan span = context.function.at(value).span;
  if (implicit && from == to) {
    return value;
  }
  if (const auto* literal = std::get_if<Literal>(&context.function.at(value).node); literal != nullptr && implicit) {
    if (const std::optional<std::uint64_t> bits = ops::convert(from, to, literal->bits)) {
      return add_scalar(context, Literal{*bits}, to, span);
    }
  }
  return add_scalar(context, Convert{value, implicit}, to, span);
}

ExprId promote(FunctionContext& context, ExprId value) { return convert(context, value, promoted(context.function.at(value).type.scalar)); }

ExprId decay(FunctionContext& context, ExprId id) {
  const Expr& expr = context.function.at(id);
  if (!expr.type.is_array() || expr.type.is_vector() || expr.type.is_record()) {
    return id;
  }
  const Type pointer = pointer_to(element(expr.type), expr.type.space, expr.type.is_const);
  return add(context, AddressOf{id}, pointer, expr.span);
}

ExprId null_pointer(FunctionContext& context, ExprId constant, const Type& pointer) {
  return add(context, Literal{0}, pointer, context.function.at(constant).span);
}

namespace {

/// Another pointer to the same place, as a cast makes it: nothing where there is none.
std::optional<ExprId> seen_otherwise(FunctionContext& context, ExprId value, const Type& to, SourceSpan span) {
  const Type from = context.function.at(value).type;
  const auto same_place = [&](ExprId pointer, const Type& type) {
    return add(context, PointerAdd{pointer, add_integer(context, 0, ScalarType::Long, span)}, type, span);
  };
  if (pointer_converts(from, to)) {
    return same_place(value, to);
  }
  if (from.is_const && !to.is_const && from.space != AddressSpace::Constant) {  // a cast may break the promise
    Type promise = to;
    promise.is_const = true;
    const std::optional<ExprId> kept = seen_otherwise(context, value, promise, span);
    if (!kept) {
      return std::nullopt;
    }
    context.unit.breaks_const.insert(context.signature == nullptr ? std::string() : context.signature->name);
    Type free = context.function.at(*kept).type;
    free.is_const = false;
    return same_place(*kept, free);
  }
  const bool is_plain = (from.record == nullptr || is_view(from)) && to.record == nullptr;
  const Type seen = flattened(is_view(from) ? seen_as(from) : from);
  if (is_plain && !is_view(from) && pointer_converts(seen, flattened(to))) {  // rows as their elements, and elements as rows
    return same_place(value, to);
  }
  Type same = seen;
  same.scalar = to.scalar;
  const bool as_large = size_of(seen.scalar) == size_of(to.scalar) && seen.scalar != ScalarType::Bool && to.scalar != ScalarType::Bool;
  if (is_plain && as_large && to.extents.empty() && pointer_converts(same, to)) {
    Type memory = flattened(from);
    memory.is_const = to.is_const;
    if (is_view(from)) {
      memory = from;
      memory.is_const = to.is_const;
    }
    const Type view = view_of(context, memory, to.scalar);
    return same_place(value, view);
  }
  const bool is_bool = seen.scalar == ScalarType::Bool || to.scalar == ScalarType::Bool;
  if (is_plain && !is_view(from) && !is_bool && from.space != AddressSpace::Private && pointer_converts(same, flattened(to))) {
    return add(context, Bitcast{value}, to, span);
  }
  return std::nullopt;
}

/// Whether bytes may be seen as elements of these types alike: no structures, no truth values, and none of private memory.
bool may_be_punned(const Type& from, const Type& to) {
  return from.record == nullptr && to.record == nullptr && from.space == to.space && from.space != AddressSpace::Private &&
         from.scalar != ScalarType::Bool && to.scalar != ScalarType::Bool && (!from.is_const || to.is_const);
}

}  // namespace

std::optional<ExprId> without_cast(FunctionContext& context, ExprId value, const Type& to, const std::string& purpose) {
  const Type from = context.function.at(value).type;
  if (!from.is_pointer() || !to.is_pointer() || !may_be_punned(from, to)) {
    return std::nullopt;
  }
  const SourceSpan span = context.function.at(value).span;
  context.unit.reporter.warning(span, both(from, to) + " " + purpose + ": a cast makes a pointer to another type");
  return seen_otherwise(context, value, to, span);
}

std::optional<ExprId> convert_as_if_assigned(FunctionContext& context, ExprId value, const Type& to, const std::string& purpose,
                                             Diagnostics notes) {
  const Type from = context.function.at(value).type;
  if (to.is_vector()) {
    if (const std::optional<ExprId> vector = as_vector(context, value, to)) {
      return vector;
    }
  }
  if (same_record(from, to)) {
    return value;
  }
  if (from.is_scalar() && to.is_scalar()) {
    look_at_constant(context, value, to.scalar);
    return convert(context, value, to.scalar);
  }
  if (from.is_pointer() && to.is_pointer() && pointer_converts(from, to)) {
    return value;
  }
  if (to.is_pointer() && is_null_constant(context, value)) {
    return null_pointer(context, value, to);
  }
  const SourceSpan span = context.function.at(value).span;
  if (is_view(from) && from.space != AddressSpace::Private && to.is_pointer() && pointer_converts(seen_as(from), to)) {
    return add(context, Bitcast{value}, to, span);  // who gets it does not know what lies there
  }
  if (const std::optional<ExprId> pointer = without_cast(context, value, to, purpose)) {
    return context.function.at(*pointer).type == to ? pointer : std::optional(add(context, Bitcast{value}, to, span));
  }
  context.unit.reporter.error(span, "cannot convert " + both(from, to) + " " + purpose + reason(from, to), std::move(notes));
  return std::nullopt;
}

std::optional<ExprId> cast(FunctionContext& context, ExprId value, const Type& to, SourceSpan span) {
  const Type from = context.function.at(value).type;
  if (from.is_scalar() && to.is_scalar()) {
    const ExprId result = convert(context, value, to.scalar, /*implicit=*/false);
    context.function.expressions[result].span = span;
    return result;
  }
  if (from.is_pointer() && to.is_pointer()) {
    if (const std::optional<ExprId> pointer = seen_otherwise(context, value, to, span)) {
      return pointer;
    }
  }
  if (to.is_pointer() && is_null_constant(context, value)) {
    return null_pointer(context, value, to);
  }
  context.unit.reporter.error(span, "cannot cast " + both(from, to) + reason(from, to));
  return std::nullopt;
}

ExprId truth(FunctionContext& context, ExprId value) {
  const ScalarType type = context.function.at(value).type.scalar;
  if (promoted(type) == ScalarType::Int) {
    return promote(context, value);
  }
  const SourceSpan span = context.function.at(value).span;
  const ExprId zero = convert(context, add_integer(context, 0, ScalarType::Int, span), type);
  return add_scalar(context, Operate{Op::Ne, type, {value, zero}}, ScalarType::Int, span);
}

}  // namespace lockstep::core::sema
