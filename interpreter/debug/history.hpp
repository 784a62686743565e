#pragma once
// A run that can be visited at any step, forwards and backwards: snapshots at intervals, and replay from the nearest one.

#include <cstdint>
#include <optional>
#include <vector>

#include "interpreter/debug/patience.hpp"
#include "interpreter/machine/machine.hpp"

namespace lockstep {

/// Moves a machine to any step of its run. Positions count executed steps: position 0 is the start, position k the state
/// after k steps. The machine must be changed by nobody else. Snapshots lie at multiples of a spacing. It doubles where
/// snapshots cost more than a part of the run, and, every second one being dropped, where their memory and twice the
/// machine's own pages exceed the budget.
class History {
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

  /// Asks `patience` in every move from now on; it must outlive the history.
  void set_patience(Patience& patience) { patience_ = &patience; }

  /// Whether a move was ended before its time since this was last forgotten. It may then be anywhere on its way.
  bool interrupted() const { return interrupted_; }
  void forget_interrupted() { interrupted_ = false; }

  /// One step, heard by `observer` if there is one. False if the run has ended before or by trying (a `stop` that runs is a step).
  bool step(Observer* observer = nullptr);

  /// Goes to `target`, or to the end or the step limit if they come first. Where a run is known to have ended by a failing
  /// instruction, going to its last position tries that instruction again, so that ending() is set.
  void go_to(std::uint64_t target);

  /// Steps until check.after_step(machine) is true, the end or the step limit; true if the check stopped it.
  /// check.begin(machine) hears the state before the first step.
  template <class Check>
  bool run_until(Check& check);

  /// The last position before the present one and after 0 that `check` stops at; none if interrupted. The machine is then anywhere: use
  /// go_to.
  template <class Check>
  std::optional<std::uint64_t> last_stop_before_here(Check& check);

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

  /// Steps between two questions to patience_.
  static constexpr std::uint64_t slice = std::uint64_t{1} << 15;

  bool give_up() {
    interrupted_ = patience_ != nullptr && !patience_->goes_on(position());
    return interrupted_;
  }
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
  std::vector<Kept> kept_;  // ascending; the first is position 0
  Patience* patience_ = nullptr;
  bool interrupted_ = false;
  std::optional<std::uint64_t> end_;  // the position at which the run ends, once known
};

template <class Check>
bool History::run_until(Check& check) {
  const Move move(patience_);
  check.begin(machine_);
  while (position() < max_steps_) {
    const std::uint64_t before = position();
    const bool goes_on = machine_.step();
    if (!goes_on) {
      end_ = position();
    } else if (position() >= next_snapshot_) {
      record();
    }
    if (position() != before && check.after_step(machine_)) {
      return true;
    }
    if (!goes_on || (position() % slice == 0 && give_up())) {
      return false;
    }
  }
  return false;
}

template <class Check>
std::optional<std::uint64_t> History::last_stop_before_here(Check& check) {
  const Move move(patience_);
  std::uint64_t until = position();  // positions from here on are not wanted
  while (until > 1) {
    const std::size_t index = nearest(until - 2);
    machine_.restore(kept_[index].snapshot);
    check.begin(machine_);
    std::optional<std::uint64_t> last;
    while (position() + 1 < until && machine_.step()) {
      if (check.after_step(machine_)) {
        last = position();
      }
      if (position() % slice == 0 && give_up()) {
        return std::nullopt;
      }
    }
    if (last) {
      return last;
    }
    until = kept_[index].snapshot.steps + 1;
  }
  return std::nullopt;
}

}  // namespace lockstep
