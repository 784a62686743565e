#include "interpreter/debug/ve/expression.hpp"

#include <algorithm>

namespace lockstep {

using Kind = VeExpression::Node::Kind;

namespace {

/// The value of a node that has no operands.
KernelValue leaf(const VeMoment& moment, const VeExpression::Node& node, unsigned lane) {
  const VeView& view = moment.view;
  switch (node.kind) {
    case Kind::Scalar:
      return view.scalar(node.id, *node.seen_as);
    case Kind::Vector:
      return view.element(node.id, lane, *node.seen_as);
    case Kind::Mask:
      return view.mask_bit(node.id, lane);
    case Kind::Length:
      return view.length();
    case Kind::Element:
      return count(lane);
    case Kind::Step:
      return count(moment.step);
    case Kind::CountActive:
      return count(view.active().size());
    case Kind::Line: {
      const auto place = view.run().next_place();
      return place ? count(view.run().program().line_of(*place).number) : KernelValue::nothing("the run has ended");
    }
    default:
      return KernelValue::scalar(node.type, node.bits);
  }
}

/// A node whose one operand is an element, an index or an address.
KernelValue access(const VeView& view, const VeExpression::Node& node, const KernelValue& at) {
  if (!at.is_number()) {
    return at;
  }
  if (!is_integer(at.type.scalar)) {
    return KernelValue::nothing("an index or address is an integer");
  }
  if (node.kind == Kind::Access) {
    return view.at_address(at.bits, *node.seen_as);
  }
  if (node.kind == Kind::Buffer) {
    return view.buffer_element(node.id, static_cast<std::int64_t>(at.bits), *node.seen_as);
  }
  if (at.bits >= ve::max_length) {
    return KernelValue::nothing("it lies outside");
  }
  const auto element = static_cast<unsigned>(at.bits);
  return node.kind == Kind::MaskAt ? view.mask_bit(node.id, element) : view.element(node.id, element, *node.seen_as);
}

bool is_active(const VeView& view, const KernelValue& element) {
  return is_integer(element.type.scalar) && element.bits < ve::max_length && view.active().contains(static_cast<unsigned>(element.bits));
}

}  // namespace

KernelValue VeExpression::quantify(const VeMoment& moment, std::size_t begin) const {
  const Node& node = nodes_[begin];
  const bool all = node.kind == Kind::All;
  bool result = all;
  moment.view.active().for_each([&](unsigned lane) {
    if (result == all) {
      result = is_true(evaluate(moment, lane, begin + 1, node.end));
    }
  });
  return truth(result);
}

KernelValue VeExpression::evaluate(const VeMoment& moment, unsigned lane, std::size_t begin, std::size_t end) const {
  std::vector<KernelValue> stack;
  for (std::size_t i = begin; i < end; ++i) {
    const Node& node = nodes_[i];
    switch (node.kind) {
      case Kind::Any:
      case Kind::All:
        stack.push_back(quantify(moment, i));
        i = node.end - 1;
        break;
      case Kind::Operation: {
        const std::size_t first = stack.size() - static_cast<std::size_t>(info(node.op).arity);
        const KernelValue v = apply_operator(node.op, std::span(stack).subspan(first));
        stack.resize(first);
        stack.push_back(v);
        break;
      }
      case Kind::Cast:
        stack.back() = converted(stack.back(), node.type);
        break;
      case Kind::Active:
        stack.back() = stack.back().is_number() ? truth(is_active(moment.view, stack.back())) : stack.back();
        break;
      case Kind::VectorAt:
      case Kind::MaskAt:
      case Kind::Buffer:
      case Kind::Access:
        stack.back() = access(moment.view, node, stack.back());
        break;
      default:
        stack.push_back(leaf(moment, node, lane));
    }
  }
  return stack.back();
}

std::vector<std::pair<unsigned, KernelValue>> VeExpression::values(const VeMoment& moment) const {
  std::vector<std::pair<unsigned, KernelValue>> result;
  const unsigned first = element_.value_or(0);
  const unsigned end = element_ || !per_item_ ? first + 1 : ve::max_length;
  for (unsigned lane = first; lane < end; ++lane) {
    result.emplace_back(lane, value(moment, lane));
  }
  return result;
}

bool VeExpression::holds(const VeMoment& moment, bool) const {
  return std::ranges::any_of(values(moment), [](const auto& value) { return is_true(value.second); });
}

}  // namespace lockstep
