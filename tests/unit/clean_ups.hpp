#pragma once
// All clean-ups on InfReg-IR, by name, and a check of what one of them leaves.

#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "codegen/passes/clean/common.hpp"
#include "codegen/passes/clean/compose.hpp"
#include "codegen/passes/clean/dead_values.hpp"
#include "codegen/passes/clean/decide.hpp"
#include "codegen/passes/clean/demand.hpp"
#include "codegen/passes/clean/fold.hpp"
#include "codegen/passes/clean/hoist.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/same.hpp"
#include "semantics/infreg/verify.hpp"

namespace lockstep::passes {

using CleanUp = bool (*)(infreg::Kernel&);

struct Named {
  const char* name;
  CleanUp run;
};
inline constexpr std::array clean_ups = {Named{"fold", &clean::fold},
                                         Named{"decide", &clean::decide_control},
                                         Named{"compose", &clean::compose},
                                         Named{"common", &clean::share_common},
                                         Named{"hoist", &clean::hoist_invariants},
                                         Named{"demand", &clean::drop_unwanted_choices},
                                         Named{"dead-values", &clean::remove_dead_values}};

/// Runs the clean-up; returns whether it changed anything. The test fails if the verifier refuses what it leaves of `kernel`, or if that is
/// not `wanted` once the values that nobody uses are gone.
inline bool check_becomes(CleanUp run, infreg::Kernel kernel, const infreg::Kernel& wanted) {
  const bool has_changed = run(kernel);
  clean::remove_dead_values(kernel);
  const std::vector<infreg::Fault> faults = infreg::verify(kernel);
  INFO(infreg::print_marked(kernel, faults));
  INFO(infreg::print(wanted));
  CHECK(faults.empty());
  CHECK(infreg::same(kernel, wanted));
  return has_changed;
}

}  // namespace lockstep::passes
