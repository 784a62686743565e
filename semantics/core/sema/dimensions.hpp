#pragma once
// Groups and items in two and three dimensions. Behind the front end there is one: item (x, y, z) of groups of X × Y × Z items is number
// x + X (y + Y z), and groups are numbered likewise. So an item's place is computed from its number, and a group's from its own and from
// how many groups lie in the first two dimensions, which a kernel that asks for it gets as parameters.

#include <unordered_set>

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// Whom each function calls, directly or not, itself among them.
std::unordered_set<std::string> reached(const Unit& unit, const std::string& from);

/// The functions of a file that has been checked that need these parameters: all that ask for a group's place, and all between, of the
/// kernels in which anybody asks for it in a second dimension, or of all kernels if the launch has one.
std::unordered_set<std::string> dimensional_functions(const Unit& unit);

/// The two parameters, to be added behind those that are written in `function`.
std::array<Variable, 2> group_parameters(const syntax::Function& function);

/// Of the function that is being checked, as arguments for one that it calls.
std::array<ExprId, 2> group_arguments(FunctionContext& context, SourceSpan span);

/// What OpenCL C's functions of the same names give, all of them ulong. Dimensions from 3 on have one item.
enum class Place : std::uint8_t { LocalId, GroupId, NumGroups, LocalSize, EnqueuedLocalSize, GlobalId, GlobalSize, GlobalOffset };
ExprId place_in(FunctionContext& context, Place place, std::uint64_t dimension, SourceSpan span);
/// get_local_linear_id()
ExprId local_linear_id(FunctionContext& context, SourceSpan span);
/// Of a launch whose last groups are smaller: whether the item is none of it, which computes nothing. No expression where all are.
std::optional<ExprId> is_no_item(FunctionContext& context, SourceSpan span);
/// get_global_linear_id()
ExprId global_linear_id(FunctionContext& context, SourceSpan span);

}  // namespace lockstep::core::sema
