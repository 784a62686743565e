#include "semantics/core/sema/async_copies.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/library.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

constexpr std::string_view plain = "async_work_group_copy";
constexpr std::string_view strided = "async_work_group_strided_copy";

bool is_number(const Type& type) { return type.is_scalar() && is_integer(type.scalar); }

}  // namespace

bool is_async_copy(std::string_view name) { return name == plain || name == strided; }

std::optional<ExprId> async_copy(FunctionContext& context, const syntax::Name& name, std::span<const ExprId> arguments, SourceSpan span) {
  const auto refuse = [&](SourceSpan where, const std::string& why) {
    context.unit.reporter.error(where, quoted(name.text) + why);
    return std::nullopt;
  };
  const bool has_stride = name.text == strided;
  if (arguments.size() != (has_stride ? 5U : 4U)) {
    return refuse(span, std::string(" takes where to, from where, how many") + (has_stride ? ", the stride" : "") + " and an event");
  }
  const Type to = context.function.at(arguments[0]).type;
  const Type from = context.function.at(arguments[1]).type;
  const bool is_in = to.is_pointer() && to.space == AddressSpace::Local;
  const bool spaces_fit =
      from.is_pointer() && to.is_pointer() &&
      (is_in ? from.space == AddressSpace::Global : to.space == AddressSpace::Global && from.space == AddressSpace::Local);
  Type same = from;
  same.space = to.space;
  same.is_const = to.is_const;
  if (!spaces_fit || to.record != nullptr || same != to || to.is_const) {
    return refuse(span, " copies elements of one type between __local and __global memory, but these are '" + name_of(to) + "' and '" +
                            name_of(from) + "'");
  }
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    if (!is_number(context.function.at(arguments[i]).type)) {
      return refuse(context.function.at(arguments[i]).span,
                    " needs a number here, not '" + name_of(context.function.at(arguments[i]).type) + "'");
    }
  }
  if (to.components == 3 || (to.components != 0 && has_stride)) {  // nobody gives the fourth place of three a value
    return refuse(span, std::string(" of vectors") + (has_stride ? "" : " of three components") + " is not there; copy them in a loop");
  }
  const ExprId one = add_integer(context, 1, ScalarType::ULong, span);
  ExprId count = convert(context, arguments[2], ScalarType::ULong);
  if (!to.extents.empty()) {
    const auto in_ulongs = [&](Op op, std::uint64_t number) {
      const ExprId right = add_integer(context, number, ScalarType::ULong, span);
      count = add_scalar(context, Operate{op, ScalarType::ULong, {count, right}}, ScalarType::ULong, span);
    };
    const std::uint64_t components = product(to.extents);
    in_ulongs(Op::Min, ~std::uint64_t{0} / components);  // too many are no few
    in_ulongs(Op::Mul, components);
  }
  return library_call_for(context, is_in ? "__copy_in" : "__copy_out", to.scalar,
                          {pointer_to_components(context, arguments[0]), pointer_to_components(context, arguments[1]), count,
                           has_stride ? arguments[3] : one, arguments.back()},
                          span);
}

}  // namespace lockstep::core::sema
