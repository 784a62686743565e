#pragma once
// What an atomic operation puts to memory.

#include "interpreter/ptx/with_bytes.hpp"
#include "semantics/ptx/modifiers.hpp"
#include "semantics/ptx/types.hpp"

namespace lockstep::ptx_machine {

/// Numbers of at most 128 bits, in the low ones.
struct AtomicOperands {
  Wide memory;
  Wide first;
  Wide second;  ///< of cas
};

/// `flush`: the sum of .f32 flushes subnormal numbers to zero.
Wide atomic_result(ptx::Modifier operation, ptx::Type type, const AtomicOperands& operands, bool flush);

}  // namespace lockstep::ptx_machine
