#include "codegen/emit/llvm/lowering.hpp"

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <utility>

#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_llvm {

using namespace infreg;

namespace {

constexpr std::uint64_t line = 64;  // bytes of a cache line, and of the widest vector: how pieces of scratch memory are aligned

constexpr std::uint64_t whole_lines(std::uint64_t bytes) { return (bytes + line - 1) / line * line; }

/// A node that is computed again where it is used: from numbers of the pack alone.
bool is_cheap(const Kernel& kernel, const Node& node) {
  if (const auto* spread = std::get_if<Spread>(&node)) {
    return kernel.type_of(spread->source).layout.kind == Layout::Kind::Pack;
  }
  return std::holds_alternative<Constant>(node) || std::holds_alternative<Poison>(node) || std::holds_alternative<Index>(node) ||
         std::holds_alternative<Mask>(node);
}

}  // namespace

std::uint64_t bytes_of(const Object& object, Shape shape) {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  if (object.space == AddressSpace::Constant) {
    return 0;
  }
  std::uint64_t bytes = std::uint64_t{shape.wg_pack} * (object.space == AddressSpace::Private ? shape.wg_size : 1);
  const bool is_huge =
      __builtin_mul_overflow(bytes, object.count, &bytes) || __builtin_mul_overflow(bytes, size_of(object.element), &bytes);
  return is_huge ? most : std::min(bytes, most);
}

Lowering::Lowering(const Kernel& kernel, Shape shape, Cut cut, Abilities abilities, llvm::Function& function, llvm::IRBuilderBase& builder,
                   bool with_metadata)
    : kernel_(kernel),
      shape_(shape),
      cut_(cut),
      abilities_(std::move(abilities)),
      function_(function),
      b_(builder),
      with_metadata_(with_metadata),
      module_(*function.getParent()),
      uses_(uses_of(kernel, [this](Layout layout) { return is_big(layout); })),
      kept_(kernel.values.size()),
      preferred_(kernel.values.size()),
      preferred_argument_(kernel.values.size()) {}

void Lowering::run() {
  entry_ = llvm::BasicBlock::Create(function_.getContext(), "entry", &function_);
  auto* body = llvm::BasicBlock::Create(function_.getContext(), "body", &function_);
  b_.SetInsertPoint(entry_);
  llvm::Instruction* end = b_.CreateBr(body);
  b_.SetInsertPoint(end);
  bind_parameters();
  bind_objects();
  b_.SetInsertPoint(body);
  region(kernel_.body);
  flush();
  b_.CreateRetVoid();
}

void Lowering::bind_parameters() {
  auto* argument = function_.arg_begin();
  for (const Parameter& parameter : kernel_.parameters) {
    pointers_.push_back(parameter.is_pointer ? argument : nullptr);
    if (!parameter.is_pointer) {
      kept_[parameter.value].chunks = {argument};
    }
    ++argument;
  }
  group_ = argument++;
  if (with_metadata_) {
    metadata_.emplace(function_.getContext(), shape_, group_->getName().str());
  }
  num_groups_ = argument++;
  scratch_ = argument;
}

void Lowering::bind_objects() {
  for (const Object& object : kernel_.objects) {
    const Element element = Element::of(object.element);
    if (object.space == AddressSpace::Constant) {
      std::vector<llvm::Constant*> numbers;
      for (const std::uint64_t bits : object.values) {
        numbers.push_back(llvm::cast<llvm::Constant>(to_memory(constant({element, Layout::pack()}, bits), element)));
      }
      auto* type = llvm::ArrayType::get(memory_type(element), numbers.size());
      const std::string name = fmt::format("{}.object.{}", kernel_.name, object.name);
      llvm::GlobalVariable* global = module_.getNamedGlobal(name);
      if (global == nullptr) {
        global = new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::InternalLinkage, llvm::ConstantArray::get(type, numbers),
                                          name);
      }
      objects_.push_back(global);
      continue;
    }
    objects_.push_back(address(take(bytes_of(object, shape_))));
    objects_.back()->setName(object.name);
  }
}

void Lowering::region(RegionId id) {
  const Region& region = kernel_.regions[id];
  for (std::size_t i = 0; i < region.operations.size(); ++i) {
    operation(region.operations[i]);
    release(id, i);
  }
  flush();
}

void Lowering::operation(const Operation& operation) {
  if (const auto* node = std::get_if<If>(&operation.node)) {
    branch(operation, *node);
    return;
  }
  if (const auto* node = std::get_if<For>(&operation.node)) {
    rolled_loop(operation, *node);
    return;
  }
  if (const auto* node = std::get_if<Loop>(&operation.node)) {
    while_loop(operation, *node);
    return;
  }
  if (const auto* node = std::get_if<Vote>(&operation.node)) {
    vote(operation, *node);
    return;
  }
  const Layout layout = layout_of(kernel_, operation);
  if (!is_big(layout)) {
    small(operation, layout);
  } else if (is_cheap(kernel_, operation.node) && !uses_.in_memory[operation.results.front()]) {
    kept_[operation.results.front()].again = &operation;
  } else {
    enqueue(operation, layout);
  }
}

void Lowering::small(const Operation& operation, Layout layout) {
  if (uses_waiting(operation) || conflicts(operation)) {
    flush();
  }
  Chunks result;
  for (std::uint64_t k = 0; k < chunks(layout); ++k) {
    result.push_back(chunk_of(operation, position(layout, k)));
  }
  if (!operation.results.empty()) {
    define(operation.results.front(), std::move(result));
  }
}

void Lowering::define(ValueId value, Chunks chunks) {
  const Value& declared = kernel_.values[value];
  for (std::size_t k = 0; k < chunks.size(); ++k) {
    if (llvm::isa<llvm::Instruction>(chunks[k]) && !chunks[k]->hasName()) {
      chunks[k]->setName(chunks.size() == 1 ? declared.name : fmt::format("{}.{}", declared.name, k));
    }
  }
  if (metadata_) {
    for (std::size_t k = 0; k < chunks.size(); ++k) {
      metadata_->attach(chunks[k], declared.type.layout, k * cut_.chunk_lanes);
    }
  }
  if (uses_.in_memory[value]) {
    keep(value, take_for(declared.type), true);
    for (std::size_t k = 0; k < chunks.size(); ++k) {
      store_chunk(kept_[value].memory, declared.type.element, i64(k * cut_.chunk_lanes), chunks[k]);
    }
  }
  kept_[value].chunks = std::move(chunks);
}

void Lowering::release(RegionId region, std::size_t operation) {
  const auto done_with = [&](ValueId value) {
    if (uses_.home[value] == region && uses_.last[value] == operation && kept_[value].owned) {
      give(*std::exchange(kept_[value].owned, std::nullopt));
    }
  };
  const Region& there = kernel_.regions[region];
  if (operation == there.operations.size()) {
    for (const ValueId yield : there.yields) {
      done_with(yield);
    }
    return;
  }
  // Values used in the operation's own regions are given back after it too.
  const std::function<void(const Operation&)> visit = [&](const Operation& current) {
    for_each_use(current.node, done_with);
    for_each_region(current.node, [&](RegionId inner) {
      for (const Operation& nested : kernel_.regions[inner].operations) {
        visit(nested);
      }
      for (const ValueId yield : kernel_.regions[inner].yields) {
        done_with(yield);
      }
    });
    for (const ValueId result : current.results) {
      done_with(result);
    }
  };
  visit(there.operations[operation]);
}

Lowering::Piece Lowering::take(std::uint64_t bytes) {
  const std::uint64_t wanted = whole_lines(bytes);
  if (const auto found = free_.find(wanted); found != free_.end()) {
    const Piece piece{found->second, wanted};
    free_.erase(found);
    return piece;
  }
  const Piece piece{scratch_bytes_, wanted};
  scratch_bytes_ += wanted;
  return piece;
}

/// With room for one chunk before and behind, so that a run of lanes may stick out on both sides.
Lowering::Piece Lowering::take_for(const Type& type) {
  const std::uint64_t chunk = std::uint64_t{cut_.chunk_lanes} * memory_bytes(type.element);
  return take(whole_lines(chunk) + (chunks(type.layout) + 1) * chunk);
}

void Lowering::give(Piece piece) {
  if (waiting_.empty()) {
    free_.emplace(piece.bytes, piece.offset);
  } else {
    returned_.push_back(piece);
  }
}

llvm::Value* Lowering::address(Piece piece) {
  auto [found, is_new] = addresses_.emplace(piece.offset, nullptr);
  if (is_new) {
    const llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(entry_->getTerminator());
    found->second = b_.CreatePtrAdd(scratch_, i64(piece.offset), fmt::format("scratch.{}", piece.offset));
  }
  return found->second;
}

llvm::Value* Lowering::lane_zero(Piece piece, Element element) {
  return address({piece.offset + whole_lines(std::uint64_t{cut_.chunk_lanes} * memory_bytes(element)), piece.bytes});
}

void Lowering::keep(ValueId value, Piece piece, bool owned) {
  kept_[value].memory = lane_zero(piece, kernel_.type_of(value).element);
  if (owned) {
    kept_[value].owned = piece;
  }
}

}  // namespace lockstep::emit_llvm
