// What every candidate of the next instruction says: for the stepper.

#include "interpreter/launch/pack.hpp"

namespace lockstep::launch {

using musimd::Fired;
using musimd::RuleId;

namespace {

/// The way of asking that records.
class Recorder {
 public:
  explicit Recorder(std::vector<CandidateReport>& out) : out_(out) {}

  template <class Premises>
  void candidate(Fired fired, Premises premises) {
    out_.push_back({fired, false, {}});
    out_.back().applies = premises(*this);
  }
  bool operator()(RuleId rule, int number, bool holds) { return record(rule, number, holds, {}); }
  bool threads(RuleId rule, int number, const LaneSet& failing) { return record(rule, number, failing.empty(), failing); }
  bool some_thread(RuleId rule, int number, const LaneSet& holding, const LaneSet& choosing) {
    return record(rule, number, !holding.empty(), choosing - holding);
  }

 private:
  bool record(RuleId rule, int number, bool holds, LaneSet failing) {
    out_.back().premises.push_back({rule, number, holds, std::move(failing)});
    return holds;
  }

  std::vector<CandidateReport>& out_;
};

}  // namespace

std::vector<CandidateReport> Pack::explain() {
  std::vector<CandidateReport> reports;
  const std::size_t present = present_fragment();
  if (present == fragments_.size()) {
    return reports;
  }
  const Pirch::State& s = fragments_[present].state;
  if (s.pc >= code_.size()) {
    return reports;
  }
  Recorder recorder(reports);
  std::visit([&](const auto& i) { ask_candidates(recorder, domain_, s, i); }, code_[s.pc]);
  domain_.forget_trouble();
  return reports;
}

}  // namespace lockstep::launch
