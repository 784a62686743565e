#pragma once
// The type `half` for texts that use it: as if they began with its declaration as a structure of 16 bits (sema/half.hpp).

#include <string_view>

#include "semantics/core/token.hpp"

namespace lockstep::core {

/// What its type is called, which no structure of a text can be.
inline constexpr std::string_view half_name = "half";

/// Where the word stands somewhere, it becomes a name, and its declaration stands in front of everything.
void fold_half(TokenList& list);

}  // namespace lockstep::core
