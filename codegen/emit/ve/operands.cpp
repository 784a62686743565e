// What an element of a value is, as an expression: a number of C, a vector, or a mask.
#include <fmt/format.h>

#include "codegen/emit/ve/writer.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

Writer::Operand Writer::operand(ValueId value, const At& at) const {
  const bool is_truth = element_of(value) == truth;
  switch (plan_.homes[value]) {
    case Home::Variable:
      return {name(value), Operand::Kind::Number};
    case Home::Element:
      return {name(value), plan_.alike[value] ? Operand::Kind::Number : is_truth ? Operand::Kind::Mask : Operand::Kind::Vector};
    case Home::Scratch: {
      if (here_.contains(value)) {
        return {kept_name(value), is_truth ? Operand::Kind::Mask : Operand::Kind::Vector};
      }
      const std::string numbers = fmt::format("_vel_vld_vssl(8, {}, vl)", scratch(value, at));
      return is_truth ? Operand{fmt::format("_vel_vfmklne_mvl({}, vl)", numbers), Operand::Kind::Mask}
                      : Operand{numbers, Operand::Kind::Vector};
    }
    case Home::Expression:
      break;
  }
  return compute(*definitions_[value], at);
}

std::string Writer::scratch(ValueId value, const At& at) const {
  if (plan_.homes[value] == Home::Scratch && !here_.contains(value)) {
    return name(value) + indices(layout_of(value), at);
  }
  if (plan_.homes[value] == Home::Expression) {
    const Node& node = definitions_[value]->node;
    if (const auto* reorder = std::get_if<Reorder>(&node)) {
      const auto way = plan_.reorderings.find(value);
      if (way != plan_.reorderings.end() && way->second.way != Way::Name) {
        return "";
      }
      return scratch(reorder->source, source_of(*reorder, at));
    }
    if (const auto* spread = std::get_if<Spread>(&node)) {
      return scratch(spread->source, At{at.p, at.wi, "0"});
    }
  }
  return "";
}

/// Of truth values 0 and 1, as they lie in memory.
std::string Writer::as_vector(const Operand& operand, Element element) const {
  switch (operand.kind) {
    case Operand::Kind::Vector:
      return operand.text;
    case Operand::Kind::Mask:
      return fmt::format("v_numbers({}, vl)", operand.text);
    case Operand::Kind::Number:
      break;
  }
  if (plan_.is_paired) {
    return fmt::format("_vel_pvbrd_vsl({}, vl)", pair_of(operand.text));
  }
  const char* broadcast = element == Element::of(ScalarType::Double)  ? "vbrdd"
                          : element == Element::of(ScalarType::Float) ? "vbrds"
                                                                      : "vbrdl";
  return fmt::format("_vel_{}_vsl({}, vl)", broadcast,
                     operand.is_number() && element.is_pointer ? "(int64_t)" + operand.text : operand.text);
}

/// A number for both halves.
std::string Writer::pair_of(const std::string& number) { return fmt::format("s_pair({})", bare(number)); }

std::string Writer::vector(ValueId value, const At& at) const { return as_vector(operand(value, at), element_of(value)); }

std::string Writer::mask(ValueId value, const At& at) const {
  const Operand found = operand(value, at);
  return found.is_number() ? fmt::format("v_mask({}, vl)", bare(found.text)) : found.text;
}

/// The result of an operation that has one.
Writer::Operand Writer::compute(const Operation& operation, const At& at) const {
  const bool is_alike = plan_.alike[operation.results.front()];
  const auto as_number = [](std::string text) { return Operand{std::move(text), Operand::Kind::Number}; };
  return std::visit(
      [&](const auto& node) -> Operand {
        using T = std::remove_cvref_t<decltype(node)>;
        if constexpr (std::is_same_v<T, Constant>) {
          return as_number(literal(node.type.element, node.bits));
        } else if constexpr (std::is_same_v<T, ConstantLanes>) {
          return constant_lanes(operation.results.front(), node, at);
        } else if constexpr (std::is_same_v<T, Poison>) {
          return as_number(literal(node.type.element, 0));
        } else if constexpr (std::is_same_v<T, Index>) {
          return index(node, at);
        } else if constexpr (std::is_same_v<T, Mask>) {
          return comparisons(node, at);
        } else if constexpr (std::is_same_v<T, NumGroups>) {
          return as_number("num_groups");
        } else if constexpr (std::is_same_v<T, Spread>) {
          return operand(node.source, At{at.p, at.wi, "0"});
        } else if constexpr (std::is_same_v<T, Elementwise>) {
          return is_alike ? as_number(number_operation(node, at)) : vector_operation(node, at);
        } else if constexpr (std::is_same_v<T, Select>) {
          return select(node, is_alike, at);
        } else if constexpr (std::is_same_v<T, Convert>) {
          return convert(node.source, node.to, is_alike, at);
        } else if constexpr (std::is_same_v<T, Bitcast>) {
          return bitcast(node.source, node.to, is_alike, at);
        } else if constexpr (std::is_same_v<T, Reorder>) {
          return is_rows() ? reorder(operation.results.front(), node, at) : operand(node.source, source_of(node, at));
        } else if constexpr (std::is_same_v<T, Shuffle>) {
          return is_rows() ? shuffle_rows(node, at) : shuffle(node, at);
        } else if constexpr (std::is_same_v<T, AddressOf>) {
          return address_of(node, at);
        } else if constexpr (std::is_same_v<T, PointerOffset>) {
          return pointer_offset(node, is_alike, at);
        } else if constexpr (std::is_same_v<T, PointerDistance>) {
          return pointer_distance(node, is_alike, at);
        } else if constexpr (std::is_same_v<T, PointerCompare>) {
          return pointer_compare(node, is_alike, at);
        } else if constexpr (std::is_same_v<T, Load>) {
          return load(node, is_alike, at);
        } else if constexpr (std::is_same_v<T, Atomic>) {
          return {changed(node, at), Operand::Kind::Vector};
        } else {
          throw InternalError("an operation that is no expression");
        }
      },
      operation.node);
}

Writer::Operand Writer::constant_lanes(ValueId value, const ConstantLanes& node, const At& at) const {
  const Layout layout = node.type.layout;
  if (is_rows() && layout.kind == Layout::Kind::Item) {
    const std::string numbers = fmt::format("_vel_vld_vssl(8, {}[{}], vl)", lane_tables_.at(value), at.ix);
    return node.type.element == truth ? Operand{fmt::format("_vel_vfmklne_mvl({}, vl)", numbers), Operand::Kind::Mask}
                                      : Operand{numbers, Operand::Kind::Vector};
  }
  const std::string row = layout.kind == Layout::Kind::Item ? at.wi : "0";
  return {fmt::format("{}[{}]", lane_tables_.at(value), place_in_row(row, layout.elements, at.ix)), Operand::Kind::Number};
}

/// The number of an element where all rows of a group lie one behind the other.
std::string Writer::place_in_row(const std::string& row, std::uint64_t elements, const std::string& ix) {
  return elements == 1 ? row : row == "0" ? ix : fmt::format("({}) * {} + {}", row, elements, ix);
}

Writer::Operand Writer::index(const Index& node, const At& at) const {
  const Layout layout = node.type.layout;
  const Element element = node.type.element;
  if (plan_.differs(node.value)) {
    const std::string line = vector_of(node.value, layout, at);
    return element == truth ? Operand{fmt::format("_vel_vfmklne_mvl({}, vl)", line), Operand::Kind::Mask}
                            : Operand{fmt::format("v_as_{}({}, vl)", short_type(element), line), Operand::Kind::Vector};
  }
  const std::string number = this->number(node.value, layout, at).text;
  return {element == truth ? fmt::format("(({}) != 0)", number) : fmt::format("({})({})", emit_ve::c_type(element), number),
          Operand::Kind::Number};
}

Writer::Operand Writer::comparisons(const Mask& node, const At& at) const {
  bool is_alike = true;
  for (const Mask::Comparison& one : node.all_of) {
    is_alike = is_alike && !plan_.differs(one.left) && !plan_.differs(one.right);
  }
  std::string all;
  for (const Mask::Comparison& one : node.all_of) {
    if (is_alike) {
      all += (all.empty() ? "" : " && ") + number_comparison(one, node.layout, at);
    } else {
      const std::string next = mask_comparison(one, node.layout, at);
      all = all.empty() ? next : fmt::format("_vel_andm_mmm({}, {})", all, next);
    }
  }
  return is_alike ? Operand{all.empty() ? "true" : "(" + all + ")", Operand::Kind::Number} : Operand{all, Operand::Kind::Mask};
}

Writer::Operand Writer::address_of(const AddressOf& node, const At& at) const {
  if (const auto* parameter = std::get_if<OfParameter>(&node.object)) {
    return {fmt::format("(uint64_t){}", names_.parameters[parameter->id]), Operand::Kind::Number};
  }
  const ObjectId id = std::get<OfObject>(node.object).id;
  const Object& object = kernel_.objects[id];
  if (object.space == AddressSpace::Constant) {
    return {"(uint64_t)" + object_at(id, at), Operand::Kind::Number};
  }
  return {copies_of(id, at), Operand::Kind::Vector};
}

}  // namespace lockstep::emit_ve
