// Declarations of types and constants, taken out of a list of tokens.

#include <algorithm>
#include <array>
#include <utility>

#include "semantics/core/name_folder.hpp"
#include "semantics/core/syntax.hpp"

namespace lockstep::core {
namespace {

bool may_qualify(Word word) {
  constexpr std::array words = {"const"_w,   "volatile"_w, "global"_w,     "__global"_w, "local"_w,
                                "__local"_w, "constant"_w, "__constant"_w, "private"_w,  "__private"_w};
  return std::ranges::find(words, word) != words.end();
}

/// A constant's value, with those that it is made of, has at most this many tokens: each could be twice the one before.
constexpr std::size_t max_value_tokens = 4096;

}  // namespace

Tokens NameFolder::type_words(const Token& begin) {
  Tokens words;
  while (true) {
    const Token& token = peek();
    if (token.word == "enum"_w || begins_record(token)) {
      words.push_back(token.word == "enum"_w ? read_enum() : read_record());
      continue;
    }
    const bool has_type = std::ranges::any_of(words, [](const Token& word) { return word.word.kind() == WordKind::Type; });
    const Meaning* meaning = is_free_name(token) ? scopes_.find(token.text) : nullptr;
    // Behind a type its own name may be given to it again: typedef unsigned int uint;
    const bool ends = has_type && token.word.kind() == WordKind::Type && tokens_[std::min(at_ + 1, tokens_.size() - 1)].word == ";"_w &&
                      written_type(words) == written_type({token});
    // Qualifiers that stand there already say nothing more.
    const auto add = [&words](const Token& word) {
      if (!may_qualify(word.word) || std::ranges::find(words, word.word, &Token::word) == words.end()) {
        words.push_back(word);
      }
    };
    if (meaning != nullptr && meaning->kind == Meaning::Kind::Type && !has_type) {
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
  const auto type = written_type(words);
  if (words.empty() || !type) {
    refuse(begin, words.empty() ? "a typedef begins with the type that gets another name" : "these words together are no type");
  }
  if (!type->type.scalar && type->declared.empty()) {
    refuse(begin, "void gets no other name here");
  }
  return words;
}

void NameFolder::read_typedef() {
  const Token begin = tokens_[at_++];
  const auto words = std::make_shared<const Tokens>(type_words(begin));
  while (true) {
    Tokens stars;
    while (peek().word == "*"_w || (!stars.empty() && peek().word.kind() == WordKind::Qualifier)) {
      stars.push_back(tokens_[at_++]);
    }
    const Token name = peek();
    if (name.word == "("_w) {
      refuse(name, "there are no pointers to functions, and none to arrays as types of their own");
    }
    if (!is_free_name(name) && name.word.kind() != WordKind::Type) {
      refuse(name, "expected a name for the type" + described());
    }
    ++at_;
    if (peek().word == "("_w) {
      refuse(peek(), "functions have no types with names; each is declared as a whole");
    }
    const bool is_derived = !stars.empty() || peek().word == "["_w;
    if (is_free_name(name)) {
      scopes_.declare(name, {.kind = Meaning::Kind::Type, .written = is_derived ? derived(begin, *words, stars, name) : words});
    } else if (is_derived) {
      refuse(name, quoted(name.text) + " is a word of the language and cannot be a name");
    }
    read_attributes(written_type(*words)->declared.empty());
    if (peek().word != ","_w) {
      break;
    }
    ++at_;
  }
  take(";"_w, "';' behind the name of the type");
}

std::shared_ptr<const Tokens> NameFolder::derived(const Token& begin, const Tokens& words, const Tokens& stars, const Token& name) {
  Tokens declaration = {begin};
  std::ranges::copy(words, std::back_inserter(declaration));
  std::ranges::copy(stars, std::back_inserter(declaration));
  const Token type = declared_type(name, unique_.make(name.text));
  declaration.push_back(name);
  declaration.back().text = type.text;
  unsigned depth = 0;
  ++hoists_;
  while (peek().kind != TokenKind::End && (depth > 0 || peek().word == "["_w)) {
    depth += opens(peek().word) ? 1U : 0U;
    depth -= closes(peek().word) ? 1U : 0U;
    put(declaration, tokens_[at_++]);
  }
  --hoists_;
  declaration.push_back(sign(";"_w, name.span));
  std::ranges::copy(declaration, std::back_inserter(hoisted_));
  return std::make_shared<const Tokens>(Tokens{type});
}

void NameFolder::read_attributes(bool is_number) {
  while (peek().word == "__attribute__"_w) {
    ++at_;
    unsigned depth = 0;
    do {
      const Token& token = peek();
      if (token.kind == TokenKind::End || token.text == "ext_vector_type" || token.text == "vector_size" || token.text == "mode") {
        refuse(token, token.kind == TokenKind::End ? "expected ')' behind the attribute, but the text ends here"
                                                   : "this attribute makes another type; vectors have names, such as float4");
      }
      if (!is_number && (token.text == "packed" || token.text == "aligned" || token.text == "__packed__" || token.text == "__aligned__")) {
        refuse(token, "this attribute belongs to the structure itself; write it directly behind its '}'");
      }
      depth += token.word == "("_w ? 1U : 0U;
      depth -= token.word == ")"_w && depth > 0 ? 1U : 0U;
      ++at_;
    } while (depth > 0);
  }
}

Token NameFolder::declared_type(Token token, std::string_view name) {
  token.kind = TokenKind::Identifier;
  token.word = "struct S"_w;
  token.text = name;
  return token;
}

Token NameFolder::read_record() {
  const Token keyword = tokens_[at_++];
  Tokens attributes;
  copy_attributes(attributes);
  std::optional<Token> tag;
  if (is_free_name(peek())) {
    tag = tokens_[at_++];
  }
  if (peek().word != "{"_w) {
    if (!tag) {
      refuse(peek(), "expected '{' or the name of the " + std::string(keyword.text) + described());
    }
    return named_record(keyword, *tag);
  }
  const std::string_view name = tag ? name_of(keyword, *tag, true) : std::string_view();
  return define_record(keyword, tag, name, std::move(attributes));
}

Token NameFolder::named_record(const Token& keyword, const Token& tag) {
  const Tag* known = scopes_.find_tag(tag.text);
  const bool declares = known == nullptr || (peek().word == ";"_w && (item_.empty() || item_.back().word != "("_w));
  if (declares) {
    return declared_type(tag, name_of(keyword, tag, false));
  }
  check_tag(*known, keyword, tag);
  return declared_type(tag, known->name);
}

void NameFolder::check_tag(const Tag& known, const Token& keyword, const Token& tag) {
  if (known.keyword != keyword.word) {
    refuse(tag, quoted(tag.text) + " is declared with '" + std::string(known.keyword.info().text) + "'",
           {{Severity::Note, known.span, "it is declared here", {}}});
  }
}

std::string_view NameFolder::name_of(const Token& keyword, const Token& tag, bool defines) {
  if (Tag* known = scopes_.tag_here(tag.text)) {
    check_tag(*known, keyword, tag);
    if (defines && known->is_defined) {
      refuse(tag, "'" + std::string(keyword.text) + " " + std::string(tag.text) + "' is defined twice",
             {{Severity::Note, known->span, "the first definition is here", {}}});
    }
    known->is_defined = known->is_defined || defines;
    return known->name;
  }
  return scopes_.declare_tag(tag, {keyword.word, unique_.make(tag.text), defines, tag.span}).name;
}

Token NameFolder::define_record(const Token& keyword, const std::optional<Token>& tag, std::string_view name, Tokens attributes) {
  const Token open = tokens_[at_++];
  if (++records_ > syntax::max_nesting) {
    refuse(open, "this is nested too deeply: at most " + std::to_string(syntax::max_nesting) + " levels are allowed");
  }
  Tokens members;
  ++hoists_;
  while (peek().word != "}"_w) {
    const Token token = peek();
    if (token.kind == TokenKind::End) {
      refuse(token, "expected '}' at the end of the file", {{Severity::Note, open.span, "the '{' is here", {}}});
    }
    if (token.word == "typedef"_w) {
      refuse(token, "a typedef cannot stand in a structure");
    }
    if (token.word == "enum"_w) {
      members.push_back(read_enum());
    } else if (begins_record(token)) {
      members.push_back(read_record());
    } else {
      put_member(members, token);
      ++at_;
    }
  }
  --records_;
  const Token close = tokens_[at_++];
  copy_attributes(attributes);
  --hoists_;
  if (name.empty()) {
    name = unique_.make(is_free_name(peek()) ? peek().text : keyword.text == "struct" ? "structure" : "unnamed");
  }
  const Token type = declared_type(tag.value_or(keyword), name);
  hoisted_.push_back(keyword);
  hoisted_.push_back(type);
  std::ranges::copy(attributes, std::back_inserter(hoisted_));
  hoisted_.push_back(open);
  std::ranges::copy(members, std::back_inserter(hoisted_));
  hoisted_.push_back(close);
  hoisted_.push_back(sign(";"_w, close.span));
  return type;
}

void NameFolder::put_member(Tokens& members, const Token& token) {
  const auto type =
      std::ranges::find_if(members.rbegin(), members.rend(), [](const Token& word) { return word.word.kind() != WordKind::Qualifier; });
  const Word before = type == members.rend() ? ";"_w : type->word;
  const bool is_declared = is_free_name(token) && (before.kind() == WordKind::Type || before == "*"_w || before == ","_w);
  if (is_declared) {
    members.push_back(token);
  } else {
    put(members, token);
  }
}

void NameFolder::copy_attributes(Tokens& to) {
  while (peek().word == "__attribute__"_w) {
    unsigned depth = 0;
    to.push_back(tokens_[at_++]);
    do {
      if (peek().kind == TokenKind::End) {
        refuse(peek(), "expected ')' behind the attribute, but the text ends here");
      }
      depth += peek().word == "("_w ? 1U : 0U;
      depth -= peek().word == ")"_w && depth > 0 ? 1U : 0U;
      put(to, tokens_[at_++]);
    } while (depth > 0);
  }
}

Token NameFolder::number(std::uint64_t value, SourceSpan span) {
  Token token;
  token.kind = TokenKind::Number;
  token.text = list_.spelled.emplace_back(std::to_string(value));
  token.span = span;
  return token;
}

Token NameFolder::sign(Word word, SourceSpan span) {
  Token token;
  token.kind = TokenKind::Sign;
  token.word = word;
  token.text = word.info().text;
  token.span = span;
  return token;
}

Tokens NameFolder::constant_value() {
  Tokens value;
  unsigned depth = 0;
  while (depth > 0 || (peek().word != ","_w && peek().word != "}"_w)) {
    const Token& token = peek();
    if (token.kind == TokenKind::End || token.word == ";"_w || token.word == "{"_w) {
      refuse(token, "expected ',' or '}' behind the value of an enumeration's constant" + described());
    }
    if (begins_record(token)) {
      value.push_back(read_record());
      continue;
    }
    const Meaning* meaning = is_free_name(token) ? scopes_.find(token.text) : nullptr;
    if (is_free_name(token) && (meaning == nullptr || meaning->kind == Meaning::Kind::Other)) {
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

Tokens NameFolder::constant(const Meaning& meaning, SourceSpan span) {
  Tokens value = {sign("("_w, span)};
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

void NameFolder::read_constants() {
  ++at_;
  std::shared_ptr<const Tokens> base;  // the last value that is written, from which on is counted
  std::uint64_t more = 0;
  while (peek().word != "}"_w) {
    const Token name = peek();
    if (!is_free_name(name)) {
      refuse(name, "expected the name of a constant" + described());
    }
    ++at_;
    if (peek().word == "="_w) {
      ++at_;
      base = std::make_shared<const Tokens>(constant_value());
      more = 0;
    }
    scopes_.declare(name, {.kind = Meaning::Kind::Constant, .written = base, .more = more++});
    if (peek().word != ","_w) {
      break;
    }
    ++at_;
  }
  take("}"_w, "',' or '}' behind a constant");
}

Token NameFolder::read_enum() {
  Token type = tokens_[at_++];
  std::optional<Token> tag;
  if (is_free_name(peek())) {
    tag = tokens_[at_++];
  }
  if (peek().word == "{"_w) {
    read_constants();
    if (tag) {
      scopes_.declare_tag(*tag, {"enum"_w, {}, true, tag->span});
    }
  } else if (!tag) {
    refuse(peek(), "expected '{' or the name of an enumeration" + described());
  } else if (const Tag* known = scopes_.find_tag(tag->text); known == nullptr || known->keyword != "enum"_w) {
    refuse(*tag, "there is no enumeration " + quoted(tag->text));
  }
  type.word = "int"_w;
  type.text = "int";
  return type;
}

}  // namespace lockstep::core
