#pragma once
// Which InfReg each value of a kernel could lie in: the rules of the borG paper's Fig. 2 for values, which are the variables of SSA form.
// For people, and for emitters that have few registers. An InfReg is a row of lanes of one element type; values that share one are storage
// only (the meaning of a value never depends on it). The same rules for the variables of a typed program: semantics/typed/layout.hpp.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::infreg {

/// A value in its lanes: element k of item i of group g of the pack is lane g * group_lanes + first + i * elements + k, without the item's
/// part for a Group layout (rules 1 and 2).
struct Stored {
  ValueId value = 0;
  std::size_t set = 0;      ///< its interaction set: values of it that are needed at the same time lie in different InfRegs, in equal lanes
  std::size_t infreg = 0;   ///< index into Storage::infregs
  std::uint64_t first = 0;  ///< lane of the group
  std::uint32_t begin = 0;  ///< the operation that makes it, and the last one that needs it, by their numbers in the order of the text;
  std::uint32_t end = 0;    ///< what a loop needs in each round is needed until its end
};

struct Storage {
  std::uint64_t group_lanes = 0;  ///< of each group, in every InfReg
  std::size_t sets = 0;
  std::vector<Element> infregs;  ///< what each holds
  std::vector<Stored> values;    ///< all values but those of layout Pack, which are no InfRegs, by `begin`
};

/// Greedy, in the order of the text: sets whose values do not interact lie side by side in the same InfRegs (rule 3); what is no longer
/// needed leaves its lanes to the next value of its type and width (rule 4). The kernel must verify. O(n log n) in operations, but for the
/// search among lanes and InfRegs that are free.
Storage storage_of(const Kernel& kernel);

/// A table for people: a line for each InfReg, with the values in each run of its lanes, in the order in which they have them.
std::string text_of(const Kernel& kernel, const Storage& storage);

}  // namespace lockstep::infreg
