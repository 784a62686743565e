#pragma once
// What the readers of program texts have in common: lines without comments, places of tokens, errors of a line, directives that
// go on in the next line.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/source.hpp"

namespace lockstep {

/// No text may be longer, in bytes.
inline constexpr std::size_t max_text = std::size_t{64} << 20;

/// So many errors are shown in one run.
inline constexpr std::size_t max_errors = 20;

/// Why a file cannot be a program, whatever its language: it is longer than max_text, or no text.
std::optional<Diagnostic> unreadable(const SourceFile& source);

/// The errors in textual order; behind the first `max_errors` a note says that there are more.
Diagnostics limited(Diagnostics errors);

/// "the first one is here", for what stands twice.
Diagnostics first_one(SourceSpan span);

/// An error that ends the reading of a line or of the whole text. Thrown by a parser's parts, and never leaves it.
struct Refused {
  Diagnostic diagnostic;
};

/// Throws Refused.
[[noreturn]] void refuse(SourceSpan where, std::string message, Diagnostics notes = {});

/// The lines of a μ-SIMD text, one after the other. `;`, `#` and `//` begin a comment. The text must outlive it.
class TextLines {
 public:
  /// A byte order mark at the start is no part of the text.
  explicit TextLines(std::string_view text);

  /// Goes to the next line that has more than blanks and a comment. False if there is none.
  bool next();

  /// Whether the whole text was read.
  bool at_end() const { return rest_.empty(); }

  /// The present line without its comment and the blanks around it.
  std::string_view line() const { return line_; }

  /// The line's instruction: what stands behind the labels that have been passed.
  std::string_view statement() const { return line_.substr(statement_); }
  /// Where it begins in the line.
  std::size_t statement_begin() const { return statement_; }
  /// A label begins at `word`, a part of the line, and ends with the next `:`.
  void pass_label(std::string_view word);

  /// The place behind the whole text.
  SourceSpan end() const;
  /// Where a part of the text stands in it.
  SourceSpan span(std::string_view part) const;

 private:
  std::string_view text_;
  std::string_view rest_;
  std::string_view line_;
  std::size_t statement_ = 0;
};

/// A directive whose values the next lines may continue: where a line ends with `..`, or the next one begins with it.
struct ContinuedDirective {
  enum class State : std::uint8_t { None, Open, Refused };
  State state = State::None;
  bool goes_on = false;  ///< the last line ended with `..`

  /// Whether `line` belongs to it.
  bool continued_by(std::string_view line) const { return state != State::None && (goes_on || line.starts_with("..")); }
  /// `line`, a part of it, is wrong: nothing more is said of what follows in it.
  void refuse(std::string_view line) {
    state = State::Refused;
    goes_on = line.ends_with("..");
  }
};

}  // namespace lockstep
