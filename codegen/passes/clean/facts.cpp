#include "codegen/passes/clean/facts.hpp"

#include <algorithm>
#include <limits>

#include "semantics/infreg/walk.hpp"

namespace lockstep::passes::clean {

using infreg::Element;
using infreg::Layout;
using infreg::Node;
using infreg::Polynomial;
using infreg::Symbol;
using infreg::ValueId;

Facts::Facts(const infreg::Kernel& kernel)
    : kernel_(kernel), definitions_(kernel.values.size(), nullptr), defined_(kernel.values.size(), false) {
  for (const infreg::Parameter& parameter : kernel.parameters) {
    if (!parameter.is_pointer) {
      defined_[parameter.value] = true;
    }
  }
}

void Facts::meet(const infreg::Operation& operation) {
  if (operation.results.size() == 1) {
    const bool is_control = std::holds_alternative<infreg::If>(operation.node) || std::holds_alternative<infreg::For>(operation.node) ||
                            std::holds_alternative<infreg::Loop>(operation.node);
    if (!is_control) {
      definitions_[operation.results.front()] = &operation.node;
      defined_[operation.results.front()] = gives_numbers(operation.node);
    }
  }
}

void Facts::enter(const infreg::For& loop) {
  const ValueId variable = kernel_.regions[loop.body].arguments.front();
  defined_[variable] = true;
  if (loop.from.is_constant() && loop.limit.is_constant()) {
    const std::int64_t from = loop.from.constant();
    const std::int64_t limit = loop.limit.constant();
    if (loop.step > 0 && from < limit) {
      variables_[variable] = {from, limit - 1};
    } else if (loop.step < 0 && from > limit) {
      variables_[variable] = {limit + 1, from};
    }
  }
}

/// Whether the results have no poison lanes.
bool Facts::gives_numbers(const Node& node) const {
  bool operands_defined = true;
  infreg::for_each_use(node, [&](ValueId value) { operands_defined = operands_defined && defined_[value]; });
  if (const auto* operation = std::get_if<infreg::Elementwise>(&node)) {
    return operands_defined && !may_be_undefined(operation->op, operation->operand_type);
  }
  if (const auto* convert = std::get_if<infreg::Convert>(&node)) {
    return operands_defined && !conversion_may_be_undefined(kernel_.type_of(convert->source).element.scalar, convert->to);
  }
  const bool total = std::holds_alternative<infreg::Constant>(node) || std::holds_alternative<infreg::ConstantLanes>(node) ||
                     std::holds_alternative<infreg::Index>(node) || std::holds_alternative<infreg::Mask>(node) ||
                     std::holds_alternative<infreg::NumGroups>(node) || std::holds_alternative<infreg::Spread>(node) ||
                     std::holds_alternative<infreg::Select>(node) || std::holds_alternative<infreg::Bitcast>(node) ||
                     std::holds_alternative<infreg::Vote>(node) || std::holds_alternative<infreg::AddressOf>(node);
  return total && operands_defined;
}

std::optional<std::uint64_t> Facts::constant(ValueId value) const {
  const auto* node = as<infreg::Constant>(value);
  return node == nullptr ? std::nullopt : std::optional(node->bits);
}

std::optional<Polynomial> Facts::polynomial(ValueId value) const {
  const infreg::Type& type = kernel_.type_of(value);
  if (type.element.is_pointer || is_float(type.element.scalar) || type.element.scalar == ScalarType::Bool) {
    return std::nullopt;
  }
  if (const auto* index = as<infreg::Index>(value)) {
    return index->value;
  }
  if (const auto number = constant(value)) {
    return Polynomial(static_cast<std::int64_t>(*number));
  }
  if (const auto* spread = as<infreg::Spread>(value); spread != nullptr && is_counter(kernel_.type_of(spread->source))) {
    return Polynomial(Symbol::of(spread->source));
  }
  return is_counter(type) ? std::optional(Polynomial(Symbol::of(value))) : std::nullopt;
}

std::optional<Polynomial> Facts::exact_polynomial(ValueId value) const {
  std::optional<Polynomial> found = polynomial(value);
  if (!found || kernel_.type_of(value).element.scalar == ScalarType::Long) {
    return found;
  }
  const Range type = range_of(kernel_.type_of(value).element.scalar);
  const std::optional<Range> numbers = range_of(*found, ranges(kernel_.type_of(value).layout));
  return numbers && numbers->low >= type.low && numbers->high <= type.high ? found : std::nullopt;
}

SymbolRange Facts::ranges(Layout layout) const {
  return [this, layout](Symbol symbol) -> std::optional<Range> {
    switch (symbol.kind) {
      case Symbol::Kind::Item:
        return Range{0, layout.kind == Layout::Kind::Item ? kernel_.shape.wg_size - std::int64_t{1} : 0};
      case Symbol::Kind::Element:
        return Range{0, layout.elements - std::int64_t{1}};
      case Symbol::Kind::Group:
        return std::nullopt;
      case Symbol::Kind::Value:
        break;
    }
    const auto variable = variables_.find(symbol.value);
    return variable == variables_.end() ? std::nullopt : std::optional(variable->second);
  };
}

bool is_counter(const infreg::Type& type) {
  return type.layout == Layout::pack() && (type.element == Element::of(ScalarType::Long) || type.element == Element::of(ScalarType::ULong));
}

bool holds_all(ScalarType to, ScalarType from) {
  if (to == ScalarType::Bool || from == ScalarType::Bool) {
    return from == ScalarType::Bool;
  }
  if (is_float(from)) {
    return is_float(to) && size_of(to) >= size_of(from);
  }
  const unsigned magnitude = bits_of(from) - (is_signed(from) ? 1 : 0);
  if (is_float(to)) {
    return magnitude <= (to == ScalarType::Float ? 24U : 53U);
  }
  return (is_signed(to) || !is_signed(from)) && bits_of(to) - (is_signed(to) ? 1 : 0) >= magnitude;
}

Range range_of(ScalarType type) {
  const unsigned width = bits_of(type);
  if (width == 64) {
    return {is_signed(type) ? std::numeric_limits<std::int64_t>::min() : 0, std::numeric_limits<std::int64_t>::max()};
  }
  const std::int64_t half = std::int64_t{1} << (width - 1);
  return is_signed(type) ? Range{-half, half - 1} : Range{0, 2 * half - 1};
}

}  // namespace lockstep::passes::clean
