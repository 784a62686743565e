#include "codegen/passes/versions.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "semantics/infreg/builder.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::passes {

using namespace infreg;

namespace {

/// Puts another kernel's regions behind those of a kernel; of the two bodies each group runs one.
class Joining {
 public:
  Joining(Kernel& into, const Kernel& from) : into_(into), from_(from), values_(from.values.size()) {
    for (const Value& value : into.values) {
      names_.insert(value.name);
    }
    for (const Parameter& parameter : into.parameters) {
      names_.insert(parameter.name);
    }
    for (const Object& object : into.objects) {
      names_.insert(object.name);
    }
  }

  /// Returns what its body is now.
  RegionId run() {
    // A group runs one of the two, so that both have the same memory.
    std::vector<ObjectId> objects;
    for (const Object& object : from_.objects) {
      objects.push_back(same_object(object));
    }
    const auto first_region = static_cast<RegionId>(into_.regions.size());
    std::unordered_set<ValueId> parameters;
    for (std::size_t i = 0; i < from_.parameters.size(); ++i) {
      if (!from_.parameters[i].is_pointer) {
        values_[from_.parameters[i].value] = into_.parameters[i].value;
        parameters.insert(from_.parameters[i].value);
      }
    }
    for (ValueId value = 0; value < from_.values.size(); ++value) {
      if (!parameters.contains(value)) {
        values_[value] = static_cast<ValueId>(into_.values.size());
        into_.values.push_back({from_.values[value].type, unique(from_.values[value].name)});
      }
    }
    const auto rename = [&](ValueId value) { return values_[value]; };
    const auto object = [&](auto& base) {
      if (auto* of = std::get_if<OfObject>(&base)) {
        of->id = objects[of->id];
      }
    };
    for (Region region : from_.regions) {
      std::ranges::transform(region.arguments, region.arguments.begin(), rename);
      std::ranges::transform(region.yields, region.yields.begin(), rename);
      for (Operation& operation : region.operations) {
        rename_uses(operation.node, rename);
        std::ranges::transform(operation.results, operation.results.begin(), rename);
        for_each_region(operation.node, [&](RegionId& inner) { inner += first_region; });
        if (auto* address = std::get_if<AddressOf>(&operation.node)) {
          object(address->object);
        } else if (auto* place = accessed_place(operation.node)) {
          object(place->base);
        }
      }
      into_.regions.push_back(std::move(region));
    }
    return from_.body + first_region;
  }

 private:
  /// The one that is called and made alike, or a new one.
  ObjectId same_object(Object object) {
    if (const auto found = std::ranges::find(into_.objects, object); found != into_.objects.end()) {
      return static_cast<ObjectId>(found - into_.objects.begin());
    }
    object.name = unique(object.name);
    into_.objects.push_back(std::move(object));
    return static_cast<ObjectId>(into_.objects.size() - 1);
  }
  std::string unique(const std::string& name) {
    std::string result = name;
    for (unsigned number = 2; !names_.insert(result).second; ++number) {
      result = name + "." + std::to_string(number);
    }
    return result;
  }

  Kernel& into_;
  const Kernel& from_;
  std::vector<ValueId> values_;
  std::unordered_set<std::string> names_;
};

/// Asks whether magnitudes are below the bound. Nothing in it wraps: what is beyond the bound counts as the bound, and so does every
/// product with it, unless the other factor is 0.
class Asking {
 public:
  Asking(Kernel& kernel, RegionId region) : builder_(kernel), kernel_(kernel) { builder_.enter(region); }

  ValueId all(const std::vector<Polynomial>& magnitudes) {
    std::optional<ValueId> result;
    for (const Polynomial& magnitude : magnitudes) {
      const ValueId small =
          builder_.add(Elementwise{Op::Lt, ScalarType::ULong, {number_of(magnitude), constant(assumed_below)}}, {}, "fits");
      result = result ? builder_.add(Elementwise{Op::BitAnd, ScalarType::Bool, {*result, small}}, {}, "fits") : small;
    }
    return *result;
  }

 private:
  ValueId constant(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    return builder_.add(Constant{{Element::of(ScalarType::ULong), Layout::pack()}, bits}, {}, "c");
  }

  ValueId bounded(ValueId value) {
    return builder_.add(Elementwise{Op::Min, ScalarType::ULong, {value, constant(assumed_below)}}, {}, "size");
  }

  ValueId number_of(const Polynomial& magnitude) {
    ValueId sum = constant(magnitude.constant());
    for (const Monomial& term : magnitude.terms()) {
      ValueId product = constant(term.coefficient);
      for (const Symbol symbol : term.factors) {
        product = bounded(builder_.add(Elementwise{Op::Mul, ScalarType::ULong, {product, number_of(symbol)}}, {}, "size"));
      }
      sum = builder_.add(Elementwise{Op::Add, ScalarType::ULong, {sum, product}}, {}, "size");
    }
    return sum;
  }

  ValueId number_of(Symbol symbol) {
    const ValueId key = symbol.kind == Symbol::Kind::Group ? ~ValueId{0} : symbol.value;
    if (const auto known = numbers_.find(key); known != numbers_.end()) {
      return known->second;
    }
    ValueId value = 0;
    if (symbol.kind == Symbol::Kind::Group) {
      value = builder_.add(NumGroups{}, {}, "num_groups");
    } else {
      value = symbol.value;
      const ScalarType type = kernel_.type_of(value).element.scalar;
      if (is_signed(type)) {
        const ValueId wide = type == ScalarType::Long ? value : builder_.add(Convert{value, ScalarType::Long}, {}, "size");
        value = builder_.add(Elementwise{Op::Abs, ScalarType::Long, {wide}}, {}, "size");
      } else if (type != ScalarType::ULong) {
        value = builder_.add(Convert{value, ScalarType::ULong}, {}, "size");
      }
    }
    return numbers_[key] = bounded(value);
  }

  Builder builder_;
  Kernel& kernel_;
  std::unordered_map<ValueId, ValueId> numbers_;
};

struct Costs {
  std::size_t gathers = 0;
  std::size_t loops = 0;  ///< that ask in each round
};

Costs costs_of(const Kernel& kernel) {
  // What a group adds to an address is one number (docs/compile.md, Addresses).
  std::unordered_set<ValueId> of_group;
  for (const Region& region : kernel.regions) {
    for (const Operation& operation : region.operations) {
      const auto* spread = std::get_if<Spread>(&operation.node);
      if (spread != nullptr && kernel.type_of(spread->source).layout == Layout::group()) {
        of_group.insert(operation.results.front());
      }
    }
  }
  Costs costs;
  for (const Region& region : kernel.regions) {
    for (const Operation& operation : region.operations) {
      const auto* load = std::get_if<Load>(&operation.node);
      const auto* store = std::get_if<Store>(&operation.node);
      const bool gathers = (load != nullptr && load->access == Access::Gather) || (store != nullptr && store->access == Access::Gather);
      const Place* place = gathers ? accessed_place(operation.node) : nullptr;
      costs.gathers += gathers && !(place->lanes && of_group.contains(*place->lanes)) ? 1U : 0U;
      costs.loops += std::holds_alternative<Loop>(operation.node) ? 1U : 0U;
    }
  }
  return costs;
}

}  // namespace

bool is_worth_a_version(const Kernel& fast, const Kernel& exact) {
  const Costs of_fast = costs_of(fast);
  const Costs of_exact = costs_of(exact);
  return of_fast.gathers < of_exact.gathers || of_fast.loops < of_exact.loops;
}

Kernel with_versions(Kernel fast, const Kernel& exact, const std::vector<Polynomial>& magnitudes) {
  const RegionId otherwise = Joining(fast, exact).run();
  const RegionId then = fast.body;
  fast.body = static_cast<RegionId>(fast.regions.size());
  fast.regions.emplace_back();
  Asking asking(fast, fast.body);
  const ValueId condition = asking.all(magnitudes);
  fast.regions[fast.body].operations.push_back({If{condition, then, otherwise}, {}, {}});
  return fast;
}

}  // namespace lockstep::passes
