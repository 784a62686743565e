#pragma once
// Typed trees as short texts for tests: every node with its type, prefix form.

#include <memory>
#include <string>
#include <variant>

#include "semantics/core/front_end.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::core_test {

inline std::string tree_text(const core::Program& program, const core::Function& function, core::ExprId id);

/// The operands, each after a blank.
template <class... Ids>
std::string operands_text(const core::Program& program, const core::Function& function, Ids... ids) {
  return ((" " + tree_text(program, function, ids)) + ... + "");
}

inline std::string node_text(const core::Program& program, const core::Function& function, const core::Expr& expr) {
  const auto all = [&](auto... ids) { return operands_text(program, function, ids...); };
  const auto list = [&](const std::vector<core::ExprId>& ids) {
    std::string text;
    for (const core::ExprId id : ids) {
      text += all(id);
    }
    return text;
  };
  struct Visitor {
    const core::Program& program;
    const core::Function& function;
    const core::Expr& expr;
    decltype(all)& operands;
    decltype(list)& list_of;

    std::string operator()(const core::Literal& node) const { return ops::text_of(expr.type.scalar, node.bits); }
    std::string operator()(const core::Var& node) const { return function.variables[node.id].name; }
    std::string operator()(const core::GlobalConstant& node) const { return program.constants[node.id].name; }
    std::string operator()(const core::Subscript& node) const { return "[]" + operands(node.base, node.index); }
    std::string operator()(const core::AddressOf& node) const { return "addr" + operands(node.place); }
    std::string operator()(const core::PointerAdd& node) const { return "padd" + operands(node.pointer, node.index); }
    std::string operator()(const core::PointerDifference& node) const { return "pdiff" + operands(node.left, node.right); }
    std::string operator()(const core::OldValue&) const { return "old"; }
    std::string operator()(const core::Operate& node) const {
      return std::string(node.last_first ? "z-first " : "") + std::string(info(node.op).text) + list_of(node.operands);
    }
    std::string operator()(const core::Bitcast& node) const { return "bits" + operands(node.operand); }
    std::string operator()(const core::Convert& node) const { return (node.implicit ? "conv" : "cast") + operands(node.operand); }
    std::string operator()(const core::ShortCircuit& node) const { return (node.is_and ? "&&" : "||") + operands(node.left, node.right); }
    std::string operator()(const core::Conditional& node) const { return "?" + operands(node.condition, node.then, node.otherwise); }
    std::string operator()(const core::Assign& node) const { return (node.yields_old ? "=old" : "=") + operands(node.place, node.value); }
    std::string operator()(const core::Comma& node) const { return "," + operands(node.left, node.right); }
    std::string operator()(const core::Call& node) const {
      return "call " + program.functions[node.function].name + list_of(node.arguments);
    }
    std::string operator()(const core::Ask& node) const { return "ask" + std::to_string(static_cast<int>(node.query)); }
    std::string operator()(const core::Atomic& node) const {
      return std::string(info(node.op).word) +
             (node.compare ? operands(node.place, *node.compare, node.value) : operands(node.place, node.value));
    }
    std::string operator()(const core::Collective& node) const {
      return "group" + std::to_string(static_cast<int>(node.op)) + list_of(node.operands);
    }
  };
  return std::visit(Visitor{program, function, expr, all, list}, expr.node);
}

/// "(+ x:int 1:int):int"; leaves have no parentheses.
inline std::string tree_text(const core::Program& program, const core::Function& function, core::ExprId id) {
  const core::Expr& expr = function.at(id);
  const std::string text = node_text(program, function, expr);
  return (text.find(' ') != std::string::npos ? "(" + text + ")" : text) + ":" + name_of(expr.type);
}

/// What reading a kernel's text gave.
struct Reading {
  std::shared_ptr<const SourceFile> source;
  std::expected<core::Program, Diagnostics> program;
  Diagnostics warnings;

  std::string errors() const { return program ? "" : render(*source, program.error()); }
  std::string warning_text() const { return render(*source, warnings); }
};

inline Reading read(std::string text, core::Options options = {}) {
  auto source = std::make_shared<const SourceFile>("k.cl", std::move(text));
  Diagnostics warnings;
  auto program = core::read_kernels(source, options, warnings);
  return {std::move(source), std::move(program), std::move(warnings)};
}

}  // namespace lockstep::core_test
