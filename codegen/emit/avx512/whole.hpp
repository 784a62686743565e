#pragma once
// Elements that lie one behind the other in each group's part of a buffer. With groups side by side, squares of them are turned, so that
// each group's are in one lane; else rows of them may go past the caches together (staged.cpp).

#include <optional>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_avx512 {

/// Whether all lanes of a value are loaded or stored in that way: vectors of `chunk_lanes` elements must be 64 bytes.
inline bool is_whole(const infreg::Place& place, infreg::Access access, const std::optional<infreg::ValueId>& mask,
                     const infreg::Type& type, unsigned chunk_lanes) {
  const auto distance = place.index.slope(infreg::Symbol::group());
  return type.layout.kind != infreg::Layout::Kind::Pack && std::holds_alternative<infreg::OfParameter>(place.base) && !place.lanes &&
         !mask && access == infreg::Access::Contiguous && type.element != infreg::truth && !type.element.is_pointer &&
         size_of(type.element.scalar) * chunk_lanes == 64 && distance && distance->is_constant();
}

}  // namespace lockstep::emit_avx512
