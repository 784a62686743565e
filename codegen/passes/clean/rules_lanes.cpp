#include <algorithm>
#include <utility>
#include <vector>

#include "codegen/passes/clean/patterns.hpp"
#include "codegen/passes/clean/rules.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/access.hpp"

namespace lockstep::passes::clean {

using namespace infreg;

namespace {

/// What an Index or Mask gives in other lanes: result lane (wi, ix) has what the source's lane (item, element) has.
Simpler moved(const Facts& facts, ValueId source, const Type& type, const Polynomial& item, const Polynomial& element) {
  if (const auto* index = facts.as<Index>(source)) {
    auto value = placed(index->value, item, element);
    return value ? becomes(Index{type, std::move(*value)}) : nothing();
  }
  const auto* mask = facts.as<Mask>(source);
  if (mask == nullptr) {
    return nothing();
  }
  Mask result{type.layout, {}};
  for (const Mask::Comparison& comparison : mask->all_of) {
    auto left = placed(comparison.left, item, element);
    auto right = placed(comparison.right, item, element);
    if (!left || !right) {
      return nothing();
    }
    result.all_of.push_back({std::move(*left), comparison.op, std::move(*right)});
  }
  return becomes(std::move(result));
}

Simpler list(const Type& type, std::vector<std::uint64_t> bits) {
  if (std::ranges::all_of(bits, [&](std::uint64_t number) { return number == bits.front(); })) {
    return becomes(Constant{type, bits.front()});
  }
  return becomes(ConstantLanes{type, std::move(bits)});
}

bool is_wide(Layout layout) { return layout.kind != Layout::Kind::Pack; }

/// The place without what all lanes are known to add, and the mask without what is known of it.
template <class Moving>
Simpler shorter_access(const Kernel& kernel, const Facts& facts, const Moving& node, const Type& type) {
  Moving result = node;
  bool has_changed = false;
  if (node.mask && facts.is_constant(*node.mask, 1)) {
    result.mask.reset();
    has_changed = true;
  }
  if (node.place.lanes) {
    const auto more = facts.polynomial(*node.place.lanes);  // 64 bits: all of them count
    if (more && is_handy(*more) && is_handy(node.place.index)) {
      const Polynomial index = node.place.index + *more;
      if (is_handy(index)) {
        result.place.index = index;
        result.place.lanes.reset();
        has_changed = true;
      }
    }
  }
  const Access shown = access_of(kernel, result.place, type.layout);
  if (shown < result.access) {
    result.access = shown;
    has_changed = true;
  }
  return has_changed ? becomes(std::move(result)) : nothing();
}

}  // namespace

Simpler simpler(const Kernel&, const Facts&, const ConstantLanes& node, const Type& type) {
  const bool all_equal = std::ranges::all_of(node.bits, [&](std::uint64_t bits) { return bits == node.bits.front(); });
  return all_equal ? becomes(Constant{type, node.bits.front()}) : nothing();
}

Simpler simpler(const Kernel&, const Facts&, const Index& node, const Type& type) {
  if (!node.value.is_constant()) {
    return nothing();
  }
  const ScalarType to = type.element.scalar;
  const std::int64_t number = node.value.constant();
  if (to == ScalarType::Bool) {
    return becomes(Constant{type, number != 0 ? 1U : 0U});
  }
  return becomes(Constant{type, with_type(to, [&]<class T>(T) -> std::uint64_t {
                            if constexpr (std::is_integral_v<T>) {
                              return static_cast<std::uint64_t>(static_cast<T>(number));
                            } else {
                              throw InternalError("an index of floats");
                            }
                          })});
}

Simpler simpler(const Kernel&, const Facts& facts, const Mask& node, const Type& type) {
  Mask result{node.layout, {}};
  const SymbolRange ranges = facts.ranges(node.layout);
  for (const Mask::Comparison& comparison : node.all_of) {
    const std::optional<bool> answer = decided(comparison, ranges);
    if (answer == false) {
      return becomes(Constant{type, 0});
    }
    if (!answer) {
      result.all_of.push_back(comparison);
    }
  }
  if (result.all_of.empty()) {
    return becomes(Constant{type, 1});
  }
  return result.all_of.size() < node.all_of.size() ? becomes(std::move(result)) : nothing();
}

Simpler simpler(const Kernel& kernel, const Facts& facts, const Spread& node, const Type& type) {
  if (const auto* constant = facts.as<Constant>(node.source)) {
    return becomes(Constant{type, constant->bits});
  }
  if (facts.as<Poison>(node.source) != nullptr) {
    return becomes(Poison{type});
  }
  if (const auto* lanes = facts.as<ConstantLanes>(node.source); lanes != nullptr && kernel.type_of(node.source).layout == Layout::item() &&
                                                                lanes_per_group(type.layout, kernel.shape) <= most_folded_lanes) {
    std::vector<std::uint64_t> bits;
    for (const std::uint64_t number : lanes->bits) {
      bits.insert(bits.end(), type.layout.elements, number);
    }
    return list(type, std::move(bits));
  }
  if (node.layout == kernel.type_of(node.source).layout) {
    return same_as(node.source);
  }
  return moved(facts, node.source, type, Symbol::item(), 0);
}

Simpler simpler(const Kernel& kernel, const Facts& facts, const Reorder& node, const Type& type) {
  const auto* table = std::get_if<Reorder::Table>(&node.pattern);
  const bool takes_none =
      table != nullptr && std::ranges::all_of(table->source, [](std::uint32_t lane) { return lane == Reorder::Table::nowhere; });
  if (takes_none || facts.as<Poison>(node.source) != nullptr) {
    return becomes(Poison{type});
  }
  if (const auto* constant = facts.as<Constant>(node.source)) {
    return becomes(Constant{type, constant->bits});
  }
  if (const auto* lanes = facts.as<ConstantLanes>(node.source)) {
    if (const auto from = table_of(kernel, node)) {
      std::vector<std::uint64_t> bits;
      for (const std::uint32_t lane : *from) {
        bits.push_back(lane == Reorder::Table::nowhere ? lanes->bits.front() : lanes->bits[lane]);  // poison may be anything
      }
      return list(type, std::move(bits));
    }
  }
  if (const auto* affine = std::get_if<Reorder::Affine>(&node.pattern)) {
    return moved(facts, node.source, type, affine->item, affine->element);
  }
  return nothing();
}

Simpler simpler(const Kernel& kernel, const Facts& facts, const Shuffle& node, const Type& type) {
  if (facts.as<Poison>(node.source) != nullptr || facts.as<Poison>(node.lane) != nullptr || facts.is_constant(node.mask, 0)) {
    return becomes(Poison{type});
  }
  if (const auto lane = facts.polynomial(node.lane); lane && !lane->mentions(Symbol::group())) {
    return becomes(Reorder{node.source, type.layout, Reorder::Affine{*lane, Symbol::element()}});
  }
  if (const auto* lanes = facts.as<ConstantLanes>(node.lane);
      lanes != nullptr && lanes_per_group(type.layout, kernel.shape) <= most_folded_lanes) {
    Reorder::Table table;
    for (const std::uint64_t item : lanes->bits) {
      for (std::uint32_t ix = 0; ix < type.layout.elements; ++ix) {
        table.source.push_back(item < kernel.shape.wg_size ? static_cast<std::uint32_t>(item * type.layout.elements + ix)
                                                           : Reorder::Table::nowhere);
      }
    }
    return becomes(Reorder{node.source, type.layout, std::move(table)});
  }
  return nothing();
}

Simpler simpler(const Kernel& kernel, const Facts& facts, const Vote& node, const Type& type) {
  const auto value = facts.constant(node.value);
  const bool all_active = facts.is_constant(node.mask, 1);
  if (facts.is_constant(node.mask, 0)) {
    return becomes(Constant{type, node.kind == Vote::Kind::All ? 1U : 0U});
  }
  if (value && (*value != 0) == (node.kind == Vote::Kind::All)) {
    return becomes(Constant{type, *value});
  }
  if (!all_active) {
    return nothing();
  }
  const Layout layout = kernel.type_of(node.value).layout;
  if (node.kind == Vote::Kind::Popcount || node.kind == Vote::Kind::Ballot) {
    // How many groups a pack has is not asked: groups beyond the last full pack run the same kernel one by one.
    if (!value || node.whole_pack) {
      return nothing();
    }
    const std::uint64_t count = lanes_per_group(layout, kernel.shape);
    const std::uint64_t all = node.kind == Vote::Kind::Popcount ? count : count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    return becomes(Constant{type, all});
  }
  if (value) {
    return becomes(Constant{type, *value});
  }
  if (const auto* spread = facts.as<Spread>(node.value)) {
    const Layout from = kernel.type_of(spread->source).layout;
    if (from == type.layout) {
      return same_as(spread->source);
    }
    if (!is_wide(from)) {
      return becomes(Spread{spread->source, type.layout});
    }
  }
  return nothing();
}

Simpler simpler(const Kernel&, const Facts& facts, const PointerOffset& node, const Type&) {
  return facts.is_constant(node.index, 0) ? same_as(node.pointer) : nothing();
}

Simpler simpler(const Kernel& kernel, const Facts& facts, const Load& node, const Type& type) {
  if (node.mask && facts.is_constant(*node.mask, 0)) {
    return becomes(Poison{type});
  }
  return shorter_access(kernel, facts, node, type);
}

Simpler simpler(const Kernel& kernel, const Facts& facts, const Store& node, const Type& type) {
  return shorter_access(kernel, facts, node, type);
}

Simpler simpler(const Kernel& kernel, const Facts& facts, const Atomic& node, const Type& type) {
  if (node.mask && facts.is_constant(*node.mask, 0)) {
    return becomes(Poison{type});
  }
  return shorter_access(kernel, facts, node, type);
}

}  // namespace lockstep::passes::clean
