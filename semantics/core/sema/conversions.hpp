#pragma once
// Implicit and written conversions, as nodes of the tree.

#include <optional>
#include <string>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// The value as a `to`; the same node where it is one already and nobody wrote the conversion. An implicit conversion of a literal gives a
/// literal, unless it is undefined.
ExprId convert(FunctionContext& context, ExprId value, ScalarType to, bool implicit = true);

/// C99 6.3.1.1 on a node of scalar type.
ExprId promote(FunctionContext& context, ExprId value);

/// An array as a pointer to its first element; anything else as it is.
ExprId decay(FunctionContext& context, ExprId id);

/// The null pointer of this type, in place of a null pointer constant.
ExprId null_pointer(FunctionContext& context, ExprId constant, const Type& pointer);

/// As by assignment: scalars are converted, pointers must be compatible, a null pointer constant becomes a pointer. `purpose` says what
/// for, as in "in the initialiser of 'x'". Empty where an error was reported.
std::optional<ExprId> convert_as_if_assigned(FunctionContext& context, ExprId value, const Type& to, const std::string& purpose,
                                             Diagnostics notes = {});

/// A pointer that becomes one to another type without the cast that C asks for, as compilers of OpenCL C let it, with a warning. Its type
/// may be a view of what lies there (records.hpp). Empty where the text asks for something else.
std::optional<ExprId> without_cast(FunctionContext& context, ExprId value, const Type& to, const std::string& purpose);

/// What a cast gives. Empty where an error was reported.
std::optional<ExprId> cast(FunctionContext& context, ExprId value, const Type& to, SourceSpan span);

/// int: whether the value is nonzero; an int is taken as it is.
ExprId truth(FunctionContext& context, ExprId value);

}  // namespace lockstep::core::sema
