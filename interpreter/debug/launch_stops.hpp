#pragma once
// Breakpoints and watches in a launch, and the check that finds where a run, forwards or backwards, meets them. As stops.hpp.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interpreter/debug/breakpoint.hpp"
#include "interpreter/debug/kernel/value.hpp"

namespace lockstep {

/// A value that was watched, in one item or thread.
struct ValueChange {
  unsigned lane = 0;
  KernelValue before;
  KernelValue now;

  /// Nothing has changed that anybody could have seen: not so, either, where a call begins or returns.
  static bool none(const KernelValue& a, const KernelValue& b) {
    return a.absent || b.absent ||
           (a.state == b.state && (a.state != launch::CellState::Number || a.bits == b.bits) && a.is_array == b.is_array);
  }
};

/// The check that LaunchHistory wants. Control is at a place where the next fragment is there, and a condition holds where it does so in
/// an active item: of the next fragment at a place, else of all. A watch looks at all items of the part that runs. Races that were not
/// known before stop a run, too, and the start of another part never counts as a change of what is watched.
///
/// An Expression has values(moment), of each lane that it speaks of, and holds(moment, next_alone); moment_of(history) is found by
/// argument-dependent lookup.
template <class History, class Expression>
class LaunchStops {
 public:
  using Breakpoint = AnyBreakpoint<Expression>;
  using Until = std::function<bool(const History&)>;

  struct Hit {
    const Breakpoint* breakpoint = nullptr;
    std::vector<ValueChange> changes;  ///< of a watch
  };

  /// `until`, if given, is one more reason to stop, asked after every step. Both references must outlive the check.
  LaunchStops(const std::vector<Breakpoint>& breakpoints, History& history, Until until = {})
      : breakpoints_(breakpoints), history_(history), until_(std::move(until)), at_place_(history.run().places()) {
    for (const Breakpoint& b : breakpoints) {
      for (const auto place : b.pcs) {
        at_place_[place].push_back(&b);
      }
      if (b.pcs.empty()) {
        watchers_.push_back({&b, {}, false, 0});
      }
    }
  }

  /// Whether nothing can ever stop a run.
  bool nothing_to_check() const { return breakpoints_.empty() && !until_ && !history_.looks_for_races(); }

  void begin() {
    part_ = history_.run().part();
    for (Watcher& watcher : watchers_) {
      refresh(watcher);
    }
  }

  bool after_step() {
    hits_.clear();
    check_places();
    const bool same_part = std::exchange(part_, history_.run().part()) == history_.run().part();
    for (Watcher& watcher : watchers_) {
      check(watcher, same_part);
    }
    return !hits_.empty() || !history_.races_here().empty() || (until_ && until_(history_));
  }

  /// Of the last after_step.
  const std::vector<Hit>& hits() const { return hits_; }

 private:
  struct Watcher {
    const Breakpoint* breakpoint;
    std::vector<std::pair<unsigned, KernelValue>> now;  // of a watch: lanes and values
    bool truth = false;                                 // of a condition
    std::uint64_t count = 0;                            // of a rule
  };

  void refresh(Watcher& watcher) {
    const Breakpoint& b = *watcher.breakpoint;
    if (b.rule) {
      watcher.count = history_.run().rule_count(*b.rule);
    } else if (b.watched) {
      watcher.now = b.watched->values(moment_of(history_));
    } else {
      watcher.truth = b.condition->holds(moment_of(history_), false);
    }
  }

  void check(Watcher& watcher, bool same_part) {
    const Breakpoint& b = *watcher.breakpoint;
    const std::uint64_t count = watcher.count;
    const bool truth = watcher.truth;
    const auto before = std::exchange(watcher.now, {});
    refresh(watcher);
    if (b.rule) {
      if (watcher.count != count && (!b.condition || b.condition->holds(moment_of(history_), false))) {
        hits_.push_back({&b, {}});
      }
    } else if (b.watched) {
      Hit hit{&b, {}};
      for (std::size_t k = 0; same_part && k < before.size(); ++k) {
        if (!ValueChange::none(before[k].second, watcher.now[k].second)) {
          hit.changes.push_back({before[k].first, before[k].second, watcher.now[k].second});
        }
      }
      if (!hit.changes.empty()) {
        hits_.push_back(std::move(hit));
      }
    } else if (watcher.truth && !truth) {
      hits_.push_back({&b, {}});
    }
  }

  void check_places() {
    const auto place = history_.run().next_place();
    if (!place) {
      return;
    }
    for (const Breakpoint* b : at_place_[*place]) {
      if (!b->condition || b->condition->holds(moment_of(history_), true)) {
        hits_.push_back({b, {}});
      }
    }
  }

  const std::vector<Breakpoint>& breakpoints_;
  History& history_;
  Until until_;
  std::vector<std::vector<const Breakpoint*>> at_place_;
  std::vector<Watcher> watchers_;
  std::vector<Hit> hits_;
  std::uint64_t part_ = 0;
};

}  // namespace lockstep
