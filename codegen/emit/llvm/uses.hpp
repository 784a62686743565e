#pragma once
// How long the values of a kernel live, and what is asked of them: decides where they are kept.

#include <cstdint>
#include <functional>
#include <vector>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_llvm {

struct Uses {
  std::vector<std::uint32_t> count;    ///< of each value: how many operands and yields it is
  std::vector<infreg::RegionId> home;  ///< of each value: the region that defines it; that of a scalar parameter is the body
  std::vector<std::size_t> defined;    ///< of each value: its operation's number in that region; 0 for arguments
  std::vector<std::size_t> last;       ///< of each value: the last operation of its home that uses it, in its regions too; the
                                       ///< number of operations if the home yields it; `defined` if nothing does
  std::vector<bool> in_memory;         ///< of each value: some operation wants to read any lane of it at run time
};

/// `is_big(layout)` says which values are kept in memory anyway.
Uses uses_of(const infreg::Kernel& kernel, const std::function<bool(infreg::Layout)>& is_big);

/// True if lanes of the result may come from other lanes of the operands: reorder, shuffle, and spread from groups or items.
bool moves_lanes(const infreg::Kernel& kernel, const infreg::Node& node);

/// The layout that an operation without regions works on, lane by lane: its result's, or that of what it stores.
infreg::Layout layout_of(const infreg::Kernel& kernel, const infreg::Operation& operation);

}  // namespace lockstep::emit_llvm
