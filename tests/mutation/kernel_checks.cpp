// Laws about kernels (tests/kernel_properties), each on kernels with fixed seeds.

#include <fmt/format.h>

#include "tests/kernel_properties/laws.hpp"
#include "tests/mutation/checks.hpp"

namespace lockstep::test {

namespace {

using generate::Profile;

struct Campaign {
  const char* name;
  KernelLaw law;
  generate::KernelOptions options;
  unsigned kernels;
  std::vector<std::string> parts;
};

std::optional<std::string> run(const Campaign& campaign) {
  for (std::uint64_t seed = 1; seed <= campaign.kernels; ++seed) {
    generate::Choices choices = generate::from_seed(seed);
    const generate::Kernel kernel = generate::random_kernel(choices, campaign.options);
    const Verdict verdict = campaign.law(trial_of(kernel, seed));
    if (!verdict.wrong.empty()) {
      return fmt::format("kernel {}: {}", seed, verdict.wrong);
    }
  }
  return std::nullopt;
}

}  // namespace

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
  std::vector<Check> checks;
  for (const Campaign& campaign : campaigns) {
    checks.push_back({campaign.name, campaign.parts, [campaign] { return run(campaign); }});
  }
  return checks;
}

}  // namespace lockstep::test
