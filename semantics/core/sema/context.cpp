#include "semantics/core/sema/context.hpp"

#include <algorithm>
#include <ranges>

#include "semantics/base/nearest.hpp"
#include "semantics/core/sema/atomics.hpp"
#include "semantics/core/sema/builtins.hpp"
#include "semantics/core/sema/predefined.hpp"

namespace lockstep::core::sema {
namespace {

/// Sorted, so that the answer never depends on the order of a hash table.
std::string suggestion_among(std::string_view name, std::vector<std::string_view> candidates) {
  if (name.size() < 2) {
    return "";  // a single letter resembles any other
  }
  std::ranges::sort(candidates);
  return suggestion(name, candidates);
}

}  // namespace

ExprId add(FunctionContext& context, decltype(Expr::node) node, Type type, SourceSpan span) {
  context.function.expressions.push_back({std::move(node), std::move(type), span});
  return static_cast<ExprId>(context.function.expressions.size() - 1);
}

ExprId add_scalar(FunctionContext& context, decltype(Expr::node) node, ScalarType type, SourceSpan span) {
  return add(context, std::move(node), Type::scalar_of(type), span);
}

ExprId add_integer(FunctionContext& context, std::uint64_t value, ScalarType type, SourceSpan span) {
  return add_scalar(context, Literal{value}, type, span);
}

const NamedSymbol* find(const FunctionContext& context, const std::string& name) {
  for (const Scope& scope : context.scopes | std::views::reverse) {
    if (const auto found = scope.find(name); found != scope.end()) {
      return &found->second;
    }
  }
  const auto found = context.unit.constants.find(name);
  return found != context.unit.constants.end() ? &found->second : nullptr;
}

bool declare(FunctionContext& context, const syntax::Name& name, Symbol symbol) {
  Scope& scope = context.scopes.empty() ? context.unit.constants : context.scopes.back();
  const auto [entry, added] = scope.try_emplace(name.text, NamedSymbol{symbol, name.span});
  if (added) {
    return true;
  }
  if (std::holds_alternative<Undeclared>(entry->second.symbol)) {
    entry->second = {symbol, name.span};
    return true;
  }
  context.unit.reporter.error(name.span, quoted(name.text) + " is declared twice in one scope",
                              {note(entry->second.span, "the first declaration is here")});
  return false;
}

VarId add_variable(FunctionContext& context, Variable variable) {
  context.function.variables.push_back(std::move(variable));
  context.known.resize(context.function.variables.size());
  return static_cast<VarId>(context.function.variables.size() - 1);
}

void report_undeclared(FunctionContext& context, const std::string& name, SourceSpan span) {
  Unit& unit = context.unit;
  if (unit.functions.contains(name) || unit.declarations.contains(name) || is_builtin(name)) {
    unit.reporter.error(span, quoted(name) + " is a function; it can only be called");
    return;
  }
  std::vector<std::string_view> candidates;
  for (const Scope& scope : context.scopes) {
    std::ranges::copy(scope | std::views::keys, std::back_inserter(candidates));
  }
  std::ranges::copy(unit.constants | std::views::keys, std::back_inserter(candidates));
  std::ranges::copy(predefined_names(), std::back_inserter(candidates));
  unit.reporter.error(span, quoted(name) + " is not declared" + suggestion_among(name, std::move(candidates)));
  Scope& outermost = context.scopes.empty() ? unit.constants : context.scopes.front();
  outermost.try_emplace(name, NamedSymbol{Undeclared{}, span});
}

std::string function_suggestion(const Unit& unit, std::string_view name) {
  std::vector<std::string_view> candidates;
  std::ranges::copy(unit.functions | std::views::keys, std::back_inserter(candidates));
  std::ranges::copy(builtin_names(), std::back_inserter(candidates));
  std::ranges::copy(atomic_names(), std::back_inserter(candidates));
  return suggestion_among(name, std::move(candidates));
}

}  // namespace lockstep::core::sema
