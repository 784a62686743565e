#pragma once

#include <type_traits>
#include <variant>

#include "semantics/core/tree.hpp"

namespace lockstep::core {

/// Calls f(ExprId) with each operand of the node, in the order of evaluation.
template <class F>
void for_each_operand(const Expr& expr, F&& f) {
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Subscript>) {
          f(node.base);
          f(node.index);
        } else if constexpr (std::is_same_v<Node, AddressOf>) {
          f(node.place);
        } else if constexpr (std::is_same_v<Node, PointerAdd>) {
          f(node.pointer);
          f(node.index);
        } else if constexpr (std::is_same_v<Node, PointerDifference> || std::is_same_v<Node, ShortCircuit> || std::is_same_v<Node, Comma>) {
          f(node.left);
          f(node.right);
        } else if constexpr (std::is_same_v<Node, Operate>) {
          if (node.last_first) {
            f(node.operands.back());
          }
          for (std::size_t i = 0; i + (node.last_first ? 1 : 0) < node.operands.size(); ++i) {
            f(node.operands[i]);
          }
        } else if constexpr (std::is_same_v<Node, Convert> || std::is_same_v<Node, Bitcast>) {
          f(node.operand);
        } else if constexpr (std::is_same_v<Node, Conditional>) {
          f(node.condition);
          f(node.then);
          f(node.otherwise);
        } else if constexpr (std::is_same_v<Node, Assign>) {
          f(node.place);
          f(node.value);
        } else if constexpr (std::is_same_v<Node, Call>) {
          for (const ExprId argument : node.arguments) {
            f(argument);
          }
        } else if constexpr (std::is_same_v<Node, Collective>) {
          for (const ExprId operand : node.operands) {
            f(operand);
          }
        } else if constexpr (std::is_same_v<Node, Atomic>) {
          f(node.place);
          if (node.compare) {
            f(*node.compare);
          }
          f(node.value);
        }
      },
      expr.node);
}

}  // namespace lockstep::core
