#pragma once
// C++ text as it grows: statements in blocks, with names that are unique in a function. What nobody needs is left out when it is printed.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lockstep::emit_avx512 {

/// A statement, or a block with a head ("for (…)", "if (…)") and statements of its own.
struct Statement {
  std::string text;     ///< of a block: its head, without the brace
  std::string defines;  ///< the variable that it declares or assigns to; empty: it is needed for what it does
  bool is_block = false;
  std::vector<Statement> inside;
};

/// The body of one function.
class Code {
 public:
  Code();

  // ---- names -----------------------------------------------------------------------------------------------------------------

  /// A name like `wanted` that nothing else in the function has: words of C++, and what else was reserved, are avoided.
  std::string unique(std::string_view wanted);
  /// The name is taken from now on.
  void reserve(std::string_view name);

  // ---- statements, at the end of the innermost open block ------------------------------------------------------------------------

  /// Something that is done whatever else is.
  void effect(std::string text);
  /// The same, with a value: the name of a constant for it.
  std::string effect(std::string_view type, std::string_view wanted, const std::string& expression);
  /// `const TYPE NAME = EXPRESSION;`, or the name of the same expression computed before where that is visible. Pure expressions only: they
  /// stand in the outermost block where all that they mention is known, so that loops do not compute them again.
  std::string value(std::string_view type, std::string_view wanted, const std::string& expression);
  /// The same for an expression that reads memory which may change: what was read before counts until `memory_changes`, and only loops
  /// that were opened as quiet are left.
  std::string read(std::string_view type, std::string_view wanted, const std::string& expression);
  /// `TYPE NAME = EXPRESSION;`: a variable that is assigned to later. Its name must be unique.
  void variable(std::string_view type, const std::string& name, const std::string& expression);
  /// Needed only if something reads the variable (or array) `name`.
  void assign(const std::string& name, std::string text);
  /// From here on nothing that was read is known any more.
  void memory_changes() { ++epoch_; }

  /// `variable`: what the head declares. `quiet`: a loop that has a round, and in which no memory changes and nothing is skipped.
  void open(std::string head, const std::string& variable = "", bool quiet = false);
  void close();

  /// The statements that are needed, one a line, indented by `depth` steps of two blanks.
  std::string print(unsigned depth) const;
  /// Whether a needed statement mentions the name; of the last print().
  bool is_used(std::string_view name) const { return used_.contains(std::string(name)); }

 private:
  struct Scope {
    std::vector<Statement> statements;
    std::string head;
    bool quiet = false;
    std::unordered_map<std::string, std::string> known;  ///< names by their expressions
  };

  std::size_t depth_of(const std::string& expression) const;
  std::string define(std::size_t depth, std::string_view type, std::string_view wanted, const std::string& expression,
                     const std::string& key);

  std::vector<Scope> scopes_;
  std::unordered_map<std::string, unsigned> taken_;      ///< how often a name was wanted
  std::unordered_map<std::string, std::size_t> depths_;  ///< of variables: the block that they stand in
  std::unordered_set<std::string> assigned_;             ///< variables that change
  std::uint64_t epoch_ = 0;
  mutable std::unordered_set<std::string> used_;
};

}  // namespace lockstep::emit_avx512
