// The evaluator of InfReg-IR: no code, but what every target's code is held against.

#include "targets/infreg/row.hpp"

#include "differential/compare/execute.hpp"

namespace lockstep::targets {

using differential::NotRun;
using differential::Ran;

Target infreg_target() {
  Target target;
  target.name = "infreg";
  target.meaning = "the evaluator of InfReg-IR";
  target.is_evaluator = true;
  target.run = [](const infreg::Kernel& kernel, const differential::Reference& reference,
                  const Asked& /*asked*/) -> std::expected<Ran, NotRun> { return run_infreg(kernel, reference); };
  return target;
}

}  // namespace lockstep::targets
