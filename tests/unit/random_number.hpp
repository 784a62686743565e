#pragma once
// Random numbers of every type, with the special ones among them.

#include <cstdint>
#include <type_traits>

#include "semantics/base/scalar_type.hpp"

namespace lockstep::random_number {

/// A number made of `raw`, as bits (semantics/ops/bits.hpp). `special`: of floats an infinity or a NaN.
inline std::uint64_t bits(ScalarType type, std::uint64_t raw, bool special) {
  switch (type) {
    case ScalarType::Bool:
      return raw % 2;
    case ScalarType::Float:
      return special ? 0x7f800000U | (raw & 0x807fffffU) : raw & 0xffffffffU;
    case ScalarType::Double:
      return special ? 0x7ff0000000000000U | raw : raw;
    default:
      return with_type(type, [&]<class T>(T) {
        if constexpr (std::is_integral_v<T>) {
          return static_cast<std::uint64_t>(static_cast<T>(raw));  // sign- or zero-extended
        } else {
          return raw;
        }
      });
  }
}

}  // namespace lockstep::random_number
