#include "interpreter/debug/kernel_history.hpp"

#include <algorithm>

namespace lockstep {

KernelHistory::KernelHistory(const std::shared_ptr<const typed::Program>& program, const launch::Arguments& arguments,
                             const launch::LaunchOptions& options, std::size_t budget_bytes)
    : run_(program, arguments, options, false), strict_(options.strict), budget_bytes_(budget_bytes) {
  if (options.races) {
    scout_ = std::make_unique<KernelRun>(program, arguments, options, true);
  }
  record();
}

std::span<const launch::Race> KernelHistory::races_here() const {
  const auto found = std::lower_bound(found_.begin(), found_.end(), position(),
                                      [](const FoundRaces& races, std::uint64_t position) { return races.position < position; });
  if (found == found_.end() || found->position != position()) {
    return {};
  }
  return std::span(scout_->log()->races()).subspan(found->begin, found->end - found->begin);
}

std::size_t KernelHistory::nearest(std::uint64_t position) const {
  const auto after = std::upper_bound(kept_.begin(), kept_.end(), position,
                                      [](std::uint64_t p, const KernelRun::Start& start) { return p < start.position; });
  return static_cast<std::size_t>(after - kept_.begin()) - 1;
}

/// Keeps the start of the pack that has just begun, unless it is there already.
void KernelHistory::record() {
  if (run_.number() % stride_ != 0 || (!kept_.empty() && kept_.back().pack >= run_.number())) {
    return;
  }
  kept_.push_back(run_.start());
  while (kept_.size() > 1 && kept_.size() * kept_.back().size() > budget_bytes_) {
    stride_ *= 2;
    std::erase_if(kept_, [&](const KernelRun::Start& start) { return start.pack % stride_ != 0; });
  }
}

/// Lets the scout come as far as the run has come.
void KernelHistory::follow() {
  while (scout_->position() < position() && scout_->step()) {
    const std::size_t known = found_.empty() ? 0 : found_.back().end;
    const std::size_t now = scout_->log()->races().size();
    if (now > known) {
      found_.push_back({scout_->position(), known, now});
      if (strict_ && !strict_fault_) {
        strict_fault_ = launch::fault_of(scout_->log()->races().front());
        end_ = scout_->position();
      }
    }
  }
}

bool KernelHistory::take_step(KernelRun::RuleCounts* fired) {
  const bool taken = run_.step(fired);
  if (taken && run_.at_start()) {
    record();
  }
  if (run_.ended()) {
    end_ = position();
  }
  return taken;
}

bool KernelHistory::step(KernelRun::RuleCounts* fired) {
  if (at_end()) {
    return false;
  }
  const bool taken = take_step(fired);
  if (scout_) {
    follow();
  }
  try_failing_step();
  return taken;
}

/// Where the run is known to end by a step that fails, has it fail, so that the fault is there again.
void KernelHistory::try_failing_step() {
  if (end_ == position() && !run_.ended() && !strict_fault_) {
    run_.step();
  }
}

std::uint64_t KernelHistory::rewind(std::uint64_t position) {
  const KernelRun::Start& start = kept_[nearest(position)];
  run_.go_back_to(start);
  return start.position;
}

void KernelHistory::go_to(std::uint64_t target) {
  const Move move(patience_);
  target = std::min(target, end_.value_or(UINT64_MAX));
  const std::size_t index = nearest(target);
  if (target < position() || kept_[index].position > position()) {
    run_.go_back_to(kept_[index]);
  }
  while (position() < target && !at_end() && take_step(nullptr)) {
    if (scout_ && position() > scout_->position()) {
      follow();
    }
    if (gives_up()) {
      return;
    }
  }
  try_failing_step();
}

}  // namespace lockstep
