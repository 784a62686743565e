#pragma once
// Inside of the pass `normalise`: what statements of the typed tree change, and where they leave.

#include <algorithm>
#include <set>
#include <type_traits>

#include "semantics/core/tree.hpp"
#include "semantics/core/walk.hpp"

namespace lockstep::passes {

/// Calls f(ExprId) with each expression that stands directly in the statement.
template <class F>
void for_each_expression(const core::Stmt& statement, F&& f) {
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, core::Evaluate>) {
          f(node.expression);
        } else if constexpr (std::is_same_v<Node, core::Declare>) {
          std::ranges::for_each(node.values, f);
        } else if constexpr (std::is_same_v<Node, core::If>) {
          f(node.condition);
        } else if constexpr (std::is_same_v<Node, core::Loop>) {
          if (node.condition) {
            f(*node.condition);
          }
          if (node.step) {
            f(*node.step);
          }
        } else if constexpr (std::is_same_v<Node, core::Switch>) {
          f(node.value);
        } else if constexpr (std::is_same_v<Node, core::Return>) {
          if (node.value) {
            f(*node.value);
          }
        } else if constexpr (std::is_same_v<Node, core::CrevCall>) {
          std::ranges::for_each(node.arguments, f);
        }
      },
      statement.node);
}

template <class F>
void for_each_inner_body(const core::Stmt& statement, F&& f) {
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, core::Block>) {
          f(node.body);
        } else if constexpr (std::is_same_v<Node, core::If>) {
          f(node.then);
          f(node.otherwise);
        } else if constexpr (std::is_same_v<Node, core::Loop>) {
          f(node.init);
          f(node.body);
        } else if constexpr (std::is_same_v<Node, core::Switch>) {
          for (const core::SwitchSection& section : node.sections) {
            f(section.body);
          }
        }
      },
      statement.node);
}

/// Calls f(VarId) with each variable that the expression assigns by name.
template <class F>
void for_each_assigned(const core::Function& function, core::ExprId id, F&& f) {
  if (const auto* assign = std::get_if<core::Assign>(&function.at(id).node)) {
    if (const auto* var = std::get_if<core::Var>(&function.at(assign->place).node)) {
      f(var->id);
    }
  }
  core::for_each_operand(function.at(id), [&](core::ExprId operand) { for_each_assigned(function, operand, f); });
}

template <class F>
void for_each_assigned(const core::Function& function, const core::Body& body, F&& f) {
  for (const core::Stmt& statement : body) {
    if (const auto* declare = std::get_if<core::Declare>(&statement.node)) {
      f(declare->variable);
    }
    for_each_expression(statement, [&](core::ExprId id) { for_each_assigned(function, id, f); });
    for_each_inner_body(statement, [&](const core::Body& inner) { for_each_assigned(function, inner, f); });
  }
}

inline bool mentions(const core::Function& function, core::ExprId id, const std::set<core::VarId>& variables) {
  if (const auto* var = std::get_if<core::Var>(&function.at(id).node)) {
    return variables.contains(var->id);
  }
  bool found = false;
  core::for_each_operand(function.at(id), [&](core::ExprId operand) { found = found || mentions(function, operand, variables); });
  return found;
}

/// True if control may leave the loop around the body other than by its condition.
inline bool leaves_loop(const core::Body& body, bool break_counts) {
  return std::ranges::any_of(body, [&](const core::Stmt& statement) {
    if (std::holds_alternative<core::Return>(statement.node)) {
      return true;
    }
    if (std::holds_alternative<core::Break>(statement.node)) {
      return break_counts;
    }
    const bool inner_counts =
        break_counts && !std::holds_alternative<core::Loop>(statement.node) && !std::holds_alternative<core::Switch>(statement.node);
    bool found = false;
    for_each_inner_body(statement, [&](const core::Body& inner) { found = found || leaves_loop(inner, inner_counts); });
    return found;
  });
}

}  // namespace lockstep::passes
