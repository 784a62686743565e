#pragma once
// What the steps share that rewrite a kernel before it is emitted, and all of them.

#include <cstdint>
#include <string>

#include "codegen/emit/cuda/choices.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_cuda {

/// A new value, which is called `name`, or `name.2` and so on where there is one of that name.
infreg::ValueId add_value(infreg::Kernel& kernel, infreg::Type type, const std::string& name);

/// How often the region uses the value, regions within it included.
unsigned uses_within(const infreg::Kernel& kernel, infreg::RegionId region, infreg::ValueId value);

/// Of a loop with known bounds.
std::uint64_t rounds_of(const infreg::For& loop);

/// Whether it is known where the loop begins and ends, it counts by 1, and it has a round.
bool has_known_rounds(const infreg::For& loop);

/// By all steps that are chosen.
infreg::Kernel rewritten(infreg::Kernel kernel, const Choices& choices);

}  // namespace lockstep::emit_cuda
