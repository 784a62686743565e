#pragma once
// The inside of fold_names: one walk through a list of tokens.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "semantics/core/fold_scopes.hpp"

namespace lockstep::core {

using Tokens = std::vector<Token>;

inline bool is_free_name(const Token& token) { return token.kind == TokenKind::Identifier && token.word.kind() == WordKind::None; }

inline bool opens(Word word) { return word == "("_w || word == "["_w || word == "{"_w; }
inline bool closes(Word word) { return word == ")"_w || word == "]"_w || word == "}"_w; }

/// Which names a run of tokens declares: those behind a type, and behind the commas of the same declaration.
class Declared {
 public:
  /// Whether the name declares something here; all tokens are shown in order.
  bool look(const Token& token);
  bool in_parameters() const { return in_parameters_; }

 private:
  static constexpr unsigned none = ~0U;

  unsigned depth_ = 0;
  unsigned declaration_ = none;  ///< how deep the declaration stands whose commas have names behind them
  bool expects_name_ = false;
  bool was_declared_ = false;
  bool in_parameters_ = false;  ///< of a function
};

/// A `for` with its body, which is a scope (C99 6.8.5): how much is open of what it consists of.
struct ForLoop {
  bool is_in_body = false;
  unsigned brackets = 0;  ///< of the head, then of the body: '(' or '{'
  unsigned ifs = 0;       ///< of the body, without the else that they may have
  unsigned dos = 0;       ///< of the body, whose while comes yet
};

/// Puts what names mean in their place, and the declarations of types in front of what they stand in.
class NameFolder {
 public:
  explicit NameFolder(TokenList& list) : list_(list), tokens_(list.tokens), unique_(list) {}

  void run();

 private:
  static bool begins_record(const Token& token) { return token.word == "struct"_w || token.word == "union"_w; }

  const Token& peek() const { return tokens_[std::min(at_, tokens_.size() - 1)]; }

  const Token& take(Word word, const std::string& what);
  std::string described() const { return peek().kind == TokenKind::End ? ", but the text ends here" : ", not " + quoted(peek().text); }

  /// A function or declaration is complete: the types that stand in it come first.
  void finish_item();
  void put_in_item(const Token& token);
  void follow_loops(const Token& token);
  void end_statement();

  /// A token that declares nothing: itself, or what its name stands for.
  void put(Tokens& out, const Token& token);

  /// The words of a type in front of a name that a typedef gives it.
  Tokens type_words(const Token& begin);
  void read_typedef();

  /// The declaration of a pointer or array type; what its name stands for.
  std::shared_ptr<const Tokens> derived(const Token& begin, const Tokens& words, const Tokens& stars, const Token& name);

  /// Attributes behind a typedef's name are read over, but for those that would make another type of it.
  void read_attributes(bool is_number);

  // Structures and unions.

  static Token declared_type(Token token, std::string_view name);

  /// `struct S {…}` or `struct S`: the type. Its declaration goes in front of the item.
  Token read_record();

  /// A use of a tag; with `;` behind it, or where there is none yet, its declaration for later.
  Token named_record(const Token& keyword, const Token& tag);
  static void check_tag(const Tag& known, const Token& keyword, const Token& tag);

  /// The name of the structure that the tag declares in this scope.
  std::string_view name_of(const Token& keyword, const Token& tag, bool defines);
  Token define_record(const Token& keyword, const std::optional<Token>& tag, std::string_view name, Tokens attributes);

  /// Members have a space of names of their own: what stands behind a type, `*` or `,` is a member's.
  void put_member(Tokens& members, const Token& token);
  void copy_attributes(Tokens& to);

  // Enumerations.

  Token number(std::uint64_t value, SourceSpan span);
  static Token sign(Word word, SourceSpan span);

  /// The value behind the `=` of a constant: numbers, earlier constants, types and operators, so that it is one.
  Tokens constant_value();
  Tokens constant(const Meaning& meaning, SourceSpan span);
  void read_constants();

  /// `enum NAME {…}`, `enum {…}` or `enum NAME`: the type, int.
  Token read_enum();

  TokenList& list_;
  Tokens& tokens_;
  std::size_t at_ = 0;
  Tokens out_;
  Tokens hoisted_;         ///< declarations of types in front of the item
  Tokens item_;            ///< the function or declaration that is being read
  std::size_t count_ = 0;  ///< tokens that have come instead of names
  Declared declared_;
  bool has_parameters_ = false;  ///< the innermost scope is that of parameters, and their function's block has not begun
  unsigned records_ = 0;
  unsigned hoists_ = 0;  ///< declarations of types that are being read, one in the other
  NameScopes scopes_;
  std::vector<ForLoop> loops_;  ///< innermost last
  UniqueNames unique_;
};

}  // namespace lockstep::core
