// Calls of functions and crev calls. Which arguments are uniform is looked at when the function's whole body is known (uniformity.hpp).

#include <algorithm>
#include <iterator>

#include "semantics/core/sema/absent.hpp"
#include "semantics/core/sema/async_copies.hpp"
#include "semantics/core/sema/atomics.hpp"
#include "semantics/core/sema/builtins.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/dimensions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/half.hpp"
#include "semantics/core/sema/library.hpp"
#include "semantics/core/sema/printing.hpp"
#include "semantics/core/sema/reinterpretation.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"
#include "semantics/core/sema/widths.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;

Diagnostic declared_here(const Signature& signature) { return note(signature.span, quoted(signature.name) + " is declared here"); }

/// What to write for a name that no function has: "; and so on", or nothing. C's name for a float's function ends with an f.
std::string instead(const Unit& unit, const std::string& name) {
  if (const std::string_view found = instead_of(name); !found.empty()) {
    return "; " + std::string(found);
  }
  const std::string stem = name.substr(0, name.size() - 1);
  return name.ends_with('f') && (is_builtin(stem) || is_in_library(stem)) ? "; write " + stem + "(x), which keeps the type"
                                                                          : function_suggestion(unit, name);
}

/// A name that no function has: says what it may be instead.
void report_no_function(FunctionContext& context, const syntax::Name& name) {
  Unit& unit = context.unit;
  const NamedSymbol* symbol = find(context, name.text);
  if (symbol != nullptr && std::holds_alternative<Undeclared>(symbol->symbol)) {
    return;
  }
  if (symbol != nullptr) {
    unit.reporter.error(name.span, quoted(name.text) + " is a variable here and cannot be called",
                        {note(symbol->span, "it is declared here")});
    return;
  }
  if (const auto later = unit.declarations.find(name.text); later != unit.declarations.end()) {
    unit.reporter.error(name.span, quoted(name.text) + " is called before its declaration",
                        {note(later->second, "it is declared here; a prototype above the call helps")});
    return;
  }
  unit.reporter.error(name.span, "there is no function " + quoted(name.text) + instead(unit, name.text));
  Scope& outermost = context.scopes.empty() ? unit.constants : context.scopes.front();
  outermost.try_emplace(name.text, NamedSymbol{Undeclared{}, name.span});
}

/// The function that is called; null where an error was reported.
const Signature* callee(FunctionContext& context, const syntax::Name& name) {
  const auto found = context.unit.functions.find(name.text);
  if (found == context.unit.functions.end() || find(context, name.text) != nullptr) {
    report_no_function(context, name);
    return nullptr;
  }
  const Signature& signature = found->second;
  if (signature.is_broken) {
    return nullptr;
  }
  if (signature.is_kernel) {
    context.unit.reporter.error(name.span, quoted(name.text) + " is a kernel; kernels are launched, not called",
                                {declared_here(signature)});
    return nullptr;
  }
  if (!signature.definition) {
    context.unit.reporter.error(name.span, quoted(name.text) + " is declared but never defined", {declared_here(signature)});
    return nullptr;
  }
  return &signature;
}

/// The arguments, converted to the parameters' types.
std::optional<std::vector<ExprId>> convert_arguments(FunctionContext& context, const Signature& signature, std::vector<ExprId> arguments,
                                                     SourceSpan span) {
  const std::size_t written = signature.parameters.size() - (signature.is_dimensional ? 2 : 0);
  if (arguments.size() != written) {
    context.unit.reporter.error(span,
                                quoted(signature.name) + " takes " + counted(written, "argument") + ", but " +
                                    std::to_string(arguments.size()) + (arguments.size() == 1 ? " is" : " are") + " given",
                                {declared_here(signature)});
    return std::nullopt;
  }
  bool is_fine = true;
  std::vector<ExprId> passed;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Variable& parameter = signature.parameters[i];
    const std::string purpose = parameter.name.empty() ? "in argument " + std::to_string(i + 1) + " of " + quoted(signature.name)
                                                       : "for the parameter " + quoted(parameter.name) + " of " + quoted(signature.name);
    const Checked converted =
        convert_as_if_assigned(context, arguments[i], parameter.type, purpose, {note(parameter.span, "the parameter is declared here")});
    is_fine = is_fine && converted;
    if (converted && parameter.type.is_vector()) {
      std::ranges::copy(listed(context, *converted), std::back_inserter(passed));
    } else {
      passed.push_back(converted.value_or(arguments[i]));
    }
  }
  if (signature.is_dimensional) {
    std::ranges::copy(group_arguments(context, span), std::back_inserter(passed));
  }
  return is_fine ? std::optional(std::move(passed)) : std::nullopt;
}

std::optional<Call> parts_of(FunctionContext& context, const Signature& signature, std::vector<ExprId> given, SourceSpan span) {
  if (context.signature != nullptr) {
    context.unit.asking[context.signature->name].calls.push_back(signature.name);
  }
  std::optional<std::vector<ExprId>> arguments = convert_arguments(context, signature, std::move(given), span);
  return arguments ? std::optional(Call{signature.definition.value(), std::move(*arguments)}) : std::nullopt;
}

/// The function and its arguments.
std::optional<Call> check_parts(FunctionContext& context, const syntax::Call& call, SourceSpan span) {
  const Signature* signature = callee(context, call.function);
  std::optional<std::vector<ExprId>> arguments = check_arguments(context, call);
  if (signature == nullptr || !signature->definition || !arguments) {
    return std::nullopt;
  }
  return parts_of(context, *signature, std::move(*arguments), span);
}

/// Whether the name means a function of the library, or of vectors: the text has none of its own, and no variable. What the library's
/// functions are made of begins with `__` and is theirs alone.
bool means_given(const FunctionContext& context, const std::string& name) {
  const bool is_part = name.starts_with("__") && !context.unit.in_library;
  return ((is_in_library(name) && !is_part) || is_vector_name(name) || is_reinterpretation(name) || is_async_copy(name) ||
          is_atomic(name) || is_half_access(name) || is_of_widths(name) || is_printf(name)) &&
         (context.unit.in_library || (find(context, name) == nullptr && !context.unit.declarations.contains(name)));
}

/// A call of a builtin, or of a function of the library or of vectors.
Checked given_call(FunctionContext& context, const syntax::Call& call, SourceSpan span) {
  std::optional<std::vector<ExprId>> arguments = check_arguments(context, call);
  if (!arguments) {
    return std::nullopt;
  }
  const std::string& name = call.function.text;
  if (is_async_copy(name)) {
    return async_copy(context, call.function, *arguments, span);
  }
  if (is_atomic(name)) {
    return atomic_call(context, call.function, std::move(*arguments), span);
  }
  if (is_half_access(name)) {
    return half_access(context, call.function, *arguments, span);
  }
  if (is_printf(name)) {
    return printf_call(context, call.function, *arguments, span);
  }
  if (is_of_widths(name)) {
    return widths_call(context, call.function, *arguments, span);
  }
  if (is_reinterpretation(name)) {
    return reinterpreted(context, call.function, *arguments, span);
  }
  if (is_vector_name(name) || std::ranges::any_of(*arguments, [&](ExprId argument) { return is_vector(context, argument); })) {
    return vector_call(context, call.function, *arguments, span);
  }
  return is_builtin(name) ? builtin_call(context, name, std::move(*arguments), span)
                          : library_call(context, name, std::move(*arguments), span);
}

/// What the call gives: a vector goes into an array, to which the function gets a pointer as its last argument.
ExprId value_of(FunctionContext& context, Call call, const Type& result, SourceSpan span) {
  if (!result.is_vector()) {
    return add(context, std::move(call), result, span);
  }
  const ExprId array = variable(context, add_temporary(context, result, span), span);
  call.arguments.push_back(add(context, AddressOf{array}, pointer_to(result, AddressSpace::Private, false), span));
  Vector value = components_of(context, array);
  value.is_place = false;
  value.before = {add(context, std::move(call), Type{}, span)};
  return vector_of(context, std::move(value), result.scalar, span);
}

/// What a function must be like to be called by crev (seed 004, section 3.4: r-functions). True if it is.
bool check_crev_target(FunctionContext& context, const Signature& signature, SourceSpan span) {
  const std::string crev = "'crev " + shortened(signature.name) + "'";
  bool is_fine = true;
  if (!signature.result.is_void()) {
    context.unit.reporter.error(span,
                                crev + " needs a function that returns void, but this one returns '" + name_of(signature.result) + "'",
                                {declared_here(signature)});
    is_fine = false;
  }
  for (const Variable& parameter : signature.parameters) {
    if (!parameter.type.is_pointer() && !parameter.is_uniform) {
      context.unit.reporter.error(span, crev + " needs uniform parameters, but " + quoted(parameter.name) + " is not declared uniform",
                                  {note(parameter.span, "write 'uniform " + name_of(parameter.type) + " " + parameter.name + "'")});
      is_fine = false;
    }
    if (parameter.type.is_pointer() && parameter.type.space == AddressSpace::Private) {
      context.unit.reporter.error(
          span, crev + " cannot pass private memory, but the parameter " + quoted(parameter.name) + " is '" + name_of(parameter.type) + "'",
          {note(parameter.span, "private arrays belong to one work item, and all of them run the call")});
      is_fine = false;
    }
  }
  return is_fine;
}

}  // namespace

std::optional<std::vector<ExprId>> check_arguments(FunctionContext& context, const syntax::Call& call) {
  std::vector<ExprId> arguments;
  for (const syntax::ExprPtr& argument : call.arguments) {
    if (const Checked value = check_value(context, *argument)) {
      arguments.push_back(*value);
    }
  }
  return arguments.size() == call.arguments.size() ? std::optional(std::move(arguments)) : std::nullopt;
}

Checked check_call(FunctionContext& context, const syntax::Call& call, SourceSpan span) {
  if (call.is_crev) {
    context.unit.reporter.error(span, "a crev call is a statement of its own, not part of an expression");
    return std::nullopt;
  }
  if (is_builtin(call.function.text) && find(context, call.function.text) == nullptr) {
    if (is_barrier(call.function.text)) {
      context.unit.reporter.error(span, "a barrier is a statement of its own, not part of an expression");
      return std::nullopt;
    }
    return given_call(context, call, span);
  }
  if (means_given(context, call.function.text)) {
    return given_call(context, call, span);
  }
  std::optional<Call> parts = check_parts(context, call, span);
  if (!parts) {
    return std::nullopt;
  }
  return value_of(context, std::move(*parts), context.unit.functions.at(call.function.text).result, span);
}

Checked call_of(FunctionContext& context, const Signature& function, std::vector<ExprId> arguments, SourceSpan span) {
  std::optional<Call> parts = parts_of(context, function, std::move(arguments), span);
  return parts ? Checked(value_of(context, std::move(*parts), function.result, span)) : std::nullopt;
}

std::optional<CrevCall> check_crev_call(FunctionContext& context, const syntax::Call& call, SourceSpan span) {
  if (is_builtin(call.function.text)) {
    context.unit.reporter.error(call.function.span, quoted(call.function.text) + " is built in; crev calls functions of the program");
    return std::nullopt;
  }
  std::optional<Call> parts = check_parts(context, call, span);
  if (!parts || !check_crev_target(context, context.unit.functions.at(call.function.text), call.function.span)) {
    return std::nullopt;
  }
  context.unit.program.functions[parts->function].is_crev_target = true;
  return CrevCall{parts->function, std::move(parts->arguments)};
}

}  // namespace lockstep::core::sema
