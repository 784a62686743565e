#include "codegen/passes/clean/hoist.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "codegen/passes/clean/memory.hpp"
#include "codegen/passes/clean/rounds.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::passes::clean {

using namespace infreg;

namespace {

class Hoisting {
 public:
  explicit Hoisting(Kernel& kernel)
      : kernel_(kernel), stored_(stored_memories(kernel)), depth_(kernel.values.size(), 0), is_constant_(kernel.values.size(), false) {}

  bool run() {
    region(kernel_.body, 1);
    return has_changed_;
  }

 private:
  /// Inner loops first: what leaves them may leave this region, too.
  void region(RegionId id, std::uint32_t depth) {
    for (const ValueId argument : kernel_.regions[id].arguments) {
      depth_[argument] = depth;
    }
    std::vector<Operation> before = std::move(kernel_.regions[id].operations);
    std::vector<Operation> after;
    after.reserve(before.size());
    for (Operation& operation : before) {
      for_each_region(operation.node, [&](RegionId inner) { region(inner, depth + 1); });
      if (const auto* counted = std::get_if<For>(&operation.node)) {
        take_out(counted->body, depth, has_a_round(*counted), after);
      } else if (const auto* loop = std::get_if<Loop>(&operation.node)) {
        take_out(loop->body, depth, false, after);
      }
      for (const ValueId result : operation.results) {
        depth_[result] = depth;
        is_constant_[result] = std::holds_alternative<Constant>(operation.node);
      }
      after.push_back(std::move(operation));
    }
    kernel_.regions[id].operations = std::move(after);
  }

  /// Moves what is invariant in the body to the end of `after`, which lies `depth` deep.
  void take_out(RegionId body, std::uint32_t depth, bool has_a_round, std::vector<Operation>& after) {
    bool is_reached = has_a_round;  // the next operation, whenever the loop is
    const auto leaves = [&](Operation& operation) {
      const bool moves = may_move(operation.node, is_reached ? stored_[body] : all_memories) && is_invariant(operation.node, depth);
      is_reached = is_reached && !may_hang(operation.node);
      if (moves) {
        depth_[operation.results.front()] = depth;
        after.push_back(std::move(operation));
        has_changed_ = true;
      }
      return moves;
    };
    // Not std::erase_if, which promises no order of calls.
    std::vector<Operation> rest;
    std::vector<Operation>& operations = kernel_.regions[body].operations;
    rest.reserve(operations.size());
    for (Operation& operation : operations) {
      if (!leaves(operation)) {
        rest.push_back(std::move(operation));
      }
    }
    operations = std::move(rest);
  }

  bool is_invariant(const Node& node, std::uint32_t depth) const {
    bool result = true;
    for_each_use(node, [&](ValueId value) { result = result && depth_[value] <= depth; });
    return result;
  }

  /// `changing`: memories that must not be read earlier.
  bool may_move(const Node& node, Memories changing) const {
    if (const auto* load = std::get_if<Load>(&node)) {
      return (changing & memories_of(load->place, load->type.element.scalar)) == 0;
    }
    if (const auto* vote = std::get_if<Vote>(&node)) {
      return is_constant_[vote->mask];  // a mask must not be poison
    }
    if (const auto* shuffle = std::get_if<Shuffle>(&node)) {
      return is_constant_[shuffle->mask];
    }
    return stored_place(node) == nullptr && !std::holds_alternative<If>(node) && !std::holds_alternative<For>(node) &&
           !std::holds_alternative<Loop>(node);
  }

  /// Whether a loop in it may go on for ever, so that what is behind it is not certain to be reached.
  bool may_hang(const Node& node) const {
    bool result = std::holds_alternative<Loop>(node);
    for_each_region(node, [&](RegionId inner) {
      result = result || std::ranges::any_of(kernel_.regions[inner].operations, [&](const Operation& o) { return may_hang(o.node); });
    });
    return result;
  }

  Kernel& kernel_;
  std::vector<Memories> stored_;
  std::vector<std::uint32_t> depth_;  ///< of the region that defines each value; parameters 0
  std::vector<bool> is_constant_;
  bool has_changed_ = false;
};

}  // namespace

bool hoist_invariants(Kernel& kernel) { return Hoisting(kernel).run(); }

}  // namespace lockstep::passes::clean
