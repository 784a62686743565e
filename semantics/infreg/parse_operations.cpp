#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "semantics/base/refused_line.hpp"
#include "semantics/infreg/limits.hpp"
#include "semantics/infreg/numbers.hpp"
#include "semantics/infreg/parse_reader.hpp"

namespace lockstep::infreg {

// ---- operations --------------------------------------------------------------------------------------------------------------

void Reader::before_operation() {
  if (!head_read_) {
    refuse(span(line()), "a text begins with 'kernel @name(…) wg_size N wg_pack P {'");
  }
  if (ended_) {
    refuse(span(line()), "the kernel has ended above");
  }
  if (!region().yields.empty()) {
    refuse(span(line()), "nothing stands behind 'yield'");
  }
}

const Type& Reader::result_type() const {
  if (result_types_.size() != 1) {
    refuse(span(line()), "this operation has one result");
  }
  return result_types_.front();
}

void Reader::add(Node node) {
  Operation operation{std::move(node), {}, span(line())};
  for (std::size_t i = 0; i < result_names_.size(); ++i) {
    operation.results.push_back(defined_value(result_names_[i], result_types_[i]));
  }
  region().operations.push_back(std::move(operation));
}

void Reader::constant(Text word) {
  const Type type = result_type();
  if (type.element.is_pointer) {
    refuse(span(word), "the only constant pointer is 'null'");
  }
  const auto bits = read_number(type.element.scalar, word);
  if (!bits) {
    refuse(span(word), bits.error());
  }
  add(Constant{type, *bits});
}

void Reader::null_pointer() {
  if (!result_type().element.is_pointer) {
    refuse(span(line()), "'null' is a pointer");
  }
  add(Constant{result_type(), 0});
}

void Reader::lanes_begin() {
  if (result_type().element.is_pointer) {
    refuse(span(line()), "the numbers of lanes are no pointers");
  }
  list_type_ = result_type().element.scalar;
}

void Reader::comparison_end() {
  Polynomial right = take_polynomial();
  comparisons_.push_back({take_polynomial(), comparison_, std::move(right)});
}

void Reader::elementwise() {
  promises_.push_back({open_.back().region, region().operations.size(), mnemonic_.of_floats, false});
  add(Elementwise{mnemonic_.op, ScalarType::Int, operands_});
}

void Reader::to_items(Text word) {
  if (result_type().layout.kind != Layout::Kind::Item) {
    refuse(span(word), "the result has no items: before '<-' stands (ix)");
  }
}

void Reader::to_groups(Text word) {
  if (result_type().layout.kind == Layout::Kind::Item) {
    refuse(span(word), "the result has items: before '<-' stands (wi, ix)");
  }
}

void Reader::reorder_affine() {
  promises_.push_back({open_.back().region, region().operations.size(), false, polynomials_.size() == 2});
  Reorder::Affine affine;
  affine.element = take_polynomial();
  if (!polynomials_.empty()) {
    affine.item = take_polynomial();
  }
  add(Reorder{operands_.at(0), result_type().layout, std::move(affine)});
}

void Reader::reorder_table() {
  Reorder::Table table;
  table.source.reserve(list_.size());
  for (const std::uint64_t lane : list_) {
    table.source.push_back(static_cast<std::uint32_t>(lane));
  }
  add(Reorder{operands_.at(0), result_type().layout, std::move(table)});
}

void Reader::address(Text word) {
  const Named& entry = found(word);
  if (!entry.memory) {
    refuse(span(word), fmt::format("{} is no memory of the kernel: no pointer parameter and no object", quoted(word)));
  }
  add(AddressOf{*entry.memory});
}

void Reader::place_base(Text word) {
  const Named& entry = found(word);
  if (!entry.memory) {
    place_.base = AtPointer{mentioned(word)};
  } else {
    std::visit([&](const auto& memory) { place_.base = memory; }, *entry.memory);
  }
}

void Reader::atomic() {
  const std::size_t values = atomic_ == AtomicOp::CompareExchange ? 2 : 1;
  if (operands_.size() != values && operands_.size() != values + 1) {
    refuse(span(line()),
           fmt::format("{} takes {} after the place, and perhaps a mask", info(atomic_).word, values == 2 ? "two values" : "a value"));
  }
  Atomic node{atomic_, result_type(), std::exchange(place_, {}), access_, std::nullopt, operands_.at(values - 1), operand_if(values)};
  if (values == 2) {
    node.compare = operands_.at(0);
  }
  add(std::move(node));
}

// ---- control -----------------------------------------------------------------------------------------------------------------

RegionId Reader::new_region() {
  kernel_.regions.emplace_back();
  return static_cast<RegionId>(kernel_.regions.size() - 1);
}

void Reader::push_region(Open region, Text where) {
  if (open_.size() >= max_depth) {
    refuse(span(where), fmt::format("regions lie in each other at most {} deep", max_depth));
  }
  open_.push_back(region);
}

void Reader::step(Text word) {
  const auto bits = read_number(ScalarType::Long, word);
  if (!bits) {
    refuse(span(word), bits.error());
  }
  step_ = static_cast<std::int64_t>(*bits);
}

void Reader::branch() {
  const RegionId then = new_region();
  const RegionId otherwise = new_region();
  add(If{operands_.at(0), then, otherwise});
  push_region({then, otherwise}, line());
}

void Reader::counted_loop() {
  const RegionId body = new_region();
  For node;
  node.limit = take_polynomial();
  node.from = take_polynomial();
  node.step = step_;
  node.inits = operands_;
  node.body = body;
  add(std::move(node));
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const Type type = i == 0 ? Type{index_element, Layout::pack()} : kernel_.type_of(operands_.at(i - 1));
    const ValueId argument = defined_value(arguments_[i], type);
    kernel_.regions[body].arguments.push_back(argument);
  }
  push_region({body, std::nullopt}, line());
}

void Reader::loop() {
  const RegionId body = new_region();
  add(Loop{operands_, body});
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const ValueId argument = defined_value(arguments_[i], kernel_.type_of(operands_.at(i)));
    kernel_.regions[body].arguments.push_back(argument);
  }
  push_region({body, std::nullopt}, line());
}

void Reader::yield() { region().yields = operands_; }

void Reader::other() {
  if (open_.empty() || !open_.back().otherwise) {
    refuse(span(line()), "there is no 'if' above whose 'else' this could be");
  }
  open_.back() = {*open_.back().otherwise, std::nullopt};
}

void Reader::close() {
  if (open_.empty()) {
    refuse(span(line()), "there is nothing open that '}' could close");
  }
  open_.pop_back();
  ended_ = open_.empty();
}

}  // namespace lockstep::infreg
