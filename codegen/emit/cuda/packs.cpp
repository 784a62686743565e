#include "codegen/emit/cuda/packs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <variant>

#include "codegen/emit/cuda/limits.hpp"
#include "codegen/emit/cuda/rewriting.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

constexpr double unknown_rounds = 16;
constexpr double gain = 0.9;
constexpr double operations_a_cycle = 4;
constexpr double bytes_a_cycle = 14.5;
/// Of a thread, without those that hold nothing of the kernel's.
constexpr std::uint64_t most_registers = 255 - 8;

class Counter {
 public:
  Counter(const Kernel& kernel, const Plan& plan) : kernel_(kernel), plan_(plan), definitions_(kernel.values.size(), nullptr) {
    for (const Region& region : kernel.regions) {
      for (const Operation& operation : region.operations) {
        for (const ValueId result : operation.results) {
          definitions_[result] = &operation;
        }
      }
    }
  }

  double operations(RegionId id) const {
    double sum = 0;
    const std::vector<Operation>& all = kernel_.regions[id].operations;
    for (const Run& run : plan_.runs[id]) {
      for (std::uint32_t k = run.first; k < run.last; ++k) {
        // Pieces go into shared memory, and out of it.
        sum += plan_.tiles.contains({id, k}) ? 2.0 / run.piece * static_cast<double>(plan_.geometry.registers(layout_of(all[k]))) : 0;
      }
    }
    for (const Operation& operation : all) {
      for (const ValueId result : operation.results) {
        sum += static_cast<double>(plan_.geometry.registers(plan_.held(result, kernel_.type_of(result).layout)));
      }
      if (const auto* store = std::get_if<Store>(&operation.node)) {
        sum += static_cast<double>(plan_.geometry.registers(kernel_.type_of(store->value).layout));
      }
      for_each_region(operation.node, [&](RegionId inner) { sum += rounds_of(operation.node) * operations(inner); });
    }
    return sum;
  }

  /// Of a pack, from and to memory. What is the same for all items and groups stays in a cache.
  double bytes(RegionId id) const {
    double sum = 0;
    for (const Operation& operation : kernel_.regions[id].operations) {
      const Place* place = accessed_place(operation.node);
      if (place != nullptr && is_apart(*place)) {
        const auto* store = std::get_if<Store>(&operation.node);
        const Type& type = kernel_.type_of(store != nullptr ? store->value : operation.results.front());
        const std::uint64_t items = type.layout.kind == Layout::Kind::Item ? kernel_.shape.wg_size : 1;
        sum += static_cast<double>(kernel_.shape.wg_pack * items * type.layout.elements * size_of(type.element.scalar));
      }
      for_each_region(operation.node, [&](RegionId inner) { sum += rounds_of(operation.node) * bytes(inner); });
    }
    return sum;
  }

  std::uint64_t most_alive() {
    std::set<ValueId> alive;
    walk(kernel_.body, alive);
    return most_;
  }

 private:
  /// Of an access.
  Layout layout_of(const Operation& operation) const {
    const auto* store = std::get_if<Store>(&operation.node);
    return kernel_.type_of(store != nullptr ? store->value : operation.results.front()).layout;
  }

  static double rounds_of(const Node& node) {
    const auto* loop = std::get_if<For>(&node);
    const bool is_known = loop != nullptr && loop->from.is_constant() && loop->limit.is_constant();
    return std::holds_alternative<If>(node) ? 1 : is_known ? static_cast<double>(emit_cuda::rounds_of(*loop)) : unknown_rounds;
  }

  static bool is_apart(const Place& place) {
    return !std::holds_alternative<OfObject>(place.base) &&
           (place.lanes || place.index.mentions(Symbol::item()) || place.index.mentions(Symbol::group()));
  }

  /// The variables that the value's expression reads.
  void add(ValueId value, std::set<ValueId>& to) const {
    if (plan_.homes[value] != Home::Expression) {
      to.insert(value);
    } else {
      for_each_use(definitions_[value]->node, [&](ValueId used) { add(used, to); });
    }
  }

  std::uint64_t words_of(ValueId value) const {
    const Type& type = kernel_.type_of(value);
    const std::uint64_t words = type.element.is_pointer || size_of(type.element.scalar) == 8 ? 2 : 1;
    const Layout layout = plan_.held(value, type.layout);
    const std::uint64_t registers = plan_.geometry.registers(layout);
    return words * (plan_.homes[value] == Home::Element ? registers / layout.elements : registers);
  }

  void see(const std::set<ValueId>& alive) {
    std::uint64_t words = 0;
    std::ranges::for_each(alive, [&](ValueId value) { words += words_of(value); });
    most_ = std::max(most_, words);
  }

  /// `alive`: behind the region, and then in front of it.
  void walk(RegionId id, std::set<ValueId>& alive) {
    const Region& region = kernel_.regions[id];
    std::ranges::for_each(region.yields, [&](ValueId value) { add(value, alive); });
    see(alive);
    for (std::size_t k = region.operations.size(); k-- > 0;) {
      const Operation& operation = region.operations[k];
      std::ranges::for_each(operation.results, [&](ValueId result) { alive.erase(result); });
      std::set<ValueId> inside = alive;
      for_each_region(operation.node, [&](RegionId inner) {
        // What a round reads is alive in all of them.
        std::set<ValueId> within = alive;
        for_each_use_within(kernel_, inner, [&](ValueId value) { add(value, within); });
        std::erase_if(within, [&](ValueId value) { return is_inside(inner, value); });
        std::set<ValueId> around = within;
        walk(inner, within);
        inside.merge(around);
      });
      alive = std::move(inside);
      for_each_use(operation.node, [&](ValueId value) { add(value, alive); });
      see(alive);
    }
    std::ranges::for_each(region.arguments, [&](ValueId argument) { alive.erase(argument); });
  }

  bool is_inside(RegionId id, ValueId value) const {
    const Region& region = kernel_.regions[id];
    return std::ranges::find(region.arguments, value) != region.arguments.end() ||
           std::ranges::any_of(region.operations, [&](const Operation& operation) {
             bool is_there = std::ranges::find(operation.results, value) != operation.results.end();
             for_each_region(operation.node, [&](RegionId inner) { is_there = is_there || is_inside(inner, value); });
             return is_there;
           });
  }

  const Kernel& kernel_;
  const Plan& plan_;
  std::vector<const Operation*> definitions_;
  std::uint64_t most_ = 0;
};

}  // namespace

std::vector<PackCost> pack_costs(const Kernel& kernel, const Choices& choices) {
  std::vector<PackCost> costs;
  for (const unsigned pack : {1U, 2U, 4U, 8U}) {
    Kernel packed = kernel;
    packed.shape.wg_pack = pack;
    packed = rewritten(std::move(packed), choices);
    const Plan plan = plan_of(packed, packed.shape, choices);
    Counter counter(packed, plan);
    const double groups = pack;
    costs.push_back({pack, counter.operations(packed.body) / plan.geometry.slots / groups / operations_a_cycle,
                     counter.bytes(packed.body) / groups / bytes_a_cycle, counter.most_alive(), complaint_about(packed, plan).has_value()});
  }
  return costs;
}

unsigned choose_pack(const std::vector<PackCost>& costs) {
  PackCost best = costs.front();
  for (const PackCost& one : costs) {
    if (!one.is_refused && one.registers <= most_registers && one.time() < gain * best.time()) {
      best = one;
    }
  }
  return best.pack;
}

unsigned choose_pack(const Kernel& kernel) { return choose_pack(pack_costs(kernel)); }

std::string explain(const std::vector<PackCost>& costs) {
  std::string text;
  for (const PackCost& one : costs) {
    text += fmt::format("  WG_PACK {}: {:.1f} cycles a group for operations, {:.1f} for memory; {}{}{}\n", one.pack, one.operations,
                        one.memory, counted(one.registers, "register"), one.registers > most_registers ? " are too many" : "",
                        one.is_refused                   ? "; there is no code"
                        : one.pack == choose_pack(costs) ? ": auto"
                                                         : "");
  }
  return text;
}

}  // namespace lockstep::emit_cuda
