#pragma once
// Structures fold away once a text is checked. A variable that is a structure becomes one variable, or array, for each member. Where
// structures lie behind pointers, in buffers and in constants, memory consists of words: unsigned numbers of the greatest size that divides
// all members' sizes and offsets, or numbers of the members' type where they have only one. A member is loaded from its words and stored
// into them.

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// Takes the structures out of a checked program without errors. Reports what cannot be said in words: addresses of members of other types,
/// and copies that are too large.
void fold_records(Unit& unit);

}  // namespace lockstep::core::sema
