// Faults between a kernel and its machine code: passes, the evaluator of InfReg-IR, the emitters.

#include "tests/compile_properties/laws.hpp"
#include "tests/mutation/avx512_check.hpp"
#include "tests/mutation/campaigns.hpp"
#include "tests/mutation/folders.hpp"

namespace lockstep::test {

std::vector<Check> all_checks() {
  using generate::Profile;
  const Campaign campaigns[] = {
      {"kernels: lowering", lowering, {.profile = Profile::Lockstep}, 150, {"passes", "evaluate"}},
      {"kernels: lowering, plain", lowering, {.profile = Profile::Plain}, 100, {"passes"}},
      {"kernels: lowering with crev", lowering, {.profile = Profile::Crev}, 100, {"passes"}},
      {"kernels: LLVM", llvm_code, {.profile = Profile::Lockstep, .statements = 4, .max_wg_size = 12}, 60, {"emit"}},
      {"kernels: LLVM, plain", llvm_code, {.profile = Profile::Plain, .statements = 4, .max_wg_size = 12}, 40, {"emit"}},
  };
  std::vector<Check> checks = unit_test_checks();
  checks.push_back(avx512_check());
  const std::vector<Check> kernels = campaign_checks(campaigns);
  checks.insert(checks.end(), kernels.begin(), kernels.end());
  return checks;
}

}  // namespace lockstep::test
