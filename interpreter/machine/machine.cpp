#include "interpreter/machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/machine/explain.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/musimd/step.hpp"

namespace lockstep {

using namespace musimd;

namespace {

/// The parts of a step event that an instruction's facts tell.
struct Describe {
  StepEvent& event;
  const std::int64_t* load_addresses;  // as they were before the load wrote its variable, which may be the address itself

  void operator()(const Bz<Concrete>&, const rules::Split<Concrete>& f) const { event.taken = f.zero; }
  void operator()(const JmpMask<Concrete>&, const rules::MaskFacts<Concrete>& f) const {
    event.taken = f.in_mask ? event.active : LaneSet(event.active.width());
  }
  void operator()(const Jmp<Concrete>&, const rules::NoFacts&) const { event.taken = event.active; }
  void operator()(const Assignment<Concrete>& i, const rules::ValueFacts<Concrete>&) const { event.written = i.dst; }
  void operator()(const Ld<Concrete>& i, const rules::LoadFacts<Concrete>& f) const {
    event.written = i.dst;
    event.access = CellAccess{false, load_addresses, f.cell.lanes, poison(f.cell)};
  }
  void operator()(const St<Concrete>&, const rules::StoreFacts<Concrete>& f) const {
    event.access = CellAccess{true, f.address.lanes, f.value.lanes, poison(f.value)};
  }
  void operator()(const Shfl<Concrete>& i, const rules::ShuffleFacts<Concrete>&) const { event.written = i.dst; }
  template <class I>
  void operator()(const I&, const rules::NoFacts&) const {}

 private:
  static const LaneSet* poison(const Concrete::Values& v) { return v.poison.empty() ? nullptr : &static_cast<const LaneSet&>(v.poison); }
};

bool is_halt(const CoreInstruction& i) { return std::holds_alternative<Halt<Concrete>>(i); }
bool is_store(const CoreInstruction& i) { return std::holds_alternative<St<Concrete>>(i); }

void count(std::array<std::uint64_t, rule_count>& counts, Fired fired) {
  ++counts[static_cast<std::size_t>(fired.rule)];
  if (fired.root != fired.rule) {
    ++counts[static_cast<std::size_t>(fired.root)];
  }
}

}  // namespace

void Machine::end(Ending ending) {
  ending_ = std::move(ending);
  for (Observer* observer : observers_) {
    observer->ended(*this, *ending_);
  }
}

void Machine::fail(std::vector<CandidateReport> reports) {
  for (const CandidateReport& report : reports) {
    for (const AskedPremise& premise : report.premises) {
      if (!premise.holds && premise_table[premise_index(premise.rule, premise.number)].kind == PremiseKind::Defined) {
        end(Undefined{report.rule, premise, premise.failing.first()});
        return;
      }
    }
  }
  end(Stuck{state_.pc, std::move(reports)});
}

template <class I>
void Machine::end_by_limit() {
  if constexpr (is_control_flow<I>) {
    end(LimitReached{LimitReached::What::Stacks});
  } else {
    --state_.pc;  // the store changed nothing but the pc
    end(LimitReached{LimitReached::What::Memory});
  }
}

void Machine::check_one_applies(const std::vector<CandidateReport>& reports) const {
  std::vector<std::string_view> applying;
  for (const CandidateReport& report : reports) {
    // Threads of one shuffle choose between SV and SI.shfl; both may be at work in one step.
    const bool second_of_shuffle = report.rule.root == RuleId::SI_shfl && !applying.empty() && applying.back() == name(RuleId::SV);
    if (report.applies && !second_of_shuffle) {
      applying.push_back(name(report.rule.root));
    }
  }
  if (applying.size() > 1) {
    throw InternalError(fmt::format("two rules apply at pc {}: {} and {}", state_.pc, applying[0], applying[1]));
  }
}

template <class I>
bool Machine::within_limits_after() {
  if constexpr (is_control_flow<I>) {
    return state_.sync.size() <= options_.stack_limit && state_.context.size() <= options_.stack_limit;
  } else if constexpr (std::is_same_v<I, St<Concrete>>) {
    return !domain_.out_of_memory();
  } else {
    return true;  // nothing else makes a stack or Σ grow
  }
}

inline bool Machine::step_quietly() {
  if (state_.pc >= code_.size()) [[unlikely]] {
    end(Stuck{state_.pc, {}});
    return false;
  }
  const bool goes_on = std::visit(
      [&]<class I>(const I& i) {
        Fired fired;
        if (!fire(domain_, state_, i, fired)) [[unlikely]] {
          fail(explain());
          return false;
        }
        if (!within_limits_after<I>()) [[unlikely]] {
          end_by_limit<I>();
          return false;
        }
        ++steps_;
        count(rule_counts_, fired);
        return !std::is_same_v<I, Halt<Concrete>>;
      },
      code_[state_.pc]);
  if (!goes_on && !ending_) [[unlikely]] {
    end(Halted{});
  }
  return goes_on;
}

bool Machine::step_observed() {
  for (Observer* observer : observers_) {
    observer->before_step(*this);
  }
  const bool premises =
      options_.checking || std::any_of(observers_.begin(), observers_.end(), [](const Observer* o) { return o->interest().premises; });
  if (premises && state_.pc < code_.size()) {
    const std::vector<CandidateReport> reports = explain();
    if (options_.checking && options_.printed.empty()) {  // printed rules do overlap: that is erratum E1
      check_one_applies(reports);
    }
    for (Observer* observer : observers_) {
      if (observer->interest().premises) {
        observer->asked(*this, reports);
      }
    }
  }
  if (state_.pc >= code_.size()) {
    end(Stuck{state_.pc, {}});
    return false;
  }
  StepEvent event;
  event.step = steps_;
  event.pc = state_.pc;
  event.active = state_.active;
  const CoreInstruction& instruction = code_[state_.pc];
  const bool applied = std::visit(
      [&]<class I>(const I& i) {
        using rules::facts;
        const auto f = facts(domain_, state_, i);
        if constexpr (std::is_same_v<I, Ld<Concrete>>) {
          std::copy_n(f.address.lanes, threads(), load_addresses_.data());
        }
        if (!detail::fire_first(candidates(i), domain_, state_, i, f, event.fired)) {
          return false;
        }
        if (!within_limits_after<I>()) {
          end_by_limit<I>();
        }
        Describe{event, load_addresses_.data()}(i, f);
        return true;
      },
      instruction);
  if (!applied) {
    fail(explain());
    return false;
  }
  if (ending_) {
    return false;
  }
  ++steps_;
  count(rule_counts_, event.fired);
  for (Observer* observer : observers_) {
    if (!observer->interest().stores_only || is_store(instruction)) {
      observer->after_step(*this, event);
    }
  }
  if (is_halt(instruction)) {
    end(Halted{});
    return false;
  }
  return true;
}

bool Machine::step() {
  if (ending_) {
    return false;
  }
  return observers_.empty() && !options_.checking ? step_quietly() : step_observed();
}

void Machine::run_quietly(std::uint64_t until) {
  while (steps_ < until && step_quietly()) {
  }
}

Ending Machine::run(std::uint64_t max_steps) {
  const std::uint64_t until = max_steps > UINT64_MAX - steps_ ? UINT64_MAX : steps_ + max_steps;
  if (!ending_) {
    if (observers_.empty() && !options_.checking) {
      run_quietly(until);
    } else {
      while (steps_ < until && step_observed()) {
      }
    }
  }
  return ending_ ? *ending_ : Ending(LimitReached{LimitReached::What::Steps});
}

void Machine::attach(Observer& observer) { observers_.push_back(&observer); }

void Machine::detach(Observer& observer) { std::erase(observers_, &observer); }

void Machine::restore(const Snapshot& snapshot) {
  state_ = snapshot.state;
  steps_ = snapshot.steps;
  rule_counts_ = snapshot.rule_counts;
  ending_.reset();
}

}  // namespace lockstep
