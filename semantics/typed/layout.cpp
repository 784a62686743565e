#include "semantics/typed/layout.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <variant>

#include "semantics/typed/layout_liveness.hpp"
#include "semantics/typed/parse_words.hpp"
#include "semantics/typed/print.hpp"
#include "semantics/typed/visit.hpp"

namespace lockstep::typed {
namespace {

constexpr std::size_t most_places = 64;  // at which a set is tried before it goes behind all others

/// The registers that an expression names.
void collect(const Expr& expression, std::vector<RegisterId>& found) {
  for (const ExprNode& node : expression.nodes) {
    if (const auto id = register_of(node)) {
      found.push_back(*id);
    }
  }
}

/// Calls meet(registers) for each group of registers whose lanes an instruction brings together (rule 3): its operands and its
/// destination. The arguments of a call do not meet each other, each goes to a register of another frame.
template <class Meet>
void for_each_meeting(const Instruction& instruction, Meet meet) {
  std::vector<RegisterId> together;
  if (const auto* call = std::get_if<Call>(&instruction)) {
    for (const Expr& argument : call->arguments) {
      together.clear();
      collect(argument, together);
      meet(together);
    }
    return;
  }
  for_each_expression(instruction, [&](const Expr& expression) { collect(expression, together); });
  if (const auto* shuffle = std::get_if<Shuffle>(&instruction); shuffle != nullptr) {
    together.push_back(shuffle->source);
  }
  if (const auto written = written_by(instruction); written.has_value()) {
    together.push_back(written->id);
  }
  meet(together);
}

/// Union-find.
class Sets {
 public:
  explicit Sets(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }

  std::size_t find(std::size_t i) {
    while (parent_[i] != i) {
      parent_[i] = parent_[parent_[i]];
      i = parent_[i];
    }
    return i;
  }
  /// The smaller root stays, so that sets are named by their first members.
  void join(std::size_t a, std::size_t b) {
    const auto [low, high] = std::minmax({find(a), find(b)});
    parent_[high] = low;
  }

 private:
  std::vector<std::size_t> parent_;
};

class LayoutBuilder {
 public:
  LayoutBuilder(const Program& program, const Function& function, unsigned wg_pack) : program_(program), function_(function) {
    result_.function = function.name;
    result_.wg_size = program.wg_size;
    result_.wg_pack = wg_pack;
  }

  std::expected<Layout, std::string> run() {
    find_variables();
    if (result_.placements.size() > max_variables) {
      return std::unexpected("'" + function_.name + "' has more than " + std::to_string(max_variables) + " variables");
    }
    find_sets();
    find_liveness();
    for (std::size_t set = 0; set < result_.sets.size(); ++set) {
      if (!place(set)) {
        return std::unexpected("the layout of '" + function_.name + "' has more than " + std::to_string(max_lanes) + " lanes");
      }
    }
    for (std::size_t r = 0; r < result_.infregs.size(); ++r) {
      std::ranges::stable_sort(result_.infregs[r].placements, {}, [&](std::size_t p) { return result_.placements[p].first; });
    }
    find_reorderings();
    return std::move(result_);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  // ---- rules 1 and 2: the variables

  void find_variables() {
    index_.assign(function_.registers.size(), none);
    for (RegisterId id = 0; id < function_.registers.size(); ++id) {
      const RegisterInfo& info = function_.registers[id];
      if (info.variable.empty()) {
        continue;
      }
      index_[id] = result_.placements.size();
      registers_.push_back(id);
      Placement placement{info.name, info.variable, info.type, info.count.value_or(1), false, id, 0, 0, 0, 0, {}};
      result_.placements.push_back(std::move(placement));
    }
    const bool is_kernel = &function_ == program_.functions.data();
    for (ObjectId id = 0; id < program_.objects.size() && is_kernel; ++id) {
      const Object& object = program_.objects[id];
      if (object.space == AddressSpace::Local) {
        const ValueType type{object.element, false, AddressSpace::Private};
        result_.placements.push_back({object.name, object.name, type, object.count, true, id, 0, 0, 0, 0, {}});
      }
    }
  }

  // ---- rule 3: who meets whom

  void find_sets() {
    Sets sets(function_.registers.size());
    for (Label pc = function_.begin; pc < function_.end; ++pc) {
      for_each_meeting(program_.code[pc].instruction, [&](const std::vector<RegisterId>& together) {
        for (std::size_t i = 1; i < together.size(); ++i) {
          sets.join(together[0], together[i]);
        }
      });
    }
    std::map<std::size_t, std::size_t> numbers;  // root to set
    for (std::size_t p = 0; p < result_.placements.size(); ++p) {
      Placement& placement = result_.placements[p];
      const auto [entry, added] =
          placement.is_local ? std::pair(numbers.end(), true) : numbers.try_emplace(sets.find(placement.id), result_.sets.size());
      if (added) {
        result_.sets.emplace_back();
      }
      placement.set = added ? result_.sets.size() - 1 : entry->second;
      result_.sets[placement.set].push_back(p);
    }
  }

  // ---- rule 4: who may share

  void find_liveness() {
    liveness_.emplace(program_, function_, registers_);
    result_.liveness_known = liveness_->known();
    for (std::size_t i = 0; i < registers_.size() && liveness_->known(); ++i) {
      result_.placements[i].live = liveness_->ranges(i);
    }
  }

  bool conflict(std::size_t a, std::size_t b) const {
    return result_.placements[a].is_local || result_.placements[b].is_local || liveness_->overlap(a, b);
  }

  // ---- packing

  /// The lanes of a group that a set has for its variables.
  struct Slab {
    std::uint64_t first = 0;
    std::uint64_t last = 0;  // behind it
  };
  bool overlap(const Slab& a, const Slab& b) const { return a.first < b.last && b.first < a.last; }

  /// The InfRegs as they are tried for a set: what there was, and the set's variables in each.
  struct Trial {
    std::vector<ValueType> types;
    std::vector<std::vector<std::size_t>> chosen;
  };

  bool fits(std::size_t variable, const Slab& slab, std::size_t row, const Trial& trial) const {
    const auto clashes = [&](std::size_t other) { return conflict(variable, other); };
    const auto occupies = [&](std::size_t other) { return overlap(slab, slabs_[result_.placements[other].set]) && clashes(other); };
    const bool exists = row < result_.infregs.size();
    return (!exists || std::ranges::none_of(result_.infregs[row].placements, occupies)) && std::ranges::none_of(trial.chosen[row], clashes);
  }

  /// Gives each variable of a set the first InfReg of its type that fits. False if that needs more of a type than `most` allows.
  bool try_at(std::size_t set, const Slab& slab, const std::vector<std::pair<ValueType, std::size_t>>& most, Trial& trial) const {
    for (const std::size_t variable : result_.sets[set]) {
      const ValueType& type = result_.placements[variable].type;
      std::size_t row = 0;
      while (row < trial.types.size() && (trial.types[row] != type || !fits(variable, slab, row, trial))) {
        ++row;
      }
      if (row == trial.types.size()) {
        const auto limit = std::ranges::find(most, type, &std::pair<ValueType, std::size_t>::first);
        if (limit != most.end() && static_cast<std::size_t>(std::ranges::count(trial.types, type)) >= limit->second) {
          return false;
        }
        trial.types.push_back(type);
        trial.chosen.emplace_back();
      }
      trial.chosen[row].push_back(variable);
    }
    return true;
  }

  std::vector<ValueType> types_of_infregs() const {
    std::vector<ValueType> types;
    types.reserve(result_.infregs.size());
    for (const InfReg& infreg : result_.infregs) {
      types.push_back(infreg.type);
    }
    return types;
  }

  /// How many InfRegs of each of its types there may be: as many as there are, or as the set needs behind all others.
  std::vector<std::pair<ValueType, std::size_t>> allowance(std::size_t set, std::uint64_t width) const {
    std::uint64_t end = 0;
    for (const Slab& slab : slabs_) {
      end = std::max(end, slab.last);
    }
    Trial alone{types_of_infregs(), {}};
    alone.chosen.resize(alone.types.size());
    try_at(set, {end, end + width}, {}, alone);
    std::vector<std::pair<ValueType, std::size_t>> most;
    for (const ValueType& type : alone.types) {
      if (std::ranges::find(most, type, &std::pair<ValueType, std::size_t>::first) == most.end()) {
        most.emplace_back(type, static_cast<std::size_t>(std::ranges::count(alone.types, type)));
      }
    }
    return most;
  }

  /// The first lanes at which a set is tried: side by side with what is there already.
  std::vector<std::uint64_t> candidates() const {
    std::set<std::uint64_t> ends{0};
    for (const Slab& slab : slabs_) {
      ends.insert(slab.last);
    }
    std::vector<std::uint64_t> found(ends.begin(), ends.end());
    if (found.size() > most_places) {
      found[most_places - 1] = found.back();
      found.resize(most_places);
    }
    return found;
  }

  bool place(std::size_t set) {
    std::uint64_t stride = 1;
    for (const std::size_t variable : result_.sets[set]) {
      stride = std::max(stride, result_.placements[variable].count);
    }
    const bool local = result_.placements[result_.sets[set].front()].is_local;
    const std::uint64_t items = local ? 1 : result_.wg_size;
    if (stride > max_lanes / items) {
      return false;
    }
    const std::uint64_t width = stride * items;
    const auto most = allowance(set, width);
    for (const std::uint64_t first : candidates()) {
      const Slab slab{first, first + width};
      Trial trial{types_of_infregs(), {}};
      trial.chosen.resize(trial.types.size());
      if (!try_at(set, slab, most, trial)) {
        continue;
      }
      slabs_.push_back(slab);
      for (std::size_t row = 0; row < trial.chosen.size(); ++row) {
        for (const std::size_t variable : trial.chosen[row]) {
          put(variable, row, slab, local ? 0 : stride);
        }
      }
      result_.group_lanes = std::max(result_.group_lanes, slab.last);
      return result_.group_lanes <= max_lanes / result_.wg_pack;
    }
    return false;
  }

  void put(std::size_t variable, std::size_t row, const Slab& slab, std::uint64_t stride) {
    Placement& placement = result_.placements[variable];
    if (row == result_.infregs.size()) {
      result_.infregs.push_back({placement.type, {}});  // rows come in ascending order
    }
    result_.infregs[row].placements.push_back(variable);
    placement.infreg = row;
    placement.first = slab.first;
    placement.item_stride = stride;
  }

  // ---- rule 5: what moves

  struct Access {
    std::string text;
    bool is_array = false;
    std::string index;  // of an element, as text
  };

  Access access(RegisterId id, std::string index, bool is_array) const {
    const std::string name = name_text(function_.registers[id].name);
    return {is_array ? name + "[" + index + "]" : name, is_array, std::move(index)};
  }

  /// Registers whose values a value is made of: those in an index are only an address.
  void collect_values(const Expr& expression, std::vector<Access>& found) const {
    std::vector<std::pair<std::size_t, std::size_t>> waiting;  // first node and size of `found` before it
    for (std::size_t i = 0; i < expression.nodes.size(); ++i) {
      const ExprNode& node = expression.nodes[i];
      const std::size_t arity = operand_count(node);
      const auto begin = arity == 0 ? std::pair(i, found.size()) : waiting[waiting.size() - arity];
      waiting.resize(waiting.size() - arity);
      if (const auto* element = std::get_if<Element>(&node.node)) {
        found.resize(begin.second);
        Expr index;
        index.nodes.assign(expression.nodes.begin() + static_cast<std::ptrdiff_t>(begin.first),
                           expression.nodes.begin() + static_cast<std::ptrdiff_t>(i));
        found.push_back(access(element->array, print(program_, function_, index), true));
      } else if (const auto* single = std::get_if<Register>(&node.node)) {
        found.push_back(access(single->id, "0", false));
      }
      waiting.push_back(begin);
    }
  }

  Access destination(const Place& place) const {
    return access(place.id, place.index ? print(program_, function_, *place.index) : "0", place.index.has_value());
  }

  void add(Reordering::Kind kind, Label pc, std::string from, std::string to) {
    for (auto known = result_.reorderings.rbegin(); known != result_.reorderings.rend() && known->pc == pc; ++known) {
      if (known->kind == kind && known->from == from && known->to == to) {
        return;
      }
    }
    result_.reorderings.push_back({kind, pc, program_.code[pc].span, std::move(from), std::move(to)});
  }

  /// The values of an instruction that are not in the lanes where its result is; `to` is the lane of a scalar for a condition.
  void compare_lanes(Label pc, const Expr& value, const Access& to) {
    std::vector<Access> from;
    collect_values(value, from);
    for (const Access& access : from) {
      if (access.index != to.index) {
        add(access.is_array ? Reordering::Kind::Element : Reordering::Kind::Broadcast, pc, access.text, to.text);
      }
    }
  }

  /// The __local object that a pointer surely leads to.
  std::optional<std::string> local_object(const Expr& base) const {
    const ExprNode& root = base.nodes.front();
    const auto* object = std::get_if<ObjectAddress>(&root.node);
    const bool local = object != nullptr && base.type().is_pointer && base.type().space == AddressSpace::Local;
    return local ? std::optional("@" + name_text(program_.objects[object->object].name)) : std::nullopt;
  }

  void find_reorderings() {
    for (Label pc = function_.begin; pc < function_.end; ++pc) {
      const Instruction& instruction = program_.code[pc].instruction;
      if (const auto* shuffle = std::get_if<Shuffle>(&instruction)) {
        add(Reordering::Kind::Shuffle, pc, access(shuffle->source, "0", false).text, access(shuffle->dst, "0", false).text);
      } else if (const auto* assign = std::get_if<Assign>(&instruction)) {
        compare_lanes(pc, assign->value, destination(assign->place));
      } else if (const auto* branch = std::get_if<BranchZero>(&instruction)) {
        compare_lanes(pc, branch->condition, {"the mask", false, "0"});
      } else if (const auto* load = std::get_if<Load>(&instruction)) {
        if (const auto object = local_object(load->base)) {
          add(Reordering::Kind::Local, pc, *object, destination(load->place).text);
        }
      } else if (const auto* store = std::get_if<Store>(&instruction)) {
        add_store(pc, *store);
      }
    }
  }

  void add_store(Label pc, const Store& store) {
    const auto object = local_object(store.base);
    if (!object) {
      return;
    }
    std::vector<Access> from;
    collect_values(store.value, from);
    for (const Access& access : from) {
      add(Reordering::Kind::Local, pc, access.text, *object);
    }
  }

  const Program& program_;
  const Function& function_;
  Layout result_;
  std::vector<std::size_t> index_;     // per register: its placement, or none
  std::vector<RegisterId> registers_;  // of the private placements
  std::optional<Liveness> liveness_;
  std::vector<Slab> slabs_;  // per set
};

}  // namespace

std::string_view name_of(Reordering::Kind kind) {
  switch (kind) {
    case Reordering::Kind::Shuffle:
      return "shuffle";
    case Reordering::Kind::Element:
      return "element";
    case Reordering::Kind::Broadcast:
      return "broadcast";
    case Reordering::Kind::Local:
      break;
  }
  return "local";
}

std::expected<Layout, std::string> layout(const Program& program, const Function& function, unsigned wg_pack) {
  return LayoutBuilder(program, function, wg_pack).run();
}

std::uint64_t lane_of(const Layout& layout, const Placement& placement, std::uint64_t wg_off, std::uint64_t wi_ix, std::uint64_t ix) {
  return (wg_off * layout.group_lanes) + placement.first + (placement.is_local ? 0 : wi_ix * placement.item_stride) + ix;
}

std::vector<LaneMeaning> meaning_of(const Layout& layout, const InfReg& infreg, std::uint64_t lane) {
  std::vector<LaneMeaning> found;
  if (layout.group_lanes == 0 || lane >= layout.lanes()) {
    return found;
  }
  const std::uint64_t wg_off = lane / layout.group_lanes;
  const std::uint64_t in_group = lane % layout.group_lanes;
  for (const std::size_t p : infreg.placements) {
    const Placement& placement = layout.placements[p];
    if (in_group < placement.first) {
      continue;
    }
    const std::uint64_t offset = in_group - placement.first;
    if (placement.is_local && offset < placement.count) {
      found.push_back({p, wg_off, std::nullopt, offset});
    } else if (!placement.is_local && offset / placement.item_stride < layout.wg_size && offset % placement.item_stride < placement.count) {
      found.push_back({p, wg_off, offset / placement.item_stride, offset % placement.item_stride});
    }
  }
  return found;
}

}  // namespace lockstep::typed
