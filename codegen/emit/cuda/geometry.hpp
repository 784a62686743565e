#pragma once
// Which lanes of a warp run what. A slot is as many lanes, one behind the other, as a group has items, at most a warp; the slots of a warp
// run packs of their own. A thread of a slot has one item of each group of its pack, or, of groups with more items than a warp has lanes,
// every 32nd one: the group's items in turn are its *vectors*.

#include <algorithm>
#include <cstdint>

#include "semantics/infreg/layout.hpp"

namespace lockstep::emit_cuda {

inline constexpr unsigned warp_size = 32;
/// Of a block, where shared memory suffices.
inline constexpr unsigned usual_warps = 4;

struct Geometry {
  infreg::Shape shape;
  unsigned lanes = 1;    ///< of a slot
  unsigned slots = 1;    ///< of a warp
  unsigned vectors = 1;  ///< of a group: item v * 32 + lane is in vector v

  /// Whether each lane has an item in each vector.
  bool is_full() const { return std::uint64_t{vectors} * lanes == shape.wg_size; }
  /// Registers that a thread needs for a value.
  std::uint64_t registers(infreg::Layout layout) const {
    const std::uint64_t groups = layout.kind == infreg::Layout::Kind::Pack ? 1 : shape.wg_pack;
    return groups * (layout.kind == infreg::Layout::Kind::Item ? vectors : 1) * layout.elements;
  }
};

inline Geometry geometry_of(infreg::Shape shape) {
  const unsigned lanes = std::min(shape.wg_size, warp_size);
  return {shape, lanes, warp_size / lanes, (shape.wg_size + lanes - 1) / lanes};
}

}  // namespace lockstep::emit_cuda
