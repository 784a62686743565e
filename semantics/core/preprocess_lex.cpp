#include "semantics/core/preprocess_lex.hpp"

#include <array>

namespace lockstep::core {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_name(char c) { return starts_name(c) || is_digit(c); }

}  // namespace

Lexer::Lexer(std::string_view text, std::deque<std::string>& spelled, std::uint32_t base) : text_(text), spelled_(spelled), base_(base) {
  at_ = behind_splices(text_.starts_with("\xEF\xBB\xBF") ? 3 : 0);
}

std::size_t Lexer::behind_splices(std::size_t at) const {
  while (at < text_.size() && text_[at] == '\\') {
    if (text_.substr(at + 1).starts_with("\n")) {
      at += 2;
    } else if (text_.substr(at + 1).starts_with("\r\n")) {
      at += 3;
    } else {
      break;
    }
  }
  return at;
}

char Lexer::ahead() const {
  const std::size_t next = behind_splices(at_ + 1);
  return next < text_.size() ? text_[next] : '\0';
}

void Lexer::step() {
  end_ = ++at_;
  at_ = behind_splices(at_);
}

void Lexer::skip_comment() {
  const std::uint32_t begin = base_ + static_cast<std::uint32_t>(at_);
  const bool is_line = ahead() == '/';
  step();
  step();
  while (at_ < text_.size()) {
    if (is_line && here() == '\n') {
      return;
    }
    if (!is_line && here() == '*' && ahead() == '/') {
      step();
      step();
      return;
    }
    step();
  }
  if (!is_line) {
    refuse(SourceSpan{begin, begin + 2}, "this comment is not closed: '*/' is missing");
  }
}

void Lexer::skip_blanks(Token& token) {
  for (;;) {
    const char c = here();
    if (c == '\n') {
      starts_line_ = true;
      step();
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
      step();
    } else if (c == '/' && (ahead() == '/' || ahead() == '*')) {
      skip_comment();
    } else {
      return;
    }
    token.after_space = true;
  }
}

void Lexer::read_quoted(Token& token) {
  const char quote = here();
  const std::size_t begin = at_;
  token.kind = quote == '"' ? TokenKind::String : TokenKind::Character;
  step();
  while (at_ < text_.size() && here() != '\n' && here() != quote) {
    if (here() == '\\' && ahead() != '\n') {
      step();
    }
    if (at_ < text_.size()) {
      step();
    }
  }
  if (here() == quote) {
    step();
    return;
  }
  token.kind = TokenKind::Bad;
  at_ = begin;
  step();
}

void Lexer::read_sign(Token& token) {
  const char first = here();
  step();
  std::array<char, 3> text{first, here(), ahead()};
  for (std::size_t length = text.size(); length > 0; --length) {
    const Word word = word_of({text.data(), length});
    if (word.kind() == WordKind::Sign) {
      token.kind = TokenKind::Sign;
      for (std::size_t i = 1; i < length; ++i) {
        step();
      }
      return;
    }
  }
  token.kind = TokenKind::Bad;
  while (at_ < text_.size() && (static_cast<unsigned char>(here()) & 0xC0U) == 0x80U) {
    step();
  }
}

Token Lexer::next() {
  Token token;
  skip_blanks(token);
  token.starts_line = starts_line_;
  starts_line_ = false;
  const std::size_t begin = at_;
  end_ = at_;
  if (at_ >= text_.size()) {
    token.starts_line = true;
  } else if (starts_name(here())) {
    token.kind = TokenKind::Identifier;
    while (in_name(here())) {
      step();
    }
  } else if (is_digit(here()) || (here() == '.' && is_digit(ahead()))) {
    token.kind = TokenKind::Number;
    char last = '\0';
    while (in_name(here()) || here() == '.' ||
           ((here() == '+' || here() == '-') && (last == 'e' || last == 'E' || last == 'p' || last == 'P'))) {
      last = here();
      step();
    }
  } else if (here() == '"' || here() == '\'') {
    read_quoted(token);
  } else {
    read_sign(token);
  }
  token.span = {base_ + static_cast<std::uint32_t>(begin), base_ + static_cast<std::uint32_t>(end_)};
  token.text = text_.substr(begin, end_ - begin);
  if (token.text.find('\n') != std::string_view::npos) {
    std::string& joined = spelled_.emplace_back();
    for (std::size_t i = behind_splices(begin); i < end_; i = behind_splices(i + 1)) {
      joined += text_[i];
    }
    token.text = joined;
  }
  if (token.kind == TokenKind::Identifier || token.kind == TokenKind::Sign) {
    token.word = word_of(token.text);
  }
  return token;
}

}  // namespace lockstep::core
