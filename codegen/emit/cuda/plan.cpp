#include "codegen/emit/cuda/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "codegen/emit/c/unread.hpp"
#include "codegen/emit/cuda/leaving.hpp"
#include "codegen/emit/cuda/rewriting.hpp"
#include "codegen/emit/cuda/rows.hpp"
#include "codegen/emit/cuda/tiles.hpp"
#include "codegen/emit/cuda/widening.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/infreg/walk.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

/// The layout over which the operation is a loop; none for control, and for votes and reorderings through memory, which look at one layout
/// and have another.
std::optional<Layout> space_of(const Kernel& kernel, const Plan& plan, const Operation& operation) {
  if (const auto* store = std::get_if<Store>(&operation.node)) {
    return kernel.type_of(store->value).layout;
  }
  const auto way = operation.results.empty() ? plan.ways.end() : plan.ways.find(operation.results.front());
  const bool is_alone = (way != plan.ways.end() && way->second == Way::Memory) || std::holds_alternative<Vote>(operation.node) ||
                        std::holds_alternative<If>(operation.node) || std::holds_alternative<For>(operation.node) ||
                        std::holds_alternative<Loop>(operation.node);
  return is_alone ? std::nullopt : std::optional(plan.held(operation.results.front(), kernel.type_of(operation.results.front()).layout));
}

/// So many elements may be computed by a loop that compilers are to write out: clang gives up on some 16,000 instructions.
constexpr std::uint64_t most_elements_unrolled = 8192;
/// And so many by all pieces of a loop, or compilers take minutes: the registers of a larger one are an array in memory.
constexpr std::uint64_t most_elements_written = std::uint64_t{1} << 17;

class Planner {
 public:
  Planner(const Kernel& kernel, Shape shape, const Choices& choices) : kernel_(kernel), choices_(choices) {
    plan_.geometry = geometry_of(shape);
    plan_.homes.resize(kernel.values.size(), Home::Registers);
    plan_.runs.resize(kernel.regions.size());
  }

  Plan made() {
    definitions_.resize(kernel_.values.size());
    for_each_operation([&](OperationId, const Operation& operation) {
      if (const auto* loop = std::get_if<For>(&operation.node)) {
        know_variable(*loop);
      }
    });
    plan_.meetings = meetings_of(kernel_, plan_.geometry, plan_.ranges);
    for_each_operation([&](OperationId id, const Operation& operation) { choose(id, operation); });
    find_covered(kernel_.body, {});
    if (choices_.staging) {
      choose_rows(kernel_, plan_);
    }
    count_registers();
    find_rounded();
    for (RegionId region = 0; region < kernel_.regions.size(); ++region) {
      cut(region);
    }
    plan_.unread = emit_c::unread_changes(kernel_);
    find_elements();
    find_chosen();
    if (choices_.widening) {
      choose_widths(kernel_, plan_);
    }
    if (choices_.tiling) {
      choose_tiles(kernel_, plan_);
    }
    return std::move(plan_);
  }

 private:
  void for_each_operation(const std::function<void(OperationId, const Operation&)>& f) const {
    for (RegionId region = 0; region < kernel_.regions.size(); ++region) {
      const std::vector<Operation>& operations = kernel_.regions[region].operations;
      for (std::uint32_t k = 0; k < operations.size(); ++k) {
        f({region, k}, operations[k]);
      }
    }
  }

  void choose(OperationId id, const Operation& operation) {
    for (const ValueId result : operation.results) {
      definitions_[result] = &operation;
    }
    if (const auto* reorder = std::get_if<Reorder>(&operation.node)) {
      const Type& from = kernel_.type_of(reorder->source);
      const Way way = way_of(*reorder, from, plan_.geometry, choices_);
      plan_.ways[operation.results.front()] = way;
      if (way == Way::Memory) {
        plan_.stage_bytes = std::max(plan_.stage_bytes, stage_bytes(from, plan_.geometry));
      }
      if (way == Way::Register) {
        plan_.homes[operation.results.front()] = Home::Expression;
      }
      if (const auto* affine = std::get_if<Reorder::Affine>(&reorder->pattern); affine != nullptr && way != Way::Memory &&
                                                                                !affine->item.mentions(Symbol::element()) &&
                                                                                !affine->element.mentions(Symbol::element())) {
        plan_.alike.insert(operation.results.front());
      }
    } else if (const auto* store = std::get_if<Store>(&operation.node)) {
      plan_.stores[id] = way_of(kernel_, *store, plan_.geometry);
    }
    const bool is_cheap = std::holds_alternative<Constant>(operation.node) || std::holds_alternative<Poison>(operation.node) ||
                          std::holds_alternative<Index>(operation.node) || std::holds_alternative<Mask>(operation.node) ||
                          std::holds_alternative<ConstantLanes>(operation.node) || std::holds_alternative<NumGroups>(operation.node) ||
                          std::holds_alternative<Spread>(operation.node) || std::holds_alternative<AddressOf>(operation.node);
    if (is_cheap) {
      plan_.homes[operation.results.front()] = Home::Expression;
    }
  }

  void know_variable(const For& loop) {
    if (!loop.from.is_constant() || !loop.limit.is_constant()) {
      return;
    }
    const std::int64_t from = loop.from.constant();
    const std::int64_t limit = loop.limit.constant();
    constexpr std::int64_t large = std::int64_t{1} << 30;
    if (std::max({from, limit, loop.step}) < large && std::min({from, limit, loop.step}) > -large) {
      const bool is_up = loop.step > 0;
      plan_.ranges[kernel_.regions[loop.body].arguments.front()] = {std::min(from, is_up ? from : limit + 1),
                                                                    std::max(from, is_up ? limit - 1 : from)};
    }
  }

  // ---- loops whose variable counts registers

  /// Loops whose variables the polynomial speaks of.
  void need(const Polynomial& polynomial) {
    polynomial.for_each_value([&](ValueId value) {
      if (const auto found = loops_.find(value); found != loops_.end() && plan_.ranges.contains(value)) {
        unroll(found->second);
      }
    });
  }

  /// How many elements are computed in the region, loops inside of it written out if they count registers or not.
  std::uint64_t size_of_region(RegionId region) const {
    std::uint64_t size = 0;
    for (const Operation& operation : kernel_.regions[region].operations) {
      for (const ValueId result : operation.results) {
        size += plan_.geometry.registers(kernel_.type_of(result).layout);
      }
      const auto* loop = std::get_if<For>(&operation.node);
      const bool is_known = loop != nullptr && plan_.ranges.contains(kernel_.regions[loop->body].arguments.front());
      for_each_region(operation.node, [&](RegionId inner) { size += (is_known ? rounds_of(*loop) : 1) * size_of_region(inner); });
    }
    return size;
  }

  void unroll(OperationId id) {
    const auto& loop = std::get<For>(kernel_.regions[id.region].operations[id.index].node);
    const std::uint64_t rounds = std::max<std::uint64_t>(rounds_of(loop), 1);
    const std::uint64_t size = std::max<std::uint64_t>(size_of_region(loop.body), 1);
    if (size <= most_elements_written / rounds) {
      plan_.unrolled[id] = std::clamp<std::uint64_t>(most_elements_unrolled / size, 1, rounds);
    }
  }

  void count_registers() {
    for_each_operation([&](OperationId id, const Operation& operation) {
      if (const auto* loop = std::get_if<For>(&operation.node)) {
        loops_[kernel_.regions[loop->body].arguments.front()] = id;
      }
    });
    for_each_operation([&](OperationId, const Operation& operation) {
      const auto* reorder = std::get_if<Reorder>(&operation.node);
      const auto* affine = reorder != nullptr ? std::get_if<Reorder::Affine>(&reorder->pattern) : nullptr;
      if (affine == nullptr) {
        return;
      }
      const Layout from = kernel_.type_of(reorder->source).layout;
      if (from.elements > 1 && !plan_.is_rolled(from)) {
        need(affine->element);
      }
      if (from.kind == Layout::Kind::Item && plan_.geometry.vectors > 1 && !plan_.is_rolled(from)) {
        need(affine->item);
      }
    });
  }

  // ---- signs

  /// Negated numbers and magnitudes of which nobody sees what bits a NaN has.
  void find_rounded() {
    std::set<ValueId> seen;
    const auto see = [&](ValueId value) { seen.insert(value); };
    for (const Region& region : kernel_.regions) {
      for (const Operation& operation : region.operations) {
        const auto* node = std::get_if<Elementwise>(&operation.node);
        const bool rounds = node != nullptr && is_float(node->operand_type) &&
                            (is_comparison(node->op) || node->op == Op::Add || node->op == Op::Sub || node->op == Op::Mul ||
                             node->op == Op::Div || node->op == Op::Fma || node->op == Op::Sqrt || node->op == Op::Rcp);
        if (!rounds) {
          for_each_use(operation.node, see);
        }
        if (node != nullptr && is_float(node->operand_type) && (node->op == Op::Neg || node->op == Op::Fabs)) {
          plan_.rounded.insert(operation.results.front());
        }
      }
      std::ranges::for_each(region.yields, see);
    }
    std::erase_if(plan_.rounded, [&](ValueId value) { return seen.contains(value); });
  }

  // ---- shuffles that have been done

  /// One item's elements that a reordering has brought to all lanes.
  struct Brought {
    const Reorder* reorder;
    ValueId result;
  };

  static const Reorder::Affine& affine_of(const Reorder* reorder) { return std::get<Reorder::Affine>(reorder->pattern); }

  /// Whether all elements that the reordering asks for are among those.
  bool covers(const Reorder* brought, const Reorder* wanted) const {
    if (brought->source != wanted->source || affine_of(brought).item != affine_of(wanted).item) {
      return false;
    }
    const bool has_all = affine_of(brought).element == Polynomial(Symbol::element()) &&
                         brought->layout.elements >= kernel_.type_of(brought->source).layout.elements;
    const bool is_alike = affine_of(brought).element == affine_of(wanted).element && brought->layout.elements == wanted->layout.elements;
    return (has_all && !affine_of(brought).item.mentions(Symbol::element())) || is_alike;
  }

  void find_covered(RegionId region, std::vector<Brought> brought) {
    for (const Operation& operation : kernel_.regions[region].operations) {
      const auto* reorder = std::get_if<Reorder>(&operation.node);
      if (reorder != nullptr && plan_.ways.at(operation.results.front()) == Way::Broadcast &&
          std::holds_alternative<Reorder::Affine>(reorder->pattern)) {
        const ValueId result = operation.results.front();
        const auto found = std::ranges::find_if(brought, [&](const Brought& one) { return covers(one.reorder, reorder); });
        if (found != brought.end()) {
          plan_.covered[result] = found->result;
          plan_.homes[result] = Home::Expression;
          plan_.alike.erase(result);
          coverers_.insert(found->result);
        } else {
          brought.push_back({reorder, result});
        }
      }
      for_each_region(operation.node, [&](RegionId inner) { find_covered(inner, brought); });
    }
  }

  // ---- shuffles that are not needed everywhere

  /// Whether the condition is the same in all lanes of a slot.
  bool is_alike(ValueId condition) const {
    if (kernel_.type_of(condition).layout.kind != Layout::Kind::Item) {
      return true;
    }
    const auto* mask = definitions_[condition] != nullptr ? std::get_if<Mask>(&definitions_[condition]->node) : nullptr;
    return mask != nullptr && std::ranges::none_of(mask->all_of, [](const Mask::Comparison& one) {
             return one.left.mentions(Symbol::item()) || one.right.mentions(Symbol::item());
           });
  }

  /// No compiler drops a shuffle whose result nobody wants: what is chosen by a condition that all lanes have alike is moved only then.
  void find_chosen() {
    std::vector<std::uint32_t> uses(kernel_.values.size(), 0);
    const auto count = [&](ValueId value) { ++uses[value]; };
    for (const Region& region : kernel_.regions) {
      std::ranges::for_each(region.operations, [&](const Operation& operation) { for_each_use(operation.node, count); });
      std::ranges::for_each(region.yields, count);
    }
    for_each_operation([&](OperationId, const Operation& operation) {
      const auto* select = std::get_if<Select>(&operation.node);
      if (select == nullptr || !is_alike(select->condition)) {
        return;
      }
      for (const ValueId arm : {select->then, select->otherwise}) {
        const auto way = plan_.ways.find(arm);
        const bool is_shuffle = way != plan_.ways.end() && (way->second == Way::Broadcast || way->second == Way::Exchange);
        if (is_shuffle && plan_.homes[arm] == Home::Element && uses[arm] == 1 && !coverers_.contains(arm)) {
          plan_.homes[arm] = Home::Expression;
        }
      }
    });
  }

  // ---- runs

  /// Variables that the value's expression reads, and whether it is of another element or lane than the present one.
  void reads(ValueId value, bool elsewhere, const std::function<void(ValueId, bool)>& f) const {
    if (plan_.homes[value] != Home::Expression) {
      f(value, elsewhere);
      return;
    }
    if (const auto covered = plan_.covered.find(value); covered != plan_.covered.end()) {
      f(covered->second, true);
      return;
    }
    const Node& node = definitions_[value]->node;
    const bool moves = elsewhere || std::holds_alternative<Reorder>(node);
    for_each_use(node, [&](ValueId used) { reads(used, moves, f); });
  }

  /// Whether the operation reads what one of the run computes for other elements or lanes.
  bool has_to_wait(const Operation& operation, const std::set<ValueId>& run) const {
    const bool moves = std::holds_alternative<Reorder>(operation.node) || std::holds_alternative<Shuffle>(operation.node);
    bool waits = false;
    for_each_use(operation.node, [&](ValueId used) {
      reads(used, moves, [&](ValueId variable, bool elsewhere) { waits = waits || (elsewhere && run.contains(variable)); });
    });
    return waits;
  }

  void cut(RegionId region) {
    const std::vector<Operation>& operations = kernel_.regions[region].operations;
    std::vector<Run>& runs = plan_.runs[region];
    std::optional<Layout> open;
    std::set<ValueId> computed;
    bool has_access = false;
    for (std::uint32_t k = 0; k < operations.size(); ++k) {
      const Operation& operation = operations[k];
      if (operation.results.size() == 1 && plan_.homes[operation.results.front()] == Home::Expression) {
        continue;
      }
      const std::optional<Layout> space = space_of(kernel_, plan_, operation);
      const bool is_store = stored_place(operation.node) != nullptr;
      const auto store = plan_.stores.find({region, k});
      const bool is_in_turns = store != plan_.stores.end() && store->second == StoreWay::Turns;
      const auto row = operation.results.empty() ? plan_.rows.end() : plan_.rows.find(operation.results.front());
      const bool is_staging = row != plan_.rows.end() && row->second.is_first;
      const bool joins = space && open == space && !is_in_turns && !plan_.meetings.contains({region, k}) && !(is_store && has_access) &&
                         !is_staging && !has_to_wait(operation, computed);
      if (!joins) {
        runs.push_back({k, k});
        computed.clear();
        has_access = false;
      }
      runs.back().last = k + 1;
      open = is_store ? std::nullopt : space;
      has_access = has_access || accessed_place(operation.node) != nullptr;
      computed.insert(operation.results.begin(), operation.results.end());
    }
  }

  /// Values that only the run that computes them reads.
  void find_elements() {
    std::vector<std::optional<OperationId>> home(kernel_.values.size());  ///< the first operation of the run
    std::vector<bool> is_read_elsewhere(kernel_.values.size(), false);
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
          for_each_use(there.operations[k].node, [&](ValueId used) {
            reads(used, false,
                  [&](ValueId variable, bool) { is_read_elsewhere[variable] = is_read_elsewhere[variable] || home[variable] != here; });
          });
        }
      }
      for (const ValueId yield : there.yields) {
        reads(yield, false, [&](ValueId variable, bool) { is_read_elsewhere[variable] = true; });
      }
    }
    for_each_operation([&](OperationId, const Operation& operation) {
      if (operation.results.size() == 1 && plan_.homes[operation.results.front()] == Home::Registers &&
          space_of(kernel_, plan_, operation) && !is_read_elsewhere[operation.results.front()]) {
        plan_.homes[operation.results.front()] = Home::Element;
      }
    });
  }

  const Kernel& kernel_;
  const Choices& choices_;
  Plan plan_;
  std::vector<const Operation*> definitions_;
  std::set<ValueId> coverers_;
  std::map<ValueId, OperationId> loops_;  ///< by their variables
};

}  // namespace

std::string explain(const Kernel& kernel, const Plan& plan) {
  const Geometry& geometry = plan.geometry;
  std::string text = fmt::format("{}: slots of {}, {} in a warp; {} and {} in a thread\n", kernel.name, counted(geometry.lanes, "lane"),
                                 geometry.slots, counted(geometry.shape.wg_pack, "group"), counted(geometry.vectors, "vector"));
  const auto name = [&](ValueId value) { return kernel.values[value].name; };
  const auto wide = [&](OperationId id) {
    const auto run =
        std::ranges::find_if(plan.runs[id.region], [&](const Run& one) { return id.index >= one.first && id.index < one.last; });
    return (plan.wide.contains(id) ? fmt::format(", {} elements at a time", run->piece) : "") +
           (plan.tiles.contains(id) ? fmt::format(", by all lanes, of {} of each row", run->width) : "");
  };
  for (RegionId region = 0; region < kernel.regions.size(); ++region) {
    for (std::uint32_t k = 0; k < kernel.regions[region].operations.size(); ++k) {
      const OperationId id{region, k};
      const Operation& operation = kernel.regions[region].operations[k];
      if (plan.meetings.contains(id)) {
        text += "  the lanes of a slot meet\n";
      }
      if (const auto store = plan.stores.find(id); store != plan.stores.end()) {
        text += fmt::format("  store of {}: {}{}\n", name(std::get<Store>(operation.node).value), name_of(store->second), wide(id));
      }
      if (plan.unrolled.contains(id)) {
        text += fmt::format("  loop over {}: unrolled, {} rounds at a time, as it counts registers\n",
                            name(kernel.regions[std::get<For>(operation.node).body].arguments.front()), plan.unrolled.at(id));
      }
      for (const ValueId result : operation.results) {
        const auto way = plan.ways.find(result);
        const auto row = plan.rows.find(result);
        const Layout layout = plan.held(result, kernel.type_of(result).layout);
        const std::uint64_t registers = geometry.registers(layout);
        const std::string home = plan.homes[result] == Home::Expression ? "where it is used"
                                 : plan.homes[result] == Home::Element  ? "element by element"
                                 : plan.is_rolled(layout)               ? fmt::format("{} numbers in memory", registers)
                                 : registers == 1                       ? "a register"
                                                                        : fmt::format("{} registers", registers);
        text += fmt::format("  {}: {}{}{}{}\n", name(result), home,
                            plan.covered.contains(result) ? fmt::format(", among those of {}", name(plan.covered.at(result)))
                            : way == plan.ways.end()      ? ""
                                                          : fmt::format(", {}", name_of(way->second)),
                            row == plan.rows.end() || !row->second.is_first ? ""
                            : row->second.is_all                            ? ", all items store theirs before"
                                                                            : ", its item stores it before",
                            wide(id));
        text += plan.stays == result ? "  threads without it leave\n" : "";
      }
    }
  }
  return text;
}

Plan plan_of(const Kernel& kernel, Shape shape, const Choices& choices) {
  Plan plan = Planner(kernel, shape, choices).made();
  plan.stays = choices.leaving ? staying_condition(kernel, plan) : std::nullopt;
  return plan;
}

}  // namespace lockstep::emit_cuda
