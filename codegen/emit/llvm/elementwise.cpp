// What one chunk of a result is, from the same chunk of the operands. The rules are those of semantics/ops/scalar.hpp.
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include "codegen/emit/llvm/lowering.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::emit_llvm {

using namespace infreg;

llvm::Value* Lowering::chunk(ValueId value, const Position& position) {
  if (const auto found = in_flight_.find(value); found != in_flight_.end()) {
    return found->second[position.slot];
  }
  const Kept& kept = kept_[value];
  if (!kept.chunks.empty()) {
    return kept.chunks[kernel_.type_of(value).layout.kind == Layout::Kind::Pack ? 0 : position.number.value()];
  }
  if (kept.again != nullptr) {
    return chunk_of(*kept.again, position);
  }
  return load_chunk(kept.memory, kernel_.type_of(value).element, position.first, true);
}

llvm::Value* Lowering::chunk_of(const Operation& operation, const Position& position) {
  return std::visit(
      [&](const auto& node) -> llvm::Value* {
        using T = std::remove_cvref_t<decltype(node)>;
        if constexpr (std::is_same_v<T, Constant>) {
          return splat(constant({node.type.element, Layout::pack()}, node.bits), node.type.layout);
        } else if constexpr (std::is_same_v<T, ConstantLanes>) {
          return constant_lanes(node, position);
        } else if constexpr (std::is_same_v<T, Poison>) {
          return llvm::Constant::getNullValue(chunk_type(node.type));
        } else if constexpr (std::is_same_v<T, Index>) {
          return index(node, position);
        } else if constexpr (std::is_same_v<T, Mask>) {
          return mask(node, position);
        } else if constexpr (std::is_same_v<T, NumGroups>) {
          return num_groups_;
        } else if constexpr (std::is_same_v<T, Spread>) {
          return spread(node, position);
        } else if constexpr (std::is_same_v<T, Elementwise>) {
          return elementwise(node, position);
        } else if constexpr (std::is_same_v<T, Select>) {
          return b_.CreateSelect(chunk(node.condition, position), chunk(node.then, position), chunk(node.otherwise, position));
        } else if constexpr (std::is_same_v<T, Convert>) {
          return convert(chunk(node.source, position), kernel_.type_of(node.source).element.scalar, node.to);
        } else if constexpr (std::is_same_v<T, Bitcast>) {
          llvm::Value* source = chunk(node.source, position);
          return b_.CreateBitCast(source, source->getType()->getWithNewType(scalar_type(Element::of(node.to))));
        } else if constexpr (std::is_same_v<T, Reorder>) {
          return reorder(node, position);
        } else if constexpr (std::is_same_v<T, Shuffle>) {
          return shuffle(node, position);
        } else if constexpr (std::is_same_v<T, AddressOf>) {
          return address_of(node, position);
        } else if constexpr (std::is_same_v<T, PointerOffset>) {
          return pointer_offset(node, position);
        } else if constexpr (std::is_same_v<T, PointerDistance>) {
          return pointer_distance(node, position);
        } else if constexpr (std::is_same_v<T, PointerCompare>) {
          return pointer_compare(node, position);
        } else if constexpr (std::is_same_v<T, Load>) {
          return load(node, position);
        } else if constexpr (std::is_same_v<T, Store>) {
          store(node, position);
          return nullptr;
        } else if constexpr (std::is_same_v<T, Atomic>) {
          return atomic(node, position);
        } else {
          throw InternalError("an operation that has no chunks");
        }
      },
      operation.node);
}

llvm::Value* Lowering::constant(const Type& type, std::uint64_t bits) {
  llvm::Type* scalar = scalar_type(type.element);
  if (type.element.is_pointer) {
    return llvm::Constant::getNullValue(scalar);  // the one that there is
  }
  if (!is_float(type.element.scalar)) {
    return llvm::ConstantInt::get(scalar, llvm::APInt(64, bits).trunc(scalar->getIntegerBitWidth()));
  }
  const unsigned width = bits_of(type.element.scalar);
  return llvm::ConstantFP::get(scalar, llvm::APFloat(scalar->getFltSemantics(), llvm::APInt(64, bits).trunc(width)));
}

llvm::Value* Lowering::constant_lanes(const ConstantLanes& node, const Position& position) {
  const std::uint64_t per_group = lanes_per_group(node.type.layout, shape_);
  const Type scalar{node.type.element, Layout::pack()};
  if (position.number) {
    std::vector<llvm::Constant*> numbers;
    for (const std::uint64_t lane : numbers_of(position)) {
      numbers.push_back(llvm::cast<llvm::Constant>(constant(scalar, node.bits[lane % per_group])));
    }
    return cut_.chunk_lanes == 1 ? numbers.front() : llvm::ConstantVector::get(numbers);
  }
  // Of a big value: in memory for good, the same for all its chunks.
  std::vector<llvm::Constant*> numbers;
  for (std::uint64_t lane = 0; lane < chunks(node.type.layout) * cut_.chunk_lanes; ++lane) {
    llvm::Value* number = constant(scalar, node.bits[lane % per_group]);
    numbers.push_back(llvm::cast<llvm::Constant>(to_memory(number, node.type.element)));
  }
  auto*& global = constant_lanes_[&node];
  if (global == nullptr) {
    auto* type = llvm::ArrayType::get(memory_type(node.type.element), numbers.size());
    global = new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::InternalLinkage, llvm::ConstantArray::get(type, numbers),
                                      kernel_.name + ".lanes");
    global->setAlignment(llvm::Align(64));
  }
  return load_chunk(global, node.type.element, position.first, true);
}

llvm::Value* Lowering::index(const Index& node, const Position& position) {
  llvm::Value* number = joined(sum_of(node.value, position), node.type.layout);
  return convert(number, ScalarType::Long, node.type.element.scalar);
}

llvm::Value* Lowering::mask(const Mask& node, const Position& position) {
  llvm::Value* all = splat(b_.getTrue(), node.layout);
  for (const Mask::Comparison& one : node.all_of) {
    // What is the same on both sides of uniform numbers is compared once.
    const Sum left = sum_of(one.left, position);
    const Sum right = sum_of(one.right, position);
    llvm::Value* holds = left.varying == nullptr && right.varying == nullptr
                             ? splat(comparison(one.op, false, true, left.uniform, right.uniform), node.layout)
                             : comparison(one.op, false, true, joined(left, node.layout), joined(right, node.layout));
    all = b_.CreateAnd(all, holds);
  }
  return all;
}

llvm::Value* Lowering::elementwise(const Elementwise& node, const Position& position) {
  const auto operand = [&](std::size_t i) { return i < node.operands.size() ? chunk(node.operands[i], position) : nullptr; };
  llvm::Value* a = operand(0);
  llvm::Value* b = operand(1);
  return applied(node.op, node.operand_type, a, b, operand(2));
}

llvm::Value* Lowering::applied(Op op, ScalarType type, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  const bool of_floats = is_float(type);
  const bool of_signed = is_signed(type);
  if (is_comparison(op)) {
    return comparison(op, of_floats, of_signed, a, b);
  }
  switch (op) {
    case Op::Min:
      return b_.CreateSelect(comparison(Op::Lt, of_floats, of_signed, b, a), b, a);
    case Op::Max:
      return b_.CreateSelect(comparison(Op::Lt, of_floats, of_signed, a, b), b, a);
    default:
      return of_floats ? floating(op, a, b, c) : integer(op, type, a, b);
  }
}

llvm::Value* Lowering::comparison(Op op, bool of_floats, bool of_signed, llvm::Value* a, llvm::Value* b) {
  using P = llvm::CmpInst::Predicate;
  const auto pick = [&](P floats, P with_sign, P without_sign) {
    return of_floats ? b_.CreateFCmp(floats, a, b) : b_.CreateICmp(of_signed ? with_sign : without_sign, a, b);
  };
  switch (op) {
    case Op::Lt:
      return pick(P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT);
    case Op::Le:
      return pick(P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE);
    case Op::Gt:
      return pick(P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT);
    case Op::Ge:
      return pick(P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE);
    case Op::Eq:
      return pick(P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ);
    case Op::Ne:
      return pick(P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE);
    default:
      throw InternalError("no comparison");
  }
}

llvm::Value* Lowering::integer(Op op, ScalarType type, llvm::Value* a, llvm::Value* b) {
  const auto count = [&] { return b_.CreateAnd(b, llvm::ConstantInt::get(b->getType(), bits_of(type) - 1)); };
  switch (op) {
    case Op::Neg:
      return b_.CreateNeg(a);
    case Op::BitNot:
      return b_.CreateNot(a);
    case Op::Mul:
      return b_.CreateMul(a, b);
    case Op::Div:
    case Op::Rem:
      return division(op, type, a, b);
    case Op::Add:
      return b_.CreateAdd(a, b);
    case Op::Sub:
      return b_.CreateSub(a, b);
    case Op::Shl:
      return b_.CreateShl(a, count());
    case Op::Shr:
      return is_signed(type) ? b_.CreateAShr(a, count()) : b_.CreateLShr(a, count());
    case Op::BitAnd:
      return b_.CreateAnd(a, b);
    case Op::BitXor:
      return b_.CreateXor(a, b);
    case Op::BitOr:
      return b_.CreateOr(a, b);
    case Op::Abs:
      return is_signed(type) ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, b_.getFalse()) : a;
    case Op::Popcount:
      return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a);
    default:
      throw InternalError("no operation on integers");
  }
}

/// 1 divides where the quotient is poison: by 0, and the smallest number by -1.
llvm::Value* Lowering::division(Op op, ScalarType type, llvm::Value* a, llvm::Value* b) {
  llvm::Type* of = a->getType();
  llvm::Value* unsafe = b_.CreateICmpEQ(b, llvm::ConstantInt::get(of, 0));
  if (is_signed(type)) {
    llvm::Value* smallest = llvm::ConstantInt::get(of, llvm::APInt::getSignedMinValue(of->getScalarSizeInBits()));
    llvm::Value* overflows = b_.CreateAnd(b_.CreateICmpEQ(a, smallest), b_.CreateICmpEQ(b, llvm::ConstantInt::getAllOnesValue(of)));
    unsafe = b_.CreateOr(unsafe, overflows);
  }
  llvm::Value* divisor = b_.CreateSelect(unsafe, llvm::ConstantInt::get(of, 1), b);
  if (op == Op::Div) {
    return is_signed(type) ? b_.CreateSDiv(a, divisor) : b_.CreateUDiv(a, divisor);
  }
  return is_signed(type) ? b_.CreateSRem(a, divisor) : b_.CreateURem(a, divisor);
}

llvm::Value* Lowering::floating(Op op, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  switch (op) {
    case Op::Neg:
      return b_.CreateFNeg(a);
    case Op::Mul:
      return b_.CreateFMul(a, b);
    case Op::Div:
      return b_.CreateFDiv(a, b);
    case Op::Add:
      return b_.CreateFAdd(a, b);
    case Op::Sub:
      return b_.CreateFSub(a, b);
    case Op::Fma:
      return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
    case Op::Sqrt:
      return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
    case Op::Fabs:
      return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
    case Op::Rcp:
      return b_.CreateFDiv(llvm::ConstantFP::get(a->getType(), 1.0), a);
    default:
      throw InternalError("no operation on floats");
  }
}

/// An integer of 64 bits that double holds, and that rounds to the same float as `source`: from 2^53 on a multiple of 2^11, the odd one of
/// the two around it if it is none. A float has 24 bits, so that the last of 53 says no more than whether something follows.
llvm::Value* Lowering::rounded_to_odd(llvm::Value* source, bool of_signed) {
  constexpr std::uint64_t unit = std::uint64_t{1} << 11U;
  constexpr std::uint64_t exact = std::uint64_t{1} << 53U;
  const auto number = [&](std::uint64_t n) { return llvm::ConstantInt::get(source->getType(), n); };
  llvm::Value* rest = b_.CreateAnd(source, number(unit - 1));
  llvm::Value* odd = b_.CreateAnd(b_.CreateOr(source, b_.CreateAdd(rest, number(unit - 1))), number(~(unit - 1)));
  llvm::Value* small =
      of_signed ? b_.CreateICmpULE(b_.CreateAdd(source, number(exact)), number(2 * exact)) : b_.CreateICmpULE(source, number(exact));
  return b_.CreateSelect(small, source, odd);
}

llvm::Value* Lowering::convert(llvm::Value* source, ScalarType from, ScalarType to) {
  if (from == to) {
    return source;
  }
  llvm::Type* type = source->getType()->getWithNewType(scalar_type(Element::of(to)));
  if (to == ScalarType::Bool) {
    llvm::Constant* zero = llvm::Constant::getNullValue(source->getType());
    return is_float(from) ? b_.CreateFCmpUNE(source, zero) : b_.CreateICmpNE(source, zero);
  }
  if (is_float(from) && is_float(to)) {
    return b_.CreateFPCast(source, type);
  }
  if (is_float(from)) {
    // Total, unlike fptosi: what does not fit is poison in InfReg-IR, some number here.
    const auto saturating = is_signed(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    return b_.CreateIntrinsic(saturating, {type, source->getType()}, {source});
  }
  if (is_float(to)) {
    if (to == ScalarType::Float && bits_of(from) == 64 && abilities_.rounds_twice) {
      source = rounded_to_odd(source, is_signed(from));
    }
    return is_signed(from) ? b_.CreateSIToFP(source, type) : b_.CreateUIToFP(source, type);
  }
  return b_.CreateIntCast(source, type, is_signed(from));
}

}  // namespace lockstep::emit_llvm
