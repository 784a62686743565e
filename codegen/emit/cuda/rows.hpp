#pragma once
// Which reorderings bring rows of other items through shared memory.

#include <cstdint>

#include "codegen/emit/cuda/plan.hpp"

namespace lockstep::emit_cuda {

/// Bytes from a row to the next one in shared memory: an odd number of 16 bytes, so that lanes that store rows meet different banks.
constexpr std::uint64_t row_bytes(std::uint64_t elements, std::uint64_t element_bytes) {
  return ((elements * element_bytes + 15) / 16 | 1U) * 16;
}

/// Of reorderings that a plan does by broadcasts those that are cheaper so become Way::Row. A warp moves a word of one lane by a shuffle,
/// and four of them by an access to shared memory.
void choose_rows(const infreg::Kernel& kernel, Plan& plan);

}  // namespace lockstep::emit_cuda
