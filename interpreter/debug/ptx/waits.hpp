#pragma once
// Who waits where for whom.

#include <string>
#include <vector>

#include "interpreter/debug/ptx/view.hpp"

namespace lockstep {

/// Threads that wait for the same others.
struct PtxWait {
  LaneSet who;
  LaneSet missing;   ///< those that have not come
  std::string what;  ///< "at barrier 0, to which 32 of 64 threads have come", "with the mask 0xffffffff", …
};

/// What a fragment waits for; nothing if it can go on.
std::vector<PtxWait> waits_of(const PtxView& view, const ptx_machine::Fragment& f);

/// "threads {0-15} wait with the mask 0xffffffff for threads {16-31} (at line 30)", a line for each lot, `indent` in front of it.
std::string waits_text(const PtxView& view, const ptx_machine::Fragment& f, std::string_view indent);

}  // namespace lockstep
