#include "codegen/emit/cuda/accesses.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

/// The defining operation of a value in the region or in those around it; null for others.
const Node* definition_of(const Kernel& kernel, ValueId value) {
  for (const Region& region : kernel.regions) {
    for (const Operation& operation : region.operations) {
      if (std::ranges::find(operation.results, value) != operation.results.end()) {
        return &operation.node;
      }
    }
  }
  return nullptr;
}

/// Whether the mask holds for one item of a group at most.
bool selects_one_item(const Kernel& kernel, std::optional<ValueId> mask) {
  const Node* node = mask ? definition_of(kernel, *mask) : nullptr;
  const auto* found = node != nullptr ? std::get_if<Mask>(node) : nullptr;
  return found != nullptr && std::ranges::any_of(found->all_of, [](const Mask::Comparison& one) {
           return one.op == Op::Eq && one.left == Polynomial(Symbol::item()) && !one.right.mentions(Symbol::item());
         });
}

/// Whether no two of a group's lanes have the same number.
bool is_injective(const Polynomial& index, std::uint64_t items, std::uint64_t elements) {
  const auto slope = [&](Symbol symbol) -> std::optional<std::uint64_t> {
    const auto found = index.slope(symbol);
    constexpr std::int64_t large = std::int64_t{1} << 31;
    return found && found->is_constant() && found->constant() > -large && found->constant() < large
               ? std::optional<std::uint64_t>(std::abs(found->constant()))
               : std::nullopt;
  };
  const auto item = items == 1 ? 1 : slope(Symbol::item());
  const auto element = elements == 1 ? 1 : slope(Symbol::element());
  if (!item || !element || *item == 0 || *element == 0 || items > warp_size * warp_size || elements >= (std::uint64_t{1} << 31U)) {
    return false;
  }
  return items == 1 || elements == 1 || *item >= *element * elements || *element >= *item * items;
}

struct Access {
  const Place* place = nullptr;
  Layout layout;
  ScalarType type = ScalarType::Int;
  bool writes = false;
};

std::optional<Access> access_of(const Kernel& kernel, const Node& node) {
  if (const auto* load = std::get_if<Load>(&node)) {
    return Access{&load->place, load->type.layout, load->type.element.scalar, false};
  }
  if (const auto* store = std::get_if<Store>(&node)) {
    const Type& type = kernel.type_of(store->value);
    return Access{&store->place, type.layout, type.element.scalar, true};
  }
  return std::nullopt;
}

/// Whether elements of the types may lie in one buffer.
bool can_share(ScalarType a, ScalarType b) { return is_float(a) || is_float(b) ? a == b : size_of(a) == size_of(b); }

bool may_meet(const Kernel& kernel, const Access& a, const Access& b) {
  const auto* object = std::get_if<OfObject>(&a.place->base);
  const auto* other_object = std::get_if<OfObject>(&b.place->base);
  if (object != nullptr && kernel.objects[object->id].space != AddressSpace::Local) {
    return false;  // private, or never written
  }
  if (object != nullptr && other_object != nullptr) {
    return *object == *other_object;
  }
  const auto* parameter = std::get_if<OfParameter>(&a.place->base);
  const auto* other_parameter = std::get_if<OfParameter>(&b.place->base);
  if ((object != nullptr && other_parameter != nullptr) || (parameter != nullptr && other_object != nullptr)) {
    return false;
  }
  if (parameter != nullptr && other_parameter != nullptr && *parameter != *other_parameter &&
      (kernel.parameters[parameter->id].is_restrict || kernel.parameters[other_parameter->id].is_restrict)) {
    return false;
  }
  return can_share(a.type, b.type);
}

class Meetings {
 public:
  Meetings(const Kernel& kernel, const Geometry& geometry) : kernel_(kernel), geometry_(geometry) {}

  std::set<OperationId> all() {
    run(kernel_.body);
    return std::move(result_);
  }

 private:
  /// Whether each lane touches the same cells in both, and no other lane does.
  bool is_of_own_lane(const Access& a, const Access& b) const {
    return a.place->base == b.place->base && !std::holds_alternative<AtPointer>(a.place->base) && a.place->index == b.place->index &&
           !a.place->lanes && !b.place->lanes && a.layout == b.layout && a.layout.kind == Layout::Kind::Item &&
           is_injective(a.place->index, kernel_.shape.wg_size, a.layout.elements);
  }

  bool conflict(const Access& a, const Access& b) const {
    return geometry_.lanes > 1 && (a.writes || b.writes) && may_meet(kernel_, a, b) && may_meet(kernel_, b, a) && !is_of_own_lane(a, b);
  }

  void collect(RegionId region, std::vector<Access>& into) const {
    for (const Operation& operation : kernel_.regions[region].operations) {
      if (const auto access = access_of(kernel_, operation.node)) {
        into.push_back(*access);
      }
      for_each_region(operation.node, [&](RegionId inner) { collect(inner, into); });
    }
  }

  void run(RegionId region) {
    const Region& there = kernel_.regions[region];
    for (std::uint32_t k = 0; k < there.operations.size(); ++k) {
      const Node& node = there.operations[k].node;
      if (const auto access = access_of(kernel_, node)) {
        if (std::ranges::any_of(pending_, [&](const Access& before) { return conflict(before, *access); })) {
          result_.insert({region, k});
          pending_.clear();
        }
        pending_.push_back(*access);
      } else if (const auto* branch = std::get_if<If>(&node)) {
        const std::vector<Access> before = pending_;
        run(branch->then);
        std::vector<Access> after = std::exchange(pending_, before);
        run(branch->otherwise);
        pending_.insert(pending_.end(), after.begin(), after.end());
      } else {
        const std::vector<Access> before = pending_;
        for_each_region(node, [&](RegionId inner) {
          collect(inner, pending_);
          run(inner);
          pending_.insert(pending_.end(), before.begin(), before.end());  // maybe there was no round
        });
      }
    }
  }

  const Kernel& kernel_;
  const Geometry& geometry_;
  std::vector<Access> pending_;  ///< since the lanes met
  std::set<OperationId> result_;
};

}  // namespace

std::string_view name_of(StoreWay way) {
  static constexpr std::array<std::string_view, 4> names = {"own", "one", "last", "turns"};
  return names[static_cast<std::size_t>(way)];
}

StoreWay way_of(const Kernel& kernel, const Store& store, const Geometry& geometry) {
  const Layout layout = kernel.type_of(store.value).layout;
  if (layout.kind != Layout::Kind::Item) {
    return geometry.lanes == 1 ? StoreWay::Own : StoreWay::One;
  }
  const auto* object = std::get_if<OfObject>(&store.place.base);
  const std::uint64_t items = selects_one_item(kernel, store.mask) ? 1 : kernel.shape.wg_size;
  if (geometry.lanes == 1 || items == 1 || (object != nullptr && kernel.objects[object->id].space == AddressSpace::Private) ||
      (!store.place.lanes && !std::holds_alternative<AtPointer>(store.place.base) &&
       is_injective(store.place.index, items, layout.elements))) {
    return StoreWay::Own;
  }
  return layout.elements == 1 && geometry.vectors == 1 ? StoreWay::Last : StoreWay::Turns;
}

std::set<OperationId> meetings_of(const Kernel& kernel, const Geometry& geometry) { return Meetings(kernel, geometry).all(); }

}  // namespace lockstep::emit_cuda
