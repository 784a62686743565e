#pragma once
// Where the lanes of values lie during an evaluation: values that are not alive at the same time share their place.

#include <cstdint>
#include <optional>
#include <vector>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::infreg {

/// Places in one long row of lanes. While an operation runs, its operands and its results lie apart from each other; the results of a loop
/// lie apart from everything in its body.
struct Slots {
  std::vector<std::uint64_t> first;  ///< of each value: its first lane in the row
  std::uint64_t lanes = 0;           ///< of the row
};

/// The slots of all values of the kernel; empty if they need more than `most` lanes.
std::optional<Slots> place_values(const Kernel& kernel, std::uint64_t most);

}  // namespace lockstep::infreg
