#pragma once
// Which rules have fired, and which premises have been seen true and false, over any number of runs of untyped programs. What only typed
// programs have counts nowhere here.

#include <array>
#include <cstdint>

#include "interpreter/machine/observer.hpp"
#include "semantics/musimd/rule_table.hpp"

namespace lockstep {

/// How often each rule fired, and each premise held and failed. Indexed by RuleId and as premise_table.
struct Coverage {
  std::array<std::uint64_t, musimd::rule_count> fired{};
  std::array<std::uint64_t, musimd::premise_table.size()> held{};
  std::array<std::uint64_t, musimd::premise_table.size()> failed{};

  /// Nothing is missing: every rule of untyped programs fired, every premise that they are asked held once and failed once.
  bool complete() const;
  void add(const Coverage& other);
};

/// Counts what each step asks; what is counted for premises that no step asks aloud:
/// - Premises about P[pc] (kind Match) hold for the rules of the instruction at pc, and fail for all others at each step that is
///   tried; for CT, AS and BP the shape of the expression decides.
/// - MM, MT and MV stand at the leaves of a derivation: their first premises are counted at each operand that is looked up (a cell, tid,
///   a variable), where the other two fail. The rules fire with each step whose instruction has such an operand, TL with each
///   step under IT.
/// - MV.2, BP.2 and MM.2 are asked of every instruction with operands; they hold where the instruction has a variable, a
///   division or a load, and fail where a thread shows it.
/// - Premises by which threads choose between SV and SI.shfl hold and fail in one step if threads differ.
class CoverageObserver : public Observer {
 public:
  Interest interest() const override { return {.premises = true, .stores_only = false}; }
  void asked(const Machine& machine, std::span<const CandidateReport> candidates) override;
  void after_step(const Machine& machine, const StepEvent& event) override;

  const Coverage& coverage() const { return coverage_; }

 private:
  Coverage coverage_;
};

}  // namespace lockstep
