#include "interpreter/observe/races.hpp"

#include <algorithm>

namespace lockstep {
namespace {

Cell stored(const CellAccess& access, unsigned thread) {
  if (access.poison != nullptr && access.poison->contains(thread)) {
    return {CellState::Poison, 0};
  }
  return {CellState::Number, access.values[thread]};
}

bool ascend_strictly(const std::int64_t* addresses, const LaneSet& active) {
  std::int64_t last = -1;
  bool ascend = true;
  for (unsigned w = 0; w < active.word_count() && ascend; ++w) {
    for (LaneSet::Word bits = active.words()[w]; bits != 0; bits &= bits - 1) {
      const std::int64_t address = addresses[w * 64 + static_cast<unsigned>(std::countr_zero(bits))];
      ascend = ascend && address > last;
      last = address;
    }
  }
  return ascend;
}

}  // namespace

void RaceObserver::after_step(const Machine&, const StepEvent& event) {
  if (!event.access || !event.access->write || ascend_strictly(event.access->addresses, event.active)) {
    return;
  }
  stores_.clear();
  event.active.for_each([&](unsigned t) { stores_.emplace_back(event.access->addresses[t], t); });
  std::sort(stores_.begin(), stores_.end());
  for (std::size_t begin = 0; begin < stores_.size();) {
    std::size_t end = begin + 1;
    while (end < stores_.size() && stores_[end].first == stores_[begin].first) {
      ++end;
    }
    look_at_group(event, *event.access, begin, end);
    begin = end;
  }
}

void RaceObserver::look_at_group(const StepEvent& event, const CellAccess& access, std::size_t begin, std::size_t end) {
  const unsigned first = stores_[begin].second;
  const Cell value = stored(access, first);
  for (std::size_t i = begin + 1; i < end; ++i) {
    const unsigned other = stores_[i].second;
    if (const Cell theirs = stored(access, other); !(theirs == value)) {
      ++count_;
      if (races_.size() < kept) {
        races_.push_back({event.step + 1, event.pc, stores_[begin].first, {first, other}, {value, theirs}});
      }
      return;
    }
  }
}

}  // namespace lockstep
