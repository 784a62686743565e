#pragma once
// From a kernel that fails to a small one that fails still.

#include <cstdint>
#include <functional>

#include "semantics/generate/kernel.hpp"

namespace lockstep::generate {

/// How often the shrinker asks its predicate at the most.
inline constexpr std::size_t max_kernel_shrink_tries = 4000;

/// Makes a kernel smaller while `still_fails` says yes (it does so of `kernel` itself): removes functions, statements and
/// parameters, puts bodies in place of what is around them and parts of expressions in place of the whole, and takes items, groups and
/// inputs away. What it asks about is well-formed text, but may be ill-typed, undefined or endless: the predicate must be ready for that.
Kernel shrink(Kernel kernel, const std::function<bool(const Kernel&)>& still_fails);

/// Something that gets smaller as a kernel gets simpler: statements count most, then expressions, items, inputs.
std::uint64_t measure(const Kernel& kernel);

}  // namespace lockstep::generate
