#pragma once
// Names for types and for constants: `typedef`, `enum`, `struct` and `union`. They are looked up between preprocessor and grammar: where
// such a name is used, stand the words of its type, or its value.

#include "semantics/core/token.hpp"

namespace lockstep::core {

/// Takes the declarations out of the list and puts what they mean in the place of their names, as far as those are in sight (C99 6.2.1). An
/// enumeration's type is int, as its constants'. Structures, unions, and typedefs of pointers and arrays become declarations in front of
/// the function or declaration that they stand in, each with a name that no other one has; where they are used stands a token with that
/// name and the word "struct S". Throws Refused where a declaration is wrong, and where a name that means something is declared again in
/// its scope. O(tokens).
void fold_names(TokenList& list);

}  // namespace lockstep::core
