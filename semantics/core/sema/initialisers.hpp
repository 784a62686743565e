#pragma once
// = e and = {…}: C99 6.7.8.

#include <optional>
#include <string>
#include <vector>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// The values of an object of `type`, in the order of its elements: one for a scalar or pointer, else one for each element, those not
/// written out 0. A first extent of 0 stands for `[]` and is set to what the initialiser has. No structure. Empty where an error was
/// reported.
std::optional<std::vector<ExprId>> check_initialiser(FunctionContext& context, const syntax::Initialiser& initialiser, Type& type,
                                                     const std::string& name);

/// The same for a variable of `type` that is a structure or an array of them: the assignments that give it its value, one after the other.
std::optional<std::vector<ExprId>> check_record_initialiser(FunctionContext& context, const syntax::Initialiser& initialiser, VarId id,
                                                            Type& type, const std::string& name);

/// The same for an object of the file: its bytes.
std::optional<std::vector<std::uint64_t>> check_record_constant(FunctionContext& context, const syntax::Initialiser& initialiser,
                                                                Type& type, const std::string& name);

/// `(struct S){1, 2}`: the value of a variable that nobody else has.
std::optional<ExprId> compound_literal(FunctionContext& context, const Type& type, const syntax::Initialiser& initialiser, SourceSpan span);

}  // namespace lockstep::core::sema
