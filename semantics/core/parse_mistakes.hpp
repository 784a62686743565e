#pragma once
// What to say about a program that the grammar refuses: common mistakes are recognised and named.

#include <string>
#include <string_view>

#include "semantics/base/diagnostic.hpp"
#include "semantics/core/token.hpp"

namespace lockstep::core {

/// A token at which the grammar is stuck.
struct Stuck {
  const Token* begin = nullptr;           ///< the first token of the program
  const Token* at = nullptr;              ///< where it is stuck; may be the end
  std::string_view expected;              ///< what may stand there, in the user's words
  const Token* innermost_open = nullptr;  ///< the bracket that is not closed, or null
};

/// "unknown type name 'flaot'; did you mean 'float'?"
std::string unknown_type(const Token& name);

/// The error for the user. Never fails: at worst it says what was expected.
Diagnostic explain(const Stuck& stuck);

}  // namespace lockstep::core
