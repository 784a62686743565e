#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>
#include <variant>

#include "semantics/base/internal_error.hpp"
#include "semantics/core/translate/expressions.hpp"
#include "semantics/core/translate/value_types.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::core::translation {

// ---- the stack of operands ---------------------------------------------------------------------------------------------

void Expressions::push(const typed::ExprNode& node) {
  starts_.push_back(nodes_.size());
  nodes_.push_back(node);
}

void Expressions::push_register(typed::RegisterId id, SourceSpan span) { push({typed::Register{id}, emitter_.info(id).type, span}); }

void Expressions::push_constant(typed::ValueType type, std::uint64_t bits, SourceSpan span) { push({typed::Constant{bits}, type, span}); }

void Expressions::apply(const typed::ExprNode& node, std::size_t operands) {
  if (starts_.size() < operands) {
    throw InternalError("an operation lacks operands");
  }
  starts_.resize(starts_.size() - (operands - 1));
  nodes_.push_back(node);
}

/// The bits of the topmost operands, in order, if they are all constants.
std::optional<std::array<std::uint64_t, 3>> Expressions::constants(std::size_t operands) const {
  std::array<std::uint64_t, 3> bits{};
  if (nodes_.size() - starts_[starts_.size() - operands] != operands) {
    return std::nullopt;
  }
  for (std::size_t k = 0; k < operands; ++k) {
    const auto* number = std::get_if<typed::Constant>(&nodes_[nodes_.size() - operands + k].node);
    if (number == nullptr) {
      return std::nullopt;
    }
    bits[k] = number->bits;
  }
  return bits;
}

/// Numbers are computed at once, unless that is undefined.
void Expressions::operate(Op op, ScalarType type, SourceSpan span, bool on_pointers) {
  const auto arity = static_cast<std::size_t>(info(op).arity);
  const typed::ValueType result = scalar(ops::result_type(op, type));
  if (const auto bits = constants(arity); bits && !on_pointers) {
    if (const auto number = ops::apply(op, type, std::span(*bits).first(arity))) {
      nodes_.resize(nodes_.size() - arity);
      starts_.resize(starts_.size() - arity);
      return push_constant(result, *number, span);
    }
  }
  apply({typed::Operation{op, type, on_pointers}, result, span}, arity);
}

void Expressions::convert(ScalarType to, SourceSpan span) {
  const ScalarType from = top().type.scalar;
  if (from == to) {
    return;
  }
  if (const auto bits = constants(1)) {
    if (const auto number = ops::convert(from, to, bits->front())) {
      pop();
      return push_constant(scalar(to), *number, span);
    }
  }
  apply({typed::Convert{from}, scalar(to), span}, 1);
}

void Expressions::bitcast(ScalarType to, SourceSpan span) {
  const ScalarType from = top().type.scalar;
  if (const auto bits = constants(1)) {
    pop();
    return push_constant(scalar(to), ops::bits_as(to, bits->front()), span);
  }
  apply({typed::Bitcast{from}, scalar(to), span}, 1);
}

/// The integer on top has to be below the limit, and not negative.
void Expressions::check_within(const typed::Within& within, SourceSpan span) {
  const auto bits = constants(1);
  if (!bits || bits->front() >= within.limit) {  // a negative number has its sign bit set
    apply({within, top().type, span}, 1);
  }
}

/// The long on top times `factor`.
void Expressions::multiply(std::uint64_t factor, SourceSpan span) {
  if (factor != 1) {
    push_constant(long_type, factor, span);
    operate(Op::Mul, ScalarType::Long, span);
  }
}

void Expressions::first_to_top(std::size_t operands) {
  const std::size_t first = starts_.size() - operands;
  const std::size_t begin = starts_[first];
  const std::size_t length = starts_[first + 1] - begin;
  std::rotate(nodes_.begin() + static_cast<std::ptrdiff_t>(begin), nodes_.begin() + static_cast<std::ptrdiff_t>(begin + length),
              nodes_.end());
  for (std::size_t k = first; k + 1 < starts_.size(); ++k) {
    starts_[k] = starts_[k + 1] - length;
  }
  starts_.back() = nodes_.size() - length;
}

std::size_t Expressions::end_of(std::size_t operand) const { return operand + 1 < starts_.size() ? starts_[operand + 1] : nodes_.size(); }

void Expressions::copy(std::size_t operand) {
  const std::size_t begin = starts_[operand];
  const std::size_t end = end_of(operand);
  starts_.push_back(nodes_.size());
  nodes_.reserve(nodes_.size() + (end - begin));
  std::copy_n(nodes_.begin() + static_cast<std::ptrdiff_t>(begin), end - begin, std::back_inserter(nodes_));
}

typed::Expr Expressions::pop() {
  const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(starts_.back());
  typed::Expr result{{std::make_move_iterator(begin), std::make_move_iterator(nodes_.end())}};
  nodes_.erase(begin, nodes_.end());
  starts_.pop_back();
  return result;
}

std::optional<typed::RegisterId> Expressions::plain_register(std::size_t operand) const {
  const typed::ExprNode& first = nodes_[starts_[operand]];
  const auto* node = std::get_if<typed::Register>(&first.node);
  if (node == nullptr || end_of(operand) - starts_[operand] != 1 || !emitter_.info(node->id).always_written) {
    return std::nullopt;
  }
  return node->id;
}

// ---- what keeps waiting operands from changes --------------------------------------------------------------------------

void Expressions::save(std::size_t operand) {
  const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(starts_[operand]);
  const auto end = nodes_.begin() + static_cast<std::ptrdiff_t>(end_of(operand));
  typed::Expr value{{begin, end}};
  const SourceSpan span = value.span();
  const typed::RegisterId copy = temporary(value.type(), span);
  *begin = {typed::Register{copy}, value.type(), span};
  nodes_.erase(begin + 1, end);
  for (std::size_t later = operand + 1; later < starts_.size(); ++later) {
    starts_[later] -= value.nodes.size() - 1;
  }
  emitter_.emit(typed::Assign{{copy, {}, span}, std::move(value)}, span);
}

template <class Predicate>
void Expressions::save_if(Predicate&& predicate) {
  for (std::size_t operand = region_base_; operand < starts_.size(); ++operand) {
    const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(starts_[operand]);
    const auto end = nodes_.begin() + static_cast<std::ptrdiff_t>(end_of(operand));
    if (std::any_of(begin, end, predicate)) {
      save(operand);
    }
  }
}

void Expressions::before_write(typed::RegisterId id) {
  save_if([&](const typed::ExprNode& node) {
    const auto* reg = std::get_if<typed::Register>(&node.node);
    const auto* element = std::get_if<typed::Element>(&node.node);
    return (reg != nullptr && reg->id == id) || (element != nullptr && element->array == id);
  });
}

/// Before an instruction that may be undefined itself: what stands to its left comes first, so that it is what is reported.
void Expressions::before_check() {
  save_if([&](const typed::ExprNode& node) { return may_fault(node); });
}

/// Before a store or call.
void Expressions::before_effect(bool may_write_arrays) {
  save_if([&](const typed::ExprNode& node) {
    const auto* element = std::get_if<typed::Element>(&node.node);
    return may_fault(node) ||
           (may_write_arrays && element != nullptr && element->array < is_exposed_.size() && is_exposed_[element->array]);
  });
}

bool Expressions::may_fault(const typed::ExprNode& node) const {
  if (const auto* reg = std::get_if<typed::Register>(&node.node)) {
    return !emitter_.info(reg->id).always_written;
  }
  if (const auto* operation = std::get_if<typed::Operation>(&node.node)) {
    return operation->on_pointers ? is_order(operation->op) : may_be_undefined(operation->op, operation->operand_type);
  }
  if (const auto* conversion = std::get_if<typed::Convert>(&node.node)) {
    return conversion_may_be_undefined(conversion->from, node.type.scalar);
  }
  return std::holds_alternative<typed::Element>(node.node) || std::holds_alternative<typed::Within>(node.node) ||
         std::holds_alternative<typed::PointerAdd>(node.node) || std::holds_alternative<typed::PointerDifference>(node.node);
}

/// What follows, up to end_region, runs for some of the items, so that what may be undefined is computed now, for all. `writes`: it may
/// change variables, and what depends on them is computed now as well.
std::size_t Expressions::begin_region(bool writes) {
  save_if([&](const typed::ExprNode& node) {
    const auto* reg = std::get_if<typed::Register>(&node.node);
    return may_fault(node) || (writes && reg != nullptr && !emitter_.info(reg->id).variable.empty());
  });
  return std::exchange(region_base_, starts_.size());
}

}  // namespace lockstep::core::translation
