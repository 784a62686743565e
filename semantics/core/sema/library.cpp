#include "semantics/core/sema/library.hpp"

#include <algorithm>
#include <array>

#include "semantics/base/internal_error.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/types.hpp"

namespace lockstep::core::sema {
namespace {

/// Of several rows of one name the first one counts whose domain has the type.
enum class Domain { Floats, Integers, Signed, Unsigned, Narrow, Any };

struct Row {
  std::string_view name;
  Domain domain;
  std::size_t arguments;
  std::size_t deciding;
  std::string_view definition;
};

constexpr auto rows = std::to_array<Row>({
#define LIBRARY(name, domain, arguments, deciding, definition) {name, Domain::domain, arguments, deciding, definition},
#include "semantics/core/sema/library.def"
#undef LIBRARY
});

bool has(Domain domain, ScalarType type) {
  switch (domain) {
    case Domain::Floats:
      return is_float(type);
    case Domain::Integers:
      return is_integer(type);
    case Domain::Signed:
      return is_integer(type) && is_signed(type);
    case Domain::Unsigned:
      return is_integer(type) && !is_signed(type);
    case Domain::Narrow:
      return is_integer(type) && bits_of(type) <= 32;
    case Domain::Any:
      break;
  }
  return true;
}

/// The unsigned integer of the same size.
ScalarType unsigned_of(ScalarType type) {
  switch (lockstep::size_of(type)) {
    case 1:
      return ScalarType::UChar;
    case 2:
      return ScalarType::UShort;
    case 4:
      return ScalarType::UInt;
    default:
      return ScalarType::ULong;
  }
}

const Row* first_row(std::string_view name) {
  const auto* const found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : found;
}

const Row* row_for(std::string_view name, ScalarType type) {
  const auto* const found = std::ranges::find_if(rows, [&](const Row& row) { return row.name == name && has(row.domain, type); });
  return found == rows.end() ? nullptr : found;
}

/// The type that the deciding arguments have in common: their own if it is one, small as it may be, else by the usual conversions.
ScalarType common_type(const FunctionContext& context, const std::vector<ExprId>& arguments, std::size_t deciding) {
  const auto type = [&](std::size_t i) { return context.function.at(arguments[i]).type.scalar; };
  ScalarType common = type(0) == ScalarType::Bool ? ScalarType::Int : type(0);
  for (std::size_t i = 1; i < deciding; ++i) {
    common = type(i) == common ? common : usual_type(common, type(i));
  }
  return common;
}

std::string instance_name(std::string_view name, ScalarType type) { return "__" + std::string(name) + "_" + std::string(info(type).name); }

/// What a call gives: an int if the definition says so, else T or the unsigned type of its size.
ScalarType result_of(const Row& row, ScalarType type) {
  if (row.definition.starts_with("int ")) {
    return ScalarType::Int;
  }
  return row.definition.starts_with("U ") ? unsigned_of(type) : type;
}

}  // namespace

bool is_in_library(std::string_view name) { return first_row(name) != nullptr; }

std::optional<ExprId> library_call(FunctionContext& context, std::string_view name, std::vector<ExprId> arguments, SourceSpan span) {
  const Row& first = *first_row(name);
  const auto refuse = [&](SourceSpan where, const std::string& why) {
    context.unit.reporter.error(where, quoted(first.name) + why);
    return std::nullopt;
  };
  if (arguments.size() != first.arguments) {
    return refuse(span, " takes " + counted(first.arguments, "argument") + ", but " + std::to_string(arguments.size()) +
                            (arguments.size() == 1 ? " is" : " are") + " given");
  }
  for (const ExprId id : arguments) {
    const Expr& argument = context.function.at(id);
    if (!argument.type.is_scalar()) {
      return refuse(argument.span, " needs a number, but this is '" + name_of(argument.type) + "'");
    }
  }
  const ScalarType type = common_type(context, arguments, first.deciding);
  const Row* row = row_for(first.name, type);
  if (row == nullptr) {
    return refuse(context.function.at(arguments.front()).span, std::string(" needs ") +
                                                                   (first.domain == Domain::Floats ? "'float' or 'double'" : "an integer") +
                                                                   ", but this is '" + std::string(info(type).name) + "'");
  }
  return library_call_for(context, first.name, type, std::move(arguments), span);
}

std::optional<ExprId> library_call_for(FunctionContext& context, std::string_view name, ScalarType type, std::vector<ExprId> arguments,
                                       SourceSpan span) {
  const std::string instance = instance_name(name, type);
  const auto known = context.unit.functions.find(instance);
  if (known == context.unit.functions.end()) {
    context.unit.wanted.push_back({std::string(name), type, span});
    return add_scalar(context, Call{}, result_of(*row_for(name, type), type), span);  // of whatever: a call is no constant
  }
  return call_of(context, known->second, std::move(arguments), span);
}

std::expected<syntax::TranslationUnit, Diagnostics> definition_of(const WantedFunction& wanted) {
  const Row* row = row_for(wanted.name, wanted.type);
  if (row == nullptr) {
    throw InternalError("there is no function " + wanted.name + " of that type");
  }
  const ScalarType type = wanted.type;
  const auto bits = static_cast<unsigned>(8 * lockstep::size_of(type));
  const std::string u(info(unsigned_of(type)).name);
  const bool is_double = type == ScalarType::Double;
  Options options;
  options.defines = {{"NAME", instance_name(wanted.name, type)},
                     {"T", std::string(info(type).name)},
                     {"U", u},
                     {"I", is_double ? "long" : "int"},
                     {"BITS", std::to_string(bits)},
                     {"MAX", is_float(type)    ? "0"
                             : is_signed(type) ? "((T)((U)~(U)0 >> 1))"
                                               : "((T)~(T)0)"},
                     {"MIN", is_signed(type) && !is_float(type) ? "((T)((U)1 << (BITS - 1)))" : "((T)0)"},
                     {"WIDE", is_signed(type) ? "long" : "ulong"},
                     {"LIMIT", is_double ? "4503599627370496.0" : "8388608.0f"},
                     {"SMALLEST", is_double ? "DBL_MIN" : "FLT_MIN"},
                     {"LARGEST", is_double ? "DBL_MAX" : "FLT_MAX"},
                     {"ITEMS", "(get_local_size(0) * get_local_size(1) * get_local_size(2))"},
                     {"SIGN", "((U)1 << (BITS - 1))"},
                     {"FRACTION", is_double ? "52" : "23"},
                     {"BIAS", is_double ? "1023" : "127"},
                     {"AS_T", "as_" + std::string(info(type).name)},
                     {"AS_U", "as_" + u}};
  return parse_at(SourceFile("library", std::string(row->definition)), options, wanted.span);
}

}  // namespace lockstep::core::sema
