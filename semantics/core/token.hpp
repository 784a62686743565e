#pragma once
// What the preprocessor hands to the grammar.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/base/source.hpp"
#include "semantics/core/parse_words.hpp"

namespace lockstep::core {

enum class TokenKind : std::uint8_t {
  End,         ///< behind the last token; every list of tokens has one
  Identifier,  ///< also all keywords
  Number,      ///< C's preprocessing number, which need not have a value
  Character,   ///< with its quotes
  String,      ///< with its quotes
  Sign,        ///< an operator or punctuation
  Pragma,      ///< FP_CONTRACT: the text is ON, OFF or DEFAULT
  Unroll,      ///< #pragma unroll and nounroll: the text is that word, or how many rounds at a time
  Bad          ///< a character that stands nowhere in C, or the quote of a literal that does not end in its line
};

/// `span` is a place in the user's file: the token itself, or the whole use of the macro that it comes from. `text` lives in the file or
/// in the token list's `spelled`.
struct Token {
  TokenKind kind = TokenKind::End;
  Word word;
  bool starts_line = false;
  bool after_space = false;
  bool is_final = false;    ///< a macro's name inside its own expansion: never expanded (C99 6.10.3.4)
  bool from_macro = false;  ///< from a macro's definition
  std::string_view text;
  SourceSpan span;
  SourceSpan defined;  ///< from_macro: where it stands in the definition; empty for -D
};

struct TokenList {
  std::vector<Token> tokens;
  std::deque<std::string> spelled;  ///< texts that do not stand in the file as they are
};

/// Throws Refused at a token; where it comes from a macro, a note shows it in the definition.
[[noreturn]] inline void refuse(const Token& token, std::string message, Diagnostics notes = {}) {
  if (token.from_macro && token.defined != SourceSpan{}) {
    notes.push_back({Severity::Note, token.defined, "it comes from this macro", {}});
  }
  lockstep::refuse(token.span, std::move(message), std::move(notes));
}

/// The smallest range that has both.
constexpr SourceSpan join(SourceSpan a, SourceSpan b) { return {a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end}; }

}  // namespace lockstep::core
