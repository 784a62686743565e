#include "interpreter/debug/ptx/waits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "semantics/base/counted.hpp"
#include "semantics/base/lane_set_text.hpp"

namespace lockstep {

using ptx_machine::Collective;
using ptx_machine::Fragment;
using ptx_machine::Waiting;
using ptx_machine::warp_threads;

namespace {

const Collective::Operation& operation_of(const PtxView& view, const Fragment& f) {
  return std::get<Collective>(view.block().program().code[f.function].steps[f.pc].action).operation;
}

/// The members of the thread's mask that do not wait in the same operation with the same mask.
LaneSet missing_members(const PtxView& view, const Fragment& f, unsigned lane) {
  const std::uint32_t mask = view.block().waiting_mask(lane);
  LaneSet missing(view.threads());
  for (unsigned k = 0; k < warp_threads; ++k) {
    const unsigned member = lane / warp_threads * warp_threads + k;
    if ((mask >> k & 1U) == 0 || member >= view.threads()) {
      continue;
    }
    const Fragment* other = view.fragment_of(member);
    const bool has_come = other != nullptr && other->waiting == Waiting::Collective && view.block().waiting_mask(member) == mask &&
                          operation_of(view, *other) == operation_of(view, f);
    if (!has_come) {
      missing.insert(member);
    }
  }
  return missing;
}

std::vector<PtxWait> for_members(const PtxView& view, const Fragment& f) {
  std::vector<PtxWait> waits;
  LaneSet left = f.lanes;
  while (!left.empty()) {
    const unsigned first = left.first();
    const std::uint32_t mask = view.block().waiting_mask(first);
    LaneSet alike(view.threads());
    left.for_each([&](unsigned lane) {
      if (lane / warp_threads == first / warp_threads && view.block().waiting_mask(lane) == mask) {
        alike.insert(lane);
      }
    });
    left -= alike;
    waits.push_back({alike, missing_members(view, f, first), fmt::format("with the mask {:#010x}", mask)});
  }
  return waits;
}

PtxWait at_barrier(const PtxView& view, const Fragment& f) {
  const auto& barrier = view.block().barrier(f.barrier);
  return {f.lanes, view.block().live() - barrier.arrived,
          fmt::format("at barrier {}, to which {} of {} have come,", f.barrier, barrier.arrived.size(),
                      counted(view.block().awaited(barrier), "thread"))};
}

PtxWait at_meeting(const PtxView& view, const Fragment& f) {
  LaneSet missing(view.threads());
  for (const Fragment& other : view.block().fragments()) {
    const bool waits_too = other.waiting == Waiting::Reconvergence && other.partings.back() == f.partings.back();
    if (!waits_too && std::ranges::find(other.partings, f.partings.back()) != other.partings.end()) {
      missing |= other.lanes;
    }
  }
  return {f.lanes, missing, "where the ways of their branch meet"};
}

/// Where threads are: "at line 30", "{1} at line 30, {2} at line 31 with the mask 0x00000006, {3} ended".
std::string where_text(const PtxView& view, const LaneSet& set) {
  std::vector<std::pair<LaneSet, std::string>> parts;
  LaneSet ended = set;
  for (const Fragment& f : view.block().fragments()) {
    const LaneSet here = f.lanes & set;
    if (here.empty()) {
      continue;
    }
    ended -= here;
    const std::string line = fmt::format("at line {}", view.program().line_of(view.place_of(f)));
    parts.emplace_back(here, f.waiting == Waiting::Collective
                                 ? fmt::format("{} with the mask {:#010x}", line, view.block().waiting_mask(here.first()))
                                 : line);
  }
  if (!ended.empty()) {
    parts.emplace_back(ended, "ended");
  }
  std::ranges::sort(parts, {}, [](const auto& part) { return part.first.first(); });
  std::string out;
  for (const auto& [lanes, text] : parts) {
    out += (out.empty() ? "" : ", ") + (parts.size() == 1 ? text : to_text(lanes) + " " + text);
  }
  return out;
}

}  // namespace

std::vector<PtxWait> waits_of(const PtxView& view, const Fragment& f) {
  switch (f.waiting) {
    case Waiting::Collective:
      return for_members(view, f);
    case Waiting::Barrier:
      return {at_barrier(view, f)};
    case Waiting::Reconvergence:
      return {at_meeting(view, f)};
    case Waiting::No:
      break;
  }
  return {};
}

std::string waits_text(const PtxView& view, const Fragment& f, std::string_view indent) {
  std::string out;
  for (const PtxWait& wait : waits_of(view, f)) {
    const bool one = wait.who.size() == 1;
    out += fmt::format("{}{} wait{} {} for {}", indent, threads_text(wait.who), one ? "s" : "", wait.what,
                       wait.missing.empty() ? "nobody who is there" : threads_text(wait.missing));
    out += wait.missing.empty() ? "\n" : fmt::format(" ({})\n", where_text(view, wait.missing));
  }
  return out;
}

}  // namespace lockstep
