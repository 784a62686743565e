#pragma once
// What a kernel is called with.

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace lockstep {

/// The value of a scalar parameter: its bits, as core::Literal has them.
struct ScalarBits {
  std::uint64_t bits = 0;
  bool operator==(const ScalarBits&) const = default;
};
/// What a pointer parameter points to: element `first` of buffer number `number` of the launch, or behind its last one. Several
/// parameters may get one buffer; all of it is theirs, also what lies in front of `first`.
struct BufferNumber {
  std::size_t number = 0;
  std::uint64_t first = 0;
  bool operator==(const BufferNumber&) const = default;
};
using Argument = std::variant<ScalarBits, BufferNumber>;

/// The parameter whose name stands for a buffer: of those that get it the first one that points to the least element. The number of
/// arguments if nobody gets it.
inline std::size_t owner_of(std::span<const Argument> arguments, std::size_t buffer) {
  std::size_t owner = arguments.size();
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const auto* points = std::get_if<BufferNumber>(&arguments[k]);
    if (points != nullptr && points->number == buffer &&
        (owner == arguments.size() || points->first < std::get<BufferNumber>(arguments[owner]).first)) {
      owner = k;
    }
  }
  return owner;
}

}  // namespace lockstep
