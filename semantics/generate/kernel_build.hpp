#pragma once
// Making CoRe syntax trees by hand: each function makes one node and puts parentheses around operands that need them, so that
// the printed text is read back as the same tree.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "semantics/core/syntax.hpp"

namespace lockstep::generate::build {

namespace syntax = core::syntax;
using syntax::BinaryOp;
using syntax::ExprPtr;
using syntax::UnaryOp;

ExprPtr expression(decltype(syntax::Expr::node) node);
ExprPtr name(std::string text);
ExprPtr integer(std::uint64_t value);
ExprPtr literal(syntax::IntegerLiteral value);
ExprPtr real(std::string digits, bool is_float);
ExprPtr unary(UnaryOp op, ExprPtr e);
ExprPtr binary(BinaryOp op, ExprPtr left, ExprPtr right);
ExprPtr assignment(std::optional<BinaryOp> op, ExprPtr left, ExprPtr right);
ExprPtr conditional(ExprPtr condition, ExprPtr then, ExprPtr otherwise);
ExprPtr comma(ExprPtr left, ExprPtr right);
ExprPtr element(ExprPtr base, ExprPtr index);
ExprPtr member(ExprPtr base, std::string component);
ExprPtr cast(ScalarType type, ExprPtr e);
/// `(float4)(a, b, …)` of a list of commas.
ExprPtr vector_cast(ScalarType type, unsigned components, ExprPtr list);
ExprPtr call(const std::string& function, std::vector<ExprPtr> arguments, bool is_crev = false);

/// call(f, {a, b}) without the pain of lists of unique pointers.
template <class... E>
ExprPtr call_of(const std::string& function, E... arguments) {
  std::vector<ExprPtr> list;
  list.reserve(sizeof...(arguments));
  (list.push_back(std::move(arguments)), ...);
  return call(function, std::move(list));
}

/// In parentheses, needed or not.
ExprPtr parenthesised(ExprPtr expression);

/// C's precedence of the outermost operator: 0 for the comma up to 15 for names, numbers and what stands in parentheses.
unsigned precedence(const syntax::Expr& expression);

syntax::Stmt statement(decltype(syntax::Stmt::node) node);
syntax::Stmt evaluate(ExprPtr expression);
syntax::Stmt block(std::vector<syntax::Stmt> statements);
syntax::Specifiers specifiers(std::optional<ScalarType> type);
syntax::Declarator declarator(std::string text);
syntax::Initialiser initialiser(ExprPtr value);
/// `type name = value;`
syntax::Stmt declare(ScalarType type, std::string text, ExprPtr value);
std::unique_ptr<syntax::Stmt> boxed(syntax::Stmt statement);
syntax::Item item(decltype(syntax::Item::node) node);

/// Deep copies: the trees own their parts.
ExprPtr copy(const ExprPtr& expression);
syntax::Stmt copy(const syntax::Stmt& statement);
syntax::TranslationUnit copy(const syntax::TranslationUnit& unit);

}  // namespace lockstep::generate::build
