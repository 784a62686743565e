#include "codegen/passes/clean/turn.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "semantics/infreg/walk.hpp"

namespace lockstep::passes::clean {

using namespace infreg;

namespace {

/// Of what is asked before the condition is known, and so done once more.
constexpr std::size_t most_asked = 48;

class Turning {
 public:
  explicit Turning(Kernel& kernel) : kernel_(kernel) {}

  bool run() {
    for (const Region& region : kernel_.regions) {
      for (const Operation& operation : region.operations) {
        know(operation);
      }
    }
    region(kernel_.body);
    return has_changed_;
  }

 private:
  void region(RegionId id) {
    for (std::size_t i = 0; i < kernel_.regions[id].operations.size(); ++i) {
      std::vector<RegionId> inside;
      for_each_region(kernel_.regions[id].operations[i].node, [&](RegionId inner) { inside.push_back(inner); });
      std::ranges::for_each(inside, [&](RegionId inner) { region(inner); });
      if (const auto* loop = std::get_if<Loop>(&kernel_.regions[id].operations[i].node); loop != nullptr && may_turn(id, i, *loop)) {
        i += turn(id, i);
        has_changed_ = true;
      }
    }
  }

  // ---- whether a loop can be turned ----------------------------------------------------------------------------------------

  bool may_turn(RegionId id, std::size_t at, const Loop& loop) {
    const Region& body = kernel_.regions[loop.body];
    definitions_.clear();
    define(body);
    const ValueId goes_on = body.yields.front();
    if (may_turn(id, at, loop, goes_on)) {
      return true;
    }
    const auto* both = as<Select>(goes_on);  // the condition, and what a `break` asks
    return both != nullptr && is_constant(both->otherwise, 0) && may_turn(id, at, loop, both->condition);
  }

  bool may_turn(RegionId id, std::size_t at, const Loop& loop, ValueId condition) {
    const Region& body = kernel_.regions[loop.body];
    condition_ = condition;
    is_alone_ = condition == body.yields.front();
    const auto found = std::ranges::find_if(
        body.operations, [&](const Operation& operation) { return std::ranges::count(operation.results, condition_) != 0; });
    if (found == body.operations.end() || kernel_.type_of(condition_) != Type{truth, Layout::pack()}) {
      return false;
    }
    asked_ = static_cast<std::size_t>(found - body.operations.begin()) + 1;
    const bool is_certain = is_alone_ && is_constant(loop.inits.front(), 1);
    const auto may_be_asked = [&](const Operation& operation) { return may_ask(operation.node, is_certain); };
    const auto rest = body.operations.begin() + static_cast<std::ptrdiff_t>(asked_);
    if (asked_ > most_asked || !std::all_of(body.operations.begin(), rest, may_be_asked) ||
        std::none_of(rest, body.operations.end(), [&](const Operation& operation) { return masks(operation.node); }) ||
        !std::all_of(rest, body.operations.end(), [&](const Operation& operation) { return does_nothing(operation.node); })) {
      return false;
    }
    for (std::size_t i = 1; i < body.yields.size(); ++i) {
      if (!stays(body.yields[i], body.arguments[i]) && !is_off(body.yields[i])) {
        return false;
      }
      // What is false behind the last round is known to be true in front of the others: nobody else may look at it.
      if (is_off(body.yields[i]) && !stays(body.yields[i], body.arguments[i]) &&
          (kernel_.type_of(body.yields[i]) != Type{truth, Layout::pack()} || is_used_behind(id, at, i))) {
        return false;
      }
    }
    return true;
  }

  void define(const Region& region) {
    for (const Operation& operation : region.operations) {
      if (operation.results.size() == 1) {
        definitions_[operation.results.front()] = &operation.node;
      }
      for_each_region(operation.node, [&](RegionId inner) { define(kernel_.regions[inner]); });
    }
  }

  template <class T>
  const T* as(ValueId value) const {
    const auto found = definitions_.find(value);
    return found == definitions_.end() ? nullptr : std::get_if<T>(found->second);
  }

  void know(const Operation& operation) {
    if (const auto* constant = std::get_if<Constant>(&operation.node)) {
      constants_[operation.results.front()] = constant->bits;
    }
  }

  bool is_constant(ValueId value, std::uint64_t bits) const {
    const auto found = constants_.find(value);
    return found != constants_.end() && found->second == bits;
  }

  bool is_used_behind(RegionId id, std::size_t at, std::size_t slot) const {
    const ValueId result = kernel_.regions[id].operations[at].results[slot];
    bool is_used = false;
    for_each_use_within(kernel_, kernel_.body, [&](ValueId value) { is_used = is_used || value == result; });
    return is_used;
  }

  /// Whether it may be done once more. Where it is not certain that the loop would have come to it, it must not matter.
  static bool may_ask(const Node& node, bool is_certain) {
    if (std::holds_alternative<Load>(node) || std::holds_alternative<Vote>(node) || std::holds_alternative<Shuffle>(node)) {
      return is_certain;
    }
    return stored_place(node) == nullptr && !std::holds_alternative<If>(node) && !std::holds_alternative<For>(node) &&
           !std::holds_alternative<Loop>(node);
  }

  /// Whether the operation works under the condition.
  bool masks(const Node& node) const {
    bool found = false;
    for_each_plain_operand(node, [&](ValueId value) { found = found || value == condition_; });
    return found;
  }

  /// Whether a truth value holds in no lane if the condition does not hold.
  bool is_off(ValueId value) const {
    if (value == condition_ || is_constant(value, 0)) {
      return true;
    }
    if (const auto* spread = as<Spread>(value)) {
      return is_off(spread->source);
    }
    if (const auto* select = as<Select>(value)) {
      return kernel_.type_of(value).element == truth && is_off(select->otherwise) && (is_off(select->condition) || is_off(select->then));
    }
    return false;
  }

  /// Whether the value is `before` if the condition does not hold.
  bool stays(ValueId value, ValueId before) const {
    if (value == before) {
      return true;
    }
    const auto* select = as<Select>(value);
    return select != nullptr && is_off(select->condition) && stays(select->otherwise, before);
  }

  /// Whether it changes no memory, and ends, if the condition does not hold.
  bool does_nothing(const Node& node) const {
    if (stored_place(node) != nullptr) {
      const std::optional<ValueId> mask = access_mask(node);
      return mask && is_off(*mask);
    }
    if (const auto* loop = std::get_if<Loop>(&node)) {
      return is_off(loop->inits.front());
    }
    bool result = true;
    for_each_region(node, [&](RegionId inner) {
      result = result && std::ranges::all_of(kernel_.regions[inner].operations,
                                             [&](const Operation& operation) { return does_nothing(operation.node); });
    });
    return result;
  }

  // ---- turning it ----------------------------------------------------------------------------------------------------------

  using Renamed = std::unordered_map<ValueId, ValueId>;

  ValueId new_value(ValueId like) {
    if (names_.empty()) {
      for (const Value& value : kernel_.values) {
        names_.insert(value.name);
      }
      for (const Parameter& parameter : kernel_.parameters) {
        names_.insert(parameter.name);
      }
      for (const Object& object : kernel_.objects) {
        names_.insert(object.name);
      }
    }
    Value value = kernel_.values[like];
    const std::string name = value.name;
    for (unsigned number = 2; !names_.insert(value.name).second; ++number) {
      value.name = name + "." + std::to_string(number);
    }
    kernel_.values.push_back(std::move(value));
    return static_cast<ValueId>(kernel_.values.size() - 1);
  }

  ValueId add(Node node, ValueId like, SourceSpan span, std::vector<Operation>& to) {
    const ValueId result = new_value(like);
    to.push_back({std::move(node), {result}, span});
    know(to.back());
    return result;
  }

  /// Asks once more, with other values for the loop's arguments. Returns what the condition is then.
  ValueId ask(const std::vector<Operation>& operations, Renamed renamed, std::vector<Operation>& to) {
    const auto rename = [&](ValueId value) {
      const auto found = renamed.find(value);
      return found == renamed.end() ? value : found->second;
    };
    for (std::size_t i = 0; i < asked_; ++i) {
      Operation copy = operations[i];
      rename_uses(copy.node, rename);
      for (ValueId& result : copy.results) {
        const ValueId next = new_value(result);
        renamed[result] = next;
        result = next;
      }
      to.push_back(std::move(copy));
    }
    return rename(condition_);
  }

  /// Returns how many operations stand in front of the loop now.
  std::size_t turn(RegionId id, std::size_t at) {
    Operation operation = std::move(kernel_.regions[id].operations[at]);
    auto& loop = std::get<Loop>(operation.node);
    Region body = std::move(kernel_.regions[loop.body]);
    const Type pack{truth, Layout::pack()};

    // In front: if it begins at all, and the condition holds.
    std::vector<Operation> before;
    const ValueId yes_before = add(Constant{pack, 1}, condition_, operation.span, before);
    Renamed first;
    for (std::size_t i = 0; i < loop.inits.size(); ++i) {
      first[body.arguments[i]] = i == 0 ? yes_before : loop.inits[i];
    }
    const ValueId asked_first = ask(body.operations, std::move(first), before);
    const ValueId no_before = add(Constant{pack, 0}, condition_, operation.span, before);
    loop.inits.front() = add(Select{loop.inits.front(), asked_first, no_before}, condition_, operation.span, before);

    // In each round the condition holds.
    std::vector<Operation> operations;
    const ValueId yes = add(Constant{pack, 1}, condition_, operation.span, operations);
    const Renamed known{{condition_, yes}, {body.arguments.front(), yes}};
    const auto rename = [&](ValueId value) {
      const auto found = known.find(value);
      return found == known.end() ? value : found->second;
    };
    const std::vector<Operation> asking(body.operations.begin(), body.operations.begin() + static_cast<std::ptrdiff_t>(asked_));
    for (std::size_t i = 0; i < body.operations.size(); ++i) {
      if (i >= asked_) {
        rename_within(body.operations[i], rename);
      } else {
        rename_uses(body.operations[i].node, [&](ValueId value) { return value == body.arguments.front() ? yes : value; });
      }
      operations.push_back(std::move(body.operations[i]));
    }
    std::ranges::transform(body.yields, body.yields.begin(), rename);

    // At its end it is asked for the next one.
    Renamed next;
    for (std::size_t i = 0; i < body.yields.size(); ++i) {
      next[body.arguments[i]] = i == 0 ? yes : body.yields[i];
    }
    const ValueId goes_on = body.yields.front();
    const ValueId asked_next = ask(asking, std::move(next), operations);
    const ValueId no = add(Constant{pack, 0}, condition_, operation.span, operations);
    body.yields.front() = add(Select{goes_on, asked_next, no}, condition_, operation.span, operations);

    body.operations = std::move(operations);
    kernel_.regions[loop.body] = std::move(body);
    const std::size_t count = before.size();
    std::vector<Operation>& around = kernel_.regions[id].operations;
    around[at] = std::move(operation);
    around.insert(around.begin() + static_cast<std::ptrdiff_t>(at), std::make_move_iterator(before.begin()),
                  std::make_move_iterator(before.end()));
    return count;
  }

  template <class F>
  void rename_within(Operation& operation, const F& rename) {
    rename_uses(operation.node, rename);
    for_each_region(operation.node, [&](RegionId inner) {
      Region& region = kernel_.regions[inner];
      std::ranges::for_each(region.operations, [&](Operation& inside) { rename_within(inside, rename); });
      std::ranges::transform(region.yields, region.yields.begin(), rename);
    });
  }

  Kernel& kernel_;
  std::unordered_map<ValueId, std::uint64_t> constants_;
  // Of the loop that is looked at.
  std::unordered_map<ValueId, const Node*> definitions_;  ///< in its body, and in those inside
  ValueId condition_ = 0;
  bool is_alone_ = true;   ///< there is another round if the condition holds, whatever else does
  std::size_t asked_ = 0;  ///< so many operations of the body find it out
  std::unordered_set<std::string> names_;
  bool has_changed_ = false;
};

}  // namespace

bool turn_loops(Kernel& kernel) { return Turning(kernel).run(); }

}  // namespace lockstep::passes::clean
