#include "semantics/core/sema/printing.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "semantics/base/print_format.hpp"
#include "semantics/core/fold_printf.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;

constexpr const char* left_out = "printf prints where `lockstep run` runs a kernel; here it is left out";

/// A call on its way.
struct PrintCall {
  FunctionContext& context;
  const syntax::Name& name;
  std::span<const ExprId> arguments;
  SourceSpan span;

  Type type(std::size_t i) const { return context.function.at(arguments[i]).type; }
  std::string written(const PrintConversion& conversion) const {
    return "'" + std::string(print_format_of(name.text).substr(conversion.begin, conversion.end - conversion.begin)) + "'";
  }
  /// Where that part of the format stands in the text.
  SourceSpan place(std::size_t begin, std::size_t end) const {
    const std::size_t first = name.span.end - 1 - print_format_of(name.text).size();
    const auto at = [&](std::size_t byte) { return static_cast<std::uint32_t>(first + byte); };
    return is_format_in_place(name.text) ? SourceSpan{at(begin), at(end)} : name.span;
  }
  std::nullopt_t error(SourceSpan where, std::string message) const {
    context.unit.reporter.error(where, std::move(message));
    return std::nullopt;
  }
};

/// How an integer of so many bytes is written.
std::string_view length_for(std::size_t bytes, bool is_vector) {
  if (is_vector) {
    return bytes == 1 ? "hh" : bytes == 2 ? "h" : bytes == 4 ? "hl" : "l";
  }
  return bytes == 8 ? "l" : "";
}

/// What the conversion takes, in words.
std::string wanted_by(const PrintConversion& c) {
  const bool is_vector = c.components != 0;
  std::string numbers;
  if (c.is_float()) {
    numbers = !is_vector ? "a float or double" : c.length == "l" ? "doubles" : "floats";
  } else {
    const std::string size = c.length == "hh" ? "8" : c.length == "h" ? "16" : c.length == "l" ? "64" : "32";
    numbers = is_vector ? "integers of " + size + " bits" : size == "64" ? "a long or ulong" : "an integer of at most 32 bits";
  }
  return is_vector ? "a vector of " + std::to_string(c.components) + " " + numbers : numbers;
}

bool fits(const PrintConversion& c, const Type& type) {
  const bool is_vector = c.components != 0;
  if ((is_vector ? !type.is_vector() || type.components != c.components : !type.is_scalar()) || is_float(type.scalar) != c.is_float()) {
    return false;
  }
  const std::size_t bytes = lockstep::size_of(type.scalar);
  if (c.is_float()) {
    return !is_vector || bytes == (c.length == "l" ? 8 : 4);
  }
  if (is_vector) {
    return bytes == (c.length == "hh" ? 1 : c.length == "h" ? 2 : c.length == "l" ? 8 : 4);
  }
  return c.length == "l" ? bytes == 8 : bytes <= 4;  // smaller ones have become int
}

/// How the argument would be written, as far as that is sure: "; write '%ld' for it".
std::string advice(const PrintConversion& c, const Type& type) {
  if (!type.is_scalar() && !type.is_vector()) {
    return "";
  }
  const std::size_t bytes = lockstep::size_of(type.scalar);
  std::string form = "%" + c.flags + c.width + c.precision;
  form += type.is_vector() ? "v" + std::to_string(type.components) : "";
  if (is_float(type.scalar)) {
    form += type.is_vector() ? bytes == 8 ? "l" : "hl" : "";
    form += c.is_float() ? c.letter : 'f';
  } else {
    form += length_for(bytes, type.is_vector());
    form += c.is_float() || c.letter == 'c' ? is_signed(type.scalar) ? 'd' : 'u' : c.letter;
  }
  return "; write '" + form + "' for it";
}

bool check_arguments(const PrintCall& call, const PrintFormat& format) {
  for (std::size_t i = 0; i < std::min(call.arguments.size(), format.conversions.size()); ++i) {
    const PrintConversion& c = format.conversions[i];
    if (!fits(c, call.type(i))) {
      const SourceSpan where = call.context.function.at(call.arguments[i]).span;
      call.context.unit.reporter.error(
          where, call.written(c) + " needs " + wanted_by(c) + ", but this is '" + name_of(call.type(i)) + "'" + advice(c, call.type(i)),
          {note(call.place(c.begin, c.end), "the format says so here")});
      return false;
    }
  }
  if (call.arguments.size() < format.conversions.size()) {
    const PrintConversion& c = format.conversions[call.arguments.size()];
    call.error(call.place(c.begin, c.end), "there is no argument for " + call.written(c));
    return false;
  }
  if (call.arguments.size() > format.conversions.size()) {
    call.error(call.context.function.at(call.arguments[format.conversions.size()]).span, "the format has no conversion for this argument");
    return false;
  }
  return true;
}

/// The array of the format, whose first word is its number.
ConstantId format_array(const PrintCall& call) {
  std::vector<Constant>& constants = call.context.unit.program.constants;
  const std::string_view written = print_format_of(call.name.text);
  const auto is_one = [](const Constant& constant) { return constant.name.starts_with(print_format_prefix); };
  const auto number = static_cast<std::uint64_t>(std::ranges::count_if(constants, is_one));
  std::vector<std::uint64_t> words = {number};
  for (const char c : written) {
    words.push_back(static_cast<unsigned char>(c));
  }
  Type type{Type::Kind::Array, ScalarType::ULong, AddressSpace::Constant, true, {words.size()}};
  constants.push_back({std::string(print_format_prefix) + std::to_string(number), std::move(type), std::move(words), call.name.span});
  return static_cast<ConstantId>(constants.size() - 1);
}

/// A number as a word of the buffer.
ExprId word_of_argument(FunctionContext& context, ExprId part) {
  const Expr& expr = context.function.at(part);
  const SourceSpan span = expr.span;
  if (!is_float(expr.type.scalar)) {
    return convert(context, part, ScalarType::ULong);
  }
  return add_scalar(context, Bitcast{convert(context, part, ScalarType::Double)}, ScalarType::ULong, span);
}

/// t = atomic_add(buffer, n), then, if that fits, buffer[t + 1 + k] = word k.
ExprId appended(const PrintCall& call, VarId buffer, std::vector<ExprId> words, std::vector<ExprId> before) {
  FunctionContext& context = call.context;
  const SourceSpan span = call.span;
  const auto word = [&](std::uint64_t value) { return add_integer(context, value, ScalarType::ULong, span); };
  const auto element = [&](ExprId index) {
    return add_scalar(context, Subscript{variable(context, buffer, span), index}, ScalarType::ULong, span);
  };
  const ExprId place = element(add_integer(context, 0, ScalarType::Long, span));
  const ExprId ticket =
      keep(context, before, add_scalar(context, Atomic{place, {}, word(words.size()), AtomicOp::Add}, ScalarType::ULong, span));
  const ExprId room =
      add_scalar(context, Operate{Op::Lt, ScalarType::ULong, {ticket, word(print_words - words.size())}}, ScalarType::Int, span);
  std::vector<ExprId> stores;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const ExprId index =
        add_scalar(context, Operate{Op::Add, ScalarType::ULong, {copy(context, ticket), word(k + 1)}}, ScalarType::ULong, span);
    const ExprId to = element(convert(context, index, ScalarType::Long));
    stores.push_back(add_scalar(context, Assign{to, words[k]}, ScalarType::ULong, span));
  }
  const auto zero = [&] { return add_integer(context, 0, ScalarType::Int, span); };
  const ExprId done = behind(context, stores, zero());
  return behind(context, before, add_scalar(context, Conditional{room, done, zero()}, ScalarType::Int, span));
}

/// The arguments for their effects alone.
ExprId without_buffer(const PrintCall& call) {
  FunctionContext& context = call.context;
  const Diagnostics warnings = context.unit.reporter.warnings();
  if (std::ranges::find(warnings, left_out, &Diagnostic::message) == warnings.end()) {
    context.unit.reporter.warning(call.span, left_out);
  }
  std::vector<ExprId> effects;
  for (const ExprId argument : call.arguments) {
    effects.push_back(is_vector(context, argument) ? as_effect(context, argument) : argument);
  }
  return behind(context, effects, add_integer(context, 0, ScalarType::Int, call.span));
}

}  // namespace

bool is_printf(std::string_view name) { return name == "printf" || has_print_format(name); }

Checked printf_call(FunctionContext& context, const syntax::Name& name, std::span<const ExprId> arguments, SourceSpan span) {
  const PrintCall call{context, name, arguments, span};
  if (!has_print_format(name.text)) {
    return call.error(name.span, "'printf' needs its format as a string in the call: printf(\"%d\\n\", x)");
  }
  const auto format = read_print_format(print_format_of(name.text));
  if (!format) {
    return call.error(call.place(format.error().begin, format.error().end), format.error().why);
  }
  if (!check_arguments(call, *format)) {
    return std::nullopt;
  }
  const NamedSymbol* symbol = find(context, std::string(print_buffer_name));
  const auto* buffer = symbol != nullptr ? std::get_if<VariableSymbol>(&symbol->symbol) : nullptr;
  if (buffer == nullptr) {
    return without_buffer(call);
  }
  std::vector<Vector> values;
  for (const ExprId argument : arguments) {
    values.push_back(is_vector(context, argument) ? components_of(context, argument) : scalar_as_operand(context, argument));
    demand_values(context, values.back());
  }
  std::vector<ExprId> before = in_order(context, values);
  const ConstantId id = format_array(call);
  const ExprId array = add(context, GlobalConstant{id}, context.unit.program.constants[id].type, name.span);
  const ExprId first = add_integer(context, 0, ScalarType::Long, span);
  std::vector<ExprId> words = {add_scalar(context, Subscript{array, first}, ScalarType::ULong, name.span),
                               add_scalar(context, Ask{Query::GroupId}, ScalarType::ULong, span)};
  for (const Vector& value : values) {
    for (const ExprId part : value.parts) {
      words.push_back(keep(context, before, word_of_argument(context, part)));
    }
  }
  return appended(call, buffer->id, std::move(words), std::move(before));
}

}  // namespace lockstep::core::sema
