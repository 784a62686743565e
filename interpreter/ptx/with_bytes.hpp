#pragma once
// From a number of bytes to the type that has them.

#include <cstdint>

namespace lockstep::ptx_machine {

/// 16 bytes that are only copied.
struct Wide {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// Calls f(T{}) with the unsigned integer of 1, 2, 4 or 8 bytes, or Wide for 16.
template <class F>
decltype(auto) with_bytes(unsigned bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    case 8:
      return f(std::uint64_t{});
    default:
      return f(Wide{});
  }
}

}  // namespace lockstep::ptx_machine
