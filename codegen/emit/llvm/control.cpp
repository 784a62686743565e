// Structured control: values that a loop carries are phis of chunks, or pieces of memory that its rounds overwrite.
#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <utility>

#include "codegen/emit/llvm/lowering.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_llvm {

using namespace infreg;

namespace {

/// Whether the loop's variable could pass 2^63 on its way past the limit.
bool may_wrap(const For& node) {
  if (node.step == 1 || node.step == -1) {
    return false;
  }
  std::int64_t sum = 0;
  return !node.limit.is_constant() || __builtin_add_overflow(node.limit.constant(), node.step, &sum);
}

}  // namespace

void Lowering::branch(const Operation& operation, const If& node) {
  flush();
  llvm::Value* condition = kept_[node.condition].chunks.front();
  llvm::LLVMContext& context = function_.getContext();
  auto* then = llvm::BasicBlock::Create(context, "then", &function_);
  auto* otherwise = llvm::BasicBlock::Create(context, "else", &function_);
  auto* after = llvm::BasicBlock::Create(context, "endif", &function_);
  b_.CreateCondBr(condition, then, otherwise);
  for (const ValueId result : operation.results) {
    if (is_big(kernel_.type_of(result).layout)) {
      keep(result, take_for(kernel_.type_of(result)), true);
    }
  }
  std::vector<std::vector<Chunks>> yielded;  // of each region, of each result
  std::vector<llvm::BasicBlock*> ends;
  for (const auto& [id, block] : {std::pair(node.then, then), std::pair(node.otherwise, otherwise)}) {
    b_.SetInsertPoint(block);
    region(id);
    yielded.emplace_back();
    const Region& taken = kernel_.regions[id];
    for (std::size_t i = 0; i < taken.yields.size(); ++i) {
      if (llvm::Value* memory = kept_[operation.results[i]].memory) {
        copy(taken.yields[i], memory);
      }
      yielded.back().push_back(kept_[taken.yields[i]].chunks);
    }
    release(id, taken.operations.size());
    ends.push_back(b_.GetInsertBlock());
    b_.CreateBr(after);
  }
  b_.SetInsertPoint(after);
  std::vector<Chunks> joined(operation.results.size());
  for (std::size_t i = 0; i < operation.results.size(); ++i) {
    if (is_big(kernel_.type_of(operation.results[i]).layout)) {
      continue;
    }
    for (std::size_t k = 0; k < yielded[0][i].size(); ++k) {
      llvm::PHINode* phi = b_.CreatePHI(yielded[0][i][k]->getType(), 2);
      phi->addIncoming(yielded[0][i][k], ends[0]);
      phi->addIncoming(yielded[1][i][k], ends[1]);
      joined[i].push_back(phi);
    }
  }
  for (std::size_t i = 0; i < joined.size(); ++i) {
    if (!joined[i].empty()) {
      define(operation.results[i], std::move(joined[i]));
    }
  }
}

/// A loop's header, and what it carries round: of each value, phis or a piece of memory.
struct Lowering::Carried {
  llvm::BasicBlock* before = nullptr;
  llvm::BasicBlock* header = nullptr;
  std::span<const ValueId> arguments;
  std::vector<std::vector<llvm::PHINode*>> phis;
  std::vector<std::optional<Piece>> pieces;
};

/// Ends in the header, behind the phis.
Lowering::Carried Lowering::enter_loop(const Operation& operation, std::span<const ValueId> inits, std::span<const ValueId> arguments,
                                       const Region& body) {
  Carried carried;
  carried.arguments = arguments;
  carried.phis.resize(inits.size());
  carried.pieces.resize(inits.size());
  for (std::size_t i = 0; i < inits.size(); ++i) {
    const Type& type = kernel_.type_of(inits[i]);
    if (!is_big(type.layout)) {
      continue;
    }
    // An initial value that nobody needs afterwards leaves its place to the carried one.
    Kept& init = kept_[inits[i]];
    const bool dies = init.owned && uses_.defined[operation.results[i]] == uses_.last[inits[i]] &&
                      uses_.home[operation.results[i]] == uses_.home[inits[i]] && std::count(inits.begin(), inits.end(), inits[i]) == 1 &&
                      uses_.count[inits[i]] == 1;
    if (dies) {
      carried.pieces[i] = *std::exchange(init.owned, std::nullopt);
    } else {
      carried.pieces[i] = take_for(type);
      copy(inits[i], lane_zero(*carried.pieces[i], type.element));
    }
    prefer_piece(arguments[i], body.yields[i], body, *carried.pieces[i]);
  }
  carried.before = b_.GetInsertBlock();
  carried.header = llvm::BasicBlock::Create(function_.getContext(), "loop", &function_);
  b_.CreateBr(carried.header);
  b_.SetInsertPoint(carried.header);
  for (std::size_t i = 0; i < inits.size(); ++i) {
    if (carried.pieces[i]) {
      continue;
    }
    const Chunks& chunks = kept_[inits[i]].chunks;
    for (std::size_t k = 0; k < chunks.size(); ++k) {
      const std::string& name = kernel_.values[arguments[i]].name;
      llvm::PHINode* phi = b_.CreatePHI(chunks[k]->getType(), 2, chunks.size() == 1 ? name : fmt::format("{}.{}", name, k));
      phi->addIncoming(chunks[k], carried.before);
      carried.phis[i].push_back(phi);
    }
  }
  return carried;
}

/// A value that a round yields may be written where the argument lies, if the argument is not needed once the value is.
void Lowering::prefer_piece(ValueId argument, ValueId yield, const Region& body, Piece piece) {
  const RegionId home = uses_.home[argument];
  if (uses_.home[yield] != home || std::count(body.yields.begin(), body.yields.end(), yield) != 1 ||
      std::count(body.arguments.begin(), body.arguments.end(), yield) != 0 || uses_.last[argument] > uses_.defined[yield]) {
    return;
  }
  const Operation& source = body.operations[uses_.defined[yield]];
  bool reads_argument = false;
  for_each_plain_operand(source.node, [&](ValueId value) { reads_argument = reads_argument || value == argument; });
  const bool in_loop = !std::holds_alternative<If>(source.node) && !std::holds_alternative<For>(source.node) &&
                       !std::holds_alternative<Loop>(source.node) && !std::holds_alternative<Vote>(source.node);
  if (in_loop && !(reads_argument && moves_lanes(kernel_, source.node))) {
    preferred_[yield] = piece;
    preferred_argument_[yield] = argument;
  }
}

/// In the body: the arguments get their values.
void Lowering::bind_carried(const Carried& carried) {
  for (std::size_t i = 0; i < carried.arguments.size(); ++i) {
    if (carried.pieces[i]) {
      keep(carried.arguments[i], *carried.pieces[i], false);
    } else {
      define(carried.arguments[i], Chunks(carried.phis[i].begin(), carried.phis[i].end()));
    }
  }
}

/// At the body's end: to the header, with the next values.
void Lowering::next_round(const Carried& carried, const Region& body) {
  // Copies happen all at once: what is overwritten and needed elsewhere goes through a place of its own.
  struct Move {
    Type type;
    llvm::Value* to;
    Piece through;
  };
  std::vector<Move> moves;
  for (std::size_t i = 0; i < carried.arguments.size(); ++i) {
    if (!carried.pieces[i] || body.yields[i] == carried.arguments[i]) {
      continue;
    }
    const Type& type = kernel_.type_of(body.yields[i]);
    llvm::Value* to = lane_zero(*carried.pieces[i], type.element);
    if (std::count(carried.arguments.begin(), carried.arguments.end(), body.yields[i]) != 0) {
      const Piece through = take_for(type);
      copy(body.yields[i], lane_zero(through, type.element));
      moves.push_back({type, to, through});
    }
  }
  for (std::size_t i = 0; i < carried.arguments.size(); ++i) {
    if (carried.pieces[i] && std::count(carried.arguments.begin(), carried.arguments.end(), body.yields[i]) == 0) {
      copy(body.yields[i], lane_zero(*carried.pieces[i], kernel_.type_of(body.yields[i]).element));
    }
  }
  for (const Move& move : moves) {
    llvm::Value* from = lane_zero(move.through, move.type.element);
    sweep(move.type.layout, [&](std::span<const Position> positions) {
      for (const Position& position : positions) {
        store_chunk(move.to, move.type.element, position.first, load_chunk(from, move.type.element, position.first, true));
      }
    });
    give(move.through);
  }
  b_.CreateBr(carried.header);
  for (std::size_t i = 0; i < carried.arguments.size(); ++i) {
    for (std::size_t k = 0; k < carried.phis[i].size(); ++k) {
      carried.phis[i][k]->addIncoming(kept_[body.yields[i]].chunks[k], b_.GetInsertBlock());
    }
  }
}

/// Behind the loop: its results are what it carried last.
void Lowering::leave_loop(const Carried& carried, const Operation& operation) {
  for (std::size_t i = 0; i < carried.arguments.size(); ++i) {
    if (carried.pieces[i]) {
      keep(operation.results[i], *carried.pieces[i], true);
    } else {
      define(operation.results[i], Chunks(carried.phis[i].begin(), carried.phis[i].end()));
    }
  }
}

void Lowering::rolled_loop(const Operation& operation, const For& node) {
  flush();
  const Region& body = kernel_.regions[node.body];
  llvm::Value* from = uniform(node.from);
  llvm::Value* limit = uniform(node.limit);
  const std::span<const ValueId> arguments(body.arguments);
  const Carried carried = enter_loop(operation, node.inits, arguments.subspan(1), body);
  const ValueId variable = arguments.front();
  llvm::PHINode* counter = llvm::PHINode::Create(b_.getInt64Ty(), 2, kernel_.values[variable].name);
  counter->insertBefore(carried.header->begin());
  counter->addIncoming(from, carried.before);
  // Unless the next number is certain not to wrap, whether there is a next round is known from the distance that is left.
  const bool careful = may_wrap(node);
  const auto in_range = [&](llvm::Value* s) { return node.step > 0 ? b_.CreateICmpSLT(s, limit) : b_.CreateICmpSGT(s, limit); };
  llvm::PHINode* more = nullptr;
  if (careful) {
    more = llvm::PHINode::Create(b_.getInt1Ty(), 2, "more");
    more->insertBefore(carried.header->begin());
    const llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(carried.before->getTerminator());
    more->addIncoming(in_range(from), carried.before);
  }
  auto* inside = llvm::BasicBlock::Create(function_.getContext(), "round", &function_);
  auto* after = llvm::BasicBlock::Create(function_.getContext(), "done", &function_);
  b_.CreateCondBr(careful ? more : in_range(counter), inside, after);
  b_.SetInsertPoint(inside);
  define(variable, {counter});
  bind_carried(carried);
  region(node.body);
  if (careful) {
    llvm::Value* left = node.step > 0 ? b_.CreateSub(limit, counter) : b_.CreateSub(counter, limit);
    const std::uint64_t distance = node.step > 0 ? static_cast<std::uint64_t>(node.step) : 0 - static_cast<std::uint64_t>(node.step);
    llvm::Value* again = b_.CreateICmpUGT(left, i64(distance));
    next_round(carried, body);
    more->addIncoming(again, b_.GetInsertBlock());
  } else {
    next_round(carried, body);
  }
  {
    const llvm::IRBuilderBase::InsertPointGuard guard(b_);
    llvm::BasicBlock* end = b_.GetInsertBlock();
    b_.SetInsertPoint(end->getTerminator());
    counter->addIncoming(b_.CreateAdd(counter, i64(static_cast<std::uint64_t>(node.step)), counter->getName() + ".next"), end);
  }
  release(node.body, body.operations.size());
  b_.SetInsertPoint(after);
  leave_loop(carried, operation);
}

void Lowering::while_loop(const Operation& operation, const Loop& node) {
  flush();
  const Region& body = kernel_.regions[node.body];
  const Carried carried = enter_loop(operation, node.inits, body.arguments, body);
  auto* inside = llvm::BasicBlock::Create(function_.getContext(), "round", &function_);
  auto* after = llvm::BasicBlock::Create(function_.getContext(), "done", &function_);
  b_.CreateCondBr(carried.phis.front().front(), inside, after);
  b_.SetInsertPoint(inside);
  bind_carried(carried);
  region(node.body);
  next_round(carried, body);
  release(node.body, body.operations.size());
  b_.SetInsertPoint(after);
  leave_loop(carried, operation);
}

}  // namespace lockstep::emit_llvm
