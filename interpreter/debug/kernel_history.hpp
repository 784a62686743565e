#pragma once
// A launch that can be visited at any step, forwards and backwards: what the buffers held at the start of packs is kept, and a pack is
// replayed from its start.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "interpreter/debug/kernel_run.hpp"
#include "interpreter/debug/replay.hpp"

namespace lockstep {

/// Positions count steps from the start of the launch, as those of History do. Starts of packs are kept within a budget: where they take
/// more, every second one is dropped, and a replay begins at an earlier pack.
class KernelHistory : public Replay<KernelHistory, std::uint64_t{1} << 13> {
 public:
  static constexpr std::size_t default_budget_bytes = std::size_t{256} << 20;

  /// As KernelRun's constructor. With options.races, races are found by a second run that keeps up with this one and is never sent back.
  KernelHistory(const std::shared_ptr<const typed::Program>& program, const launch::Arguments& arguments,
                const launch::LaunchOptions& options, std::size_t budget_bytes = default_budget_bytes);

  KernelRun& run() { return run_; }
  const KernelRun& run() const { return run_; }
  std::uint64_t position() const { return run_.position(); }

  /// Whether the run is known to have ended at the present position.
  bool at_end() const { return run_.ended() || end_ == position(); }
  /// Why it ended, at_end() being true; nothing if all groups halted.
  const std::optional<launch::Fault>& fault() const { return strict_fault_ ? strict_fault_ : run_.pack().fault(); }

  bool looks_for_races() const { return scout_ != nullptr; }
  /// Races that the step to the present position has met for the first time.
  std::span<const launch::Race> races_here() const;
  /// All that are known, of the furthest position that was visited.
  std::span<const launch::Race> races() const { return scout_ ? std::span(scout_->log()->races()) : std::span<const launch::Race>(); }
  /// How many accesses were found to race so far, up to the furthest position that was visited.
  std::uint64_t race_count() const { return scout_ ? scout_->log()->count() : 0; }

  bool step(KernelRun::RuleCounts* fired = nullptr);
  void go_to(std::uint64_t target);

  /// As that of History.
  template <class Check>
  bool run_until(Check& check);

  std::size_t kept_count() const { return kept_.size(); }

 private:
  struct FoundRaces {
    std::uint64_t position = 0;
    std::size_t begin = 0;  // in the scout's races
    std::size_t end = 0;
  };

  friend Replay;
  bool replay_step() { return take_step(nullptr); }
  std::uint64_t rewind(std::uint64_t position);
  bool take_step(KernelRun::RuleCounts* fired);
  void try_failing_step();
  void follow();
  void record();
  std::size_t nearest(std::uint64_t position) const;

  KernelRun run_;
  std::unique_ptr<KernelRun> scout_;  // null: nobody looks for races
  bool strict_ = false;
  std::size_t budget_bytes_;
  std::vector<KernelRun::Start> kept_;  // ascending; the first is position 0
  std::uint64_t stride_ = 1;            // starts of packs whose number is a multiple are kept
  std::vector<FoundRaces> found_;
  std::optional<std::uint64_t> end_;
  std::optional<launch::Fault> strict_fault_;
};

template <class Check>
bool KernelHistory::run_until(Check& check) {
  const Move move(patience_);
  check.begin();
  while (step()) {
    if (check.after_step()) {
      return true;
    }
    if (gives_up()) {
      break;
    }
  }
  return false;
}

}  // namespace lockstep
