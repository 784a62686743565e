// Faults in what the languages mean: rules, types, translation, machine.

#include "tests/mutation/campaigns.hpp"
#include "tests/mutation/folders.hpp"

namespace lockstep::test {

namespace {

using generate::Profile;

std::vector<Check> kernel_checks() {
  const std::vector<std::string> both = {"typed", "translate", "launch"};
  const Campaign campaigns[] = {
      {"kernels: agreement", agreement, {.profile = Profile::Lockstep}, 60, both},
      {"kernels: agreement on what is undefined", agreement, {.profile = Profile::Lockstep, .undefined = true}, 100, both},
      {"kernels: agreement with crev", agreement, {.profile = Profile::Crev, .undefined = true}, 60, both},
      {"kernels: agreement of warps", agreement_of_warps, {.profile = Profile::Lockstep, .undefined = true}, 60, {"launch"}},
      {"kernels: agreement of warps with crev", agreement_of_warps, {.profile = Profile::Crev, .undefined = true}, 40, {"launch"}},
      {"kernels: packs with crev", pack_independence, {.profile = Profile::Crev, .undefined = true}, 20, {"launch"}},
      {"kernels: translation", translation, {.profile = Profile::Crev, .undefined = true}, 30, {"translate"}},
      {"kernels: one item at a time", one_item_at_a_time, {.profile = Profile::Plain, .undefined = true}, 40, {}},
      {"kernels: packs", pack_independence, {.profile = Profile::Lockstep, .undefined = true}, 30, {"launch"}},
      {"kernels: synchrony", synchrony, {.profile = Profile::Plain}, 30, {"launch"}},
      {"kernels: order of service", commutativity, {.profile = Profile::Crev, .disjoint_calls = true}, 30, {"translate"}},
      {"kernels: parity", synchronization_parity, {.profile = Profile::Parity, .disjoint_calls = true}, 30, {}},
  };
  return campaign_checks(campaigns);
}

}  // namespace

std::vector<Check> all_checks() {
  std::vector<Check> checks = unit_test_checks();
  for (const auto& more : {kernel_checks(), rule_checks()}) {
    checks.insert(checks.end(), more.begin(), more.end());
  }
  return checks;
}

}  // namespace lockstep::test
