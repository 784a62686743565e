#pragma once
// All clean-ups on InfReg-IR, by name.

#include <array>

#include "codegen/passes/clean/common.hpp"
#include "codegen/passes/clean/compose.hpp"
#include "codegen/passes/clean/dead_values.hpp"
#include "codegen/passes/clean/decide.hpp"
#include "codegen/passes/clean/demand.hpp"
#include "codegen/passes/clean/fold.hpp"
#include "codegen/passes/clean/hoist.hpp"

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

}  // namespace lockstep::passes
