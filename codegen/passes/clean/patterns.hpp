#pragma once
// Reorderings as functions from lanes to lanes.

#include <cstdint>
#include <optional>
#include <vector>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// A list of more lanes than this is not made when compiling.
inline constexpr std::uint64_t most_folded_lanes = 4096;

/// The polynomial at (item, element) instead of (wi, ix); empty if that is too large.
std::optional<infreg::Polynomial> placed(const infreg::Polynomial& polynomial, const infreg::Polynomial& item,
                                         const infreg::Polynomial& element);

/// For each lane of a group the source's, or Reorder::Table::nowhere; empty if the pattern mentions values, or there are too many lanes.
std::optional<std::vector<std::uint32_t>> table_of(const infreg::Kernel& kernel, const infreg::Reorder& node);

}  // namespace lockstep::passes::clean
