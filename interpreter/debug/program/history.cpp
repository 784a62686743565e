#include "interpreter/debug/program/history.hpp"

#include <algorithm>

namespace lockstep {

namespace {

constexpr std::uint64_t min_spacing = 4096;
constexpr std::uint64_t max_spacing_for_speed = std::uint64_t{1} << 18;

/// So many bytes may be copied for each step on the average; it is some tenths of what the step itself costs.
std::uint64_t bytes_a_step(unsigned threads) { return 16 + 2 * std::uint64_t{threads}; }

/// What a snapshot of this state copies; its pages are shared.
std::size_t copied_bytes(const Machine::State& state) {
  return state.bank.bytes() + state.sync.size() * sizeof(musimd::SyncEntry<Concrete>) +
         state.context.size() * sizeof(musimd::ContextFrame<Concrete>) + state.shared.index_bytes();
}

/// `spacing`, doubled until `bytes` for each snapshot are few enough.
std::uint64_t spacing_for(std::uint64_t spacing, std::size_t bytes, unsigned threads) {
  while (spacing < max_spacing_for_speed && spacing * bytes_a_step(threads) < bytes) {
    spacing *= 2;
  }
  return spacing;
}

}  // namespace

History::History(Machine& machine, std::uint64_t max_steps, std::size_t budget_bytes)
    : machine_(machine), max_steps_(max_steps), budget_bytes_(budget_bytes), spacing_(min_spacing) {
  record();
}

// A page that the next snapshot no longer has never comes back, so that comparing neighbours counts each page once.
void History::settle(std::size_t index) {
  const Machine::State& state = kept_[index].snapshot.state;
  const Cells& next = index + 1 < kept_.size() ? kept_[index + 1].snapshot.state.shared : machine_.state().shared;
  kept_[index].bytes = sizeof(Kept) + copied_bytes(state) + state.shared.pages_not_in(next) * Cells::page_bytes();
}

std::size_t History::snapshot_bytes() const {
  std::size_t bytes = kept_.back().snapshot.state.shared.pages_not_in(machine_.state().shared) * Cells::page_bytes();
  for (const Kept& kept : kept_) {
    bytes += kept.bytes;
  }
  return bytes;
}

void History::record() {
  kept_.push_back({machine_.snapshot()});
  if (kept_.size() > 1) {
    settle(kept_.size() - 2);
  }
  settle(kept_.size() - 1);
  // The snapshot before made the machine copy every page that was written since.
  spacing_ = spacing_for(spacing_, kept_[kept_.size() - std::min<std::size_t>(kept_.size(), 2)].bytes, machine_.threads());
  keep_within_budget();
  next_snapshot_ = (position() / spacing_ + 1) * spacing_;
}

void History::keep_within_budget() {
  // Until the next snapshot all pages may have been written, and be there twice.
  const std::size_t live = 2 * machine_.state().shared.page_count() * Cells::page_bytes();
  while (kept_.size() > 1 && snapshot_bytes() + live > budget_bytes_) {
    spacing_ *= 2;
    std::erase_if(kept_, [&](const Kept& k) { return k.snapshot.steps % spacing_ != 0; });
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      settle(i);
    }
  }
}

std::size_t History::nearest(std::uint64_t position) const {
  const auto after =
      std::upper_bound(kept_.begin(), kept_.end(), position, [](std::uint64_t p, const Kept& k) { return p < k.snapshot.steps; });
  return static_cast<std::size_t>(after - kept_.begin()) - 1;
}

std::uint64_t History::rewind(std::uint64_t position) {
  const Snapshot& snapshot = kept_[nearest(position)].snapshot;
  machine_.restore(snapshot);
  return snapshot.steps;
}

bool History::step(Observer* observer) {
  if (at_end() || at_limit()) {
    return false;
  }
  const std::uint64_t before = position();
  if (observer != nullptr) {
    machine_.attach(*observer);
  }
  machine_.step();
  if (observer != nullptr) {
    machine_.detach(*observer);
  }
  if (at_end()) {
    end_ = position();
  } else if (position() >= next_snapshot_) {
    record();
  }
  return position() != before;
}

void History::run_to(std::uint64_t target) {
  while (position() < target && !at_end()) {
    machine_.run(std::min({target, next_snapshot_, (position() / slice + 1) * slice}) - position());
    if (at_end()) {
      end_ = position();
    } else if (position() >= next_snapshot_) {
      record();
    }
    if (position() < target && gives_up()) {
      return;
    }
  }
}

void History::go_to(std::uint64_t target) {
  const Move move(patience_);
  target = std::min({target, max_steps_, end_.value_or(UINT64_MAX)});
  const std::size_t index = nearest(target);
  if (target < position() || kept_[index].snapshot.steps > position()) {
    machine_.restore(kept_[index].snapshot);
  }
  run_to(target);
  if (!interrupted_ && end_ == target && !at_end()) {
    machine_.step();
  }
}

}  // namespace lockstep
