// Chunks, where they lie, and polynomials in their lanes.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "codegen/emit/llvm/lowering.hpp"

namespace lockstep::emit_llvm {

using namespace infreg;

std::uint64_t Lowering::chunks(Layout layout) const { return (lanes(layout, shape_) + cut_.chunk_lanes - 1) / cut_.chunk_lanes; }

bool Lowering::is_big(Layout layout) const { return layout.kind != Layout::Kind::Pack && chunks(layout) > cut_.most_ssa_chunks; }

std::uint64_t Lowering::items(Layout layout) const { return layout.kind == Layout::Kind::Item ? shape_.wg_size : 1; }

/// The numbers of a known chunk's lanes; beyond the last lane, the last lane's.
std::vector<std::uint64_t> Lowering::numbers_of(const Position& position) const {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(cut_.chunk_lanes);
  for (unsigned j = 0; j < cut_.chunk_lanes; ++j) {
    numbers.push_back(std::min(*position.number * cut_.chunk_lanes + j, lanes(position.layout, shape_) - 1));
  }
  return numbers;
}

std::vector<Lane> Lowering::lanes_of(const Position& position) const {
  std::vector<Lane> result;
  for (const std::uint64_t number : numbers_of(position)) {
    result.push_back(lane_at(position.layout, shape_, number));
  }
  return result;
}

/// A chunk whose number is known now.
Position Lowering::position(Layout layout, std::uint64_t chunk) const {
  Position result{layout, 0, chunk, i64(chunk * cut_.chunk_lanes), false, nullptr, nullptr, nullptr};
  const std::vector<Lane> all = lanes_of(result);
  result.one_row = all.front().wg == all.back().wg && all.front().wi == all.back().wi;
  if (result.one_row) {
    result.wg = i64(all.front().wg);
    result.wi = i64(all.front().wi);
    result.ix = i64(all.front().ix);
  }
  return result;
}

bool Lowering::in_one_group(const Position& position) const {
  if (shape_.wg_pack == 1 || position.one_row) {
    return true;
  }
  if (!position.number) {
    return lanes_per_group(position.layout, shape_) % cut_.chunk_lanes == 0;
  }
  const std::vector<Lane> all = lanes_of(position);
  return all.front().wg == all.back().wg;
}

// ---- types and constants -----------------------------------------------------------------------------------------------------

llvm::Type* Lowering::scalar_type(Element element) const {
  if (element.is_pointer) {
    return b_.getPtrTy();
  }
  switch (element.scalar) {
    case ScalarType::Float:
      return b_.getFloatTy();
    case ScalarType::Double:
      return b_.getDoubleTy();
    default:
      return b_.getIntNTy(bits_of(element.scalar));
  }
}

/// A truth value is a byte in memory.
llvm::Type* Lowering::memory_type(Element element) const { return element == truth ? b_.getInt8Ty() : scalar_type(element); }

unsigned Lowering::memory_bytes(Element element) const { return element.is_pointer ? 8 : size_of(element.scalar); }

llvm::Type* Lowering::vector_of(llvm::Type* scalar) const {
  return cut_.chunk_lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, cut_.chunk_lanes);
}

bool Lowering::is_single(Layout layout) const { return layout.kind == Layout::Kind::Pack || cut_.chunk_lanes == 1; }

llvm::Value* Lowering::in_all_lanes(llvm::Value* scalar) {
  return cut_.chunk_lanes == 1 ? scalar : b_.CreateVectorSplat(cut_.chunk_lanes, scalar);
}

llvm::Value* Lowering::lane_of(llvm::Value* chunk, std::uint64_t lane) {
  return cut_.chunk_lanes == 1 ? chunk : b_.CreateExtractElement(chunk, lane);
}

llvm::Value* Lowering::with_lane(llvm::Value* chunk, llvm::Value* scalar, std::uint64_t lane) {
  return cut_.chunk_lanes == 1 ? scalar : b_.CreateInsertElement(chunk, scalar, lane);
}

llvm::Type* Lowering::chunk_type(const Type& type) const {
  llvm::Type* scalar = scalar_type(type.element);
  return type.layout.kind == Layout::Kind::Pack ? scalar : vector_of(scalar);
}

llvm::Value* Lowering::i64(std::uint64_t number) const { return b_.getInt64(number); }

llvm::Value* Lowering::splat(llvm::Value* scalar, Layout layout) {
  return layout.kind == Layout::Kind::Pack ? scalar : in_all_lanes(scalar);
}

llvm::Value* Lowering::constant_vector(std::span<const std::int64_t> numbers) const {
  if (cut_.chunk_lanes == 1) {
    return i64(static_cast<std::uint64_t>(numbers.front()));
  }
  const std::vector<std::uint64_t> words(numbers.begin(), numbers.end());
  return llvm::ConstantDataVector::get(function_.getContext(), words);
}

// ---- coordinates and polynomials -------------------------------------------------------------------------------------------------

/// A constant array of a number for each lane of the pack, filled up to whole chunks.
llvm::Value* Lowering::table(std::string_view name, Layout layout, const std::vector<std::uint32_t>& numbers) {
  const std::string full = fmt::format("{}.table.{}.{}.{}x{}", kernel_.name, name, layout.kind == Layout::Kind::Item ? "item" : "group",
                                       layout.elements, shape_.wg_pack);
  if (llvm::GlobalVariable* found = module_.getNamedGlobal(full)) {
    return found;
  }
  std::vector<std::uint32_t> filled = numbers;
  filled.resize(chunks(layout) * cut_.chunk_lanes, numbers.back());
  llvm::Constant* array = llvm::ConstantDataArray::get(function_.getContext(), filled);
  auto* global = new llvm::GlobalVariable(module_, array->getType(), true, llvm::GlobalValue::InternalLinkage, array, full);
  global->setAlignment(llvm::Align(64));
  return global;
}

/// The position's part of a table, as i64.
llvm::Value* Lowering::from_table(llvm::Value* table, const Position& position) {
  llvm::Value* part = load_chunk(table, Element::of(ScalarType::UInt), position.first, true);
  return b_.CreateZExt(part, vector_of(b_.getInt64Ty()));
}

Sum Lowering::coordinate(Coordinate which, const Position& position) {
  const auto of = [&](Lane lane) { return which == Coordinate::Wg ? lane.wg : which == Coordinate::Wi ? lane.wi : lane.ix; };
  if (position.one_row && which != Coordinate::Ix) {
    return {which == Coordinate::Wg ? position.wg : position.wi, nullptr};
  }
  if (position.number) {
    const std::vector<Lane> all = lanes_of(position);
    std::vector<std::int64_t> distances;
    distances.reserve(all.size());
    for (const Lane lane : all) {
      distances.push_back(std::int64_t{of(lane)} - std::int64_t{of(all.front())});
    }
    const bool same = std::all_of(distances.begin(), distances.end(), [](std::int64_t d) { return d == 0; });
    return {i64(of(all.front())), same ? nullptr : constant_vector(distances)};
  }
  if (position.one_row) {
    std::vector<std::int64_t> distances(cut_.chunk_lanes);
    for (unsigned j = 0; j < cut_.chunk_lanes; ++j) {
      distances[j] = j;
    }
    return {position.ix, cut_.chunk_lanes == 1 ? nullptr : constant_vector(distances)};
  }
  const bool always_zero = (which == Coordinate::Wg && shape_.wg_pack == 1) || (which == Coordinate::Ix && position.layout.elements == 1);
  if (always_zero) {
    return {i64(0), nullptr};
  }
  std::vector<std::uint32_t> numbers;
  numbers.reserve(lanes(position.layout, shape_));
  for (std::uint64_t lane = 0; lane < lanes(position.layout, shape_); ++lane) {
    numbers.push_back(of(lane_at(position.layout, shape_, lane)));
  }
  constexpr std::string_view names[] = {"wg", "wi", "ix"};
  return {i64(0), from_table(table(names[static_cast<std::size_t>(which)], position.layout, numbers), position)};
}

Sum Lowering::plus(Sum a, Sum b) {
  Sum result{b_.CreateAdd(a.uniform, b.uniform), a.varying != nullptr ? a.varying : b.varying};
  if (a.varying != nullptr && b.varying != nullptr) {
    result.varying = b_.CreateAdd(a.varying, b.varying);
  }
  return result;
}

Sum Lowering::times(Sum a, Sum b) {
  const auto scaled = [&](llvm::Value* vector, llvm::Value* factor) -> llvm::Value* {
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(factor);
    if (vector == nullptr || (known != nullptr && known->isZero())) {
      return nullptr;
    }
    return known != nullptr && known->isOne() ? vector : b_.CreateMul(vector, in_all_lanes(factor));
  };
  Sum result{b_.CreateMul(a.uniform, b.uniform), nullptr};
  llvm::Value* both = a.varying != nullptr && b.varying != nullptr ? b_.CreateMul(a.varying, b.varying) : nullptr;
  for (llvm::Value* part : {scaled(a.varying, b.uniform), scaled(b.varying, a.uniform), both}) {
    if (part != nullptr) {
      result.varying = result.varying == nullptr ? part : b_.CreateAdd(result.varying, part);
    }
  }
  return result;
}

Sum Lowering::sum_of(const Polynomial& polynomial, const Position& position) {
  const auto factor = [&](Symbol symbol) -> Sum {
    switch (symbol.kind) {
      case Symbol::Kind::Item:
        return coordinate(Coordinate::Wi, position);
      case Symbol::Kind::Element:
        return coordinate(Coordinate::Ix, position);
      case Symbol::Kind::Group:
        return plus({group_, nullptr}, coordinate(Coordinate::Wg, position));
      case Symbol::Kind::Value:
        break;
    }
    return {kept_[symbol.value].chunks.front(), nullptr};
  };
  Sum sum{i64(static_cast<std::uint64_t>(polynomial.constant())), nullptr};
  for (const Monomial& term : polynomial.terms()) {
    Sum product{i64(static_cast<std::uint64_t>(term.coefficient)), nullptr};
    for (const Symbol symbol : term.factors) {
      product = times(product, factor(symbol));
    }
    sum = plus(sum, product);
  }
  return sum;
}

/// One number in each lane; a scalar for the layout Pack.
llvm::Value* Lowering::joined(Sum sum, Layout layout) {
  llvm::Value* everywhere = splat(sum.uniform, layout);
  return sum.varying == nullptr ? everywhere : b_.CreateAdd(everywhere, sum.varying);
}

/// A polynomial in numbers of the pack.
llvm::Value* Lowering::uniform(const Polynomial& polynomial) { return sum_of(polynomial, position(Layout::pack(), 0)).uniform; }

// ---- memory of ours ----------------------------------------------------------------------------------------------------------------

llvm::Value* Lowering::to_memory(llvm::Value* chunk, Element element) {
  return element == truth ? b_.CreateZExt(chunk, chunk->getType()->getWithNewType(b_.getInt8Ty())) : chunk;
}

llvm::Value* Lowering::from_memory(llvm::Value* chunk, Element element) {
  return element == truth ? b_.CreateICmpNE(chunk, llvm::Constant::getNullValue(chunk->getType())) : chunk;
}

llvm::Value* Lowering::load_chunk(llvm::Value* memory, Element element, llvm::Value* first_lane, bool aligned) {
  llvm::Type* type = memory_type(element);
  llvm::Value* pointer = b_.CreateGEP(type, memory, first_lane);
  const std::uint64_t alignment = memory_bytes(element) * (aligned ? cut_.chunk_lanes : 1);
  return from_memory(b_.CreateAlignedLoad(vector_of(type), pointer, llvm::Align(std::min<std::uint64_t>(alignment, 64))), element);
}

void Lowering::store_chunk(llvm::Value* memory, Element element, llvm::Value* first_lane, llvm::Value* chunk) {
  llvm::Value* pointer = b_.CreateGEP(memory_type(element), memory, first_lane);
  const std::uint64_t alignment = std::min<std::uint64_t>(std::uint64_t{memory_bytes(element)} * cut_.chunk_lanes, 64);
  b_.CreateAlignedStore(to_memory(chunk, element), pointer, llvm::Align(alignment));
}

}  // namespace lockstep::emit_llvm
