#include "interpreter/ptx/race_log.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace lockstep::ptx_machine {

namespace {

/// The later one of each two times goes to `to`.
void take_later(std::uint32_t* to, std::span<const std::uint32_t> other) {
  for (std::size_t t = 0; t < other.size(); ++t) {
    to[t] = std::max(to[t], other[t]);
  }
}

}  // namespace

void RaceLog::begin_block(std::uint64_t block, unsigned threads) {
  block_ = block;
  threads_ = threads;
  interval_ = 0;
  shared_.clear();
  others_.assign(threads, {});
  common_.clear();
  barriers_ = {};
  clocks_.assign(std::size_t{threads} * threads, 0);
  for (std::uint32_t t = 0; t < threads; ++t) {
    clock(t)[t] = 1;
  }
}

/// The later time of each block, or both if they are of one interval.
void RaceLog::join(Knowledge& to, const Knowledge& from) {
  for (const auto& [block, times] : from) {
    const auto [at, is_new] = to.try_emplace(block, times);
    if (is_new || at->second == times || at->second->interval > times->interval) {
      continue;
    }
    if (at->second->interval < times->interval) {
      at->second = times;
      continue;
    }
    auto both = std::make_shared<Times>(*times);
    take_later(both->of_thread.data(), at->second->of_thread);
    at->second = std::move(both);
  }
}

/// What the thread is told of its own block and of others.
void RaceLog::learn(std::uint32_t thread, const Knowledge& what) {
  Knowledge others = what;
  if (const auto own = others.find(block_); own != others.end()) {
    if (own->second->interval == interval_) {
      take_later(clock(thread), own->second->of_thread);
    }
    others.erase(own);
  }
  join(others_[thread].known, others);
}
void RaceLog::learn(std::uint32_t thread, const Released& what, bool wide) {
  if (wide) {
    learn(thread, what.wide);
  }
  if (what.narrow_block == block_) {
    learn(thread, what.narrow);
  }
}

RaceLog::Knowledge RaceLog::known_to(std::uint32_t thread) const {
  Knowledge known = common_;
  join(known, others_[thread].known);
  const auto mine = times_of(thread);
  known[block_] = std::make_shared<const Times>(Times{interval_, {mine.begin(), mine.end()}});
  return known;
}
/// What the thread knows, as it gives it away.
RaceLog::Released RaceLog::released_by(std::uint32_t thread, bool wide) const {
  Released released{{}, known_to(thread), block_, thread};
  if (wide) {
    released.wide = released.narrow;
  }
  return released;
}
void RaceLog::add(Released& to, const Released& more) const {
  join(to.wide, more.wide);
  if (to.narrow_block != block_) {
    to.narrow = {};
    to.narrow_block = block_;
  }
  if (more.narrow_block == block_) {
    join(to.narrow, more.narrow);
  }
}

void RaceLog::all_meet() {
  for (Thread& thread : others_) {
    join(common_, thread.known);
    thread.known.clear();
  }
  ++interval_;
  barriers_ = {};
  std::ranges::fill(clocks_, 0);
  for (std::uint32_t t = 0; t < threads_; ++t) {
    clock(t)[t] = 1;
  }
}

void RaceLog::warp_meets(unsigned warp, std::uint32_t members) {
  std::vector<std::uint32_t> together(threads_);
  Knowledge known;
  const auto each = [&](auto&& f) {
    for (std::uint32_t bits = members; bits != 0; bits &= bits - 1) {
      f(warp * warp_threads + static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  };
  each([&](std::uint32_t t) {
    take_later(together.data(), times_of(t));
    join(known, others_[t].known);
  });
  each([&](std::uint32_t t) {
    take_later(clock(t), together);
    ++clock(t)[t];
    others_[t].known = known;
  });
}

void RaceLog::arrive(unsigned barrier, const LaneSet& threads) {
  BarrierKnowledge& at = barriers_.at(barrier);
  at.times.resize(threads_);
  threads.for_each([&](unsigned t) {
    take_later(at.times.data(), times_of(t));
    join(at.known, others_[t].known);
    ++clock(t)[t];  // what it does behind it, nobody knows of
  });
}
void RaceLog::leave(unsigned barrier, const LaneSet& threads) {
  const BarrierKnowledge& at = barriers_.at(barrier);
  threads.for_each([&](unsigned t) {
    take_later(clock(t), at.times);
    join(others_[t].known, at.known);
  });
  barriers_.at(barrier) = {};
}

void RaceLog::fence(unsigned thread, const MemoryOrder& order) {
  Thread& mine = others_[thread];
  if (order.acquire) {
    learn(thread, std::exchange(mine.read, {}), order.wide);
  }
  if (order.release) {
    mine.fenced = released_by(thread, order.wide);
    ++clock(thread)[thread];
  }
}

/// Of a strong access, what its thread learns and tells by it; whoever writes otherwise tells nothing.
void RaceLog::synchronise(const std::tuple<std::uint32_t, std::uint64_t, unsigned>& place, const Access& access, bool writes, bool reads) {
  const MemoryOrder& order = access.order;
  Thread& mine = others_[access.thread];
  const auto at = released_.find(place);
  if (!order.strong) {
    if (writes && at != released_.end()) {
      released_.erase(at);
    }
    return;
  }
  if (reads && at != released_.end()) {
    Released seen = at->second;
    if (!order.wide) {
      seen.wide = {};
    }
    if (order.acquire) {
      learn(access.thread, seen, order.wide);
    }
    add(mine.read, seen);
  }
  if (!writes) {
    return;
  }
  Released told = order.release ? released_by(access.thread, order.wide) : mine.fenced;
  if (!order.wide) {
    told.wide = {};
  }
  if (order.release) {
    ++clock(access.thread)[access.thread];
  }
  told.thread = access.thread;
  told.narrow_block = block_;
  const bool again = at != released_.end() && at->second.narrow_block == block_ && at->second.thread == access.thread;
  if (at != released_.end() && (reads || again)) {
    add(at->second, told);  // an atomic operation passes on what it has read, and a thread what it has told before
    at->second.thread = access.thread;
  } else if (at != released_.end() || !told.narrow.empty()) {
    released_[place] = std::move(told);
  }
}

bool RaceLog::ordered(const Record& earlier, const Record& later) const {
  const Access& a = earlier.access;
  const Access& b = later.access;
  if (a.block == b.block) {
    return a.thread == b.thread || earlier.interval < later.interval || times_of(b.thread)[a.thread] >= earlier.time;
  }
  const auto known = [&](const Knowledge& knowledge) {
    const auto of = knowledge.find(a.block);
    return of != knowledge.end() && (of->second->interval > earlier.interval ||
                                     (of->second->interval == earlier.interval && of->second->of_thread[a.thread] >= earlier.time));
  };
  return known(common_) || known(others_[b.thread].known);
}

/// Whether the two, one of which writes, are a race.
bool RaceLog::races(const Record& earlier, const Record& later) const {
  const MemoryOrder& a = earlier.access.order;
  const MemoryOrder& b = later.access.order;
  if (a.constant || b.constant) {
    return true;
  }
  const bool in_scope = earlier.access.block == later.access.block || (a.wide && b.wide);
  return !(a.strong && b.strong && in_scope) && !ordered(earlier, later);
}

/// Whoever races with the earlier one races with the later one.
bool RaceLog::stands_for(const Record& later, const Record& earlier) const {
  const MemoryOrder& mine = later.access.order;
  const MemoryOrder& other = earlier.access.order;
  const bool races_with_more = !mine.strong || (other.strong && mine.wide <= other.wide);
  return races_with_more && mine.constant >= other.constant && ordered(earlier, later);
}

void RaceLog::report(const Object& object, std::uint64_t byte, const Record& first, bool first_writes, const Record& second,
                     bool second_writes, const Geometry& geometry) {
  reports_.add({first.access.function, first.access.pc, second.access.function, second.access.pc, object.number}, [&] {
    const auto party = [&](const Access& access) {
      return Party{geometry.grid.at(access.block), geometry.block.at(access.thread), access.function, access.pc};
    };
    const bool constant = first.access.order.constant || second.access.order.constant;
    return Race{party(first.access), party(second.access), first_writes, second_writes, constant, object.name, byte};
  });
}

void RaceLog::access(const Object& object, std::uint64_t offset, unsigned bytes, const Access& access, bool writes, bool reads,
                     const Geometry& geometry) {
  struct Relation {
    const RaceLog& log;
    bool races(const Record& earlier, const Record& later) const { return log.races(earlier, later); }
    static bool is_alike(const Record& a, const Record& b) { return a.access.order.strong == b.access.order.strong; }
    bool stands_for(const Record& later, const Record& earlier, bool) const { return log.stands_for(later, earlier); }
  };
  const Record me{access, interval_, clock(access.thread)[access.thread]};
  Log& log = object.space == ptx::Space::Shared ? shared_ : global_;
  for (std::uint64_t byte = offset; byte < offset + bytes; ++byte) {
    if (const auto earlier = log.access({object.number, byte}, me, writes, reads, Relation{*this})) {
      report(object, byte, earlier->access, earlier->writes, me, writes, geometry);
    }
  }
  synchronise({object.number, offset, bytes}, access, writes, reads);
}

}  // namespace lockstep::ptx_machine
