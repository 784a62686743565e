#pragma once
// Grids of blocks of threads, and how both are numbered.

#include <cstdint>
#include <limits>

namespace lockstep::ptx_machine {

inline constexpr unsigned warp_threads = 32;
inline constexpr std::uint64_t max_block_threads = 1024;

/// A size, or a place, in three dimensions.
struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  bool operator==(const Dim3&) const = default;
  /// Of more than 64 bits can hold, the largest number.
  constexpr std::uint64_t count() const {
    const std::uint64_t layer = std::uint64_t{x} * y;
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return z != 0 && layer > most / z ? most : layer * z;
  }
  /// Where number `index` lies: x runs fastest (PTX ISA, %tid).
  constexpr Dim3 at(std::uint64_t index) const {
    return {static_cast<std::uint32_t>(index % x), static_cast<std::uint32_t>(index / x % y), static_cast<std::uint32_t>(index / x / y)};
  }
};

struct Geometry {
  Dim3 grid;
  Dim3 block;
};

}  // namespace lockstep::ptx_machine
