#include "semantics/core/fold_strings.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace lockstep::core {
namespace {

/// Strings one after the other are one.
class StringFolder {
 public:
  explicit StringFolder(TokenList& list) : list_(list) {}

  void run() {
    std::vector<Token> folded;
    std::vector<Word> open;  // brackets around
    for (std::size_t i = 0; i < list_.tokens.size(); ++i) {
      const Token& token = list_.tokens[i];
      if (token.kind != TokenKind::String) {
        if (token.word == "("_w || token.word == "["_w || token.word == "{"_w) {
          open.push_back(token.word);
        } else if ((token.word == ")"_w || token.word == "]"_w || token.word == "}"_w) && !open.empty()) {
          open.pop_back();
        }
        folded.push_back(token);
        continue;
      }
      std::string text(without_quotes(token.text));
      for (; list_.tokens[i + 1].kind == TokenKind::String; ++i) {
        text += without_quotes(list_.tokens[i + 1].text);
      }
      const Word before = folded.empty() ? Word{} : folded.back().word;
      const bool is_in_list = !open.empty() && open.back() == "{"_w && (before == "{"_w || before == ","_w);
      const bool is_array = before == "="_w && folded.size() > 1 && folded[folded.size() - 2].word == "]"_w && is_declaration(folded);
      if (is_in_list || is_array) {
        put_list(text, token, is_array && fills(folded, text), folded);
      } else {
        folded.push_back(made(TokenKind::Identifier, name_of(text, token), token));
      }
    }
    folded.insert(folded.begin(), declarations_.begin(), declarations_.end());
    list_.tokens = std::move(folded);
  }

 private:
  Token made(TokenKind kind, std::string_view text, const Token& from) {
    Token token = from;
    token.kind = kind;
    token.text = text;
    token.word = kind == TokenKind::Number || kind == TokenKind::Character ? Word{} : word_of(text);
    return token;
  }

  /// Whether the statement that the tokens end with begins with two words, as no assignment to an element does.
  static bool is_declaration(const std::vector<Token>& tokens) {
    std::size_t begin = tokens.size();
    std::size_t depth = 0;  // of the lists of other arrays, which have a comma behind them
    for (; begin > 0; --begin) {
      const Word word = tokens[begin - 1].word;
      const bool is_list = word == "}"_w && (depth > 0 || (begin < tokens.size() && tokens[begin].word == ","_w));
      const bool ends = word == ";"_w || word == "{"_w || word == "}"_w || word == "("_w || word == ")"_w;
      if (is_list) {
        ++depth;
      } else if (depth > 0) {
        depth -= word == "{"_w ? 1U : 0U;
      } else if (ends) {
        break;
      }
    }
    return tokens.size() - begin > 2 && tokens[begin].kind == TokenKind::Identifier && tokens[begin + 1].kind == TokenKind::Identifier;
  }

  /// Whether the array in front, `[5] =`, has room for the characters and not for the 0 behind them.
  static bool fills(const std::vector<Token>& tokens, const std::string& text) {
    const std::size_t at = tokens.size() - 3;
    std::size_t length = 0;
    const bool is_number = tokens.size() > 3 && tokens[at].kind == TokenKind::Number && tokens[at - 1].word == "["_w;
    return is_number &&
           std::from_chars(tokens[at].text.data(), tokens[at].text.data() + tokens[at].text.size(), length).ec == std::errc() &&
           length == characters_of(text).size();
  }

  void put_list(const std::string& text, const Token& from, bool without_end, std::vector<Token>& tokens) {
    tokens.push_back(made(TokenKind::Sign, "{", from));
    for (const std::string& character : characters_of(text)) {
      const bool is_ascii = static_cast<unsigned char>(character.front()) < 0x80;
      const std::string_view spelled =
          list_.spelled.emplace_back(is_ascii ? "'" + (character == "'" ? "\\'" : character) + "'"
                                              : std::to_string(static_cast<int>(static_cast<signed char>(character.front()))));
      if (is_ascii) {
        tokens.push_back(made(TokenKind::Character, spelled, from));
      } else {  // a negative number, of which the sign is a token of its own
        tokens.push_back(made(TokenKind::Sign, "-", from));
        tokens.push_back(made(TokenKind::Number, spelled.substr(1), from));
      }
      tokens.push_back(made(TokenKind::Sign, ",", from));
    }
    if (without_end) {
      tokens.pop_back();
    } else {
      tokens.push_back(made(TokenKind::Number, "0", from));
    }
    tokens.push_back(made(TokenKind::Sign, "}", from));
  }

  /// Of the constant array with these characters.
  std::string_view name_of(const std::string& text, const Token& from) {
    const auto [known, is_new] = names_.try_emplace(text);
    if (is_new) {
      known->second = list_.spelled.emplace_back("__string_" + std::to_string(names_.size()));
      for (const std::string_view word : {"__constant", "char"}) {
        declarations_.push_back(made(TokenKind::Identifier, word, from));
      }
      declarations_.push_back(made(TokenKind::Identifier, known->second, from));
      for (const std::string_view sign : {"[", "]", "="}) {
        declarations_.push_back(made(TokenKind::Sign, sign, from));
      }
      put_list(text, from, false, declarations_);
      declarations_.push_back(made(TokenKind::Sign, ";", from));
    }
    return known->second;
  }

  TokenList& list_;
  std::unordered_map<std::string, std::string_view> names_;
  std::vector<Token> declarations_;
};

}  // namespace

std::string_view without_quotes(std::string_view literal) { return literal.substr(1, literal.size() - 2); }

std::vector<std::string> characters_of(std::string_view literal) {
  std::vector<std::string> characters;
  for (std::size_t at = 0; at < literal.size();) {
    const std::size_t begin = at++;
    if (literal[begin] != '\\' || at == literal.size()) {
      characters.emplace_back(literal.substr(begin, 1));
      continue;
    }
    const bool is_hexadecimal = literal[at] == 'x';
    const std::string_view numerals = is_hexadecimal ? "0123456789abcdef0123456789ABCDEF" : "01234567";
    std::size_t digits = is_hexadecimal ? at + 1 : at;
    unsigned value = 0;
    for (const std::size_t end = digits + (is_hexadecimal ? 2 : 3);
         digits < std::min(end, literal.size()) && numerals.contains(literal[digits]); ++digits) {
      value = value * (is_hexadecimal ? 16U : 8U) + static_cast<unsigned>(numerals.find(literal[digits]) % 16);
    }
    const bool has_value = digits > at + (is_hexadecimal ? 1 : 0) && value <= 0xff;
    at = has_value ? digits : at + 1;
    std::string escape(literal.substr(begin, at - begin));
    if (has_value) {
      escape = {'\\', static_cast<char>('0' + value / 64), static_cast<char>('0' + value / 8 % 8), static_cast<char>('0' + value % 8)};
    }
    characters.push_back(std::move(escape));
  }
  return characters;
}

void fold_strings(TokenList& list) {
  if (std::ranges::find(list.tokens, TokenKind::String, &Token::kind) != list.tokens.end()) {
    StringFolder(list).run();
  }
}

}  // namespace lockstep::core
