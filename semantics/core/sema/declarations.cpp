#include "semantics/core/sema/declarations.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "semantics/core/sema/builtins.hpp"
#include "semantics/core/sema/constants.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/initialisers.hpp"
#include "semantics/core/sema/records.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

/// One extent of an array; empty where an error was reported.
std::optional<std::uint64_t> check_extent(FunctionContext& context, const syntax::Expr& expr) {
  const std::optional<ExprId> id = check_integer(context, expr, "an array size");
  if (!id) {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> extent = require_constant(context, *id, "the array size");
  if (!extent) {
    return std::nullopt;
  }
  const ScalarType type = context.function.at(*id).type.scalar;
  const bool is_negative = is_signed(type) && static_cast<std::int64_t>(*extent) < 0;
  if (is_negative || *extent == 0) {
    context.unit.reporter.error(expr.span, "an array needs at least one element, but its size is " +
                                               (is_negative ? std::to_string(static_cast<std::int64_t>(*extent)) : "0"));
    return std::nullopt;
  }
  return extent;
}

bool check_size(FunctionContext& context, const Type& type, SourceSpan span) {
  const bool is_record = type.record != nullptr;
  std::uint64_t bytes = is_record ? type.record->size : lockstep::size_of(type.scalar);
  for (const std::uint64_t extent : std::span(type.extents).first(type.extents.size() - (is_record ? 1 : 0))) {
    if (extent > max_object_bytes / bytes) {
      context.unit.reporter.error(span, "the array is too large: an object has at most " + std::to_string(max_object_bytes) + " bytes");
      return false;
    }
    bytes *= extent == 0 ? 1 : extent;  // 0 is a size that the initialiser will give
  }
  return true;
}

/// The same for a type that the text has declared.
std::optional<Type> base_of_declared(FunctionContext& context, const syntax::Specifiers& specifiers, unsigned pointers,
                                     AddressSpace default_space) {
  const std::optional<DeclaredType> declared = declared_type(context, specifiers);
  if (!declared) {
    return std::nullopt;
  }
  Type type = *declared->type;
  if (pointers > 0 && type.is_pointer()) {
    context.unit.reporter.error(specifiers.span, "there are no pointers to pointers");
    return std::nullopt;
  }
  if (pointers > 0) {
    const AddressSpace space = specifiers.space.value_or(default_space);
    type = pointer_to(type, space, type.is_const || specifiers.is_const || space == AddressSpace::Constant);
  }
  return type;
}

/// Whether a declared pointer itself is const: behind its `*`, or in front of the name of a pointer type.
bool is_const_pointer(const FunctionContext& context, const syntax::Specifiers& specifiers, const syntax::Declarator& declarator) {
  const auto declared = context.unit.types.find(specifiers.named);
  const bool by_name =
      declarator.pointers == 0 && declared != context.unit.types.end() && (specifiers.is_const || declared->second.is_const);
  return declarator.is_const || by_name;
}

bool is_plain_array(const Type& type) { return type.is_array() && !type.is_vector() && !type.is_record(); }

/// The type of scalars or pointers that specifiers and stars mean; a pointer without address space points to `default_space`.
std::optional<Type> base_type(FunctionContext& context, const syntax::Specifiers& specifiers, unsigned pointers,
                              AddressSpace default_space = AddressSpace::Private) {
  if (pointers > 1) {
    context.unit.reporter.error(specifiers.span, "there are no pointers to pointers");
    return std::nullopt;
  }
  if (!specifiers.named.empty()) {
    return base_of_declared(context, specifiers, pointers, default_space);
  }
  if (!specifiers.type) {
    if (pointers > 0) {
      context.unit.reporter.error(specifiers.span, "there are no pointers to void; memory has a type");
      return std::nullopt;
    }
    return Type{};
  }
  Type type = specifiers.components > 1 ? vector_type(*specifiers.type, specifiers.components) : Type::scalar_of(*specifiers.type);
  if (pointers > 0) {
    const AddressSpace space = specifiers.space.value_or(default_space);
    type = pointer_to(type, space, specifiers.is_const || space == AddressSpace::Constant);
  }
  return type;
}

/// The array of `base` with the extents from `first` on, in `space`. A missing first extent becomes 0.
std::optional<Type> array_type(FunctionContext& context, const Type& base, const std::vector<syntax::ExprPtr>& extents, SourceSpan span) {
  if (base.is_pointer()) {
    context.unit.reporter.error(span, "there are no arrays of pointers: pointers are not stored in memory");
    return std::nullopt;
  }
  Type type = base;
  type.kind = Type::Kind::Array;
  type.extents.clear();
  bool is_fine = true;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    std::optional<std::uint64_t> extent = 0;
    if (extents[i]) {
      extent = check_extent(context, *extents[i]);
    } else if (i > 0) {
      context.unit.reporter.error(span, "only the first size of an array may be left out");
      extent = std::nullopt;
    }
    is_fine = is_fine && extent;
    type.extents.push_back(extent.value_or(0));
  }
  std::ranges::copy(base.extents, std::back_inserter(type.extents));  // of a vector
  return is_fine && check_size(context, type, span) ? std::optional(std::move(type)) : std::nullopt;
}

/// A declared variable's type with `const` and address space of the elements, for an object in `space`.
std::optional<Type> object_type(FunctionContext& context, const syntax::Specifiers& specifiers, const syntax::Declarator& declarator,
                                AddressSpace space) {
  std::optional<Type> base = base_type(context, specifiers, declarator.pointers);
  if (!base) {
    return std::nullopt;
  }
  if (base->is_void()) {
    context.unit.reporter.error(declarator.name.span, quoted(declarator.name.text) + " cannot be void");
    return std::nullopt;
  }
  if (declarator.extents.empty() && !base->is_array()) {
    return base;
  }
  std::optional<Type> type = array_type(context, *base, declarator.extents, declarator.name.span);
  if (type) {
    type->space = space;
    type->is_const = base->is_const || specifiers.is_const || space == AddressSpace::Constant;
  }
  return type;
}

/// Where a variable with these specifiers lies; empty where an error was reported.
std::optional<AddressSpace> variable_space(FunctionContext& context, const syntax::Specifiers& specifiers,
                                           const syntax::Declarator& declarator) {
  if (declarator.pointers > 0) {
    return AddressSpace::Private;  // the address space is that of what it points to
  }
  const AddressSpace space = specifiers.space.value_or(AddressSpace::Private);
  const std::string name = quoted(declarator.name.text);
  const bool in_kernel_block = context.signature != nullptr && context.signature->is_kernel && context.blocks == 1;
  if (space == AddressSpace::Global) {
    context.unit.reporter.error(declarator.name.span, name + " cannot be __global; only what pointers point to lies there");
  } else if (space == AddressSpace::Constant) {
    context.unit.reporter.error(declarator.name.span, name + " cannot be __constant inside a function; declare it at file scope");
  } else if (space == AddressSpace::Local && !in_kernel_block) {
    context.unit.reporter.error(declarator.name.span,
                                name + " cannot be __local here; such variables stand in the outermost block of a kernel");
  } else if (space == AddressSpace::Local && declarator.initialiser) {
    context.unit.reporter.error(declarator.initialiser->span, "a __local variable cannot have an initialiser; assign it in the kernel");
  } else {
    return space;
  }
  return std::nullopt;
}

bool check_open_array(FunctionContext& context, const Type& type, const syntax::Declarator& declarator) {
  if (type.is_array() && type.extents.front() == 0 && !declarator.initialiser) {
    context.unit.reporter.error(declarator.name.span, quoted(declarator.name.text) + " needs a size or an initialiser");
    return false;
  }
  return true;
}

/// The initial value of a variable that is a structure, or has some: it is assigned, member by member.
void check_record_variable(FunctionContext& context, VarId id, const syntax::Initialiser& initialiser, SourceSpan span, Body& body) {
  Variable& variable = context.function.variables[id];
  const std::string name = variable.name;
  Type complete = variable.type;
  const std::optional<std::vector<ExprId>> stores = check_record_initialiser(context, initialiser, id, complete, name);
  if (!stores && complete.extents.front() == 0) {
    context.scopes.back().at(name).symbol = Broken{};
  }
  context.function.variables[id].type = complete;
  body.push_back({Declare{id, {}}, span});
  for (const ExprId store : stores.value_or(std::vector<ExprId>())) {
    body.push_back({Evaluate{store}, span});
  }
}

/// Makes one variable. The name is in sight in its own initialiser, as in C.
void check_variable(FunctionContext& context, const syntax::Specifiers& specifiers, const syntax::Declarator& declarator, SourceSpan span,
                    Body& body) {
  const std::optional<AddressSpace> space = variable_space(context, specifiers, declarator);
  const std::optional<Type> type = object_type(context, specifiers, declarator, space.value_or(AddressSpace::Private));
  if (!space || !type || !check_open_array(context, *type, declarator)) {
    declare(context, declarator.name, Broken{});
    return;
  }
  const bool is_const = type->is_pointer() ? is_const_pointer(context, specifiers, declarator) : specifiers.is_const && type->is_scalar();
  const VarId id = add_variable(
      context, {.name = declarator.name.text, .type = *type, .space = *space, .is_const = is_const, .span = declarator.name.span});
  if (!declare(context, declarator.name, VariableSymbol{id})) {
    return;
  }
  std::vector<ExprId> values;
  if (declarator.initialiser && type->is_array() && type->record != nullptr) {
    check_record_variable(context, id, *declarator.initialiser, span, body);
    return;
  }
  if (declarator.initialiser) {
    Type complete = *type;
    std::optional<std::vector<ExprId>> checked = check_initialiser(context, *declarator.initialiser, complete, declarator.name.text);
    if (!checked) {
      if (type->is_array() && type->extents.front() == 0) {
        context.scopes.back().at(declarator.name.text).symbol = Broken{};
      }
      return;
    }
    values = std::move(*checked);
    context.function.variables[id].type = complete;
    if (is_const && complete.is_scalar()) {
      const std::expected<std::uint64_t, NotConstant> known = evaluate(context, values.front());
      context.known[id] = known ? std::optional(*known) : std::nullopt;
    }
  }
  body.push_back({Declare{id, std::move(values)}, span});
}

/// One __constant object of the file.
void check_constant(FunctionContext& context, const syntax::Specifiers& specifiers, const syntax::Declarator& declarator) {
  Unit& unit = context.unit;
  const std::string name = quoted(declarator.name.text);
  std::optional<Type> type;
  if (specifiers.space != AddressSpace::Constant || declarator.pointers > 0) {
    unit.reporter.error(declarator.name.span, "a variable at file scope must be a __constant scalar, array or structure");
  } else if (!declarator.initialiser) {
    unit.reporter.error(declarator.name.span, "the __constant " + name + " needs an initialiser");
  } else if (is_builtin(declarator.name.text) || unit.functions.contains(declarator.name.text)) {
    unit.reporter.error(declarator.name.span, name + " is the name of a function");
  } else {
    type = object_type(context, specifiers, declarator, AddressSpace::Constant);
  }
  if (type && type->record != nullptr) {
    std::optional<std::vector<std::uint64_t>> bytes = check_record_constant(context, *declarator.initialiser, *type, declarator.name.text);
    const auto id = static_cast<ConstantId>(unit.program.constants.size());
    if (!bytes) {
      declare(context, declarator.name, Broken{});
    } else if (declare(context, declarator.name, ConstantSymbol{id})) {
      unit.program.constants.push_back({declarator.name.text, std::move(*type), std::move(*bytes), declarator.name.span});
    }
    return;
  }
  std::optional<std::vector<ExprId>> values;
  if (type && declarator.initialiser) {
    values = check_initialiser(context, *declarator.initialiser, *type, declarator.name.text);
  }
  if (!type || !values) {
    declare(context, declarator.name, Broken{});
    return;
  }
  std::vector<std::uint64_t> bits;
  for (const ExprId id : *values) {
    const std::optional<std::uint64_t> value = require_constant(context, id, "the initialiser of " + name);
    if (!value) {
      declare(context, declarator.name, Broken{});
      return;
    }
    bits.push_back(*value);
  }
  const auto id = static_cast<ConstantId>(unit.program.constants.size());
  if (declare(context, declarator.name, ConstantSymbol{id})) {
    unit.program.constants.push_back({declarator.name.text, std::move(*type), std::move(bits), declarator.name.span});
  }
}

bool check_specifiers(FunctionContext& context, const syntax::Specifiers& specifiers) {
  if (specifiers.uniformity != syntax::Uniformity::Unspecified) {
    context.unit.reporter.error(specifiers.span, "'uniform' and 'varying' stand only in front of parameters");
    return false;
  }
  if (specifiers.is_kernel) {
    context.unit.reporter.error(specifiers.span, "only a function can be a kernel");
    return false;
  }
  return true;
}

/// Parameters of kernels come from outside: numbers, buffers, and how much __local memory there is.
bool check_kernel_parameter(FunctionContext& context, const Type& type, const syntax::Parameter& parameter) {
  const std::string name = quoted(parameter.declarator.name.text);
  if (!type.is_pointer() || type.space != AddressSpace::Private) {
    return true;
  }
  context.unit.reporter.error(parameter.span, "the kernel parameter " + name + " points to private memory; buffers are __global");
  return false;
}

}  // namespace

std::optional<Type> resolve(FunctionContext& context, const syntax::TypeName& name) {
  std::optional<Type> base = base_type(context, name.specifiers, name.pointers);
  if (!base || name.extents.empty()) {
    return base;
  }
  return array_type(context, *base, name.extents, name.specifiers.span);
}

std::optional<Type> resolve_result(FunctionContext& context, const syntax::Function& function) {
  std::optional<Type> type = base_type(context, function.specifiers, function.pointers);
  if (type && is_plain_array(*type)) {
    context.unit.reporter.error(function.specifiers.type_span,
                                "a function cannot return an array; a structure that has it can be returned");
    return std::nullopt;
  }
  return type;
}

std::optional<Type> member_type(FunctionContext& context, const syntax::Specifiers& specifiers, const syntax::Declarator& declarator) {
  std::optional<Type> type = object_type(context, specifiers, declarator, AddressSpace::Private);
  if (type && type->is_pointer()) {
    context.unit.reporter.error(
        declarator.name.span,
        quoted(declarator.name.text) + " cannot be a pointer: pointers are not stored in memory; an index into a buffer can be");
    return std::nullopt;
  }
  return type;
}

std::optional<Type> typedef_type(FunctionContext& context, const syntax::Specifiers& specifiers, const syntax::Declarator& declarator) {
  std::optional<Type> type = object_type(context, specifiers, declarator, AddressSpace::Private);
  if (type && type->is_array() && type->extents.front() == 0) {
    context.unit.reporter.error(declarator.name.span, "an array type needs a size");
    return std::nullopt;
  }
  return type;
}

std::optional<Variable> resolve_parameter(FunctionContext& context, const syntax::Parameter& parameter, bool of_kernel) {
  const syntax::Specifiers& specifiers = parameter.specifiers;
  const syntax::Declarator& declarator = parameter.declarator;
  const bool is_pointer = declarator.pointers > 0 || !declarator.extents.empty();
  // The kernels of seed 000 leave __global out; nothing else could be meant.
  const AddressSpace space = specifiers.space.value_or(of_kernel ? AddressSpace::Global : AddressSpace::Private);
  std::optional<Type> type = base_type(context, specifiers, declarator.pointers, space);
  if (!type) {
    return std::nullopt;
  }
  if (type->is_void()) {
    context.unit.reporter.error(parameter.span, "a parameter cannot be void");
    return std::nullopt;
  }
  const bool is_array = is_plain_array(*type);
  if (!is_pointer && !is_array && specifiers.space.value_or(AddressSpace::Private) != AddressSpace::Private) {
    context.unit.reporter.error(parameter.span, "a parameter is private; an address space belongs to what a pointer points to");
    return std::nullopt;
  }
  if (is_array || !declarator.extents.empty()) {
    type = array_type(context, *type, declarator.extents, parameter.span);
    if (!type) {
      return std::nullopt;
    }
    type = pointer_to(element(*type), space, specifiers.is_const || space == AddressSpace::Constant);
  }
  if (of_kernel && !check_kernel_parameter(context, *type, parameter)) {
    return std::nullopt;
  }
  return Variable{.name = declarator.name.text,
                  .type = *type,
                  .is_uniform = specifiers.uniformity == syntax::Uniformity::Uniform,
                  .is_const = type->is_pointer() ? is_const_pointer(context, specifiers, declarator) : specifiers.is_const,
                  .is_restrict = declarator.is_restrict && declarator.extents.empty(),
                  .span = declarator.name.text.empty() ? parameter.span : declarator.name.span};
}

void check_declaration(FunctionContext& context, const syntax::Declaration& declaration, SourceSpan span, Body& body) {
  const bool is_fine = check_specifiers(context, declaration.specifiers);
  for (const syntax::Declarator& declarator : declaration.declarators) {
    if (is_fine) {
      check_variable(context, declaration.specifiers, declarator, span, body);
    } else {
      declare(context, declarator.name, Broken{});
    }
  }
}

void check_file_scope(FunctionContext& context, const syntax::Declaration& declaration) {
  const bool is_fine = check_specifiers(context, declaration.specifiers);
  for (const syntax::Declarator& declarator : declaration.declarators) {
    if (is_fine) {
      check_constant(context, declaration.specifiers, declarator);
    } else {
      declare(context, declarator.name, Broken{});
    }
  }
}

}  // namespace lockstep::core::sema
