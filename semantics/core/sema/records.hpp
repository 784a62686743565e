#pragma once
// Structures and unions where they are checked. In the tree one is an array of its members: `s.b` is the element 1 of `s`, of the type that
// b has. What becomes of them comes later (fold_records.hpp).

#include <memory>
#include <optional>
#include <span>

#include "semantics/core/record.hpp"
#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// Declares the type. What is wrong is reported, and the type then known as broken.
void check_record(FunctionContext& context, const syntax::Record& record);
void check_typedef(FunctionContext& context, const syntax::Typedef& definition);

/// The type that the text has declared with this name; empty where an error was reported.
std::optional<DeclaredType> declared_type(FunctionContext& context, const syntax::Specifiers& specifiers);

/// The structure itself: private memory, if it is stored at all.
Type record_type(std::shared_ptr<const Record> record);

/// A pointer to numbers as one to others of the same size, as a cast makes it: what it leads to is loaded and stored as the same bits.
Type view_of(FunctionContext& context, const Type& pointer, ScalarType to);
/// Whether the pointer is such a one; then `seen_as` says which pointer it stands for.
bool is_view(const Type& pointer);
Type seen_as(const Type& view);

/// How many numbers there are in a value of the type, in all; of a union as many as bytes. Never more than 2^60: none is smaller than a
/// byte.
std::uint64_t number_count(const Type& type);

/// Whether two types are the same structure, but for where it lies.
bool same_record(const Type& a, const Type& b);

/// The number of the member with that name; empty and reported where there is none.
std::optional<std::size_t> member_named(FunctionContext& context, const Type& record, const syntax::Name& name);

/// The member with that number of a structure that lies somewhere, as a place.
ExprId member_at(FunctionContext& context, ExprId place, std::size_t number, SourceSpan span);

/// `s.x`.
std::optional<ExprId> record_member(FunctionContext& context, ExprId base, const syntax::Name& name, SourceSpan span);

/// What happens before a place or value, once, and then it: of any type.
ExprId after(FunctionContext& context, std::span<const ExprId> before, ExprId id);
/// The place that holds a structure or array, and in `before` what happens until it does.
ExprId place_of_value(FunctionContext& context, std::vector<ExprId>& before, ExprId id);

/// Bytes from the beginning of the type to what the path leads to.
std::optional<std::uint64_t> offset_of(FunctionContext& context, const Type& type, std::span<const syntax::Designator> path);

}  // namespace lockstep::core::sema
