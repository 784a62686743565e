#include "semantics/core/sema/library.hpp"

#include <algorithm>
#include <array>

#include "semantics/base/internal_error.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/library_rows.hpp"
#include "semantics/core/sema/types.hpp"

namespace lockstep::core::sema {
namespace {

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

/// Of these the fast forms are the functions themselves, whose results no target can make less exact.
std::string_view exact_name(std::string_view name) {
  constexpr std::array inexact = {"cos", "exp", "exp2", "exp10", "log", "log2", "log10", "powr", "sin", "tan"};
  for (const std::string_view prefix : {"native_", "half_"}) {
    if (name.starts_with(prefix) && std::ranges::find(inexact, name.substr(prefix.size())) != inexact.end()) {
      return name.substr(prefix.size());
    }
  }
  return name;
}

const LibraryRow* first_row(std::string_view name) {
  const auto rows = library_rows();
  const auto found = std::ranges::find(rows, exact_name(name), &LibraryRow::name);
  return found == rows.end() ? nullptr : &*found;
}

const LibraryRow* row_for(std::string_view name, ScalarType type) {
  const auto rows = library_rows();
  const auto found = std::ranges::find_if(rows, [&](const LibraryRow& row) { return row.name == name && has(row.domain, type); });
  return found == rows.end() ? nullptr : &*found;
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

std::string_view name_of_space(AddressSpace space) {
  return space == AddressSpace::Global ? "global" : space == AddressSpace::Local ? "local" : "private";
}

bool is_pointer(std::string_view parameter) { return parameter.contains('*'); }

/// The name in a program of a row for one type and, where it has a pointer, one address space.
std::string instance_name(const LibraryRow& row, ScalarType type, AddressSpace space) {
  std::string name = "__" + std::string(row.name) + "_" + std::string(info(type).name);
  if (std::ranges::any_of(row.parameters, is_pointer)) {
    name += "_" + std::string(name_of_space(space));
  }
  return name;
}

ScalarType result_of(const LibraryRow& row, ScalarType type) {
  if (row.result == "T" || row.result == "U") {
    return row.result == "T" ? type : unsigned_of(type);
  }
  return std::ranges::find(scalar_table, row.result, &ScalarInfo::name)->type;
}

std::string_view wanted_by(Domain domain) {
  switch (domain) {
    case Domain::Floats:
      return "'float' or 'double'";
    case Domain::UInt:
    case Domain::ULong:
      return "'uint' or 'ulong'";
    default:
      return "an integer";
  }
}

/// Whether the argument for the parameter is a number, or where it is a pointer one to what the function writes; says so if not.
bool fits(FunctionContext& context, std::string_view name, std::string_view parameter, ExprId argument, ScalarType type) {
  const Expr& given = context.function.at(argument);
  std::string need = "a number";
  bool is_fine = given.type.is_scalar();
  if (is_pointer(parameter)) {
    const ScalarType to = parameter.contains("int *") ? ScalarType::Int : type;
    need = "a pointer to '" + std::string(info(to).name) + "' in __global, __local or private memory";
    is_fine = given.type.is_pointer() && given.type.extents.empty() && given.type.scalar == to && !given.type.is_const &&
              given.type.space != AddressSpace::Constant;
  }
  if (!is_fine) {
    context.unit.reporter.error(given.span, quoted(name) + " needs " + need + ", but this is '" + name_of(given.type) + "'");
  }
  return is_fine;
}

}  // namespace

bool is_in_library(std::string_view name) { return first_row(name) != nullptr; }

Parameter parameter_of(std::string_view name, std::size_t number) {
  const LibraryRow* row = first_row(name);
  if (row == nullptr || number < row->deciding || number >= row->parameters.size()) {
    return Parameter::OfType;
  }
  return is_pointer(row->parameters[number]) ? Parameter::Pointer : Parameter::Other;
}

std::optional<ExprId> library_call(FunctionContext& context, std::string_view name, std::vector<ExprId> arguments, SourceSpan span) {
  const LibraryRow& first = *first_row(name);
  if (arguments.size() != first.parameters.size()) {
    context.unit.reporter.error(span, quoted(name) + " takes " + counted(first.parameters.size(), "argument") + ", but " +
                                          std::to_string(arguments.size()) + (arguments.size() == 1 ? " is" : " are") + " given");
    return std::nullopt;
  }
  const auto each_fits = [&](std::size_t begin, std::size_t end, ScalarType type) {
    bool is_fine = true;
    for (std::size_t i = begin; is_fine && i < end; ++i) {
      is_fine = fits(context, name, first.parameters[i], arguments[i], type);
    }
    return is_fine;
  };
  if (!each_fits(0, first.deciding, ScalarType::Int)) {
    return std::nullopt;
  }
  const ScalarType type = common_type(context, arguments, first.deciding);
  if (row_for(first.name, type) == nullptr) {
    context.unit.reporter.error(
        context.function.at(arguments.front()).span,
        quoted(name) + " needs " + std::string(wanted_by(first.domain)) + ", but this is '" + std::string(info(type).name) + "'");
    return std::nullopt;
  }
  return each_fits(first.deciding, arguments.size(), type) ? library_call_for(context, first.name, type, std::move(arguments), span)
                                                           : std::nullopt;
}

std::optional<ExprId> library_call_for(FunctionContext& context, std::string_view name, ScalarType type, std::vector<ExprId> arguments,
                                       SourceSpan span) {
  const LibraryRow& row = *row_for(name, type);
  const auto pointer = std::ranges::find_if(arguments, [&](ExprId id) { return context.function.at(id).type.is_pointer(); });
  const AddressSpace space = pointer == arguments.end() ? AddressSpace::Private : context.function.at(*pointer).type.space;
  const auto known = context.unit.functions.find(instance_name(row, type, space));
  if (known == context.unit.functions.end()) {
    context.unit.wanted.push_back({std::string(name), type, space, span});
    return add_scalar(context, Call{}, result_of(row, type), span);  // of whatever: a call is no constant
  }
  return call_of(context, known->second, std::move(arguments), span);
}

std::expected<syntax::TranslationUnit, Diagnostics> definition_of(const WantedFunction& wanted, bool scattered_copies) {
  const LibraryRow* row = row_for(wanted.name, wanted.type);
  if (row == nullptr) {
    throw InternalError("there is no function " + wanted.name + " of that type");
  }
  const ScalarType type = wanted.type;
  const auto bits = static_cast<unsigned>(8 * lockstep::size_of(type));
  const std::string u(info(unsigned_of(type)).name);
  const bool is_double = type == ScalarType::Double;
  const std::string instance = instance_name(*row, type, wanted.space);
  Options options;
  options.defines = {{"TABLE", instance + "_table"},
                     {"SPACE", "__" + std::string(name_of_space(wanted.space))},
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
                     {"COPIER", scattered_copies ? "((get_local_linear_id() + 1) % ITEMS)" : "get_local_linear_id()"},
                     {"SIGN", "((U)1 << (BITS - 1))"},
                     {"FRACTION", is_double ? "52" : "23"},
                     {"BIAS", is_double ? "1023" : "127"},
                     {"AS_T", "as_" + std::string(info(type).name)},
                     {"AS_U", "as_" + u}};
  const auto at = static_cast<std::size_t>(row->name.data() - row->text.data());
  std::string text(row->prelude);
  text += row->text.substr(0, at);
  text += instance;
  text += row->text.substr(at + row->name.size());
  return parse_at(SourceFile("library", std::move(text)), options, wanted.span);
}

}  // namespace lockstep::core::sema
