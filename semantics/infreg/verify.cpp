#include "semantics/infreg/verify.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/refused_line.hpp"
#include "semantics/infreg/pointers.hpp"
#include "semantics/infreg/types.hpp"
#include "semantics/infreg/walk.hpp"
#include "semantics/infreg/words.hpp"

namespace lockstep::infreg {

namespace {

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel)
      : kernel_(kernel),
        entered_(kernel.regions.size(), false),
        definitions_(kernel.values.size(), 0),
        visible_(kernel.values.size(), false) {}

  std::vector<Fault> run() {
    check_shape();
    check_name(kernel_.name, {}, "the kernel");
    for (const Parameter& parameter : kernel_.parameters) {
      check_parameter(parameter);
    }
    for (const Object& object : kernel_.objects) {
      check_object(object);
    }
    collect(kernel_.body, 1, {});
    if (kernel_.body < kernel_.regions.size()) {
      check_body();
    }
    if (faults_.empty()) {
      faults_ = pointer_faults(kernel_);
    }
    return std::move(faults_);
  }

 private:
  template <class... Arguments>
  void fault(LineOf place, fmt::format_string<Arguments...> sentence, Arguments&&... arguments) {
    faults_.push_back({place, fmt::format(sentence, std::forward<Arguments>(arguments)...)});
  }

  std::string named(ValueId value) const { return "%" + shortened(kernel_.values[value].name); }

  // ---- the head --------------------------------------------------------------------------------------------------------------

  void check_shape() {
    const Shape shape = kernel_.shape;
    if (shape.wg_size == 0 || shape.wg_pack == 0) {
      fault({}, "a group has at least one item, and a pack at least one group");
    } else if (std::uint64_t{shape.wg_size} * shape.wg_pack > max_lanes) {
      fault({}, "a pack has at most {} items", max_lanes);
    }
  }

  void check_name(std::string_view name, LineOf place, std::string_view what) {
    if (!is_name(name)) {
      fault(place, "{} has the name {}, which is no word of letters, digits, '_' and '.'", what, quoted(name));
    }
  }

  /// A name that stands behind '%'.
  void define_name(std::string_view name, LineOf place) {
    check_name(name, place, "something");
    if (!names_.insert(name).second) {
      fault(place, "the name {} is given twice", quoted(name));
    }
  }

  void check_parameter(const Parameter& parameter) {
    define_name(parameter.name, {});
    if (parameter.is_pointer) {
      return;
    }
    if (parameter.value >= kernel_.values.size()) {
      fault({}, "the parameter %{} has no value", shortened(parameter.name));
      return;
    }
    const Value& value = kernel_.values[parameter.value];
    const Type wanted{Element::of(parameter.scalar), Layout::pack()};
    if (value.name != parameter.name) {
      fault({}, "the value of the parameter %{} has the name %{}", shortened(parameter.name), shortened(value.name));
    }
    if (value.type != wanted) {
      fault({}, "the parameter %{} must be {}, not {}", shortened(parameter.name), text_of(wanted, kernel_.shape),
            text_of(value.type, kernel_.shape));
    }
    count_definition(parameter.value, {});
    visible_[parameter.value] = true;
  }

  void check_object(const Object& object) {
    define_name(object.name, {});
    const std::string name = shortened(object.name);
    if (object.space == AddressSpace::Global) {
      fault({}, "%{} is global: that memory is the launch's, not the kernel's", name);
    }
    if (object.count == 0 || object.count > max_lanes) {
      fault({}, "%{} must have 1 to {} elements, not {}", name, max_lanes, object.count);
    }
    const bool is_constant = object.space == AddressSpace::Constant;
    if (object.values.size() != (is_constant ? object.count : 0)) {
      fault({}, "%{} has {} elements, but {} values: only a constant object has values, one for each element", name, object.count,
            object.values.size());
    }
    for (const std::uint64_t bits : object.values) {
      if (!is_number(object.element, bits)) {
        fault({}, "the bits {:#x} in %{} are no number of {}", bits, name, text_of(object.element));
        return;
      }
    }
  }

  // ---- regions and definitions -------------------------------------------------------------------------------------------------

  void count_definition(ValueId value, LineOf place) {
    if (++definitions_[value] == 2) {
      fault(place, "{} is defined twice", named(value));
    }
  }

  void collect_definition(ValueId value, LineOf place) {
    if (value >= kernel_.values.size()) {
      fault(place, "there is no value number {}", value);
      return;
    }
    count_definition(value, place);
    if (definitions_[value] == 1) {
      define_name(kernel_.values[value].name, place);
      check_value_type(value, place);
    }
  }

  void check_value_type(ValueId value, LineOf place) {
    if (const std::string wrong = wrong_layout(kernel_.values[value].type.layout, kernel_.shape); !wrong.empty()) {
      fault(place, "{}: {}", named(value), wrong);
    }
  }

  /// The regions that form a tree, and what is defined in them.
  void collect(RegionId id, std::size_t depth, LineOf user) {
    if (id >= kernel_.regions.size()) {
      fault(user, "there is no region number {}", id);
      return;
    }
    if (entered_[id]) {
      fault(user, "region number {} is used more than once", id);
      return;
    }
    if (depth > max_depth) {
      fault(user, "regions lie in each other at most {} deep", max_depth);
      return;
    }
    entered_[id] = true;
    const Region& region = kernel_.regions[id];
    for (const ValueId argument : region.arguments) {
      collect_definition(argument, user);
    }
    for (std::size_t i = 0; i < region.operations.size(); ++i) {
      const LineOf place = OperationId{id, static_cast<std::uint32_t>(i)};
      for (const ValueId result : region.operations[i].results) {
        collect_definition(result, place);
      }
      for_each_region(region.operations[i].node, [&](RegionId inner) { collect(inner, depth + 1, place); });
    }
  }

  // ---- operations --------------------------------------------------------------------------------------------------------------

  void check_body() {
    const Region& body = kernel_.regions[kernel_.body];
    if (!body.arguments.empty() || !body.yields.empty()) {
      fault({}, "the kernel's body has neither arguments nor yields");
    }
    entered_.assign(kernel_.regions.size(), false);
    check_region(kernel_.body, 1);
  }

  void check_use(ValueId value, LineOf place) {
    if (value >= kernel_.values.size()) {
      fault(place, "there is no value number {}", value);
    } else if (definitions_[value] == 0) {
      fault(place, "{} is defined nowhere", named(value));
    } else if (!visible_[value]) {
      fault(place, "{} is not defined yet, or in a region that does not reach here", named(value));
    }
  }

  void show(ValueId value, std::vector<ValueId>& shown) {
    if (value < kernel_.values.size() && !visible_[value]) {
      visible_[value] = true;
      shown.push_back(value);
    }
  }

  void check_region(RegionId id, std::size_t depth) {
    if (id >= kernel_.regions.size() || entered_[id] || depth > max_depth) {
      return;  // said by collect
    }
    entered_[id] = true;
    const Region& region = kernel_.regions[id];
    std::vector<ValueId> shown;
    for (const ValueId argument : region.arguments) {
      show(argument, shown);
    }
    for (std::size_t i = 0; i < region.operations.size(); ++i) {
      check_operation(region.operations[i], OperationId{id, static_cast<std::uint32_t>(i)}, depth);
      for (const ValueId result : region.operations[i].results) {
        show(result, shown);
      }
    }
    for (const ValueId value : region.yields) {
      check_use(value, OperationId{id, static_cast<std::uint32_t>(region.operations.size())});
    }
    for (const ValueId value : shown) {
      visible_[value] = false;
    }
  }

  void check_operation(const Operation& operation, LineOf place, std::size_t depth) {
    for_each_use(operation.node, [&](ValueId value) { check_use(value, place); });
    const auto types = result_types(kernel_, operation.node);
    if (!types) {
      fault(place, "{}", types.error());
    } else {
      check_results(operation.results, *types, place);
    }
    for_each_region(operation.node, [&](RegionId region) { check_region(region, depth + 1); });
  }

  void check_results(const std::vector<ValueId>& results, const std::vector<Type>& types, LineOf place) {
    if (results.size() != types.size()) {
      fault(place, "the operation has {} results, not {}", types.size(), results.size());
      return;
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i] < kernel_.values.size() && kernel_.type_of(results[i]) != types[i]) {
        fault(place, "the result {} is {}, not {}", named(results[i]), text_of(types[i], kernel_.shape),
              text_of(kernel_.type_of(results[i]), kernel_.shape));
      }
    }
  }

  const Kernel& kernel_;
  std::vector<Fault> faults_;
  std::unordered_set<std::string_view> names_;
  std::vector<bool> entered_;
  std::vector<std::uint32_t> definitions_;
  std::vector<bool> visible_;
};

}  // namespace

std::vector<Fault> verify(const Kernel& kernel) { return Verifier(kernel).run(); }

std::string print_marked(const Kernel& kernel, const std::vector<Fault>& faults) {
  std::map<LineOf, std::vector<std::string>> marks;
  for (const Fault& fault : faults) {
    marks[fault.place].push_back("^ " + fault.sentence);
  }
  PrintOptions options;
  options.below = [&](LineOf place) {
    const auto found = marks.find(place);
    return found == marks.end() ? std::vector<std::string>{} : found->second;
  };
  return print(kernel, options);
}

}  // namespace lockstep::infreg
