// Barriers of the block: bar.sync, bar.arrive, bar.red.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interpreter/ptx/block.hpp"

namespace lockstep::ptx_machine {

Block::Flow Block::execute(const Barrier& a) {
  if (!require(a.id) || (a.count && !require(*a.count)) || (a.kind == Barrier::Kind::Reduce && !require(a.predicate))) {
    return Flow::Stop;
  }
  const unsigned first = active_.set.first();
  const std::uint64_t id = lane_number(a.id, first);
  // "The arrival count is incremented by the warp size, not the number of active threads in the warp" (PTX ISA, barrier): threads that the
  // last warp does not have come with its last one.
  const unsigned lacking = (warp_threads - threads_ % warp_threads) % warp_threads;
  const std::uint64_t expected = a.count ? lane_number(*a.count, first) : threads_ + lacking;
  LaneSet others(threads_);
  active_.set.for_each([&](unsigned lane) {
    if (lane_number(a.id, lane) != id || (a.count && lane_number(*a.count, lane) != expected)) {
      others.insert(lane);
    }
  });
  if (!others.empty()) {
    split(current_, others);  // they come to another barrier
    use(fragments_[current_]);
    watch_rank_ = 0;
  }
  if (id >= barriers_.size()) {
    fail(FaultKind::BarrierMismatch, first, fmt::format("there is no barrier {}; barriers have numbers from 0 to 15", id));
    return Flow::Stop;
  }
  if (a.count && (expected == 0 || expected % warp_threads != 0)) {
    fail(FaultKind::BarrierMismatch, first,
         fmt::format("a barrier cannot wait for {} threads; it has to be a multiple of {}", expected, warp_threads));
    return Flow::Stop;
  }
  BarrierState& barrier = barriers_[id];
  if (barrier.expected == 0) {
    barrier = {LaneSet(threads_), 0, expected, a.kind == Barrier::Kind::Reduce, true, false, 0};
  } else if (barrier.expected != expected) {
    fail(FaultKind::BarrierMismatch, first,
         fmt::format("barrier {} waits for {} threads, but threads that have come before wait for {}", id, expected, barrier.expected));
    return Flow::Stop;
  } else if (barrier.reduces != (a.kind == Barrier::Kind::Reduce)) {
    fail(FaultKind::BarrierMismatch, first,
         fmt::format("some threads come to barrier {} with bar.red, and others without: what happens then is unpredictable", id));
    return Flow::Stop;
  }
  if (a.kind == Barrier::Kind::Reduce) {
    active_.set.for_each([&](unsigned lane) {
      const bool yes = lane_number(a.predicate, lane) != 0;
      barrier.yes += yes ? 1 : 0;
      barrier.yes_any = barrier.yes_any || yes;
      barrier.yes_all = barrier.yes_all && yes;
      if (watches_open_ && !a.predicate.pooled && frame_->open_from(a.predicate.index, lane)) {
        barrier.open = frame_->origin(a.predicate.index);
      }
    });
  }
  barrier.arrived |= active_.set;
  barrier.count += active_.set.size() + (active_.set.contains(threads_ - 1) ? lacking : 0);
  if (barrier.count > expected) {
    fail(FaultKind::BarrierMismatch, first, fmt::format("barrier {} waits for {} threads, and {} have come", id, expected, barrier.count));
    return Flow::Stop;
  }
  if (watch_ != nullptr && watch_->log != nullptr) {
    watch_->log->arrive(static_cast<unsigned>(id), active_.set);
  }
  Fragment& f = fragments_[current_];
  if (a.kind == Barrier::Kind::Arrive) {
    if (a.aligned) {
      barrier.came_by.push_back({f.function, f.pc, f.lanes});
    }
    ++f.pc;
  } else {
    f.waiting = Waiting::Barrier;
    f.barrier = static_cast<std::uint32_t>(id);
  }
  if (barrier.count == expected && !release(static_cast<unsigned>(id))) {
    return Flow::Stop;
  }
  return Flow::Choose;
}

/// Whether the threads of each warp have come in one place, whether they wait there or not. False: a fault.
bool Block::check_places(unsigned id, const BarrierState& barrier) {
  struct Spot {
    std::uint32_t function;
    std::uint32_t pc;
    const LaneSet* lanes;
  };
  std::vector<Spot> spots;
  for (const CameBy& one : barrier.came_by) {
    spots.push_back({one.function, one.pc, &one.lanes});
  }
  for (const Fragment& f : fragments_) {
    if (f.waiting == Waiting::Barrier && f.barrier == id && std::get<Barrier>(step_of(f).action).aligned) {
      spots.push_back({f.function, f.pc, &f.lanes});
    }
  }
  std::array<const Spot*, max_block_threads / warp_threads> of_warp{};
  for (const Spot& spot : spots) {
    spot.lanes->for_each([&](unsigned lane) {
      const Spot*& first = of_warp[lane / warp_threads];
      if (first != nullptr && (first->function != spot.function || first->pc != spot.pc)) {
        Fragment here;
        here.function = spot.function;
        here.pc = spot.pc;
        fail_at(here, FaultKind::DivergentBarrier, lane,
                fmt::format("threads of one warp have come to barrier {} in different places; {} is not here", id,
                            thread_text(first->lanes->first())));
      }
      first = &spot;
    });
  }
  return !fault_;
}

/// All have come: those that wait go on. False: a fault.
bool Block::release(unsigned id) {
  const BarrierState barrier = barriers_[id];
  barriers_[id] = {};
  if (!check_places(id, barrier)) {
    return false;
  }
  LaneSet waited(threads_);
  for (Fragment& f : fragments_) {
    if (f.waiting != Waiting::Barrier || f.barrier != id) {
      continue;
    }
    waited |= f.lanes;
    const auto& action = std::get<Barrier>(step_of(f).action);
    if (action.to) {
      const std::uint32_t result = action.operation == ptx::Modifier::Popc  ? barrier.yes
                                   : action.operation == ptx::Modifier::And ? (barrier.yes_all ? 1U : 0U)
                                                                            : (barrier.yes_any ? 1U : 0U);
      Frame& frame = frame_of(f);
      std::byte* row = frame.row(action.to->row);
      std::uint64_t* defined = frame.defined(action.to->row);
      f.lanes.for_each([&](unsigned lane) {
        std::memset(row + std::size_t{lane} * action.to->bytes, 0, action.to->bytes);
        std::memcpy(row + std::size_t{lane} * action.to->bytes, &result, std::min<std::size_t>(action.to->bytes, 4));
        defined[lane / 64] |= std::uint64_t{1} << (lane % 64);
        if (watches_open_) {
          frame.set_open(action.to->row, lane, barrier.open);
        }
      });
    }
    f.waiting = Waiting::No;
    ++f.pc;
  }
  if (watch_ != nullptr) {
    note_meeting(id, waited);
  }
  return true;
}

/// Tells those who look for races that these threads have waited for each other, and for those that only came by. Marks know of no order
/// between some of the threads of a block; what they see is looked at by the log.
void Block::note_meeting(unsigned id, const LaneSet& waited) {
  if (waited.size() == threads_) {
    ++watch_->clock.interval;
    watch_->clock.warps = {};
    if (watch_->log != nullptr) {
      watch_->log->all_meet();
    }
  } else if (watch_->log != nullptr) {
    watch_->log->leave(id, waited);
  }
}

}  // namespace lockstep::ptx_machine
