#pragma once
// The memory that a barrier's flags name.

#include <cstdint>
#include <string_view>

namespace lockstep {

/// What has been done to this memory before a barrier is there for all items of the group behind it: OpenCL C 1.2, 6.12.8. Of other memory
/// OpenCL promises nothing; on our machine and all targets a barrier orders all memory.
struct Fences {
  bool local = true;
  bool global = true;

  friend constexpr bool operator==(const Fences&, const Fences&) = default;
};

/// The flags, CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE.
inline constexpr std::uint32_t local_fence = 1;
inline constexpr std::uint32_t global_fence = 2;

/// As typed programs write it behind `barrier`; nothing stands for all memory.
constexpr std::string_view name_of(const Fences& fences) {
  if (fences.local) {
    return fences.global ? "" : "local";
  }
  return fences.global ? "global" : "nothing";
}

}  // namespace lockstep
