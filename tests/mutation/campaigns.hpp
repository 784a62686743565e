#pragma once
// Laws about random kernels (tests/kernel_properties, tests/compile_properties) as checks.

#include <span>

#include "tests/kernel_properties/laws.hpp"
#include "tests/mutation/checks.hpp"

namespace lockstep::test {

/// A law, held to `kernels` kernels with the seeds 1, 2, 3, …
struct Campaign {
  const char* name;
  KernelLaw law;
  generate::KernelOptions options;
  unsigned kernels;
  std::vector<std::string> parts;
};
std::vector<Check> campaign_checks(std::span<const Campaign> campaigns);

}  // namespace lockstep::test
