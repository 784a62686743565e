#pragma once
// What every step keeps: the invariant Inv (property 1) and the threads of each entry of Π (property 5).

#include <algorithm>
#include <map>

#include "semantics/base/internal_error.hpp"
#include "tests/properties/trial.hpp"

namespace lockstep::test {

/// Calls f(frame, Θ of the frame, first entry, end) for each frame of Λ from the outermost, the present one included; the Θ of a
/// frame that waits is the mask that its `everywhere` saved.
template <class F>
void for_each_frame(const Machine::State& s, F&& f) {
  for (std::size_t k = 0; k <= s.context.size(); ++k) {
    const bool present = k == s.context.size();
    const std::size_t first = present ? s.frame_base : s.context[k].sync_base;
    const std::size_t last = present ? s.sync.size() : k + 1 == s.context.size() ? s.frame_base : s.context[k + 1].sync_base;
    f(k, present ? s.active : s.context[k].mask, first, last);
  }
}

/// Inv: Θ ≠ ∅, and Θ and all done and todo sets of a frame's Π are pairwise disjoint. Asked of every frame.
inline Verdict broken_invariant(const Machine::State& s) {
  Verdict wrong;
  for_each_frame(s, [&](std::size_t, const LaneSet& theta, std::size_t first, std::size_t last) {
    if (theta.empty()) {
      wrong = "no thread is active";
    }
    LaneSet seen = theta;
    for (std::size_t k = first; k < last; ++k) {
      for (const LaneSet* set : {&s.sync[k].done, &s.sync[k].todo}) {
        if (!(seen & *set).empty()) {
          wrong = "a thread is in two sets of one frame";
        }
        seen |= *set;
      }
    }
  });
  return wrong;
}

class InvariantObserver : public Observer {
 public:
  void before_step(const Machine& m) override { look(m); }
  void after_step(const Machine& m, const StepEvent&) override { look(m); }

  Verdict wrong;

 private:
  void look(const Machine& m) {
    if (!wrong) {
      wrong = broken_invariant(m.state());
    }
  }
};

/// Property 1: at each step exactly one rule applies (the machine asks them all), Inv holds all the way, and a second run and
/// one that goes on from a snapshot in the middle do the same.
inline Verdict determinism(const Trial& trial) {
  MachineOptions options;
  options.checking = true;
  const auto first = machine_for(trial.program, options);
  InvariantObserver observer;
  first->attach(observer);
  Ending ending;
  try {
    ending = first->run(max_steps);
  } catch (const InternalError& two_rules) {
    return two_rules.what();
  }
  if (observer.wrong) {
    return observer.wrong;
  }
  const auto second = machine_for(trial.program);
  second->run(first->steps() / 2);
  const Snapshot middle = second->snapshot();
  for (int round = 0; round < 2; ++round) {
    const Ending again = second->run(max_steps - second->steps());
    if (again.index() != ending.index() || reason(again) != reason(ending) || second->steps() != first->steps()) {
      return "a second run ends differently";
    }
    if (auto wrong = difference(*first, *second)) {
      return "a second run: " + *wrong;
    }
    second->restore(middle);
  }
  return std::nullopt;
}

/// Property 5: every rule keeps, for each entry that survives, Θ ∪ the done and todo sets from it upwards; and after the sync
/// that ends a branch Θ is what it was before the branch.
class ReconvergenceObserver : public Observer {
 public:
  void before_step(const Machine& m) override {
    before_ = unions(m.state());
    active_ = m.state().active;
  }

  void after_step(const Machine& m, const StepEvent& event) override {
    using musimd::RuleId;
    const auto after = unions(m.state());
    for (const auto& [entry, set] : after) {
      const auto old = before_.find(entry);
      if (old != before_.end() && !(old->second == set)) {
        wrong = "rule " + rule_text(event.fired) + " changes the threads of an entry";
      }
    }
    const std::size_t depth = m.state().sync.size();
    if (event.fired.rule == RuleId::SI_sync) {
      if (depth >= pushed_at_.size() || !(m.state().active == pushed_at_[depth])) {
        wrong = "other threads are active after a sync than before its branch";
      }
    } else if (depth > pushed_at_.size()) {
      pushed_at_.push_back(active_);
      return;
    }
    pushed_at_.resize(std::min(depth, pushed_at_.size()));
  }

  Verdict wrong;

 private:
  static std::map<std::size_t, LaneSet> unions(const Machine::State& s) {
    std::map<std::size_t, LaneSet> result;
    for_each_frame(s, [&](std::size_t, const LaneSet& theta, std::size_t first, std::size_t last) {
      LaneSet set = theta;
      for (std::size_t k = last; k > first; --k) {
        set |= s.sync[k - 1].done;
        set |= s.sync[k - 1].todo;
        result[k - 1] = set;
      }
    });
    return result;
  }

  std::map<std::size_t, LaneSet> before_;  // of each entry, counted through all frames
  LaneSet active_;
  std::vector<LaneSet> pushed_at_;  // Θ before the branch that pushed each entry
};

inline Verdict reconvergence(const Trial& trial) {
  const auto machine = machine_for(trial.program);
  ReconvergenceObserver observer;
  machine->attach(observer);
  machine->run(max_steps);
  return observer.wrong;
}

}  // namespace lockstep::test
