#include "codegen/emit/ve/plan.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <span>

#include "codegen/emit/c/unread.hpp"
#include "codegen/emit/ve/reads.hpp"
#include "codegen/emit/ve/stack.hpp"
#include "codegen/emit/ve/storage.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

/// LLVM cannot spill the 64 vector registers. So many values may wait in a loop for those that use them, so many numbers be brought into
/// vectors, which LLVM does in front of the loop, and so many operations be in it.
constexpr std::size_t most_waiting = 20;
constexpr std::size_t most_invariant = 20;
constexpr std::uint32_t most_operations = 64;
/// Of 15 registers for masks; LLVM 19 spills these, but to a word that it takes from the wrong register. It makes masks as early as it can.
constexpr unsigned most_masks = 9;

bool is_control(const Node& node) {
  return std::holds_alternative<If>(node) || std::holds_alternative<For>(node) || std::holds_alternative<Loop>(node);
}

/// Nothing is computed for it but addresses and indices.
bool is_cheap(const Node& node) {
  return std::holds_alternative<Constant>(node) || std::holds_alternative<Poison>(node) || std::holds_alternative<Index>(node) ||
         std::holds_alternative<Mask>(node) || std::holds_alternative<ConstantLanes>(node) || std::holds_alternative<NumGroups>(node) ||
         std::holds_alternative<Spread>(node) || std::holds_alternative<AddressOf>(node) || std::holds_alternative<Reorder>(node);
}

/// The layout over which the operation is a loop; none for control and votes.
std::optional<Layout> space_of(const Kernel& kernel, const Operation& operation) {
  if (const auto* store = std::get_if<Store>(&operation.node)) {
    return kernel.type_of(store->value).layout;
  }
  const bool is_alone = is_control(operation.node) || std::holds_alternative<Vote>(operation.node);
  return is_alone ? std::nullopt : std::optional(kernel.type_of(operation.results.front()).layout);
}

/// Masks that an operation makes for itself alone.
unsigned own_masks(const Node& node) {
  if (const auto* operation = std::get_if<Elementwise>(&node)) {
    const bool divides = (operation->op == Op::Div || operation->op == Op::Rem) && is_integer(operation->operand_type);
    return divides || operation->op == Op::Min || operation->op == Op::Max ? 1 : 0;
  }
  return std::holds_alternative<Convert>(node) || std::holds_alternative<Shuffle>(node) || accessed_place(node) != nullptr ? 1 : 0;
}

class Planner {
 public:
  Planner(const Kernel& kernel, Shape shape, Arrangement arrangement, const std::set<Way>& without)
      : kernel_(kernel), without_(without), reads_(kernel, plan_.homes) {
    plan_.shape = shape;
    plan_.arrangement = arrangement;
    if (is_rows()) {
      plan_.lanes = shape.wg_size * shape.wg_pack;
    }
    plan_.homes.resize(kernel.values.size(), Home::Scratch);
    plan_.alike.resize(kernel.values.size(), false);
    plan_.runs.resize(kernel.regions.size());
  }

  Plan made() {
    for (ValueId value = 0; value < kernel_.values.size(); ++value) {
      if (is_pack(value)) {
        plan_.homes[value] = Home::Variable;
        plan_.alike[value] = true;
      }
    }
    for_each_operation([&](RegionId, const Operation& operation) {
      if (const auto* loop = std::get_if<For>(&operation.node)) {
        know_variable(*loop);
      }
    });
    for_each_operation([&](RegionId, const Operation& operation) { choose(operation); });
    for (RegionId region = 0; region < kernel_.regions.size(); ++region) {
      cut(region);
    }
    plan_.unread = emit_c::unread_changes(kernel_);
    find_elements();
    find_copied();
    find_alike(kernel_.body);
    plan_.storage = storage_of(kernel_, plan_);
    plan_.named = names_of(kernel_, plan_.storage);
    count_stack(kernel_, plan_);
    return std::move(plan_);
  }

 private:
  bool is_rows() const { return plan_.arrangement == Arrangement::Rows; }
  bool is_pack(ValueId value) const { return kernel_.type_of(value).layout.kind == Layout::Kind::Pack; }

  void for_each_operation(const std::function<void(RegionId, const Operation&)>& f) const {
    for (RegionId region = 0; region < kernel_.regions.size(); ++region) {
      for (const Operation& operation : kernel_.regions[region].operations) {
        f(region, operation);
      }
    }
  }

  void choose(const Operation& operation) {
    if (is_cheap(operation.node) && !gathered_.contains(operation.results.front())) {
      plan_.homes[operation.results.front()] = Home::Expression;
    }
    if (const auto* shuffle = std::get_if<Shuffle>(&operation.node)) {  // which reads any item's
      gather(shuffle->source);
    } else if (const auto* reorder = is_rows() ? std::get_if<Reorder>(&operation.node) : nullptr) {
      choose_way(operation.results.front(), *reorder);
    }
  }

  void gather(ValueId source) {
    gathered_.insert(source);
    plan_.homes[source] = Home::Scratch;
  }

  void choose_way(ValueId result, const Reorder& reorder) {
    Reordering chosen = reordering_of(reorder, kernel_.type_of(reorder.source).layout, {plan_.shape, plan_.ranges, without_});
    if (chosen.way != Way::Name) {
      gather(reorder.source);
    }
    if (chosen.way != Way::Name && chosen.way != Way::Number) {
      plan_.homes[result] = Home::Scratch;
    }
    plan_.reorderings.emplace(result, std::move(chosen));
  }

  void know_variable(const For& loop) {
    if (!loop.from.is_constant() || !loop.limit.is_constant()) {
      return;
    }
    const std::int64_t from = loop.from.constant();
    const std::int64_t limit = loop.limit.constant();
    constexpr std::int64_t far_away = std::int64_t{1} << 30;
    if (std::max({from, limit, loop.step}) < far_away && std::min({from, limit, loop.step}) > -far_away) {
      const bool is_up = loop.step > 0;
      plan_.ranges[kernel_.regions[loop.body].arguments.front()] = {std::min(from, is_up ? from : limit + 1),
                                                                    std::max(from, is_up ? limit - 1 : from)};
    }
  }

  // ---- runs

  /// The present run of a region.
  struct Open {
    std::optional<Layout> space;  ///< none: nothing may join it
    std::set<ValueId> computed;
    std::set<ValueId> invariant;
    unsigned masks = 0;
    bool has_access = false;
  };

  /// Masks that a value is made of where it is used.
  unsigned masks_of(ValueId value) const {
    if (kernel_.type_of(value).element != truth) {
      return 0;
    }
    const auto* mask = plan_.homes[value] == Home::Expression ? reads_.mask_of(value) : nullptr;
    return mask == nullptr ? 1 : static_cast<unsigned>(std::max<std::size_t>(mask->all_of.size(), 1));
  }

  unsigned masks_of_way(const Operation& operation) const {
    const auto way = operation.results.size() == 1 ? plan_.reorderings.find(operation.results.front()) : plan_.reorderings.end();
    return way == plan_.reorderings.end() ? 0 : way->second.masks;
  }

  unsigned masks_of(const Operation& operation, const Open& run) const {
    const bool chooses_masks =
        std::holds_alternative<Select>(operation.node) && kernel_.type_of(operation.results.front()).element == truth;
    unsigned masks = own_masks(operation.node) + (chooses_masks ? 2 : 0) + masks_of_way(operation);
    for_each_plain_operand(operation.node, [&](ValueId value) { masks += run.computed.contains(value) ? 0 : masks_of(value); });
    for (const ValueId result : operation.results) {
      masks += masks_of(result);
    }
    return masks;
  }

  bool has_to_wait(const Operation& operation, const Open& run) const {
    bool waits = false;
    reads_.of(operation, [&](ValueId value, bool elsewhere) { waits = waits || (elsewhere && run.computed.contains(value)); });
    return waits;
  }

  void cut(RegionId region) {
    const std::vector<Operation>& operations = kernel_.regions[region].operations;
    std::vector<std::uint32_t> last_use(kernel_.values.size(), 0);
    for (std::uint32_t k = 0; k < operations.size(); ++k) {
      reads_.of(operations[k], [&](ValueId value, bool) { last_use[value] = k; });
    }
    std::vector<Run>& runs = plan_.runs[region];
    Open open;
    for (std::uint32_t k = 0; k < operations.size(); ++k) {
      const Operation& operation = operations[k];
      if (operation.results.size() == 1 && plan_.homes[operation.results.front()] == Home::Expression) {
        continue;
      }
      const std::optional<Layout> space = space_of(kernel_, operation);
      const bool is_store = stored_place(operation.node) != nullptr;
      const auto waiting = std::ranges::count_if(open.computed, [&](ValueId value) { return last_use[value] >= k; });
      const bool joins = space && open.space == space && !(is_store && open.has_access) && !has_to_wait(operation, open) &&
                         static_cast<std::size_t>(waiting) < most_waiting && open.invariant.size() < most_invariant &&
                         open.masks + masks_of(operation, open) <= most_masks && k - runs.back().first < most_operations;
      if (!joins) {
        runs.push_back({k, k});
        open = {};
      }
      runs.back().last = k + 1;
      open.space = is_store ? std::nullopt : space;
      open.masks += masks_of(operation, open);
      open.has_access = open.has_access || accessed_place(operation.node) != nullptr;
      open.computed.insert(operation.results.begin(), operation.results.end());
      for_each_plain_operand(operation.node, [&](ValueId value) {
        if (plan_.homes[value] == Home::Expression || plan_.homes[value] == Home::Variable) {
          open.invariant.insert(value);
        }
      });
    }
  }

  /// Values that only the run that computes them reads.
  void find_elements() {
    std::vector<std::optional<OperationId>> home(kernel_.values.size());  ///< the first operation of the run
    std::vector<bool> is_read_elsewhere(kernel_.values.size(), false);
    std::vector<bool> is_read_here(kernel_.values.size(), false);
    for (RegionId region = 0; region < kernel_.regions.size(); ++region) {
      for (const Run& run : plan_.runs[region]) {
        for (std::uint32_t k = run.first; k < run.last; ++k) {
          for (const ValueId result : kernel_.regions[region].operations[k].results) {
            home[result] = OperationId{region, run.first};
          }
        }
      }
    }
    for (RegionId region = 0; region < kernel_.regions.size(); ++region) {
      const Region& there = kernel_.regions[region];
      for (const Run& run : plan_.runs[region]) {
        const OperationId here{region, run.first};
        for (std::uint32_t k = run.first; k < run.last; ++k) {
          reads_.of(there.operations[k], [&](ValueId value, bool) {
            is_read_elsewhere[value] = is_read_elsewhere[value] || home[value] != here;
            is_read_here[value] = is_read_here[value] || home[value] == here;
          });
        }
      }
      for (const ValueId yield : there.yields) {
        reads_.of(yield, false, [&](ValueId value, bool) { is_read_elsewhere[value] = true; });
      }
    }
    for_each_operation([&](RegionId, const Operation& operation) {
      if (operation.results.size() == 1 && plan_.homes[operation.results.front()] == Home::Scratch && space_of(kernel_, operation)) {
        const ValueId result = operation.results.front();
        if (!gathered_.contains(result) && !is_read_elsewhere[result]) {
          plan_.homes[result] = Home::Element;
        } else if (is_read_here[result]) {
          plan_.kept.insert(result);
        }
      }
    });
  }

  // ---- what loops carry

  void find_copied() {
    for_each_operation([&](RegionId, const Operation& operation) {
      const auto* loop = std::get_if<For>(&operation.node);
      const auto* rounds = std::get_if<Loop>(&operation.node);
      if (loop == nullptr && rounds == nullptr) {
        return;
      }
      const Region& body = kernel_.regions[loop != nullptr ? loop->body : rounds->body];
      const std::span<const ValueId> arguments = std::span(body.arguments).subspan(loop != nullptr ? 1 : 0);
      for (std::size_t k = 0; k < arguments.size(); ++k) {
        reads_.of(body.yields[k], false, [&](ValueId value, bool) {
          if (body.yields[k] != arguments[k] && std::ranges::find(arguments, value) != arguments.end()) {
            plan_.copied.insert(arguments[k]);
          }
        });
      }
    });
  }

  // ---- what lanes have alike

  void find_alike(RegionId region) {
    for (const Operation& operation : kernel_.regions[region].operations) {
      for_each_region(operation.node, [&](RegionId inner) { find_alike(inner); });
      if (operation.results.size() == 1 && !is_pack(operation.results.front()) && plan_.homes[operation.results.front()] != Home::Scratch) {
        plan_.alike[operation.results.front()] = is_alike(operation.results.front(), operation.node);
      }
    }
  }

  /// Lanes of a vector have an object each, or some of them.
  bool has_copies(AddressSpace space) const {
    const bool is_of_one_group = is_rows() && plan_.shape.wg_pack == 1 && space == AddressSpace::Local;
    return space != AddressSpace::Constant && !is_of_one_group;
  }

  bool is_alike(ValueId result, const Node& node) const {
    if (const auto way = plan_.reorderings.find(result); way != plan_.reorderings.end()) {
      const bool is_name_of_alike = way->second.way == Way::Name && plan_.alike[std::get<Reorder>(node).source];
      return way->second.way == Way::Number || is_name_of_alike;
    }
    if (const auto* lanes = std::get_if<ConstantLanes>(&node); lanes != nullptr && is_rows()) {
      return lanes->type.layout.kind == Layout::Kind::Group;
    }
    if (const auto* load = std::get_if<Load>(&node)) {
      const auto* object = std::get_if<OfObject>(&load->place.base);
      if (object != nullptr && has_copies(kernel_.objects[object->id].space)) {
        return false;
      }
    }
    if (const auto* address = std::get_if<AddressOf>(&node)) {
      const auto* object = std::get_if<OfObject>(&address->object);
      return object == nullptr || kernel_.objects[object->id].space == AddressSpace::Constant;
    }
    bool is_same = !std::holds_alternative<Shuffle>(node) && !std::holds_alternative<Vote>(node) && !std::holds_alternative<Atomic>(node) &&
                   !is_control(node);
    for_each_polynomial(node, [&](const Polynomial& polynomial) { is_same = is_same && !plan_.differs(polynomial); });
    for_each_plain_operand(node, [&](ValueId value) { is_same = is_same && plan_.alike[value]; });
    return is_same;
  }

  const Kernel& kernel_;
  const std::set<Way>& without_;
  Plan plan_;
  Reads reads_;
  std::set<ValueId> gathered_;  ///< of which shuffles read any item's
};

}  // namespace

bool Plan::differs(Symbol symbol) const {
  if (arrangement == Arrangement::Groups) {
    return symbol == Symbol::group();
  }
  return symbol == Symbol::item() || (symbol == Symbol::group() && shape.wg_pack > 1);
}

bool Plan::differs(const Polynomial& polynomial) const {
  return std::ranges::any_of(polynomial.terms(), [&](const Monomial& term) {
    return std::ranges::any_of(term.factors, [&](Symbol symbol) { return differs(symbol); });
  });
}

Plan plan_of(const Kernel& kernel, Shape shape, Arrangement arrangement, const std::set<Way>& without) {
  return Planner(kernel, shape, arrangement, without).made();
}

}  // namespace lockstep::emit_ve
