#include "interpreter/debug/kernel/run.hpp"

#include <algorithm>
#include <utility>

namespace lockstep {

std::size_t KernelRun::Start::size() const {
  std::size_t sum = sizeof(Start);
  for (std::size_t b = 0; b < bytes.size(); ++b) {
    sum += bytes[b].size() + states[b].size();
  }
  return sum;
}

KernelRun::KernelRun(std::shared_ptr<const typed::Program> program, launch::Arguments arguments, const launch::LaunchOptions& options,
                     bool log)
    : program_(std::move(program)),
      arguments_(std::move(arguments)),
      options_(options),
      buffers_(*program_, arguments_.values, arguments_.buffers),
      width_(launch::allowed_pack(*program_, options_, std::max(1U, options_.pack))) {
  count_ = (options_.groups + width_ - 1) / width_;
  const auto rest = static_cast<unsigned>(options_.groups % width_);
  if (log) {
    log_.emplace(*program_, buffers_.names(), options_.equal_races);
    watch_.log = rest_watch_.log = &*log_;
  }
  layouts_ = launch::layouts_for(*program_, std::size_t{width_} * program_->wg_size);
  whole_.emplace(*program_, layouts_, options_, width_, buffers_.objects(), log ? &watch_ : nullptr);
  if (rest != 0) {
    rest_layouts_ = launch::layouts_for(*program_, std::size_t{rest} * program_->wg_size);
    rest_.emplace(*program_, rest_layouts_, options_, rest, buffers_.objects(), log ? &rest_watch_ : nullptr);
  }
  begin(0);
}

void KernelRun::begin(std::uint64_t number) {
  number_ = number;
  at_start_ = true;
  pack_ = rest_ && number + 1 == count_ ? &*rest_ : &*whole_;
  pack_->start(number * width_, arguments_.values);
  if (log_) {
    log_->forget_locals();
  }
  settle();
}

void KernelRun::settle() {
  if (pack_->next_fragment() != pack_->fragments().size()) {
    return;
  }
  ended_ = pack_->fault() || number_ + 1 == count_;
  if (!ended_) {
    for (std::size_t r = 0; r < counts_before_.size(); ++r) {
      counts_before_[r] += pack_->rule_counts()[r];
    }
    begin(number_ + 1);
  }
}

bool KernelRun::step(RuleCounts* fired) {
  if (ended_) {
    return false;
  }
  const RuleCounts before = fired != nullptr ? pack_->rule_counts() : RuleCounts{};
  at_start_ = false;
  const bool taken = pack_->step();
  if (fired != nullptr) {
    for (std::size_t r = 0; r < fired->size(); ++r) {
      (*fired)[r] = pack_->rule_counts()[r] - before[r];
    }
  }
  position_ += taken ? 1U : 0U;
  settle();
  return taken;
}

KernelRun::Start KernelRun::start() const {
  Start start;
  start.number = number_;
  start.position = position_;
  start.rule_counts = counts_before_;
  start.bytes.resize(arguments_.buffers.size());
  start.states.resize(arguments_.buffers.size());
  for (std::size_t b = 0; b < start.bytes.size(); ++b) {
    if (buffers_.objects()[b].watched) {
      start.bytes[b] = arguments_.buffers[b].bytes;
      if (const std::uint8_t* states = buffers_.states(b); states != nullptr) {
        start.states[b].assign(states, states + buffers_.objects()[b].cells());
      }
    }
  }
  return start;
}

void KernelRun::go_back_to(const Start& start) {
  for (std::size_t b = 0; b < start.bytes.size(); ++b) {
    if (buffers_.objects()[b].watched) {
      std::copy(start.bytes[b].begin(), start.bytes[b].end(), arguments_.buffers[b].bytes.begin());
      buffers_.set_states(b, start.states[b]);
    }
  }
  position_ = start.position;
  counts_before_ = start.rule_counts;
  ended_ = false;
  begin(start.number);
}

}  // namespace lockstep
