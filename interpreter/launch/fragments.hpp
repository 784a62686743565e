#pragma once
// Warps that run together, and when two such lots of warps meet.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "interpreter/launch/domain.hpp"

namespace lockstep::launch {

/// Warps that run together.
struct Fragment {
  Pirch::State state;
  LaneSet lanes;            ///< of its warps, active or not
  std::uint64_t warps = 0;  ///< how many
  std::uint64_t steps = 0;  ///< of each of its warps, beside those that Pack has written down for the warp's lanes
  std::uint64_t most = 0;   ///< at least as many as are written down for any of its warps
  bool at_barrier = false;  ///< waits for the other warps of its groups
};

/// Whether it can take a step: it waits for nobody.
inline bool is_ready(const Fragment& f) { return !f.at_barrier; }

/// Whether the calls of `a` up to and including level `depth` - 1 are those of `b`.
bool same_calls(const Bank& a, const Bank& b, std::size_t depth);

/// The fragments' order on their common way: code is laid out in the order in which structured control runs it, so that the one behind, by
/// pc in the first function where they differ, can still come to where the other one is.
bool behind(const Fragment& a, const Fragment& b);

/// Whether the two are at one instruction, called from the same places: what OpenCL calls the same barrier. (That they are in the same
/// round of the loops around it is not asked of the state: docs/models.md.)
bool same_place(const Pirch::State& a, const Pirch::State& b);

/// Whether the two differ in sets of threads alone.
bool same_shape(const Fragment& a, const Fragment& b);

/// How many sets of threads a fragment keeps.
std::size_t set_count(const Fragment& f);

/// Applies f(set) to all sets of threads of a state.
template <class F>
void for_each_set(Pirch::State& s, F&& f) {
  f(s.active);
  for (musimd::SyncEntry<Pirch>& entry : s.sync) {
    f(entry.done);
    f(entry.todo);
  }
  for (musimd::ContextFrame<Pirch>& context : s.context) {
    f(context.mask);
  }
  for (std::size_t k = 0; k < s.bank.depth(); ++k) {
    f(s.bank.active_at_call(k));
  }
}

/// The sets of `a` get the members of those of `b`, which has the same shape.
void unite(Pirch::State& a, const Pirch::State& b);

}  // namespace lockstep::launch
