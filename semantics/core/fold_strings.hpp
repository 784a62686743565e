#pragma once
// Strings in a list of tokens. The grammar has none: where one initialises an array it is the list of its characters, and anywhere else a
// constant array that nobody has declared.

#include <string>
#include <string_view>
#include <vector>

#include "semantics/core/token.hpp"

namespace lockstep::core {

/// What stands between the quotes, character by character, as it is written there; escapes of octal and hexadecimal digits have three octal
/// ones, so that no digit behind them becomes one of theirs.
std::vector<std::string> characters_of(std::string_view literal);

/// The text of a string's token without its quotes.
std::string_view without_quotes(std::string_view literal);

/// After printf has taken its own.
void fold_strings(TokenList& list);

}  // namespace lockstep::core
