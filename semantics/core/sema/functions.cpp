#include "semantics/core/sema/functions.hpp"

#include <algorithm>
#include <iterator>

#include "semantics/core/control.hpp"
#include "semantics/core/record.hpp"
#include "semantics/core/sema/builtins.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/declarations.hpp"
#include "semantics/core/sema/dimensions.hpp"
#include "semantics/core/sema/statements.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

/// The head as its declaration says it. Errors make it broken.
Signature read_signature(Unit& unit, const syntax::Function& function) {
  Function nowhere;
  FunctionContext context{.unit = unit, .function = nowhere};
  Signature signature;
  signature.name = function.name.text;
  signature.is_kernel = function.specifiers.is_kernel;
  signature.span = function.name.span;
  const auto definition = unit.definitions.find(signature.name);
  signature.definition = definition != unit.definitions.end() ? std::optional(definition->second) : std::nullopt;
  const std::optional<Type> result = resolve_result(context, function);
  signature.is_broken = !result;
  signature.result = result.value_or(Type{});
  if (result && signature.is_kernel && !result->is_void()) {
    unit.reporter.error(function.specifiers.type_span,
                        "a kernel returns void, but " + quoted(signature.name) + " returns '" + name_of(*result) + "'");
    signature.is_broken = true;
  }
  if (function.specifiers.uniformity != syntax::Uniformity::Unspecified) {
    unit.reporter.error(function.specifiers.span, "'uniform' and 'varying' stand only in front of parameters");
    signature.is_broken = true;
  }
  for (const syntax::Parameter& parameter : function.parameters) {
    std::optional<Variable> variable = resolve_parameter(context, parameter, signature.is_kernel);
    signature.is_broken = signature.is_broken || !variable;
    if (variable) {
      signature.parameters.push_back(std::move(*variable));
    }
  }
  if (unit.dimensional.contains(signature.name)) {
    signature.is_dimensional = true;
    std::ranges::move(group_parameters(function), std::back_inserter(signature.parameters));
  }
  return signature;
}

/// What differs between two declarations of a function; empty if they agree.
std::string difference(const Signature& first, const Signature& second) {
  if (first.is_kernel != second.is_kernel) {
    return "only one of them is marked __kernel";
  }
  if (first.result != second.result) {
    return "the results are '" + name_of(first.result) + "' and '" + name_of(second.result) + "'";
  }
  if (first.parameters.size() != second.parameters.size()) {
    return counted(first.parameters.size(), "parameter") + " and " + std::to_string(second.parameters.size());
  }
  for (std::size_t i = 0; i < first.parameters.size(); ++i) {
    const Variable& left = first.parameters[i];
    const Variable& right = second.parameters[i];
    if (left.type != right.type) {
      return "parameter " + std::to_string(i + 1) + " is '" + name_of(left.type) + "' and '" + name_of(right.type) + "'";
    }
    if (left.is_uniform != right.is_uniform) {
      return "parameter " + std::to_string(i + 1) + " is uniform in only one of them";
    }
  }
  return "";
}

/// Adds the declaration to what is known, and compares it with earlier ones. Null where an error was reported.
Signature* declare_function(Unit& unit, const syntax::Function& function) {
  Signature signature = read_signature(unit, function);
  const std::string name = quoted(signature.name);
  if (is_builtin(signature.name)) {
    unit.reporter.error(function.name.span, name + " is built in and cannot be declared again");
    return nullptr;
  }
  if (const auto constant = unit.constants.find(signature.name); constant != unit.constants.end()) {
    unit.reporter.error(function.name.span, name + " is a __constant object", {note(constant->second.span, "it is declared here")});
    return nullptr;
  }
  const auto [entry, added] = unit.functions.try_emplace(signature.name, signature);
  Signature& known = entry->second;
  if (!added && !known.is_broken && !signature.is_broken) {
    const std::string differs = difference(known, signature);
    if (!differs.empty()) {
      unit.reporter.error(function.name.span, name + " is declared in two ways: " + differs,
                          {note(known.span, "the first declaration is here")});
      known.is_broken = true;
      return nullptr;
    }
    known.parameters = std::move(signature.parameters);  // the names of the latest declaration
  }
  known.is_broken = known.is_broken || signature.is_broken;
  if (function.body && known.is_defined) {
    unit.reporter.error(function.name.span, name + " is defined twice", {note(known.span, "the first declaration is here")});
    return nullptr;
  }
  return &known;
}

bool is_local_parameter(const FunctionContext& context, const Variable& parameter) {
  return context.signature->is_kernel && parameter.type.is_pointer() && parameter.type.space == AddressSpace::Local;
}

/// The kernel's array that a __local parameter points to, and the variable that does, which the text may change.
void add_local_parameter(FunctionContext& context, const Variable& parameter, std::size_t position, const syntax::Name& name) {
  const bool is_record = parameter.type.record != nullptr;
  const std::uint64_t bytes = is_record ? parameter.type.record->size : lockstep::size_of(parameter.type.scalar);
  const std::uint64_t most = max_object_bytes / bytes;
  std::optional<std::uint64_t> length;
  for (const auto& [named, elements] : context.unit.program.options.local_lengths) {
    length = named == parameter.name ? std::optional(elements) : length;
  }
  if (length && (*length == 0 || *length > most)) {
    context.unit.reporter.error(parameter.span, quoted(parameter.name) + " points to " + counted(*length, "element") +
                                                    ", but a __local array has 1 to " + std::to_string(most) + " of them");
    declare(context, name, Broken{});
    return;
  }
  Type array{Type::Kind::Array, parameter.type.scalar, AddressSpace::Local, parameter.type.is_const, {length.value_or(most)}};
  if (is_record) {
    array = parameter.type;
    array.kind = Type::Kind::Array;
    array.extents.insert(array.extents.begin(), length.value_or(most));
  }
  const std::optional<std::uint64_t> elements = length && is_record ? *length * bytes : length;
  context.function.local_parameters.push_back({parameter.name, parameter.type.scalar, position, bytes, elements});
  const VarId memory = add_variable(context, {.name = parameter.name, .type = array, .space = AddressSpace::Local, .span = parameter.span});
  Variable pointer = parameter;
  pointer.is_uniform = false;
  pointer.is_restrict = false;
  const VarId variable = add_variable(context, std::move(pointer));
  declare(context, name, VariableSymbol{variable});
  const ExprId place = add(context, Var{memory}, array, parameter.span);
  context.function.body.push_back({Declare{memory, {}}, parameter.span});
  context.function.body.push_back({Declare{variable, {decay(context, place)}}, parameter.span});
}

/// The components of a vector are parameters; the vector is a variable that gets them first of all.
void add_vector(FunctionContext& context, const Variable& parameter, VarId first, const syntax::Name& name) {
  Variable vector = parameter;
  vector.is_uniform = false;
  vector.is_const = false;
  vector.type.is_const = parameter.is_const;
  const VarId id = add_variable(context, std::move(vector));
  declare(context, name, VariableSymbol{id});
  std::vector<ExprId> values;
  for (VarId k = 0; k < parameter.type.components; ++k) {
    values.push_back(variable(context, first + k, parameter.span));
  }
  values.resize(parameter.type.extents.front(), add_scalar(context, Literal{}, parameter.type.scalar, parameter.span));
  context.function.body.push_back({Declare{id, std::move(values)}, parameter.span});
}

/// The name of a vector's component as a parameter: "a_x", with more '_' in front where another parameter has it.
std::string component_parameter(const syntax::Function& function, const std::string& vector, const std::string& component) {
  std::string name = vector + "_" + component;
  while (std::ranges::any_of(function.parameters, [&](const syntax::Parameter& p) { return p.declarator.name.text == name; })) {
    name += '_';
  }
  return name;
}

/// Of a parameter whose variables come next.
void note_written(FunctionContext& context, const Variable& parameter) {
  if (!context.signature->is_kernel) {
    return;
  }
  const Type& type = parameter.type;
  std::vector<std::uint64_t> offsets = {0};
  for (std::uint64_t k = 1; type.is_vector() && k < type.components; ++k) {
    offsets.push_back(k * lockstep::size_of(type.scalar));
  }
  const auto first = static_cast<VarId>(context.function.variables.size());
  context.function.written_parameters.push_back({parameter.name, first, std::move(offsets), size_of(type)});
}

void add_parameters(FunctionContext& context, const syntax::Function& function) {
  std::vector<std::size_t> local;
  std::vector<std::pair<std::size_t, VarId>> vectors;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const syntax::Name& name = function.parameters[i].declarator.name;
    if (name.text.empty()) {
      context.unit.reporter.error(function.parameters[i].span, "a parameter of a function with a body needs a name");
    } else if (context.signature->is_broken) {
      declare(context, name, Broken{});
    } else if (is_local_parameter(context, context.signature->parameters[i])) {
      local.push_back(i);
    } else if (const Variable& parameter = context.signature->parameters[i]; parameter.type.is_vector()) {
      vectors.emplace_back(i, static_cast<VarId>(context.function.variables.size()));
      note_written(context, parameter);
      for (std::size_t k = 0; k < parameter.type.components; ++k) {
        add_variable(context, {.name = component_parameter(function, name.text, component_name(parameter.type.components, k)),
                               .type = Type::scalar_of(parameter.type.scalar),
                               .is_uniform = parameter.is_uniform,
                               .span = parameter.span});
      }
    } else {
      note_written(context, parameter);
      declare(context, name, VariableSymbol{add_variable(context, parameter)});
    }
  }
  if (context.signature->is_dimensional && !context.signature->is_broken) {
    context.function.group_parameters = static_cast<VarId>(context.function.variables.size());
    for (std::size_t i = function.parameters.size(); i < context.signature->parameters.size(); ++i) {
      add_variable(context, context.signature->parameters[i]);
    }
  }
  if (context.signature->result.is_vector()) {
    const Type pointer = pointer_to(context.signature->result, AddressSpace::Private, false);
    context.result = add_variable(context, {.name = "result", .type = pointer, .span = function.name.span});
  }
  context.function.parameter_count = context.function.variables.size();
  for (const auto& [position, first] : vectors) {
    add_vector(context, context.signature->parameters[position], first, function.parameters[position].declarator.name);
  }
  for (const std::size_t i : local) {
    add_local_parameter(context, context.signature->parameters[i], i, function.parameters[i].declarator.name);
  }
}

void warn_about_missing_return(FunctionContext& context, const syntax::Function& function) {
  const Type& result = context.signature->result;
  if (!result.is_void() && analyse_control(context.function).falls) {
    context.unit.reporter.warning(
        function.name.span, "control can reach the end of " + quoted(function.name.text) + " without returning '" + name_of(result) + "'");
  }
}

}  // namespace

void collect_functions(Unit& unit, const syntax::TranslationUnit& file) {
  for (const syntax::Item& item : file.items) {
    if (const auto* function = std::get_if<syntax::Function>(&item.node)) {
      unit.declarations.try_emplace(function->name.text, function->name.span);
      if (function->body) {
        unit.definitions.try_emplace(function->name.text, static_cast<FunctionId>(unit.definitions.size()));
      }
    }
  }
  unit.program.functions.resize(unit.definitions.size());
}

void declare_functions(Unit& unit, const syntax::TranslationUnit& file) {
  for (const syntax::Item& item : file.items) {
    if (const auto* function = std::get_if<syntax::Function>(&item.node)) {
      declare_function(unit, *function);
    }
  }
}

void check_function(Unit& unit, const syntax::Function& function, bool contract) {
  Signature* signature = declare_function(unit, function);
  if (signature == nullptr || !function.body) {
    return;
  }
  signature->is_defined = true;
  Function& result = unit.program.functions[*signature->definition];
  result.name = signature->name;
  result.is_kernel = signature->is_kernel;
  result.result = signature->result.is_vector() ? Type{} : signature->result;
  result.span = function.span;
  FunctionContext context{.unit = unit, .function = result, .signature = signature, .contract = contract};
  context.scopes.emplace_back();  // parameters and the body's own names are in one scope, as in C
  context.blocks = 1;
  add_parameters(context, function);
  if (const auto outside = signature->is_kernel ? is_no_item(context, function.name.span) : std::nullopt) {
    result.body.push_back({If{*outside, {{Return{}, function.name.span}}, {}}, function.name.span});
  }
  const bool had_errors = unit.reporter.has_errors();
  check_statements(context, function.body->statements, result.body);
  if (!unit.reporter.has_errors() || had_errors) {
    warn_about_missing_return(context, function);
  }
}

}  // namespace lockstep::core::sema
