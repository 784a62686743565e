#pragma once
// What one run of the machine did, kept for comparison.

#include <map>
#include <string>
#include <vector>

#include "interpreter/machine/machine.hpp"

namespace lockstep::runner {

/// Keeps the rule of every step and, for branches, which threads took them.
class Recording : public Observer {
 public:
  struct Visit {
    musimd::RuleId rule;  ///< the root rule: under IT that of Fig. 5
    std::string taken;    ///< for branches, T, F or - for each thread
  };

  void after_step(const Machine& machine, const StepEvent& event) override {
    rules.push_back(event.fired);
    visits[event.pc].push_back({event.fired.root, event.taken ? marks(machine.threads(), event.active, *event.taken) : ""});
  }

  std::vector<musimd::Fired> rules;
  std::map<musimd::Label, std::vector<Visit>> visits;

 private:
  static std::string marks(unsigned threads, const LaneSet& active, const LaneSet& taken) {
    std::string out;
    for (unsigned t = 0; t < threads; ++t) {
      out += !active.contains(t) ? '-' : taken.contains(t) ? 'T' : 'F';
    }
    return out;
  }
};

}  // namespace lockstep::runner
