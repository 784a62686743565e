#pragma once
// The parts of the evaluation in which Lockstep is compared with itself.

#include <functional>
#include <vector>

#include "bench/suite/ours.hpp"
#include "bench/suite/suite.hpp"

namespace lockstep::bench {

/// Contestants for a task, and what they are compared with.
struct PlannedCase {
  Study study = Study::None;
  Task task;
  std::vector<Contestant> contestants;
  OurOptions reference;                    ///< what the interpreter runs
  std::function<void(Data& data)> extend;  ///< adds arrays behind those of the kernel
};

/// All cases of a study, for the sizes and, where that is not fixed, the types of the options.
std::vector<PlannedCase> cases_of(Study study, const SuiteOptions& options, const PeerModule& module);

}  // namespace lockstep::bench
