// Operations on big values: they wait until something needs them, then one loop over chunks does them all.
#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>

#include <algorithm>

#include "codegen/emit/llvm/lowering.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_llvm {

using namespace infreg;

namespace {

/// Chunks of one row that are computed side by side: they share what is the same for the row.
constexpr std::uint64_t most_slots = 8;

}  // namespace

bool Lowering::waits(ValueId value) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const Operation* operation) { return !operation->results.empty() && operation->results.front() == value; });
}

bool Lowering::uses_waiting(const Operation& operation) const {
  if (waiting_.empty()) {
    return false;
  }
  bool found = false;
  for_each_use(operation.node, [&](ValueId value) { found = found || waits(value); });
  return found;
}

/// Whether a load or store has to stay behind one that waits.
bool Lowering::conflicts(const Operation& operation) const {
  return accessed_place(operation.node) != nullptr &&
         std::any_of(waiting_.begin(), waiting_.end(), [&](const Operation* earlier) { return keep_order(*earlier, operation); });
}

/// Whether all lanes of `first` have to be done before any of `second`.
bool Lowering::keep_order(const Operation& first, const Operation& second) const {
  const Place* a = accessed_place(first.node);
  const Place* b = accessed_place(second.node);
  if (a == nullptr || b == nullptr || (std::holds_alternative<Load>(first.node) && std::holds_alternative<Load>(second.node))) {
    return false;
  }
  if (std::holds_alternative<AtPointer>(a->base) || std::holds_alternative<AtPointer>(b->base)) {
    return true;  // a pointer may point anywhere
  }
  if (a->base != b->base) {
    // Two parameters may point to the same cells, an object is apart from all else.
    return std::holds_alternative<OfParameter>(a->base) && std::holds_alternative<OfParameter>(b->base);
  }
  // The same cells lane by lane, and each lane has a cell of its own.
  const Layout layout = layout_of(kernel_, first);
  if (std::holds_alternative<Atomic>(first.node) || std::holds_alternative<Atomic>(second.node)) {
    return true;
  }
  const auto access = [](const Node& node) {
    const auto* load = std::get_if<Load>(&node);
    return load != nullptr ? load->access : std::get<Store>(node).access;
  };
  const auto lanes_apart = static_cast<std::int64_t>(lanes_per_group(layout, shape_));
  const bool own_cells = access(first.node) == Access::Contiguous && std::holds_alternative<OfParameter>(a->base) &&
                         (shape_.wg_pack == 1 || a->index.slope(Symbol::group()) == Polynomial(lanes_apart));
  return !(own_cells && layout == layout_of(kernel_, second) && a->index == b->index && !a->lanes && !b->lanes);
}

void Lowering::enqueue(const Operation& operation, Layout layout) {
  if (!waiting_.empty()) {
    const bool other_loop = waiting_layout_ != layout || (moves_lanes(kernel_, operation.node) && uses_waiting(operation));
    // A loop's value that is written where the loop's argument lies: nobody may look at other lanes of that argument meanwhile.
    const bool overwrites = !operation.results.empty() && preferred_[operation.results.front()] &&
                            std::any_of(waiting_.begin(), waiting_.end(), [&](const Operation* earlier) {
                              bool reads = false;
                              for_each_plain_operand(earlier->node, [&](ValueId value) {
                                reads = reads || value == preferred_argument_[operation.results.front()];
                              });
                              return reads && moves_lanes(kernel_, earlier->node);
                            });
    if (other_loop || overwrites || conflicts(operation)) {
      flush();
    }
  }
  waiting_layout_ = layout;
  waiting_.push_back(&operation);
}

/// Memory for the values that something outside of the coming loop needs.
void Lowering::output_pieces() {
  std::unordered_map<ValueId, std::uint32_t> used_here;
  for (const Operation* operation : waiting_) {
    for_each_use(operation->node, [&](ValueId value) { ++used_here[value]; });
  }
  for (const Operation* operation : waiting_) {
    for (const ValueId result : operation->results) {
      if (uses_.count[result] > used_here[result]) {
        const bool has_place = preferred_[result].has_value();
        keep(result, has_place ? *preferred_[result] : take_for(kernel_.type_of(result)), !has_place);
      }
    }
  }
}

void Lowering::flush() {
  if (waiting_.empty()) {
    return;
  }
  output_pieces();
  sweep(waiting_layout_, [&](std::span<const Position> positions) {
    in_flight_.clear();
    for (const Operation* operation : waiting_) {
      Chunks results;
      for (const Position& position : positions) {
        results.push_back(chunk_of(*operation, position));
        if (results.back() != nullptr && llvm::isa<llvm::Instruction>(results.back()) && !results.back()->hasName()) {
          results.back()->setName(kernel_.values[operation->results.front()].name);
        }
        if (metadata_ && !operation->results.empty()) {
          metadata_->attach(results.back(), waiting_layout_, std::nullopt);
        }
      }
      if (!operation->results.empty()) {
        in_flight_.emplace(operation->results.front(), std::move(results));
      }
    }
    for (const Operation* operation : waiting_) {
      for (const ValueId result : operation->results) {
        if (llvm::Value* memory = kept_[result].memory) {
          for (const Position& position : positions) {
            store_chunk(memory, kernel_.type_of(result).element, position.first, in_flight_.at(result)[position.slot]);
          }
        }
      }
    }
  });
  in_flight_.clear();
  waiting_.clear();
  for (const Piece& piece : returned_) {
    give(piece);
  }
  returned_.clear();
}

void Lowering::sweep(Layout layout, const std::function<void(std::span<const Position>)>& body) {
  if (layout.elements % cut_.chunk_lanes == 0) {
    sweep_rows(layout, body);
    return;
  }
  const std::uint64_t full = lanes(layout, shape_) / cut_.chunk_lanes;
  counted_loop(full, "chunk", [&](llvm::Value* k) {
    const Position position{layout, 0, std::nullopt, b_.CreateMul(k, i64(cut_.chunk_lanes), "lane"), false, nullptr, nullptr, nullptr};
    body({&position, 1});
  });
  if (full != chunks(layout)) {
    const Position last = position(layout, full);
    body({&last, 1});
  }
}

void Lowering::sweep_rows(Layout layout, const std::function<void(std::span<const Position>)>& body) {
  const std::uint64_t per_row = layout.elements / cut_.chunk_lanes;
  std::uint64_t slots = std::min(per_row, most_slots);
  while (per_row % slots != 0) {
    --slots;
  }
  counted_loop(layout.kind == Layout::Kind::Pack ? 1 : shape_.wg_pack, "wg", [&](llvm::Value* wg) {
    counted_loop(items(layout), "wi", [&](llvm::Value* wi) {
      counted_loop(per_row / slots, "part", [&](llvm::Value* part) {
        llvm::Value* row = b_.CreateAdd(b_.CreateMul(wg, i64(items(layout))), wi);
        llvm::Value* ix = b_.CreateMul(part, i64(slots * cut_.chunk_lanes));
        llvm::Value* first = b_.CreateAdd(b_.CreateMul(row, i64(layout.elements)), ix, "lane");
        std::vector<Position> positions;
        for (std::uint64_t slot = 0; slot < slots; ++slot) {
          llvm::Value* offset = i64(slot * cut_.chunk_lanes);
          positions.push_back({layout, slot, std::nullopt, b_.CreateAdd(first, offset), true, wg, wi, b_.CreateAdd(ix, offset)});
        }
        body(positions);
      });
    });
  });
}

void Lowering::counted_loop(std::uint64_t count, std::string_view name, const std::function<void(llvm::Value*)>& body) {
  if (count == 0) {
    return;
  }
  if (count == 1) {
    body(i64(0));
    return;
  }
  llvm::BasicBlock* before = b_.GetInsertBlock();
  auto* loop = llvm::BasicBlock::Create(function_.getContext(), fmt::format("{}.loop", name), &function_);
  auto* after = llvm::BasicBlock::Create(function_.getContext(), fmt::format("{}.end", name), &function_);
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode* variable = b_.CreatePHI(b_.getInt64Ty(), 2, std::string(name));
  variable->addIncoming(i64(0), before);
  body(variable);
  llvm::Value* next = b_.CreateAdd(variable, i64(1), fmt::format("{}.next", name));
  variable->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpULT(next, i64(count)), loop, after);
  b_.SetInsertPoint(after);
}

void Lowering::copy(ValueId source, llvm::Value* memory) {
  const Type& type = kernel_.type_of(source);
  if (kept_[source].memory == memory) {
    return;
  }
  sweep(type.layout, [&](std::span<const Position> positions) {
    for (const Position& position : positions) {
      store_chunk(memory, type.element, position.first, chunk(source, position));
    }
  });
}

}  // namespace lockstep::emit_llvm
