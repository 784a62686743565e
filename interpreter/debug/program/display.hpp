#pragma once
// How the stepper shows states and steps: sets as {0-3}, stacks as lists of the paper's tuples, values side by side.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/machine/machine.hpp"
#include "interpreter/machine/observer.hpp"

namespace lockstep {

/// "*" uninitialised (or no value), "poison", or the number.
std::string cell_text(const Cell& cell);

/// A label's name where there is one, else "pc 5".
std::string target_text(const musimd::Program& program, musimd::Label pc);

/// "Loop: jmp_mask v8, Call"; "(behind the last instruction)" where there is none.
std::string instruction_text(const musimd::Program& program, musimd::Label pc);

/// "BD", or "IT/LD" under IT.
std::string fired_text(musimd::Fired fired);

/// "(pc 2 bz, done {}, resume Done, todo {1,2})"
std::string entry_text(const musimd::Program& program, const musimd::SyncEntry<Concrete>& entry);

/// Π of the frame of Λ with index `frame` as it was saved, or the present Π for frame = |Λ|: "[top, …]". At most `most` entries.
std::string sync_text(const Machine& machine, std::size_t frame, std::size_t most);

/// Λ, "[(Θ {0,3}, Π [...]), …]" from the top, at most `most` frames.
std::string context_text(const Machine& machine, std::size_t most);

/// A table with one column a thread: numbers, Θ as ✓ and •, and the rows given by name and value.
struct LaneRow {
  std::string name;
  std::function<Cell(unsigned thread)> value;
  bool active_only = false;  ///< for inactive threads • instead of a value
};
std::string lanes_table(const Machine& machine, const std::vector<LaneRow>& rows);

/// Θ, Π and Λ as text, to tell what a step changed.
struct Stacks {
  std::string active;
  std::string sync;
  std::string context;
};
Stacks stacks_text(const Machine& machine);

/// Keeps what one step did.
class StepRecord : public Observer {
 public:
  void before_step(const Machine& machine) override { before_ = stacks_text(machine); }
  void after_step(const Machine& machine, const StepEvent& event) override;

  musimd::Fired fired() const { return fired_; }

  /// The rule, the instruction and what changed, several lines. `undone`: from after to before, `machine` being before the
  /// step again; else `machine` is after it.
  std::string text(const Machine& machine, bool undone) const;

 private:
  std::string values_text(const Machine& machine, bool undone) const;

  std::uint64_t step_ = 0;
  musimd::Label pc_ = 0;
  musimd::Fired fired_;
  LaneSet active_;
  std::optional<musimd::VarId> written_;
  bool stores_ = false;
  std::vector<std::int64_t> addresses_;  // of the active threads, ascending
  Stacks before_;
  Stacks after_;
};

}  // namespace lockstep
