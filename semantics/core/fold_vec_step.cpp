#include "semantics/core/fold_vec_step.hpp"

#include <optional>

namespace lockstep::core {
namespace {

constexpr std::size_t most_words = 8;  // of a type

/// How many tokens `vec_step(TYPE)` has, and the components; nothing where something else stands there.
struct TypeStep {
  std::size_t tokens = 0;
  unsigned components = 1;
};

std::optional<TypeStep> type_step(const std::vector<Token>& tokens, std::size_t at) {
  if (tokens[at].text != "vec_step" || at + 3 >= tokens.size() || tokens[at + 1].word != "("_w) {
    return std::nullopt;
  }
  std::vector<std::string_view> words;
  for (std::size_t i = at + 2; i < tokens.size() && words.size() <= most_words; ++i) {
    const Token& token = tokens[i];
    if (token.word == ")"_w) {
      const auto type = type_of(words.data(), words.size());
      return type ? std::optional(TypeStep{i + 1 - at, type->components == 3 ? 4 : type->components}) : std::nullopt;
    }
    if (token.word.kind() == WordKind::Type) {
      words.push_back(token.text);
    } else if (token.word.kind() != WordKind::Qualifier) {
      break;
    }
  }
  return std::nullopt;
}

}  // namespace

void fold_vec_step(TokenList& list) {
  std::vector<Token> folded;
  for (std::size_t i = 0; i < list.tokens.size(); ++i) {
    folded.push_back(list.tokens[i]);
    if (const auto step = type_step(list.tokens, i)) {
      Token& number = folded.back();
      number.kind = TokenKind::Number;
      number.word = {};
      number.text = list.spelled.emplace_back(std::to_string(step->components));
      number.span = join(number.span, list.tokens[i + step->tokens - 1].span);
      i += step->tokens - 1;
    }
  }
  list.tokens = std::move(folded);
}

}  // namespace lockstep::core
