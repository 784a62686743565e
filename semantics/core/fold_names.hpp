#pragma once
// Names for types and for constants: `typedef` of scalar types, and `enum`. Both are folded away between preprocessor and grammar: where
// such a name is used, stand the words of its type, or its value.

#include "semantics/core/token.hpp"

namespace lockstep::core {

/// Takes the declarations out of the list and puts what they mean in the place of their names, as far as those are in sight (C99 6.2.1). An
/// enumeration's type is int, as its constants'. Throws Refused where one is wrong, or names what only C has: a pointer, array, structure
/// or function; and where a name that means something is declared again. O(tokens).
void fold_names(TokenList& list);

}  // namespace lockstep::core
