#pragma once
// What stores may change. Two parameters may point into one buffer, anywhere in it, `const` or not, if their types share cells
// (meeting.hpp): memory of another type is undefined to meet (docs/infreg-ir.md). An object is apart from buffers and other objects; a
// pointer value may point anywhere.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// Memories: a bit for the buffers of each cell type, the others for the kernel's objects, which share them where there are more.
using Memories = std::uint64_t;
constexpr Memories all_memories = ~Memories{0};
constexpr std::size_t memory_count = 64;
/// In which of them elements of `type` at the place may lie.
Memories memories_of(const infreg::Place& place, ScalarType type);

/// Of each region: what is stored in it and in regions inside.
std::vector<Memories> stored_memories(const infreg::Kernel& kernel);

/// Whether nothing ever changes what the load reads.
bool is_of_constant(const infreg::Kernel& kernel, const infreg::Load& load);

}  // namespace lockstep::passes::clean
