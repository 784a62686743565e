// From a parsed program to instructions that the rules can run, and the machine's initial state.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/machine/machine.hpp"

namespace lockstep {

using namespace musimd;

namespace {

/// This many different constants are kept as lane arrays; further ones are spread over the lanes at each use, so that a
/// program of many constants takes no more memory than its text.
constexpr std::size_t pooled_constants = 256;

/// How many operands of the expression wait at once at the most.
std::size_t depth_of(const Expr& e) {
  std::size_t depth = 0;
  std::size_t deepest = 1;
  for (const ExprNode& node : e.nodes) {
    if (const auto* operation = std::get_if<Operation>(&node)) {
      depth -= static_cast<std::size_t>(info(operation->op).arity) - 1;
    } else {
      deepest = std::max(deepest, ++depth);
    }
  }
  return deepest;
}

template <class F>
void for_each_expression(const Instruction& i, F&& f) {
  struct Visitor {
    F& f;
    void operator()(const BranchZero& x) const { f(x.condition); }
    void operator()(const Jump&) const {}
    void operator()(const JumpMask& x) const { f(x.thread); }
    void operator()(const Assign& x) const { f(x.value); }
    void operator()(const Load& x) const { f(x.address); }
    void operator()(const Store& x) const {
      f(x.address);
      f(x.value);
    }
    void operator()(const Shuffle& x) const { f(x.lane); }
    void operator()(const Sync&) const {}
    void operator()(const Stop&) const {}
    void operator()(const Everywhere&) const {}
    void operator()(const EndEverywhere&) const {}
  };
  std::visit(Visitor{f}, i);
}

std::size_t depth_of(const Program& program) {
  std::size_t depth = 1;
  for (const Statement& statement : program.code) {
    for_each_expression(statement.instruction, [&](const Expr& e) { depth = std::max(depth, depth_of(e)); });
  }
  return depth;
}

/// A sentence about what is wrong with a list of threads, if something is.
std::optional<std::string> check_threads(const std::vector<unsigned>& list, unsigned threads, const char* what, bool every) {
  std::vector<bool> seen(threads);
  for (const unsigned t : list) {
    if (t >= threads) {
      return fmt::format("{} names thread {}, but there are {} threads", what, t, threads);
    }
    if (seen[t]) {
      return fmt::format("{} names thread {} twice", what, t);
    }
    seen[t] = true;
  }
  if (every && !list.empty() && list.size() != threads) {
    return fmt::format("{} names {} of {} threads; it must name each once", what, list.size(), threads);
  }
  return std::nullopt;
}

}  // namespace

std::expected<std::unique_ptr<Machine>, std::string> Machine::make(std::shared_ptr<const Program> program, MachineOptions options) {
  const unsigned threads = options.threads != 0 ? options.threads : program->threads.value_or(default_threads);
  if (threads == 0 || threads > max_threads) {
    return std::unexpected(fmt::format("{} threads; there must be 1 to {}", threads, max_threads));
  }
  for (const auto& problem : {check_threads(options.active, threads, "the initial active set", false),
                              check_threads(options.order, threads, "the thread order", true)}) {
    if (problem) {
      return std::unexpected(*problem);
    }
  }
  std::unique_ptr<Machine> machine(new Machine(std::move(program), std::move(options), threads));
  if (auto problem = machine->fill_shared()) {
    return std::unexpected(*problem);
  }
  return machine;
}

Machine::Machine(std::shared_ptr<const Program> program, MachineOptions options, unsigned threads)
    : program_(std::move(program)),
      options_(std::move(options)),
      domain_(threads, depth_of(*program_), options_.printed, options_.order),
      load_addresses_(threads) {
  state_.active = domain_.all();
  if (!options_.active.empty()) {
    state_.active = domain_.none();
    for (const unsigned t : options_.active) {
      state_.active.insert(t);
    }
  }
  state_.bank = LocalBank(program_->variables.size(), threads);
  state_.shared = Cells(options_.memory_limit);
  state_.pc = 0;
  load();
}

std::optional<std::string> Machine::fill_shared() {
  for (const SharedRange& range : program_->shared) {
    for (std::size_t k = 0; k < range.values.size(); ++k) {
      if (!state_.shared.write(range.base + static_cast<std::int64_t>(k), {CellState::Number, range.values[k]})) {
        return fmt::format("the .shared cells do not fit into the memory limit of {} bytes", options_.memory_limit);
      }
    }
  }
  return std::nullopt;
}

const std::int64_t* Machine::constant(std::int64_t value) {
  const auto known = constants_.find(value);
  if (known != constants_.end()) {
    return known->second.data();
  }
  if (constants_.size() >= pooled_constants) {
    return nullptr;
  }
  LaneArray lanes(padded_lanes(threads()));
  std::fill_n(lanes.data(), padded_lanes(threads()), value);
  return constants_.emplace(value, std::move(lanes)).first->second.data();
}

Concrete::Operand Machine::operand(const Expr& e) {
  using Node = Concrete::Node;
  Concrete::Operand result;
  result.nodes.reserve(e.nodes.size());
  for (const ExprNode& node : e.nodes) {
    Node out;
    if (const auto* c = std::get_if<Constant>(&node)) {
      out.lanes = constant(c->value);
      out.kind = out.lanes == nullptr ? Node::Kind::Constant : Node::Kind::Lanes;
      out.number = c->value;
    } else if (const auto* v = std::get_if<Variable>(&node)) {
      out.kind = Node::Kind::Variable;
      out.variable = v->id;
    } else if (const auto* operation = std::get_if<Operation>(&node)) {
      out.kind = Node::Kind::Operation;
      out.op = operation->op;
      out.arity = static_cast<std::uint8_t>(info(operation->op).arity);
      out.divides = may_be_undefined(operation->op, ScalarType::Long);
    } else {
      out.lanes = domain_.thread_numbers();
    }
    result.nodes.push_back(out);
  }
  result.shape = e.nodes.size() > 1                             ? Concrete::Shape::Operation
                 : std::holds_alternative<Constant>(e.nodes[0]) ? Concrete::Shape::Constant
                                                                : Concrete::Shape::Copy;
  return result;
}

CoreInstruction Machine::translate(const Instruction& i) {
  struct Visitor {
    Machine& m;
    CoreInstruction operator()(const BranchZero& x) const { return Bz<Concrete>{m.operand(x.condition), x.target.pc}; }
    CoreInstruction operator()(const Jump& x) const { return Jmp<Concrete>{x.target.pc}; }
    CoreInstruction operator()(const JumpMask& x) const { return JmpMask<Concrete>{m.operand(x.thread), x.target.pc}; }
    CoreInstruction operator()(const Assign& x) const { return Assignment<Concrete>{x.dst, m.operand(x.value)}; }
    CoreInstruction operator()(const Load& x) const { return Ld<Concrete>{x.dst, m.operand(x.address)}; }
    CoreInstruction operator()(const Store& x) const { return St<Concrete>{m.operand(x.address), m.operand(x.value)}; }
    CoreInstruction operator()(const Shuffle& x) const {
      const auto* variable = std::get_if<Variable>(&x.source);
      return Shfl<Concrete>{x.dst, {variable == nullptr, variable == nullptr ? 0 : variable->id}, m.operand(x.lane)};
    }
    CoreInstruction operator()(const Sync&) const { return SyncPoint<Concrete>{}; }
    CoreInstruction operator()(const Stop&) const { return Halt<Concrete>{}; }
    CoreInstruction operator()(const Everywhere&) const { return EnterBlock<Concrete>{}; }
    CoreInstruction operator()(const EndEverywhere&) const { return LeaveBlock<Concrete>{}; }
  };
  return std::visit(Visitor{*this}, i);
}

void Machine::load() {
  code_.reserve(program_->code.size());
  for (const Statement& statement : program_->code) {
    code_.push_back(translate(statement.instruction));
  }
}

}  // namespace lockstep
