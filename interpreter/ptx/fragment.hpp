#pragma once
// Threads of a block that are at one place and go on together.

#include <cstdint>
#include <vector>

#include "semantics/base/lane_set.hpp"

namespace lockstep::ptx_machine {

/// Who called: the pc is the call's, and the rank its number in the order in which the function runs (postdominators.hpp).
struct CallRecord {
  std::uint32_t function = 0;
  std::uint32_t pc = 0;
  std::uint32_t rank = 0;
  bool operator==(const CallRecord&) const = default;
};

/// Under Schedule::Stack: a branch at which threads have parted, and where they meet again.
struct Reconvergence {
  std::uint64_t split = 0;  ///< the number of the parting
  std::uint32_t pc = 0;
  std::uint32_t depth = 0;  ///< of calls
  bool operator==(const Reconvergence&) const = default;
};

enum class Waiting : std::uint8_t {
  No,
  Collective,     ///< for other threads of its mask
  Barrier,        ///< for other threads of the block
  Reconvergence,  ///< for those that it has parted from
};

struct Fragment {
  std::uint32_t function = 0;
  std::uint32_t pc = 0;
  std::uint32_t rank = 0;         ///< of the pc, when a fragment is chosen
  std::vector<CallRecord> calls;  ///< the outermost first
  LaneSet lanes;
  Waiting waiting = Waiting::No;
  std::uint32_t barrier = 0;              ///< at which it waits
  std::uint64_t stamp = 0;                ///< when it has run last, in steps of the block
  std::vector<Reconvergence> partings{};  ///< the outermost first
};

inline bool is_ready(const Fragment& f) { return f.waiting == Waiting::No; }

/// Whether it is where it meets those that it has parted from last.
inline bool is_at_meeting(const Fragment& f) {
  return !f.partings.empty() && f.partings.back().pc == f.pc && f.partings.back().depth == f.calls.size();
}

/// By rank in the first function where they differ; of a caller and what it has called, the callee.
bool behind(const Fragment& a, const Fragment& b);

bool same_shape(const Fragment& a, const Fragment& b);

}  // namespace lockstep::ptx_machine
