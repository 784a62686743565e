#include "codegen/emit/llvm/uses.hpp"

#include <algorithm>

#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_llvm {

using namespace infreg;

bool moves_lanes(const Kernel& kernel, const Node& node) {
  if (const auto* spread = std::get_if<Spread>(&node)) {
    return kernel.type_of(spread->source).layout.kind != Layout::Kind::Pack;
  }
  return std::holds_alternative<Reorder>(node) || std::holds_alternative<Shuffle>(node);
}

Layout layout_of(const Kernel& kernel, const Operation& operation) {
  const auto* store = std::get_if<Store>(&operation.node);
  return kernel.type_of(store != nullptr ? store->value : operation.results.front()).layout;
}

namespace {

class Walk {
 public:
  Walk(const Kernel& kernel, const std::function<bool(Layout)>& is_big) : kernel_(kernel), is_big_(is_big) {
    const std::size_t values = kernel.values.size();
    uses_.count.resize(values);
    uses_.home.resize(values, kernel.body);
    uses_.defined.resize(values);
    uses_.last.resize(values);
    uses_.in_memory.resize(values);
  }

  Uses run() {
    region(kernel_.body);
    return std::move(uses_);
  }

 private:
  struct Place {
    RegionId region;
    std::size_t operation;
  };

  void use(ValueId value) {
    ++uses_.count[value];
    const auto home = std::find_if(path_.begin(), path_.end(), [&](const Place& p) { return p.region == uses_.home[value]; });
    uses_.last[value] = std::max(uses_.last[value], home->operation);
  }

  void define(ValueId value) {
    uses_.home[value] = path_.back().region;
    uses_.defined[value] = uses_.last[value] = path_.back().operation;
  }

  void region(RegionId id) {
    const Region& region = kernel_.regions[id];
    path_.push_back({id, 0});
    for (const ValueId argument : region.arguments) {
      define(argument);
    }
    for (const Operation& operation : region.operations) {
      for_each_use(operation.node, [&](ValueId value) { use(value); });
      for_each_region(operation.node, [&](RegionId inner) { this->region(inner); });
      for (const ValueId result : operation.results) {
        define(result);
      }
      ask_for_memory(operation);
      ++path_.back().operation;
    }
    for (const ValueId yield : region.yields) {
      use(yield);
    }
    path_.pop_back();
  }

  /// Which operands have to lie in memory so that any lane of them can be read: those of big results, whose chunks are computed in loops,
  /// and those whose lane is known at run time only.
  void ask_for_memory(const Operation& operation) {
    if (!moves_lanes(kernel_, operation.node)) {
      return;
    }
    const bool in_loop = is_big_(kernel_.type_of(operation.results.front()).layout);
    bool at_run_time = std::holds_alternative<Shuffle>(operation.node);
    for_each_polynomial(operation.node, [&](const Polynomial& p) { p.for_each_value([&](ValueId) { at_run_time = true; }); });
    for_each_plain_operand(operation.node, [&](ValueId source) {
      if (in_loop || at_run_time || is_big_(kernel_.type_of(source).layout)) {
        uses_.in_memory[source] = true;
      }
    });
  }

  const Kernel& kernel_;
  const std::function<bool(Layout)>& is_big_;
  Uses uses_;
  std::vector<Place> path_;
};

}  // namespace

Uses uses_of(const Kernel& kernel, const std::function<bool(Layout)>& is_big) { return Walk(kernel, is_big).run(); }

}  // namespace lockstep::emit_llvm
