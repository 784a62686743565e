#include "semantics/core/parse_builder.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "semantics/base/internal_error.hpp"
#include "semantics/core/parse_literal.hpp"
#include "semantics/core/parse_mistakes.hpp"

namespace lockstep::core {
namespace {

using syntax::Precedence;

std::string quoted(const Token& token) { return "'" + shortened(token.text) + "'"; }

Precedence tighter(Precedence precedence) { return static_cast<Precedence>(static_cast<unsigned>(precedence) + 1); }

[[noreturn]] void refuse_depth(const Token& token) {
  refuse(token, "this is nested too deeply: at most " + std::to_string(syntax::max_nesting) + " levels are allowed");
}

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
  push(std::move(call), from(call.is_crev ? fence.crev : fence.token - 1), height + 1, *fence.token);
}

void TreeBuilder::post_step() {
  Value operand = pop();
  const auto op = last().word == "++"_w ? syntax::UnaryOp::PostIncrement : syntax::UnaryOp::PostDecrement;
  const SourceSpan span = join(operand.expr->span, last().span);
  push(syntax::Unary{op, std::move(operand.expr)}, span, operand.height + 1, last());
}

TreeBuilder::CastType TreeBuilder::take_type_name() {
  Declaring declaring = std::move(declaring_.back());
  declaring_.pop_back();
  const Token* wrong = declaring.kernel != nullptr ? declaring.kernel : declaring.storage;
  if (wrong != nullptr) {
    refuse(*wrong, quoted(*wrong) + " cannot stand in the name of a type");
  }
  refuse_required_size(declaring);
  return {{std::move(declaring.specifiers), declaring.declarator.pointers, std::move(declaring.declarator.extents)}, declaring.height};
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

void TreeBuilder::no_expression() { values_.emplace_back(); }

// Specifiers and declarators.

void TreeBuilder::open_declaration() {
  declaring_.emplace_back();
  declaring_.back().first = at;
}

void TreeBuilder::set_space(AddressSpace space) {
  std::optional<AddressSpace>& present = declaring_.back().specifiers.space;
  if (present && *present != space) {
    refuse(last(), "an object lies in one address space: this is '" + std::string(name_of(*present)) + "' already");
  }
  present = space;
}

void TreeBuilder::set_uniformity(syntax::Uniformity uniformity) {
  syntax::Uniformity& present = declaring_.back().specifiers.uniformity;
  if (present != syntax::Uniformity::Unspecified && present != uniformity) {
    refuse(last(), "a value is either 'uniform' or 'varying', not both");
  }
  present = uniformity;
}

void TreeBuilder::specifier() {
  Declaring& declaring = declaring_.back();
  const Token& token = last();
  const Word word = token.word;
  if (word.kind() == WordKind::Type) {
    const SourceSpan span = declaring.type_words.empty() ? token.span : join(declaring.specifiers.type_span, token.span);
    declaring.specifiers.type_span = span;
    declaring.type_words.push_back(token.text);
  } else if (word == "const"_w) {
    declaring.specifiers.is_const = true;
  } else if (word == "kernel"_w || word == "__kernel"_w) {
    declaring.specifiers.is_kernel = true;
    declaring.kernel = &token;
  } else if (word == "static"_w || word == "inline"_w) {
    declaring.storage = &token;
  } else if (word == "uniform"_w || word == "varying"_w) {
    set_uniformity(word == "uniform"_w ? syntax::Uniformity::Uniform : syntax::Uniformity::Varying);
  } else {
    for (std::size_t i = 0; i < address_space_names.size(); ++i) {
      if (token.text.ends_with(address_space_names[i])) {
        set_space(static_cast<AddressSpace>(i));
      }
    }
  }
}

void TreeBuilder::refuse_type(const Declaring& declaring) const {
  std::string words;
  for (const std::string_view word : declaring.type_words) {
    words += (words.empty() ? "" : " ") + std::string(word);
  }
  const bool is_long = std::ranges::count(declaring.type_words, "long") > 1;
  const std::string hint = is_long                                                    ? "; long has 64 bits"
                           : words.ends_with("double") || words.starts_with("double") ? "; double has 64 bits"
                                                                                      : "";
  refuse(declaring.specifiers.type_span, "there is no type '" + shortened(words) + "'" + hint);
}

void TreeBuilder::close_specifiers() {
  Declaring& declaring = declaring_.back();
  declaring.specifiers.span = from(declaring.first);
  if (declaring.type_words.empty()) {
    const bool is_declared = at->kind == TokenKind::Identifier && (at[1].kind == TokenKind::Identifier || at[1].word == "*"_w);
    if (at->word.kind() == WordKind::Refused) {
      refuse(*at, refusal(at->word, at->text));
    }
    if (is_declared && at->word.kind() == WordKind::None) {
      refuse(*at, unknown_type(*at));
    }
    refuse(last(), "expected a type after " + quoted(last()) + "; there is no implicit 'int'");
  }
  const auto type = type_of(declaring.type_words.data(), declaring.type_words.size());
  if (!type) {
    refuse_type(declaring);
  }
  declaring.specifiers.type = *type;
}

void TreeBuilder::pointer() {
  syntax::Declarator& declarator = declaring_.back().declarator;
  ++declarator.pointers;
  declarator.is_const = false;
  if (declarator.pointers > syntax::max_nesting) {
    refuse_depth(last());
  }
}

void TreeBuilder::pointer_qualifier() {
  const Word word = last().word;
  if (word == "const"_w) {
    declaring_.back().declarator.is_const = true;
  } else if (word != "restrict"_w && word != "__restrict"_w && word != "volatile"_w && word != "private"_w && word != "__private"_w) {
    refuse(last(), quoted(last()) + " cannot stand behind '*': a pointer itself is private");
  }
}

void TreeBuilder::declared_name() { declaring_.back().declarator.name = {std::string(last().text), last().span}; }

void TreeBuilder::extent() {
  close_fence();
  Value value = pop();
  Declaring& declaring = declaring_.back();
  declaring.height = std::max(declaring.height, value.height);
  declaring.declarator.extents.push_back(std::move(value.expr));
}

void TreeBuilder::no_extent() {
  close_fence();
  declaring_.back().declarator.extents.emplace_back();
}

void TreeBuilder::initialised() {
  declaring_.back().declarator.initialiser = std::move(initialisers_.back());
  initialisers_.pop_back();
}

void TreeBuilder::close_declarator() {
  Declaring& declaring = declaring_.back();
  declaring.finished.push_back(std::exchange(declaring.declarator, {}));
}

syntax::Declaration TreeBuilder::take_declaration() {
  Declaring declaring = std::move(declaring_.back());
  declaring_.pop_back();
  if (declaring.kernel != nullptr) {
    refuse(*declaring.kernel, "only a function can be a kernel");
  }
  refuse_required_size(declaring);
  return {std::move(declaring.specifiers), std::move(declaring.finished)};
}

// Initialisers.

void TreeBuilder::value_initialiser() {
  Value value = pop();
  const SourceSpan span = value.expr->span;
  initialisers_.push_back({std::move(value.expr), span});
}

void TreeBuilder::open_list() {
  enter(last());
  open_bracket();
  lists_.push_back({&last(), initialisers_.size()});
}

void TreeBuilder::close_list() {
  const Lists list = lists_.back();
  lists_.pop_back();
  close_bracket();
  leave();
  const auto first = initialisers_.begin() + static_cast<std::ptrdiff_t>(list.initialisers);
  std::vector<syntax::Initialiser> values(std::make_move_iterator(first), std::make_move_iterator(initialisers_.end()));
  initialisers_.erase(first, initialisers_.end());
  initialisers_.push_back({std::move(values), from(list.open)});
}

// Attributes.

void TreeBuilder::required_size() {
  Value value = pop();
  auto& call = std::get<syntax::Call>(value.expr->node);
  std::optional<syntax::GroupSize>& size = declaring_.empty() ? function_.required_size : declaring_.back().required_size;
  if (size) {
    refuse(value.expr->span, "the size of the work groups is required twice");
  }
  size = syntax::GroupSize{std::move(call.arguments), value.expr->span};
}

void TreeBuilder::attribute() {
  std::string_view name = last().text;
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) {
    name = name.substr(2, name.size() - 4);
  }
  // What says nothing about the meaning of a kernel: OpenCL C 6.11 and what compilers for it read.
  static constexpr std::array known = {"work_group_size_hint",
                                       "vec_type_hint",
                                       "opencl_unroll_hint",
                                       "aligned",
                                       "packed",
                                       "endian",
                                       "always_inline",
                                       "noinline",
                                       "unused",
                                       "used",
                                       "const",
                                       "pure",
                                       "nosvm",
                                       "deprecated",
                                       "may_alias",
                                       "maybe_unused"};
  if (std::ranges::find(known, name) == known.end()) {
    unit_.unknown_attributes.push_back({std::string(last().text), last().span});
  }
}

void TreeBuilder::refuse_required_size(const Declaring& declaring) {
  if (declaring.required_size) {
    refuse(declaring.required_size->span, "only a kernel can require a size of its work groups");
  }
}

// Functions and the file.

void TreeBuilder::open_function() {
  Declaring& declaring = declaring_.back();
  open_bracket();
  function_ = {};
  function_.specifiers = std::move(declaring.specifiers);
  function_.pointers = declaring.declarator.pointers;
  function_.name = std::move(declaring.declarator.name);
  function_.span.begin = declaring.first->span.begin;
  function_.required_size = std::move(declaring.required_size);
  declaring_.pop_back();
}

void TreeBuilder::close_parameter() {
  Declaring declaring = std::move(declaring_.back());
  declaring_.pop_back();
  const Token* wrong = declaring.kernel != nullptr ? declaring.kernel : declaring.storage;
  if (wrong != nullptr) {
    refuse(*wrong, quoted(*wrong) + " cannot stand in front of a parameter");
  }
  refuse_required_size(declaring);
  function_.parameters.push_back({std::move(declaring.specifiers), std::move(declaring.declarator), from(declaring.first)});
}

void TreeBuilder::close_parameters() {
  close_bracket();
  function_.span.end = std::max(function_.name.span.end, last().span.end);
  const auto is_void = [](const syntax::Parameter& parameter) {
    return !parameter.specifiers.type && parameter.declarator.pointers == 0 && parameter.declarator.name.text.empty() &&
           parameter.declarator.extents.empty();
  };
  if (function_.parameters.size() == 1 && is_void(function_.parameters[0])) {
    function_.parameters.clear();
  }
}

void TreeBuilder::close_function() {
  if (!statements_.empty()) {
    function_.body = std::move(std::get<syntax::Block>(statements_.back()->node));
    statements_.pop_back();
  }
  unit_.items.push_back({std::move(function_)});
}

void TreeBuilder::file_declaration() {
  const Token* storage = declaring_.back().storage;
  if (storage != nullptr && storage->word == "inline"_w) {
    refuse(*storage, "only a function can be inline");
  }
  unit_.items.push_back({take_declaration()});
}

void TreeBuilder::file_pragma() { unit_.items.push_back({contract()}); }

// Statements.

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
  statements_.push_back(syntax::Stmt{std::move(node), from(first)});
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
  statements_.push_back(syntax::Stmt{syntax::ExprStatement{std::move(expression)}, span});
}

void TreeBuilder::declaration_statement() {
  const Declaring& declaring = declaring_.back();
  if (declaring.storage != nullptr) {
    const bool is_static = declaring.storage->word == "static"_w;
    refuse(*declaring.storage, is_static ? "a variable of a function cannot be static" : "only a function can be inline");
  }
  const SourceSpan span = from(declaring.first);
  statements_.push_back(syntax::Stmt{take_declaration(), span});
}

void TreeBuilder::pragma_statement() { statements_.push_back(syntax::Stmt{contract(), last().span}); }

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

void TreeBuilder::close_switch() { push_statement(syntax::Switch{pop_expression(), pop_statement()}); }

void TreeBuilder::close_case() { push_statement(syntax::CaseLabel{pop_expression()}); }

void TreeBuilder::close_default() { push_statement(syntax::CaseLabel{}); }

void TreeBuilder::close_break() { push_statement(syntax::Break{}); }

void TreeBuilder::close_continue() { push_statement(syntax::Continue{}); }

void TreeBuilder::close_return() { push_statement(syntax::Return{pop_expression()}); }

}  // namespace lockstep::core
