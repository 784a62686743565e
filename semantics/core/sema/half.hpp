#pragma once
// Numbers of 16 bits in memory (OpenCL C 6.1.1.2 and 6.13.7): `half` is a structure with the bits, which the text of a kernel that uses the
// word gets in front (half_type), and vload_half and its kin, which make floats of it and round to it, are functions of the library on
// them.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// Whether it is the type of such a number, or a pointer to one or an array of them.
bool is_half(const Type& type);

/// vload_half, vloada_half4, vstore_half, vstore_half8_rtz and so on.
bool is_half_access(std::string_view name);

/// A call of one. Empty where an error was reported.
std::optional<ExprId> half_access(FunctionContext& context, const syntax::Name& name, std::span<const ExprId> arguments, SourceSpan span);

/// What to do instead of computing with such numbers, for every error that names them.
void explain_half(Diagnostics& errors);

}  // namespace lockstep::core::sema
