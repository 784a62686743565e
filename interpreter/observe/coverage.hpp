#pragma once
// Which rules have fired, and which premises have been seen true and false, over any number of runs. Runs of untyped programs are
// observed here; who runs typed ones says what they asked (count_asked, count_fired).

#include <array>
#include <cstdint>
#include <vector>

#include "interpreter/machine/observer.hpp"
#include "semantics/musimd/rule_table.hpp"

namespace lockstep {

/// How often each rule fired, and each premise held and failed. Indexed by RuleId and as premise_table.
struct Coverage {
  std::array<std::uint64_t, musimd::rule_count> fired{};
  std::array<std::uint64_t, musimd::premise_table.size()> held{};
  std::array<std::uint64_t, musimd::premise_table.size()> failed{};
  bool untyped = false;  ///< of untyped programs, among others
  bool typed = false;    ///< of typed programs, among others

  /// Whether one of these programs can have the rule, or be asked the premise.
  bool concerns(const musimd::RuleInfo& rule) const;
  bool concerns(const musimd::PremiseInfo& premise) const;
  /// Nothing is missing of what concerns these programs: every rule fired, every premise held once and failed once.
  bool complete() const;
  void add(const Coverage& other);
};

/// What the operands of an instruction look up.
struct LookedUp {
  bool cell = false;
  bool tid = false;
  bool variable = false;
  bool may_be_undefined =
      false;  ///< an operation stands there of which BP asks more than its operands: a division, in typed programs others
};

/// What a premise of a candidate said.
struct PremiseAnswer {
  musimd::RuleId rule = musimd::RuleId::SP;
  int number = 0;
  bool holds = false;
  bool fails_for_some = false;  ///< threads choose by it, and for some it does not hold
};

/// Counts the answers of all candidates of an instruction:
/// - Premises about P[pc] (kind Match) hold for the rules of the instruction at pc, and fail for all others at each step that is
///   tried; for CT, AS and BP the shape of the expression decides.
/// - MM, MT and MV stand at the leaves of a derivation: their first premises are counted at each operand that is looked up (a cell, tid,
///   a variable), where the other two fail. The rules fire with each step whose instruction has such an operand, TL with each
///   step under IT.
/// - MV.2, BP.2, BP.3 and MM.2 are asked of every instruction with operands; they hold where the instruction has a variable, an operation
///   that may be undefined or a load, and fail where a thread shows it.
/// - Premises by which threads choose between SV and SI.shfl hold and fail in one step if threads differ.
/// `answers` has premise 1 of every rule that is a candidate.
void count_asked(Coverage& coverage, const LookedUp& found, const std::vector<PremiseAnswer>& answers);

/// Counts the leaves of a step that was taken, `times` at once, and TL if it was one under IT. Its other rules are counted by who knows
/// them.
void count_leaves(Coverage& coverage, const LookedUp& found, std::uint64_t times, bool under_it);

/// Counts the steps of an untyped program.
class CoverageObserver : public Observer {
 public:
  CoverageObserver() { coverage_.untyped = true; }

  Interest interest() const override { return {.premises = true, .stores_only = false}; }
  void asked(const Machine& machine, std::span<const CandidateReport> candidates) override;
  void after_step(const Machine& machine, const StepEvent& event) override;

  const Coverage& coverage() const { return coverage_; }

 private:
  Coverage coverage_;
};

}  // namespace lockstep
