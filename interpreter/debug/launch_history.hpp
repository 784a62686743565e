#pragma once
// A launch that can be visited at any step, forwards and backwards: what memory held at the start of packs or blocks is kept, and they are
// replayed from their start.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "interpreter/debug/replay.hpp"

namespace lockstep {

/// Positions count steps from the start of the launch, as those of History do. A launch consists of parts, which run one after the other:
/// packs of groups, or blocks. Starts of parts are kept within a budget: where they take more, every second one is dropped, and a replay
/// begins at an earlier part. `Run` goes through a launch step by step (kernel_run.hpp, ptx_run.hpp).
template <class Run>
class LaunchHistory : public Replay<LaunchHistory<Run>, std::uint64_t{1} << 13> {
 public:
  using Program = typename Run::Program;
  using Race = typename Run::Race;
  using Fault = typename Run::Fault;
  using Fired = typename Run::Fired;  ///< what a step may tell of itself

  static constexpr std::size_t default_budget_bytes = std::size_t{256} << 20;

  /// As Run's constructor. With options.races, races are found by a second run that keeps up with this one and is never sent back.
  LaunchHistory(const std::shared_ptr<const Program>& program, const typename Run::Arguments& arguments,
                const typename Run::Options& options, std::size_t budget_bytes = default_budget_bytes)
      : run_(program, arguments, options, false), strict_(options.strict), budget_bytes_(budget_bytes) {
    if (options.races) {
      scout_ = std::make_unique<Run>(program, arguments, options, true);
    }
    record();
  }

  Run& run() { return run_; }
  const Run& run() const { return run_; }
  std::uint64_t position() const { return run_.position(); }

  /// Whether the run is known to have ended at the present position.
  bool at_end() const { return run_.ended() || end_ == position(); }
  /// Why it ended, at_end() being true; nothing if all items or threads have come to their end.
  const std::optional<Fault>& fault() const { return strict_fault_ ? strict_fault_ : run_.fault(); }

  bool looks_for_races() const { return scout_ != nullptr; }
  /// Races that the step to the present position has met for the first time.
  std::span<const Race> races_here() const;
  /// All that are known, of the furthest position that was visited.
  std::span<const Race> races() const { return scout_ ? std::span(scout_->log()->races()) : std::span<const Race>(); }
  /// How many accesses were found to race so far, up to the furthest position that was visited.
  std::uint64_t race_count() const { return scout_ ? scout_->log()->count() : 0; }

  bool step(Fired* fired = nullptr);
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

  friend Replay<LaunchHistory, std::uint64_t{1} << 13>;
  bool replay_step() { return take_step(nullptr); }
  std::uint64_t rewind(std::uint64_t position);
  bool take_step(Fired* fired);
  void try_failing_step();
  void follow();
  void record();
  std::size_t nearest(std::uint64_t position) const;

  Run run_;
  std::unique_ptr<Run> scout_;  // null: nobody looks for races
  bool strict_ = false;
  std::size_t budget_bytes_;
  std::vector<typename Run::Start> kept_;  // ascending; the first is position 0
  std::uint64_t stride_ = 1;               // starts of parts whose number is a multiple are kept
  std::vector<FoundRaces> found_;
  std::optional<std::uint64_t> end_;
  std::optional<Fault> strict_fault_;
};

template <class Run>
std::span<const typename Run::Race> LaunchHistory<Run>::races_here() const {
  const auto found = std::lower_bound(found_.begin(), found_.end(), position(),
                                      [](const FoundRaces& races, std::uint64_t position) { return races.position < position; });
  if (found == found_.end() || found->position != position()) {
    return {};
  }
  return std::span(scout_->log()->races()).subspan(found->begin, found->end - found->begin);
}

template <class Run>
std::size_t LaunchHistory<Run>::nearest(std::uint64_t position) const {
  const auto after = std::upper_bound(kept_.begin(), kept_.end(), position,
                                      [](std::uint64_t p, const typename Run::Start& start) { return p < start.position; });
  return static_cast<std::size_t>(after - kept_.begin()) - 1;
}

/// Keeps the start of the part that has just begun, unless it is there already.
template <class Run>
void LaunchHistory<Run>::record() {
  if (run_.number() % stride_ != 0 || (!kept_.empty() && kept_.back().number >= run_.number())) {
    return;
  }
  kept_.push_back(run_.start());
  while (kept_.size() > 1 && kept_.size() * kept_.back().size() > budget_bytes_) {
    stride_ *= 2;
    std::erase_if(kept_, [&](const typename Run::Start& start) { return start.number % stride_ != 0; });
  }
}

/// Lets the scout come as far as the run has come.
template <class Run>
void LaunchHistory<Run>::follow() {
  while (scout_->position() < position() && scout_->step()) {
    const std::size_t known = found_.empty() ? 0 : found_.back().end;
    const std::size_t now = scout_->log()->races().size();
    if (now > known) {
      found_.push_back({scout_->position(), known, now});
      if (strict_ && !strict_fault_) {
        strict_fault_ = Run::fault_of(scout_->log()->races().front());
        end_ = scout_->position();
      }
    }
  }
}

template <class Run>
bool LaunchHistory<Run>::take_step(Fired* fired) {
  const bool taken = run_.step(fired);
  if (taken && run_.at_start()) {
    record();
  }
  if (run_.ended()) {
    end_ = position();
  }
  return taken;
}

template <class Run>
bool LaunchHistory<Run>::step(Fired* fired) {
  if (at_end()) {
    return false;
  }
  const bool taken = take_step(fired);
  if (scout_) {
    follow();
  }
  try_failing_step();
  return taken;
}

/// Where the run is known to end by a step that fails, has it fail, so that the fault is there again.
template <class Run>
void LaunchHistory<Run>::try_failing_step() {
  if (end_ == position() && !run_.ended() && !strict_fault_) {
    run_.step();
  }
}

template <class Run>
std::uint64_t LaunchHistory<Run>::rewind(std::uint64_t position) {
  const typename Run::Start& start = kept_[nearest(position)];
  run_.go_back_to(start);
  return start.position;
}

template <class Run>
void LaunchHistory<Run>::go_to(std::uint64_t target) {
  const Move move(this->patience_);
  target = std::min(target, end_.value_or(UINT64_MAX));
  const std::size_t index = nearest(target);
  if (target < position() || kept_[index].position > position()) {
    run_.go_back_to(kept_[index]);
  }
  while (position() < target && !at_end() && take_step(nullptr)) {
    if (scout_ && position() > scout_->position()) {
      follow();
    }
    if (this->gives_up()) {
      return;
    }
  }
  try_failing_step();
}

template <class Run>
template <class Check>
bool LaunchHistory<Run>::run_until(Check& check) {
  const Move move(this->patience_);
  check.begin();
  while (step()) {
    if (check.after_step()) {
      return true;
    }
    if (this->gives_up()) {
      break;
    }
  }
  return false;
}

}  // namespace lockstep
