#include "codegen/passes/clean/memory.hpp"

#include "codegen/passes/meeting.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::passes::clean {

using namespace infreg;

namespace {

Memories find(const Kernel& kernel, RegionId id, std::vector<Memories>& stored) {
  Memories memories = 0;
  for (const Operation& operation : kernel.regions[id].operations) {
    if (const Place* place = stored_place(operation.node)) {
      memories |= memories_of(*place, accessed_type(kernel, operation.node));
    }
    for_each_region(operation.node, [&](RegionId inner) { memories |= find(kernel, inner, stored); });
  }
  return stored[id] = memories;
}

}  // namespace

Memories memories_of(const Place& place, ScalarType type) {
  constexpr std::size_t types = scalar_table.size();
  constexpr Memories objects = all_memories << types;
  if (const auto* object = std::get_if<OfObject>(&place.base)) {
    return Memories{1} << (types + object->id % (memory_count - types));
  }
  const Memories buffers = Memories{1} << static_cast<unsigned>(cell_type(type));
  return std::holds_alternative<OfParameter>(place.base) ? buffers : buffers | objects;
}

std::vector<Memories> stored_memories(const Kernel& kernel) {
  std::vector<Memories> stored(kernel.regions.size());
  find(kernel, kernel.body, stored);
  return stored;
}

bool is_of_constant(const Kernel& kernel, const Load& load) {
  const auto* object = std::get_if<infreg::OfObject>(&load.place.base);
  return object != nullptr && kernel.objects[object->id].space == AddressSpace::Constant;
}

}  // namespace lockstep::passes::clean
