#pragma once
// The integer constant expressions of #if and #elif (C99 6.10.1).

#include <span>

#include "semantics/core/token.hpp"

namespace lockstep::core {

/// Parentheses and operators in a condition may nest this deep.
inline constexpr unsigned max_condition_nesting = 200;

/// True where the expression is not 0. `line` has its macros replaced and `defined` answered; `true` and the
/// integers of predefined.def have their values, all other names that are left are 0. Numbers are 64 bits wide, signed unless the suffix or
/// their size says otherwise. `directive` is the place of #if. Throws Refused.
bool is_condition_true(std::span<const Token> line, const Token& directive);

}  // namespace lockstep::core
