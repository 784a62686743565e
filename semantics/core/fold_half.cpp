#include "semantics/core/fold_half.hpp"

#include <algorithm>

namespace lockstep::core {

void fold_half(TokenList& list) {
  const auto is_half = [](const Token& token) { return token.word == "half"_w; };
  const auto first = std::ranges::find_if(list.tokens, is_half);
  if (first == list.tokens.end()) {
    return;
  }
  const SourceSpan span = first->span;
  const bool is_declared = first != list.tokens.begin() && std::prev(first)->word == "struct"_w;  // a text that was printed
  for (Token& token : list.tokens) {
    token.word = is_half(token) ? Word{} : token.word;
  }
  if (is_declared) {
    return;
  }
  std::vector<Token> declaration;
  for (const std::string_view text : {"typedef", "struct", "half", "{", "ushort", "bits", ";", "}", "half", ";"}) {
    Token token;
    const Word word = word_of(text);
    token.kind = word.kind() == WordKind::Sign ? TokenKind::Sign : TokenKind::Identifier;
    token.word = text == half_name ? Word{} : word;
    token.text = text;
    token.span = span;
    declaration.push_back(token);
  }
  list.tokens.insert(list.tokens.begin(), declaration.begin(), declaration.end());
}

}  // namespace lockstep::core
