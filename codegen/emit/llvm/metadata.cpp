#include "codegen/emit/llvm/metadata.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Metadata.h>

#include <vector>

namespace lockstep::emit_llvm {

using namespace infreg;

void Metadata::attach(llvm::Value* chunk, Layout layout, std::optional<std::uint64_t> first_lane) {
  auto* instruction = llvm::dyn_cast_or_null<llvm::Instruction>(chunk);
  if (instruction == nullptr || layout.kind == Layout::Kind::Pack || instruction->getMetadata("infreg") != nullptr) {
    return;
  }
  auto* const word = llvm::Type::getInt64Ty(context_);
  llvm::Metadata* where = first_lane
                              ? static_cast<llvm::Metadata*>(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(word, *first_lane)))
                              : llvm::MDString::get(context_, "loop");
  instruction->setMetadata("infreg", llvm::MDNode::get(context_, {node_of(layout), where}));
}

llvm::MDNode* Metadata::node_of(Layout layout) {
  llvm::MDNode*& node = nodes_[{layout.kind, layout.elements}];
  if (node == nullptr) {
    std::vector<std::uint32_t> ix;
    std::vector<std::uint32_t> wi_ix;
    std::vector<std::uint32_t> wg_off;
    for (std::uint64_t number = 0; number < lanes(layout, shape_); ++number) {
      const Lane lane = lane_at(layout, shape_, number);
      ix.push_back(lane.ix);
      wi_ix.push_back(lane.wi);
      wg_off.push_back(lane.wg);
    }
    const auto text = [&](const char* word) { return llvm::MDString::get(context_, word); };
    const auto vector = [&](const std::vector<std::uint32_t>& numbers) {
      return llvm::ConstantAsMetadata::get(llvm::ConstantDataVector::get(context_, numbers));
    };
    std::vector<llvm::Metadata*> parts{text("infreg")};
    const auto add = [&](const char* name, llvm::Metadata* part) {
      parts.push_back(text(name));
      parts.push_back(part);
    };
    add("ix", vector(ix));
    if (layout.kind == Layout::Kind::Item) {
      add("wi.ix", vector(wi_ix));
    }
    add("wg.size", vector(std::vector<std::uint32_t>(ix.size(), shape_.wg_size)));
    add("wg.off", vector(wg_off));
    add("wg.ix", llvm::MDString::get(context_, "%" + first_group_ + " + wg.off"));
    node = llvm::MDNode::get(context_, parts);
  }
  return node;
}

}  // namespace lockstep::emit_llvm
