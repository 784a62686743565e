#pragma once
// Syntax trees back to text, and the comparison that says whether the text means the same tree.

#include <string>

#include "semantics/core/syntax.hpp"

namespace lockstep::core {

/// The text of a kernel file: parse(print(unit)) is the same unit (`same`), and prints the same. Two blanks for each level; parentheses
/// where the tree needs them and where Expr::parenthesised says so. Qualifiers that the tree does not keep (volatile, …) are
/// gone. A body that no text has without braces (a declaration, or an `if` that would take its parent's `else`) gets braces.
std::string print(const syntax::TranslationUnit& unit);

/// One expression, as it stands in print(unit).
std::string print(const syntax::Expr& expression);

/// The same tree up to spans and Expr::parenthesised.
bool same(const syntax::TranslationUnit& a, const syntax::TranslationUnit& b);
bool same(const syntax::Expr& a, const syntax::Expr& b);

}  // namespace lockstep::core
