#pragma once
// What loads and stores have to do with one another when the lanes of a slot do them: how a store is done, and which of them need the lanes
// to meet before.

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "codegen/emit/c/ranges.hpp"
#include "codegen/emit/cuda/geometry.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_cuda {

enum class StoreWay : std::uint8_t {
  Own,   ///< no two lanes meet in a cell: each stores what it has
  One,   ///< all lanes have the same: the first one stores
  Last,  ///< of lanes that meet in a cell the last one is found, and stores
  Turns  ///< lane after lane
};
std::string_view name_of(StoreWay way);

/// By how much the index grows from one to the next, if that is the same everywhere, and no number of which differences could wrap.
std::optional<std::int64_t> constant_slope(const infreg::Polynomial& index, infreg::Symbol symbol);

/// Whether there are pointers to private objects. Those of two threads are the same number.
bool has_private_pointers(const infreg::Kernel& kernel);

StoreWay way_of(const infreg::Kernel& kernel, const infreg::Store& store, const Geometry& geometry);

/// Operations before which the lanes of a slot have to meet: an access behind another one to memory in common, one of them a store, unless
/// each lane touches cells of its own. Rounds of loops come behind one another.
std::set<infreg::OperationId> meetings_of(const infreg::Kernel& kernel, const Geometry& geometry, const emit_c::KnownRanges& ranges);

}  // namespace lockstep::emit_cuda
