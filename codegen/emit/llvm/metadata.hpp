#pragma once
// PIRCH's metadata in LLVM IR (borG paper, section 3.2): what each lane of an InfReg is, attached to the instructions that make one.
//
// A node for each layout that a function uses:
//   !{!"infreg", !"ix", <n x i32> .., !"wi.ix", <n x i32> .., !"wg.size", <n x i32> .., !"wg.off", <n x i32> .., !"wg.ix", !"%wg.ix +
//   wg.off"}
// Constant vectors with one number for each lane of the pack; a layout without items has no wi.ix. wg.ix is known when the code runs only:
// the function's argument %wg.ix, the number of the pack's first group, plus wg.off. An instruction whose result is the chunk of such an
// InfReg that begins at lane number k has `!infreg !{!layout, i64 k}`; in a loop over chunks k is known at run time only, and it has
// `!infreg !{!layout, !"loop"}`. A chunk's elements beyond the last lane mean nothing.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "semantics/infreg/layout.hpp"

namespace llvm {
class LLVMContext;
class MDNode;
class Value;
}  // namespace llvm

namespace lockstep::emit_llvm {

/// Of one function.
class Metadata {
 public:
  /// first_group: the name of the function's argument that is the pack's first group.
  Metadata(llvm::LLVMContext& context, infreg::Shape shape, std::string first_group)
      : context_(context), shape_(shape), first_group_(std::move(first_group)) {}

  /// Attaches the metadata of a chunk of a layout other than Pack. Of what is no instruction, or has metadata already (a chunk that two
  /// values share), nothing is changed.
  void attach(llvm::Value* chunk, infreg::Layout layout, std::optional<std::uint64_t> first_lane);

 private:
  llvm::MDNode* node_of(infreg::Layout layout);

  llvm::LLVMContext& context_;
  infreg::Shape shape_;
  std::string first_group_;
  std::map<std::pair<infreg::Layout::Kind, std::uint32_t>, llvm::MDNode*> nodes_;
};

}  // namespace lockstep::emit_llvm
