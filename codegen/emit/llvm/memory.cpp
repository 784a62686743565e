// Loads, stores and pointers. An inactive lane, and what lies behind the last lane, touches no memory of the kernel's: the accesses are
// masked ones, or go elsewhere.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <bit>
#include <numeric>
#include <optional>
#include <vector>

#include "codegen/emit/llvm/lowering.hpp"
#include "semantics/infreg/access.hpp"

namespace lockstep::emit_llvm {

using namespace infreg;

/// Where an object's elements of each lane's item or group begin, counted in elements from the pack's first.
Sum Lowering::object_offset(ObjectId object, const Position& position) {
  const Object& found = kernel_.objects[object];
  const Sum count{i64(found.count), nullptr};
  switch (found.space) {
    case AddressSpace::Private: {
      const Sum item =
          plus(times(coordinate(Coordinate::Wg, position), {i64(shape_.wg_size), nullptr}), coordinate(Coordinate::Wi, position));
      return times(item, count);
    }
    case AddressSpace::Local:
      return times(coordinate(Coordinate::Wg, position), count);
    case AddressSpace::Global:
    case AddressSpace::Constant:
      break;
  }
  return {i64(0), nullptr};
}

/// Whether the chunk's lanes lie one behind the other.
bool Lowering::is_run(const Place& place, Access access, const Position& position) const {
  const auto* pointer = std::get_if<AtPointer>(&place.base);
  if (access != Access::Contiguous || (pointer != nullptr && kernel_.type_of(pointer->value).layout != Layout::pack())) {
    return false;
  }
  if (in_one_group(position)) {
    return true;
  }
  const auto per_group = static_cast<std::int64_t>(lanes_per_group(position.layout, shape_));
  Polynomial index = place.index;
  if (const auto* of = std::get_if<OfObject>(&place.base)) {
    const Object& object = kernel_.objects[of->id];
    const std::uint64_t own = object.space == AddressSpace::Private ? object.count * shape_.wg_size
                              : object.space == AddressSpace::Local ? object.count
                                                                    : 0;
    index += Polynomial(Symbol::group()) * Polynomial(static_cast<std::int64_t>(own));
  }
  return index.slope(Symbol::group()) == Polynomial(per_group);
}

Lowering::Cells Lowering::cells(const Place& place, Access access, Element element, const Position& position) {
  llvm::Type* type = memory_type(element);
  llvm::Value* base = nullptr;
  Sum index = sum_of(place.index, position);
  if (const auto* parameter = std::get_if<OfParameter>(&place.base)) {
    base = pointers_[parameter->id];
  } else if (const auto* object = std::get_if<OfObject>(&place.base)) {
    base = objects_[object->id];
    index = plus(object_offset(object->id, position), index);
  } else {
    base = chunk(std::get<AtPointer>(place.base).value, position);
  }
  bool is_as_claimed = true;
  if (place.lanes) {
    llvm::Value* own = chunk(*place.lanes, position);
    llvm::Value* one = is_single(position.layout) ? own : llvm::isSplatValue(own) ? lane_of(own, 0) : nullptr;
    index = plus(index, one != nullptr ? Sum{one, nullptr} : Sum{i64(0), own});
    // What is the same in all lanes of the chunk, such as what a group adds, leaves the cells as the polynomial says.
    is_as_claimed = one != nullptr;
    access = access_of(kernel_, {place.base, place.index, {}}, position.layout);
  }
  if (is_single(position.layout)) {
    return {b_.CreateGEP(type, base, joined(index, Layout::pack())), Cells::Kind::One};
  }
  if (is_as_claimed && is_run(place, access, position)) {
    const bool anchored = position.one_row || position.number || index.varying == nullptr;
    llvm::Value* first = anchored ? index.uniform : b_.CreateAdd(index.uniform, lane_of(index.varying, 0));
    return {b_.CreateGEP(type, base, first), Cells::Kind::Run};
  }
  llvm::Value* pointer = b_.CreateGEP(type, base, index.uniform);
  if (index.varying != nullptr) {
    return {b_.CreateGEP(type, pointer, index.varying), Cells::Kind::Each};
  }
  return {pointer, pointer->getType()->isVectorTy() ? Cells::Kind::Each : Cells::Kind::One};
}

/// The lanes that take part, as a vector, also of a single one; none: all of them.
llvm::Value* Lowering::active(std::optional<ValueId> mask, const Position& position) {
  llvm::Value* asked = mask ? chunk(*mask, position) : nullptr;
  if (is_single(position.layout)) {
    return asked == nullptr ? nullptr : b_.CreateVectorSplat(1, asked);
  }
  const std::uint64_t count = lanes(position.layout, shape_);
  if (!position.number || (*position.number + 1) * cut_.chunk_lanes <= count) {
    return asked;
  }
  std::vector<llvm::Constant*> filled;
  filled.reserve(cut_.chunk_lanes);
  for (unsigned j = 0; j < cut_.chunk_lanes; ++j) {
    filled.push_back(b_.getInt1(*position.number * cut_.chunk_lanes + j < count));
  }
  llvm::Value* there = llvm::ConstantVector::get(filled);
  return asked == nullptr ? there : b_.CreateAnd(there, asked);
}

/// Memory of the function's own in which nobody looks.
llvm::Value* Lowering::nowhere() {
  if (nowhere_ == nullptr) {
    const llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(entry_->getTerminator());
    nowhere_ = b_.CreateAlloca(b_.getInt64Ty(), nullptr, "nowhere");
    b_.CreateStore(i64(0), nowhere_);
  }
  return nowhere_;
}

/// `access` for each lane and its pointer. Lanes that are inactive have one to nowhere, or are left out if that is known.
void Lowering::each_lane(llvm::Value* pointers, llvm::Value* mask, const std::function<void(unsigned, llvm::Value*)>& access) {
  const auto* known = llvm::dyn_cast_or_null<llvm::Constant>(mask);
  if (mask != nullptr && known == nullptr) {
    pointers = b_.CreateSelect(mask, pointers, in_all_lanes(nowhere()));
  }
  // Constant distances from one pointer need no vector.
  const auto* sums = llvm::dyn_cast<llvm::GetElementPtrInst>(pointers);
  const auto* distances =
      sums != nullptr && !sums->getPointerOperandType()->isVectorTy() ? llvm::dyn_cast<llvm::Constant>(sums->getOperand(1)) : nullptr;
  for (unsigned j = 0; j < cut_.chunk_lanes; ++j) {
    if (known == nullptr || !known->getAggregateElement(j)->isNullValue()) {
      access(j, distances != nullptr ? b_.CreateGEP(sums->getSourceElementType(), sums->getOperand(0), distances->getAggregateElement(j))
                                     : lane_of(pointers, j));
    }
  }
}

/// Where the target has no such instruction, lane by lane, without the branches around each that LLVM would make.
llvm::Value* Lowering::gather(llvm::Value* pointers, Element element, llvm::Value* mask) {
  const llvm::Align alignment(memory_bytes(element));
  llvm::Type* type = vector_of(memory_type(element));
  llvm::Value* result = llvm::Constant::getNullValue(type);
  if (abilities_.gathers(type)) {
    mask = mask != nullptr ? mask : llvm::Constant::getAllOnesValue(vector_of(b_.getInt1Ty()));
    return b_.CreateMaskedGather(type, pointers, alignment, mask, result);
  }
  each_lane(pointers, mask, [&](unsigned j, llvm::Value* pointer) {
    result = with_lane(result, b_.CreateAlignedLoad(memory_type(element), pointer, alignment), j);
  });
  return result;
}

/// From the first lane to the last, as LLVM's scatter does: of two that meet the higher one wins.
void Lowering::scatter(llvm::Value* value, llvm::Value* pointers, Element element, llvm::Value* mask) {
  const llvm::Align alignment(memory_bytes(element));
  if (abilities_.scatters(value->getType())) {
    mask = mask != nullptr ? mask : llvm::Constant::getAllOnesValue(vector_of(b_.getInt1Ty()));
    b_.CreateMaskedScatter(value, pointers, alignment, mask);
    return;
  }
  each_lane(pointers, mask, [&](unsigned j, llvm::Value* pointer) { b_.CreateAlignedStore(lane_of(value, j), pointer, alignment); });
}

llvm::Value* Lowering::load(const Load& node, const Position& position) {
  const Element element = node.type.element;
  const bool single = is_single(position.layout);
  llvm::Type* scalar = memory_type(element);
  llvm::Type* type = single ? llvm::FixedVectorType::get(scalar, 1) : vector_of(scalar);
  const llvm::Align alignment(memory_bytes(element));
  const Cells from = cells(node.place, node.access, element, position);
  if (from.kind == Cells::Kind::One && !node.mask) {
    return splat(from_memory(b_.CreateAlignedLoad(scalar, from.pointer, alignment), element), position.layout);
  }
  llvm::Value* mask = active(node.mask, position);
  llvm::Value* zero = llvm::Constant::getNullValue(type);
  llvm::Value* loaded = nullptr;
  if (from.kind == Cells::Kind::Run || single) {
    if (mask == nullptr) {
      loaded = b_.CreateAlignedLoad(type, from.pointer, alignment);
    } else {
      loaded = b_.CreateMaskedLoad(type, from.pointer, alignment, mask, zero);
    }
  } else {
    llvm::Value* pointers = from.kind == Cells::Kind::One ? splat(from.pointer, position.layout) : from.pointer;
    loaded = gather(pointers, element, mask);
  }
  return from_memory(single ? b_.CreateExtractElement(loaded, i64(0)) : loaded, element);
}

void Lowering::store(const Store& node, const Position& position) {
  const Element element = kernel_.type_of(node.value).element;
  const bool single = is_single(position.layout);
  const llvm::Align alignment(memory_bytes(element));
  const Cells to = cells(node.place, node.access, element, position);
  llvm::Value* value = to_memory(chunk(node.value, position), element);
  llvm::Value* mask = active(node.mask, position);
  if (single) {
    value = b_.CreateVectorSplat(1, value);
  }
  if (to.kind == Cells::Kind::Run || single) {
    if (mask == nullptr) {
      b_.CreateAlignedStore(value, to.pointer, alignment);
    } else {
      b_.CreateMaskedStore(value, to.pointer, alignment, mask);
    }
    return;
  }
  scatter(value, to.kind == Cells::Kind::One ? splat(to.pointer, position.layout) : to.pointer, element, mask);
}

namespace {

/// LLVM's own operation, where it gives the same bits; floats have none for the least of two.
std::optional<llvm::AtomicRMWInst::BinOp> own_operation(AtomicOp op, ScalarType type) {
  using B = llvm::AtomicRMWInst::BinOp;
  const bool of_floats = is_float(type);
  const bool of_signed = is_signed(type);
  switch (op) {
    case AtomicOp::Exchange:
      return B::Xchg;
    case AtomicOp::Add:
      return of_floats ? B::FAdd : B::Add;
    case AtomicOp::Sub:
      return of_floats ? B::FSub : B::Sub;
    case AtomicOp::Min:
      return of_floats ? std::nullopt : std::optional(of_signed ? B::Min : B::UMin);
    case AtomicOp::Max:
      return of_floats ? std::nullopt : std::optional(of_signed ? B::Max : B::UMax);
    case AtomicOp::And:
      return B::And;
    case AtomicOp::Or:
      return B::Or;
    case AtomicOp::Xor:
      return B::Xor;
    case AtomicOp::CompareExchange:
      break;
  }
  return std::nullopt;
}

}  // namespace

/// What was there before.
llvm::Value* Lowering::changed_atomically(AtomicOp op, ScalarType type, llvm::Value* pointer, llvm::Value* compare, llvm::Value* value) {
  constexpr auto order = llvm::AtomicOrdering::Monotonic;
  const llvm::MaybeAlign alignment(size_of(type));
  if (const auto own = own_operation(op, type)) {
    return b_.CreateAtomicRMW(*own, pointer, value, alignment, order);
  }
  llvm::Type* number = value->getType();
  llvm::Type* bits = b_.getIntNTy(8 * size_of(type));
  const auto exchanged = [&](llvm::Value* old, llvm::Value* next) {
    return b_.CreateAtomicCmpXchg(pointer, b_.CreateBitCast(old, bits), b_.CreateBitCast(next, bits), alignment, order, order);
  };
  if (op == AtomicOp::CompareExchange) {
    return b_.CreateBitCast(b_.CreateExtractValue(exchanged(compare, value), 0), number);
  }
  llvm::Value* first = b_.CreateAlignedLoad(number, pointer, alignment);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  auto* again = llvm::BasicBlock::Create(function_.getContext(), "again", &function_);
  auto* done = llvm::BasicBlock::Create(function_.getContext(), "changed", &function_);
  b_.CreateBr(again);
  b_.SetInsertPoint(again);
  llvm::PHINode* old = b_.CreatePHI(number, 2);
  old->addIncoming(first, before);
  llvm::Value* found = exchanged(old, applied(info(op).change.value(), type, old, value));
  old->addIncoming(b_.CreateBitCast(b_.CreateExtractValue(found, 0), number), again);
  b_.CreateCondBr(b_.CreateExtractValue(found, 1), done, again);
  b_.SetInsertPoint(done);
  return old;
}

/// From the first lane to the last.
llvm::Value* Lowering::atomic(const Atomic& node, const Position& position) {
  const Element element = node.type.element;
  const ScalarType type = element.scalar;
  const Cells at = cells(node.place, node.access, element, position);
  llvm::Value* value = chunk(node.value, position);
  llvm::Value* compare = node.compare ? chunk(*node.compare, position) : nullptr;
  llvm::Value* mask = active(node.mask, position);
  if (is_single(position.layout)) {
    llvm::Value* pointer = mask == nullptr ? at.pointer : b_.CreateSelect(b_.CreateExtractElement(mask, i64(0)), at.pointer, nowhere());
    return changed_atomically(node.op, type, pointer, compare, value);
  }
  llvm::Value* pointers = at.pointer;
  if (at.kind == Cells::Kind::One) {
    pointers = splat(pointers, position.layout);
  } else if (at.kind == Cells::Kind::Run) {
    std::vector<std::int64_t> numbers(cut_.chunk_lanes);
    std::iota(numbers.begin(), numbers.end(), 0);
    pointers = b_.CreateGEP(memory_type(element), pointers, constant_vector(numbers));
  }
  llvm::Value* result = llvm::Constant::getNullValue(value->getType());
  each_lane(pointers, mask, [&](unsigned j, llvm::Value* pointer) {
    llvm::Value* asked = compare == nullptr ? nullptr : lane_of(compare, j);
    result = with_lane(result, changed_atomically(node.op, type, pointer, asked, lane_of(value, j)), j);
  });
  return result;
}

// ---- pointers --------------------------------------------------------------------------------------------------------------------

llvm::Value* Lowering::address_of(const AddressOf& node, const Position& position) {
  if (const auto* parameter = std::get_if<OfParameter>(&node.object)) {
    return pointers_[parameter->id];
  }
  const ObjectId id = std::get<OfObject>(node.object).id;
  if (position.layout.kind == Layout::Kind::Pack) {
    return objects_[id];
  }
  llvm::Value* offset = joined(object_offset(id, position), position.layout);
  return b_.CreateGEP(memory_type(Element::of(kernel_.objects[id].element)), objects_[id], offset);
}

llvm::Value* Lowering::pointer_offset(const PointerOffset& node, const Position& position) {
  return b_.CreateGEP(memory_type(Element::of(node.element)), chunk(node.pointer, position), chunk(node.index, position));
}

llvm::Value* Lowering::pointer_distance(const PointerDistance& node, const Position& position) {
  llvm::Value* left = chunk(node.left, position);
  llvm::Type* type = left->getType()->getWithNewType(b_.getInt64Ty());
  llvm::Value* bytes = b_.CreateSub(b_.CreatePtrToInt(left, type), b_.CreatePtrToInt(chunk(node.right, position), type));
  return b_.CreateAShr(bytes, llvm::ConstantInt::get(type, static_cast<unsigned>(std::countr_zero(size_of(node.element)))));
}

/// Addresses are compared as numbers, so that LLVM concludes nothing from where the pointers come from.
llvm::Value* Lowering::pointer_compare(const PointerCompare& node, const Position& position) {
  llvm::Value* left = chunk(node.left, position);
  llvm::Type* type = left->getType()->getWithNewType(b_.getInt64Ty());
  return comparison(node.op, false, false, b_.CreatePtrToInt(left, type), b_.CreatePtrToInt(chunk(node.right, position), type));
}

}  // namespace lockstep::emit_llvm
