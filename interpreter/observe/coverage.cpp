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

/// Looks at the operands of an untyped instruction.
struct Looker {
  LookedUp found;

  void look(const Expr& e) {
    for (const ExprNode& node : e.nodes) {
      found.tid = found.tid || std::holds_alternative<ThreadId>(node);
      found.variable = found.variable || std::holds_alternative<Variable>(node);
      if (const auto* operation = std::get_if<Operation>(&node)) {
        found.may_be_undefined = found.may_be_undefined || may_be_undefined(operation->op, ScalarType::Long);
      }
    }
  }

  void operator()(const BranchZero& i) { look(i.condition); }
  void operator()(const JumpMask& i) { look(i.thread); }
  void operator()(const Assign& i) { look(i.value); }
  void operator()(const Load& i) {
    found.cell = true;
    look(i.address);
  }
  void operator()(const Store& i) {
    look(i.address);
    look(i.value);
  }
  void operator()(const Shuffle& i) {
    (std::holds_alternative<ThreadId>(i.source) ? found.tid : found.variable) = true;
    look(i.lane);
  }
  template <class I>
  void operator()(const I&) {}
};

LookedUp looked_up(const Machine& machine, Label pc) {
  Looker looker;
  std::visit(looker, machine.program().code[pc].instruction);
  return looker.found;
}

std::uint64_t& at(std::array<std::uint64_t, premise_table.size()>& counts, RuleId rule, int number) {
  return counts[premise_index(rule, number)];
}

/// Whether a premise that is asked wherever there are operands speaks of this instruction at all.
bool is_about(const LookedUp& found, const PremiseAnswer& answer) {
  if (answer.rule == RuleId::MV) {
    return found.variable;
  }
  return answer.rule != RuleId::BP || found.may_be_undefined;
}

bool is_leaf(RuleId id) { return id == RuleId::MM || id == RuleId::MT || id == RuleId::MV; }

bool is_printed(const PremiseInfo& premise) { return premise.erratum.starts_with('E'); }

/// What typed programs have another premise for, or no operand.
bool only_untyped(const PremiseInfo& premise) {
  const auto is = [&](RuleId rule, int number) { return premise.rule == rule && premise.number == number; };
  return is_printed(premise) || premise.rule == RuleId::MT || is(RuleId::BP, 2) || is(RuleId::LD, 2) || is(RuleId::ST, 3);
}

}  // namespace

bool Coverage::concerns(const RuleInfo& rule) const {
  return only_typed(rule) ? typed : rule.id == RuleId::MT ? untyped : untyped || typed;
}

bool Coverage::concerns(const PremiseInfo& premise) const {
  return only_typed(premise) ? typed : only_untyped(premise) ? untyped : untyped || typed;
}

bool Coverage::complete() const {
  bool all = true;
  for (std::size_t r = 0; r < rule_count; ++r) {
    all = all && (fired[r] != 0 || !concerns(rule_table[r]));
  }
  for (std::size_t p = 0; p < premise_table.size(); ++p) {
    all = all && ((held[p] != 0 && failed[p] != 0) || !concerns(premise_table[p]));
  }
  return all;
}

void Coverage::add(const Coverage& other) {
  const auto plus = [](auto& to, const auto& from) { std::transform(to.begin(), to.end(), from.begin(), to.begin(), std::plus<>()); };
  plus(fired, other.fired);
  plus(held, other.held);
  plus(failed, other.failed);
  untyped = untyped || other.untyped;
  typed = typed || other.typed;
}

void count_asked(Coverage& coverage, const LookedUp& found, const std::vector<PremiseAnswer>& answers) {
  std::array<bool, rule_count> matches{};
  for (const PremiseAnswer& answer : answers) {
    if (answer.number == 1) {
      matches[static_cast<std::size_t>(answer.rule)] = answer.holds;
      continue;
    }
    if (answer.holds && is_about(found, answer)) {
      ++at(coverage.held, answer.rule, answer.number);
    }
    if (!answer.holds || answer.fails_for_some) {
      ++at(coverage.failed, answer.rule, answer.number);
    }
  }
  matches[static_cast<std::size_t>(RuleId::TL)] = matches[static_cast<std::size_t>(RuleId::IT)];
  for (const RuleInfo& rule : rule_table) {
    if (!is_leaf(rule.id) && (!only_typed(rule) || coverage.typed)) {
      ++at(matches[static_cast<std::size_t>(rule.id)] ? coverage.held : coverage.failed, rule.id, 1);
    }
  }
  const std::pair<RuleId, bool> leaves[] = {{RuleId::MM, found.cell}, {RuleId::MT, found.tid}, {RuleId::MV, found.variable}};
  for (const auto& [looked_up, present] : leaves) {
    for (const auto& [rule, other] : leaves) {
      if (present) {
        ++at(rule == looked_up ? coverage.held : coverage.failed, rule, 1);
      }
    }
  }
}

void count_leaves(Coverage& coverage, const LookedUp& found, std::uint64_t times, bool under_it) {
  const auto fire = [&](RuleId id, bool condition) { coverage.fired[static_cast<std::size_t>(id)] += condition ? times : 0U; };
  fire(RuleId::TL, under_it);
  fire(RuleId::MM, found.cell);
  fire(RuleId::MT, found.tid);
  fire(RuleId::MV, found.variable);
}

void CoverageObserver::asked(const Machine& machine, std::span<const CandidateReport> candidates) {
  std::vector<PremiseAnswer> answers;
  for (const CandidateReport& candidate : candidates) {
    for (const AskedPremise& premise : candidate.premises) {
      answers.push_back({premise.rule, premise.number, premise.holds, !premise.failing.empty()});
    }
  }
  count_asked(coverage_, looked_up(machine, machine.state().pc), answers);
}

void CoverageObserver::after_step(const Machine& machine, const StepEvent& event) {
  ++coverage_.fired[static_cast<std::size_t>(event.fired.rule)];
  coverage_.fired[static_cast<std::size_t>(event.fired.root)] += event.fired.root != event.fired.rule ? 1U : 0U;
  count_leaves(coverage_, looked_up(machine, event.pc), 1, event.fired.rule == RuleId::IT);
}

}  // namespace lockstep
