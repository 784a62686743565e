// The evaluator of InfReg-IR: no code, but what every target's code is held against.

#include "tools/targets/target.hpp"

namespace lockstep::tools {

Target infreg_target() {
  Target target;
  target.name = "infreg";
  target.meaning = "the evaluator of InfReg-IR";
  target.is_evaluator = true;
  target.run = [](const infreg::Kernel& kernel, const Reference& reference) -> std::expected<Ran, NotRun> {
    return run_infreg(kernel, reference);
  };
  return target;
}

}  // namespace lockstep::tools
