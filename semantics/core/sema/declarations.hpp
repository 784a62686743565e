#pragma once
// What declarators and type names mean, and how variables come into being.

#include <optional>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// Bytes of one object, at most; every work item may have one.
inline constexpr std::uint64_t max_object_bytes = std::uint64_t{1} << 30;
/// Elements of an array with an initialiser, at most: the tree has a node for each of them.
inline constexpr std::uint64_t max_initialised_elements = std::uint64_t{1} << 20;

/// The type that a cast or sizeof names; may be void. Empty where an error was reported.
std::optional<Type> resolve(FunctionContext& context, const syntax::TypeName& name);

/// The type of a member, and the one that a typedef gives a name. Empty where an error was reported.
std::optional<Type> member_type(FunctionContext& context, const syntax::Specifiers& specifiers, const syntax::Declarator& declarator);
std::optional<Type> typedef_type(FunctionContext& context, const syntax::Specifiers& specifiers, const syntax::Declarator& declarator);

/// A function's result: void, a scalar, a vector or a pointer.
std::optional<Type> resolve_result(FunctionContext& context, const syntax::Function& function);

/// A parameter; arrays have become pointers. Empty where an error was reported.
std::optional<Variable> resolve_parameter(FunctionContext& context, const syntax::Parameter& parameter, bool of_kernel);

/// Declares the variables of a statement and appends what makes them to `body`.
void check_declaration(FunctionContext& context, const syntax::Declaration& declaration, SourceSpan span, Body& body);

/// Declares the __constant objects of a file-scope declaration.
void check_file_scope(FunctionContext& context, const syntax::Declaration& declaration);

}  // namespace lockstep::core::sema
