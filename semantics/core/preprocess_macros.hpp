#pragma once
// Macros: their definitions, and the text that takes the place of their uses (C99 6.10.3).

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "semantics/core/token.hpp"

namespace lockstep::core {

/// Hands out tokens with all macros replaced. It reads from `source` wherever no macro's text is left to read; so a macro's arguments may
/// go on over several lines.
class Macros {
 public:
  using Source = std::function<Token()>;

  /// `__LINE__` and `__FILE__` of a token, as they are to be read.
  using Position = std::function<std::string(const Token&)>;

  /// `spelled` keeps the texts that `##` and `#` make.
  Macros(Source source, Position position, std::deque<std::string>& spelled)
      : source_(std::move(source)), position_(std::move(position)), spelled_(spelled) {}

  /// Reads what stands behind `#define` in its line. `directive` is the place of the directive, empty for -D.
  void define(std::span<const Token> line, SourceSpan directive);
  void undefine(std::string_view name);

  /// Asked by #ifdef. The names of predefined.def are macros in OpenCL C, though not here, until they are undefined.
  bool is_defined(std::string_view name) const;

  /// The next token, macros replaced. What starts a line in the file still says so, so that the caller finds directives.
  Token next();

  /// A line's tokens with all macros in them replaced.
  std::vector<Token> expand(std::vector<Token> tokens);

 private:
  struct Part {
    Token token;
    std::optional<std::size_t> parameter;
    bool is_pasted = false;  ///< `##` stands before it
    bool is_quoted = false;  ///< `#` stands before it
  };
  struct Macro {
    bool is_function = false;
    bool is_variadic = false;  ///< the last parameter takes all arguments that are left
    std::vector<std::string_view> parameters;
    std::vector<Part> body;
    SourceSpan span;         ///< of the name in its definition
    unsigned uses_open = 0;  ///< its text is being read: not expanded again
    bool operator==(const Macro& other) const;
  };
  /// Text that is read before the source goes on.
  struct Input {
    std::vector<Token> tokens;
    std::size_t at = 0;
    std::string_view macro = {};  ///< whose text it is; empty for a list that `expand` reads
    bool is_fence = false;        ///< nothing below it is read
  };
  using Argument = std::vector<Token>;

  Token read();
  bool replace(Token& name);
  std::vector<Argument> read_arguments(const Token& name, const Macro& macro, SourceSpan& use);
  std::vector<Token> substitute(const Macro& macro, const std::vector<Argument>& arguments, bool has_others, SourceSpan use);
  Token paste(const Token& left, const Token& right, SourceSpan use);
  Token quote(const Argument& argument, SourceSpan use);
  static bool takes_comma(const Macro& macro, std::size_t i);
  bool is_place(Token& token);
  std::size_t read_parameters(std::span<const Token> line, Macro& macro) const;
  void read_body(std::span<const Token> body, Macro& macro) const;
  void count(const Token& where);
  void count_spelled(std::size_t characters, SourceSpan where);

  Source source_;
  Position position_;
  std::deque<std::string>& spelled_;
  std::unordered_map<std::string_view, Macro> macros_;
  std::unordered_set<std::string_view> undefined_;
  std::vector<Input> inputs_;
  std::size_t produced_ = 0;
  std::size_t spelled_characters_ = 0;  ///< that `#` and `##` have put together
  unsigned nesting_ = 0;
};

}  // namespace lockstep::core
