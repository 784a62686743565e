#pragma once
// Two versions of a kernel, and the question that decides between them.

#include <cstdint>
#include <vector>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes {

/// Everything that is assumed lies below this, whatever its sign.
constexpr std::int64_t assumed_below = std::int64_t{1} << 31;

/// The kernel that does what `fast` does where each of the magnitudes (assumptions.hpp, in the kernel's parameters) is below 2^31, and else
/// what `exact` does. Both have the same parameters and shape.
infreg::Kernel with_versions(infreg::Kernel fast, const infreg::Kernel& exact, const std::vector<infreg::Polynomial>& magnitudes);

/// Whether it pays: `fast` gathers and scatters less than `exact`, or has loops whose end is seen in front of them where that has none.
bool is_worth_a_version(const infreg::Kernel& fast, const infreg::Kernel& exact);

}  // namespace lockstep::passes
