#include "codegen/passes/clean/demand.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codegen/passes/clean/replacements.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::passes::clean {

using namespace infreg;

namespace {

/// In which lanes a value matters: in none, in those of one mask, or in all.
struct Demand {
  enum class Kind : std::uint8_t { None, OfMask, All } kind = Kind::None;
  ValueId mask = 0;

  bool operator==(const Demand&) const = default;

  static Demand all() { return {Kind::All, 0}; }
  static Demand of(ValueId mask) { return {Kind::OfMask, mask}; }
};

/// Goes backwards over all operations until nothing is added.
class Demands {
 public:
  explicit Demands(const Kernel& kernel) : kernel_(kernel), demands_(kernel.values.size()), loops_of_(kernel.values.size()) {
    find_loops(kernel.body);
    for (has_changed_ = true; has_changed_;) {
      has_changed_ = false;
      region(kernel.body);
    }
  }

  const Demand& operator[](ValueId value) const { return demands_[value]; }

 private:
  /// The loops, from the outermost one, in which each value is defined.
  void find_loops(RegionId id) {
    const Region& region = kernel_.regions[id];
    for (const ValueId argument : region.arguments) {
      loops_of_[argument] = loops_;
    }
    for (const Operation& operation : region.operations) {
      for (const ValueId result : operation.results) {
        loops_of_[result] = loops_;
      }
      const bool is_loop = std::holds_alternative<For>(operation.node) || std::holds_alternative<Loop>(operation.node);
      for_each_region(operation.node, [&](RegionId inner) {
        if (is_loop) {
          loops_.push_back(inner);
        }
        find_loops(inner);
        if (is_loop) {
          loops_.pop_back();
        }
      });
    }
  }

  void add(ValueId value, const Demand& more) {
    Demand& present = demands_[value];
    const bool is_final = present.kind == Demand::Kind::All;
    if (more.kind == Demand::Kind::None || more == present || is_final) {
      return;
    }
    present = present.kind == Demand::Kind::None ? more : Demand::all();
    has_changed_ = true;
  }

  void all(ValueId value) { add(value, Demand::all()); }

  void region(RegionId id) {
    const std::vector<Operation>& operations = kernel_.regions[id].operations;
    for (auto operation = operations.rbegin(); operation != operations.rend(); ++operation) {
      for_each_polynomial(operation->node, [&](const Polynomial& p) { p.for_each_value([&](ValueId value) { all(value); }); });
      std::visit([&](const auto& node) { demand(node, *operation); }, operation->node);
    }
  }

  Demand of_result(const Operation& operation) const { return demands_[operation.results.front()]; }

  /// Lane by lane: what is asked of the result is asked of the operands.
  void lane_by_lane(const Node& node, const Operation& operation) {
    const Demand wanted = of_result(operation);
    for_each_plain_operand(node, [&](ValueId operand) { add(operand, wanted); });
  }
  template <class N>
  void demand(const N& node, const Operation& operation) {
    if constexpr (std::is_same_v<N, Elementwise> || std::is_same_v<N, Select> || std::is_same_v<N, Convert> || std::is_same_v<N, Bitcast> ||
                  std::is_same_v<N, PointerOffset> || std::is_same_v<N, PointerDistance> || std::is_same_v<N, PointerCompare>) {
      lane_by_lane(operation.node, operation);
    } else {
      for_each_plain_operand(operation.node, [&](ValueId operand) { add(operand, Demand::all()); });
      static_cast<void>(node);
    }
  }

  void access(const Place& place, const std::optional<ValueId>& mask) {
    const Demand active = mask ? Demand::of(*mask) : Demand::all();
    if (const auto* pointer = std::get_if<AtPointer>(&place.base)) {
      const bool of_lanes = mask && kernel_.type_of(pointer->value).layout == kernel_.type_of(*mask).layout;
      add(pointer->value, of_lanes ? active : Demand::all());
    }
    if (place.lanes) {
      add(*place.lanes, active);
    }
    if (mask.has_value()) {
      all(*mask);
    }
  }
  void demand(const Load& node, const Operation&) { access(node.place, node.mask); }
  void demand(const Store& node, const Operation&) {
    access(node.place, node.mask);
    add(node.value, node.mask ? Demand::of(*node.mask) : Demand::all());
  }
  void demand(const Atomic& node, const Operation&) {
    access(node.place, node.mask);
    const Demand active = node.mask ? Demand::of(*node.mask) : Demand::all();
    add(node.value, active);
    if (node.compare) {
      add(*node.compare, active);
    }
  }
  void demand(const Vote& node, const Operation&) {
    add(node.value, Demand::of(node.mask));
    all(node.mask);
  }

  void demand(const If& node, const Operation& operation) {
    all(node.condition);
    for (const RegionId taken : {node.then, node.otherwise}) {
      for (std::size_t i = 0; i < operation.results.size(); ++i) {
        const Demand& wanted = demands_[operation.results[i]];
        add(kernel_.regions[taken].yields[i], wanted);
      }
      region(taken);
    }
  }
  void demand(const For& node, const Operation& operation) { loop(node.body, node.inits, 1, operation); }
  void demand(const Loop& node, const Operation& operation) {
    all(kernel_.regions[node.body].arguments.front());
    loop(node.body, node.inits, 0, operation);
  }

  /// What a loop carries is asked for in the next round, and behind the loop. A mask of this round is another one in the next. Nowhere
  /// else are there two of a mask: choices by it are behind it in the same round.
  void loop(RegionId body, const std::vector<ValueId>& inits, std::size_t first, const Operation& operation) {
    const Region& rounds = kernel_.regions[body];
    for (std::size_t i = 0; i < inits.size(); ++i) {
      for (const Demand& wanted : {demands_[rounds.arguments[first + i]], demands_[operation.results[i]]}) {
        const bool of_round = wanted.kind == Demand::Kind::OfMask && std::ranges::count(loops_of_[wanted.mask], body) != 0;
        add(inits[i], of_round ? Demand::all() : wanted);
        add(rounds.yields[i], of_round ? Demand::all() : wanted);
      }
    }
    region(body);
  }

  const Kernel& kernel_;
  std::vector<Demand> demands_;
  std::vector<std::vector<RegionId>> loops_of_;
  std::vector<RegionId> loops_;
  bool has_changed_ = false;
};

class Dropping {
 public:
  explicit Dropping(Kernel& kernel) : kernel_(kernel), demands_(kernel), replacements_(kernel.values.size()) {}

  bool run() {
    region(kernel_.body);
    return has_changed_;
  }

 private:
  void region(RegionId id) {
    for (Operation& operation : kernel_.regions[id].operations) {
      replacements_.rename(operation.node);
      const auto* choice = std::get_if<Select>(&operation.node);
      if (choice != nullptr && demands_[operation.results.front()] == Demand::of(choice->condition)) {
        replacements_.replace(operation.results.front(), choice->then);
        has_changed_ = true;
      }
      for_each_region(operation.node, [&](RegionId inner) { region(inner); });
    }
    replacements_.rename(kernel_.regions[id].yields);
  }

  Kernel& kernel_;
  Demands demands_;
  Replacements replacements_;
  bool has_changed_ = false;
};

}  // namespace

bool drop_unwanted_choices(Kernel& kernel) { return Dropping(kernel).run(); }

}  // namespace lockstep::passes::clean
