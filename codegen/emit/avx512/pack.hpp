#pragma once
// How many groups a pack should have for this target (docs/avx512.md, "Groups of a pack").

#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_avx512 {

/// 1, 2, 4 or 8: the most groups with which
///   - values that live in registers with one group still do (Plan::most_chunks chunks),
///   - the rows that items hold, of all values together, take at most half of a first cache of 32 KiB,
///   - the columns into which rows are turned (TRSV) are at most 160 vectors.
/// More groups fill vectors of short rows, and hide that a group's operations wait for each other. `kernel`: with any WG_PACK.
unsigned choose_pack(const infreg::Kernel& kernel);

}  // namespace lockstep::emit_avx512
