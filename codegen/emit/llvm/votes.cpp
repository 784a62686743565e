// any, all, popcount and ballot: chunks of truth become words, and each group counts the bits that are its own.
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include "codegen/emit/llvm/lowering.hpp"

namespace lockstep::emit_llvm {

using namespace infreg;

namespace {

/// `count` bits from bit `first` on.
constexpr std::uint64_t bits_from(std::uint64_t first, std::uint64_t count) {
  return count == 0 ? 0 : (~std::uint64_t{0} >> (64 - count)) << first;
}

}  // namespace

void Lowering::vote(const Operation& operation, const Vote& node) {
  const Layout layout = kernel_.type_of(node.value).layout;
  const ValueId result = operation.results.front();
  const Type& type = kernel_.type_of(result);
  if (!is_big(layout) && !is_big(type.layout)) {
    if (uses_waiting(operation)) {
      flush();
    }
    define(result, small_vote(node, layout));
    return;
  }
  flush();
  const Piece counts = big_vote(node, layout);
  const Element counter = Element::of(ScalarType::ULong);
  llvm::Value* counted = lane_zero(counts, counter);
  if (node.whole_pack) {
    define(result, {vote_result(node, b_.CreateLoad(b_.getInt64Ty(), counted))});
  } else if (is_big(type.layout)) {
    keep(result, take_for(type), true);
    sweep(type.layout, [&](std::span<const Position> positions) {
      for (const Position& position : positions) {
        store_chunk(kept_[result].memory, type.element, position.first,
                    vote_result(node, load_chunk(counted, counter, position.first, true)));
      }
    });
  } else {
    Chunks chunks_of_result;
    for (std::uint64_t k = 0; k < chunks(type.layout); ++k) {
      chunks_of_result.push_back(vote_result(node, load_chunk(counted, counter, i64(k * cut_.chunk_lanes), true)));
    }
    define(result, std::move(chunks_of_result));
  }
  give(counts);
}

/// A word with a bit for each lane that counts: the active ones whose value is true, for `all` those whose value is false.
llvm::Value* Lowering::ayes(const Vote& node, const Position& position) {
  llvm::Value* value = chunk(node.value, position);
  llvm::Value* wanted = node.kind == Vote::Kind::All ? b_.CreateNot(value) : value;
  llvm::Value* counts = b_.CreateSelect(chunk(node.mask, position), wanted, llvm::Constant::getNullValue(value->getType()));
  llvm::Value* word = b_.CreateBitCast(counts, b_.getIntNTy(cut_.chunk_lanes));
  return b_.CreateZExt(word, b_.getInt64Ty());
}

/// `first_item`: the item of bit 0, which may lie before the group's first.
llvm::Value* Lowering::count_in(const Vote& node, llvm::Value* so_far, llvm::Value* bits, llvm::Value* first_item) {
  switch (node.kind) {
    case Vote::Kind::Any:
    case Vote::Kind::All:
      return b_.CreateOr(so_far, bits);
    case Vote::Kind::Popcount:
      return b_.CreateAdd(so_far, b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits));
    case Vote::Kind::Ballot:
      break;
  }
  // Counts are masked: each shift is chosen only where its count is right.
  llvm::Value* left = b_.CreateShl(bits, b_.CreateAnd(first_item, i64(63)));
  llvm::Value* right = b_.CreateLShr(bits, b_.CreateAnd(b_.CreateNeg(first_item), i64(63)));
  return b_.CreateOr(so_far, b_.CreateSelect(b_.CreateICmpSLT(first_item, i64(0)), right, left));
}

llvm::Value* Lowering::vote_result(const Vote& node, llvm::Value* counted) {
  llvm::Constant* zero = llvm::Constant::getNullValue(counted->getType());
  switch (node.kind) {
    case Vote::Kind::Any:
      return b_.CreateICmpNE(counted, zero);
    case Vote::Kind::All:
      return b_.CreateICmpEQ(counted, zero);
    case Vote::Kind::Popcount:
    case Vote::Kind::Ballot:
      break;
  }
  return counted;
}

Lowering::Chunks Lowering::small_vote(const Vote& node, Layout layout) {
  const std::uint64_t c = cut_.chunk_lanes;
  const std::uint64_t electorate = node.whole_pack ? lanes(layout, shape_) : lanes_per_group(layout, shape_);
  const std::uint64_t groups = lanes(layout, shape_) / electorate;
  Chunks counted(groups, i64(0));
  for (std::uint64_t k = 0; k < chunks(layout); ++k) {
    llvm::Value* word = ayes(node, position(layout, k));
    const std::uint64_t end = std::min((k + 1) * c, lanes(layout, shape_));
    for (std::uint64_t lane = k * c; lane < end;) {
      const std::uint64_t group = lane / electorate;
      const std::uint64_t next = std::min(end, (group + 1) * electorate);
      llvm::Value* own = b_.CreateAnd(word, i64(bits_from(lane - k * c, next - lane)));
      counted[group] = count_in(node, counted[group], own, i64(k * c - group * electorate));
      lane = next;
    }
  }
  if (node.whole_pack) {
    return {vote_result(node, counted.front())};
  }
  Chunks result;
  for (std::uint64_t k = 0; k < chunks(Layout::group()); ++k) {
    llvm::Value* numbers = llvm::Constant::getNullValue(vector_of(b_.getInt64Ty()));
    for (std::uint64_t group = k * c; group < std::min(groups, (k + 1) * c); ++group) {
      numbers = with_lane(numbers, counted[group], group - k * c);
    }
    result.push_back(vote_result(node, numbers));
  }
  return result;
}

/// The counts of the groups (or the first one of the pack), in memory.
Lowering::Piece Lowering::big_vote(const Vote& node, Layout layout) {
  const Type counts_type{Element::of(ScalarType::ULong), Layout::group()};
  const Piece piece = take_for(counts_type);
  llvm::Value* memory = lane_zero(piece, counts_type.element);
  llvm::Value* none = llvm::Constant::getNullValue(vector_of(b_.getInt64Ty()));
  sweep(counts_type.layout, [&](std::span<const Position> positions) {
    for (const Position& position : positions) {
      store_chunk(memory, counts_type.element, position.first, none);
    }
  });
  const auto add = [&](llvm::Value* group, llvm::Value* bits, llvm::Value* first_item) {
    llvm::Value* pointer = b_.CreateGEP(b_.getInt64Ty(), memory, node.whole_pack ? i64(0) : group);
    b_.CreateStore(count_in(node, b_.CreateLoad(b_.getInt64Ty(), pointer), bits, first_item), pointer);
  };
  const auto electorate = lanes_per_group(layout, shape_);
  sweep(layout, [&](std::span<const Position> positions) {
    for (const Position& position : positions) {
      llvm::Value* word = ayes(node, position);
      if (position.number) {
        const std::uint64_t left = lanes(layout, shape_) - *position.number * cut_.chunk_lanes;
        word = b_.CreateAnd(word, i64(bits_from(0, std::min<std::uint64_t>(left, cut_.chunk_lanes))));
      }
      if (node.whole_pack || in_one_group(position)) {
        llvm::Value* group = position.one_row ? position.wg : b_.CreateUDiv(position.first, i64(electorate));
        add(group, word, b_.CreateSub(position.first, b_.CreateMul(group, i64(electorate))));
        continue;
      }
      for (unsigned j = 0; j < cut_.chunk_lanes; ++j) {
        llvm::Value* lane = b_.CreateAdd(position.first, i64(j));
        llvm::Value* clamped = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, lane, i64(lanes(layout, shape_) - 1));
        llvm::Value* group = b_.CreateUDiv(clamped, i64(electorate));
        add(group, b_.CreateAnd(b_.CreateLShr(word, i64(j)), i64(1)), b_.CreateSub(clamped, b_.CreateMul(group, i64(electorate))));
      }
    }
  });
  return piece;
}

}  // namespace lockstep::emit_llvm
