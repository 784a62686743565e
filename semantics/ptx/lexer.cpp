#include "semantics/ptx/lexer.hpp"

#include <fmt/format.h>

#include <utility>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/program_text.hpp"

// By hand: a grammar of a library is several times slower, and a file of PTX has some 10 tokens a line.

namespace lockstep::ptx {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool begins_name(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%'; }
constexpr bool goes_on(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

}  // namespace

TokenStream::TokenStream(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) {
    at_ = 3;
  }
  ahead_[0] = read();
  ahead_[1] = read();
}

Token TokenStream::take() {
  Token taken = ahead_[0];
  end_ = taken.span.end;
  open_braces_ += taken.is('{') ? 1 : taken.is('}') ? -1 : 0;
  ahead_[0] = ahead_[1];
  ahead_[1] = read();
  return taken;
}

bool TokenStream::take_if(char sign) {
  const bool there = peek().is(sign);
  if (there) {
    take();
  }
  return there;
}

bool TokenStream::take_dot_if(std::string_view word) {
  const bool there = peek().is_dot(word);
  if (there) {
    take();
  }
  return there;
}

void TokenStream::expect(char sign) {
  if (!take_if(sign)) {
    refuse_next(fmt::format("'{}'", sign));
  }
}

Token TokenStream::expect(Token::Kind kind, std::string_view what) {
  if (peek().kind != kind) {
    refuse_next(what);
  }
  return take();
}

void TokenStream::refuse_next(std::string_view what) const {
  if (peek().kind == Token::Kind::End) {
    refuse(peek().span, fmt::format("expected {} before the end of the text", what));
  }
  if (peek().kind == Token::Kind::Bad) {
    refuse(peek().span, std::string(peek().text));
  }
  const std::string_view text = text_.substr(peek().span.begin, peek().span.end - peek().span.begin);
  refuse(peek().span, fmt::format("expected {} before {}", what, quoted(text)));
}

bool TokenStream::at_line_start() const {
  std::size_t i = peek().span.begin;
  while (i > 0 && (text_[i - 1] == ' ' || text_[i - 1] == '\t')) {
    --i;
  }
  return i == 0 || text_[i - 1] == '\n';
}

void TokenStream::skip_line() {
  at_ = std::min(text_.find('\n', peek().span.begin), text_.size());
  ahead_[0] = read();
  ahead_[1] = read();
}

void TokenStream::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (text_.substr(at_).starts_with("//") || c == '#') {  // '#' begins a line of the preprocessor
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_).starts_with("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) {
        return;
      }
      at_ = end + 2;
    } else {
      return;
    }
  }
}

Token TokenStream::token(Token::Kind kind, std::size_t begin, std::size_t text_begin, std::size_t text_end, std::size_t end) const {
  return {kind, text_.substr(text_begin, text_end - text_begin), {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}};
}

Token TokenStream::read() {
  skip_blanks();
  const std::size_t begin = at_;
  if (at_ == text_.size()) {
    return token(Token::Kind::End, begin, begin, begin, begin);
  }
  const auto bad = [&](std::string_view message) {
    at_ = text_.size();
    return Token{Token::Kind::Bad, message, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + 1)}};
  };
  if (text_.substr(at_).starts_with("/*")) {
    return bad("this comment has no end");
  }
  const auto goes_on_at = [&](std::size_t i) { return i < text_.size() && goes_on(text_[i]); };
  const char c = text_[at_];
  if (begins_name(c) && (c != '%' || goes_on_at(at_ + 1))) {
    for (++at_; goes_on_at(at_); ++at_) {
    }
    return token(Token::Kind::Name, begin, begin, at_, at_);
  }
  if (c == '.' && goes_on_at(at_ + 1)) {
    for (++at_; goes_on_at(at_) || (text_.substr(at_).starts_with("::") && goes_on_at(at_ + 2)); ++at_) {
      at_ += text_[at_] == ':' ? 1U : 0U;
    }
    return token(Token::Kind::Dot, begin, begin + 1, at_, at_);
  }
  if (is_digit(c)) {
    // One word up to what cannot be of a number; whether it is one is for who reads it.
    for (++at_; goes_on_at(at_) || (at_ < text_.size() && text_[at_] == '.') ||
                (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') &&
                 text_.substr(begin, 2) != "0x" && text_.substr(begin, 2) != "0X" && text_.substr(begin, 2) != "0f" &&
                 text_.substr(begin, 2) != "0d" && text_.substr(begin, 2) != "0F" && text_.substr(begin, 2) != "0D");
         ++at_) {
    }
    return token(Token::Kind::Number, begin, begin, at_, at_);
  }
  if (c == '"') {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
      end += text_[end] == '\\' && end + 1 < text_.size() ? 2U : 1U;
    }
    if (end >= text_.size() || text_[end] != '"') {
      return bad("this string has no end");
    }
    at_ = end + 1;
    return token(Token::Kind::String, begin, begin + 1, end, at_);
  }
  ++at_;
  return token(Token::Kind::Sign, begin, begin, at_, at_);
}

}  // namespace lockstep::ptx
