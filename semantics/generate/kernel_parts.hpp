#pragma once
// The direct parts of expressions and statements of CoRe syntax trees.

#include <variant>

#include "semantics/core/syntax.hpp"

namespace lockstep::generate {

/// f(child) for the direct parts of an expression; Node may be const.
template <class Node, class F>
void for_each_part(Node& node, F&& f) {
  const auto visit = [&](auto& child) {
    if (child != nullptr) {
      f(child);
    }
  };
  std::visit(
      [&](auto& e) {
        if constexpr (requires { e.operand; }) {
          visit(e.operand);
        }
        if constexpr (requires { e.condition; }) {
          visit(e.condition);
          visit(e.then);
          visit(e.otherwise);
        }
        if constexpr (requires { e.left; }) {
          visit(e.left);
          visit(e.right);
        }
        if constexpr (requires { e.base; }) {
          visit(e.base);
        }
        if constexpr (requires { e.index; }) {
          visit(e.index);
        }
        if constexpr (requires { e.arguments; }) {
          for (auto& argument : e.arguments) {
            visit(argument);
          }
        }
      },
      node);
}

/// f(expression) and g(statement) for the direct parts of a statement, without the statements of a Block.
template <class Node, class F, class G>
void for_each_part(Node& node, F&& f, G&& g) {
  const auto visit = [](auto& child, auto& use) {
    if (child != nullptr) {
      use(child);
    }
  };
  std::visit(
      [&](auto& s) {
        if constexpr (requires { s.init; }) {
          visit(s.init, g);
        }
        if constexpr (requires { s.condition; }) {
          visit(s.condition, f);
        }
        if constexpr (requires { s.expression; }) {
          visit(s.expression, f);
        }
        if constexpr (requires { s.value; }) {
          visit(s.value, f);
        }
        if constexpr (requires { s.step; }) {
          visit(s.step, f);
        }
        if constexpr (requires { s.then; }) {
          visit(s.then, g);
          visit(s.otherwise, g);
        }
        if constexpr (requires { s.body; }) {
          visit(s.body, g);
        }
      },
      node);
}

}  // namespace lockstep::generate
