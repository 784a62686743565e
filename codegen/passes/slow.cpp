#include "codegen/passes/slow.hpp"

#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "semantics/infreg/walk.hpp"

namespace lockstep::passes {
namespace {

using namespace infreg;

class Looking {
 public:
  explicit Looking(const Kernel& kernel)
      : kernel_(kernel), makers_(kernel.values.size(), nullptr), comes_from_memory_(kernel.values.size()) {
    for (const Region& region : kernel.regions) {
      for (const Operation& operation : region.operations) {
        for (const ValueId result : operation.results) {
          makers_[result] = &operation;
        }
      }
    }
  }

  Diagnostics run() {
    region(kernel_.body);
    Diagnostics found;
    for (auto& [place, part] : parts_) {
      if (part.is_slow) {
        found.push_back({Severity::Note, part.span, std::move(part.sentence), {}});
      }
    }
    return found;
  }

 private:
  struct Part {
    SourceSpan span;
    bool is_slow = true;
    std::string sentence;
  };
  enum class Kind : std::uint8_t { Array, Access, Loop };

  void region(RegionId id) {
    for (const Operation& operation : kernel_.regions[id].operations) {
      note_memory(operation);
      std::visit([&](const auto& node) { look(node, operation); }, operation.node);
      for_each_region(operation.node, [&](RegionId inner) { region(inner); });
    }
  }

  /// Operands come before what is computed of them; what loops carry is not followed.
  void note_memory(const Operation& operation) {
    bool found = std::holds_alternative<Load>(operation.node) || std::holds_alternative<Atomic>(operation.node);
    for_each_plain_operand(operation.node, [&](ValueId operand) { found = found || comes_from_memory_[operand]; });
    for (const ValueId result : operation.results) {
      comes_from_memory_[result] = found;
    }
  }

  template <class Node>
  void look(const Node&, const Operation&) {}
  void look(const Load& node, const Operation& operation) { access(node.place, node.access, "read", operation.span); }
  void look(const Store& node, const Operation& operation) { access(node.place, node.access, "written", operation.span); }
  void look(const AddressOf& node, const Operation& operation) {
    if (const auto* object = std::get_if<OfObject>(&node.object); object != nullptr && is_private(object->id)) {
      array(object->id, operation.span, "a pointer to it is made here");
    }
  }
  void look(const Loop& node, const Operation& operation) {
    const Operation* asks = makers_[kernel_.regions[node.body].yields.front()];
    const auto* vote = asks == nullptr ? nullptr : std::get_if<Vote>(&asks->node);
    if (vote != nullptr && kernel_.type_of(vote->value).layout.kind == Layout::Kind::Item) {
      note(Kind::Loop, operation.span, true,
           "items that have ended this loop wait for the others: how often it runs differs from item to item");
    }
  }

  bool is_private(ObjectId id) const { return kernel_.objects[id].space == AddressSpace::Private; }

  void access(const Place& place, Access how, const char* verb, SourceSpan span) {
    const auto* object = std::get_if<OfObject>(&place.base);
    if (object != nullptr && is_private(object->id)) {
      if (place.lanes || !is_number(place.index)) {
        array(object->id, span, "here its index is no number, once loops are unrolled");
      }
      return;
    }
    if (object == nullptr) {
      const auto* pointer = std::get_if<AtPointer>(&place.base);
      const bool is_apart =
          (place.lanes && differs(*place.lanes)) || (pointer != nullptr && differs(pointer->value)) || !place.index.slope(Symbol::item());
      const bool is_slow = how == Access::Gather && is_apart;
      note(Kind::Access, span, is_slow, is_slow ? sentence_of(place, verb) : std::string());
    }
  }

  /// From item to item of a group, as far as it is seen: a number of the group that is spread over its items does not.
  bool differs(ValueId value) const {
    const Operation* maker = makers_[value];
    return kernel_.type_of(value).layout.kind == Layout::Kind::Item && (maker == nullptr || !std::holds_alternative<Spread>(maker->node));
  }

  /// A number, or one for each element of a value.
  static bool is_number(const Polynomial& index) {
    bool has_values = false;
    index.for_each_value([&](ValueId) { has_values = true; });
    return !has_values && !index.mentions(Symbol::item()) && !index.mentions(Symbol::group());
  }

  std::string sentence_of(const Place& place, const char* verb) const {
    const auto* parameter = std::get_if<OfParameter>(&place.base);
    const std::string what = parameter == nullptr ? "memory" : "'" + kernel_.parameters[parameter->id].name + "'";
    const char* why = std::holds_alternative<AtPointer>(place.base) ? "items have pointers of their own"
                      : place.lanes && comes_from_memory_[*place.lanes]
                          ? "the index is read from memory"
                          : "the index is no sum of multiples of the item's number and of what "
                            "all items have alike";
    return what + " is " + verb + " at an address of its own for each item (a gather): " + why;
  }

  /// Where it is met first.
  void array(ObjectId id, SourceSpan span, const std::string& why) {
    if (arrays_.insert(id).second) {
      note(Kind::Array, span, true, "the array '" + kernel_.objects[id].name + "' of each item stays in memory: " + why);
    }
  }

  void note(Kind kind, SourceSpan span, bool is_slow, std::string sentence) {
    Part& part = parts_.try_emplace({span.begin, kind}, Part{span, is_slow, std::move(sentence)}).first->second;
    part.is_slow = part.is_slow && is_slow;
  }

  const Kernel& kernel_;
  std::vector<const Operation*> makers_;                  ///< by value; null for arguments and parameters
  std::vector<bool> comes_from_memory_;                   ///< by value
  std::map<std::pair<std::uint32_t, Kind>, Part> parts_;  ///< by where they begin
  std::unordered_set<ObjectId> arrays_;                   ///< that have been told of
};

}  // namespace

Diagnostics slow_parts(const Kernel& kernel) { return Looking(kernel).run(); }

}  // namespace lockstep::passes
