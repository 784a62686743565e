// One instruction of a fragment: where its warps part, which rule they take, what is counted, and which limits are kept.

#include <algorithm>
#include <type_traits>

#include "interpreter/launch/pack.hpp"

namespace lockstep::launch {

using musimd::Fired;
using musimd::RuleId;

namespace {

template <class I>
constexpr bool is_branch = std::is_same_v<I, musimd::Bz<Pirch>>;

/// Whether an operand is a number in all lanes.
bool is_defined(const Pirch::Values& v) { return v.uninitialised.empty() && v.zero_divisor.empty() && v.poison.empty(); }

}  // namespace

void Pack::count(const Fragment& f, Fired fired) {
  rule_counts_[static_cast<std::size_t>(fired.rule)] += f.warps;
  if (fired.root != fired.rule) {
    rule_counts_[static_cast<std::size_t>(fired.root)] += f.warps;
  }
}

/// Warps that took the step together may have taken it by different rules: BF is a BD without threads to defer, and of a shuffle
/// SI.shfl is named where nobody found a number.
template <class I, class F>
void Pack::count_apart(const Fragment& f, const I&, const F& facts, Fired fired) {
  RuleId named = fired.root;
  RuleId instead = fired.root;
  const LaneSet* deciding = nullptr;
  if constexpr (std::is_same_v<I, musimd::Bz<Pirch>>) {
    if (fired.root == RuleId::BD) {
      instead = RuleId::BF;
      deciding = &facts.zero;
    }
  } else if constexpr (std::is_same_v<I, musimd::Shfl<Pirch>>) {
    if (fired.root == RuleId::SV) {
      instead = RuleId::SI_shfl;
      deciding = &facts.found;
    }
  }
  count(f, fired);
  if (f.warps > 1 && deciding != nullptr) {
    const std::uint64_t others = f.warps - domain_.lanes().count(*deciding);
    rule_counts_[static_cast<std::size_t>(named)] -= others;
    rule_counts_[static_cast<std::size_t>(instead)] += others;
  }
}

void Pack::note_depths(const Fragment& f) {
  most_contexts_ = std::max(most_contexts_, f.state.context.size());
  most_frames_ = std::max(most_frames_, f.state.bank.depth());
  if (f.state.context.empty()) {
    most_pending_ = std::max<std::uint64_t>(most_pending_, domain_.lanes().warp_size);  // all items are active when a warp begins
    return;
  }
  for (std::size_t k = 0; k < domain_.lanes().warps.size(); ++k) {
    const Lanes::Warp& warp = domain_.lanes().warps[k];
    if (first_of_warp_[k] < domain_.width() && f.lanes.contains(first_of_warp_[k])) {
      const auto members = [&](const LaneSet& set) {
        std::uint64_t count = 0;
        for (unsigned t = warp.begin; t < warp.begin + warp.count; ++t) {
          count += set.contains(t) ? 1U : 0U;
        }
        return count;
      };
      std::uint64_t pending = members(f.state.active);
      for (const musimd::ContextFrame<Pirch>& context : f.state.context) {
        pending += members(context.mask);
      }
      most_pending_ = std::max(most_pending_, pending);
    }
  }
}

bool Pack::within_limits(const Fragment& f) {
  const Pirch::State& s = f.state;
  if (s.bank.depth() > options_.max_depth || s.sync.size() > options_.max_depth || s.context.size() > options_.max_depth) {
    fail(f, FaultKind::DepthLimit);
    return false;
  }
  if (domain_.private_arrays() > Pirch::most_private_arrays) {
    fail(f, FaultKind::MemoryLimit);
    return false;
  }
  return true;
}

/// Whether one more frame keeps the limit. It is that of a group that runs alone, in the registers of each warp's calls, and in all frames
/// that are there, because warps that go apart have frames of their own.
bool Pack::room_for(const Fragment& f, typed::FunctionId function) {
  const std::size_t bytes = f.state.bank.bytes_per_lane + domain_.layout_of(function).bytes_per_lane;
  if (bytes > options_.frame_memory / padded_lanes(program_.wg_size)) {
    fail(f, FaultKind::MemoryLimit);
    return false;
  }
  if (bytes > options_.frame_memory / padded_lanes(domain_.width())) {
    return give_up(f, nullptr);
  }
  if (fragments_.size() > 1 && domain_.pool().bytes_in_use() + domain_.pool().bytes_of(function) > options_.frame_memory) {
    return give_up(f, "the registers of the calls of warps that have gone apart");
  }
  return true;
}

template <class I>
bool Pack::execute(Fragment& f, const I& i) {
  using musimd::rules::facts;
  using typed::facts;
  const auto found = facts(domain_, f.state, i);
  if (f.warps > 1) {
    const LaneSet away = disagreeing(f, i, found);
    if (!away.empty()) {
      if (!split(current_, away)) {
        return false;
      }
      // At once: the two parts are alike until one of them has gone on.
      Fragment& rest = fragments_[current_];
      domain_.run_as(rest.lanes, live_);
      if constexpr (is_branch<I>) {
        if (is_defined(found.condition)) {
          return fire(rest, i, musimd::rules::Split<Pirch>{found.condition, found.zero - away, found.nonzero - away});
        }
      }
      return execute(rest, i);
    }
  }
  return fire(f, i, found);
}

/// The step of `f`, whose warps agree, with the facts of its instruction.
template <class I, class F>
bool Pack::fire(Fragment& f, const I& i, const F& found) {
  Pirch::State& s = f.state;
  if constexpr (std::is_same_v<I, typed::Wait<Pirch>>) {
    if (several_warps() && !releasing_) {
      return arrive(f);
    }
  }
  if constexpr (std::is_same_v<I, typed::Poll<Pirch>>) {
    if ((i.vote == typed::VoteKind::GroupAny || i.vote == typed::VoteKind::GroupAll) && several_warps() && !releasing_ &&
        !domain_.trouble() && found.value.poison.empty()) {
      Pirch::Values v = found.value;
      if (!arrive(f)) {
        return false;
      }
      votes_ |= domain_.nonzero(s, v);
      return true;
    }
  }
  if constexpr (std::is_same_v<I, typed::Enter<Pirch>>) {
    if (!room_for(f, i.function)) [[unlikely]] {
      return false;
    }
  }
  Fired fired;
  if (!musimd::detail::fire_first(candidates(i), domain_, s, i, found, fired)) [[unlikely]] {
    if (!domain_.trouble()) {
      note_poison(i, found);
    }
    fail(f, std::nullopt);
    return false;
  }
  if (domain_.has_rights && domain_.trouble()) [[unlikely]] {  // no rule asks for rights, which are the launch's
    fail(f, std::nullopt);
    return false;
  }
  ++f.steps;
  steps_ += f.warps;
  if constexpr (std::is_same_v<I, musimd::Bz<Pirch>> || std::is_same_v<I, musimd::Shfl<Pirch>>) {
    count_apart(f, i, found, fired);
  } else {
    count(f, fired);
  }
  if constexpr (std::is_same_v<I, typed::Enter<Pirch>>) {
    if (s.context.size() > s.bank.calls()[s.bank.depth() - 2].contexts) {  // a call inside an everywhere block of this function
      crev_[i.function].activations += f.warps;
      crev_[i.function].tasks += s.active.size();
    }
  }
  if constexpr (std::is_same_v<I, typed::Enter<Pirch>> || std::is_same_v<I, musimd::EnterBlock<Pirch>>) {
    note_depths(f);
  }
  if constexpr (std::is_same_v<I, typed::Enter<Pirch>> || std::is_same_v<I, musimd::EnterBlock<Pirch>> || is_branch<I>) {
    if (!within_limits(f)) [[unlikely]] {
      return false;
    }
  }
  if constexpr (std::is_same_v<I, musimd::Halt<Pirch>>) {
    finish(current_);
  }
  return true;
}

/// The warps of `f` that would not go the way of the others at this instruction.
template <class I, class F>
LaneSet Pack::disagreeing(const Fragment& f, const I&, const F& facts) {
  const Lanes& lanes = domain_.lanes();
  if constexpr (std::is_same_v<I, musimd::Bz<Pirch>>) {
    if (!facts.zero.empty() && !facts.nonzero.empty()) {
      return f.lanes - lanes.spread(facts.nonzero);  // those that jump
    }
  } else if constexpr (std::is_same_v<I, musimd::JmpMask<Pirch>>) {
    if (!f.state.context.empty() && facts.thread.uninitialised.empty()) {
      Pirch::Values thread = facts.thread;
      const LaneSet in = lanes.spread(domain_.lanes_in(f.state, thread, f.state.context.back().mask));
      return (in.empty() || in == f.lanes) ? LaneSet() : f.lanes - in;
    }
  } else if constexpr (std::is_same_v<I, musimd::SyncPoint<Pirch>>) {
    if (!f.state.sync_empty() && !f.state.sync.back().todo.empty()) {
      return f.lanes - lanes.spread(f.state.sync.back().todo);
    }
  }
  return {};
}

/// Poison that decides where control goes, as trouble like any other.
template <class I, class F>
void Pack::note_poison([[maybe_unused]] const I& i, [[maybe_unused]] const F& facts) {
  if constexpr (std::is_same_v<I, musimd::Bz<Pirch>>) {
    domain_.note_poison_branch(facts.condition.poison);
  } else if constexpr (std::is_same_v<I, musimd::JmpMask<Pirch>>) {
    domain_.note_poison_branch(facts.thread.poison);
  } else if constexpr (std::is_same_v<I, typed::Poll<Pirch>>) {
    domain_.note_poison_branch(facts.value.poison, i.value.nodes.back().source);
  }
}

bool Pack::take_step(Fragment& f) {
  return std::visit([&](const auto& i) { return execute(f, i); }, code_[f.state.pc]);
}

}  // namespace lockstep::launch
