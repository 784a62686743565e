#pragma once
// What the steps share that rewrite a kernel before it is emitted.

#include <cstdint>
#include <string>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_cuda {

/// A new value, which is called `name`, or `name.2` and so on where there is one of that name.
infreg::ValueId add_value(infreg::Kernel& kernel, infreg::Type type, const std::string& name);

/// How often the region uses the value, regions within it included.
unsigned uses_within(const infreg::Kernel& kernel, infreg::RegionId region, infreg::ValueId value);

/// Whether it is known where the loop begins and ends, it counts by 1, and it has a round.
bool has_known_rounds(const infreg::For& loop);

}  // namespace lockstep::emit_cuda
