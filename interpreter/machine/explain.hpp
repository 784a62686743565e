#pragma once
// Asking every candidate of an instruction and keeping what was said: the way of asking behind reasons, traces and coverage.

#include <vector>

#include "interpreter/machine/concrete.hpp"
#include "interpreter/machine/result.hpp"
#include "semantics/musimd/step.hpp"

namespace lockstep {

/// The way of asking that records. Answers with details are given by `detail(rule, number, thread)`.
template <class Detail>
class Recorder {
 public:
  Recorder(std::vector<CandidateReport>& out, Detail detail) : out_(out), detail_(std::move(detail)) {}

  template <class Premises>
  void candidate(musimd::Fired fired, Premises premises) {
    out_.push_back({fired, false, {}});
    match(fired);
    out_.back().applies = premises(*this);
  }

  bool operator()(musimd::RuleId rule, int number, bool holds) { return record(rule, number, holds, {}); }
  bool threads(musimd::RuleId rule, int number, const LaneSet& failing) { return record(rule, number, failing.empty(), failing); }
  bool some_thread(musimd::RuleId rule, int number, const LaneSet& holding, const LaneSet& choosing) {
    record(rule, number, !holding.empty(), choosing - holding);
    return !holding.empty();
  }

 private:
  /// The instruction matched, or the rule would not be a candidate; rules of one list say for themselves which shape they want.
  void match(musimd::Fired fired) {
    using musimd::RuleId;
    out_.back().premises.push_back({fired.rule, 1, true, {}, {}});
    const bool asks_itself = fired.root == RuleId::CT || fired.root == RuleId::AS || fired.root == RuleId::BP;
    if (fired.root != fired.rule && !asks_itself) {
      out_.back().premises.push_back({fired.root, 1, true, {}, {}});
    }
  }

  bool record(musimd::RuleId rule, int number, bool holds, const LaneSet& failing) {
    out_.back().premises.push_back({rule, number, holds, failing, detail_(rule, number, failing)});
    return holds;
  }

  std::vector<CandidateReport>& out_;
  Detail detail_;
};

}  // namespace lockstep
