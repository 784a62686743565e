#pragma once
// How many registers of a function hold what is still wanted, where these are most.

#include <cstdint>

#include "semantics/ptx/resolve.hpp"

namespace lockstep::ptx_machine {

struct LiveRegisters {
  std::uint32_t words = 0;       ///< of 32 bits; a register of 64 bits is two
  std::uint32_t predicates = 0;  ///< where these are most
};

/// In the order in which the instructions stand. An assembler has its own, and computes some numbers again, so that it may need fewer, or
/// more.
LiveRegisters most_live(const ptx::resolved::Function& function);

}  // namespace lockstep::ptx_machine
