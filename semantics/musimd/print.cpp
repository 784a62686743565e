#include "semantics/musimd/print.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "semantics/base/internal_error.hpp"

namespace lockstep::musimd {
namespace {

constexpr std::size_t label_columns = 8;     // instructions begin in the column behind these
constexpr std::size_t values_per_line = 16;  // of a `.shared` directive

constexpr int leaf_precedence = 15;  // above every operation of ops.def: a leaf never needs parentheses

/// Writes the expression from left to right with a stack of its own, so that depth costs no recursion.
class ExprPrinter {
 public:
  ExprPrinter(const Program& program, const Expr& expression) : program_(program), nodes_(expression.nodes) { link_operands(); }

  std::string run() {
    work_.push_back({.node = nodes_.size() - 1, .text = {}});
    while (!work_.empty()) {
      const Work next = work_.back();
      work_.pop_back();
      if (next.text.data() != nullptr) {
        out_ += next.text;
      } else {
        write_node(next.node);
      }
    }
    return std::move(out_);
  }

 private:
  /// A piece of text if `text` is set, else a node that is still to be written.
  struct Work {
    std::size_t node = 0;
    std::string_view text;
  };

  /// operands_[3 * i + k] is the index of the k-th operand of node i.
  void link_operands() {
    operands_.resize(3 * nodes_.size());
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (const auto* operation = std::get_if<Operation>(&nodes_[i])) {
        const auto arity = static_cast<std::size_t>(info(operation->op).arity);
        if (waiting.size() < arity) {
          throw InternalError("an expression is not in post-order");
        }
        for (std::size_t k = 0; k < arity; ++k) {
          operands_[3 * i + k] = waiting[waiting.size() - arity + k];
        }
        waiting.resize(waiting.size() - arity);
      }
      waiting.push_back(i);
    }
    if (waiting.size() != 1) {
      throw InternalError("an expression has no single root");
    }
  }

  void write_node(std::size_t i) {
    if (const auto* constant = std::get_if<Constant>(&nodes_[i])) {
      out_ += std::to_string(constant->value);
    } else if (const auto* variable = std::get_if<Variable>(&nodes_[i])) {
      out_ += program_.variables.at(variable->id);
    } else if (const auto* operation = std::get_if<Operation>(&nodes_[i])) {
      write_operation(i, info(operation->op));
    } else {
      out_ += "tid";
    }
  }

  /// Pushes the parts of an operation in reverse order: the stack gives them back from left to right.
  void write_operation(std::size_t i, const OpInfo& op) {
    const std::size_t* operand = &operands_[3 * i];
    if (op.arity == 1) {
      const bool folds = op.op == Op::Neg && is_negatable_literal(operand[0]);
      push_operand(operand[0], folds ? leaf_precedence + 1 : op.precedence);
      push_text(begins_with_minus(operand[0]) && op.op == Op::Neg ? "- " : op.text);
    } else if (op.arity == 3) {
      push_operand(operand[2], op.precedence);
      push_text(" : ");
      push_operand(operand[1], 0);
      push_text(" ? ");
      push_operand(operand[0], op.precedence + 1);
    } else if (std::isalpha(static_cast<unsigned char>(op.text.front())) != 0) {
      push_text(")");
      push_operand(operand[1], 0);
      push_text(", ");
      push_operand(operand[0], 0);
      push_text("(");
      push_text(op.text);
    } else {
      push_operand(operand[1], op.precedence + 1);
      push_text(" ");
      push_text(op.text);
      push_text(" ");
      push_operand(operand[0], op.precedence);
    }
  }

  /// `-5` is one constant, so the negation of the constant 5 is written `-(5)`.
  bool is_negatable_literal(std::size_t i) const {
    const auto* constant = std::get_if<Constant>(&nodes_[i]);
    return constant != nullptr && constant->value >= 0;
  }

  /// A minus in front of another one is kept apart from it.
  bool begins_with_minus(std::size_t i) const {
    const auto* constant = std::get_if<Constant>(&nodes_[i]);
    const auto* operation = std::get_if<Operation>(&nodes_[i]);
    return (constant != nullptr && constant->value < 0) || (operation != nullptr && operation->op == Op::Neg);
  }

  int precedence(std::size_t i) const {
    const auto* operation = std::get_if<Operation>(&nodes_[i]);
    return operation == nullptr ? leaf_precedence : info(operation->op).precedence;
  }

  void push_text(std::string_view text) { work_.push_back({.node = 0, .text = text}); }

  void push_operand(std::size_t i, int at_least) {
    const bool parentheses = precedence(i) < at_least;
    if (parentheses) {
      push_text(")");
    }
    work_.push_back({.node = i, .text = {}});
    if (parentheses) {
      push_text("(");
    }
  }

  const Program& program_;
  const std::vector<ExprNode>& nodes_;
  std::vector<std::size_t> operands_;
  std::vector<Work> work_;
  std::string out_;
};

/// One overload per instruction.
class InstructionPrinter {
 public:
  explicit InstructionPrinter(const Program& program) : program_(program) {}

  std::string operator()(const BranchZero& i) const { return "bz " + text(i.condition) + ", " + text(i.target); }
  std::string operator()(const Jump& i) const { return "jmp " + text(i.target); }
  std::string operator()(const JumpMask& i) const { return "jmp_mask " + text(i.thread) + ", " + text(i.target); }
  std::string operator()(const Assign& i) const { return variable(i.dst) + " = " + text(i.value); }
  std::string operator()(const Load& i) const { return variable(i.dst) + " = ld " + text(i.address); }
  std::string operator()(const Store& i) const { return "st " + text(i.address) + " = " + text(i.value); }
  std::string operator()(const Shuffle& i) const {
    const auto* source = std::get_if<Variable>(&i.source);
    return variable(i.dst) + " = shfl(" + (source != nullptr ? variable(source->id) : "tid") + ", " + text(i.lane) + ")";
  }
  std::string operator()(const Sync&) const { return "sync"; }
  std::string operator()(const Stop&) const { return "stop"; }
  std::string operator()(const Everywhere&) const { return "everywhere"; }
  std::string operator()(const EndEverywhere&) const { return "end_everywhere"; }

 private:
  const std::string& variable(VarId id) const { return program_.variables.at(id); }
  std::string text(const Expr& expression) const { return print(program_, expression); }
  std::string text(const Target& target) const { return target.label ? program_.labels.at(*target.label).name : std::to_string(target.pc); }

  const Program& program_;
};

void print_directives(std::string& out, const Program& program) {
  if (program.threads) {
    out += ".threads " + std::to_string(*program.threads) + "\n";
  }
  for (const SharedRange& range : program.shared) {
    out += ".shared " + std::to_string(range.base) + " :";
    for (std::size_t i = 0; i < range.values.size(); ++i) {
      if (i != 0 && i % values_per_line == 0) {
        out += " ..\n       ";
      }
      out += " " + std::to_string(range.values[i]);
    }
    out += "\n";
  }
  if (!out.empty()) {
    out += "\n";
  }
}

}  // namespace

std::string print(const Program& program, const Expr& expression) { return ExprPrinter(program, expression).run(); }

std::string print(const Program& program, const Instruction& instruction) { return std::visit(InstructionPrinter(program), instruction); }

std::vector<std::string> labels_at(const Program& program, Label pc) {
  std::vector<std::string> names;
  for (const LabelDefinition& label : std::ranges::equal_range(program.labels, pc, {}, &LabelDefinition::pc)) {
    names.push_back(label.name);
  }
  return names;
}

std::string print(const Program& program) {
  std::string out;
  print_directives(out, program);
  std::vector<std::size_t> order(program.labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(program.labels[i].pc, i); });
  auto next = order.begin();
  for (std::size_t pc = 0; pc <= program.code.size(); ++pc) {
    std::size_t column = 0;
    for (; next != order.end() && program.labels[*next].pc == pc; ++next) {
      const std::string& name = program.labels[*next].name;
      if (column != 0) {
        out += "\n";
      }
      out += name + ":";
      column = name.size() + 1;
    }
    const bool last = pc == program.code.size();
    if (column != 0 && (last || column >= label_columns)) {
      out += "\n";
      column = 0;
    }
    if (!last) {
      out.append(label_columns - column, ' ');
      out += print(program, program.code[pc].instruction) + "\n";
    }
  }
  return out;
}

}  // namespace lockstep::musimd
