#pragma once
// Which accesses to rows go as tiles: an item has a row, but lanes move what lies side by side in the buffer, pieces of 16 or 8 bytes of
// any item's row, and pieces become rows in shared memory, and rows pieces. A GPU takes an access of a warp line by line, and rows of 32
// lanes are 32 lines.

#include <cstdint>

#include "codegen/emit/cuda/geometry.hpp"
#include "codegen/emit/cuda/plan.hpp"

namespace lockstep::emit_cuda {

/// Bytes that all banks of shared memory give at once, and of a line of the first cache.
inline constexpr unsigned line_bytes = 128;

/// Bytes of shared memory that a slot needs for so many pieces of each of its items' rows. Where a piece lies `at_piece` of lockstep_cuda.h
/// says: behind those in front of it, and on by a piece as often as rows would begin in the same bank.
std::uint64_t tile_bytes(const Geometry& geometry, unsigned pieces, unsigned piece_bytes);

/// Sets Plan::tiles, and the widths of runs that have some. Widths have been chosen.
void choose_tiles(const infreg::Kernel& kernel, Plan& plan);

}  // namespace lockstep::emit_cuda
