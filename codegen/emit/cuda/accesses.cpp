#include "codegen/emit/cuda/accesses.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

std::optional<std::int64_t> constant_slope(const Polynomial& index, Symbol symbol) {
  const auto found = index.slope(symbol);
  constexpr std::int64_t large = std::int64_t{1} << 31;
  return found && found->is_constant() && found->constant() > -large && found->constant() < large ? std::optional(found->constant())
                                                                                                  : std::nullopt;
}

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

/// The one item of a group for which the mask may hold, which may be another one for each element; null for other masks.
const Polynomial* only_item(const Kernel& kernel, std::optional<ValueId> mask) {
  const Node* node = mask ? definition_of(kernel, *mask) : nullptr;
  const auto* found = node != nullptr ? std::get_if<Mask>(node) : nullptr;
  if (found == nullptr) {
    return nullptr;
  }
  const auto one = std::ranges::find_if(found->all_of, [](const Mask::Comparison& comparison) {
    return comparison.op == Op::Eq && comparison.left == Polynomial(Symbol::item()) && !comparison.right.mentions(Symbol::item());
  });
  return one != found->all_of.end() ? &one->right : nullptr;
}

/// Whether no two of a group's lanes have the same number: items' numbers lie apart as a whole, or elements'. A value has at most 2^31
/// lanes, so that nothing wraps.
bool is_injective(const Polynomial& index, std::uint64_t items, std::uint64_t elements) {
  const auto slope = [&](Symbol symbol) -> std::optional<std::uint64_t> {
    const auto found = constant_slope(index, symbol);
    return found ? std::optional<std::uint64_t>(std::abs(*found)) : std::nullopt;
  };
  const auto item = items == 1 ? 1 : slope(Symbol::item());
  const auto element = elements == 1 ? 1 : slope(Symbol::element());
  if (!item || !element || *item == 0 || *element == 0) {
    return false;
  }
  return *item > *element * (elements - 1) || *element > *item * (items - 1);
}

struct PlaceAccess {
  const Place* place = nullptr;
  Layout layout;
  ScalarType type = ScalarType::Int;
  bool writes = false;
  std::set<ValueId> changed = {};  ///< since then: of an access in the rounds before, what the loop's body defines
};

std::optional<PlaceAccess> access_of(const Kernel& kernel, const Node& node) {
  if (const auto* load = std::get_if<Load>(&node)) {
    return PlaceAccess{&load->place, load->type.layout, load->type.element.scalar, false, {}};
  }
  if (const auto* atomic = std::get_if<Atomic>(&node)) {
    return PlaceAccess{&atomic->place, atomic->type.layout, atomic->type.element.scalar, true, {}};
  }
  if (const auto* store = std::get_if<Store>(&node)) {
    const Type& type = kernel.type_of(store->value);
    return PlaceAccess{&store->place, type.layout, type.element.scalar, true, {}};
  }
  return std::nullopt;
}

/// Whether elements of the types may lie in one buffer.
bool can_share(ScalarType a, ScalarType b) { return is_float(a) || is_float(b) ? a == b : size_of(a) == size_of(b); }

bool may_meet(const Kernel& kernel, const PlaceAccess& a, const PlaceAccess& b) {
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

/// How far apart the numbers of two accesses may be: by at most `near`, and a multiple of `far`.
struct Distances {
  std::int64_t near = 0;
  std::uint64_t far = 0;
};

/// What an item adds to the number that it gets from its place in the group, in two accesses: of their indices without the items' terms.
/// Terms that are the same in both do not count, those with coefficients of at least `large` are far. None if nothing is known.
class Difference {
 public:
  Difference(const PlaceAccess& before, const PlaceAccess& now, std::uint64_t large, Shape shape, const emit_c::KnownRanges& ranges)
      : changed_(before.changed), large_(large), shape_(shape), ranges_(ranges) {
    const Polynomial first = before.place->index.without(Symbol::item());
    const Polynomial second = now.place->index.without(Symbol::item());
    const auto a = near_part(first, second, before.layout);
    const auto b = near_part(second, first, now.layout);
    std::int64_t up = 0;
    std::int64_t down = 0;
    if (a && b && !__builtin_sub_overflow(b->most, a->least, &up) && !__builtin_sub_overflow(a->most, b->least, &down)) {
      distances_ = {std::max(up, down), far_};
    }
  }

  const std::optional<Distances>& distances() const { return distances_; }

 private:
  bool is_fixed(const Monomial& term) const {
    return std::ranges::none_of(term.factors, [&](Symbol symbol) {
      return symbol.kind == Symbol::Kind::Element || (symbol.kind == Symbol::Kind::Value && changed_.contains(symbol.value));
    });
  }

  std::optional<emit_c::Range> near_part(const Polynomial& index, const Polynomial& other, Layout layout) {
    emit_c::Range sum{index.constant(), index.constant()};
    for (const Monomial& term : index.terms()) {
      if (is_fixed(term) && std::ranges::find(other.terms(), term) != other.terms().end()) {
        continue;
      }
      const auto range = emit_c::range_of(term, layout, shape_, ranges_);
      if (const std::uint64_t coefficient = emit_c::magnitude_of(term.coefficient); coefficient >= large_) {
        // What may wrap is still a multiple of a power of two.
        constexpr std::int64_t most = std::int64_t{1} << 53;
        const bool is_exact = range && range->lies_in(-most, most);
        far_ = std::gcd(far_, is_exact ? coefficient : coefficient & (0 - coefficient));
      } else if (!range || !emit_c::add(sum, *range)) {
        return std::nullopt;
      }
    }
    return sum;
  }

  const std::set<ValueId>& changed_;
  std::uint64_t large_;
  Shape shape_;
  const emit_c::KnownRanges& ranges_;
  std::uint64_t far_ = 0;
  std::optional<Distances> distances_;
};

class Meetings {
 public:
  Meetings(const Kernel& kernel, const Geometry& geometry, const emit_c::KnownRanges& ranges)
      : kernel_(kernel), geometry_(geometry), ranges_(ranges) {}

  std::set<OperationId> all() {
    run(kernel_.body);
    return std::move(result_);
  }

 private:
  /// Whether no item touches a cell in `now` that another item touched in `before`.
  bool is_of_own_lane(const PlaceAccess& before, const PlaceAccess& now) const {
    if (before.place->base != now.place->base || std::holds_alternative<AtPointer>(now.place->base) || before.place->lanes ||
        now.place->lanes || before.layout.kind != Layout::Kind::Item || now.layout.kind != Layout::Kind::Item) {
      return false;
    }
    const auto slope = constant_slope(before.place->index, Symbol::item());
    if (!slope || slope != constant_slope(now.place->index, Symbol::item())) {
      return false;
    }
    const std::int64_t step = std::abs(*slope);
    const std::uint64_t of_items = static_cast<std::uint64_t>(step) * kernel_.shape.wg_size;
    const auto apart = Difference(before, now, of_items, kernel_.shape, ranges_).distances();
    // From one item to another it is less than of_items, with what is near too; and what is near is less than a step.
    return apart && apart->near < step && (apart->far == 0 || apart->far >= of_items);
  }

  bool conflict(const PlaceAccess& a, const PlaceAccess& b) const {
    return geometry_.lanes > 1 && (a.writes || b.writes) && may_meet(kernel_, a, b) && may_meet(kernel_, b, a) && !is_of_own_lane(a, b);
  }

  void collect(RegionId region, std::vector<PlaceAccess>& accesses, std::set<ValueId>& defined) const {
    defined.insert(kernel_.regions[region].arguments.begin(), kernel_.regions[region].arguments.end());
    for (const Operation& operation : kernel_.regions[region].operations) {
      defined.insert(operation.results.begin(), operation.results.end());
      if (const auto access = access_of(kernel_, operation.node)) {
        accesses.push_back(*access);
      }
      for_each_region(operation.node, [&](RegionId inner) { collect(inner, accesses, defined); });
    }
  }

  /// What is accessed in the rounds before one of the loop.
  void add_rounds(RegionId body) {
    std::vector<PlaceAccess> accesses;
    std::set<ValueId> defined;
    collect(body, accesses, defined);
    for (PlaceAccess& access : accesses) {
      access.changed = defined;
      pending_.push_back(std::move(access));
    }
  }

  void run(RegionId region) {
    const Region& there = kernel_.regions[region];
    for (std::uint32_t k = 0; k < there.operations.size(); ++k) {
      const Node& node = there.operations[k].node;
      if (const auto access = access_of(kernel_, node)) {
        if (std::ranges::any_of(pending_, [&](const PlaceAccess& before) { return conflict(before, *access); })) {
          result_.insert({region, k});
          pending_.clear();
        }
        pending_.push_back(*access);
      } else if (const auto* branch = std::get_if<If>(&node)) {
        const std::vector<PlaceAccess> before = pending_;
        run(branch->then);
        std::vector<PlaceAccess> after = std::exchange(pending_, before);
        run(branch->otherwise);
        pending_.insert(pending_.end(), after.begin(), after.end());
      } else {
        const std::vector<PlaceAccess> before = pending_;
        for_each_region(node, [&](RegionId inner) {
          add_rounds(inner);
          run(inner);
          pending_.insert(pending_.end(), before.begin(), before.end());  // maybe there was no round
        });
      }
    }
  }

  const Kernel& kernel_;
  const Geometry& geometry_;
  const emit_c::KnownRanges& ranges_;
  std::vector<PlaceAccess> pending_;  ///< since the lanes met
  std::set<OperationId> result_;
};

}  // namespace

std::string_view name_of(StoreWay way) {
  static constexpr std::array<std::string_view, 4> names = {"own", "one", "last", "turns"};
  return names[static_cast<std::size_t>(way)];
}

bool has_private_pointers(const Kernel& kernel) {
  return std::ranges::any_of(kernel.regions, [&](const Region& region) {
    return std::ranges::any_of(region.operations, [&](const Operation& operation) {
      const auto* address = std::get_if<AddressOf>(&operation.node);
      const auto* object = address != nullptr ? std::get_if<OfObject>(&address->object) : nullptr;
      return object != nullptr && kernel.objects[object->id].space == AddressSpace::Private;
    });
  });
}

StoreWay way_of(const Kernel& kernel, const Store& store, const Geometry& geometry) {
  const Layout layout = kernel.type_of(store.value).layout;
  if (layout.kind != Layout::Kind::Item) {
    return geometry.lanes == 1 ? StoreWay::Own : StoreWay::One;
  }
  const auto* object = std::get_if<OfObject>(&store.place.base);
  const Polynomial* only = only_item(kernel, store.mask);
  // The elements of one item are stored in their order; of several elements that one item each stores, the cells must not be the same.
  const bool is_one_item = geometry.lanes == 1 || (only != nullptr && !only->mentions(Symbol::element()));
  const auto is_injective_by = [&](const Polynomial& index, std::uint64_t items) {
    return !store.place.lanes && !std::holds_alternative<AtPointer>(store.place.base) && is_injective(index, items, layout.elements);
  };
  if (is_one_item || (object != nullptr && kernel.objects[object->id].space == AddressSpace::Private) ||
      is_injective_by(store.place.index, kernel.shape.wg_size) ||
      (only != nullptr && is_injective_by(store.place.index.substitute(Symbol::item(), *only), 1))) {
    return StoreWay::Own;
  }
  const bool says_whose = !std::holds_alternative<AtPointer>(store.place.base) || !has_private_pointers(kernel);
  return says_whose && layout.elements == 1 && geometry.vectors == 1 ? StoreWay::Last : StoreWay::Turns;
}

std::set<OperationId> meetings_of(const Kernel& kernel, const Geometry& geometry, const emit_c::KnownRanges& ranges) {
  return Meetings(kernel, geometry, ranges).all();
}

}  // namespace lockstep::emit_cuda
