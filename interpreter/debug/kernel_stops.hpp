#pragma once
// Breakpoints and watches of kernels, and the check that finds where a run, forwards or backwards, meets them. As stops.hpp.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/debug/kernel_expression.hpp"
#include "interpreter/debug/kernel_history.hpp"

namespace lockstep {

/// Where a run stops. With `pcs`: where the next fragment is at one of them, and `condition`, if any, holds in one of its active items.
/// With a `rule`: behind each step that used it (and the condition holds in some active item). With `watched`: where its value differs from
/// before the step in some item of the pack. With a `condition` alone: where it has become true.
struct KernelBreakpoint {
  int id = 0;
  bool temporary = false;
  std::string text;  ///< as people wrote it
  std::vector<typed::Label> pcs;
  std::optional<musimd::RuleId> rule;
  std::optional<KernelExpression> condition;
  std::optional<KernelExpression> watched;
};

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

  KernelHistory& history_;
  Until until_;
  std::vector<std::vector<const KernelBreakpoint*>> at_pc_;
  std::vector<Watcher> watchers_;
  std::vector<KernelHit> hits_;
  std::uint64_t pack_ = 0;
};

}  // namespace lockstep
