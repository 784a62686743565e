#pragma once
// A run that can be visited at any step, forwards and backwards: snapshots at intervals, and replay from the nearest one.

#include <cstdint>
#include <optional>
#include <vector>

#include "interpreter/debug/replay.hpp"
#include "interpreter/machine/machine.hpp"

namespace lockstep {

/// Moves a machine to any step of its run. Positions count executed steps: position 0 is the start, position k the state
/// after k steps. The machine must be changed by nobody else. Snapshots lie at multiples of a spacing. It doubles where
/// snapshots cost more than a part of the run, and, every second one being dropped, where their memory and twice the
/// machine's own pages exceed the budget.
class History : public Replay<History, std::uint64_t{1} << 15> {
 public:
  static constexpr std::size_t default_budget_bytes = std::size_t{768} << 20;

  /// `machine` is at its start and outlives the history. No position beyond `max_steps` is visited.
  explicit History(Machine& machine, std::uint64_t max_steps = UINT64_MAX, std::size_t budget_bytes = default_budget_bytes);

  const Machine& machine() const { return machine_; }
  std::uint64_t position() const { return machine_.steps(); }

  /// Whether the run is known to have ended at the present position (machine().ending() says how).
  bool at_end() const { return machine_.ending().has_value(); }
  /// Whether the step limit forbids going on from here.
  bool at_limit() const { return !at_end() && position() >= max_steps_; }

  /// One step, heard by `observer` if there is one. False if the run has ended before or by trying (a `stop` that runs is a step).
  bool step(Observer* observer = nullptr);

  /// Goes to `target`, or to the end or the step limit if they come first. Where a run is known to have ended by a failing
  /// instruction, going to its last position tries that instruction again, so that ending() is set.
  void go_to(std::uint64_t target);

  /// Steps until check.after_step() is true, the end or the step limit; true if the check stopped it. check.begin() hears the start.
  template <class Check>
  bool run_until(Check& check);

  /// What every candidate of the instruction at pc says. Changes nothing.
  std::vector<CandidateReport> explain() { return machine_.explain(); }

  /// The snapshots' number and distance, and the bytes that they hold beyond what the machine itself holds.
  std::size_t snapshot_count() const { return kept_.size(); }
  std::uint64_t spacing() const { return spacing_; }
  std::size_t snapshot_bytes() const;

 private:
  /// A snapshot with the bytes that it holds and the next one does not.
  struct Kept {
    Snapshot snapshot;
    std::size_t bytes = 0;
  };

  friend Replay;
  bool replay_step() { return machine_.step(); }
  std::uint64_t rewind(std::uint64_t position);
  void settle(std::size_t index);
  void record();
  void keep_within_budget();
  std::size_t nearest(std::uint64_t position) const;
  void run_to(std::uint64_t target);

  Machine& machine_;
  std::uint64_t max_steps_;
  std::size_t budget_bytes_;
  std::uint64_t spacing_;
  std::uint64_t next_snapshot_ = 0;
  std::vector<Kept> kept_;            // ascending; the first is position 0
  std::optional<std::uint64_t> end_;  // the position at which the run ends, once known
};

template <class Check>
bool History::run_until(Check& check) {
  const Move move(patience_);
  check.begin();
  while (position() < max_steps_) {
    const std::uint64_t before = position();
    const bool goes_on = machine_.step();
    if (!goes_on) {
      end_ = position();
    } else if (position() >= next_snapshot_) {
      record();
    }
    if (position() != before && check.after_step()) {
      return true;
    }
    if (!goes_on || gives_up()) {
      return false;
    }
  }
  return false;
}

}  // namespace lockstep
