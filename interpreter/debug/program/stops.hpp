#pragma once
// Breakpoints and watches, and the check that finds where a run, forwards or backwards, meets them.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/debug/breakpoint.hpp"
#include "interpreter/debug/program/condition.hpp"
#include "interpreter/machine/machine.hpp"

namespace lockstep {

using Breakpoint = AnyBreakpoint<Condition>;

/// A breakpoint that was met. `old_values` are a watch's values before: one a thread, or one alone.
struct Hit {
  const Breakpoint* breakpoint = nullptr;
  std::vector<Cell> old_values;
};

/// The value of an expression: one a thread if it depends on the thread, else one alone.
std::vector<Cell> values_of(const Condition& expression, const Machine& machine);

/// The check that History wants. What cannot have changed by the step is not looked at.
class StopCheck {
 public:
  /// `until`, if given, is one more reason to stop, asked after every step. Both references must outlive the check.
  StopCheck(const std::vector<Breakpoint>& breakpoints, const Machine& machine, std::function<bool(const Machine&)> until = {});

  /// Whether nothing can ever stop a run.
  bool nothing_to_check() const { return watchers_.empty() && !has_pcs_ && rules_.empty() && !until_; }

  void begin();
  bool after_step();

  /// Of the last after_step.
  std::vector<Hit> hits() const;

 private:
  struct RuleStop {
    const Breakpoint* breakpoint;
    musimd::RuleId rule;
    std::uint64_t count = 0;
    bool hit = false;
  };
  /// A watch, or a condition alone.
  struct Watcher {
    const Breakpoint* breakpoint;
    const Condition* expression;
    bool watched;                  // for changes of its value, else for becoming true
    std::vector<bool> may_change;  // by the instruction at each pc
    std::vector<Cell> now;         // of a watch
    std::vector<Cell> before;
    bool truth = false;
    bool hit = false;
  };

  bool check_rules();
  bool check_watchers();
  bool check(Watcher& watcher);

  const Machine& machine_;
  std::function<bool(const Machine&)> until_;
  bool has_pcs_ = false;
  std::vector<std::vector<const Breakpoint*>> at_pc_;
  std::vector<const Breakpoint*> pc_hits_;
  std::vector<RuleStop> rules_;
  std::vector<Watcher> watchers_;
  musimd::Label pc_ = 0;
};

}  // namespace lockstep
