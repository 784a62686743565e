#pragma once
// What a warp's collective operations compute, from the operands of all members to their results (PTX ISA, Parallel Synchronization and
// Communication Instructions).

#include <array>
#include <cstdint>

#include "interpreter/ptx/code.hpp"
#include "interpreter/ptx/geometry.hpp"

namespace lockstep::ptx_machine {

struct WarpOperands {
  std::uint32_t members = 0;                                         ///< lanes, as bits
  std::array<std::array<std::uint64_t, warp_threads>, 3> numbers{};  ///< operand k of each member
};

struct WarpResults {
  std::array<std::uint64_t, warp_threads> numbers{};
  std::uint32_t predicates = 0;  ///< of the operand behind the bar; and of results that are predicates the numbers are 0 or 1
  std::uint32_t undefined = 0;   ///< lanes whose number is that of a thread that takes no part
};

WarpResults warp_operation(const Collective::Operation& operation, const WarpOperands& operands);

}  // namespace lockstep::ptx_machine
