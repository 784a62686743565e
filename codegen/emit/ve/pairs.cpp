#include "codegen/emit/ve/pairs.hpp"

#include <algorithm>
#include <array>

#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

class Checking {
 public:
  Checking(const Kernel& kernel, const Plan& plan) : kernel_(kernel), plan_(plan) {}

  bool holds() const {
    const bool has_memory =
        std::ranges::any_of(kernel_.objects, [](const Object& object) { return object.space != AddressSpace::Constant; });
    return !has_memory && !plan_.asks_pack && std::ranges::all_of(kernel_.regions, [&](const Region& region) {
      return std::ranges::all_of(region.operations, [&](const Operation& operation) { return fits(operation); });
    });
  }

 private:
  /// A number of C, or two floats.
  bool fits(ValueId value) const { return is_number(value) || kernel_.type_of(value).element == Element::of(ScalarType::Float); }
  bool is_number(ValueId value) const { return plan_.alike[value]; }

  bool fits(const Operation& operation) const {
    bool is_alike = !operation.results.empty();
    for (const ValueId result : operation.results) {
      is_alike = is_alike && is_number(result);
    }
    bool are_pairs = true;
    for_each_plain_operand(operation.node, [&](ValueId value) { are_pairs = are_pairs && fits(value); });
    std::ranges::for_each(operation.results, [&](ValueId value) { are_pairs = are_pairs && fits(value); });
    return is_alike || (are_pairs && has_form(operation.node));
  }

  bool has_form(const Node& node) const {
    if (const auto* one = std::get_if<Elementwise>(&node)) {
      static constexpr std::array forms = {Op::Add, Op::Sub, Op::Mul, Op::Fma, Op::Neg, Op::Fabs};
      return std::ranges::find(forms, one->op) != forms.end();
    }
    if (const auto* choice = std::get_if<Select>(&node)) {
      return is_number(choice->condition);
    }
    if (const auto* load = std::get_if<Load>(&node)) {
      return !load->mask && is_strided(load->place);
    }
    if (const auto* store = std::get_if<Store>(&node)) {
      return is_strided(store->place);
    }
    return std::holds_alternative<Constant>(node) || std::holds_alternative<ConstantLanes>(node) || std::holds_alternative<Poison>(node) ||
           std::holds_alternative<Spread>(node) || std::holds_alternative<Reorder>(node) || std::holds_alternative<If>(node) ||
           std::holds_alternative<For>(node) || std::holds_alternative<Loop>(node);
  }

  bool is_strided(const Place& place) const {
    const auto* pointer = std::get_if<AtPointer>(&place.base);
    const auto slope = place.index.slope(Symbol::group());
    const bool is_one_base = pointer == nullptr || is_number(pointer->value);
    return is_one_base && (!place.lanes || is_number(*place.lanes)) && slope && !slope->mentions(Symbol::group());
  }

  const Kernel& kernel_;
  const Plan& plan_;
};

}  // namespace

bool has_pairs(const Kernel& kernel, const Plan& groups) { return Checking(kernel, groups).holds(); }

}  // namespace lockstep::emit_ve
