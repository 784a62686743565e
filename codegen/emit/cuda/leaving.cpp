#include "codegen/emit/cuda/leaving.hpp"

#include <algorithm>
#include <set>
#include <variant>
#include <vector>

#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

class Conditions {
 public:
  explicit Conditions(const Kernel& kernel) : definitions_(kernel.values.size(), nullptr) {
    for (const Region& region : kernel.regions) {
      for (const Operation& operation : region.operations) {
        for (const ValueId result : operation.results) {
          definitions_[result] = &operation;
        }
      }
    }
  }

  /// Conditions that hold in a lane where this one does, itself among them.
  void add_implied(ValueId condition, std::set<ValueId>& into) const {
    into.insert(condition);
    if (definitions_[condition] == nullptr) {
      return;
    }
    const Node& node = definitions_[condition]->node;
    if (const auto* spread = std::get_if<Spread>(&node)) {
      add_implied(spread->source, into);
    } else if (const auto* both = std::get_if<Elementwise>(&node); both != nullptr && both->op == Op::BitAnd) {
      std::ranges::for_each(both->operands, [&](ValueId one) { add_implied(one, into); });
    }
  }

 private:
  std::vector<const Operation*> definitions_;
};

bool works_alone(OperationId id, const Operation& operation, const Plan& plan) {
  if (std::holds_alternative<Shuffle>(operation.node) || std::holds_alternative<Vote>(operation.node) || plan.tiles.contains(id)) {
    return false;
  }
  const auto* reorder = std::get_if<Reorder>(&operation.node);
  const Way way = reorder != nullptr ? plan.ways.at(operation.results.front()) : Way::Register;
  return way == Way::Register || way == Way::Pick;
}

bool is_private(const Kernel& kernel, const Store& store) {
  const auto* object = std::get_if<OfObject>(&store.place.base);
  return object != nullptr && kernel.objects[object->id].space == AddressSpace::Private;
}

}  // namespace

std::optional<ValueId> staying_condition(const Kernel& kernel, const Plan& plan) {
  if (plan.geometry.shape.wg_pack != 1 || plan.geometry.vectors != 1) {
    return std::nullopt;
  }
  const Conditions conditions(kernel);
  std::optional<std::set<ValueId>> common;
  for (RegionId region = 0; region < kernel.regions.size(); ++region) {
    const std::vector<Operation>& operations = kernel.regions[region].operations;
    for (std::uint32_t k = 0; k < operations.size(); ++k) {
      if (!works_alone({region, k}, operations[k], plan) || std::holds_alternative<Atomic>(operations[k].node)) {
        return std::nullopt;
      }
      const auto* store = std::get_if<Store>(&operations[k].node);
      if (store == nullptr || is_private(kernel, *store)) {
        continue;
      }
      if (!store->mask || plan.stores.at({region, k}) != StoreWay::Own) {
        return std::nullopt;
      }
      std::set<ValueId> implied;
      conditions.add_implied(*store->mask, implied);
      if (!common) {
        common = std::move(implied);
      } else {
        std::erase_if(*common, [&](ValueId one) { return !implied.contains(one); });
      }
    }
  }
  if (!common) {
    return std::nullopt;
  }
  for (const Operation& operation : kernel.regions[kernel.body].operations) {
    bool has_regions = false;
    for_each_region(operation.node, [&](RegionId) { has_regions = true; });
    for (const ValueId result : operation.results) {
      const bool is_one = kernel.type_of(result).layout == Layout::item(1) && plan.homes[result] != Home::Expression;
      if (common->contains(result) && is_one && !has_regions) {
        return result;
      }
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::emit_cuda
