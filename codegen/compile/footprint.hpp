#pragma once
// What a kernel touches of its arrays, as far as indices show without running it.

#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep {
namespace infreg {
struct Kernel;
}

/// Elements that every launch touches, of one group g: the first is first + g * stride, the last is last + g * stride.
struct CertainAccess {
  std::int64_t stride = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;

  bool operator==(const CertainAccess&) const = default;
};

struct Footprint {
  /// How many elements a group has for itself: group g touches none but those from g * block to g * block + block - 1. None if that is
  /// not so, or cannot be seen from the indices. Only such parameters can be given as strided blocks or pointers.
  std::optional<std::uint64_t> block;
  std::vector<CertainAccess> certain;  ///< by loads and stores under no condition

  bool operator==(const Footprint&) const = default;
};

/// For each parameter of a verified kernel. Of parameters that are numbers, or never touched, it is empty.
std::vector<Footprint> footprints(const infreg::Kernel& kernel);

}  // namespace lockstep
