#include "semantics/musimd/directive_words.hpp"

#include <algorithm>

namespace lockstep::musimd {

Result<std::vector<Token>> split(std::string_view text) {
  std::vector<Token> tokens;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == ' ' || text[i] == '\t' || text[i] == '\r') {
      ++i;
      continue;
    }
    Token token;
    if (text[i] != '"') {
      const std::size_t end = std::min(text.find_first_of(" \t\r", i), text.size());
      token.text = text.substr(i, end - i);
      i = end;
    } else {
      token.quoted = true;
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) {
          ++i;
          token.text += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i];
        } else {
          token.text += text[i];
        }
      }
      if (i == text.size()) {
        return wrong("expected '\"' at the end of the string");
      }
      ++i;
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

}  // namespace lockstep::musimd
