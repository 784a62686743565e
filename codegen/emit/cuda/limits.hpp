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

/// Why there is no code for the kernel: a sentence.
std::optional<std::string> complaint_about(const infreg::Kernel& kernel, const Plan& plan);

}  // namespace lockstep::emit_cuda
