#include "tests/mutation/campaigns.hpp"

#include <fmt/format.h>

namespace lockstep::test {

namespace {

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

std::vector<Check> campaign_checks(std::span<const Campaign> campaigns) {
  std::vector<Check> checks;
  for (const Campaign& campaign : campaigns) {
    checks.push_back({campaign.name, campaign.parts, [campaign] { return run(campaign); }});
  }
  return checks;
}

}  // namespace lockstep::test
