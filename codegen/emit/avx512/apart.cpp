#include "codegen/emit/avx512/apart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "codegen/emit/avx512/ranges.hpp"
#include "semantics/base/mutants.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

namespace {

/// Elements of a parameter that one instruction may touch in the group wg.ix.
struct Footprint {
  ParameterId parameter = 0;
  Polynomial first;
  Polynomial last;
};

class Footprints {
 public:
  explicit Footprints(const Kernel& kernel) : kernel_(kernel) { walk(kernel.body); }

  bool known = true;
  std::vector<Footprint> loads;
  std::vector<Footprint> stores;

 private:
  void walk(RegionId id) {
    for (const Operation& operation : kernel_.regions[id].operations) {
      if (const auto* load = std::get_if<Load>(&operation.node)) {
        add(load->place, load->type.layout, loads);
      } else if (const auto* store = std::get_if<Store>(&operation.node)) {
        add(store->place, kernel_.type_of(store->value).layout, stores);
      } else if (const auto* loop = std::get_if<For>(&operation.node);
                 loop != nullptr && loop->from.is_constant() && loop->limit.is_constant()) {
        const std::int64_t a = loop->from.constant();
        const std::int64_t b = loop->limit.constant();
        ranges_[Symbol::of(kernel_.regions[loop->body].arguments.front())] = {std::min(a, b), std::max(a, b)};
      }
      for_each_region(operation.node, [&](RegionId inner) { walk(inner); });
    }
  }

  void add(const Place& place, Layout layout, std::vector<Footprint>& to) {
    if (std::holds_alternative<OfObject>(place.base)) {
      return;
    }
    const auto* parameter = std::get_if<OfParameter>(&place.base);
    const auto first = parameter == nullptr || place.lanes ? std::nullopt : bound(place.index, layout, true);
    const auto last = first ? bound(place.index, layout, false) : std::nullopt;
    known = known && first && last;
    if (first && last) {
      const Footprint footprint{parameter->id, *first, *last};
      const auto same = [&](const Footprint& other) {
        return other.parameter == footprint.parameter && other.first == footprint.first && other.last == footprint.last;
      };
      if (std::ranges::none_of(to, same)) {
        to.push_back(footprint);
      }
    }
  }

  /// A polynomial in wg.ix and the kernel's scalars.
  std::optional<Polynomial> bound(Polynomial p, Layout layout, bool least) {
    const auto put = [&](Symbol symbol, const Polynomial& low, const Polynomial& high) {
      const auto slope = p.slope(symbol);
      if (!slope || !slope->is_constant()) {
        return false;
      }
      const Polynomial& chosen = (slope->constant() > 0) == least ? low : high;
      p = p.without(symbol) + *slope * chosen;
      return true;
    };
    const auto count = [](std::uint32_t n) { return Polynomial(std::int64_t{n} - 1); };
    if (p.mentions(Symbol::item()) && !put(Symbol::item(), 0, count(LOCKSTEP_MUTATE(avx512_apart_of_item_0, kernel_.shape.wg_size, 1)))) {
      return std::nullopt;
    }
    if (p.mentions(Symbol::element()) && !put(Symbol::element(), 0, count(layout.elements))) {
      return std::nullopt;
    }
    bool fine = true;
    std::vector<ValueId> values;
    p.for_each_value([&](ValueId value) { values.push_back(value); });
    for (const ValueId value : values) {
      const Symbol symbol = Symbol::of(value);
      if (const auto range = ranges_.find(symbol); range != ranges_.end()) {
        fine = fine && put(symbol, range->second.least, range->second.most);
      } else {
        fine = fine && std::ranges::any_of(kernel_.parameters, [&](const Parameter& q) { return !q.is_pointer && q.value == value; });
      }
    }
    return fine ? std::optional(p) : std::nullopt;
  }

  const Kernel& kernel_;
  Ranges ranges_;
};

}  // namespace

std::optional<std::string> apart_condition(const Kernel& kernel, const std::vector<std::string>& names) {
  const Footprints all(kernel);
  if (!all.known) {
    return std::nullopt;
  }
  // Bytes from a parameter's beginning over all groups, in unsigned arithmetic.
  const auto text = [&](const Polynomial& p, bool lowest, std::int64_t more, unsigned size) -> std::optional<std::string> {
    const auto slope = p.slope(Symbol::group());
    if (!slope || !slope->is_constant()) {
      return std::nullopt;
    }
    const std::string group = LOCKSTEP_MUTATE(avx512_apart_of_first_group, (slope->constant() >= 0) == lowest, true) ? "first" : "last";
    std::string sum = fmt::format("{}u", static_cast<std::uint64_t>(p.constant() + more) * size);
    for (const Monomial& term : p.terms()) {
      std::string product = fmt::format("{}u", static_cast<std::uint64_t>(term.coefficient) * size);
      for (const Symbol symbol : term.factors) {
        std::string name = group;
        if (symbol.kind == Symbol::Kind::Value) {
          const auto parameter =
              std::ranges::find_if(kernel.parameters, [&](const Parameter& q) { return !q.is_pointer && q.value == symbol.value; });
          name = names[static_cast<std::size_t>(parameter - kernel.parameters.begin())];
        }
        product += fmt::format(" * v::u({})", name);
      }
      sum += " + " + product;
    }
    return sum;
  };
  std::vector<std::string> conditions;
  for (const Footprint& store : all.stores) {
    std::vector<Footprint> others = all.loads;
    others.insert(others.end(), all.stores.begin(), all.stores.end());
    for (const Footprint& other : others) {
      if (other.parameter == store.parameter) {
        continue;
      }
      const unsigned other_size = size_of(kernel.parameters[other.parameter].scalar);
      const unsigned store_size = size_of(kernel.parameters[store.parameter].scalar);
      const auto a = text(other.first, true, 0, other_size);
      const auto b = text(other.last, false, 1, other_size);
      const auto c = text(store.first, true, 0, store_size);
      const auto d = text(store.last, false, 1, store_size);
      if (!a || !b || !c || !d) {
        return std::nullopt;
      }
      std::string condition =
          fmt::format("v::apart({}, {}, {}, {}, {}, {})", names[other.parameter], *a, *b, names[store.parameter], *c, *d);
      if (std::ranges::find(conditions, condition) == conditions.end()) {
        conditions.push_back(std::move(condition));
      }
    }
  }
  return conditions.empty() ? "true" : fmt::format("{}", fmt::join(conditions, " &&\n                     "));
}

}  // namespace lockstep::emit_avx512
