#include "codegen/emit/ve/stack.hpp"

#include <algorithm>
#include <functional>

#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

/// A helper that reads or writes elements of 1 or 2 bytes has two arrays of words.
constexpr std::uint64_t bytes_of_small_access = 2 * 8 * most_lanes;
constexpr std::uint64_t bytes_of_atomic_change = 3 * 8 * most_lanes;

bool is_small(Element element) { return !element.is_pointer && size_of(element.scalar) < 4; }

void for_each_operation(const Kernel& kernel, const std::function<void(const Operation&)>& f) {
  for (const Region& region : kernel.regions) {
    std::ranges::for_each(region.operations, f);
  }
}

bool is_of_loop(const Kernel& kernel, RegionId region) {
  bool found = false;
  for_each_operation(kernel, [&](const Operation& operation) {
    const auto* loop = std::get_if<Loop>(&operation.node);
    found = found || (loop != nullptr && loop->body == region);
  });
  return found;
}

/// Whether a vote over a pack decides about control and nothing else: then it may ask more groups than a pack has. Where it says that
/// somebody goes on, nobody has to.
bool is_of_control(const Kernel& kernel, ValueId vote) {
  bool is_decision = true;
  for_each_operation(kernel, [&](const Operation& operation) {
    const auto* loop = std::get_if<Loop>(&operation.node);
    const auto* branch = std::get_if<If>(&operation.node);
    for_each_use(operation.node, [&](ValueId used) {
      const bool decides = (branch != nullptr && branch->condition == used) || (loop != nullptr && loop->inits.front() == used);
      is_decision = is_decision && (used != vote || decides);
    });
  });
  for (RegionId region = 0; region < kernel.regions.size(); ++region) {
    const std::vector<ValueId>& yields = kernel.regions[region].yields;
    for (std::size_t k = 0; k < yields.size(); ++k) {
      is_decision = is_decision && (yields[k] != vote || (k == 0 && is_of_loop(kernel, region)));
    }
  }
  return is_decision;
}

/// Of the kernel's own memory, for all groups of a call or for each lane of a vector.
void count_objects(const Kernel& kernel, Plan& plan) {
  for (const Object& object : kernel.objects) {
    if (object.space == AddressSpace::Constant) {
      continue;
    }
    const std::uint64_t bytes = row_of(object) * size_of(object.element);
    const bool is_private = object.space == AddressSpace::Private;
    if (plan.arrangement == Arrangement::Groups) {
      plan.lane_bytes += plan.vectors(is_private ? Layout::item() : Layout::group()) * bytes;
    } else {
      plan.fixed_bytes += (is_private ? plan.lanes : plan.shape.wg_pack) * bytes;
    }
  }
}

}  // namespace

std::uint64_t row_of(const Object& object) {
  const std::uint64_t in_word = 8 / size_of(object.element);
  return (object.count + in_word - 1) / in_word * in_word;
}

void count_stack(const Kernel& kernel, Plan& plan) {
  for (ValueId value = 0; value < kernel.values.size(); ++value) {
    if (plan.homes[value] == Home::Scratch && (plan.storage[value] == value || plan.copied.contains(value))) {
      plan.lane_bytes += (plan.copied.contains(value) ? 16U : 8U) * plan.vectors(kernel.type_of(value).layout);
    }
  }
  count_objects(kernel, plan);
  for_each_operation(kernel, [&](const Operation& operation) {
    if (const auto* load = std::get_if<Load>(&operation.node)) {
      plan.fixed_bytes += is_small(load->type.element) ? bytes_of_small_access : 0;
    } else if (const auto* store = std::get_if<Store>(&operation.node)) {
      plan.fixed_bytes += is_small(kernel.type_of(store->value).element) ? bytes_of_small_access : 0;
    } else if (std::holds_alternative<Atomic>(operation.node)) {
      plan.fixed_bytes += bytes_of_atomic_change;
    } else if (const auto* vote = std::get_if<Vote>(&operation.node)) {
      plan.asks_pack = plan.asks_pack || (vote->whole_pack && !is_of_control(kernel, operation.results.front()));
    }
  });
  if (plan.arrangement == Arrangement::Groups && plan.asks_pack) {
    plan.lanes = 1;
  } else if (plan.arrangement == Arrangement::Groups && plan.lane_bytes > 0) {
    plan.lanes = static_cast<unsigned>(std::clamp<std::uint64_t>(most_usual_stack / plan.lane_bytes, 1, most_lanes));
  }
}

}  // namespace lockstep::emit_ve
