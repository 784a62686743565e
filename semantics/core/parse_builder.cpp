#include "semantics/core/parse_builder.hpp"

#include <algorithm>
#include <utility>

#include "semantics/base/internal_error.hpp"
#include "semantics/core/parse_literal.hpp"
#include "semantics/core/parse_mistakes.hpp"

namespace lockstep::core {
namespace {

using syntax::Precedence;

Precedence tighter(Precedence precedence) { return static_cast<Precedence>(static_cast<unsigned>(precedence) + 1); }

/// What an infix sign means: a binary operator, an assignment, or an assignment with an operator.
struct Infix {
  bool is_assignment = false;
  std::optional<syntax::BinaryOp> op;
};

Infix infix_of(std::string_view sign) {
  for (const syntax::BinaryInfo& row : syntax::binary_table) {
    if (sign == row.text) {
      return {.is_assignment = false, .op = row.op};
    }
    if (row.can_assign && sign.size() == row.text.size() + 1 && sign.starts_with(row.text) && sign.back() == '=') {
      return {.is_assignment = true, .op = row.op};
    }
  }
  return {.is_assignment = true, .op = std::nullopt};
}

syntax::UnaryOp prefix_of(std::string_view sign) {
  const auto found = std::ranges::find_if(syntax::unary_table, [&](const auto& row) { return !row.is_postfix && row.text == sign; });
  if (found == syntax::unary_table.end()) {
    throw InternalError("a prefix operator that is not in the table");
  }
  return found->op;
}

}  // namespace

// Nesting.

void TreeBuilder::refuse_depth(const Token& token) {
  refuse(token, "this is nested too deeply: at most " + std::to_string(syntax::max_nesting) + " levels are allowed");
}

void TreeBuilder::enter(const Token& token) {
  if (++nesting_ > syntax::max_nesting) {
    refuse_depth(token);
  }
}

// Expressions.

template <class Node>
void TreeBuilder::push(Node node, SourceSpan span, unsigned height, const Token& blame) {
  if (height + open_levels() > syntax::max_nesting) {
    refuse_depth(blame);
  }
  values_.push_back({std::make_unique<syntax::Expr>(syntax::Expr{std::move(node), span, false}), height});
}

TreeBuilder::Value TreeBuilder::pop() {
  Value value = std::move(values_.back());
  values_.pop_back();
  return value;
}

void TreeBuilder::number() {
  std::visit([this](auto literal) { push(std::move(literal), last().span, 1, last()); }, read_number(last()));
}

void TreeBuilder::character() { push(read_character(last()), last().span, 1, last()); }

void TreeBuilder::truth() { push(syntax::BoolLiteral{last().word == "true"_w}, last().span, 1, last()); }

void TreeBuilder::name() { push(syntax::Identifier{std::string(last().text)}, last().span, 1, last()); }

void TreeBuilder::crev_name() {
  crev_ = at - 2;
  name();
}

void TreeBuilder::wait(Kind kind, Precedence precedence, const Token* token) {
  pending_.push_back({kind, precedence, token, values_.size(), nullptr});
}

void TreeBuilder::prefix() {
  enter(last());
  wait(last().word == "sizeof"_w ? Kind::Sizeof : Kind::Prefix, Precedence::Prefix, &last());
}

void TreeBuilder::infix() {
  const Infix infix = infix_of(last().text);
  const Precedence precedence = infix.is_assignment ? Precedence::Assignment : info(*infix.op).precedence;
  reduce(infix.is_assignment ? tighter(precedence) : precedence);
  wait(Kind::Infix, precedence, &last());
}

void TreeBuilder::question() {
  reduce(tighter(Precedence::Conditional));
  enter(last());
  wait(Kind::Question, Precedence::Conditional, &last());
}

void TreeBuilder::colon() {
  pending_.back().kind = Kind::Conditional;
  leave();
}

void TreeBuilder::finish() { reduce(Precedence::Comma); }

/// Applies the waiting operators that bind at least so tightly, back to the innermost bracket or '?'.
void TreeBuilder::reduce(Precedence at_least) {
  while (!pending_.empty() && pending_.back().kind != Kind::Fence && pending_.back().kind != Kind::Question &&
         pending_.back().precedence >= at_least) {
    apply();
  }
}

void TreeBuilder::apply() {
  const Pending pending = pending_.back();
  pending_.pop_back();
  Value right = pop();
  const SourceSpan behind = join(pending.token->span, right.expr->span);
  switch (pending.kind) {
    case Kind::Prefix:
      leave();
      push(syntax::Unary{prefix_of(pending.token->text), std::move(right.expr)}, behind, right.height + 1, *pending.token);
      return;
    case Kind::Sizeof:
      leave();
      push(syntax::SizeofExpr{std::move(right.expr)}, behind, right.height + 1, *pending.token);
      return;
    case Kind::Cast: {
      leave();
      CastType cast = std::move(casts_.back());
      casts_.pop_back();
      const unsigned height = std::max(right.height, cast.height) + 1;
      push(syntax::Cast{std::move(cast.type), std::move(right.expr)}, behind, height, *pending.token);
      return;
    }
    case Kind::Conditional: {
      Value then = pop();
      Value condition = pop();
      const SourceSpan span = join(condition.expr->span, right.expr->span);
      const unsigned height = std::max({condition.height, then.height, right.height}) + 1;
      push(syntax::Conditional{std::move(condition.expr), std::move(then.expr), std::move(right.expr)}, span, height, *pending.token);
      return;
    }
    case Kind::Infix:
      break;
    case Kind::Question:
    case Kind::Fence:
      throw InternalError("a bracket is not an operator");
  }
  Value left = pop();
  const SourceSpan span = join(left.expr->span, right.expr->span);
  const unsigned height = std::max(left.height, right.height) + 1;
  const Infix infix = infix_of(pending.token->text);
  if (infix.is_assignment) {
    push(syntax::Assignment{infix.op, std::move(left.expr), std::move(right.expr), pending.token->span}, span, height, *pending.token);
  } else {
    push(syntax::Binary{*infix.op, std::move(left.expr), std::move(right.expr), pending.token->span}, span, height, *pending.token);
  }
}

void TreeBuilder::comma() {
  Value right = pop();
  Value left = pop();
  const SourceSpan span = join(left.expr->span, right.expr->span);
  push(syntax::Comma{std::move(left.expr), std::move(right.expr)}, span, std::max(left.height, right.height) + 1, last());
}

void TreeBuilder::open() {
  enter(last());
  open_bracket();
  wait(Kind::Fence, Precedence::Primary, &last());
  pending_.back().crev = std::exchange(crev_, nullptr);
}

TreeBuilder::Pending TreeBuilder::close_fence() {
  const Pending fence = pending_.back();
  pending_.pop_back();
  close_bracket();
  leave();
  return fence;
}

void TreeBuilder::close_parenthesis() {
  const Pending fence = close_fence();
  top().expr->span = from(fence.token);
  top().expr->parenthesised_twice = top().expr->parenthesised;
  top().expr->parenthesised = true;
}

void TreeBuilder::close_subscript() {
  const Pending fence = close_fence();
  Value index = pop();
  Value base = pop();
  const SourceSpan span = join(base.expr->span, last().span);
  push(syntax::Subscript{std::move(base.expr), std::move(index.expr)}, span, std::max(base.height, index.height) + 1, *fence.token);
}

void TreeBuilder::close_call() {
  const Pending fence = close_fence();
  syntax::Call call;
  unsigned height = 0;
  for (std::size_t i = fence.values; i < values_.size(); ++i) {
    height = std::max(height, values_[i].height);
    call.arguments.push_back(std::move(values_[i].expr));
  }
  values_.resize(fence.values);
  const Value name = pop();
  call.function = {std::get<syntax::Identifier>(name.expr->node).name, name.expr->span};
  call.is_crev = fence.crev != nullptr;
  const SourceSpan span = from(call.is_crev ? fence.crev : fence.token - 1);
  push(std::move(call), span, height + 1, *fence.token);
}

void TreeBuilder::post_step() {
  Value operand = pop();
  const auto op = last().word == "++"_w ? syntax::UnaryOp::PostIncrement : syntax::UnaryOp::PostDecrement;
  const SourceSpan span = join(operand.expr->span, last().span);
  push(syntax::Unary{op, std::move(operand.expr)}, span, operand.height + 1, last());
}

void TreeBuilder::member() {
  Value base = pop();
  const SourceSpan span = join(base.expr->span, last().span);
  push(syntax::Member{std::move(base.expr), {std::string(last().text), last().span}}, span, base.height + 1, last());
}

void TreeBuilder::arrow() {
  Value pointer = pop();
  const SourceSpan span = join(pointer.expr->span, last().span);
  push(syntax::Unary{syntax::UnaryOp::Dereference, std::move(pointer.expr)}, span, pointer.height + 1, last());
}

TreeBuilder::CastType TreeBuilder::take_type_name() {
  Declaring declaring = std::move(declaring_.back());
  declaring_.pop_back();
  const Token* wrong = declaring.kernel != nullptr ? declaring.kernel : declaring.storage;
  if (wrong != nullptr) {
    refuse(*wrong, quoted(wrong->text) + " cannot stand in the name of a type");
  }
  refuse_required_size(declaring);
  return {{declaring.specifiers, declaring.declarator.pointers, std::move(declaring.declarator.extents)}, declaring.height};
}

void TreeBuilder::close_cast() {
  const Pending fence = close_fence();
  casts_.push_back(take_type_name());
  enter(*fence.token);
  wait(Kind::Cast, Precedence::Prefix, fence.token);
}

void TreeBuilder::close_sizeof() {
  const Pending fence = close_fence();
  CastType name = take_type_name();
  push(syntax::SizeofType{std::move(name.type)}, from(fence.token - 1), name.height + 1, *fence.token);
}

void TreeBuilder::close_offsetof_type() {
  casts_.push_back(take_type_name());
  open_path();
}

void TreeBuilder::close_offsetof() {
  const Pending fence = close_fence();
  CastType name = std::move(casts_.back());
  casts_.pop_back();
  Path path = std::move(paths_.back());
  paths_.pop_back();
  const unsigned height = std::max(name.height, path.height) + 1;
  push(syntax::Offsetof{std::move(name.type), std::move(path.designators)}, from(fence.token - 1), height, *fence.token);
}

void TreeBuilder::close_compound_type() {
  const Pending fence = close_fence();
  casts_.push_back(take_type_name());
  wait(Kind::Fence, Precedence::Primary, fence.token);
}

void TreeBuilder::close_compound() {
  const Pending fence = pending_.back();
  pending_.pop_back();
  CastType name = std::move(casts_.back());
  casts_.pop_back();
  auto list = std::make_unique<syntax::Initialiser>(std::move(initialisers_.back()));
  initialisers_.pop_back();
  const unsigned height = std::max(name.height, list_height_) + 2;
  push(syntax::CompoundLiteral{std::move(name.type), std::move(list)}, from(fence.token), height, *fence.token);
}

void TreeBuilder::no_expression() { values_.emplace_back(); }

}  // namespace lockstep::core
