// What an element of a value is, as an expression.
#include <fmt/format.h>

#include <array>

#include "codegen/emit/cuda/writer.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

std::string_view function_of(Op op) {
  switch (op) {
    case Op::Min:
      return "min";
    case Op::Max:
      return "max";
    case Op::Neg:
      return "neg";
    case Op::Mul:
      return "mul";
    case Op::Div:
      return "div";
    case Op::Rem:
      return "rem";
    case Op::Add:
      return "add";
    case Op::Sub:
      return "sub";
    case Op::Shl:
      return "shl";
    case Op::Shr:
      return "shr";
    case Op::Fma:
      return "fma";
    case Op::Sqrt:
      return "sqrt";
    case Op::Fabs:
    case Op::Abs:
      return "abs";
    case Op::Rcp:
      return "rcp";
    case Op::Popcount:
      return "popcount";
    case Op::Lt:
      return "lt";
    case Op::Le:
      return "le";
    case Op::Gt:
      return "gt";
    case Op::Ge:
      return "ge";
    case Op::Eq:
      return "eq";
    case Op::Ne:
      return "ne";
    default:
      throw InternalError("an operation that is no function");
  }
}

}  // namespace

std::string Writer::type(ValueId value) const { return c_type(kernel_.type_of(value).element); }

std::string Writer::value(ValueId value, const At& at) const {
  switch (plan_.homes[value]) {
    case Home::Element:
      return at.width > 1 ? fmt::format("{}[({}) % {}]", name(value), at.ix, at.width) : name(value);
    case Home::Registers:
      // The variable of a loop is an int where its bounds are known.
      return plan_.ranges.contains(value) ? fmt::format("int64_t({})", name(value)) : name(value) + indices(held(value), at);
    case Home::Expression:
      break;
  }
  return expression(*definitions_[value], at);
}

/// Whether the value's expression is a shuffle, which is to be done only if it is wanted.
bool Writer::is_shuffled_here(ValueId value) const {
  const auto way = plan_.ways.find(value);
  return plan_.homes[value] == Home::Expression && way != plan_.ways.end() && way->second != Way::Register &&
         !plan_.covered.contains(value);
}

std::string Writer::expression(const Operation& operation, const At& at) const {
  return std::visit(
      [&](const auto& node) -> std::string {
        using T = std::remove_cvref_t<decltype(node)>;
        if constexpr (std::is_same_v<T, Constant>) {
          return literal(node.type.element, node.bits);
        } else if constexpr (std::is_same_v<T, ConstantLanes>) {
          const auto& lanes = lane_tables_.at(operation.results.front());
          const std::string number = node.type.layout.kind == Layout::Kind::Group ? fmt::format("{}[{}]", lanes, at.ix)
                                     : node.type.layout.elements == 1
                                         ? fmt::format("{}[{}]", lanes, at.wi)
                                         : fmt::format("{}[{} * {} + {}]", lanes, at.wi, node.type.layout.elements, at.ix);
          return table_element(node) == node.type.element ? number : fmt::format("v::bits_as<{}>({})", c_type(node.type.element), number);
        } else if constexpr (std::is_same_v<T, Poison>) {
          return literal(node.type.element, 0);
        } else if constexpr (std::is_same_v<T, Index>) {
          const std::string number = this->number(node.value, node.type.layout, at).text;
          return node.type.element == truth ? fmt::format("(({}) != 0)", number) : fmt::format("{}({})", c_type(node.type.element), number);
        } else if constexpr (std::is_same_v<T, Mask>) {
          std::string all;
          for (const Mask::Comparison& one : node.all_of) {
            all += (all.empty() ? "" : " && ") + comparison(one, node.layout, at);
          }
          return all.empty() ? "true" : "(" + all + ")";
        } else if constexpr (std::is_same_v<T, NumGroups>) {
          return "num_groups";
        } else if constexpr (std::is_same_v<T, Spread>) {
          return value(node.source, at);
        } else if constexpr (std::is_same_v<T, Elementwise>) {
          return elementwise(node, plan_.rounded.contains(operation.results.front()), at);
        } else if constexpr (std::is_same_v<T, Select>) {
          const std::string condition = value(node.condition, at);
          const std::string then = value(node.then, at);
          const std::string otherwise = value(node.otherwise, at);
          return is_shuffled_here(node.then) || is_shuffled_here(node.otherwise)
                     ? fmt::format("{} ? {} : {}", condition, then, otherwise)
                     : fmt::format("v::choose<{}>({}, {}, {})", type(operation.results.front()), condition, then, otherwise);
        } else if constexpr (std::is_same_v<T, Convert>) {
          return fmt::format("v::convert<{}>({})", c_type(Element::of(node.to)), value(node.source, at));
        } else if constexpr (std::is_same_v<T, Bitcast>) {
          return fmt::format("v::bits_as<{}>({})", c_type(Element::of(node.to)), value(node.source, at));
        } else if constexpr (std::is_same_v<T, Reorder>) {
          return plan_.covered.contains(operation.results.front()) ? among_others(plan_.covered.at(operation.results.front()), node, at)
                 : plan_.ways.at(operation.results.front()) == Way::Register ? from_register(node, at)
                                                                             : moved(node.source, source_of(node, at), at);
        } else if constexpr (std::is_same_v<T, AddressOf>) {
          return address_of(node, at);
        } else if constexpr (std::is_same_v<T, PointerOffset>) {
          return fmt::format("{} + uint64_t({}) * {}", value(node.pointer, at), value(node.index, at), size_of(node.element));
        } else if constexpr (std::is_same_v<T, PointerDistance>) {
          return fmt::format("int64_t({} - {}) / {}", value(node.left, at), value(node.right, at), size_of(node.element));
        } else if constexpr (std::is_same_v<T, PointerCompare>) {
          return fmt::format("v::{}({}, {})", function_of(node.op), value(node.left, at), value(node.right, at));
        } else if constexpr (std::is_same_v<T, Load>) {
          return load(node, at);
        } else if constexpr (std::is_same_v<T, Atomic>) {
          const std::string mask = active(node.mask, node.type.layout, at);
          return mask.empty() ? changed(node, at) : fmt::format("({}) ? {} : {}", mask, changed(node, at), literal(node.type.element, 0));
        } else {
          throw InternalError("an operation that is no expression");
        }
      },
      operation.node);
}

std::string Writer::elementwise(const Elementwise& node, bool is_rounded, const At& at) const {
  const auto operand = [&](std::size_t k) { return value(node.operands[k], at); };
  const bool is_truth = node.operand_type == ScalarType::Bool;
  if (is_float(node.operand_type) && !is_rounded && (node.op == Op::Neg || node.op == Op::Fabs)) {
    return fmt::format("v::{}({})", node.op == Op::Neg ? "with_other_sign" : "without_sign", operand(0));
  }
  switch (node.op) {
    case Op::BitNot:
      return fmt::format("{}(~{})", c_type(Element::of(node.operand_type)), operand(0));
    case Op::BitAnd:
      return is_truth ? fmt::format("{} && {}", operand(0), operand(1))
                      : fmt::format("{}({} & {})", c_type(Element::of(node.operand_type)), operand(0), operand(1));
    case Op::BitOr:
      return is_truth ? fmt::format("{} || {}", operand(0), operand(1))
                      : fmt::format("{}({} | {})", c_type(Element::of(node.operand_type)), operand(0), operand(1));
    case Op::BitXor:
      return is_truth ? fmt::format("{} != {}", operand(0), operand(1))
                      : fmt::format("{}({} ^ {})", c_type(Element::of(node.operand_type)), operand(0), operand(1));
    default:
      break;
  }
  std::string arguments;
  for (std::size_t k = 0; k < node.operands.size(); ++k) {
    arguments += (k == 0 ? "" : ", ") + operand(k);
  }
  return fmt::format("v::{}({})", function_of(node.op), arguments);
}

std::string Writer::address_of(const AddressOf& node, const At& at) const {
  if (const auto* parameter = std::get_if<OfParameter>(&node.object)) {
    return fmt::format("reinterpret_cast<uint64_t>({})", names_.parameters[parameter->id]);
  }
  const ObjectId id = std::get<OfObject>(node.object).id;
  return fmt::format("reinterpret_cast<uint64_t>(&{})",
                     cell({OfObject{id}, Polynomial(0), std::nullopt}, kernel_.objects[id].element, Layout::item(), at));
}

}  // namespace lockstep::emit_cuda
