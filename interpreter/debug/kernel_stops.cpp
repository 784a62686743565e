#include "interpreter/debug/kernel_stops.hpp"

#include <utility>

namespace lockstep {

namespace {

/// Whether nothing has changed that anybody could have seen: not so, either, where a call begins or returns.
bool same(const KernelValue& a, const KernelValue& b) {
  return a.absent || b.absent ||
         (a.state == b.state && (a.state != launch::CellState::Number || a.bits == b.bits) && a.is_array == b.is_array);
}

}  // namespace

KernelStops::KernelStops(const std::vector<KernelBreakpoint>& breakpoints, KernelHistory& history, Until until)
    : breakpoints_(breakpoints), history_(history), until_(std::move(until)), at_pc_(history.run().program().code.size() + 1) {
  for (const KernelBreakpoint& b : breakpoints) {
    for (const typed::Label pc : b.pcs) {
      at_pc_[pc].push_back(&b);
    }
    if (b.pcs.empty()) {
      watchers_.push_back({&b, {}, false, 0});
    }
  }
}

std::vector<std::pair<unsigned, KernelValue>> KernelStops::values(const KernelExpression& e) const {
  const KernelMoment now = moment();
  const unsigned width = now.view.lanes().width();
  std::vector<std::pair<unsigned, KernelValue>> result;
  for (unsigned lane = 0; lane < width; lane += e.per_item() ? 1 : now.view.lanes().wg_size) {
    const unsigned asked = e.per_item() || !e.item() ? lane : lane + *e.item();
    if (e.speaks_of(now.view, asked)) {
      result.emplace_back(asked, e.value(now, asked));
    }
  }
  return result;
}

void KernelStops::refresh(Watcher& watcher) {
  const KernelBreakpoint& b = *watcher.breakpoint;
  if (b.rule) {
    watcher.count = history_.run().rule_count(*b.rule);
  } else if (b.watched) {
    watcher.now = values(*b.watched);
  } else {
    watcher.truth = b.condition->holds(moment(), nullptr);
  }
}

void KernelStops::begin() {
  pack_ = history_.run().number();
  for (Watcher& watcher : watchers_) {
    refresh(watcher);
  }
}

void KernelStops::check(Watcher& watcher, bool same_pack) {
  const KernelBreakpoint& b = *watcher.breakpoint;
  const std::uint64_t count = watcher.count;
  const bool truth = watcher.truth;
  const auto before = std::exchange(watcher.now, {});
  refresh(watcher);
  if (b.rule) {
    if (watcher.count != count && (!b.condition || b.condition->holds(moment(), nullptr))) {
      hits_.push_back({&b, {}});
    }
  } else if (b.watched) {
    KernelHit hit{&b, {}};
    for (std::size_t k = 0; same_pack && k < before.size(); ++k) {
      if (!same(before[k].second, watcher.now[k].second)) {
        hit.changes.push_back({before[k].first, before[k].second, watcher.now[k].second});
      }
    }
    if (!hit.changes.empty()) {
      hits_.push_back(std::move(hit));
    }
  } else if (watcher.truth && !truth) {
    hits_.push_back({&b, {}});
  }
}

void KernelStops::check_places() {
  const launch::Fragment* next = KernelView(history_.run().pack()).next();
  if (next == nullptr || history_.run().ended()) {
    return;
  }
  for (const KernelBreakpoint* b : at_pc_[next->state.pc]) {
    if (!b->condition || b->condition->holds(moment(), next)) {
      hits_.push_back({b, {}});
    }
  }
}

bool KernelStops::after_step() {
  hits_.clear();
  check_places();
  const bool same_pack = std::exchange(pack_, history_.run().number()) == history_.run().number();
  for (Watcher& watcher : watchers_) {
    check(watcher, same_pack);
  }
  return !hits_.empty() || !history_.races_here().empty() || (until_ && until_(history_));
}

}  // namespace lockstep
