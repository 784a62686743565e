#pragma once
// Code for all chunks of a layout: unrolled, or loops over groups, rows and chunks.

#include "codegen/emit/avx512/lowering.hpp"

namespace lockstep::emit_avx512 {

/// Calls body with the positions of one tile after the other, within the loops that go through them. Every chunk of the layout is in one of
/// them, ascending; a tile of rows holds them as a whole (up to most_row_chunks).
void sweep(Lowering& lowering, infreg::Layout layout, const Lowering::Body& body);

/// 0, 1, 2, and so on.
std::vector<std::int64_t> iota(unsigned count);
/// A mask of `count` lanes, or of all (8 or 16).
std::uint32_t first_bits(std::uint64_t count, unsigned all);

}  // namespace lockstep::emit_avx512
