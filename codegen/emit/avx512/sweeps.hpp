#pragma once
// Code for all chunks of a layout: unrolled, or loops over groups, rows and chunks.

#include "codegen/emit/avx512/lowering.hpp"

namespace lockstep::emit_avx512 {

/// Calls body with the positions of one tile after the other, within the loops that go through them. Every chunk of the layout is in one of
/// them, ascending; a tile of rows holds them as a whole (up to most_row_chunks).
void sweep(Lowering& lowering, infreg::Layout layout, const Lowering::Body& body);

}  // namespace lockstep::emit_avx512
