#include <charconv>
#include <string_view>
#include <utility>

#include "semantics/core/parse_builder.hpp"

namespace lockstep::core {

syntax::ContractPragma TreeBuilder::contract() const {
  return {last().text == "DEFAULT" ? std::nullopt : std::optional(last().text == "ON")};
}

void TreeBuilder::open_statement() {
  enter(last());
  open_.push_back({&last(), statements_.size()});
}

template <class Node>
void TreeBuilder::push_statement(Node node) {
  const Token* first = open_.back().first;
  open_.pop_back();
  leave();
  statements_.emplace_back(syntax::Stmt{std::move(node), from(first)});
}

std::unique_ptr<syntax::Stmt> TreeBuilder::pop_statement() {
  std::optional<syntax::Stmt> statement = std::move(statements_.back());
  statements_.pop_back();
  return statement ? std::make_unique<syntax::Stmt>(std::move(*statement)) : nullptr;
}

void TreeBuilder::open_block() {
  open_statement();
  open_bracket();
}

void TreeBuilder::close_block() {
  close_bracket();
  const auto first = statements_.begin() + static_cast<std::ptrdiff_t>(open_.back().statements);
  syntax::Block block;
  block.statements.reserve(static_cast<std::size_t>(statements_.end() - first));
  for (auto statement = first; statement != statements_.end(); ++statement) {
    block.statements.push_back(std::move(**statement));
  }
  statements_.erase(first, statements_.end());
  push_statement(std::move(block));
}

void TreeBuilder::expression_statement() {
  syntax::ExprPtr expression = pop_expression();
  const SourceSpan span = expression ? join(expression->span, last().span) : last().span;
  statements_.emplace_back(syntax::Stmt{syntax::ExprStatement{std::move(expression)}, span});
}

void TreeBuilder::declaration_statement() {
  const Declaring& declaring = declaring_.back();
  if (declaring.storage != nullptr) {
    const bool is_static = declaring.storage->word == "static"_w;
    refuse(*declaring.storage, is_static ? "a variable of a function cannot be static" : "only a function can be inline");
  }
  const SourceSpan span = from(declaring.first);
  statements_.emplace_back(syntax::Stmt{take_declaration(), span});
}

void TreeBuilder::pragma_statement() { statements_.emplace_back(syntax::Stmt{contract(), last().span}); }

void TreeBuilder::no_statement() { statements_.emplace_back(); }

void TreeBuilder::close_if() {
  std::unique_ptr<syntax::Stmt> otherwise = pop_statement();
  std::unique_ptr<syntax::Stmt> then = pop_statement();
  push_statement(syntax::If{pop_expression(), std::move(then), std::move(otherwise)});
}

void TreeBuilder::close_while() { push_statement(syntax::While{pop_expression(), pop_statement()}); }

void TreeBuilder::close_do() { push_statement(syntax::DoWhile{pop_statement(), pop_expression()}); }

void TreeBuilder::close_for() {
  std::unique_ptr<syntax::Stmt> body = pop_statement();
  std::unique_ptr<syntax::Stmt> init = pop_statement();
  syntax::ExprPtr step = pop_expression();
  syntax::ExprPtr condition = pop_expression();
  push_statement(syntax::For{std::move(init), std::move(condition), std::move(step), std::move(body)});
}

void TreeBuilder::open_hinted() {
  std::optional<UnrollHint> hint;
  const auto found = [&](std::string_view count, SourceSpan span) {
    unsigned rounds = count == "nounroll" ? 1 : 0;
    const bool is_word = count == "nounroll" || count == "unroll";
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), rounds);
    if (is_word || (error == std::errc{} && end == count.data() + count.size() && rounds != 0)) {
      hint = {rounds, span};
    } else {
      unit_.lost_hints.push_back(span);
    }
  };
  for (const Token* token = at; token->word != "for"_w && token->word != "while"_w && token->word != "do"_w; ++token) {
    if (token->kind == TokenKind::Unroll) {
      found(token->text, token->span);
    } else if (token->text == "opencl_unroll_hint" || token->text == "__opencl_unroll_hint__") {
      found(token[1].word == "("_w ? token[2].text : "unroll", token->span);
    }
  }
  hints_.push_back(hint);
}

void TreeBuilder::close_hinted() {
  if (const std::optional<UnrollHint> hint = hints_.back()) {
    std::unique_ptr<syntax::Stmt> loop = pop_statement();
    const SourceSpan span = loop->span;
    statements_.emplace_back(syntax::Stmt{syntax::Hinted{*hint, std::move(loop)}, span});
  }
  hints_.pop_back();
}

void TreeBuilder::lost_hint() { unit_.lost_hints.push_back(last().span); }

void TreeBuilder::close_switch() { push_statement(syntax::Switch{pop_expression(), pop_statement()}); }

void TreeBuilder::close_case() { push_statement(syntax::CaseLabel{pop_expression()}); }

void TreeBuilder::close_default() { push_statement(syntax::CaseLabel{}); }

void TreeBuilder::close_break() { push_statement(syntax::Break{}); }

void TreeBuilder::close_continue() { push_statement(syntax::Continue{}); }

void TreeBuilder::close_return() { push_statement(syntax::Return{pop_expression()}); }

}  // namespace lockstep::core
