#pragma once
// Which names mean types and constants at a place of the text: scopes (C99 6.2.1) and the two spaces of names (6.2.3).

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "semantics/core/token.hpp"

namespace lockstep::core {

/// What a name stands for.
struct Meaning {
  enum class Kind : std::uint8_t { Type, Constant, Other };  ///< Other: a variable or function, which hides what the name means outside
  Kind kind = Kind::Other;
  /// Of a type its words. Of a constant the value that it counts from, shared by those that count from one value on; null: from 0.
  std::shared_ptr<const std::vector<Token>> written = {};
  std::uint64_t more = 0;
  SourceSpan span = {};  ///< of the name in its declaration
};

/// What stands behind `struct`, `union` or `enum`.
struct Tag {
  Word keyword;
  std::string_view name;  ///< of a structure or union: the one that is its alone
  bool is_defined = false;
  SourceSpan span;
};

class NameScopes {
 public:
  void open() { scopes_.emplace_back(); }
  void close() {
    if (scopes_.size() > 1) {
      scopes_.pop_back();
    }
  }
  bool at_file_scope() const { return scopes_.size() == 1; }

  /// The innermost meaning; null if there is none.
  const Meaning* find(std::string_view name) const;
  /// Whether the innermost meaning is that of a scope of a function.
  bool is_inner(std::string_view name) const {
    return find(name) != nullptr && (!scopes_.front().names.contains(name) || find(name) != &scopes_.front().names.at(name));
  }
  /// The same tag, wherever it is declared.
  Tag* find_tag(std::string_view name);
  /// The one of the innermost scope.
  Tag* tag_here(std::string_view name);

  /// In the innermost scope. What has another meaning there is refused; a type may get the same name twice.
  void declare(const Token& name, Meaning meaning);
  /// The name of a variable, parameter or function.
  void declare_other(const Token& name);
  Tag& declare_tag(const Token& name, Tag tag) { return scopes_.back().tags.insert_or_assign(name.text, tag).first->second; }

 private:
  struct Scope {
    std::unordered_map<std::string_view, Meaning> names;
    std::unordered_map<std::string_view, Tag> tags;
  };

  std::vector<Scope> scopes_ = std::vector<Scope>(1);
};

/// The type that the words among these tokens mean, without qualifiers; nothing where they mean none. One that the text declares has its
/// name.
struct WrittenType {
  NamedType type;
  std::string_view declared;

  bool operator==(const WrittenType&) const = default;
};
std::optional<WrittenType> written_type(const std::vector<Token>& tokens);

/// Names for declared types: each is given once, and no text has it for something else of the kind.
class UniqueNames {
 public:
  explicit UniqueNames(TokenList& list) : list_(list) {}

  /// The name itself if it is free; else with a number behind it.
  std::string_view make(std::string_view name);

 private:
  TokenList& list_;
  std::unordered_map<std::string_view, unsigned> given_;  // with the number that the next one gets
  std::unordered_set<std::string_view> in_text_;          // looked up where a name is not free
};

}  // namespace lockstep::core
