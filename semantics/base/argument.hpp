#pragma once
// What a kernel is called with.

#include <cstddef>
#include <cstdint>
#include <variant>

namespace lockstep {

/// The value of a scalar parameter: its bits, as core::Literal has them.
struct ScalarBits {
  std::uint64_t bits = 0;
  bool operator==(const ScalarBits&) const = default;
};
/// What a pointer parameter points to: the first element of buffer number `number` of the launch. Two parameters may get one buffer.
struct BufferNumber {
  std::size_t number = 0;
  bool operator==(const BufferNumber&) const = default;
};
using Argument = std::variant<ScalarBits, BufferNumber>;

}  // namespace lockstep
