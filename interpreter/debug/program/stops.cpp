#include "interpreter/debug/program/stops.hpp"

#include <utility>

namespace lockstep {

std::vector<Cell> values_of(const Condition& expression, const Machine& machine) {
  std::vector<Cell> values(expression.per_thread() ? machine.threads() : 1);
  for (unsigned t = 0; t < values.size(); ++t) {
    values[t] = expression.value(machine, t);
  }
  return values;
}

StopCheck::StopCheck(const std::vector<Breakpoint>& breakpoints, const Machine& machine, std::function<bool(const Machine&)> until)
    : machine_(machine), until_(std::move(until)), at_pc_(machine.program().code.size() + 1) {
  for (const Breakpoint& b : breakpoints) {
    for (const musimd::Label pc : b.pcs) {
      at_pc_[pc].push_back(&b);
      has_pcs_ = true;
    }
    if (!b.pcs.empty()) {
      continue;
    }
    if (b.rule) {
      rules_.push_back({&b, *b.rule});
    } else if (const auto& expression = b.watched ? b.watched : b.condition; expression) {
      Watcher watcher{&b, &*expression, b.watched.has_value(), {}, {}, {}};
      for (const musimd::Statement& statement : machine.program().code) {
        watcher.may_change.push_back(expression->may_change(statement.instruction));
      }
      watchers_.push_back(std::move(watcher));
    }
  }
}

void StopCheck::begin() {
  pc_ = machine_.state().pc;
  for (RuleStop& stop : rules_) {
    stop.count = machine_.rule_counts()[static_cast<std::size_t>(stop.rule)];
  }
  for (Watcher& watcher : watchers_) {
    if (watcher.watched) {
      watcher.now = values_of(*watcher.expression, machine_);
    } else {
      watcher.truth = watcher.expression->holds(machine_);
    }
  }
}

bool StopCheck::check_rules() {
  bool any = false;
  for (RuleStop& stop : rules_) {
    const std::uint64_t count = machine_.rule_counts()[static_cast<std::size_t>(stop.rule)];
    stop.hit = count != stop.count && (!stop.breakpoint->condition || stop.breakpoint->condition->holds(machine_));
    stop.count = count;
    any = any || stop.hit;
  }
  return any;
}

bool StopCheck::check(Watcher& watcher) {
  if (watcher.watched) {
    watcher.before = std::exchange(watcher.now, values_of(*watcher.expression, machine_));
    return watcher.before != watcher.now;
  }
  const bool before = std::exchange(watcher.truth, watcher.expression->holds(machine_));
  return watcher.truth && !before;
}

bool StopCheck::check_watchers() {
  bool any = false;
  for (Watcher& watcher : watchers_) {
    watcher.hit = watcher.may_change[pc_] && check(watcher);
    any = any || watcher.hit;
  }
  return any;
}

bool StopCheck::after_step() {
  bool stop = check_rules();
  stop = check_watchers() || stop;
  pc_ = machine_.state().pc;
  pc_hits_.clear();
  if (has_pcs_ && !machine_.ending()) {
    for (const Breakpoint* b : at_pc_[pc_]) {
      if (!b->condition || b->condition->holds(machine_)) {
        pc_hits_.push_back(b);
      }
    }
  }
  return stop || !pc_hits_.empty() || (until_ && until_(machine_));
}

std::vector<Hit> StopCheck::hits() const {
  std::vector<Hit> result;
  result.reserve(pc_hits_.size());
  for (const Breakpoint* b : pc_hits_) {
    result.push_back({b, {}});
  }
  for (const RuleStop& stop : rules_) {
    if (stop.hit) {
      result.push_back({stop.breakpoint, {}});
    }
  }
  for (const Watcher& watcher : watchers_) {
    if (watcher.hit) {
      result.push_back({watcher.breakpoint, watcher.watched ? watcher.before : std::vector<Cell>{}});
    }
  }
  return result;
}

}  // namespace lockstep
