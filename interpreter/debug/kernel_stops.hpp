#pragma once
// Breakpoints and watches of kernels, and the check that finds where a run, forwards or backwards, meets them. As stops.hpp.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/debug/breakpoint.hpp"
#include "interpreter/debug/kernel_expression.hpp"
#include "interpreter/debug/kernel_history.hpp"

namespace lockstep {

/// Control is at a place where the next fragment is there, and a condition holds where it does so in an active item: of the next fragment
/// at a place, else of all. A watch looks at all items of the pack.
using KernelBreakpoint = AnyBreakpoint<KernelExpression>;

/// A value that was watched, in one item.
struct KernelChange {
  unsigned lane = 0;
  KernelValue before;
  KernelValue now;
};

struct KernelHit {
  const KernelBreakpoint* breakpoint = nullptr;
  std::vector<KernelChange> changes;  ///< of a watch
};

/// The check that KernelHistory wants. Races that were not known before stop a run, too, and the start of another pack never counts as a
/// change of what is watched.
class KernelStops {
 public:
  using Until = std::function<bool(const KernelHistory&)>;

  /// `until`, if given, is one more reason to stop, asked after every step. Both references must outlive the check.
  KernelStops(const std::vector<KernelBreakpoint>& breakpoints, KernelHistory& history, Until until = {});

  /// Whether nothing can ever stop a run.
  bool nothing_to_check() const { return breakpoints_.empty() && !until_ && !history_.looks_for_races(); }

  void begin();
  bool after_step();

  /// Of the last after_step.
  const std::vector<KernelHit>& hits() const { return hits_; }

 private:
  struct Watcher {
    const KernelBreakpoint* breakpoint;
    std::vector<std::pair<unsigned, KernelValue>> now;  // of a watch: lanes and values
    bool truth = false;                                 // of a condition
    std::uint64_t count = 0;                            // of a rule
  };

  KernelMoment moment() const { return {KernelView(history_.run().pack()), history_.run().arguments().values, history_.position()}; }
  void refresh(Watcher& watcher);
  void check(Watcher& watcher, bool same_pack);
  void check_places();
  std::vector<std::pair<unsigned, KernelValue>> values(const KernelExpression& e) const;

  const std::vector<KernelBreakpoint>& breakpoints_;
  KernelHistory& history_;
  Until until_;
  std::vector<std::vector<const KernelBreakpoint*>> at_pc_;
  std::vector<Watcher> watchers_;
  std::vector<KernelHit> hits_;
  std::uint64_t pack_ = 0;
};

}  // namespace lockstep
