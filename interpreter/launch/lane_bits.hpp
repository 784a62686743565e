#pragma once
// Single lanes of a lane array, as bits.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "semantics/base/scalar_type.hpp"

namespace lockstep::launch {

/// The `size` bytes of lane `lane`, zero-extended.
inline std::uint64_t lane_bits(const std::byte* lanes, unsigned size, std::size_t lane) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, lanes + lane * size, size);
  return bits;
}

/// The same number as core::Literal has it: sign-extended if its type is a signed integer.
inline std::uint64_t literal_bits(ScalarType type, std::uint64_t bits) {
  const unsigned spare = 64 - 8 * size_of(type);
  const bool extends = is_signed(type) && !is_float(type);
  return extends ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << spare) >> spare) : bits;
}

}  // namespace lockstep::launch
