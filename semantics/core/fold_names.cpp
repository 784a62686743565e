#include "semantics/core/fold_names.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "semantics/core/preprocess.hpp"

namespace lockstep::core {
namespace {

/// What a name stands for: the words of a type, or a constant, so much more than a value that may be written.
struct Meaning {
  std::shared_ptr<const std::vector<Token>> written;  ///< shared by constants that count from one value on; null: from 0
  std::uint64_t more = 0;
  bool is_type = false;
  SourceSpan span;  ///< of the name in its declaration
};

struct Scope {
  std::unordered_map<std::string_view, Meaning> names;
  std::unordered_map<std::string_view, SourceSpan> tags;  ///< of enumerations
};

bool is_name(const Token& token) { return token.kind == TokenKind::Identifier && token.word.kind() == WordKind::None; }

bool may_qualify(Word word) {
  constexpr std::array words = {"const"_w,   "volatile"_w, "global"_w,     "__global"_w, "local"_w,
                                "__local"_w, "constant"_w, "__constant"_w, "private"_w,  "__private"_w};
  return std::ranges::find(words, word) != words.end();
}

/// A constant's value, with those that it is made of, has at most this many tokens: each could be twice the one before.
constexpr std::size_t max_value_tokens = 4096;

class Folder {
 public:
  explicit Folder(TokenList& list) : list_(list), tokens_(list.tokens) {}

  void run() {
    std::vector<Token> out;
    out.reserve(tokens_.size());
    while (true) {
      const Token& token = peek();
      if (token.kind == TokenKind::End) {
        out.push_back(token);
        break;
      }
      if (token.word == "typedef"_w) {
        read_typedef();
      } else if (token.word == "enum"_w) {
        const Token type = read_enum();
        // `enum {…};` declares no variable; an unnamed type would be a declaration without a name.
        if (peek().word == ";"_w) {
          ++at_;
        } else {
          out.push_back(type);
        }
      } else {
        put(out, token);
        ++at_;
      }
    }
    tokens_ = std::move(out);
  }

 private:
  const Token& peek() const { return tokens_[std::min(at_, tokens_.size() - 1)]; }

  const Token& take(Word word, const std::string& what) {
    if (peek().word != word) {
      refuse(peek(), "expected " + what + described());
    }
    return tokens_[at_++];
  }

  std::string described() const { return peek().kind == TokenKind::End ? ", but the text ends here" : ", not " + quoted(peek().text); }

  const Meaning* find(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->names.find(name); found != scope->names.end()) {
        return &found->second;
      }
    }
    return nullptr;
  }

  /// A token that declares nothing: itself, or what its name stands for.
  void put(std::vector<Token>& out, const Token& token) {
    if (token.word == "{"_w) {
      scopes_.emplace_back();
    } else if (token.word == "}"_w && scopes_.size() > 1) {
      scopes_.pop_back();
    }
    const bool is_component = !out.empty() && (out.back().word == "."_w || out.back().word == "->"_w);
    const Meaning* meaning = is_name(token) && !is_component ? find(token.text) : nullptr;
    if (meaning == nullptr) {
      out.push_back(token);
      return;
    }
    if (!out.empty() && out.back().word.kind() == WordKind::Type) {
      refuse(token,
             quoted(token.text) + (meaning->is_type ? " names a type" : " is a constant of an enumeration") +
                 " here, so that nothing else can be called so",
             {{Severity::Note, meaning->span, "it is declared here", {}}});
    }
    const std::vector<Token> tokens = meaning->is_type ? *meaning->written : constant(*meaning, token.span);
    if (out.size() + tokens.size() > max_tokens) {
      refuse(token, "the text becomes more than " + std::to_string(max_tokens) + " tokens");
    }
    for (Token part : tokens) {
      part.span = token.span;
      out.push_back(part);
    }
  }

  void declare(const Token& name, Meaning meaning) {
    meaning.span = name.span;
    const auto [entry, added] = scopes_.back().names.try_emplace(name.text, meaning);
    if (!added && !(meaning.is_type && entry->second.is_type && same_type(*entry->second.written, *meaning.written))) {
      refuse(name, quoted(name.text) + " is declared already", {{Severity::Note, entry->second.span, "it is declared here", {}}});
    }
  }

  static std::optional<NamedType> named_type(const std::vector<Token>& tokens) {
    std::vector<std::string_view> words;
    for (const Token& token : tokens) {
      if (token.word.kind() == WordKind::Type) {
        words.push_back(token.text);
      }
    }
    return type_of(words.data(), words.size());
  }

  static bool same_type(const std::vector<Token>& a, const std::vector<Token>& b) { return named_type(a) == named_type(b); }

  /// The words of a type in front of a name that a typedef gives it.
  std::vector<Token> type_words(const Token& begin) {
    std::vector<Token> words;
    while (true) {
      const Token& token = peek();
      if (token.word == "enum"_w) {
        words.push_back(read_enum());
        continue;
      }
      const bool has_type = std::ranges::any_of(words, [](const Token& word) { return word.word.kind() == WordKind::Type; });
      const Meaning* meaning = is_name(token) ? find(token.text) : nullptr;
      // Behind a type its own name may be given to it again: typedef unsigned int uint;
      const bool ends = has_type && token.word.kind() == WordKind::Type && tokens_[std::min(at_ + 1, tokens_.size() - 1)].word == ";"_w &&
                        named_type(words) == named_type({token});
      // Qualifiers that stand there already say nothing more.
      const auto add = [&words](const Token& word) {
        if (!may_qualify(word.word) || std::ranges::find(words, word.word, &Token::word) == words.end()) {
          words.push_back(word);
        }
      };
      if (meaning != nullptr && meaning->is_type && !has_type) {
        std::ranges::for_each(*meaning->written, add);
      } else if ((token.word.kind() == WordKind::Type && !ends) || may_qualify(token.word)) {
        add(token);
      } else if (token.word.kind() == WordKind::Refused) {
        refuse(token, refusal(token.word, token.text));
      } else {
        break;
      }
      ++at_;
    }
    const auto type = named_type(words);
    if (words.empty() || !type) {
      refuse(begin, words.empty() ? "a typedef begins with the type that gets another name" : "these words together are no type");
    }
    if (!type->scalar) {
      refuse(begin, "void gets no other name here");
    }
    return words;
  }

  void read_typedef() {
    const Token begin = tokens_[at_++];
    const auto words = std::make_shared<const std::vector<Token>>(type_words(begin));
    while (true) {
      const Token name = peek();
      if (name.word == "*"_w || name.word == "("_w) {
        refuse(name,
               "a typedef gives another name to a scalar or vector type; pointers and functions are written out where they are declared");
      }
      if (!is_name(name) && name.word.kind() != WordKind::Type) {
        refuse(name, "expected a name for the type" + described());
      }
      ++at_;
      if (peek().word == "["_w) {
        refuse(peek(), "a typedef gives another name to a scalar or vector type; sizes of arrays are written where they are declared");
      }
      if (is_name(name)) {
        declare(name, {.written = words, .is_type = true, .span = {}});
      }
      read_attributes();
      if (peek().word != ","_w) {
        break;
      }
      ++at_;
    }
    take(";"_w, "';' behind the name of the type");
  }

  /// Attributes behind a typedef's name are read over, but for those that would make another type of it.
  void read_attributes() {
    while (peek().word == "__attribute__"_w) {
      ++at_;
      unsigned depth = 0;
      do {
        const Token& token = peek();
        if (token.kind == TokenKind::End || token.text == "ext_vector_type" || token.text == "vector_size" || token.text == "mode") {
          refuse(token, token.kind == TokenKind::End ? "expected ')' behind the attribute, but the text ends here"
                                                     : "this attribute makes another type; vectors have names, such as float4");
        }
        depth += token.word == "("_w ? 1U : 0U;
        depth -= token.word == ")"_w && depth > 0 ? 1U : 0U;
        ++at_;
      } while (depth > 0);
    }
  }

  Token number(std::uint64_t value, SourceSpan span) {
    Token token;
    token.kind = TokenKind::Number;
    token.text = list_.spelled.emplace_back(std::to_string(value));
    token.span = span;
    return token;
  }

  static Token sign(Word word, SourceSpan span) {
    Token token;
    token.kind = TokenKind::Sign;
    token.word = word;
    token.text = word.info().text;
    token.span = span;
    return token;
  }

  /// The value behind the `=` of a constant: numbers, earlier constants, types and operators, so that it is one.
  std::vector<Token> constant_value() {
    std::vector<Token> value;
    unsigned depth = 0;
    while (depth > 0 || (peek().word != ","_w && peek().word != "}"_w)) {
      const Token& token = peek();
      if (token.kind == TokenKind::End || token.word == ";"_w || token.word == "{"_w) {
        refuse(token, "expected ',' or '}' behind the value of an enumeration's constant" + described());
      }
      if (is_name(token) && find(token.text) == nullptr) {
        refuse(token, quoted(token.text) + " is no constant; the value is made of numbers, earlier constants and operators");
      }
      depth += token.word == "("_w ? 1U : 0U;
      depth -= token.word == ")"_w && depth > 0 ? 1U : 0U;
      put(value, token);
      ++at_;
      if (value.size() > max_value_tokens) {
        refuse(token, "this value becomes too long: it has more than " + std::to_string(max_value_tokens) + " tokens");
      }
    }
    if (value.empty()) {
      refuse(peek(), "expected the value of the constant" + described());
    }
    return value;
  }

  std::vector<Token> constant(const Meaning& meaning, SourceSpan span) {
    std::vector<Token> value = {sign("("_w, span)};
    if (meaning.written != nullptr) {
      // A constant is an int, of whatever type its value is written (C99 6.4.4.3): with 1u, A - 2 is below 0.
      Token type = sign("int"_w, span);
      type.kind = TokenKind::Identifier;
      std::ranges::copy(std::array{sign("("_w, span), type, sign(")"_w, span), sign("("_w, span)}, std::back_inserter(value));
      std::ranges::copy(*meaning.written, std::back_inserter(value));
      value.push_back(sign(")"_w, span));
      value.push_back(sign("+"_w, span));
    }
    value.push_back(number(meaning.more, span));
    value.push_back(sign(")"_w, span));
    return value;
  }

  void read_constants() {
    ++at_;
    std::shared_ptr<const std::vector<Token>> base;  // the last value that is written, from which on is counted
    std::uint64_t more = 0;
    while (peek().word != "}"_w) {
      const Token name = peek();
      if (!is_name(name)) {
        refuse(name, "expected the name of a constant" + described());
      }
      ++at_;
      if (peek().word == "="_w) {
        ++at_;
        base = std::make_shared<const std::vector<Token>>(constant_value());
        more = 0;
      }
      declare(name, {.written = base, .more = more++, .span = {}});
      if (peek().word != ","_w) {
        break;
      }
      ++at_;
    }
    take("}"_w, "',' or '}' behind a constant");
  }

  /// `enum NAME {…}`, `enum {…}` or `enum NAME`: the type, int.
  Token read_enum() {
    Token type = tokens_[at_++];
    std::optional<Token> tag;
    if (is_name(peek())) {
      tag = tokens_[at_++];
    }
    if (peek().word == "{"_w) {
      read_constants();
      if (tag) {
        scopes_.back().tags.emplace(tag->text, tag->span);
      }
    } else if (!tag) {
      refuse(peek(), "expected '{' or the name of an enumeration" + described());
    } else if (std::ranges::none_of(scopes_, [&](const Scope& scope) { return scope.tags.contains(tag->text); })) {
      refuse(*tag, "there is no enumeration " + quoted(tag->text));
    }
    type.word = "int"_w;
    type.text = "int";
    return type;
  }

  TokenList& list_;
  std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  std::vector<Scope> scopes_ = std::vector<Scope>(1);
};

}  // namespace

void fold_names(TokenList& list) {
  const auto declares = [](const Token& token) { return token.word == "typedef"_w || token.word == "enum"_w; };
  if (std::ranges::any_of(list.tokens, declares)) {
    Folder(list).run();
  }
}

}  // namespace lockstep::core
