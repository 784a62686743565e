#include "codegen/emit/avx512/apart.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/avx512/ranges.hpp"
#include "semantics/infreg/walk.hpp"
#include "semantics/ops/interval.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

namespace {

/// Elements of a parameter that one instruction may touch in the group wg.ix.
struct Footprint {
  ParameterId parameter = 0;
  Polynomial first;
  Polynomial last;
};

std::uint64_t magnitude(std::int64_t n) { return n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n); }

/// How far a symbol may take an index from where it begins. What goes further leaves every buffer, or comes back behind 2^64: where a mask
/// holds in some of the lanes only, the first and the last one bound nothing then.
constexpr Wide far_away = Wide{1} << 40;

class Footprints {
 public:
  Footprints(const Kernel& kernel, const Scalars& scalars) : kernel_(kernel), scalars_(scalars) { walk(kernel.body); }

  bool known = true;
  std::vector<Footprint> loads;
  std::vector<Footprint> stores;

 private:
  void walk(RegionId id) {
    for (const Operation& operation : kernel_.regions[id].operations) {
      if (const auto* load = std::get_if<Load>(&operation.node)) {
        add(load->place, load->type.layout, loads);
      } else if (const auto* atomic = std::get_if<Atomic>(&operation.node)) {
        add(atomic->place, atomic->type.layout, loads);
        add(atomic->place, atomic->type.layout, stores);
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
      if (!slope || !slope->is_constant() || !stays_near(Wide{slope->constant()}, Wide{low.constant()}, Wide{high.constant()}, far_away)) {
        return false;
      }
      const Polynomial& chosen = (slope->constant() > 0) == least ? low : high;
      p = p.without(symbol) + *slope * chosen;
      return true;
    };
    const auto count = [](std::uint32_t n) { return Polynomial(std::int64_t{n} - 1); };
    if (p.mentions(Symbol::item()) && !put(Symbol::item(), 0, count(kernel_.shape.wg_size))) {
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
        fine = fine && scalars_.text(value);
      }
    }
    return fine ? std::optional(p) : std::nullopt;
  }

  const Kernel& kernel_;
  const Scalars& scalars_;
  Ranges ranges_;
};

using Bounds = std::vector<Polynomial>;

/// One bound more; of those that differ by a number the lowest or highest stays.
void put(Bounds& bounds, const Polynomial& bound, bool lowest) {
  for (Polynomial& present : bounds) {
    const Polynomial distance = bound - present;
    if (distance.is_constant()) {
      if ((distance.constant() < 0) == lowest) {
        present = bound;
      }
      return;
    }
  }
  bounds.push_back(bound);
}

/// `size` times (p + more), in unsigned arithmetic, where wg.ix is `group`.
std::string sum_text(const Scalars& scalars, const Polynomial& p, const std::string& group, std::int64_t more, unsigned size) {
  std::string sum;
  for (const Monomial& term : p.terms()) {
    const auto coefficient = static_cast<std::uint64_t>(term.coefficient) * size;
    const bool minus = coefficient == ~std::uint64_t{0};
    std::string product = coefficient == 1 || minus ? "" : fmt::format("{}u", coefficient);
    for (const Symbol symbol : term.factors) {
      const std::string factor = symbol.kind == Symbol::Kind::Value ? scalars.text(symbol.value).value() : group;
      product += fmt::format("{}v::u({})", product.empty() ? "" : " * ", factor);
    }
    sum += (minus ? sum.empty() ? "0u - " : " - " : sum.empty() ? "" : " + ") + product;
  }
  const auto number = static_cast<std::uint64_t>(p.constant() + more) * size;
  if (number != 0 || sum.empty()) {
    sum += fmt::format("{}{}u", sum.empty() ? "" : " + ", number);
  }
  return sum;
}

}  // namespace

std::optional<std::string> far_condition(const Scalars& scalars, const Polynomial& distance, std::uint64_t lanes) {
  bool known = !distance.mentions(Symbol::group()) && !distance.mentions(Symbol::item()) && !distance.mentions(Symbol::element());
  distance.for_each_value([&](ValueId value) { known = known && scalars.text(value); });
  if (!known) {
    return std::nullopt;
  }
  return fmt::format("v::far({}, {}u)", sum_text(scalars, distance, "", 0, 1), lanes);
}

std::optional<Apart> apart_condition(const Kernel& kernel, const std::vector<std::string>& names) {
  const Scalars scalars(kernel, names);
  const Footprints all(kernel, scalars);
  if (!all.known) {
    return std::nullopt;
  }
  // Bytes from a parameter's beginning over all groups, in unsigned arithmetic.
  const auto text = [&](const Polynomial& p, bool lowest, std::int64_t more, unsigned size) -> std::optional<std::string> {
    const auto slope = p.slope(Symbol::group());
    if (!slope || !slope->is_constant()) {
      return std::nullopt;
    }
    const bool of_first = (slope->constant() >= 0) == lowest;
    // Group last - 1 is the last one; not a byte more, as buffers often lie side by side.
    return of_first ? sum_text(scalars, p, "first", more, size) : sum_text(scalars, p, "last", more - slope->constant(), size);
  };
  // Of each parameter, from the lowest byte to behind the highest.
  struct Hull {
    std::string name;
    bool is_stored = false;
  };
  std::vector<Hull> hulls;
  std::uint64_t stride = 1;  // elements from group to group, at most
  Apart result;
  for (ParameterId id = 0; id < kernel.parameters.size(); ++id) {
    Bounds firsts;
    Bounds lasts;
    Hull hull{names[id] + "_bytes", false};
    while (std::ranges::count(names, hull.name) != 0) {
      hull.name += "_0";
    }
    for (const auto* footprints : {&all.loads, &all.stores}) {
      for (const Footprint& footprint : *footprints) {
        if (footprint.parameter == id) {
          put(firsts, footprint.first, true);
          put(lasts, footprint.last, false);
          for (const Polynomial& end : {footprint.first, footprint.last}) {
            const auto slope = end.slope(Symbol::group());
            stride = std::max(stride, slope && slope->is_constant() ? magnitude(slope->constant()) : 1);
          }
          hull.is_stored = hull.is_stored || footprints == &all.stores;
        }
      }
    }
    if (firsts.empty()) {
      continue;
    }
    const unsigned size = size_of(kernel.parameters[id].scalar);
    const auto extreme = [&](const Bounds& bounds, bool lowest) -> std::optional<std::string> {
      std::vector<std::string> texts;
      for (const Polynomial& bound : bounds) {
        const auto here = text(bound, lowest, lowest ? 0 : 1, size);
        if (!here) {
          return std::nullopt;
        }
        texts.push_back(*here);
      }
      return texts.size() == 1 ? texts.front() : fmt::format("v::{}({})", lowest ? "lowest" : "highest", fmt::join(texts, ", "));
    };
    const auto begin = extreme(firsts, true);
    const auto end = extreme(lasts, false);
    if (!begin || !end) {
      return std::nullopt;
    }
    result.buffers.push_back(fmt::format("const v::Bytes {} = v::bytes({}, {}, {});", hull.name, names[id], *begin, *end));
    hulls.push_back(hull);
  }
  std::vector<std::string> conditions;
  for (std::size_t i = 0; i < hulls.size(); ++i) {
    for (std::size_t j = i + 1; j < hulls.size(); ++j) {
      if (hulls[i].is_stored || hulls[j].is_stored) {
        conditions.push_back(fmt::format("v::apart({}, {})", hulls[i].name, hulls[j].name));
      }
    }
  }
  // Nor do the groups come back behind 2^64. There are at most 2^48.
  constexpr std::uint64_t short_stride = std::uint64_t{1} << 12;
  if (!conditions.empty() && stride > short_stride) {
    conditions.push_back(fmt::format("v::u(last - first) <= {}u", (std::uint64_t{1} << 59) / stride));
  }
  result.condition = conditions.empty() ? "true" : fmt::format("{}", fmt::join(conditions, " && "));
  if (conditions.empty()) {
    result.buffers.clear();
  }
  return result;
}

}  // namespace lockstep::emit_avx512
