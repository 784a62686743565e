#include "interpreter/observe/coverage.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <variant>

#include "interpreter/machine/machine.hpp"

namespace lockstep {

using namespace musimd;

namespace {

/// What the operands of an instruction look up.
struct Operands {
  bool cell = false;
  bool tid = false;
  bool variable = false;
  bool divides = false;

  void look(const Expr& e) {
    for (const ExprNode& node : e.nodes) {
      tid = tid || std::holds_alternative<ThreadId>(node);
      variable = variable || std::holds_alternative<Variable>(node);
      if (const auto* operation = std::get_if<Operation>(&node)) {
        divides = divides || operation->op == Op::Div || operation->op == Op::Rem;
      }
    }
  }

  void operator()(const BranchZero& i) { look(i.condition); }
  void operator()(const JumpMask& i) { look(i.thread); }
  void operator()(const Assign& i) { look(i.value); }
  void operator()(const Load& i) {
    cell = true;
    look(i.address);
  }
  void operator()(const Store& i) {
    look(i.address);
    look(i.value);
  }
  void operator()(const Shuffle& i) {
    (std::holds_alternative<ThreadId>(i.source) ? tid : variable) = true;
    look(i.lane);
  }
  template <class I>
  void operator()(const I&) {}
};

Operands operands(const Machine& machine, Label pc) {
  Operands found;
  std::visit(found, machine.program().code[pc].instruction);
  return found;
}

std::uint64_t& at(std::array<std::uint64_t, premise_table.size()>& counts, RuleId rule, int number) {
  return counts[premise_index(rule, number)];
}

/// Whether a premise that is asked wherever there are operands speaks of this instruction at all.
bool concerns(const Operands& operands, const AskedPremise& premise) {
  if (premise.rule == RuleId::MV) {
    return operands.variable;
  }
  return premise.rule != RuleId::BP || operands.divides;
}

bool is_leaf(RuleId id) { return id == RuleId::MM || id == RuleId::MT || id == RuleId::MV; }

}  // namespace

bool Coverage::complete() const {
  bool all = true;
  for (std::size_t r = 0; r < rule_count; ++r) {
    all = all && (fired[r] != 0 || only_typed(rule_table[r]));
  }
  for (std::size_t p = 0; p < premise_table.size(); ++p) {
    all = all && ((held[p] != 0 && failed[p] != 0) || only_typed(premise_table[p]));
  }
  return all;
}

void Coverage::add(const Coverage& other) {
  const auto plus = [](auto& to, const auto& from) { std::transform(to.begin(), to.end(), from.begin(), to.begin(), std::plus<>()); };
  plus(fired, other.fired);
  plus(held, other.held);
  plus(failed, other.failed);
}

void CoverageObserver::asked(const Machine& machine, std::span<const CandidateReport> candidates) {
  const Operands found = operands(machine, machine.state().pc);
  std::array<bool, rule_count> matches{};
  for (const CandidateReport& candidate : candidates) {
    for (const AskedPremise& premise : candidate.premises) {
      if (premise.number == 1) {
        matches[static_cast<std::size_t>(premise.rule)] = premise.holds;
        continue;
      }
      if (premise.holds && concerns(found, premise)) {
        ++at(coverage_.held, premise.rule, premise.number);
      }
      if (!premise.holds || !premise.failing.empty()) {
        ++at(coverage_.failed, premise.rule, premise.number);
      }
    }
  }
  matches[static_cast<std::size_t>(RuleId::TL)] = matches[static_cast<std::size_t>(RuleId::IT)];
  for (const RuleInfo& rule : rule_table) {
    if (!is_leaf(rule.id) && !only_typed(rule)) {
      ++at(matches[static_cast<std::size_t>(rule.id)] ? coverage_.held : coverage_.failed, rule.id, 1);
    }
  }
  const std::pair<RuleId, bool> leaves[] = {{RuleId::MM, found.cell}, {RuleId::MT, found.tid}, {RuleId::MV, found.variable}};
  for (const auto& [looked_up, present] : leaves) {
    for (const auto& [rule, other] : leaves) {
      if (present) {
        ++at(rule == looked_up ? coverage_.held : coverage_.failed, rule, 1);
      }
    }
  }
}

void CoverageObserver::after_step(const Machine& machine, const StepEvent& event) {
  const auto fire = [&](RuleId id, bool condition) { coverage_.fired[static_cast<std::size_t>(id)] += condition ? 1U : 0U; };
  const Operands found = operands(machine, event.pc);
  fire(event.fired.rule, true);
  fire(event.fired.root, event.fired.root != event.fired.rule);
  fire(RuleId::TL, event.fired.rule == RuleId::IT);
  fire(RuleId::MM, found.cell);
  fire(RuleId::MT, found.tid);
  fire(RuleId::MV, found.variable);
}

}  // namespace lockstep
