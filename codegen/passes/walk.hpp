#pragma once
// Which parts assignments have: the one place that knows.

#include <type_traits>

#include "codegen/passes/assignments.hpp"

namespace lockstep::passes {

/// Calls f(Body&) with each body inside the statement. S is Statement or const Statement.
template <class S, class F>
void for_each_body(S& statement, F&& f) {
  std::visit(
      [&](auto& node) {
        using Node = std::remove_cvref_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, If>) {
          f(node.then);
          f(node.otherwise);
        } else if constexpr (std::is_same_v<Node, Block> || std::is_same_v<Node, Everywhere> || std::is_same_v<Node, Loop> ||
                             std::is_same_v<Node, For>) {
          f(node.body);
        }
      },
      statement.node);
}

/// Calls f(Operand&) with each operand of the right-hand side, a place's pointer included.
template <class R, class F>
void for_each_operand(R& right, F&& f) {
  const auto pointer = [&](auto& place) {
    if (auto* operand = std::get_if<Operand>(&place.base)) {
      f(*operand);
    }
  };
  std::visit(
      [&](auto& r) {
        using T = std::remove_cvref_t<decltype(r)>;
        if constexpr (std::is_same_v<T, Copy> || std::is_same_v<T, Convert> || std::is_same_v<T, Bitcast>) {
          f(r.source);
        } else if constexpr (std::is_same_v<T, Operate>) {
          for (auto& operand : r.operands) {
            f(operand);
          }
        } else if constexpr (std::is_same_v<T, Choose>) {
          f(r.condition);
          f(r.then);
          f(r.otherwise);
        } else if constexpr (std::is_same_v<T, Shuffle>) {
          f(r.source);
          f(r.lane);
        } else if constexpr (std::is_same_v<T, Vote>) {
          f(r.value);
        } else if constexpr (std::is_same_v<T, Load> || std::is_same_v<T, Address>) {
          pointer(r.place);
        } else if constexpr (std::is_same_v<T, Atomic>) {
          pointer(r.place);
          if (r.compare) {
            f(*r.compare);
          }
          f(r.value);
        } else if constexpr (std::is_same_v<T, PointerDistance> || std::is_same_v<T, PointerCompare>) {
          f(r.left);
          f(r.right);
        }
      },
      right);
}

/// Calls f(Operand&) with each operand of the statement itself (not of its bodies): right-hand sides, masks, conditions, pointers.
template <class S, class F>
void for_each_operand_of(S& statement, F&& f) {
  const auto optional = [&](auto& operand) {
    if (operand) {
      f(*operand);
    }
  };
  std::visit(
      [&](auto& node) {
        using Node = std::remove_cvref_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Assign>) {
          for_each_operand(node.right, f);
          optional(node.mask);
        } else if constexpr (std::is_same_v<Node, Store>) {
          if (auto* operand = std::get_if<Operand>(&node.place.base)) {
            f(*operand);
          }
          f(node.value);
          optional(node.mask);
        } else if constexpr (std::is_same_v<Node, If>) {
          f(node.condition);
        } else if constexpr (std::is_same_v<Node, For>) {
          optional(node.guard);
        }
      },
      statement.node);
}

/// Calls f(Polynomial&) with each polynomial of the statement itself: indices (of operands and targets too), numbers, resolved conditions,
/// bounds.
template <class S, class F>
void for_each_polynomial_of(S& statement, F&& f) {
  for_each_operand_of(statement, [&](auto& operand) {
    if (auto* ref = std::get_if<Ref>(&operand)) {
      f(ref->index);
    } else if (auto* number = std::get_if<Number>(&operand)) {
      f(number->value);
    }
  });
  std::visit(
      [&](auto& node) {
        using Node = std::remove_cvref_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Assign>) {
          f(node.target.index);
          std::visit(
              [&](auto& right) {
                using R = std::remove_cvref_t<decltype(right)>;
                if constexpr (std::is_same_v<R, Resolve>) {
                  for (auto& comparison : right.all_of) {
                    f(comparison.left);
                    f(comparison.right);
                  }
                } else if constexpr (std::is_same_v<R, Load> || std::is_same_v<R, Atomic> || std::is_same_v<R, Address>) {
                  f(right.place.index);
                }
              },
              node.right);
        } else if constexpr (std::is_same_v<Node, Store>) {
          f(node.place.index);
        } else if constexpr (std::is_same_v<Node, For>) {
          f(node.from);
          f(node.limit);
        }
      },
      statement.node);
}

/// Calls f(VarId) with each variable that the statement itself reads, with repetition.
template <class F>
void for_each_read(const Statement& statement, F&& f) {
  for_each_operand_of(statement, [&](const Operand& operand) {
    if (const auto* ref = std::get_if<Ref>(&operand)) {
      f(ref->var);
    }
  });
  for_each_polynomial_of(statement, [&](const Polynomial& polynomial) { polynomial.for_each_value(f); });
}

/// Calls f(const Statement&) with each statement of the body and of the bodies inside, outer ones first.
template <class B, class F>
void for_each_statement(B& body, F&& f) {
  for (auto& statement : body) {
    f(statement);
    for_each_body(statement, [&](auto& inner) { for_each_statement(inner, f); });
  }
}

}  // namespace lockstep::passes
