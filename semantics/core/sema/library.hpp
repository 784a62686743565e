#pragma once
// Functions of OpenCL C that are written in the language itself (library_rows.hpp): a kernel that calls one gets its definition for the
// type of the call, as if it stood in front of the file's text. So all executors have the same bits, and the prover reads what they do.

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// Whether there is a function of that name.
bool is_in_library(std::string_view name);

/// What a parameter of a function is, in the library or not: of the type that the call is for, which is what one that is not there is; of
/// another one; a pointer to where a result goes.
enum class Parameter { OfType, Other, Pointer };
Parameter parameter_of(std::string_view name, std::size_t number);

/// A call of one, on a text's way through the checker for the first time, leaves in Unit::wanted which definition is missing, and is a
/// call of the right type. Later it is a call of that. Empty where an error was reported.
std::optional<ExprId> library_call(FunctionContext& context, std::string_view name, std::vector<ExprId> arguments, SourceSpan span);

/// A call of the row of that name for a type, whatever its arguments are: pointers as well.
std::optional<ExprId> library_call_for(FunctionContext& context, std::string_view name, ScalarType type, std::vector<ExprId> arguments,
                                       SourceSpan span);

/// The file with the definitions that are wanted; all of it stands at the place of the first call.
std::expected<syntax::TranslationUnit, Diagnostics> definition_of(const WantedFunction& wanted, bool scattered_copies);

}  // namespace lockstep::core::sema
