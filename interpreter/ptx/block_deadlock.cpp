// Why no thread can go on: who waits where for whom.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "interpreter/ptx/block.hpp"

namespace lockstep::ptx_machine {

namespace {

std::string threads_text(std::size_t count) { return fmt::format("{} thread{}", count, count == 1 ? "" : "s"); }

}  // namespace

/// A fault of the first fragment that waits: what it misses.
void Block::explain_deadlock() {
  const Fragment* first = nullptr;
  for (const Fragment& f : fragments_) {
    if (first == nullptr || (f.waiting == Waiting::Collective && first->waiting != Waiting::Collective)) {
      first = &f;
    }
  }
  const unsigned lane = first->lanes.first();
  const auto where = [&](unsigned thread) -> const Fragment* {
    const auto found = std::ranges::find_if(fragments_, [&](const Fragment& f) { return f.lanes.contains(thread); });
    return found == fragments_.end() ? nullptr : &*found;
  };
  const auto line_of = [&](const Fragment& f) {
    const Step* step = f.pc < program_.code[f.function].steps.size() ? &step_of(f) : nullptr;
    return step == nullptr ? std::string("its end") : fmt::format("line {}", program_.module.source->place(step->source->place.begin).line);
  };
  if (first->waiting == Waiting::Collective) {
    const std::uint32_t mask = masks_[lane];
    const unsigned base = lane / warp_threads * warp_threads;
    for (std::uint32_t bits = mask; bits != 0; bits &= bits - 1) {
      const auto k = static_cast<unsigned>(std::countr_zero(bits));
      const Fragment* other = where(base + k);
      if (other == nullptr || other->waiting != Waiting::Collective) {
        fail_at(*first, FaultKind::MissingMember, lane,
                fmt::format("lane {} of the mask {:#010x} never comes here: it waits at {}", k, mask,
                            other == nullptr ? "its end" : line_of(*other)));
        return;
      }
      if (masks_[base + k] != mask) {
        fail_at(*first, FaultKind::UnequalMasks, lane,
                fmt::format("the mask here is {:#010x}, but lane {} of it waits at {} with the mask {:#010x}", mask, k, line_of(*other),
                            masks_[base + k]));
        return;
      }
      if (!(std::get<Collective>(step_of(*other).action).operation == std::get<Collective>(step_of(*first).action).operation)) {
        fail_at(*first, FaultKind::MissingMember, lane,
                fmt::format("lane {} of the mask {:#010x} has come to another operation, at {}", k, mask, line_of(*other)));
        return;
      }
    }
  }
  const std::size_t ended = threads_ - live_.size();
  std::string others;
  for (const Fragment& f : fragments_) {
    if (&f != first && (f.function != first->function || f.pc != first->pc)) {
      others += fmt::format("; {} wait{} at {}", threads_text(f.lanes.size()), f.lanes.size() == 1 ? "s" : "", line_of(f));
      if (others.size() > 300) {
        others += "; and so on";
        break;
      }
    }
  }
  const BarrierState& barrier = barriers_[first->barrier];
  const FaultKind kind = others.empty() ? FaultKind::MissingMember : FaultKind::DivergentBarrier;
  fail_at(*first, kind, lane,
          fmt::format("barrier {} waits for {}, of which {} have come{}{}", first->barrier, threads_text(awaited(barrier)),
                      barrier.arrived.size(),
                      ended == 0 ? "" : fmt::format("; {} {} ended", threads_text(ended), ended == 1 ? "has" : "have"), others));
}

}  // namespace lockstep::ptx_machine
