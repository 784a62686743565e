#pragma once
// How far values are the same: for the whole pack, for a group, or only for an item. (Divergence analysis, by flow-insensitive joins.)

#include "codegen/passes/assignments.hpp"

namespace lockstep::passes {

/// The kind of a right-hand side, from the present kinds of the variables in it.
Layout::Kind kind_of(const Assignments& assignments, const Right& right);
Layout::Kind kind_of(const Assignments& assignments, const Operand& operand);
Layout::Kind kind_of(const Assignments& assignments, const Polynomial& polynomial);
Layout::Kind kind_of(const Assignments& assignments, const Place& place);

/// Sets Variable::kind of all variables. After `masks`: what is assigned under a mask is as various as the mask, and so is what is loaded
/// under one. O(statements * 3).
void find_kinds(Assignments& assignments);

}  // namespace lockstep::passes
