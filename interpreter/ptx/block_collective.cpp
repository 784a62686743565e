// What threads of a warp do together: shfl, vote, match, redux, elect, activemask, bar.warp.sync. A thread comes with a mask of members,
// and waits until all of them have come to the same operation with the same mask; then all of them do it at once.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "interpreter/ptx/block.hpp"
#include "interpreter/ptx/warp_operations.hpp"

namespace lockstep::ptx_machine {

namespace {

/// The threads of a warp that are in the set, as bits.
std::uint32_t members_of(const LaneSet& set, unsigned warp) {
  return static_cast<std::uint32_t>(set.words()[warp / 2] >> (warp % 2 * warp_threads));
}

}  // namespace

Block::Flow Block::execute(const Collective& a) {
  const unsigned warps = (threads_ + warp_threads - 1) / warp_threads;
  for (std::size_t k = 0; k < a.operand_count; ++k) {
    if (!require(a.operands[k])) {
      return Flow::Stop;
    }
  }
  LaneSet waiting(threads_);
  if (a.mask) {
    if (!require(*a.mask) || !check_masks(a, waiting)) {
      return Flow::Stop;
    }
  }
  std::array<Participant, warp_threads> participants;
  for (unsigned warp = 0; warp < warps; ++warp) {
    const std::uint32_t members = members_of(active_.set, warp) & ~members_of(waiting, warp);
    if (members != 0) {
      for (unsigned lane = 0; lane < warp_threads; ++lane) {
        participants[lane] = {warp * warp_threads + lane, &a, frame_};
      }
      perform(warp, members, participants);
    }
  }
  if (waiting.empty()) {
    return Flow::Next;
  }
  std::size_t index = current_;
  if (!(waiting == active_.set)) {
    index = split(current_, waiting);
    ++fragments_[current_].pc;
  }
  fragments_[index].waiting = Waiting::Collective;
  for (unsigned warp = 0; warp < warps; ++warp) {
    while (members_of(waiting, warp) != 0 && try_complete(warp)) {
    }
  }
  return Flow::Choose;
}

/// Reads and checks the masks. Threads of warps that are not complete go to `waiting`. False: a fault.
bool Block::check_masks(const Collective& a, LaneSet& waiting) {
  bool good = true;
  active_.set.for_each([&](unsigned lane) {
    if (!good) {
      return;
    }
    const auto mask = static_cast<std::uint32_t>(lane_number(*a.mask, lane));
    masks_[lane] = mask;
    const unsigned warp = lane / warp_threads;
    if ((mask >> (lane % warp_threads) & 1U) == 0) {
      good = fail(FaultKind::NotInMask, lane,
                  fmt::format("the thread, lane {} of its warp, is not in its own mask {:#010x}", lane % warp_threads, mask));
      return;
    }
    const std::uint32_t missing = mask & ~members_of(live_, warp);
    if (missing != 0) {
      const auto member = static_cast<unsigned>(std::countr_zero(missing));
      const bool exists = warp * warp_threads + member < threads_;
      good = fail(FaultKind::MissingMember, lane,
                  exists ? fmt::format("lane {} of the mask {:#010x} has ended, and never comes here", member, mask)
                         : fmt::format("the mask {:#010x} has lane {}, but the block has no such thread", mask, member));
      return;
    }
    if (mask != members_of(active_.set, warp)) {
      waiting.insert(lane);
    }
  });
  // A warp is complete if all of its threads here have the same mask, which has no others.
  const std::uint32_t all = ~std::uint32_t{0};
  for (unsigned warp = 0; warp * warp_threads < threads_; ++warp) {
    if (members_of(waiting, warp) != 0) {
      std::uint64_t& word = waiting.words()[warp / 2];
      word |= active_.set.words()[warp / 2] & std::uint64_t{all} << (warp % 2 * warp_threads);
    }
  }
  return good;
}

/// Does it for the members, and defines their results.
void Block::perform(unsigned warp, std::uint32_t members, const std::array<Participant, warp_threads>& participants) {
  WarpOperands operands;
  operands.members = members;
  Frame* const kept = frame_;
  const auto each = [&](auto&& f) {
    for (std::uint32_t bits = members; bits != 0; bits &= bits - 1) {
      f(static_cast<unsigned>(std::countr_zero(bits)));
    }
  };
  each([&](unsigned lane) {
    const Participant& p = participants[lane];
    frame_ = p.frame;
    for (std::size_t k = 0; k < p.action->operand_count; ++k) {
      operands.numbers[k][lane] = lane_number(p.action->operands[k], p.lane);
    }
  });
  if (watches_open_) {
    spread_open_members(members, participants);
  }
  const Collective& any = *participants[static_cast<std::size_t>(std::countr_zero(members))].action;
  const WarpResults results = warp_operation(any.operation, operands);
  each([&](unsigned lane) {
    const Participant& p = participants[lane];
    const auto give = [&](const std::optional<Destination>& to, std::uint64_t number) {
      if (to) {
        std::byte* element = p.frame->row(to->row) + std::size_t{p.lane} * to->bytes;
        std::memcpy(element, &number, std::min<std::size_t>(to->bytes, 8));
        std::uint64_t& defined = p.frame->defined(to->row)[p.lane / 64];
        const std::uint64_t bit = std::uint64_t{1} << (p.lane % 64);
        if ((results.undefined >> lane & 1U) != 0 && to == p.action->to) {
          p.frame->undefine(to->row, p.lane, nullptr);
        } else {
          defined |= bit;
        }
      }
    };
    give(p.action->to, results.numbers[lane]);
    give(p.action->predicate, results.predicates >> lane & 1U);
  });
  frame_ = kept;
  if (any.operation.kind == ptx::Kind::WarpBarrier && watch_ != nullptr) {
    const std::uint32_t whole = members_of(LaneSet::all(threads_), warp);
    watch_->clock.warps[warp] += members == whole ? 1U : 0U;
    if (watch_->log != nullptr) {
      watch_->log->warp_meets(warp, members);
    }
  }
}

/// Completes one operation for which threads of the warp wait, if all members of some mask have come. False: there is none.
bool Block::try_complete(unsigned warp) {
  std::array<std::size_t, warp_threads> fragment_of{};
  std::uint32_t waiting = 0;
  for (std::size_t k = 0; k < fragments_.size(); ++k) {
    if (fragments_[k].waiting == Waiting::Collective) {
      const std::uint32_t members = members_of(fragments_[k].lanes, warp);
      waiting |= members;
      for (std::uint32_t bits = members; bits != 0; bits &= bits - 1) {
        fragment_of[static_cast<std::size_t>(std::countr_zero(bits))] = k;
      }
    }
  }
  for (std::uint32_t bits = waiting; bits != 0; bits &= bits - 1) {
    const auto first = static_cast<unsigned>(std::countr_zero(bits));
    const unsigned base = warp * warp_threads;
    const std::uint32_t mask = masks_[base + first];
    if ((mask & ~waiting) != 0) {
      continue;
    }
    std::array<Participant, warp_threads> participants;
    const auto& operation = std::get<Collective>(step_of(fragments_[fragment_of[first]]).action).operation;
    bool complete = true;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      Fragment& f = fragments_[fragment_of[lane]];
      const auto& action = std::get<Collective>(step_of(f).action);
      participants[lane] = {base + lane, &action, &frame_of(f)};
      complete = complete && masks_[base + lane] == mask && action.operation == operation;
    }
    if (!complete) {
      continue;
    }
    perform(warp, mask, participants);
    LaneSet done(threads_);
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      done.insert(base + static_cast<unsigned>(std::countr_zero(left)));
    }
    const std::size_t count = fragments_.size();
    for (std::size_t k = 0; k < count; ++k) {
      const LaneSet leaving = fragments_[k].lanes & done;
      if (fragments_[k].waiting != Waiting::Collective || leaving.empty()) {
        continue;
      }
      const std::size_t going = leaving == fragments_[k].lanes ? k : split(k, leaving);
      fragments_[going].waiting = Waiting::No;
      ++fragments_[going].pc;
    }
    return true;
  }
  return false;
}

}  // namespace lockstep::ptx_machine
