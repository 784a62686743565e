#pragma once
// C99's rules on types with OpenCL's sizes: promotions, usual conversions, the types of constants, compatibility of pointers.

#include <cstdint>
#include <optional>

#include "semantics/core/syntax.hpp"
#include "semantics/core/tree.hpp"

namespace lockstep::core::sema {

/// C99 6.3.1.1: what is smaller than int (bool included) becomes int; all else stays.
ScalarType promoted(ScalarType type);

/// C99 6.3.1.8: the type in which an operator computes on operands of these two types.
ScalarType usual_type(ScalarType left, ScalarType right);

/// C99 6.4.4.1: the first type of the literal's list that holds its value; empty if none does.
std::optional<ScalarType> type_of(const syntax::IntegerLiteral& literal);

/// Bytes of an object of the type: 8 for a pointer, 0 for void.
std::uint64_t size_of(const Type& type);

/// What its address is a multiple of (OpenCL C 6.1.5).
std::uint64_t alignment_of(const Type& type);

/// How many scalars an array of the type has; 1 for anything else.
std::uint64_t element_count(const Type& type);

/// What a pointer points to, or an array consists of: a scalar, or an array of one dimension less.
Type pointee(const Type& pointer);
Type element(const Type& array);

/// A pointer to an object of `type` in `space` that must not be written where `is_const`.
Type pointer_to(const Type& type, AddressSpace space, bool is_const);

/// True if a `from` may be used where a `to` is wanted: the same pointer, or one that promises more (const).
bool pointer_converts(const Type& from, const Type& to);

}  // namespace lockstep::core::sema
