#pragma once
// The rows of special registers.

#include <cstdint>

#include "interpreter/ptx/launch.hpp"
#include "interpreter/ptx/rows.hpp"

namespace lockstep::ptx_machine {

/// Of a thread of a block, what is no counter. Where PTX does not say, a plain number: one multiprocessor, no clusters.
std::uint64_t number_of(const ptx::Special& special, const LaunchOptions& options, std::uint64_t block, unsigned thread);

/// Sets what is the same in all blocks.
void set_thread_specials(Pool& pool, const LaunchOptions& options);

/// Sets what depends on the block.
void set_block_specials(Pool& pool, const LaunchOptions& options, std::uint64_t block);

/// Sets a clock's row.
void set_clock(Pool& pool, std::uint32_t row, std::uint8_t bytes, std::uint64_t now);

}  // namespace lockstep::ptx_machine
