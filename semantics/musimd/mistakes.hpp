#pragma once
// What to say about a line that the grammar refuses: common mistakes are recognised and named.

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::musimd {

/// Letters, digits and '_' make words: names, numbers, instructions.
bool is_word_char(char c);

/// True for the words that can name neither a variable nor a label.
bool is_reserved(std::string_view word);

/// Why the reserved `word` cannot name a `what` ("variable", "label").
std::string reserved_message(std::string_view word, std::string_view what);

/// A line without comment that the grammar refuses.
struct RefusedLine {
  std::string_view text;
  std::size_t statement = 0;  ///< where the instruction begins, behind the labels
  std::size_t where = 0;      ///< where the grammar was stuck
  std::string expected;       ///< what it expected there, in the user's words
};

/// The message for the user, at [begin, end) of the line.
struct Explanation {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string message;
  std::string_view label = {};  ///< the name, where the mistake is a label without its colon
};

/// Never fails: at worst it says what was expected where.
Explanation explain(const RefusedLine& line);

}  // namespace lockstep::musimd
