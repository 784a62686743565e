#include "semantics/typed/print.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/base/line_origins.hpp"
#include "semantics/typed/parse_literal.hpp"
#include "semantics/typed/parse_words.hpp"

namespace lockstep::typed {
namespace {

constexpr std::size_t label_columns = 8;     // instructions begin in the column behind these
constexpr std::size_t values_per_line = 16;  // of a `.constant` directive
constexpr std::size_t line_width = 100;      // lists of registers go on on another line behind it

constexpr int leaf_precedence = 15;  // above every operation of ops.def: a leaf never needs parentheses
constexpr int sum_precedence = info(Op::Add).precedence;

bool is_call(const OpInfo& op) { return std::isalpha(static_cast<unsigned char>(op.text.front())) != 0; }

/// Writes the expression from left to right with a stack of its own, so that depth costs no recursion.
class ExprPrinter {
 public:
  ExprPrinter(const Program& program, const Function& function, const Expr& expression)
      : program_(program), function_(function), nodes_(expression.nodes) {
    link_operands();
  }

  /// `at_least`: what binds less tightly than this gets parentheses.
  std::string run(int at_least) {
    push_operand(nodes_.size() - 1, at_least);
    while (!work_.empty()) {
      const Work next = std::move(work_.back());
      work_.pop_back();
      if (next.is_text) {
        out_ += next.text;
      } else {
        write(next.node);
      }
    }
    return std::move(out_);
  }

 private:
  /// A piece of text, or a node that is still to be written.
  struct Work {
    bool is_text = false;
    std::size_t node = 0;
    std::string text;
  };

  /// operands_[3 * i + k] is the index of the k-th operand of node i.
  void link_operands() {
    operands_.resize(3 * nodes_.size());
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const std::size_t arity = operand_count(nodes_[i]);
      if (waiting.size() < arity) {
        throw InternalError("an expression is not in post-order");
      }
      std::copy_n(waiting.end() - static_cast<std::ptrdiff_t>(arity), arity, operands_.begin() + static_cast<std::ptrdiff_t>(3 * i));
      waiting.resize(waiting.size() - arity);
      waiting.push_back(i);
    }
    if (waiting.size() != 1) {
      throw InternalError("an expression has no single root");
    }
  }

  std::size_t operand(std::size_t i, std::size_t k) const { return operands_[3 * i + k]; }

  void write(std::size_t i) {
    std::visit([&](const auto& node) { write(i, node); }, nodes_[i].node);
  }

  // One overload per kind of node. Parts are pushed in reverse order: the stack gives them back from left to right.

  void write(std::size_t i, const Constant& node) {
    const ValueType& type = nodes_[i].type;
    if (type.is_pointer && node.bits != 0) {
      throw InternalError("a pointer constant that is not null");
    }
    out_ += type.is_pointer ? null_text(type) : literal_text(type.scalar, node.bits);
  }
  void write(std::size_t, const Register& node) { out_ += node.carries ? "maybe(" + register_name(node.id) + ")" : register_name(node.id); }
  void write(std::size_t i, const Element& node) {
    out_ += (node.carries ? "maybe(" : "") + register_name(node.array) + "[";
    push_text(node.carries ? "])" : "]");
    push_operand(operand(i, 0), 0);
  }
  void write(std::size_t, const Ask& node) { out_ += name_of(node.query); }
  void write(std::size_t, const RegisterAddress& node) { out_ += "&" + register_name(node.array); }
  void write(std::size_t, const ObjectAddress& node) { out_ += "@" + name_text(program_.objects.at(node.object).name); }
  void write(std::size_t i, const Convert&) { write_call(i, info(nodes_[i].type.scalar).name, 1); }
  void write(std::size_t i, const Bitcast&) { write_call(i, bitcast_text(nodes_[i].type.scalar), 1); }
  void write(std::size_t i, const Within& node) {
    std::string what;
    if (node.number != 0) {
      what = ", " + (node.of_object ? "@" + name_text(program_.objects.at(node.of).name) : register_name(node.of)) + ", " +
             std::to_string(node.number);
    }
    push_text(", " + std::to_string(node.limit) + what + ")");
    push_operand(operand(i, 0), 0);
    out_ += "within(";
  }
  void write(std::size_t i, const Reinterpret&) { write_call(i, reinterpret_text(nodes_[i].type), 1); }
  void write(std::size_t i, const PointerAdd&) { write_infix(i, "+", sum_precedence); }
  void write(std::size_t i, const PointerDifference&) { write_infix(i, "-", sum_precedence); }

  void write(std::size_t i, const Operation& node) {
    const OpInfo& op = info(node.op);
    if (node.op == Op::Select) {
      push_operand(operand(i, 2), op.precedence);
      push_text(" : ");
      push_operand(operand(i, 1), 0);
      push_text(" ? ");
      push_operand(operand(i, 0), op.precedence + 1);
    } else if (is_call(op)) {
      write_call(i, op.text, static_cast<std::size_t>(op.arity));
    } else if (op.arity == 1) {
      const bool folds = node.op == Op::Neg && is_negatable_literal(operand(i, 0));
      push_operand(operand(i, 0), folds ? leaf_precedence + 1 : op.precedence);
      out_ += begins_with_minus(operand(i, 0)) && node.op == Op::Neg ? "- " : op.text;
    } else {
      write_infix(i, op.text, op.precedence);
    }
  }

  void write_call(std::size_t i, std::string_view name, std::size_t arity) {
    push_text(")");
    for (std::size_t k = arity; k-- > 0;) {
      push_operand(operand(i, k), 0);
      if (k != 0) {
        push_text(", ");
      }
    }
    out_ += std::string(name) + "(";
  }

  void write_infix(std::size_t i, std::string_view text, int binds) {
    push_operand(operand(i, 1), binds + 1);
    push_text(" " + std::string(text) + " ");
    push_operand(operand(i, 0), binds);
  }

  /// How a constant begins, if the node is one; `-5` is one constant, so the negation of the constant 5 is written `-(5)`.
  bool literal_begins(std::size_t i, bool with_minus) const {
    const auto* constant = std::get_if<Constant>(&nodes_[i].node);
    return constant != nullptr && literal_text(nodes_[i].type.scalar, constant->bits).starts_with('-') == with_minus;
  }
  bool is_negatable_literal(std::size_t i) const { return literal_begins(i, false); }

  /// A minus in front of another one is kept apart from it.
  bool begins_with_minus(std::size_t i) const {
    const auto* operation = std::get_if<Operation>(&nodes_[i].node);
    return literal_begins(i, true) || (operation != nullptr && operation->op == Op::Neg);
  }

  int precedence(std::size_t i) const {
    const auto& node = nodes_[i].node;
    if (const auto* operation = std::get_if<Operation>(&node)) {
      return is_call(info(operation->op)) ? leaf_precedence : info(operation->op).precedence;
    }
    if (std::holds_alternative<RegisterAddress>(node)) {
      return info(Op::Neg).precedence;
    }
    const bool sum = std::holds_alternative<PointerAdd>(node) || std::holds_alternative<PointerDifference>(node);
    return sum ? sum_precedence : leaf_precedence;
  }

  std::string register_name(RegisterId id) const { return name_text(function_.registers.at(id).name); }

  void push_text(std::string text) { work_.push_back({.is_text = true, .node = 0, .text = std::move(text)}); }

  void push_operand(std::size_t i, int at_least) {
    const bool parentheses = precedence(i) < at_least;
    if (parentheses) {
      push_text(")");
    }
    work_.push_back({.is_text = false, .node = i, .text = {}});
    if (parentheses) {
      push_text("(");
    }
  }

  const Program& program_;
  const Function& function_;
  const std::vector<ExprNode>& nodes_;
  std::vector<std::size_t> operands_;
  std::vector<Work> work_;
  std::string out_;
};

std::string_view name_of(VoteKind kind) {
  switch (kind) {
    case VoteKind::Any:
      return "any.active";
    case VoteKind::All:
      return "all.active";
    case VoteKind::Ballot:
      return "ballot.active";
    case VoteKind::GroupAny:
      return "any.group";
    case VoteKind::GroupAll:
      break;
  }
  return "all.group";
}

/// One overload per instruction.
class InstructionPrinter {
 public:
  InstructionPrinter(const Program& program, const Function& function) : program_(program), function_(function) {}

  std::string operator()(const BranchZero& i) const { return "bz " + text(i.condition) + ", " + target(i.target); }
  std::string operator()(const Jump& i) const { return "jmp " + target(i.target); }
  std::string operator()(const JumpMask& i) const { return "jmp_mask " + text(i.thread) + ", " + target(i.target); }
  std::string operator()(const Assign& i) const { return text(i.place) + " = " + text(i.value); }
  std::string operator()(const Forget& i) const { return "forget " + name(i.id); }
  std::string operator()(const Load& i) const { return text(i.place) + " = ld " + cell(i.base, i.index); }
  std::string operator()(const Store& i) const { return "st " + cell(i.base, i.index) + " = " + text(i.value); }
  std::string operator()(const Atomic& i) const {
    return (i.dst ? name(*i.dst) + " = " : "") + std::string(info(i.op).word) + "(" + cell(i.base, i.index) + ", " +
           (i.compare ? text(*i.compare) + ", " : "") + text(i.value) + ")";
  }
  std::string operator()(const Shuffle& i) const {
    return name(i.dst) + (i.active ? " = shfl.active(" : " = shfl(") + name(i.source) + ", " + text(i.lane) + ")";
  }
  std::string operator()(const Vote& i) const { return name(i.dst) + " = " + std::string(name_of(i.kind)) + "(" + text(i.value) + ")"; }
  std::string operator()(const Call& i) const {
    std::string out = i.result ? name(*i.result) + " = call " : "call ";
    out += name_text(program_.functions.at(i.function).name) + "(";
    for (std::size_t k = 0; k < i.arguments.size(); ++k) {
      out += (k != 0 ? ", " : "") + text(i.arguments[k]);
    }
    return out + ")";
  }
  std::string operator()(const Return& i) const { return i.value ? "ret " + text(*i.value) : "ret"; }
  std::string operator()(const Sync&) const { return "sync"; }
  std::string operator()(const Stop&) const { return "stop"; }
  std::string operator()(const Everywhere&) const { return "everywhere"; }
  std::string operator()(const EndEverywhere&) const { return "end_everywhere"; }
  std::string operator()(const Barrier& i) const {
    const std::string_view fences = lockstep::name_of(i.fences);
    return fences.empty() ? "barrier" : "barrier " + std::string(fences);
  }

 private:
  std::string name(RegisterId id) const { return name_text(function_.registers.at(id).name); }
  std::string text(const Expr& expression) const { return print(program_, function_, expression); }
  std::string text(const Place& place) const { return name(place.id) + (place.index ? "[" + text(*place.index) + "]" : ""); }
  std::string cell(const Expr& base, const Expr& index) const {
    return ExprPrinter(program_, function_, base).run(leaf_precedence) + "[" + text(index) + "]";
  }
  std::string target(Label pc) const {
    const auto label = std::ranges::lower_bound(program_.labels, pc, {}, &LabelDefinition::pc);
    const bool found = label != program_.labels.end() && label->pc == pc;
    return found ? name_text(label->name) : std::to_string(pc);
  }

  const Program& program_;
  const Function& function_;
};

/// "[16]", "[4][4]", or nothing for a single value.
std::string extents_text(std::uint64_t count, bool is_array, const std::vector<std::uint64_t>& extents) {
  if (extents.empty()) {
    return is_array ? "[" + std::to_string(count) + "]" : "";
  }
  if (extents.size() < 2 || std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies{}) != count) {
    throw InternalError("the extents of an array do not fit its count");
  }
  std::string out;
  for (const std::uint64_t extent : extents) {
    out += "[" + std::to_string(extent) + "]";
  }
  return out;
}

/// A register without its type: its name, its extents, and the variable where the name does not say it.
std::string declarator(const RegisterInfo& info) {
  std::string out = name_text(info.name) + extents_text(info.count.value_or(0), info.count.has_value(), info.extents);
  if (!info.variable.empty() && info.variable != stem(info.name)) {
    out += " of " + name_text(info.variable);
  }
  return out;
}

std::string parameters_text(const Function& function) {
  std::string out = "(";
  for (std::size_t i = 0; i < function.parameter_count; ++i) {
    const RegisterInfo& parameter = function.registers.at(i);
    out += i != 0 ? ", " : "";
    out += function.uniform_parameters.at(i) ? "uniform " : "";
    out += parameter.variable.empty() ? "temp " : "";
    out += parameter.always_written ? "written " : "";
    out += name_of(parameter.type) + " " + declarator(parameter);
  }
  return out + ")";
}

/// What registers of one directive have in common.
std::string directive_of(const RegisterInfo& info) {
  return std::string(info.variable.empty() ? ".temp " : ".var ") + (info.always_written ? "written " : "") + name_of(info.type);
}

/// The whole text, function by function.
class ProgramPrinter {
 public:
  ProgramPrinter(const Program& program, const PrintOptions& options) : program_(program), options_(options) {
    if (options_.source_lines && program_.source != nullptr) {
      origins_.emplace(*program_.source);
    }
  }

  std::string run() {
    out_ = ".typed\n.wg_size " + std::to_string(program_.wg_size) + "\n";
    for (const Object& object : program_.objects) {
      print_object(object);
    }
    Label next = 0;
    for (const Function& function : program_.functions) {
      if (function.begin != next || function.end <= function.begin || function.end > program_.code.size()) {
        throw InternalError("the functions of a program do not lie one behind the other");
      }
      next = function.end;
      print_function(function);
    }
    if (next != program_.code.size() || program_.functions.empty() ||
        (!program_.labels.empty() && program_.labels.back().pc >= program_.code.size())) {
      throw InternalError("a program has code or labels outside of its functions");
    }
    return std::move(out_);
  }

 private:
  void print_object(const Object& object) {
    const bool local = object.space == AddressSpace::Local;
    out_ += (local ? ".local " : ".constant ") + std::string(info(object.element).name) + " " + name_text(object.name) +
            extents_text(object.count, object.count != 1, object.extents);
    if (!local) {
      out_ += " :";
      for (std::size_t i = 0; i < object.values.size(); ++i) {
        out_ += i != 0 && i % values_per_line == 0 ? " ..\n        " : " ";
        out_ += literal_text(object.element, object.values[i]);
      }
    }
    out_ += "\n";
  }

  void print_registers(const Function& function) {
    for (std::size_t i = function.parameter_count; i < function.registers.size();) {
      const std::string head = directive_of(function.registers[i]);
      std::string line = head + " " + declarator(function.registers[i]);
      for (++i; i < function.registers.size() && line.size() < line_width && directive_of(function.registers[i]) == head; ++i) {
        line += ", " + declarator(function.registers[i]);
      }
      out_ += line + "\n";
    }
  }

  void print_function(const Function& function) {
    const bool is_kernel = &function == program_.functions.data();
    out_ += "\n" + (is_kernel ? ".kernel " + name_text(function.name) + parameters_text(function) : ".function " + signature(function));
    out_ += "\n";
    print_registers(function);
    last_line_ = 0;
    for (Label pc = function.begin; pc < function.end; ++pc) {
      print_source_line(program_.code[pc].span);
      const std::size_t column = print_labels(pc);
      out_.append(label_columns - column, ' ');
      out_ += print(program_, function, program_.code[pc].instruction) + "\n";
    }
  }

  void print_source_line(SourceSpan span) {
    if (!origins_) {
      return;
    }
    const std::uint32_t line = program_.source->place(span.begin).line;
    if (line == last_line_) {
      return;
    }
    last_line_ = line;
    std::string_view text = program_.source->line_text(line);
    const std::size_t first = std::min(text.find_first_not_of(" \t\r"), text.size());
    text = text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
    out_.append(label_columns, ' ');
    out_ += "// " + origins_->name(line) + (text.empty() ? ":" : ": ") + printable(text) + "\n";
  }

  /// The labels before an instruction, the last one on its line if it is short; the column behind it.
  std::size_t print_labels(Label pc) {
    std::size_t column = 0;
    for (; next_label_ < program_.labels.size() && program_.labels[next_label_].pc == pc; ++next_label_) {
      out_ += column != 0 ? "\n" : "";
      const std::string name = name_text(program_.labels[next_label_].name) + ":";
      out_ += name;
      column = name.size();
    }
    if (column >= label_columns) {
      out_ += "\n";
      column = 0;
    }
    return column;
  }

  const Program& program_;
  const PrintOptions& options_;
  std::optional<LineOrigins> origins_;
  std::size_t next_label_ = 0;
  std::uint32_t last_line_ = 0;
  std::string out_;
};

}  // namespace

std::string print(const Program& program, const Function& function, const Expr& expression) {
  return ExprPrinter(program, function, expression).run(0);
}

std::string print(const Program& program, const Function& function, const Instruction& instruction) {
  return std::visit(InstructionPrinter(program, function), instruction);
}

std::string signature(const Function& function) {
  return (function.result ? name_of(*function.result) : "void") + " " + name_text(function.name) + parameters_text(function);
}

std::string print(const Program& program, const PrintOptions& options) { return ProgramPrinter(program, options).run(); }

}  // namespace lockstep::typed
