#include "semantics/core/fold_scopes.hpp"

#include <ranges>

namespace lockstep::core {

const Meaning* NameScopes::find(std::string_view name) const {
  for (const Scope& scope : scopes_ | std::views::reverse) {
    if (const auto found = scope.names.find(name); found != scope.names.end()) {
      return &found->second;
    }
  }
  return nullptr;
}

Tag* NameScopes::find_tag(std::string_view name) {
  for (Scope& scope : scopes_ | std::views::reverse) {
    if (const auto found = scope.tags.find(name); found != scope.tags.end()) {
      return &found->second;
    }
  }
  return nullptr;
}

Tag* NameScopes::tag_here(std::string_view name) {
  const auto found = scopes_.back().tags.find(name);
  return found == scopes_.back().tags.end() ? nullptr : &found->second;
}

void NameScopes::declare(const Token& name, Meaning meaning) {
  meaning.span = name.span;
  const auto [entry, added] = scopes_.back().names.try_emplace(name.text, meaning);
  const Meaning& known = entry->second;
  const bool same = known.kind == Meaning::Kind::Type && meaning.kind == Meaning::Kind::Type &&
                    written_type(*known.written) == written_type(*meaning.written);
  if (!added && !same) {
    refuse(name, quoted(name.text) + " is declared already", {{Severity::Note, known.span, "it is declared here", {}}});
  }
}

void NameScopes::declare_other(const Token& name) {
  const auto [entry, added] = scopes_.back().names.try_emplace(name.text, Meaning{.kind = Meaning::Kind::Other, .span = name.span});
  if (!added && entry->second.kind != Meaning::Kind::Other) {
    refuse(name,
           quoted(name.text) + (entry->second.kind == Meaning::Kind::Type ? " names a type" : " is a constant of an enumeration") +
               " here, so that nothing else can be called so",
           {{Severity::Note, entry->second.span, "it is declared here", {}}});
  }
}

std::optional<WrittenType> written_type(const std::vector<Token>& tokens) {
  std::vector<std::string_view> words;
  std::string_view declared;
  for (const Token& token : tokens) {
    if (token.word.kind() == WordKind::Type) {
      words.push_back(token.text);
      declared = token.word == "struct S"_w ? token.text : declared;
    }
  }
  if (!declared.empty()) {
    return words.size() == 1 ? std::optional(WrittenType{{}, declared}) : std::nullopt;
  }
  const std::optional<NamedType> type = type_of(words.data(), words.size());
  return type ? std::optional(WrittenType{*type, {}}) : std::nullopt;
}

std::string_view UniqueNames::make(std::string_view name) {
  const auto [entry, is_free] = given_.try_emplace(name, 2);
  if (is_free) {
    return name;
  }
  if (in_text_.empty()) {
    for (const Token& token : list_.tokens) {
      in_text_.insert(token.text);
    }
  }
  for (unsigned number = entry->second;; ++number) {
    const std::string made = std::string(name) + "_" + std::to_string(number);
    if (!given_.contains(made) && !in_text_.contains(made)) {
      entry->second = number + 1;
      return given_.try_emplace(list_.spelled.emplace_back(made), 2).first->first;
    }
  }
}

}  // namespace lockstep::core
