#pragma once
// Scalars as 64 bits: an integer zero- or sign-extended by its type, a float in the low half. The form in which constants, cells and lanes
// travel where their type is known only at run time.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "semantics/base/scalar_type.hpp"

namespace lockstep::ops {

template <class T>
T number_from(std::uint64_t bits) {
  T number{};
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

template <class T>
std::uint64_t bits_from(T number) {
  if constexpr (std::is_floating_point_v<T>) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof number);
    return bits;
  } else {
    return static_cast<std::uint64_t>(number);
  }
}

/// The low bits as a number of a type, in the form above.
inline std::uint64_t bits_as(ScalarType type, std::uint64_t bits) {
  return with_type(type, [&]<class T>(T) { return bits_from(number_from<T>(bits)); });
}

/// The bits of the element that lies at `element`, in the host's order.
inline std::uint64_t bits_at(ScalarType type, const std::byte* element) {
  return with_type(type, [&]<class T>(T number) {
    std::memcpy(&number, element, sizeof number);
    return bits_from(number);
  });
}

/// False for integers.
inline bool is_nan(ScalarType type, std::uint64_t bits) {
  return with_type(type, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::isnan(number_from<T>(bits));
    } else {
      return false;
    }
  });
}

/// Equal as results are (docs/kernel-language.md): the same bits, or a NaN each.
inline bool same_number(ScalarType type, std::uint64_t a, std::uint64_t b) { return a == b || (is_nan(type, a) && is_nan(type, b)); }

}  // namespace lockstep::ops
