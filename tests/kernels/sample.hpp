#pragma once
// Which cases of a large matrix a run looks at: all with LOCKSTEP_FULL in the environment, else some that change from day to day.

#include <cstddef>
#include <utility>
#include <vector>

#include "tests/campaign/run.hpp"
#include "tests/reference/inputs.hpp"

namespace lockstep::test {

/// All of `cases` in a full run, otherwise `usual` of them (all, if there are no more), chosen by the seed of the run.
template <class Case>
std::vector<Case> sample(std::vector<Case> cases, std::size_t usual) {
  if (full_run() || cases.size() <= usual) {
    return cases;
  }
  reference::Random random(run_seed());
  for (std::size_t i = 0; i < usual; ++i) {
    std::swap(cases[i], cases[i + random.below(cases.size() - i)]);
  }
  cases.resize(usual);
  return cases;
}

}  // namespace lockstep::test
