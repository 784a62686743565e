// Which fragment of a block runs next, how it is split and merged, and the loop over its instructions.

#include "interpreter/ptx/block.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "interpreter/ptx/specials.hpp"
#include "interpreter/schedule/fragments.hpp"

namespace lockstep::ptx_machine {

namespace {

constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

/// A ready fragment that has not run for so many steps is let through, for so many steps: threads that wait in a loop for what others do
/// behind it would wait for ever (CUDA promises forward progress to each thread).
constexpr std::uint64_t patience = 20'000;
constexpr std::uint64_t turn = 200;

/// Whether threads for which the guard does not hold go on without the others.
bool parts_threads(const Action& action) {
  return std::holds_alternative<IndexedBranch>(action) || std::holds_alternative<Call>(action) || std::holds_alternative<Return>(action) ||
         std::holds_alternative<Exit>(action) || std::holds_alternative<Trap>(action) || std::holds_alternative<Refused>(action) ||
         std::holds_alternative<Barrier>(action) || std::holds_alternative<Collective>(action);
}

}  // namespace

Block::Block(const Program& program, AddressSpace& space, Pool& pool, RaceWatch* watch, Counter* counter)
    : program_(program),
      space_(space),
      pool_(pool),
      watch_(watch),
      counter_(counter),
      threads_(static_cast<unsigned>(program.options.geometry.block.count())),
      padded_(padded(threads_)),
      pointers_(padded_),
      objects_(padded_),
      masks_(padded_) {
  for (const FunctionCode& code : program.code) {
    layouts_.emplace_back(code, padded_);
    orders_.push_back(post_dominators(code));
    if (counter_ != nullptr) {
      std::vector<IssueClass>& classes = classes_.emplace_back();
      std::ranges::transform(code.steps, std::back_inserter(classes), [](const Step& step) { return issue_class(*step.source); });
    }
  }
  for (RowStorage& row : scratch_) {
    row = RowStorage(std::size_t{padded_} * 16);
  }
  for (RowStorage& row : inverted_) {
    row = RowStorage(padded_);
  }
  open_.resize(padded_ / 64);
  for (const FunctionCode& code : program.code) {
    watches_open_ = watches_open_ || std::ranges::any_of(code.steps, [](const Step& step) { return is_open(step.action); });
  }
  set_thread_specials(pool_, program.options);
}

std::optional<Fault> Block::run(std::uint64_t index) {
  begin(index);
  while (chosen_ && !fault_) {
    run_fragment();
    settle();
  }
  return fault_;
}

void Block::begin(std::uint64_t index) {
  start(index);
  settle();
}

bool Block::step() {
  if (!chosen_ || fault_) {
    return false;
  }
  const bool goes_on = advance();
  const bool taken = !fault_;
  if (!goes_on) {
    settle();
  }
  return taken;
}

/// Finds out who goes on. After a fault, it is the one that met it.
void Block::settle() {
  if (fault_) {
    return;
  }
  chosen_ = !fragments_.empty() && choose();
  if (!chosen_ && !fragments_.empty()) {
    explain_deadlock();
  }
}

void Block::set_back(std::uint64_t steps, std::uint64_t thread_steps, const std::vector<OpenResult>& open_results) {
  steps_ = steps;
  thread_steps_ = thread_steps;
  open_results_ = open_results;
}

void Block::start(std::uint64_t index) {
  index_ = index;
  if (counter_ != nullptr) {
    counter_->begin_block();
  }
  fault_.reset();
  fragments_.clear();
  live_ = LaneSet::all(threads_);
  barriers_ = {};
  block_steps_ = 0;
  splits_ = 0;
  current_ = 0;
  chosen_ = false;
  random_.seed(program_.options.seed + index);
  set_block_specials(pool_, program_.options, index);
  if (watch_ != nullptr) {
    watch_->clock.block_interval = ++watch_->clock.interval;
    watch_->clock.warps = {};
    if (watch_->log != nullptr) {
      watch_->log->begin_block(index, threads_);
    }
  }
  Fragment whole;
  whole.function = program_.placement.kernel;
  whole.lanes = live_;
  fragments_.push_back(std::move(whole));
  use(fragments_[0]);
  lanes_ = &active_;
  if (!enter(program_.placement.kernel, 0)) {
    return;
  }
  const bool warps_apart = program_.options.schedule == Schedule::Fair || program_.options.schedule == Schedule::Random;
  for (unsigned begin = warp_threads; warps_apart && begin < threads_; begin += warp_threads) {
    LaneSet warp(threads_);
    for (unsigned lane = begin; lane < std::min(begin + warp_threads, threads_); ++lane) {
      warp.insert(lane);
    }
    split(0, warp);
  }
}

/// The fragment's threads are those that instructions are executed for.
void Block::use(const Fragment& f) { active_ = active_of(f.lanes, threads_); }

/// The threads `away` leave fragment `index`, and are the last one from now on, whose index is the result.
std::size_t Block::split(std::size_t index, const LaneSet& away) {
  Fragment other = fragments_[index];
  other.lanes = away;
  fragments_[index].lanes -= away;
  fragments_.push_back(std::move(other));
  return fragments_.size() - 1;
}

void Block::finish(std::size_t index) {
  live_ -= fragments_[index].lanes;
  fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(index));
  current_ -= index < current_ ? 1U : 0U;
}

/// The fragments that are where the present one is become part of it.
void Block::merge_at_current() {
  current_ = schedule::merge_equals(
      fragments_, current_, [](Fragment& f, const Fragment& other) { f.lanes |= other.lanes; },
      [&](std::size_t k) { fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(k)); });
}

/// Where the present fragment, which is behind all others, can first meet one of them.
void Block::set_watch() {
  const Fragment& f = fragments_[current_];
  watch_depth_ = f.calls.size();
  watch_rank_ = nowhere;
  for (std::size_t k = 0; k < fragments_.size(); ++k) {
    const Fragment& other = fragments_[k];
    if (k == current_ || !is_ready(other) || other.calls.size() < watch_depth_ ||
        !std::equal(f.calls.begin(), f.calls.end(), other.calls.begin())) {
      continue;
    }
    const bool deeper = other.calls.size() > watch_depth_;
    watch_rank_ = std::min(watch_rank_, deeper ? other.calls[watch_depth_].rank : rank_of(other));
  }
}

/// Sets current_ to a fragment that can go on. False: there is none.
bool Block::choose() {
  const Schedule schedule = program_.options.schedule;
  const std::size_t none = fragments_.size();
  std::size_t next = none;
  for (Fragment& f : fragments_) {
    f.rank = rank_of(f);
  }
  until_ = std::numeric_limits<std::uint64_t>::max();
  switch (schedule) {
    case Schedule::LowestPc: {
      next = schedule::lowest(fragments_);
      if (next == none || fragments_.size() == 1) {
        break;
      }
      std::size_t oldest = next;
      for (std::size_t k = 0; k < fragments_.size(); ++k) {
        oldest = is_ready(fragments_[k]) && fragments_[k].stamp < fragments_[oldest].stamp ? k : oldest;
      }
      if (oldest != next && block_steps_ - fragments_[oldest].stamp > patience) {
        next = oldest;
        until_ = block_steps_ + turn;
      } else {
        until_ = block_steps_ + patience;
      }
      break;
    }
    case Schedule::Stack:
      wait_at_meetings();
      for (std::size_t k = 0; k < fragments_.size(); ++k) {
        const auto deeper = [](const Fragment& a, const Fragment& b) {
          return a.partings.size() != b.partings.size() ? a.partings.size() > b.partings.size() : behind(a, b);
        };
        if (is_ready(fragments_[k]) && (next == none || deeper(fragments_[k], fragments_[next]))) {
          next = k;
        }
      }
      if (next == none) {
        // Threads that wait for others which wait for them, as a warp's do in a collective behind the branch: they go on alone.
        for (Fragment& f : fragments_) {
          if (f.waiting == Waiting::Reconvergence) {
            f.waiting = Waiting::No;
            f.partings.pop_back();
            next = static_cast<std::size_t>(&f - fragments_.data());
          }
        }
      }
      break;
    case Schedule::Fair:
      next = schedule::next_in_turn(fragments_, current_);
      until_ = block_steps_ + 1;
      break;
    case Schedule::Random:
      next = schedule::any_ready(fragments_, random_);
      until_ = block_steps_ + 1 + random_() % 8;
      break;
  }
  if (next == none || next >= fragments_.size()) {
    return false;
  }
  current_ = next;
  if (schedule == Schedule::Random && random_() % 32 == 0 && fragments_[current_].lanes.size() > 1) {
    LaneSet away(threads_);
    fragments_[current_].lanes.for_each([&](unsigned lane) {
      if (random_() % 2 == 0) {
        away.insert(lane);
      }
    });
    if (!away.empty() && !(away == fragments_[current_].lanes)) {
      split(current_, away);
    }
  } else if (schedule == Schedule::LowestPc || schedule == Schedule::Stack || random_() % 4 != 0) {
    merge_at_current();
  }
  watch_rank_ = nowhere;
  if (schedule == Schedule::LowestPc) {
    set_watch();
  }
  use(fragments_[current_]);
  return true;
}

/// Runs the present fragment until another one may be next.
void Block::run_fragment() {
  while (advance()) {
  }
}

/// One instruction of the present fragment. False: there is a fault, or another one may be next.
[[gnu::always_inline]] inline bool Block::advance() {
  const bool stack = program_.options.schedule == Schedule::Stack;
  Fragment& f = fragments_[current_];
  if (block_steps_ >= program_.options.max_steps) [[unlikely]] {
    return fail(FaultKind::StepLimit, f.lanes.first(),
                "the step limit of " + std::to_string(program_.options.max_steps) + " is reached (--max-steps)");
  }
  f.stamp = ++block_steps_;
  ++steps_;
  const Flow flow = step(f);
  if (flow == Flow::Next) {
    ++fragments_[current_].pc;
  } else if (flow != Flow::Jumped) {
    return false;
  }
  const Fragment& now = fragments_[current_];
  if (block_steps_ >= until_ || (fragments_.size() > 1 && (rank_of(now) >= watch_rank_ || now.calls.size() != watch_depth_))) {
    if (!stack || now.partings.empty()) {
      return false;
    }
  }
  return !stack || !is_at_meeting(now);
}

/// The threads of the instruction for which the guard holds go to guarded_. False: a fault.
bool Block::guarded(const ptx::resolved::Guard& guard) {
  if (!require({.bytes = 1, .index = guard.predicate})) {
    return false;
  }
  const std::byte* row = frame_->row(guard.predicate);
  guarded_.set = active_.set;
  const auto words = guarded_.set.words();
  for (unsigned w = active_.first_word; w < active_.end_word; ++w) {
    const std::uint64_t bits = bits_of_bytes(row + std::size_t{64} * w);
    words[w] &= guard.negated ? ~bits : bits;
  }
  return true;
}

/// An instruction is issued once for each warp that has threads there.
void Block::count_issue(const Fragment& f) {
  std::uint64_t warps = 0;
  for (const std::uint64_t word : f.lanes.words()) {
    warps += (static_cast<std::uint32_t>(word) != 0 ? 1U : 0U) + (word >> warp_threads != 0 ? 1U : 0U);
  }
  counter_->issue(classes_[f.function][f.pc], warps);
}

Block::Flow Block::step(Fragment& f) {
  const FunctionCode& code = program_.code[f.function];
  frame_ = &frame_of(f);
  lanes_ = &active_;
  if (f.pc >= code.steps.size()) [[unlikely]] {
    return execute(Return{});  // the end of a function is a ret
  }
  const Step& step = code.steps[f.pc];
  if (counter_ != nullptr) {
    count_issue(f);
  }
  if (step.guard) {
    if (!guarded(*step.guard)) {
      return Flow::Stop;
    }
    if (watches_open_ && gather_open({.bytes = 1, .index = step.guard->predicate})) {
      report_open(OpenResult::What::Decided);
    }
    if (guarded_.set.empty()) {
      thread_steps_ += active_.set.size();
      return Flow::Next;
    }
    if (!(guarded_.set == active_.set)) {
      if (const auto* branch = std::get_if<Branch>(&step.action)) {
        thread_steps_ += active_.set.size();
        return go_apart(guarded_.set, branch->target);
      }
      if (parts_threads(step.action)) {
        const std::size_t others = split(current_, active_.set - guarded_.set);
        ++fragments_[others].pc;
        use(fragments_[current_]);
        lanes_ = &active_;
        watch_rank_ = 0;  // those others may be met at once
      } else {
        guarded_ = active_of(guarded_.set, threads_);
        lanes_ = &guarded_;
      }
    }
  }
  thread_steps_ += active_.set.size();
  if (watches_open_) {
    spread_open(step);
  }
  return std::visit([&](const auto& action) { return execute(action); }, step.action);
}

}  // namespace lockstep::ptx_machine
