#pragma once
// What the emitter does not take.

#include <optional>
#include <string>

#include "codegen/emit/cuda/plan.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_cuda {

inline constexpr unsigned most_items = 1024;
inline constexpr std::uint64_t shared_bytes_of_block = 48 * 1024;
/// Of all values and private objects of a thread; a GPU has 512 KiB of local memory for each.
inline constexpr std::uint64_t most_thread_bytes = 128 * 1024;

/// Bytes of shared memory that a slot needs: the `__local` objects of its pack, and what reorderings go through.
std::uint64_t shared_bytes(const infreg::Kernel& kernel, const Plan& plan);

/// Why there is no code for a kernel.
struct Refusal {
  std::string sentence;   ///< with file, line and column where an operation is to blame
  bool is_limit = false;  ///< it is too large
};
std::optional<Refusal> complaint_about(const infreg::Kernel& kernel, const Plan& plan);

}  // namespace lockstep::emit_cuda
