#include "interpreter/debug/program/condition.hpp"

#include <algorithm>
#include <array>

#include "semantics/ops/apply.hpp"
#include "semantics/ops/lane.hpp"

namespace lockstep {

using namespace musimd;

namespace {

using Kind = Condition::Node::Kind;

std::int64_t compute(Op op, const Cell* a) {
  const std::array<std::int64_t, 3> numbers = {a[0].number, info(op).arity > 1 ? a[1].number : 0, info(op).arity > 2 ? a[2].number : 0};
  return ops::apply(op, numbers);
}

Cell number(std::int64_t n) { return {CellState::Number, n}; }
Cell number(std::size_t n) { return number(static_cast<std::int64_t>(n)); }

/// What `number` holds, within evaluate, of a cell that is uninitialised.
constexpr std::int64_t by_zero = 1;
constexpr std::int64_t no_thread = 2;

/// An operation on operands that may have no value; the first that has none is the result, and `?:` looks only at what it chooses.
Cell apply(Op op, const Cell* a) {
  const int operand =
      ops::passed_on(op, info(op).arity, [&](int k) { return a[k].state == CellState::Number; }, [&](int k) { return a[k].number != 0; });
  if (operand >= 0) {
    return a[operand];
  }
  if (may_be_undefined(op, ScalarType::Long) && a[1].number == 0) {
    return {CellState::Uninitialised, by_zero};
  }
  return number(compute(op, a));
}

bool is_thread(const Machine& machine, const Cell& c) {
  return c.state == CellState::Number && c.number >= 0 && c.number < static_cast<std::int64_t>(machine.threads());
}

/// Whether the instruction changes Θ, Π or Λ.
bool is_control(const Instruction& i) {
  return std::holds_alternative<BranchZero>(i) || std::holds_alternative<Sync>(i) || std::holds_alternative<Everywhere>(i) ||
         std::holds_alternative<EndEverywhere>(i);
}

const VarId* written_variable(const Instruction& i) {
  if (const auto* assign = std::get_if<Assign>(&i)) {
    return &assign->dst;
  }
  if (const auto* load = std::get_if<Load>(&i)) {
    return &load->dst;
  }
  if (const auto* shuffle = std::get_if<Shuffle>(&i)) {
    return &shuffle->dst;
  }
  return nullptr;
}

/// The value of a node that looks at the state alone.
Cell leaf(const Machine& machine, const Condition::Node& node, unsigned thread) {
  const Machine::State& s = machine.state();
  switch (node.kind) {
    case Kind::Variable:
      return s.bank.read(node.variable, thread);
    case Kind::Tid:
      return number(std::size_t{thread});
    case Kind::Pc:
      return number(std::size_t{s.pc});
    case Kind::Step:
      return number(std::size_t{machine.steps()});
    case Kind::SyncDepth:
      return number(s.sync.size() - s.frame_base);
    case Kind::ContextDepth:
      return number(s.context.size());
    case Kind::CountActive:
      return number(std::size_t{s.active.size()});
    default:
      return number(node.number);
  }
}

/// The value of a node that looks something up by the value `key`.
Cell look_up(const Machine& machine, const Condition::Node& node, const Cell& key) {
  if (key.state != CellState::Number) {
    return key;
  }
  const Machine::State& s = machine.state();
  if (node.kind == Kind::Memory) {
    return s.shared.read(key.number);
  }
  if (node.kind == Kind::Active) {
    return number(std::size_t{is_thread(machine, key) && s.active.contains(static_cast<unsigned>(key.number)) ? 1U : 0U});
  }
  return is_thread(machine, key) ? s.bank.read(node.variable, static_cast<unsigned>(key.number))
                                 : Cell{CellState::Uninitialised, no_thread};
}

}  // namespace

Cell Condition::quantify(const Machine& machine, std::size_t begin) const {
  const Node& node = nodes_[begin];
  const bool all = node.kind == Kind::All;
  bool result = all;
  machine.state().active.for_each([&](unsigned thread) {
    if (result == all) {
      const Cell c = evaluate(machine, thread, begin + 1, node.end);
      const bool holds = c.state == CellState::Number && c.number != 0;
      result = all ? holds : holds || result;
    }
  });
  return number(std::size_t{result ? 1U : 0U});
}

Cell Condition::evaluate(const Machine& machine, unsigned thread, std::size_t begin, std::size_t end) const {
  if (end - begin == 1) {
    return leaf(machine, nodes_[begin], thread);
  }
  std::vector<Cell> stack;
  stack.reserve(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const Node& node = nodes_[i];
    if (node.kind == Kind::Any || node.kind == Kind::All) {
      stack.push_back(quantify(machine, i));
      i = node.end - 1;
    } else if (node.kind == Kind::Operation) {
      const std::size_t first = stack.size() - static_cast<std::size_t>(info(node.op).arity);
      stack[first] = apply(node.op, &stack[first]);
      stack.resize(first + 1);
    } else if (node.kind == Kind::VariableOf || node.kind == Kind::Memory || node.kind == Kind::Active) {
      stack.back() = look_up(machine, node, stack.back());
    } else {
      stack.push_back(leaf(machine, node, thread));
    }
  }
  return stack.back();
}

Cell Condition::value(const Machine& machine, unsigned thread) const {
  const Cell c = evaluate(machine, thread, 0, nodes_.size());
  return c.state == CellState::Number ? c : Cell{c.state, 0};
}

std::string_view Condition::no_value_reason(const Machine& machine, unsigned thread) const {
  const Cell c = evaluate(machine, thread, 0, nodes_.size());
  if (c.state != CellState::Uninitialised) {
    return {};
  }
  return c.number == by_zero ? "division by 0" : c.number == no_thread ? "there is no such thread" : "";
}

bool Condition::holds(const Machine& machine) const {
  const auto true_in = [&](unsigned thread) {
    const Cell c = value(machine, thread);
    return c.state == CellState::Number && c.number != 0;
  };
  if (!per_thread_) {
    return true_in(0);
  }
  bool result = false;
  machine.state().active.for_each([&](unsigned thread) { result = result || true_in(thread); });
  return result;
}

bool Condition::may_change(const Instruction& instruction) const {
  if (reads_position_ || (reads_control_ && is_control(instruction)) || (reads_memory_ && std::holds_alternative<Store>(instruction))) {
    return true;
  }
  const VarId* written = written_variable(instruction);
  return written != nullptr && std::find(reads_.begin(), reads_.end(), *written) != reads_.end();
}

void Condition::note_reads() {
  std::size_t quantified_until = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const bool in_thread = node.kind == Kind::Variable || node.kind == Kind::Tid;
    if (node.kind == Kind::Any || node.kind == Kind::All) {
      quantified_until = std::max(quantified_until, node.end);
    }
    per_thread_ = per_thread_ || (in_thread && i >= quantified_until);
    if (node.kind == Kind::Variable || node.kind == Kind::VariableOf) {
      reads_.push_back(node.variable);
    }
    reads_memory_ = reads_memory_ || node.kind == Kind::Memory;
    reads_position_ = reads_position_ || node.kind == Kind::Pc || node.kind == Kind::Step;
    reads_control_ = reads_control_ || in_thread || node.kind == Kind::Any || node.kind == Kind::All || node.kind == Kind::Active ||
                     node.kind == Kind::CountActive || node.kind == Kind::SyncDepth || node.kind == Kind::ContextDepth;
  }
}

Condition Condition::of(const Expr& e) {
  Condition result;
  for (const ExprNode& node : e.nodes) {
    Node out;
    if (const auto* constant = std::get_if<Constant>(&node)) {
      out.number = constant->value;
    } else if (const auto* variable = std::get_if<musimd::Variable>(&node)) {
      out.kind = Kind::Variable;
      out.variable = variable->id;
    } else if (const auto* operation = std::get_if<musimd::Operation>(&node)) {
      out.kind = Kind::Operation;
      out.op = operation->op;
    } else {
      out.kind = Kind::Tid;
    }
    result.nodes_.push_back(out);
  }
  result.note_reads();
  return result;
}

}  // namespace lockstep
