#include "codegen/passes/clean/memory.hpp"

#include "semantics/infreg/walk.hpp"

namespace lockstep::passes::clean {

using namespace infreg;

namespace {

TypeSet find(const Kernel& kernel, RegionId id, std::vector<TypeSet>& stored) {
  TypeSet types = 0;
  for (const Operation& operation : kernel.regions[id].operations) {
    if (const auto* store = std::get_if<Store>(&operation.node)) {
      types |= set_of(kernel.type_of(store->value).element.scalar);
    }
    for_each_region(operation.node, [&](RegionId inner) { types |= find(kernel, inner, stored); });
  }
  return stored[id] = types;
}

}  // namespace

std::vector<TypeSet> stored_types(const Kernel& kernel) {
  std::vector<TypeSet> stored(kernel.regions.size());
  find(kernel, kernel.body, stored);
  return stored;
}

bool is_of_constant(const Kernel& kernel, const Load& load) {
  const auto* object = std::get_if<infreg::OfObject>(&load.place.base);
  return object != nullptr && kernel.objects[object->id].space == AddressSpace::Constant;
}

}  // namespace lockstep::passes::clean
