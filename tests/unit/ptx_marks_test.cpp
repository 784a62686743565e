// The marks that races of PTX are looked for with first: they miss none, and of two accesses they know exactly whether they race. What they
// should see is found out here from the list of all accesses and barriers.

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "interpreter/ptx/races.hpp"

using namespace lockstep::ptx_machine;

namespace {

struct Event {
  enum class What : std::uint8_t { Access, BlockBarrier, WarpBarrier, NextBlock } what = What::Access;
  unsigned thread = 0;  ///< of the access, or any of the warp
  std::uint64_t offset = 0;
  bool strong = false;
  bool wide = false;  ///< of a scope beyond the block
  bool writes = false;
  bool reads = false;
};

constexpr unsigned bytes = 4;

/// Whether event `later`, an access, races with an earlier one. `per_block`: the memory is another one in each block.
bool races(const std::vector<Event>& events, std::size_t later, bool per_block) {
  const Event& b = events[later];
  for (std::size_t k = 0; k < later; ++k) {
    const Event& a = events[k];
    if (a.what != Event::What::Access || a.offset != b.offset || !(a.writes || b.writes)) {
      continue;
    }
    bool ordered = a.thread == b.thread;
    bool other_block = false;
    for (std::size_t m = k + 1; m < later; ++m) {
      const bool same_warp = a.thread / 32 == b.thread / 32;
      ordered = ordered || events[m].what == Event::What::BlockBarrier ||
                (events[m].what == Event::What::WarpBarrier && same_warp && events[m].thread / 32 == a.thread / 32);
      other_block = other_block || events[m].what == Event::What::NextBlock;
    }
    const bool both_strong = a.strong && b.strong && (!other_block || (a.wide && b.wide));
    if (!both_strong && (other_block ? !per_block : !ordered)) {
      return true;
    }
  }
  return false;
}

/// What marks say of each event; false of what is no access.
std::vector<bool> seen(const std::vector<Event>& events, bool per_block) {
  Marks marks(64, 2, per_block);
  RaceClock clock;
  std::vector<bool> found;
  for (const Event& e : events) {
    bool here = false;
    switch (e.what) {
      case Event::What::Access:
        here = marks.access(clock, e.offset, bytes, e.thread, {.strong = e.strong, .wide = e.wide}, e.writes, e.reads);
        break;
      case Event::What::BlockBarrier:
        ++clock.interval;
        clock.warps = {};
        break;
      case Event::What::WarpBarrier:
        ++clock.warps[e.thread / 32];
        break;
      case Event::What::NextBlock:
        clock.block_interval = ++clock.interval;
        clock.warps = {};
        break;
    }
    found.push_back(here);
  }
  return found;
}

constexpr unsigned threads[] = {0, 1, 31, 32, 33, 63};

Event random_access(std::mt19937_64& random) {
  const auto kind = random() % 3;  // a load, a store, or an atomic
  return {.what = Event::What::Access,
          .thread = threads[random() % std::size(threads)],
          .offset = random() % 4 == 0 ? bytes : 0,
          .strong = random() % 3 == 0 || kind == 2,
          .wide = random() % 4 != 0,
          .writes = kind != 0,
          .reads = kind != 1};
}

Event random_event(std::mt19937_64& random) {
  switch (random() % 8) {
    case 0:
      return {.what = Event::What::BlockBarrier};
    case 1:
    case 2:
      return {.what = Event::What::WarpBarrier, .thread = static_cast<unsigned>(random() % 2 * 32)};
    case 3:
      return random() % 3 == 0 ? Event{.what = Event::What::NextBlock} : random_access(random);
    default:
      return random_access(random);
  }
}

std::string text_of(const std::vector<Event>& events) {
  std::string text;
  for (const Event& e : events) {
    text += e.what == Event::What::BlockBarrier  ? "barrier; "
            : e.what == Event::What::WarpBarrier ? "barrier of warp " + std::to_string(e.thread / 32) + "; "
            : e.what == Event::What::NextBlock   ? "next block; "
                                                 : std::string(!e.strong ? ""
                                                               : e.wide  ? "strong "
                                                                         : "narrow ") +
                                                     (e.reads ? "read " : "") + (e.writes ? "write " : "") + "of byte " +
                                                     std::to_string(e.offset) + " by " + std::to_string(e.thread) + "; ";
  }
  return text;
}

}  // namespace

TEST_CASE("marks know of two accesses whether they race") {
  std::mt19937_64 random(1);
  for (int k = 0; k < 5000; ++k) {
    std::vector<Event> events = {random_access(random)};
    for (std::uint64_t between = random() % 3; between > 0; --between) {
      const Event e = random_event(random);
      if (e.what != Event::What::Access) {
        events.push_back(e);
      }
    }
    events.push_back(random_access(random));
    const bool per_block = random() % 2 == 0;
    INFO(text_of(events) << (per_block ? "per block" : ""));
    CHECK(seen(events, per_block).back() == races(events, events.size() - 1, per_block));
  }
}

TEST_CASE("marks miss no race, and see few where there are none") {
  std::mt19937_64 random(2);
  unsigned clean = 0;
  unsigned alarms = 0;
  for (int k = 0; k < 40000; ++k) {
    std::vector<Event> events;
    for (std::uint64_t left = 3 + random() % 8; left > 0; --left) {
      events.push_back(random_event(random));
    }
    const bool per_block = random() % 2 == 0;
    const std::vector<bool> found = seen(events, per_block);
    std::size_t first = 0;  // race
    while (first < events.size() && !(events[first].what == Event::What::Access && races(events, first, per_block))) {
      ++first;
    }
    if (first < events.size()) {
      INFO(text_of(events) << (per_block ? "per block" : ""));
      CHECK(std::find(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(first) + 1, true) != found.end());
    } else {
      ++clean;
      alarms += std::find(found.begin(), found.end(), true) != found.end() ? 1U : 0U;
    }
  }
  CHECK(clean > 4000);
  CHECK(alarms * 50 < clean);
}

TEST_CASE("threads that access numbers side by side are noted as one after the other") {
  std::mt19937_64 random(3);
  for (int k = 0; k < 2000; ++k) {
    Marks together(64, 2, false);
    Marks apart(64, 2, false);
    RaceClock clock;
    for (int step = 0; step < 6; ++step) {
      if (random() % 3 == 0) {
        ++clock.warps[random() % 2];
      }
      const unsigned size = random() % 2 == 0 ? 4 : 8;
      const auto first = static_cast<unsigned>(random() % 2 * 31);
      const auto count = static_cast<unsigned>(1 + random() % (size == 4 ? 8 : 4));
      const std::uint64_t offset = random() % 4 * size;
      const MemoryOrder order{.strong = random() % 3 == 0, .wide = random() % 2 == 0};
      const bool writes = random() % 2 == 0;
      bool found = false;
      for (unsigned t = 0; t < count; ++t) {
        found |= apart.access(clock, offset + std::uint64_t{t} * size, size, first + t, order, writes, !writes);
      }
      CHECK(together.access_range(clock, offset, size, first, count, order, writes) == found);
    }
  }
}
