#pragma once
// How many groups a pack should have for this target, and whether they lie side by side (docs/avx512.md, "Groups of a pack").

#include "codegen/emit/avx512/emit.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_avx512 {

/// The groups of a pack. `kernel`: with any WG_PACK. If groups lie side by side (options.layout says so, or leaves it open and
/// are_groups_better()), as many as a chunk has lanes. For items that are alone, in code without branches and loops, the fewest with which
/// items fill chunks, if at most 8 do: nothing is gained by more chunks at once, but registers are lost. One, if groups have matrices that
/// fill chunks and move only what they have loaded (GEMA, GEMM), or if their items fill chunks and access memory from a number on that
/// the group has computed, such as a tile's first column. Otherwise 1, 2, 4 or 8: the most groups with which
///   - values that live in registers with one group still do (Plan::most_chunks chunks),
///   - the rows that items hold, of all values together, take at most half of a first cache of 32 KiB,
///   - the columns into which rows are turned (TRSV) are at most 160 vectors.
/// More groups fill vectors of short rows, and hide that a group's operations wait for each other.
unsigned choose_pack(const infreg::Kernel& kernel, const EmitOptions& options = {});

/// Whether the kernel is expected to run faster with groups side by side. They pay for a matrix to be turned when it is loaded and stored,
/// and need memory for all of a pack's matrices; in return nothing moves from lane to lane, no lane is masked, and no group waits for
/// itself. So the kernel must
///   - load and store all data of its items and groups whole, lane by lane, without masks,
///   - move lanes of what it has computed, not only of what it has loaded (LDUS and TRSV, not GEMM), without votes, runtime shuffles and
///   loops
///     whose end is not known,
///   - hold matrices that leave room in a first cache of 48 KiB: 32 KiB of them, or 52 KiB if it stores a matrix, which is worth more; rows
///   that
///     leave lanes of chunks empty count for less. Rows of a matrix that is only looked at have at least 8 elements.
bool are_groups_better(const infreg::Kernel& kernel, unsigned chunk_lanes);

/// Whether lanes have nothing to do with one another: all values are an item's one number, or the whole pack's, and nothing moves; and with
/// `shape` they are at most `most_chunks` chunks.
bool are_items_alone(const infreg::Kernel& kernel, infreg::Shape shape, unsigned chunk_lanes, unsigned most_chunks);

/// With groups side by side: of how many chunks values that live in registers are. Loops that stay rolled go through arrays.
unsigned most_chunks_of_groups(const infreg::Kernel& kernel, unsigned chunk_lanes);

}  // namespace lockstep::emit_avx512
