#pragma once
// Variables, parameters and their initialisers; heads of functions.

#include <optional>
#include <vector>

#include "semantics/ptx/lexer.hpp"
#include "semantics/ptx/syntax.hpp"

namespace lockstep::ptx {

/// Reads declarations, and counts the values of initialisers, of which a text may have only so many.
class DeclarationReader {
 public:
  /// The space that the next token names, and a variable can lie in; none if it is another word.
  static std::optional<Space> space_of(const Token& token);

  /// `.global .align 4 .b8 a[8], b = 1;` from the space to behind the `;`.
  std::vector<Variable> variables(TokenStream& tokens, Linkage linkage);

  /// `( .param .b64 a, .reg .f32 b )`; nothing if no parenthesis is next. Names may be `_` or left out.
  std::vector<Variable> parameters(TokenStream& tokens);

  /// `.attribute(.managed, .unified(1, 2))`, where it stands: "managed", "unified(1,2)".
  static std::vector<std::string> attributes(TokenStream& tokens);

 private:
  Variable head(TokenStream& tokens, Linkage linkage);
  void declarator(TokenStream& tokens, Variable& variable);
  void dimensions(TokenStream& tokens, Variable& variable);
  Initialiser initialiser(TokenStream& tokens, const Variable& variable);
  void values(TokenStream& tokens, const std::vector<std::uint64_t>& dimensions, std::size_t level, std::uint64_t begin, Initialiser& to);
  InitialValue value(TokenStream& tokens);

  std::uint64_t values_read_ = 0;
};

/// `.maxntid 128, 1, 1`: whether the next token is such a directive's word; then it is read.
std::optional<PerformanceDirective> performance_directive(TokenStream& tokens);

}  // namespace lockstep::ptx
