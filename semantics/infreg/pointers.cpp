#include "semantics/infreg/pointers.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <variant>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/scalar_type.hpp"
#include "semantics/infreg/walk.hpp"
#include "semantics/infreg/words.hpp"

namespace lockstep::infreg {

namespace {

/// Of a pointer: the types of elements as a set, and whether they may lie in what can only be read. The null pointer has neither.
struct Target {
  std::uint32_t elements = 0;
  bool read_only = false;

  bool operator==(const Target&) const = default;
};

constexpr std::uint32_t bit(ScalarType type) { return std::uint32_t{1} << static_cast<unsigned>(type); }

class Pointers {
 public:
  explicit Pointers(const Kernel& kernel) : kernel_(kernel), targets_(kernel.values.size()) {}

  std::vector<Fault> run() {
    reach(kernel_.body);
    do {
      changed_ = false;
      for (const RegionId id : reached_) {
        for (const Operation& operation : kernel_.regions[id].operations) {
          follow(operation);
        }
      }
    } while (changed_);
    for (const RegionId id : reached_) {
      const std::vector<Operation>& operations = kernel_.regions[id].operations;
      for (std::uint32_t k = 0; k < operations.size(); ++k) {
        place_ = OperationId{id, k};
        std::visit([&](const auto& node) { check(node); }, operations[k].node);
      }
    }
    return std::move(faults_);
  }

 private:
  /// Regions that nothing leads to are no part of the kernel, and nobody has checked them.
  void reach(RegionId id) {  // NOLINT(misc-no-recursion): regions lie in each other at most max_depth deep
    reached_.push_back(id);
    for (const Operation& operation : kernel_.regions[id].operations) {
      for_each_region(operation.node, [&](RegionId inner) { reach(inner); });
    }
  }

  // ---- what points where ---------------------------------------------------------------------------------------------------

  void join(ValueId into, const Target& more) {
    Target& target = targets_[into];
    const Target both{target.elements | more.elements, target.read_only || more.read_only};
    changed_ = changed_ || both != target;
    target = both;
  }
  void join(ValueId into, ValueId from) {
    if (kernel_.type_of(into).element.is_pointer) {
      join(into, targets_[from]);
    }
  }

  Target target_of(const std::variant<OfParameter, OfObject>& object) const {
    if (const auto* parameter = std::get_if<OfParameter>(&object)) {
      const Parameter& of = kernel_.parameters[parameter->id];
      return {bit(of.scalar), of.is_const};
    }
    const Object& of = kernel_.objects[std::get<OfObject>(object).id];
    return {bit(of.element), of.space == AddressSpace::Constant};
  }

  void follow(const Operation& operation) {
    if (const auto* address = std::get_if<AddressOf>(&operation.node)) {
      return join(operation.results.front(), target_of(address->object));
    }
    if (const auto* branch = std::get_if<If>(&operation.node)) {
      for (std::size_t k = 0; k < operation.results.size(); ++k) {
        join(operation.results[k], kernel_.regions[branch->then].yields[k]);
        join(operation.results[k], kernel_.regions[branch->otherwise].yields[k]);
      }
      return;
    }
    if (const auto* loop = std::get_if<For>(&operation.node)) {
      return carry(operation, loop->inits, loop->body, 1);
    }
    if (const auto* loop = std::get_if<Loop>(&operation.node)) {
      return carry(operation, loop->inits, loop->body, 0);
    }
    if (!operation.results.empty()) {
      for_each_plain_operand(operation.node, [&](ValueId operand) { join(operation.results.front(), operand); });
    }
  }

  void carry(const Operation& operation, const std::vector<ValueId>& inits, RegionId body, std::size_t first) {
    const Region& region = kernel_.regions[body];
    for (std::size_t k = 0; k < inits.size(); ++k) {
      const ValueId argument = region.arguments[first + k];
      join(argument, inits[k]);
      join(argument, region.yields[k]);
      join(operation.results[k], argument);
    }
  }

  // ---- what is done with it ------------------------------------------------------------------------------------------------

  template <class... Arguments>
  void fault(fmt::format_string<Arguments...> sentence, Arguments&&... arguments) {
    faults_.push_back({place_, fmt::format(sentence, std::forward<Arguments>(arguments)...)});
  }
  std::string named(ValueId value) const { return "%" + shortened(kernel_.values[value].name); }

  /// The type of an element that the pointer may point to and that is no `wanted`.
  std::optional<ScalarType> other_than(ValueId pointer, ScalarType wanted) const {
    for (const ScalarInfo& each : scalar_table) {
      if (each.type != wanted && (targets_[pointer].elements & bit(each.type)) != 0) {
        return each.type;
      }
    }
    return std::nullopt;
  }
  void expect(ValueId pointer, ScalarType wanted, std::string_view what) {
    if (const auto other = other_than(pointer, wanted)) {
      fault("{} {}, but {} may point to {}: pointers count the elements of what they point to", what, text_of(wanted), named(pointer),
            text_of(*other));
    }
  }
  void check_place(const Place& place, ScalarType moved) {
    if (const auto* pointer = std::get_if<AtPointer>(&place.base)) {
      expect(pointer->value, moved, "the access is one of");
    }
  }

  template <class N>
  void check(const N&) {}
  void check(const PointerOffset& node) { expect(node.pointer, node.element, "the offset is in units of"); }
  void check(const PointerDistance& node) {
    expect(node.left, node.element, "the distance is in units of");
    expect(node.right, node.element, "the distance is in units of");
  }
  void check(const PointerCompare& node) {
    for (const ScalarInfo& each : scalar_table) {
      const auto other = other_than(node.right, each.type);
      if ((targets_[node.left].elements & bit(each.type)) != 0 && other) {
        return fault("{} may point to {}, {} to {}: pointers to different types are not compared", named(node.left), text_of(each.type),
                     named(node.right), text_of(*other));
      }
    }
  }
  void check(const Load& node) { check_place(node.place, node.type.element.scalar); }
  void check(const Store& node) { check_stored(node.place, kernel_.type_of(node.value).element.scalar); }
  void check(const Atomic& node) { check_stored(node.place, node.type.element.scalar); }
  void check_stored(const Place& place, ScalarType type) {
    check_place(place, type);
    const auto* pointer = std::get_if<AtPointer>(&place.base);
    if (pointer != nullptr && targets_[pointer->value].read_only) {
      fault("nothing is stored through {}: it may point to what is const", named(pointer->value));
    }
  }

  const Kernel& kernel_;
  std::vector<Target> targets_;    // of each value
  std::vector<RegionId> reached_;  // in the order of the text
  std::vector<Fault> faults_;
  OperationId place_;
  bool changed_ = false;
};

}  // namespace

std::vector<Fault> pointer_faults(const Kernel& kernel) { return Pointers(kernel).run(); }

}  // namespace lockstep::infreg
