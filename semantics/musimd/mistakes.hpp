#pragma once
// What to say about a line that the grammar refuses: common mistakes are recognised and named.

#include <string>
#include <string_view>

#include "semantics/base/refused_line.hpp"

namespace lockstep::musimd {

/// Letters, digits and '_' make words: names, numbers, instructions.
bool is_word_char(char c);

/// True for the words that can name neither a variable nor a label.
bool is_reserved(std::string_view word);

/// Why the reserved `word` cannot name a `what` ("variable", "label").
std::string reserved_message(std::string_view word, std::string_view what);

/// Never fails: at worst it says what was expected where.
Explanation explain(const RefusedLine& line);

}  // namespace lockstep::musimd
