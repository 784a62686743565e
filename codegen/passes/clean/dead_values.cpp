#include "codegen/passes/clean/dead_values.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "semantics/infreg/walk.hpp"

namespace lockstep::passes::clean {

using namespace infreg;

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// Calls f(ObjectId&) with each object that the node uses.
template <class N, class F>
void for_each_object(N& node, F&& f) {
  if (auto* address = std::get_if<AddressOf>(&node)) {
    if (auto* object = std::get_if<infreg::OfObject>(&address->object)) {
      f(object->id);
    }
  } else if (auto* place = accessed_place(node)) {
    if (auto* object = std::get_if<infreg::OfObject>(&place->base)) {
      f(object->id);
    }
  }
}

/// Which values and operations there must be.
class Needs {
 public:
  explicit Needs(const Kernel& kernel)
      : kernel_(kernel),
        is_needed_(kernel.values.size(), false),
        is_object_needed_(kernel.objects.size(), false),
        definitions_(kernel.values.size()),
        stays_(kernel.regions.size()) {
    collect(kernel.body);
    while (!waiting_.empty()) {
      const ValueId value = waiting_.back();
      waiting_.pop_back();
      explain(value);
    }
  }

  bool value(ValueId value) const { return is_needed_[value]; }
  bool operation(RegionId region, std::size_t index) const { return stays_[region][index]; }
  bool object(ObjectId object) const { return is_object_needed_[object]; }

 private:
  /// Where a value comes from: number `slot` of an operation's results, or of the values that it carries.
  struct Definition {
    RegionId region = none;  ///< none: a parameter
    std::uint32_t operation = 0;
    std::uint32_t slot = none;  ///< none: the variable of a for
  };

  const Operation& at(RegionId region, std::size_t index) const { return kernel_.regions[region].operations[index]; }

  /// Finds the definitions, and what must stay for its effect; whether there is such a thing.
  bool collect(RegionId region) {
    const std::vector<Operation>& operations = kernel_.regions[region].operations;
    stays_[region].resize(operations.size(), false);
    bool has_effect = false;
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      for (std::uint32_t slot = 0; slot < operations[i].results.size(); ++slot) {
        definitions_[operations[i].results[slot]] = {region, i, slot};
      }
      bool is_effect = std::holds_alternative<Loop>(operations[i].node) || stores(operations[i].node);
      const std::uint32_t variables = std::holds_alternative<For>(operations[i].node) ? 1 : 0;
      for_each_region(operations[i].node, [&](RegionId inner) {
        const std::vector<ValueId>& arguments = kernel_.regions[inner].arguments;
        for (std::uint32_t k = 0; k < arguments.size(); ++k) {
          definitions_[arguments[k]] = {region, i, k < variables ? none : k - variables};
        }
        is_effect = collect(inner) || is_effect;
      });
      if (is_effect) {
        has_effect = true;
        stay(region, i);
      }
    }
    return has_effect;
  }

  /// A change of memory that some lane may execute.
  bool stores(const Node& node) const {
    const std::optional<ValueId> active = access_mask(node);
    if (stored_place(node) == nullptr || !active) {
      return stored_place(node) != nullptr;
    }
    const Definition& mask = definitions_[*active];
    const auto* constant = mask.region == none ? nullptr : std::get_if<Constant>(&at(mask.region, mask.operation).node);
    return constant == nullptr || constant->bits != 0;
  }

  void stay(RegionId region, std::uint32_t index) {
    if (stays_[region][index]) {
      return;
    }
    stays_[region][index] = true;
    const Node& node = at(region, index).node;
    for_each_object(node, [&](ObjectId object) { is_object_needed_[object] = true; });
    if (const auto* loop = std::get_if<Loop>(&node)) {
      need(at(region, index).results.front());  // what it goes on by
      need(kernel_.regions[loop->body].arguments.front());
    } else if (std::holds_alternative<For>(node)) {
      for_each_polynomial(node, [&](const Polynomial& bound) { bound.for_each_value([&](ValueId value) { need(value); }); });
    } else {
      for_each_use(node, [&](ValueId value) { need(value); });
    }
  }

  void need(ValueId value) {
    if (!is_needed_[value]) {
      is_needed_[value] = true;
      waiting_.push_back(value);
    }
  }

  /// What a needed value needs.
  void explain(ValueId value) {
    const Definition definition = definitions_[value];
    if (definition.region == none) {
      return;
    }
    stay(definition.region, definition.operation);
    const Operation& operation = at(definition.region, definition.operation);
    if (definition.slot == none) {
      return;
    }
    if (const auto* branch = std::get_if<If>(&operation.node)) {
      need(kernel_.regions[branch->then].yields[definition.slot]);
      need(kernel_.regions[branch->otherwise].yields[definition.slot]);
    } else if (const auto* counted = std::get_if<For>(&operation.node)) {
      carried(operation, counted->inits, counted->body, definition.slot, 1);
    } else if (const auto* loop = std::get_if<Loop>(&operation.node)) {
      carried(operation, loop->inits, loop->body, definition.slot, 0);
    }
  }

  void carried(const Operation& operation, const std::vector<ValueId>& inits, RegionId body, std::uint32_t slot, std::uint32_t variables) {
    need(inits[slot]);
    need(kernel_.regions[body].yields[slot]);
    need(kernel_.regions[body].arguments[slot + variables]);
    need(operation.results[slot]);
  }

  const Kernel& kernel_;
  std::vector<bool> is_needed_;
  std::vector<bool> is_object_needed_;
  std::vector<Definition> definitions_;
  std::vector<std::vector<bool>> stays_;  ///< of each region's operations
  std::vector<ValueId> waiting_;          ///< needed, but not explained yet
};

/// The kernel with what is needed, numbered anew.
class Rebuilding {
 public:
  explicit Rebuilding(Kernel& kernel)
      : kernel_(kernel), needs_(kernel), values_(kernel.values.size(), none), objects_(kernel.objects.size(), none) {}

  bool run() {
    std::vector<Object> objects;
    for (ObjectId id = 0; id < kernel_.objects.size(); ++id) {
      if (needs_.object(id)) {
        objects_[id] = static_cast<ObjectId>(objects.size());
        objects.push_back(std::move(kernel_.objects[id]));
      }
    }
    for (Parameter& parameter : kernel_.parameters) {
      if (!parameter.is_pointer) {
        define(parameter.value);
      }
    }
    const RegionId body = region(kernel_.body);
    const bool has_fewer = objects.size() < kernel_.objects.size() || values_left_.size() < kernel_.values.size() ||
                           regions_left_.size() < kernel_.regions.size();
    kernel_.objects = std::move(objects);
    kernel_.values = std::move(values_left_);
    kernel_.regions = std::move(regions_left_);
    kernel_.body = body;
    return has_fewer || has_changed_;
  }

 private:
  void define(ValueId& value) {
    const auto number = static_cast<ValueId>(values_left_.size());
    values_[value] = number;
    values_left_.push_back(std::move(kernel_.values[value]));
    value = number;
  }

  RegionId region(RegionId old) {
    const auto number = static_cast<RegionId>(regions_left_.size());
    regions_left_.emplace_back();
    Region& before = kernel_.regions[old];
    Region after;
    after.arguments = std::move(before.arguments);
    std::ranges::for_each(after.arguments, [&](ValueId& argument) { define(argument); });
    after.operations.reserve(before.operations.size());
    for (std::size_t i = 0; i < before.operations.size(); ++i) {
      if (needs_.operation(old, i)) {
        operation(before.operations[i]);
        after.operations.push_back(std::move(before.operations[i]));
      } else {
        has_changed_ = true;
      }
    }
    after.yields = std::move(before.yields);
    std::ranges::for_each(after.yields, [&](ValueId& value) { value = values_[value]; });
    regions_left_[number] = std::move(after);
    return number;
  }

  void operation(Operation& operation) {
    drop_slots(operation);
    bool is_numbered_anew = false;
    for_each_use(operation.node, [&](ValueId value) { is_numbered_anew = is_numbered_anew || values_[value] != value; });
    if (is_numbered_anew) {
      rename_uses(operation.node, [&](ValueId value) { return values_[value]; });
    }
    for_each_object(operation.node, [&](ObjectId& object) { object = objects_[object]; });
    for_each_region(operation.node, [&](RegionId& inner) { inner = region(inner); });
    std::ranges::for_each(operation.results, [&](ValueId& result) { define(result); });
  }

  /// Takes away results that nobody asks for, and with them what is yielded and carried for them.
  void drop_slots(Operation& operation) {
    const bool is_loop = std::holds_alternative<For>(operation.node) || std::holds_alternative<Loop>(operation.node);
    if (!is_loop && !std::holds_alternative<If>(operation.node)) {
      return;
    }
    std::vector<bool> stays;
    stays.reserve(operation.results.size());
    for (const ValueId result : operation.results) {
      stays.push_back(needs_.value(result));
    }
    if (std::ranges::find(stays, false) == stays.end()) {
      return;
    }
    has_changed_ = true;
    if (auto* counted = std::get_if<For>(&operation.node)) {
      keep(counted->inits, stays);
      keep(kernel_.regions[counted->body].arguments, stays, 1);
    } else if (auto* loop = std::get_if<Loop>(&operation.node)) {
      keep(loop->inits, stays);
      keep(kernel_.regions[loop->body].arguments, stays);
    }
    for_each_region(operation.node, [&](RegionId inner) { keep(kernel_.regions[inner].yields, stays); });
    keep(operation.results, stays);
  }

  static void keep(std::vector<ValueId>& values, const std::vector<bool>& stays, std::size_t first = 0) {
    std::size_t end = first;
    for (std::size_t i = first; i < values.size(); ++i) {
      if (stays[i - first]) {
        values[end++] = values[i];
      }
    }
    values.resize(end);
  }

  Kernel& kernel_;
  Needs needs_;
  std::vector<ValueId> values_;    ///< the new number of each value
  std::vector<ObjectId> objects_;  ///< and of each object
  std::vector<Value> values_left_;
  std::vector<Region> regions_left_;
  bool has_changed_ = false;
};

}  // namespace

bool remove_dead_values(Kernel& kernel) { return Rebuilding(kernel).run(); }

}  // namespace lockstep::passes::clean
