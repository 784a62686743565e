// Right-hand sides, and the places in memory that they speak of.

#include <algorithm>
#include <type_traits>

#include "codegen/passes/converter.hpp"
#include "semantics/infreg/types.hpp"

namespace lockstep::passes {

infreg::Place Converter::place(const Place& p, Layout layout) {
  auto [index, rest] = split(p.index, layout);
  infreg::Place result{{}, std::move(index), rest};
  if (const auto* parameter = std::get_if<OfParameter>(&p.base)) {
    result.base = *parameter;
  } else if (const auto* object = std::get_if<OfObject>(&p.base)) {
    result.base = OfObject{objects_.at(object->id)};
  } else {
    const auto& pointer = std::get<Operand>(p.base);
    const Kind kind = kind_of(in_, pointer);
    const Layout wanted = kind == Kind::Pack && !lanes_ ? Layout::pack() : layout;
    result.base = infreg::AtPointer{operand(pointer, wanted)};
  }
  return result;
}

ValueId Converter::right(const Right& r, const std::optional<Operand>& mask, Kind kind, std::string_view name) {
  const Layout layout = working(kind);
  return std::visit(
      [&](const auto& node) -> ValueId {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Copy>) {
          return operand(node.source, layout);
        } else if constexpr (std::is_same_v<Node, Operate>) {
          std::vector<ValueId> operands;
          for (const Operand& o : node.operands) {
            operands.push_back(operand(o, layout));
          }
          return add(infreg::Elementwise{node.op, node.operand_type, std::move(operands)}, name);
        } else if constexpr (std::is_same_v<Node, Convert>) {
          return add(infreg::Convert{operand(node.source, layout), node.to}, name);
        } else if constexpr (std::is_same_v<Node, Bitcast>) {
          return add(infreg::Bitcast{operand(node.source, layout), node.to}, name);
        } else if constexpr (std::is_same_v<Node, Choose>) {
          const ValueId condition = operand(node.condition, layout);
          const ValueId then = operand(node.then, layout);
          return add(infreg::Select{condition, then, operand(node.otherwise, layout)}, name);
        } else if constexpr (std::is_same_v<Node, Resolve>) {
          infreg::Mask result{layout, {}};
          for (const infreg::Mask::Comparison& comparison : node.all_of) {
            result.all_of.push_back({lowered(comparison.left), comparison.op, lowered(comparison.right)});
          }
          return add(std::move(result), name);
        } else if constexpr (std::is_same_v<Node, Shuffle>) {
          return shuffle(node, mask, layout, name);
        } else if constexpr (std::is_same_v<Node, NumGroups>) {
          return fitted(add(infreg::NumGroups{}, name), layout);
        } else if constexpr (std::is_same_v<Node, Vote>) {
          const ValueId value = operand(node.value, Layout::item());
          const ValueId active = mask ? operand(*mask, Layout::item()) : constant(infreg::truth, 1, Layout::item());
          return fitted(add(infreg::Vote{node.kind, false, value, active}, name), layout);
        } else if constexpr (std::is_same_v<Node, Load>) {
          infreg::Load load{
              {Element::of(node.place.element), layout}, place(node.place, layout), infreg::Access::Gather, mask_in(mask, layout)};
          load.access = infreg::access_of(out_, load.place, layout);
          return add(std::move(load), name);
        } else if constexpr (std::is_same_v<Node, Atomic>) {
          infreg::Atomic atomic{node.op,
                                {Element::of(node.place.element), layout},
                                place(node.place, layout),
                                infreg::Access::Gather,
                                node.compare ? std::optional(operand(*node.compare, layout)) : std::nullopt,
                                operand(node.value, layout),
                                mask_in(mask, layout)};
          atomic.access = infreg::access_of(out_, atomic.place, layout);
          return add(std::move(atomic), name);
        } else if constexpr (std::is_same_v<Node, Address>) {
          return address(node.place, layout);
        } else if constexpr (std::is_same_v<Node, PointerDistance>) {
          const ValueId left = operand(node.left, layout);
          return add(infreg::PointerDistance{node.element, left, operand(node.right, layout)}, name);
        } else {
          const ValueId left = operand(node.left, layout);
          return add(infreg::PointerCompare{node.op, left, operand(node.right, layout)}, name);
        }
      },
      r);
}

ValueId Converter::address(const Place& p, Layout layout) {
  ValueId base = 0;
  if (const auto* pointer = std::get_if<Operand>(&p.base)) {
    base = operand(*pointer, layout);
  } else {
    infreg::AddressOf of;
    if (const auto* parameter = std::get_if<OfParameter>(&p.base)) {
      of.object = *parameter;
    } else {
      of.object = OfObject{objects_.at(std::get<OfObject>(p.base).id)};
    }
    base = fitted(add(of, "p"), layout);
  }
  return add(infreg::PointerOffset{p.element, base, number(ScalarType::Long, p.index, layout)}, "p");
}

ValueId Converter::shuffle(const Shuffle& node, const std::optional<Operand>& mask, Layout layout, std::string_view name) {
  const auto* lane = std::get_if<Number>(&node.lane);
  const bool is_known = lane != nullptr && std::ranges::all_of(lane->value.terms(), [&](const infreg::Monomial& term) {
                          return std::ranges::all_of(
                              term.factors, [&](Symbol symbol) { return symbol.kind != Symbol::Kind::Group && is_lane_symbol(symbol); });
                        });
  const Kind source_kind = kind_of(in_, node.source);
  if (source_kind != Kind::Item) {
    return operand(node.source, layout);
  }
  if (is_known) {
    // What an inactive item has may take the place of poison.
    const ValueId source = operand(node.source, working(Kind::Item));
    const Polynomial element = layout.elements == 1 ? Polynomial(0) : Polynomial(Symbol::element());
    return add(infreg::Reorder{source, layout, infreg::Reorder::Affine{lowered(lane->value), element}}, name);
  }
  const ValueId source = operand(node.source, working(Kind::Item));
  const ValueId from = converted(operand(node.lane, Layout::item()), ScalarType::Long);
  const ValueId active = mask ? operand(*mask, Layout::item()) : constant(infreg::truth, 1, Layout::item());
  return fitted(add(infreg::Shuffle{source, from, active}, name), layout);
}

}  // namespace lockstep::passes
