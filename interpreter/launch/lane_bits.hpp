#pragma once
// Single lanes of a lane array, as bits.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

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

/// Whether two numbers of a type are equal as results are: the same bits, any NaN being equal to any NaN (docs/kernel-language.md).
template <class T>
bool equal_numbers(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;
    return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b) || (__builtin_isnan(a) && __builtin_isnan(b));
  } else {
    return a == b;
  }
}
/// The same of numbers as lane_bits gives them.
inline bool equal_numbers(ScalarType type, std::uint64_t a, std::uint64_t b) {
  return with_type(type, [&]<class T>(T) {
    T x{};
    T y{};
    std::memcpy(&x, &a, sizeof(T));
    std::memcpy(&y, &b, sizeof(T));
    return equal_numbers(x, y);
  });
}

}  // namespace lockstep::launch
