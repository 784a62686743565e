#pragma once
// The μ-SIMD machine: the rules of semantics/musimd on lanes of machine words.

#include <array>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "interpreter/machine/concrete.hpp"
#include "interpreter/machine/observer.hpp"
#include "interpreter/machine/result.hpp"
#include "semantics/musimd/state.hpp"
#include "semantics/musimd/syntax.hpp"

namespace lockstep {

struct MachineOptions {
  unsigned threads = 0;                                   ///< size of Θall; 0: what the program says, else musimd::default_threads
  std::vector<unsigned> active;                           ///< the initial Θ; empty: Θall
  std::vector<unsigned> order;                            ///< thread order of TL, a permutation of the threads; empty: ascending
  musimd::AsPrinted printed;                              ///< errata switched back to the printed reading
  bool checking = false;                                  ///< ask every rule at every step and insist that exactly one applies
  std::size_t memory_limit = Cells::default_limit_bytes;  ///< bytes of Σ
  std::size_t stack_limit = 100'000;                      ///< entries of Π (all frames) and frames of Λ
};

/// An instruction ready for the rules.
using CoreInstruction = std::variant<musimd::Bz<Concrete>, musimd::Jmp<Concrete>, musimd::JmpMask<Concrete>, musimd::Assignment<Concrete>,
                                     musimd::Ld<Concrete>, musimd::St<Concrete>, musimd::Shfl<Concrete>, musimd::SyncPoint<Concrete>,
                                     musimd::Halt<Concrete>, musimd::EnterBlock<Concrete>, musimd::LeaveBlock<Concrete>>;

/// Everything that a run depends on besides program and options; copies share Σ's pages until one of them writes.
struct Snapshot {
  Concrete::State state;
  std::uint64_t steps = 0;
  std::array<std::uint64_t, musimd::rule_count> rule_counts{};
};

class Machine {
 public:
  using State = Concrete::State;

  /// A machine at the program's start. The error is a sentence about an option: threads beyond the limit or different from
  /// what `active` and `order` name, an empty or repeated thread, `.shared` cells that do not fit the memory limit.
  static std::expected<std::unique_ptr<Machine>, std::string> make(std::shared_ptr<const musimd::Program> program, MachineOptions options);

  const musimd::Program& program() const { return *program_; }
  const MachineOptions& options() const { return options_; }
  unsigned threads() const { return domain_.width(); }

  /// (Θ, β, Σ, Π, Λ, pc).
  const State& state() const { return state_; }

  /// Σ before the first step may be filled from outside. False if the address is negative or the memory limit is reached.
  bool write_cell(std::int64_t address, Cell cell) { return state_.shared.write(address, cell); }

  /// Executed steps (`stop` included, a stuck or undefined one not).
  std::uint64_t steps() const { return steps_; }

  /// How often each rule has fired: the rule of Fig. 4 once a step, under IT the root rule of Fig. 5 as well. Indexed by RuleId.
  const std::array<std::uint64_t, musimd::rule_count>& rule_counts() const { return rule_counts_; }

  /// Set once the run has ended by stop, stuck, undefined, memory or stack limit; the state stays as it was then.
  const std::optional<Ending>& ending() const { return ending_; }

  /// Executes one instruction; false (with ending() set) if the run has ended.
  bool step();

  /// Executes up to `max_steps` further instructions; the ending, LimitReached{Steps} if the program goes on.
  Ending run(std::uint64_t max_steps);

  /// What every candidate rule of the instruction at pc says in the present state. Changes nothing.
  std::vector<CandidateReport> explain();

  /// `observer` hears of every later step until it is detached. It must outlive the machine or be detached.
  void attach(Observer& observer);
  void detach(Observer& observer);

  Snapshot snapshot() const { return {state_, steps_, rule_counts_}; }
  /// Goes to a state that this machine has been in (or one with the same program and options).
  void restore(const Snapshot& snapshot);

 private:
  Machine(std::shared_ptr<const musimd::Program> program, MachineOptions options, unsigned threads);

  std::optional<std::string> fill_shared();
  void load();
  Concrete::Operand operand(const musimd::Expr& e);
  CoreInstruction translate(const musimd::Instruction& i);
  const std::int64_t* constant(std::int64_t value);

  bool step_quietly();
  bool step_observed();
  void run_quietly(std::uint64_t until);
  void fail(std::vector<CandidateReport> reports);
  template <class I>
  bool within_limits_after();
  template <class I>
  void end_by_limit();
  void end(Ending ending);
  void check_one_applies(const std::vector<CandidateReport>& reports) const;

  std::shared_ptr<const musimd::Program> program_;
  MachineOptions options_;
  Concrete domain_;
  std::map<std::int64_t, LaneArray> constants_;
  std::vector<CoreInstruction> code_;
  State state_;
  std::uint64_t steps_ = 0;
  std::array<std::uint64_t, musimd::rule_count> rule_counts_{};
  std::optional<Ending> ending_;
  std::vector<Observer*> observers_;
  LaneArray load_addresses_;  // of the load that observers are told of
};

}  // namespace lockstep
