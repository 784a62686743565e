#pragma once
// How many groups a pack should have: a model of what a group costs in packs of several, from the kernel's operations alone.
//
// A thread does an operation for each register of its result, times the rounds of the loops around it; a loop whose rounds are not known
// counts as 16. Pieces of a tile (tiles.hpp) take two more, into shared memory and out of it. What has layout Pack is done once for all
// groups of a pack, so that in a larger pack a group costs less. A multiprocessor starts four operations of a warp a cycle, and moves some
// 14.5 bytes from and to memory (H100, bench/cuda/model.hpp): what lasts longer is the time. A pack's values are alive at once, and a
// thread has 255 registers; what is more would go to memory.
//
// Of the packs that have room, the one in which a group takes least time is chosen. A larger one has to promise a tenth less than a smaller
// one: its code is longer, and fewer threads share the work.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/emit/cuda/plan.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_cuda {

struct PackCost {
  unsigned pack = 1;
  double operations = 0;        ///< cycles of a multiprocessor for a group
  double memory = 0;            ///< likewise
  std::uint64_t registers = 0;  ///< of 32 bits, alive at once
  bool is_refused = false;      ///< there is no code for it

  double time() const { return std::max(operations, memory); }
};

/// Of packs of 1, 2, 4 and 8 groups. The kernel's own WG_PACK does not matter.
std::vector<PackCost> pack_costs(const infreg::Kernel& kernel, const Choices& choices = {});

unsigned choose_pack(const std::vector<PackCost>& costs);
unsigned choose_pack(const infreg::Kernel& kernel);

/// As lines for people.
std::string explain(const std::vector<PackCost>& costs);

}  // namespace lockstep::emit_cuda
