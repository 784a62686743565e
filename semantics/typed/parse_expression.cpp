#include "semantics/typed/parse_expression.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "semantics/base/program_text.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/typed/parse_words.hpp"

namespace lockstep::typed {
namespace {

constexpr ValueType int_type{ScalarType::Int, false, AddressSpace::Private};
constexpr ValueType long_type{ScalarType::Long, false, AddressSpace::Private};

std::string quoted(Op op) { return "'" + std::string(info(op).text) + "'"; }

std::string name_of(Callee callee) {
  if (const auto* op = std::get_if<Op>(&callee)) {
    return quoted(*op);
  }
  const auto* bits = std::get_if<BitsAs>(&callee);
  const auto* pointer = std::get_if<ValueType>(&callee);
  if (std::holds_alternative<Carries>(callee)) {
    return "'maybe'";
  }
  return bits != nullptr      ? "'" + bitcast_text(bits->to) + "'"
         : pointer != nullptr ? "'" + reinterpret_text(*pointer) + "'"
                              : "the conversion to '" + std::string(info(std::get<ScalarType>(callee)).name) + "'";
}

/// "int, uint or float": the numbers that are as large.
std::string types_as_large_as(ScalarType type) {
  std::vector<std::string_view> names;
  for (const ScalarInfo& row : scalar_table) {
    if (row.type != ScalarType::Bool && row.size == size_of(type)) {
      names.push_back(row.name);
    }
  }
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    text += (k == 0 ? "" : k + 1 == names.size() ? " or " : ", ") + std::string(names[k]);
  }
  return text;
}

std::string count_text(std::size_t count) { return std::to_string(count) + (count == 1 ? " operand" : " operands"); }

}  // namespace

void ExpressionBuilder::operand(const ExprNode& node) {
  values_.push_back({node.type, node.span});
  nodes_.push_back(node);
  operand_complete();
}

void ExpressionBuilder::close(std::uint32_t end) {
  const Opened opened = pop_bracket();
  const SourceSpan span{opened.token.begin, end};
  if (const auto* callee = std::get_if<Callee>(&opened.bracket.what)) {
    close_call(*callee, opened, span);
  } else if (const auto* element = std::get_if<OpenElement>(&opened.bracket.what)) {
    const Value& index = values_.back();
    if (!is_integer(index.type)) {
      refuse(index.span, "an array index is an integer, not " + quoted(index.type));
    }
    emit(Element{element->array}, element->type, span, 1);
  } else {
    values_.back().span = span;
  }
  operand_complete();
}

void ExpressionBuilder::close_within(const Within& within, std::uint32_t end) {
  const Opened opened = pop_bracket();
  const Value value = values_.back();
  if (!is_integer(value.type)) {
    refuse(value.span, "'within' takes an integer, not " + quoted(value.type));
  }
  emit(within, value.type, {opened.token.begin, end}, 1);
  operand_complete();
}

void ExpressionBuilder::close_call(Callee callee, const Opened& opened, SourceSpan span) {
  const std::size_t given = values_.size() - opened.bracket.values;
  const auto* op = std::get_if<Op>(&callee);
  const std::size_t wanted = op != nullptr ? static_cast<std::size_t>(info(*op).arity) : 1;
  if (given != wanted) {
    refuse(span, name_of(callee) + " takes " + count_text(wanted) + ", not " + std::to_string(given));
  }
  if (op != nullptr) {
    emit_operation(*op, opened.token, span, wanted);
    return;
  }
  if (const auto* bits = std::get_if<BitsAs>(&callee)) {
    close_bitcast(bits->to, span);
    return;
  }
  const Value value = values_.back();
  if (std::holds_alternative<Carries>(callee)) {
    auto& node = nodes_.back().node;
    if (auto* single = std::get_if<Register>(&node)) {
      single->carries = true;
    } else if (auto* element = std::get_if<Element>(&node)) {
      element->carries = true;
    } else {
      refuse(value.span, "'maybe' takes a register, or an element of one");
    }
    values_.back().span = nodes_.back().span = span;
    return;
  }
  if (const auto* pointer = std::get_if<ValueType>(&callee)) {
    if (!value.type.is_pointer || value.type.space != pointer->space) {
      refuse(value.span, "only a pointer into " + std::string(name_of(pointer->space)) + " memory can be one to " +
                             quoted(ValueType{pointer->scalar, false, AddressSpace::Private}) + " there: this is a " + quoted(value.type));
    }
    if (pointer->space == AddressSpace::Private) {
      refuse(span, "a pointer to private memory keeps its type: registers have no bytes");
    }
    return emit(Reinterpret{value.type.scalar}, *pointer, span, 1);
  }
  if (value.type.is_pointer) {
    refuse(value.span, "a pointer cannot be converted: this is a " + quoted(value.type));
  }
  emit(Convert{value.type.scalar}, {std::get<ScalarType>(callee), false, AddressSpace::Private}, span, 1);
}

void ExpressionBuilder::close_bitcast(ScalarType to, SourceSpan span) {
  const Value value = values_.back();
  const std::string word = "'" + bitcast_text(to) + "'";
  if (to == ScalarType::Bool) {
    refuse(span, "there is no " + word + ": not all bits are those of a bool; a conversion is written 'bool(…)'");
  }
  const bool is_number = !value.type.is_pointer && value.type.scalar != ScalarType::Bool;
  if (!is_number || size_of(value.type.scalar) != size_of(to)) {
    refuse(value.span, word + " takes a number of the same size: " + types_as_large_as(to) + ", not " + quoted(value.type));
  }
  emit(Bitcast{value.type.scalar}, {to, false, AddressSpace::Private}, span, 1);
}

Expr ExpressionBuilder::take() {
  Expr expression{std::move(nodes_)};
  expression.nodes.back().span = values_.back().span;
  clear();
  return expression;
}

void ExpressionBuilder::clear() {
  nodes_ = {};
  values_.clear();
  clear_operators();
}

void ExpressionBuilder::emit(decltype(ExprNode::node) node, const ValueType& type, SourceSpan span, std::size_t arity) {
  values_.resize(values_.size() - arity);
  values_.push_back({type, span});
  nodes_.push_back({node, type, span});
}

/// An operation on numbers of one type, of which the last `arity` values are the operands.
void ExpressionBuilder::emit_operation(Op op, SourceSpan sign, SourceSpan span, std::size_t arity) {
  const Value first = values_[values_.size() - arity];
  for (std::size_t i = values_.size() - arity; i < values_.size(); ++i) {
    if (values_[i].type.is_pointer) {
      refuse(values_[i].span, quoted(op) + " is not defined for pointers: this is a " + quoted(values_[i].type));
    }
    if (values_[i].type != first.type) {
      refuse(sign, "the operands of " + quoted(op) + " have different types: " + quoted(first.type) + " and " + quoted(values_[i].type));
    }
  }
  if (!ops::takes(op, first.type.scalar) || (first.type.scalar == ScalarType::Bool && !takes_bool(op))) {
    refuse(sign, quoted(op) + " is not defined for " + quoted(first.type));
  }
  emit(Operation{op, first.type.scalar, false}, {ops::result_type(op, first.type.scalar), false, AddressSpace::Private}, span, arity);
}

void ExpressionBuilder::emit_binary(Op op, SourceSpan sign) {
  const Value left = values_[values_.size() - 2];
  const Value right = values_.back();
  const SourceSpan span{left.span.begin, right.span.end};
  const bool alike = left.type.is_pointer && left.type == right.type;
  if (op == Op::Add && left.type.is_pointer && is_integer(right.type)) {
    emit(PointerAdd{}, left.type, span, 2);
  } else if (op == Op::Add && right.type.is_pointer && is_integer(left.type)) {
    refuse(sign, "the pointer of a sum stands on its left side");
  } else if (op == Op::Sub && left.type.is_pointer && is_integer(right.type)) {
    refuse(sign, "an integer cannot be subtracted from a pointer; add the negative integer");
  } else if (op == Op::Sub && alike) {
    emit(PointerDifference{}, long_type, span, 2);
  } else if (is_comparison(op) && alike) {
    emit(Operation{op, left.type.scalar, true}, int_type, span, 2);
  } else if (left.type.is_pointer && right.type.is_pointer && !alike) {
    refuse(sign, "the operands of " + quoted(op) + " have different types: " + quoted(left.type) + " and " + quoted(right.type));
  } else {
    emit_operation(op, sign, span, 2);
  }
}

void ExpressionBuilder::emit_select(SourceSpan sign) {
  const Value condition = values_[values_.size() - 3];
  const Value then = values_[values_.size() - 2];
  const Value otherwise = values_.back();
  if (condition.type != int_type) {
    refuse(condition.span, "the condition of '?:' is an 'int', not a " + quoted(condition.type));
  }
  if (then.type != otherwise.type) {
    refuse(sign, "the arms of '?:' have different types: " + quoted(then.type) + " and " + quoted(otherwise.type));
  }
  if (then.type.is_pointer) {
    refuse(then.span, "the arms of '?:' are numbers: this is a " + quoted(then.type));
  }
  emit(Operation{Op::Select, then.type.scalar, false}, then.type, {condition.span.begin, otherwise.span.end}, 3);
}

}  // namespace lockstep::typed
