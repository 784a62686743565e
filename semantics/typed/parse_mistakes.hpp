#pragma once
// What to say about a line of a typed text that the grammar refuses.

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::typed {

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
};

/// Names the common mistakes. Never fails: at worst it says what was expected where.
Explanation explain(const RefusedLine& line);

}  // namespace lockstep::typed
