// What moves data from lane to lane: shufflevector where the lanes are known now and the source is in SSA form, memory elsewhere.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>

#include <algorithm>

#include "codegen/emit/llvm/lowering.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_llvm {

using namespace infreg;

llvm::Value* Lowering::spread(const Spread& node, const Position& position) {
  if (kernel_.type_of(node.source).layout.kind == Layout::Kind::Pack) {
    return splat(kept_[node.source].chunks.front(), node.layout);
  }
  return spread_lanes(node.source, position);
}

/// To each lane the number of its group or item.
llvm::Value* Lowering::spread_lanes(ValueId source, const Position& position) {
  const Layout from = kernel_.type_of(source).layout;
  if (position.number) {
    SourceLanes lanes;
    for (const Lane lane : lanes_of(position)) {
      lanes.emplace_back(number_of(from, shape_, {lane.wg, lane.wi, 0}));
    }
    return from_lanes(source, lanes);
  }
  Sum lane = coordinate(Coordinate::Wg, position);
  if (from.kind == Layout::Kind::Item) {
    lane = plus(times(lane, {i64(shape_.wg_size), nullptr}), coordinate(Coordinate::Wi, position));
  }
  return lane.varying == nullptr ? from_one_lane(source, lane.uniform) : from_any_lanes(source, joined(lane, position.layout));
}

llvm::Value* Lowering::reorder(const Reorder& node, const Position& position) {
  const Layout from = kernel_.type_of(node.source).layout;
  const auto* affine = std::get_if<Reorder::Affine>(&node.pattern);
  const auto* listed = std::get_if<Reorder::Table>(&node.pattern);
  bool at_run_time = !position.number;
  if (affine != nullptr) {
    for (const Polynomial* p : {&affine->item, &affine->element}) {
      p->for_each_value([&](ValueId) { at_run_time = true; });
    }
  }
  if (at_run_time && affine != nullptr) {
    return reorder_affine(node, *affine, position);
  }
  const std::uint64_t per_group = lanes_per_group(from, shape_);
  const auto source_of = [&](Lane lane) -> std::optional<std::uint64_t> {
    if (listed != nullptr) {
      const std::uint32_t in_group = listed->source[number_of(node.layout, {shape_.wg_size, 1}, {0, lane.wi, lane.ix})];
      return in_group == Reorder::Table::nowhere ? std::nullopt : std::optional(lane.wg * per_group + in_group);
    }
    const auto coordinate = [&](Symbol symbol) { return std::int64_t{symbol.kind == Symbol::Kind::Item ? lane.wi : lane.ix}; };
    const auto item = static_cast<std::uint64_t>(affine->item.evaluate(coordinate));
    const auto element = static_cast<std::uint64_t>(affine->element.evaluate(coordinate));
    if (item >= items(from) || element >= from.elements) {
      return std::nullopt;
    }
    return lane.wg * per_group + item * from.elements + element;
  };
  if (position.number) {
    SourceLanes lanes;
    for (const Lane lane : lanes_of(position)) {
      lanes.push_back(source_of(lane));
    }
    return from_lanes(node.source, lanes);
  }
  llvm::Value*& known = reorder_tables_[&node];
  if (known == nullptr) {
    std::vector<std::uint32_t> numbers;
    for (std::uint64_t lane = 0; lane < lanes(node.layout, shape_); ++lane) {
      numbers.push_back(static_cast<std::uint32_t>(source_of(lane_at(node.layout, shape_, lane)).value_or(0)));
    }
    known = table(fmt::format("reorder{}", reorder_tables_.size()), node.layout, numbers);
  }
  return from_any_lanes(node.source, from_table(known, position));
}

llvm::Value* Lowering::reorder_affine(const Reorder& node, const Reorder::Affine& pattern, const Position& position) {
  const Layout from = kernel_.type_of(node.source).layout;
  const Sum wg = coordinate(Coordinate::Wg, position);
  const Sum item = sum_of(pattern.item, position);
  const Sum element = sum_of(pattern.element, position);
  const Sum row = plus(times(wg, {i64(items(from)), nullptr}), item);
  const Sum lane = plus(times(row, {i64(from.elements), nullptr}), element);
  const auto below = [&](llvm::Value* number, std::uint64_t limit) {
    return b_.CreateICmpULT(number, llvm::ConstantInt::get(number->getType(), limit));
  };
  const bool along_row = position.one_row && row.varying == nullptr && pattern.element.slope(Symbol::element()) == Polynomial(1);
  if (along_row) {
    // Some of the lanes may lie outside the source's row, before it or behind it: the source's memory has room for them.
    llvm::Value* reach = b_.CreateAdd(element.uniform, i64(cut_.chunk_lanes - 1));
    llvm::Value* some = b_.CreateAnd(below(item.uniform, items(from)), below(reach, std::uint64_t{from.elements} + cut_.chunk_lanes - 1));
    return from_run(node.source, b_.CreateSelect(some, lane.uniform, i64(0)));
  }
  if (lane.varying == nullptr && item.varying == nullptr && element.varying == nullptr) {
    llvm::Value* there = b_.CreateAnd(below(item.uniform, items(from)), below(element.uniform, from.elements));
    return from_one_lane(node.source, b_.CreateSelect(there, lane.uniform, i64(0)));
  }
  llvm::Value* there =
      b_.CreateAnd(below(joined(item, position.layout), items(from)), below(joined(element, position.layout), from.elements));
  llvm::Value* all = joined(lane, position.layout);
  return from_any_lanes(node.source, b_.CreateSelect(there, all, llvm::Constant::getNullValue(all->getType())));
}

llvm::Value* Lowering::shuffle(const Shuffle& node, const Position& position) {
  // The result is poison where the lane does not exist or is inactive: which number stands there does not matter, that it can be read does.
  const Layout layout = position.layout;
  llvm::Value* item = layout.elements == 1 ? chunk(node.lane, position) : spread_lanes(node.lane, position);
  llvm::Value* exists = b_.CreateICmpULT(item, llvm::ConstantInt::get(item->getType(), shape_.wg_size));
  item = b_.CreateSelect(exists, item, llvm::Constant::getNullValue(item->getType()));
  const Sum first = times(coordinate(Coordinate::Wg, position), {i64(lanes_per_group(layout, shape_)), nullptr});
  if (position.one_row) {
    llvm::Value* row = b_.CreateMul(lane_of(item, 0), i64(layout.elements));
    llvm::Value* lane = b_.CreateAdd(b_.CreateAdd(first.uniform, row), position.ix);
    return from_run(node.source, lane);
  }
  const Sum place = plus(first, coordinate(Coordinate::Ix, position));
  llvm::Value* rows = b_.CreateMul(item, llvm::ConstantInt::get(item->getType(), layout.elements));
  return from_any_lanes(node.source, b_.CreateAdd(rows, joined(place, layout)));
}

/// Lanes that are known now; no lane: any number.
llvm::Value* Lowering::from_lanes(ValueId source, const SourceLanes& lanes) {
  if (!kept_[source].chunks.empty()) {
    return from_chunks(kept_[source].chunks, lanes);
  }
  const auto first = std::find_if(lanes.begin(), lanes.end(), [](const auto& lane) { return lane.has_value(); });
  if (first == lanes.end()) {
    return llvm::Constant::getNullValue(vector_of(scalar_type(kernel_.type_of(source).element)));
  }
  const std::int64_t start = static_cast<std::int64_t>(**first) - (first - lanes.begin());
  bool same = true;
  bool run = true;
  std::vector<std::int64_t> numbers;
  for (std::size_t j = 0; j < lanes.size(); ++j) {
    same = same && (!lanes[j] || *lanes[j] == **first);
    run = run && (!lanes[j] || static_cast<std::int64_t>(*lanes[j]) == start + static_cast<std::int64_t>(j));
    numbers.push_back(static_cast<std::int64_t>(lanes[j].value_or(**first)));
  }
  if (run) {
    return from_run(source, i64(static_cast<std::uint64_t>(start)));
  }
  return same ? from_one_lane(source, i64(**first)) : from_any_lanes(source, constant_vector(numbers));
}

/// The chunks that are needed come in one after the other, each in one shufflevector with what there is already.
llvm::Value* Lowering::from_chunks(const Chunks& chunks, const SourceLanes& lanes) {
  const unsigned c = cut_.chunk_lanes;
  std::vector<std::uint64_t> needed;
  for (const auto& lane : lanes) {
    if (lane && std::find(needed.begin(), needed.end(), *lane / c) == needed.end()) {
      needed.push_back(*lane / c);
    }
  }
  if (needed.empty()) {
    return llvm::Constant::getNullValue(chunks.front()->getType());
  }
  llvm::Value* result = nullptr;
  for (const std::uint64_t number : needed) {
    std::vector<int> pattern;
    bool as_it_is = true;
    for (unsigned j = 0; j < c; ++j) {
      const bool from_here = lanes[j] && *lanes[j] / c == number;
      const unsigned element = from_here ? static_cast<unsigned>(*lanes[j] % c) : j;
      as_it_is = as_it_is && element == j;
      pattern.push_back(static_cast<int>(element + (from_here && result != nullptr ? c : 0)));
    }
    llvm::Value* chunk = chunks[number];
    if (result != nullptr) {
      result = b_.CreateShuffleVector(result, chunk, pattern);
    } else {
      result = as_it_is ? chunk : b_.CreateShuffleVector(chunk, chunk, pattern);
    }
  }
  return result;
}

llvm::Value* Lowering::from_any_lanes(ValueId source, llvm::Value* lanes) {
  if (cut_.chunk_lanes == 1) {
    return from_one_lane(source, lanes);
  }
  const Element element = kernel_.type_of(source).element;
  llvm::Value* pointers = b_.CreateGEP(memory_type(element), kept_[source].memory, lanes);
  llvm::Value* all = llvm::Constant::getAllOnesValue(vector_of(b_.getInt1Ty()));
  llvm::Type* type = vector_of(memory_type(element));
  return from_memory(b_.CreateMaskedGather(type, pointers, llvm::Align(memory_bytes(element)), all, llvm::Constant::getNullValue(type)),
                     element);
}

llvm::Value* Lowering::from_one_lane(ValueId source, llvm::Value* lane) {
  const Element element = kernel_.type_of(source).element;
  llvm::Type* type = memory_type(element);
  llvm::Value* number = b_.CreateAlignedLoad(type, b_.CreateGEP(type, kept_[source].memory, lane), llvm::Align(memory_bytes(element)));
  return in_all_lanes(from_memory(number, element));
}

llvm::Value* Lowering::from_run(ValueId source, llvm::Value* first_lane) {
  return load_chunk(kept_[source].memory, kernel_.type_of(source).element, first_lane, false);
}

}  // namespace lockstep::emit_llvm
