#include "semantics/core/sema/statements.hpp"

#include <algorithm>
#include <unordered_map>

#include "semantics/core/sema/builtins.hpp"
#include "semantics/core/sema/constants.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/declarations.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/printing.hpp"
#include "semantics/core/sema/sequencing.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"
#include "semantics/core/walk.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;

void check_statement(FunctionContext& context, const syntax::Stmt& statement, Body& body);

/// Names and pragmas of a block end with it.
class ScopeGuard {
 public:
  explicit ScopeGuard(FunctionContext& context) : context_(context), contract_(context.contract) {
    context_.scopes.emplace_back();
    ++context_.blocks;
  }
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;
  ~ScopeGuard() {
    context_.scopes.pop_back();
    --context_.blocks;
    context_.contract = contract_;
  }

 private:
  FunctionContext& context_;
  bool contract_;
};

/// What break and continue may mean inside a loop or switch.
class JumpGuard {
 public:
  JumpGuard(FunctionContext& context, bool is_loop) : context_(context), is_loop_(is_loop) {
    ++context_.breakable;
    context_.loops += is_loop ? 1 : 0;
  }
  JumpGuard(const JumpGuard&) = delete;
  JumpGuard& operator=(const JumpGuard&) = delete;
  ~JumpGuard() {
    --context_.breakable;
    context_.loops -= is_loop_ ? 1 : 0;
  }

 private:
  FunctionContext& context_;
  bool is_loop_;
};

/// A whole expression: the sequence points are at its end.
Checked full(FunctionContext& context, Checked id) {
  if (id) {
    check_sequencing(context, *id);
  }
  return id;
}

Checked check_condition(FunctionContext& context, const syntax::Expr& expr) {
  if (const auto* assignment = std::get_if<syntax::Assignment>(&expr.node);
      assignment != nullptr && !assignment->op && !expr.parenthesised) {
    context.unit.reporter.warning(assignment->op_span, "this assigns; '==' compares (if it is meant, parentheses around it say so)");
  }
  const Checked value = check_value(context, expr);
  if (value && is_vector(context, *value)) {
    context.unit.reporter.error(expr.span, "a vector is neither true nor false; any(…) and all(…) ask its components");
    return std::nullopt;
  }
  return value && require_truth(context, *value) ? full(context, value) : std::nullopt;
}

/// An expression as a statement or a loop's step.
Checked check_effects(FunctionContext& context, const syntax::Expr& expr) {
  Checked id = check_effect(context, expr);
  if (id && is_vector(context, *id)) {
    id = as_effect(context, *id);
  }
  full(context, id);
  const bool is_void_cast = (std::holds_alternative<syntax::Cast>(expr.node) && !std::get<syntax::Cast>(expr.node).type.specifiers.type) ||
                            (id && context.function.at(*id).type.is_void());
  const auto* call = std::get_if<syntax::Call>(&expr.node);
  const bool is_print = call != nullptr && is_printf(call->function.text);  // of which nothing may be left
  if (id && !is_void_cast && !is_print && !has_effect(context.function, *id)) {
    context.unit.reporter.warning(expr.span, "the value of this expression is not used");
  }
  return id;
}

/// Another statement's part: a block, or a single statement that is a scope of its own (C99 6.8.4, 6.8.5).
Body check_part(FunctionContext& context, const syntax::Stmt& statement) {
  const ScopeGuard scope(context);
  Body body;
  if (const auto* block = std::get_if<syntax::Block>(&statement.node)) {
    check_statements(context, block->statements, body);
  } else if (std::holds_alternative<syntax::Declaration>(statement.node)) {
    context.unit.reporter.error(statement.span, "a declaration alone cannot stand here; put it into braces");
  } else {
    check_statement(context, statement, body);
  }
  return body;
}

void check(FunctionContext& context, const syntax::Block& block, SourceSpan span, Body& body) {
  const ScopeGuard scope(context);
  Block result;
  check_statements(context, block.statements, result.body);
  body.push_back({std::move(result), span});
}

void check(FunctionContext& context, const syntax::Declaration& declaration, SourceSpan span, Body& body) {
  check_declaration(context, declaration, span, body);
}

void check(FunctionContext& context, const syntax::ExprStatement& statement, SourceSpan span, Body& body) {
  if (!statement.expression) {
    return;
  }
  const syntax::Expr& expr = *statement.expression;
  const auto* call = std::get_if<syntax::Call>(&expr.node);
  if (call != nullptr && call->is_crev) {
    std::optional<CrevCall> crev = check_crev_call(context, *call, expr.span);
    if (crev) {
      check_sequencing(context, crev->arguments);
      body.push_back({std::move(*crev), span});
    }
    return;
  }
  if (call != nullptr && is_barrier(call->function.text) && find(context, call->function.text) == nullptr) {
    if (const std::optional<Fences> fences = check_barrier(context, *call, expr.span)) {
      body.push_back({Barrier{*fences}, span});
    }
    return;
  }
  if (const Checked id = check_effects(context, expr)) {
    body.push_back({Evaluate{*id}, span});
  }
}

void check(FunctionContext& context, const syntax::If& statement, SourceSpan span, Body& body) {
  const Checked condition = check_condition(context, *statement.condition);
  If result;
  result.then = check_part(context, *statement.then);
  if (statement.otherwise) {
    result.otherwise = check_part(context, *statement.otherwise);
  }
  if (condition) {
    result.condition = *condition;
    body.push_back({std::move(result), span});
  }
}

/// Body and condition of the three kinds of loops; whatever is wrong was reported.
struct LoopParts {
  const syntax::Expr* condition;
  const syntax::Stmt& body;
};

void check_loop(FunctionContext& context, Loop& loop, const LoopParts& parts, SourceSpan span, Body& body) {
  Checked condition;
  // The condition of do-while stands behind the body, so its errors do as well: they are sorted by place anyway.
  if (parts.condition != nullptr) {
    condition = check_condition(context, *parts.condition);
  }
  {
    const JumpGuard jumps(context, /*is_loop=*/true);
    loop.body = check_part(context, parts.body);
  }
  if (parts.condition == nullptr || condition) {
    loop.condition = condition;
    body.push_back({std::move(loop), span});
  }
}

void check(FunctionContext& context, const syntax::While& statement, SourceSpan span, Body& body) {
  Loop loop;
  loop.kind = Loop::Kind::While;
  check_loop(context, loop, {statement.condition.get(), *statement.body}, span, body);
}

void check(FunctionContext& context, const syntax::DoWhile& statement, SourceSpan span, Body& body) {
  Loop loop;
  loop.kind = Loop::Kind::DoWhile;
  check_loop(context, loop, {statement.condition.get(), *statement.body}, span, body);
}

void check(FunctionContext& context, const syntax::For& statement, SourceSpan span, Body& body) {
  const ScopeGuard scope(context);
  Loop loop;
  loop.kind = Loop::Kind::For;
  if (statement.init) {
    check_statement(context, *statement.init, loop.init);
  }
  const bool had_errors = statement.step && !(loop.step = check_effects(context, *statement.step));
  Body made;
  check_loop(context, loop, {statement.condition.get(), *statement.body}, span, made);
  if (!had_errors) {
    std::ranges::move(made, std::back_inserter(body));
  }
}

void check(FunctionContext& context, const syntax::Hinted& statement, SourceSpan, Body& body) {
  Body made;
  check_statement(context, *statement.body, made);
  if (auto* loop = made.empty() ? nullptr : std::get_if<Loop>(&made.back().node)) {
    loop->hint = statement.hint;
  }
  std::ranges::move(made, std::back_inserter(body));
}

/// A label, its value converted to the type of the switch's value; labels that stand twice are reported.
class Labels {
 public:
  Labels(FunctionContext& context, std::optional<ScalarType> type) : context_(context), type_(type) {}

  void add(const syntax::CaseLabel& label, SourceSpan span, SwitchSection& section) {
    if (!label.value) {
      if (default_) {
        context_.unit.reporter.error(span, "there are two default labels", {note(*default_, "the first one is here")});
      }
      default_ = default_.value_or(span);
      section.is_default = true;
      return;
    }
    const std::optional<std::uint64_t> value = evaluated(*label.value);
    if (!value) {
      return;
    }
    const auto [entry, added] = seen_.try_emplace(*value, label.value->span);
    if (!added) {
      context_.unit.reporter.error(label.value->span, "the value stands behind two case labels",
                                   {note(entry->second, "the first one is here")});
      return;
    }
    section.values.push_back(*value);
  }

 private:
  std::optional<std::uint64_t> evaluated(const syntax::Expr& expr) {
    Checked id = check_integer(context_, expr, "the value of a case label");
    if (!id || !type_) {
      return std::nullopt;
    }
    id = convert(context_, *id, *type_);
    return require_constant(context_, *id, "the value of a case label");
  }

  FunctionContext& context_;
  std::optional<ScalarType> type_;
  std::unordered_map<std::uint64_t, SourceSpan> seen_;
  std::optional<SourceSpan> default_;
};

/// A declaration in front of all labels: its names are in sight behind them, but nobody comes to its initialisers.
void check_early_declaration(FunctionContext& context, const syntax::Declaration& declaration, SourceSpan span, Body& before) {
  Body never;
  check_declaration(context, declaration, span, never);
  for (const Stmt& statement : never) {
    if (const auto* declared = std::get_if<Declare>(&statement.node)) {
      before.push_back({Declare{declared->variable, {}}, statement.span});
    }
  }
  for (const syntax::Declarator& declarator : declaration.declarators) {
    if (declarator.initialiser) {
      context.unit.reporter.warning(declarator.initialiser->span, "this initialiser is never run: it stands before the first label");
    }
  }
}

/// `before` gets the declarations that stand in front of all labels.
void check_sections(FunctionContext& context, const syntax::Block& block, Labels& labels, std::vector<SwitchSection>& sections,
                    Body& before) {
  const ScopeGuard scope(context);
  bool after_label = false;
  bool said_so = false;
  for (const syntax::Stmt& statement : block.statements) {
    if (const auto* label = std::get_if<syntax::CaseLabel>(&statement.node)) {
      if (!after_label) {
        sections.push_back({{}, false, {}, statement.span});
      }
      after_label = true;
      labels.add(*label, statement.span, sections.back());
      continue;
    }
    after_label = false;
    Body nowhere;
    if (const auto* declaration = std::get_if<syntax::Declaration>(&statement.node); declaration != nullptr && sections.empty()) {
      check_early_declaration(context, *declaration, statement.span, before);
      continue;
    }
    if (sections.empty() && !said_so && !std::holds_alternative<syntax::ContractPragma>(statement.node)) {
      context.unit.reporter.error(statement.span, "this statement of the switch is never reached: it stands before the first label");
      said_so = true;
    }
    check_statement(context, statement, sections.empty() ? nowhere : sections.back().body);
  }
}

void check(FunctionContext& context, const syntax::Switch& statement, SourceSpan span, Body& body) {
  Checked value = full(context, check_integer(context, *statement.value, "the value of a switch"));
  std::optional<ScalarType> type;
  if (value) {
    value = promote(context, *value);
    type = context.function.at(*value).type.scalar;
  }
  const auto* block = std::get_if<syntax::Block>(&statement.body->node);
  if (block == nullptr) {
    context.unit.reporter.error(statement.body->span, "the body of a switch must be a block in braces");
    return;
  }
  Switch result;
  {
    const JumpGuard jumps(context, /*is_loop=*/false);
    Labels labels(context, type);
    check_sections(context, *block, labels, result.sections, body);
  }
  if (value) {
    result.value = *value;
    body.push_back({std::move(result), span});
  }
}

void check(FunctionContext& context, const syntax::CaseLabel& label, SourceSpan span, Body&) {
  const bool in_switch = context.breakable > context.loops;
  context.unit.reporter.error(span, std::string(label.value ? "'case'" : "'default'") +
                                        " stands only directly inside the block of a switch" +
                                        (in_switch ? ", not in a loop, an if or a block of it" : ""));
}

void check(FunctionContext& context, const syntax::Break&, SourceSpan span, Body& body) {
  if (context.breakable == 0) {
    context.unit.reporter.error(span, "'break' stands outside of loops and switches");
    return;
  }
  body.push_back({Break{}, span});
}

void check(FunctionContext& context, const syntax::Continue&, SourceSpan span, Body& body) {
  if (context.loops == 0) {
    context.unit.reporter.error(span, "'continue' stands outside of loops");
    return;
  }
  body.push_back({Continue{}, span});
}

void check(FunctionContext& context, const syntax::Return& statement, SourceSpan span, Body& body) {
  const Type& result = context.signature->result;
  const Diagnostics declared = {note(context.signature->span, quoted(context.signature->name) + " is declared here")};
  if (!statement.value) {
    if (!result.is_void()) {
      context.unit.reporter.error(span, "a value of type '" + name_of(result) + "' must be returned", declared);
      return;
    }
    body.push_back({Return{}, span});
    return;
  }
  const Checked value = check_expression(context, *statement.value);
  if (!value) {
    return;
  }
  if (!is_vector(context, *value)) {
    full(context, value);
  }
  if (result.is_void()) {
    context.unit.reporter.error(statement.value->span, quoted(context.signature->name) + " returns void, so no value can be returned",
                                declared);
    return;
  }
  if (context.function.at(*value).type.is_void()) {
    context.unit.reporter.error(statement.value->span, "a value is needed here, but this is void");
    return;
  }
  const Checked converted =
      convert_as_if_assigned(context, decay(context, *value), result, "as the result of " + quoted(context.signature->name));
  if (converted && result.is_vector()) {
    const ExprId pointer = variable(context, context.result.value(), span);
    const ExprId place = add(context, Subscript{pointer, add_integer(context, 0, ScalarType::Long, span)}, result, span);
    if (const Checked stored = vector_assignment(context, place, std::nullopt, *converted, span, span)) {
      const Checked effect = full(context, as_effect(context, *stored));
      body.push_back({Evaluate{*effect}, span});
      body.push_back({Return{}, span});
    }
  } else if (converted) {
    body.push_back({Return{converted}, span});
  }
}

void check(FunctionContext& context, const syntax::ContractPragma& pragma, SourceSpan, Body&) {
  context.contract = context.unit.program.options.contract && pragma.on.value_or(true);
}

void check_statement(FunctionContext& context, const syntax::Stmt& statement, Body& body) {
  const std::size_t first = body.size();
  const std::size_t known = context.temporaries.size();
  std::visit([&](const auto& node) { check(context, node, statement.span, body); }, statement.node);
  std::vector<Stmt> declared;
  for (std::size_t i = known; i < context.temporaries.size(); ++i) {
    declared.push_back({Declare{context.temporaries[i], {}}, statement.span});
  }
  context.temporaries.resize(known);
  body.insert(body.begin() + static_cast<std::ptrdiff_t>(first), std::make_move_iterator(declared.begin()),
              std::make_move_iterator(declared.end()));
}

}  // namespace

void check_statements(FunctionContext& context, const std::vector<syntax::Stmt>& statements, Body& body) {
  for (const syntax::Stmt& statement : statements) {
    check_statement(context, statement, body);
  }
}

}  // namespace lockstep::core::sema
