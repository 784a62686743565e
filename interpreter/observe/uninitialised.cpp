#include "interpreter/observe/uninitialised.hpp"

#include <fmt/format.h>

#include <array>

#include "interpreter/machine/machine.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ops/lane.hpp"

namespace lockstep {

using namespace musimd;

namespace {

std::int64_t apply(Op op, const Cell* a) {
  const std::array<std::int64_t, 3> numbers = {a[0].number, info(op).arity > 1 ? a[1].number : 0, info(op).arity > 2 ? a[2].number : 0};
  return ops::apply(op, numbers);
}

/// A number if `op` has one on these operands, else what the first operand is that counts and is none.
Cell result(Op op, const Cell* operands) {
  const int operand = ops::passed_on(
      op, info(op).arity, [&](int k) { return operands[k].state == CellState::Number; }, [&](int k) { return operands[k].number != 0; });
  return operand >= 0 ? operands[operand] : Cell{CellState::Number, apply(op, operands)};
}

/// The value of `e` in one thread.
Cell evaluate(const Expr& e, const LocalBank& bank, unsigned thread) {
  std::vector<Cell> stack;
  for (const ExprNode& node : e.nodes) {
    if (const auto* constant = std::get_if<Constant>(&node)) {
      stack.push_back({CellState::Number, constant->value});
    } else if (const auto* variable = std::get_if<Variable>(&node)) {
      stack.push_back(bank.read(variable->id, thread));
    } else if (const auto* operation = std::get_if<Operation>(&node)) {
      const auto arity = static_cast<std::size_t>(info(operation->op).arity);
      const Cell value = result(operation->op, &stack[stack.size() - arity]);
      stack.resize(stack.size() - arity);
      stack.push_back(value);
    } else {
      stack.push_back({CellState::Number, thread});
    }
  }
  return stack.back();
}

/// The threads of `mask` in which `variable` holds nothing.
LaneSet missing_in(const LocalBank& bank, VarId variable, LaneSet mask) {
  for (std::size_t w = 0; w < mask.word_count(); ++w) {
    mask.words()[w] &= ~(bank.numbers(variable)[w] | bank.poison(variable)[w]);
  }
  return mask;
}

bool reads_uninitialised(const AskedPremise& premise) {
  return (premise.rule == RuleId::MV && premise.number == 2) || (premise.rule == RuleId::MM && premise.number == 2) ||
         ((premise.rule == RuleId::SV || premise.rule == RuleId::SI_shfl) && premise.number == 3);
}

}  // namespace

void UninitialisedObserver::before_step(const Machine& machine) {
  const Machine::State& s = machine.state();
  if (s.pc >= machine.program().code.size()) {
    return;
  }
  const auto* shuffle = std::get_if<Shuffle>(&machine.program().code[s.pc].instruction);
  const auto* source = shuffle == nullptr ? nullptr : std::get_if<Variable>(&shuffle->source);
  if (source == nullptr) {
    return;
  }
  const LaneSet missing = missing_in(s.bank, source->id, s.context.empty() ? s.active : s.context.back().mask);
  if (missing.empty()) {
    return;
  }
  at_step_ = machine.steps();
  count_then_ = count_;
  kept_then_ = reads_.size();
  s.active.for_each([&](unsigned t) {
    const Cell lane = evaluate(shuffle->lane, s.bank, t);
    if (lane.state == CellState::Number && lane.number >= 0 && lane.number < machine.threads() &&
        missing.contains(static_cast<unsigned>(lane.number))) {
      note({at_step_ + 1, s.pc, t, false,
            fmt::format("{} is uninitialised in thread {}", machine.program().variables[source->id], lane.number)});
    }
  });
}

void UninitialisedObserver::ended(const Machine& machine, const Ending& ending) {
  const bool executed = std::holds_alternative<Halted>(ending);
  if (!executed && at_step_ == machine.steps() && count_ > count_then_) {  // that shuffle did not run after all
    count_ = count_then_;
    reads_.resize(kept_then_);
  }
  const auto* undefined = std::get_if<Undefined>(&ending);
  if (undefined != nullptr && reads_uninitialised(undefined->premise)) {
    if (reads_.size() == kept) {
      reads_.pop_back();
    }
    note({machine.steps() + 1, machine.state().pc, undefined->thread, true, undefined->premise.detail});
    count_ += undefined->premise.failing.size() - 1;
  }
}

void UninitialisedObserver::note(UninitialisedRead read) {
  ++count_;
  if (reads_.size() < kept) {
    reads_.push_back(std::move(read));
  }
}

}  // namespace lockstep
