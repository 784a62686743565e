#pragma once
// Words in source text.

#include <string_view>

namespace lockstep::tools {

/// Whether a name may go on with this character.
bool continues_name(char c);

/// Whether `word` stands somewhere in `text`, and not within a longer name.
bool has_word(std::string_view text, std::string_view word);

}  // namespace lockstep::tools
