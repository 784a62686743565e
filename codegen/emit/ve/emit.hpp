#pragma once
// The VE target: a kernel as C with vector intrinsics (docs/ve-target.md), built straight from InfReg-IR. Either groups
// lie side by side, so that an element of a vector register is a pack of groups, and each item and element of a layout has a vector of its
// own; or rows do, the items of a pack's groups, and each element of a layout has a vector.

#include <cstdint>
#include <expected>
#include <set>
#include <string>

#include "codegen/emit/ve/reordering.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

enum class LayoutChoice : std::uint8_t { Auto, Rows, Groups };

struct EmitOptions {
  LayoutChoice layout = LayoutChoice::Auto;
  std::set<Way> without = {};  ///< ways to reorder rows that are not to be used
  bool pairs = true;           ///< packed instructions, where each operation has one
};

struct Emitted {
  std::string source;             ///< KERNEL.c
  std::string header;             ///< KERNEL.ve.h
  std::string explain;            ///< what was chosen
  std::string symbol;             ///< of the entry point, in object code
  std::string function;           ///< of the entry point, in C
  std::uint64_t stack_bytes = 0;  ///< that a call needs, at most
};

/// Of a verified kernel, with its packs. The error is a sentence.
std::expected<Emitted, std::string> emit(const infreg::Kernel& kernel, const EmitOptions& options = {});

/// How many groups a pack should have.
unsigned choose_pack(const infreg::Kernel& kernel, const EmitOptions& options = {});

}  // namespace lockstep::emit_ve
