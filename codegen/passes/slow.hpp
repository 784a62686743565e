#pragma once
// What stays slow whatever target a kernel is compiled for, and why: read off the kernel that the passes have made.

#include "semantics/base/diagnostic.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes {

/// A note for each place in the text, in its order:
///   - private arrays that stay in memory, where they are met at an index that is no number, or a pointer to them is made,
///   - loads and stores that go to an address of its own for each item,
///   - loops in which items that have ended wait for the others.
/// Of an access that is there several times, as a rolled loop's rest or in a version for large launches, the best one counts.
Diagnostics slow_parts(const infreg::Kernel& kernel);

}  // namespace lockstep::passes
