#pragma once
// A whole program in the symbolic domain, run on constants: every term folds to a number and every decision to an answer.
// For comparison with the machine (property 10); slow, for small programs of up to eight threads or so.

#include <cstdint>
#include <map>
#include <vector>

#include "semantics/base/lane_set.hpp"
#include "semantics/musimd/rule_table.hpp"
#include "semantics/musimd/state.hpp"
#include "semantics/musimd/syntax.hpp"

namespace lockstep::prove {

enum class RunStatus { Halted, Stuck, Undefined, StepLimit };

/// A cell as numbers. `number` is 0 unless the cell is a number.
struct PlainCell {
  enum class State : std::uint8_t { Uninitialised, Poison, Number };
  State state = State::Uninitialised;
  std::int64_t number = 0;

  bool operator==(const PlainCell&) const = default;
};

struct PlainSyncEntry {
  musimd::Label branch_pc = 0;
  LaneSet done;
  musimd::Label resume_at = 0;
  LaneSet todo;
};

struct PlainContextFrame {
  LaneSet mask;
  std::size_t sync_base = 0;
};

/// How a run ended, what it did, and the state that it left (as in musimd::State).
struct ConstantRun {
  RunStatus status = RunStatus::StepLimit;
  std::vector<musimd::Fired> fired;  ///< one for each executed step, `stop` included
  LaneSet active;
  std::vector<PlainSyncEntry> sync;
  std::vector<PlainContextFrame> context;
  std::size_t frame_base = 0;
  musimd::Label pc = 0;
  std::vector<std::vector<PlainCell>> locals;  ///< variable, then thread
  std::map<std::int64_t, PlainCell> shared;    ///< the cells that are initialised
};

struct ConstantRunOptions {
  unsigned threads = 0;          ///< 0: what the program says, else musimd::default_threads; at most musimd::max_threads
  std::vector<unsigned> active;  ///< the initial Θ; empty: all threads
  std::vector<unsigned> order;   ///< thread order of TL, a permutation of the threads; empty: ascending
  musimd::AsPrinted printed;     ///< errata switched back to the printed reading
  std::uint64_t max_steps = 1000;
};

/// Runs `program` until it ends or `max_steps` instructions were executed. Throws InternalError if a premise or a decision
/// does not fold to a constant, which would be a fault of the domain.
ConstantRun run_symbolic_on_constants(const musimd::Program& program, const ConstantRunOptions& options);

}  // namespace lockstep::prove
