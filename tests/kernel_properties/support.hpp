#pragma once
// Running a law on many kernels: making, shrinking, writing and rereading them.

#include <cstdint>
#include <optional>
#include <string>

#include "semantics/generate/kernel.hpp"
#include "tests/campaign/campaign.hpp"
#include "tests/kernel_properties/trial.hpp"

namespace lockstep::test {

/// How a campaign makes its kernels, and what it asks of them.
struct KernelCampaign {
  std::string property;  ///< also the name in the file of a failure
  KernelLaw law = nullptr;
  generate::KernelOptions options;
  std::string program = "kernel_property_tests";  ///< which asks again, for the file of a failure
};

/// How many kernels a campaign asked its law of, and of how many the law said something.
struct Tally {
  unsigned asked = 0;
  unsigned compared = 0;
};

/// The number of kernels a property is tested with: if LOCKSTEP_FULL is set in the environment, ten times as many, and 2,000 at least.
unsigned kernel_sample(unsigned usual);

/// Asks the law of kernel number `seed` of the campaign. A failing kernel is shrunk and written to a file in LOCKSTEP_REPRO_DIR, or
/// else the current folder. The kernel is counted in `tally`.
std::optional<Finding> try_kernel(const KernelCampaign& campaign, std::uint64_t seed, Tally& tally);

/// The law's answer to the kernel in a file that try_kernel wrote; nothing if the file is of another property, or the law holds.
/// Throws std::runtime_error if there is no such file or it holds no kernel.
std::optional<Finding> rerun_kernel(const KernelCampaign& campaign, const std::string& file);

/// Runs the campaign on kernel_sample(usual) kernels, and prints how many the law spoke of; fails the present Catch2 test with the
/// finding, or if so few can hardly be a sample of which `floor` percent are spoken of. With LOCKSTEP_REPRO=FILE in the environment it runs
/// that file instead, if it is of this property, and nothing otherwise.
void hold(const KernelCampaign& campaign, unsigned usual, unsigned floor);

}  // namespace lockstep::test
