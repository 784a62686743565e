#pragma once
// Cuts a text into C's preprocessing tokens (C99 6.4), one by one.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "semantics/core/token.hpp"

namespace lockstep::core {

/// Comments and blanks are left out; a backslash at the end of a line joins it with the next one.
class Lexer {
 public:
  /// `text` must outlive the tokens; what is spelled otherwise than in the text goes to `spelled`. Spans are counted from `base`.
  Lexer(std::string_view text, std::deque<std::string>& spelled, std::uint32_t base = 0);

  /// The next token; TokenKind::End from the end on. Throws Refused at a comment that does not end.
  Token next();

 private:
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char ahead() const;
  std::size_t behind_splices(std::size_t at) const;
  void step();
  void skip_blanks(Token& token);
  void skip_comment();
  void read_quoted(Token& token);
  void read_sign(Token& token);

  std::string_view text_;
  std::deque<std::string>& spelled_;
  std::uint32_t base_;
  std::size_t at_ = 0;   // of the next character; never at a splice
  std::size_t end_ = 0;  // behind the last character that was read
  bool starts_line_ = true;
};

}  // namespace lockstep::core
