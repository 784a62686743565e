#pragma once
// The one stream of events that leaves the machine. Trace, coverage, races, uninitialised reads, the stepper and every
// front end are observers of it; the machine knows none of them.

#include <cstdint>
#include <optional>
#include <span>

#include "interpreter/machine/result.hpp"

namespace lockstep {

class Machine;

/// The cells that a load or store touched. Arrays have one element a thread; only those of StepEvent::active mean anything.
struct CellAccess {
  bool write = false;
  const std::int64_t* addresses = nullptr;
  const std::int64_t* values = nullptr;
  const LaneSet* poison = nullptr;  ///< threads whose value is poison; null if none
};

/// An executed instruction. Pointers live as long as the call.
struct StepEvent {
  std::uint64_t step = 0;  ///< number of the step, from 0
  musimd::Label pc = 0;
  musimd::Fired fired;
  LaneSet active;                        ///< Θ before the step
  std::optional<musimd::VarId> written;  ///< the variable that the threads of `active` wrote
  std::optional<LaneSet> taken;          ///< branches: the threads of `active` for which the branch is taken
  std::optional<CellAccess> access;
};

/// What an observer wants besides steps.
struct Interest {
  bool premises = false;     ///< every premise of every candidate, also of those that do not apply (costs time)
  bool stores_only = false;  ///< after_step only for stores
};

class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  virtual Interest interest() const { return {}; }

  /// The machine is about to try the instruction at pc; state() is the state before it.
  virtual void before_step(const Machine&) {}

  /// The candidates of the instruction at pc with their premises, before anything changes.
  virtual void asked(const Machine&, std::span<const CandidateReport>) {}

  /// An instruction was executed; state() is the state after it.
  virtual void after_step(const Machine&, const StepEvent&) {}

  /// The run ended.
  virtual void ended(const Machine&, const Ending&) {}
};

}  // namespace lockstep
