#pragma once
// Which values, regions and memory an operation uses: the one place that knows, for verifier, printer, passes and emitters.

#include <algorithm>
#include <type_traits>
#include <variant>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::infreg {

/// Calls f(ValueId&) with each operand of the node that is a value of its own, in the order of the text; not those in polynomials.
/// N is Node or const Node.
template <class N, class F>
void for_each_plain_operand(N& node, F&& f) {
  const auto optional = [&](auto& value) {
    if (value) {
      f(*value);
    }
  };
  const auto place = [&](auto& p) {
    if (auto* pointer = std::get_if<AtPointer>(&p.base)) {
      f(pointer->value);
    }
    optional(p.lanes);
  };
  const auto all = [&](auto& values) {
    for (auto& value : values) {
      f(value);
    }
  };
  std::visit(
      [&](auto& n) {
        using T = std::remove_cvref_t<decltype(n)>;
        if constexpr (std::is_same_v<T, Spread> || std::is_same_v<T, Convert> || std::is_same_v<T, Bitcast> || std::is_same_v<T, Reorder>) {
          f(n.source);
        } else if constexpr (std::is_same_v<T, Elementwise>) {
          all(n.operands);
        } else if constexpr (std::is_same_v<T, Select>) {
          f(n.condition);
          f(n.then);
          f(n.otherwise);
        } else if constexpr (std::is_same_v<T, Shuffle>) {
          f(n.source);
          f(n.lane);
          f(n.mask);
        } else if constexpr (std::is_same_v<T, Vote>) {
          f(n.value);
          f(n.mask);
        } else if constexpr (std::is_same_v<T, PointerOffset>) {
          f(n.pointer);
          f(n.index);
        } else if constexpr (std::is_same_v<T, PointerDistance> || std::is_same_v<T, PointerCompare>) {
          f(n.left);
          f(n.right);
        } else if constexpr (std::is_same_v<T, Load>) {
          place(n.place);
          optional(n.mask);
        } else if constexpr (std::is_same_v<T, Store>) {
          place(n.place);
          f(n.value);
          optional(n.mask);
        } else if constexpr (std::is_same_v<T, Atomic>) {
          place(n.place);
          optional(n.compare);
          f(n.value);
          optional(n.mask);
        } else if constexpr (std::is_same_v<T, If>) {
          f(n.condition);
        } else if constexpr (std::is_same_v<T, For> || std::is_same_v<T, Loop>) {
          all(n.inits);
        }
      },
      node);
}

/// Calls f(Polynomial&) with each polynomial of the node.
template <class N, class F>
void for_each_polynomial(N& node, F&& f) {
  std::visit(
      [&](auto& n) {
        using T = std::remove_cvref_t<decltype(n)>;
        if constexpr (std::is_same_v<T, Index>) {
          f(n.value);
        } else if constexpr (std::is_same_v<T, Mask>) {
          for (auto& comparison : n.all_of) {
            f(comparison.left);
            f(comparison.right);
          }
        } else if constexpr (std::is_same_v<T, Reorder>) {
          if (auto* affine = std::get_if<Reorder::Affine>(&n.pattern)) {
            f(affine->item);
            f(affine->element);
          }
        } else if constexpr (std::is_same_v<T, Load> || std::is_same_v<T, Store> || std::is_same_v<T, Atomic>) {
          f(n.place.index);
        } else if constexpr (std::is_same_v<T, For>) {
          f(n.from);
          f(n.limit);
        }
      },
      node);
}

/// Calls f(ValueId) with every value that the node uses, with repetition; not what its regions use.
template <class F>
void for_each_use(const Node& node, F&& f) {
  for_each_plain_operand(node, [&](ValueId value) { f(value); });
  for_each_polynomial(node, [&](const Polynomial& polynomial) { polynomial.for_each_value(f); });
}

/// Replaces every value that the node uses by rename(value); not in its regions.
template <class F>
void rename_uses(Node& node, F&& rename) {
  for_each_plain_operand(node, [&](ValueId& value) { value = rename(value); });
  for_each_polynomial(node, [&](Polynomial& polynomial) { polynomial = polynomial.with_values(rename); });
}

/// Calls f(RegionId&) with each region of the node, in the order of the text.
template <class N, class F>
void for_each_region(N& node, F&& f) {
  std::visit(
      [&](auto& n) {
        using T = std::remove_cvref_t<decltype(n)>;
        if constexpr (std::is_same_v<T, If>) {
          f(n.then);
          f(n.otherwise);
        } else if constexpr (std::is_same_v<T, For> || std::is_same_v<T, Loop>) {
          f(n.body);
        }
      },
      node);
}

/// Calls f(ValueId) with every value that the region uses, with repetition: its operations, those of the regions within, and what they
/// yield.
template <class F>
void for_each_use_within(const Kernel& kernel, RegionId id, const F& f) {
  const Region& region = kernel.regions[id];
  for (const Operation& operation : region.operations) {
    for_each_use(operation.node, f);
    for_each_region(operation.node, [&](RegionId inner) { for_each_use_within(kernel, inner, f); });
  }
  std::ranges::for_each(region.yields, f);
}

/// The place that a node accesses, within it; null if it accesses none. N is Node or const Node.
template <class N>
auto accessed_place(N& node) -> decltype(&std::get<Load>(node).place) {
  if (auto* load = std::get_if<Load>(&node)) {
    return &load->place;
  }
  if (auto* atomic = std::get_if<Atomic>(&node)) {
    return &atomic->place;
  }
  auto* store = std::get_if<Store>(&node);
  return store != nullptr ? &store->place : nullptr;
}

/// The place that a node changes; null if it changes none.
inline const Place* stored_place(const Node& node) { return std::holds_alternative<Load>(node) ? nullptr : accessed_place(node); }

/// The mask of a node that accesses a place.
inline std::optional<ValueId> access_mask(const Node& node) {
  if (const auto* load = std::get_if<Load>(&node)) {
    return load->mask;
  }
  if (const auto* atomic = std::get_if<Atomic>(&node)) {
    return atomic->mask;
  }
  const auto* store = std::get_if<Store>(&node);
  return store != nullptr ? store->mask : std::nullopt;
}

/// The type of the elements that a node accesses; Int of one that accesses none.
inline ScalarType accessed_type(const Kernel& kernel, const Node& node) {
  if (const auto* load = std::get_if<Load>(&node)) {
    return load->type.element.scalar;
  }
  if (const auto* atomic = std::get_if<Atomic>(&node)) {
    return atomic->type.element.scalar;
  }
  const auto* store = std::get_if<Store>(&node);
  return store != nullptr ? kernel.type_of(store->value).element.scalar : ScalarType::Int;
}

}  // namespace lockstep::infreg
