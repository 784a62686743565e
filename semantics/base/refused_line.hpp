#pragma once
// What can be said of any line of a μ-SIMD text that a grammar refuses.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockstep {

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

/// The end of the character that stands at `at`, which may have several bytes.
std::size_t character_end(std::string_view text, std::size_t at);

/// One of another language's assignment signs at `begin`, in place of '='. Longer signs stand first.
std::optional<Explanation> foreign_assignment(const RefusedLine& line, std::size_t begin, std::span<const std::string_view> signs);

/// "; equality is written '=='" and the like, behind the plain message; "" where nothing explains the refusal.
std::string operator_hint(const RefusedLine& line);

/// The plain message, at [line.where, end): what was expected, behind which operator where an operand is missing, and `hint`.
Explanation plain_explanation(const RefusedLine& line, std::size_t end, const std::string& hint);

}  // namespace lockstep
