#pragma once
// Vectors (OpenCL C 6.1.2, 6.1.6, 6.1.7, 6.3) fold away where they are checked: a value is its components, an operation one for each of
// them. In the tree a vector that is stored is an array. What happens once, whatever becomes of the components, happens before them.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// A vector of `components` of a type: private memory, if it is stored at all.
Type vector_type(ScalarType scalar, unsigned components);

bool is_vector(const FunctionContext& context, ExprId id);

/// The component of that number of a vector that is stored, as a place.
ExprId component(FunctionContext& context, ExprId place, std::size_t index);

/// A pointer to vectors as one to their components; one to scalars as it is.
ExprId pointer_to_components(FunctionContext& context, ExprId pointer);

/// The name of a component, as it stands behind a variable's: x, y, z, w, or s0 to sf of more than four.
std::string component_name(unsigned components, std::size_t index);

// ---- values ------------------------------------------------------------------------------------------------------------

/// The components of an expression of vector type; each may be used once.
Vector components_of(FunctionContext& context, ExprId vector);
/// A scalar, or what happens before it and then a number or variable, in the place of a component.
Vector scalar_as_operand(FunctionContext& context, ExprId scalar);
/// One scalar as so many equal components.
Vector widened(FunctionContext& context, ExprId scalar, std::size_t components);

/// The value with these components, which are all there are.
ExprId vector_of(FunctionContext& context, Vector value, ScalarType scalar, SourceSpan span);

/// What happens before the operands, in their order; those in front of one before which something happens keep their values.
std::vector<ExprId> in_order(FunctionContext& context, std::span<Vector> operands);

/// All of them, one after the other, and the value of the last; at least one.
ExprId sequence(FunctionContext& context, std::span<const ExprId> effects);
/// The value of `value` after all that. Its type is that of the value.
ExprId behind(FunctionContext& context, std::span<const ExprId> before, ExprId value);

/// An expression of vector type for its effects alone: those that it has, or one of its components.
ExprId as_effect(FunctionContext& context, ExprId vector);

/// The components of a vector as arguments or initial values, the first one with what happens before.
std::vector<ExprId> listed(FunctionContext& context, ExprId vector);

/// Where parts of vectors and structures are read in the expression, they need values: it goes where others see it.
void demand_values(FunctionContext& context, ExprId id);
void demand_values(FunctionContext& context, const Vector& value);
/// Whether the place lies in the item's own memory.
bool is_private_place(const Function& function, ExprId place);

/// The same expression of a few operations, or place of a component, once more.
ExprId copy(FunctionContext& context, ExprId id);
/// The value now: what happens before gets an assignment to a temporary.
ExprId keep(FunctionContext& context, std::vector<ExprId>& before, ExprId value);
/// The same for all components.
void settle(FunctionContext& context, Vector& value);

/// A place that stays the same one where it is evaluated several times: what decides it, but for a few operations on variables, is kept.
/// Where variables may change in between, they are kept as well.
ExprId settled_place(FunctionContext& context, std::vector<ExprId>& before, ExprId place, bool may_change);

/// A variable that no text declares; it comes into being in front of the statement.
VarId add_temporary(FunctionContext& context, Type type, SourceSpan span);

/// What is assigned to it, where that has been done.
ExprId variable(FunctionContext& context, VarId id, SourceSpan span);

// ---- operators ---------------------------------------------------------------------------------------------------------
// At least one operand of each is a vector. All say what is wrong themselves and return nothing then.

std::optional<ExprId> vector_binary(FunctionContext& context, syntax::BinaryOp op, ExprId left, ExprId right, SourceSpan span,
                                    SourceSpan op_span);
std::optional<ExprId> vector_unary(FunctionContext& context, syntax::UnaryOp op, ExprId operand, SourceSpan span);
std::optional<ExprId> vector_conditional(FunctionContext& context, ExprId condition, ExprId then, ExprId otherwise, SourceSpan span);

/// `place = value`, or with `op` the operator's result on what was there and the value. With `yields_old` its value is what was there.
std::optional<ExprId> vector_assignment(FunctionContext& context, ExprId place, std::optional<syntax::BinaryOp> op, ExprId value,
                                        SourceSpan span, SourceSpan op_span, bool yields_old = false);

/// The vector itself if it has the type, but for where it lies; a scalar in all components, converted. Empty, and nothing said, where it is
/// neither.
std::optional<ExprId> as_vector(FunctionContext& context, ExprId value, const Type& to);

/// The operator on one component of each side, both of a vector's `scalar` type, as OpenCL has it: nothing is promoted, and what is true is
/// an integer of the same size whose bits are all 1.
std::optional<ExprId> component_binary(FunctionContext& context, syntax::BinaryOp op, ExprId left, ExprId right, ScalarType scalar,
                                       SourceSpan span, SourceSpan op_span);
/// 0 or 1 as 0 or -1 of so many bits.
ExprId truth_of_component(FunctionContext& context, ExprId truth, ScalarType scalar);
/// `then` if the bit at the top of the condition is set.
ExprId chosen_by_sign(FunctionContext& context, ExprId condition, ExprId then, ExprId otherwise);
/// The signed integer of the same size.
ScalarType signed_of(ScalarType type);
/// The other side of an operator on a vector of type `to`: of the same type, but for the sign of a shift's counts, or a scalar.
std::optional<Vector> operand_for(FunctionContext& context, std::optional<syntax::BinaryOp> op, ExprId value, const Type& to);

/// `(float4)(a, b, …)` and `(float4)a`; of `(float4)(a, b, …).xy` the components.
std::optional<ExprId> vector_cast(FunctionContext& context, const Type& to, const syntax::Expr& operand, SourceSpan span);

/// Components of a vector by their names.
std::optional<ExprId> member_of(FunctionContext& context, ExprId base, const syntax::Name& selector, SourceSpan span);

/// `v.xyz`, `v.s01`, `v.lo`.
std::optional<ExprId> check_member(FunctionContext& context, const syntax::Member& member, SourceSpan span);

// ---- calls -------------------------------------------------------------------------------------------------------------

/// Whether OpenCL C has a function of this name for vectors, and none for scalars.
bool is_vector_name(std::string_view name);

/// Whether the function says of each component whether something holds: 0 or -1, where it is 0 or 1 of a scalar.
bool is_relation(std::string_view name);

/// A function of scalars where one argument is a vector: for each component. What a pointer points to is a vector then.
std::optional<ExprId> component_call(FunctionContext& context, const syntax::Name& name, std::span<const ExprId> arguments,
                                     SourceSpan span);

/// One of these, or a builtin or library function where one argument is a vector.
std::optional<ExprId> vector_call(FunctionContext& context, const syntax::Name& name, std::span<const ExprId> arguments, SourceSpan span);

}  // namespace lockstep::core::sema
