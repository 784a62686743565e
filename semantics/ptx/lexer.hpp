#pragma once
// The words of a PTX text.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "semantics/base/source.hpp"

namespace lockstep::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    Name,    ///< add, %r1, $L__BB0_2, _
    Dot,     ///< .global, .shared::cta; the text is without the dot
    Number,  ///< 12, 0xffU, 1.5, 0f3F800000
    String,  ///< the text is what stands between the quotes
    Sign,    ///< any other single character
    Bad,     ///< a string or comment without its end; the text says so
    End,
  };
  Kind kind = Kind::End;
  std::string_view text;
  SourceSpan span;  ///< with its dot or quotes

  bool is(char sign) const { return kind == Kind::Sign && text[0] == sign; }
  bool is_dot(std::string_view word) const { return kind == Kind::Dot && text == word; }
};

/// Reads the tokens of a text one by one, two of them ahead. The text must outlive it. Behind the last one each is End.
class TokenStream {
 public:
  explicit TokenStream(std::string_view text);

  const Token& peek() const { return ahead_[0]; }
  const Token& second() const { return ahead_[1]; }

  /// The next token, which is behind then.
  Token take();

  bool take_if(char sign);
  bool take_dot_if(std::string_view word);

  // What has to come next; `what` is said where it does not: "expected WHAT".
  void expect(char sign);
  Token expect(Token::Kind kind, std::string_view what);

  /// Refuses the next token: "expected WHAT before 'X'".
  [[noreturn]] void refuse_next(std::string_view what) const;

  /// Where the token that was taken last ends.
  std::uint32_t end() const { return end_; }
  SourceSpan span_from(std::uint32_t begin) const { return {begin, end_ > begin ? end_ : begin}; }

  /// How many `{` have been taken and not closed.
  std::int64_t open_braces() const { return open_braces_; }

  /// Whether the next token is the first one of its line.
  bool at_line_start() const;

  /// Behind the rest of the line that the next token is in.
  void skip_line();

 private:
  Token read();
  void skip_blanks();
  Token token(Token::Kind kind, std::size_t begin, std::size_t text_begin, std::size_t text_end, std::size_t end) const;

  std::string_view text_;
  std::size_t at_ = 0;
  std::array<Token, 2> ahead_;
  std::uint32_t end_ = 0;
  std::int64_t open_braces_ = 0;
};

}  // namespace lockstep::ptx
