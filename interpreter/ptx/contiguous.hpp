#pragma once
// Whether addresses ascend by one element from lane to lane, the usual case.

#include <cstddef>
#include <cstdint>

namespace lockstep::ptx_machine {

/// Whether addresses[k] is addresses[0] + k * bytes for all k below `count`, modulo 2^64 or 2^32.
bool ascend(const std::uint64_t* addresses, std::size_t count, std::uint64_t bytes);
bool ascend(const std::uint32_t* addresses, std::size_t count, std::uint32_t bytes);

}  // namespace lockstep::ptx_machine
