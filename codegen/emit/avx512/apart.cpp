#include "codegen/emit/avx512/apart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "codegen/emit/avx512/ranges.hpp"
#include "codegen/emit/c/header.hpp"
#include "semantics/base/mutants.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

namespace {

/// Numbers of the whole launch that are computed from the kernel's scalars: offsets like `2 * batch`.
class Scalars {
 public:
  explicit Scalars(const Kernel& kernel, const std::vector<std::string>& names) : kernel_(kernel), names_(names) {
    definitions_.resize(kernel.values.size());
    for (const Operation& operation : kernel.regions[kernel.body].operations) {
      if (operation.results.size() == 1) {
        definitions_[operation.results.front()] = &operation;
      }
    }
  }

  /// The number in C++, by the functions of the support header; none for what is more than sums and products of integers of 32 and 64 bits.
  std::optional<std::string> text(ValueId value, unsigned depth = 0) const {
    constexpr unsigned deepest = 8;
    const Type& type = kernel_.type_of(value);
    const bool fits = type.layout.kind == Layout::Kind::Pack && !type.element.is_pointer && is_integer(type.element.scalar) &&
                      type.element != truth && size_of(type.element.scalar) >= 4;
    if (!fits || depth == deepest) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      if (!kernel_.parameters[i].is_pointer && kernel_.parameters[i].value == value) {
        return names_[i];
      }
    }
    if (definitions_[value] == nullptr) {
      return std::nullopt;
    }
    const Node& node = definitions_[value]->node;
    const std::string_view here = emit_c::c_type(type.element.scalar);
    if (const auto* constant = std::get_if<Constant>(&node)) {
      const bool is_wide = size_of(type.element.scalar) == 8;
      return fmt::format("{}({}u)", here, is_wide ? constant->bits : constant->bits & 0xffff'ffffU);
    }
    if (const auto* convert = std::get_if<Convert>(&node)) {
      const auto from = text(convert->source, depth + 1);
      return from ? std::optional(fmt::format("v::convert<{}>({})", here, *from)) : std::nullopt;
    }
    const auto* operation = std::get_if<Elementwise>(&node);
    const std::string_view function = operation == nullptr       ? ""
                                      : operation->op == Op::Add ? "add"
                                      : operation->op == Op::Sub ? "sub"
                                      : operation->op == Op::Mul ? "mul"
                                                                 : "";
    if (function.empty()) {
      return std::nullopt;
    }
    const auto left = text(operation->operands[0], depth + 1);
    const auto right = text(operation->operands[1], depth + 1);
    return left && right ? std::optional(fmt::format("v::{}({}, {})", function, *left, *right)) : std::nullopt;
  }

 private:
  const Kernel& kernel_;
  const std::vector<std::string>& names_;
  std::vector<const Operation*> definitions_;
};

/// Elements of a parameter that one instruction may touch in the group wg.ix.
struct Footprint {
  ParameterId parameter = 0;
  Polynomial first;
  Polynomial last;
};

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
      if (LOCKSTEP_MUTATE(avx512_apart_of_first_access, (distance.constant() < 0) == lowest, false)) {
        present = bound;
      }
      return;
    }
  }
  bounds.push_back(bound);
}

}  // namespace

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
    const std::string group = LOCKSTEP_MUTATE(avx512_apart_of_first_group, (slope->constant() >= 0) == lowest, true) ? "first" : "last";
    std::string sum = fmt::format("{}u", static_cast<std::uint64_t>(p.constant() + more) * size);
    for (const Monomial& term : p.terms()) {
      std::string product = fmt::format("{}u", static_cast<std::uint64_t>(term.coefficient) * size);
      for (const Symbol symbol : term.factors) {
        std::string name = group;
        if (symbol.kind == Symbol::Kind::Value) {
          name = scalars.text(symbol.value).value();
        }
        product += fmt::format(" * v::u({})", name);
      }
      sum += " + " + product;
    }
    return sum;
  };
  // Of each parameter, from the lowest byte to behind the highest.
  struct Hull {
    std::string name;
    bool is_stored = false;
  };
  std::vector<Hull> hulls;
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
        const auto here = text(bound, lowest, LOCKSTEP_MUTATE(avx512_apart_last_byte, lowest ? 0 : 1, 0), size);
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
  result.condition = conditions.empty() ? "true" : fmt::format("{}", fmt::join(conditions, " && "));
  if (conditions.empty()) {
    result.buffers.clear();
  }
  return result;
}

}  // namespace lockstep::emit_avx512
