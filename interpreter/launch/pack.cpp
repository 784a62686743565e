#include "interpreter/launch/pack.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "interpreter/launch/report.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::launch {

using musimd::Fired;
using musimd::RuleId;

namespace {

constexpr typed::Label nowhere = std::numeric_limits<typed::Label>::max();

/// Whether the calls of `a` up to and including level `depth` - 1 are those of `b`.
bool same_calls(const Bank& a, const Bank& b, std::size_t depth) {
  for (std::size_t k = 0; k < depth; ++k) {
    if (a.calls()[k].frame != b.calls()[k].frame) {
      return false;
    }
  }
  return true;
}

/// The fragments' order on their common way: code is laid out in the order in which structured control runs it, so that the one behind, by
/// pc in the first function where they differ, can still come to where the other one is.
bool behind(const Fragment& a, const Fragment& b) {
  const auto& x = a.state.bank.calls();
  const auto& y = b.state.bank.calls();
  const std::size_t common = std::min(x.size(), y.size());
  for (std::size_t k = 0; k < common; ++k) {
    if (x[k].frame != y[k].frame) {
      return x[k].return_pc < y[k].return_pc;
    }
  }
  const typed::Label at_a = x.size() > common ? x[common].return_pc - 1 : a.state.pc;
  const typed::Label at_b = y.size() > common ? y[common].return_pc - 1 : b.state.pc;
  return at_a != at_b ? at_a < at_b : x.size() > y.size();
}

/// Whether the two are at one instruction, called from the same places: what OpenCL calls the same barrier, but for the rounds of loops.
bool same_place(const Pirch::State& a, const Pirch::State& b) {
  const auto same_return = [](const CallRecord& x, const CallRecord& y) { return x.return_pc == y.return_pc; };
  return a.pc == b.pc && std::ranges::equal(a.bank.calls(), b.bank.calls(), same_return);
}

/// Whether the two differ in sets of threads alone.
bool same_shape(const Fragment& a, const Fragment& b) {
  const Pirch::State& x = a.state;
  const Pirch::State& y = b.state;
  if (x.pc != y.pc || x.bank.depth() != y.bank.depth() || x.sync.size() != y.sync.size() || x.context.size() != y.context.size() ||
      x.frame_base != y.frame_base || !same_calls(x.bank, y.bank, x.bank.depth())) {
    return false;
  }
  for (std::size_t k = 0; k < x.sync.size(); ++k) {
    if (x.sync[k].branch_pc != y.sync[k].branch_pc || x.sync[k].resume_at != y.sync[k].resume_at) {
      return false;
    }
  }
  for (std::size_t k = 0; k < x.context.size(); ++k) {
    if (x.context[k].sync_base != y.context[k].sync_base) {
      return false;
    }
  }
  return true;
}

/// Applies f(set of the one, set of the other) to all sets of threads of two states of one shape.
template <class F>
void for_each_set(Pirch::State& a, const Pirch::State& b, F&& f) {
  f(a.active, b.active);
  for (std::size_t k = 0; k < a.sync.size(); ++k) {
    f(a.sync[k].done, b.sync[k].done);
    f(a.sync[k].todo, b.sync[k].todo);
  }
  for (std::size_t k = 0; k < a.context.size(); ++k) {
    f(a.context[k].mask, b.context[k].mask);
  }
  for (std::size_t k = 0; k < a.bank.depth(); ++k) {
    f(a.bank.active_at_call(k), b.bank.calls()[k].active);
  }
}

template <class I>
constexpr bool is_branch = std::is_same_v<I, musimd::Bz<Pirch>>;

/// Remembers what every premise said, for a stuck warp.
struct Explain {
  std::string reasons;

  template <class F>
  void candidate(Fired, F&& premises) {
    premises(*this);
  }
  bool operator()(RuleId rule, int number, bool holds) {
    if (!holds && musimd::premise_table[musimd::premise_index(rule, number)].kind != musimd::PremiseKind::Match) {
      reasons += (reasons.empty() ? "" : "; ") + std::string(musimd::name(rule)) + " wants " +
                 std::string(musimd::premise_table[musimd::premise_index(rule, number)].text);
    }
    return holds;
  }
  template <class Set>
  bool threads(RuleId rule, int number, const Set& failing) {
    return (*this)(rule, number, failing.empty());
  }
  template <class Set>
  bool some_thread(RuleId rule, int number, const Set& holding, const Set&) {
    return (*this)(rule, number, !holding.empty());
  }
};

}  // namespace

Pack::Pack(const typed::Program& program, const std::vector<FrameLayout>& layouts, const LaunchOptions& options, unsigned groups,
           const std::vector<Object>& buffers, RaceWatch* races)
    : program_(program),
      options_(options),
      domain_(program, layouts, lane_kernels(),
              make_lanes(0, groups, options.groups, program.wg_size,
                         options.warp_size == 0 ? program.wg_size : std::min(options.warp_size, program.wg_size))),
      live_(LaneSet::all(domain_.width())),
      votes_(domain_.width()),
      intervals_(groups),
      random_(options.seed),
      crev_(program.functions.size()) {
  lane_steps_.resize(domain_.width());
  domain_.races = races;
  if (races != nullptr) {
    races->several_warps = several_warps();
    races->visitor_of_lane.resize(domain_.width());
  }
  make_objects(buffers);
  code_ = load(program_, domain_);
}

void Pack::start(std::uint64_t first_group, const std::vector<Argument>& arguments) {
  fragments_.clear();
  fault_.reset();
  steps_ = 0;
  rule_counts_ = {};
  crev_.assign(crev_.size(), {});
  most_contexts_ = 0;
  most_frames_ = 0;
  most_pending_ = 0;
  crowded_ = false;
  if (is_settled_) {
    std::fill(lane_steps_.begin(), lane_steps_.end(), 0);
    is_settled_ = false;
  }
  chosen_ = false;
  current_ = 0;
  live_ = LaneSet::all(domain_.width());
  votes_ = LaneSet(domain_.width());
  std::fill(intervals_.begin(), intervals_.end(), 0);
  domain_.begin(first_group);
  reset_objects();
  update_visitors();
  random_.seed(options_.seed + first_group);
  Fragment whole;
  whole.lanes = live_;
  whole.warps = domain_.lanes().warps.size();
  domain_.run_as(live_, live_);
  domain_.start(whole.state, arguments);
  fragments_.push_back(std::move(whole));
  note_depths(fragments_.back());
  if (options_.schedule != Schedule::LowestPc) {
    for (std::size_t k = domain_.lanes().warps.size() - 1; k > 0; --k) {
      const Lanes::Warp& warp = domain_.lanes().warps[k];
      LaneSet lanes(domain_.width());
      for (unsigned t = warp.begin; t < warp.begin + warp.count; ++t) {
        lanes.insert(t);
      }
      split(0, lanes);
    }
    current_ = fragments_.size() - 1;
  }
}

void Pack::reset_objects() {
  for (std::size_t k = 0; k < program_.objects.size(); ++k) {
    Object& object = domain_.objects()[domain_.first_program_object + k];
    if (object.space == AddressSpace::Local) {
      std::fill(states_[k].begin(), states_[k].end(), static_cast<std::uint8_t>(CellState::Uninitialised));
      object.missing = states_[k].size();
      if (domain_.races != nullptr && domain_.races->local[k] != nullptr) {
        domain_.races->local[k] = std::make_unique<Footprints>(states_[k].size());
      }
    }
  }
}

void Pack::make_objects(const std::vector<Object>& buffers) {
  std::vector<Object>& objects = domain_.objects();
  objects.emplace_back();  // the null pointer's: of no element
  objects.insert(objects.end(), buffers.begin(), buffers.end());
  domain_.first_program_object = static_cast<std::uint32_t>(objects.size());
  const std::size_t groups = domain_.lanes().groups;
  for (std::uint32_t id = 0; id < program_.objects.size(); ++id) {
    const typed::Object& source = program_.objects[id];
    Object object;
    object.element = source.element;
    object.space = source.space;
    object.count = source.count;
    object.number = id;
    object.name = &source.name;
    object.copies = source.space == AddressSpace::Local ? groups : 1;
    const unsigned size = size_of(source.element);
    storage_.emplace_back(object.copies * object.count * size);
    object.data = storage_.back().data();
    states_.emplace_back();
    if (source.space == AddressSpace::Local) {
      states_.back().assign(object.copies * object.count, static_cast<std::uint8_t>(CellState::Uninitialised));
      object.states = states_.back().data();
      object.missing = object.copies * object.count;
      object.watched = domain_.races != nullptr && domain_.races->several_warps;
    } else {
      for (std::size_t k = 0; k < source.values.size(); ++k) {
        std::memcpy(object.data + k * size, &source.values[k], size);
      }
    }
    if (domain_.races != nullptr) {
      const bool quick = object.watched && domain_.races->log == nullptr;
      domain_.races->local.push_back(quick ? std::make_unique<Footprints>(object.copies * object.count) : nullptr);
    }
    objects.push_back(object);
  }
}

void Pack::update_visitors() {
  if (domain_.races == nullptr) {
    return;
  }
  const Lanes& lanes = domain_.lanes();
  for (const Lanes::Warp& warp : lanes.warps) {
    for (unsigned t = warp.begin; t < warp.begin + warp.count; ++t) {
      domain_.races->visitor_of_lane[t] = visitor(lanes.first_group + warp.group, intervals_[warp.group], warp.number);
    }
  }
}

/// The steps of `f` become those of its warps.
void Pack::settle(Fragment& f) {
  if (f.steps != 0) {
    is_settled_ = true;
    f.lanes.for_each([&](unsigned lane) { lane_steps_[lane] += f.steps; });
    f.steps = 0;
  }
}

void Pack::find_most(Fragment& f) {
  f.most = 0;
  f.lanes.for_each([&](unsigned lane) { f.most = std::max(f.most, lane_steps_[lane]); });
}

void Pack::split(std::size_t index, const LaneSet& away) {
  settle(fragments_[index]);
  Fragment other = fragments_[index];
  Fragment& f = fragments_[index];
  const auto keep = [&](LaneSet& set, const LaneSet&) { set = set & away; };
  const auto drop = [&](LaneSet& set, const LaneSet&) { set -= away; };
  for_each_set(other.state, f.state, keep);
  for_each_set(f.state, other.state, drop);
  other.lanes = away;
  f.lanes -= away;
  other.warps = domain_.lanes().count(other.lanes);
  f.warps -= other.warps;
  find_most(f);
  find_most(other);
  fragments_.push_back(std::move(other));
  chosen_ = false;
}

void Pack::merge_equals() {
  for (std::size_t k = 0; k < fragments_.size();) {
    if (k != current_ && !fragments_[k].at_barrier && same_shape(fragments_[current_], fragments_[k])) {
      Fragment& f = fragments_[current_];
      for (Fragment* part : {&f, &fragments_[k]}) {
        part->most += part->steps;
        settle(*part);
      }
      for_each_set(f.state, fragments_[k].state, [](LaneSet& set, const LaneSet& other) { set |= other; });
      f.lanes |= fragments_[k].lanes;
      f.warps += fragments_[k].warps;
      f.most = std::max(f.most, fragments_[k].most);
      fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(k));
      current_ -= k < current_ ? 1U : 0U;
    } else {
      ++k;
    }
  }
}

void Pack::set_watch() {
  const Fragment& f = fragments_[current_];
  const std::size_t depth = f.state.bank.depth();
  chosen_depth_ = depth;
  watch_pc_ = nowhere;
  for (std::size_t k = 0; k < fragments_.size(); ++k) {
    const Fragment& other = fragments_[k];
    if (k == current_ || other.at_barrier || other.state.bank.depth() < depth || !same_calls(f.state.bank, other.state.bank, depth)) {
      continue;
    }
    const bool deeper = other.state.bank.depth() > depth;
    watch_pc_ = std::min(watch_pc_, deeper ? other.state.bank.calls()[depth].return_pc : other.state.pc);
  }
}

bool Pack::choose() {
  const auto runnable = [&](std::size_t k) { return !fragments_[k].at_barrier; };
  std::vector<std::size_t> ready;
  for (std::size_t k = 0; k < fragments_.size(); ++k) {
    if (runnable(k)) {
      ready.push_back(k);
    }
  }
  if (ready.empty()) {
    return false;
  }
  if (options_.schedule == Schedule::LowestPc) {
    current_ =
        *std::min_element(ready.begin(), ready.end(), [&](std::size_t a, std::size_t b) { return behind(fragments_[a], fragments_[b]); });
    merge_equals();
    set_watch();
  } else if (options_.schedule == Schedule::Random) {
    current_ = ready[random_() % ready.size()];
  } else {
    const auto next = std::upper_bound(ready.begin(), ready.end(), current_);
    current_ = next == ready.end() ? ready.front() : *next;
  }
  domain_.run_as(fragments_[current_].lanes, live_);
  chosen_ = true;
  return true;
}

std::size_t Pack::next_fragment() {
  if (fault_ || fragments_.empty()) {
    return fragments_.size();
  }
  while (!chosen_ && !choose()) {
    if (!release()) {
      return fragments_.size();
    }
  }
  return current_;
}

void Pack::finish(std::size_t index) {
  live_ -= fragments_[index].lanes;
  fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(index));
  chosen_ = false;
}

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
  for (const Lanes::Warp& warp : domain_.lanes().warps) {
    if (f.lanes.contains(warp.begin)) {
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

/// Whether one more frame keeps the limit. It is that of a group that runs alone; a pack that would need more than it for all of its
/// groups gives up, so that they are run one by one.
bool Pack::room_for(const Fragment& f, typed::FunctionId function) {
  const std::size_t bytes = f.state.bank.bytes_per_lane + domain_.layout_of(function).bytes_per_lane;
  if (bytes > options_.frame_memory / padded_lanes(program_.wg_size)) {
    fail(f, FaultKind::MemoryLimit);
    return false;
  }
  if (bytes > options_.frame_memory / padded_lanes(domain_.width())) {
    crowded_ = true;
    fail(f, FaultKind::MemoryLimit);
    return false;
  }
  return true;
}

void Pack::fail(const Fragment& f, std::optional<FaultKind> kind) {
  const Lanes& lanes = domain_.lanes();
  const typed::Label pc = domain_.present_pc;
  Fault fault;
  const std::optional<Pirch::Trouble>& trouble = domain_.trouble();
  LaneSet where = f.state.active;
  fault.party.span = pc < program_.code.size() ? program_.code[pc].span : SourceSpan{};
  if (kind) {
    fault.kind = *kind;
    fault.message = sentence(fault.kind, options_);
  } else if (trouble) {
    fault.kind = trouble->kind;
    where = trouble->lanes;
    if (trouble->has_place) {
      fault.party.span = trouble->span;
    }
    fault.variable = trouble->variable;
    fault.value = trouble->has_value ? text_of_value(trouble->value_type, trouble->value) : std::string();
    fault.message = sentence(*trouble);
  } else {
    fault.kind = FaultKind::Stuck;
    if (in_function(f)) {
      Explain explain;
      std::visit([&](const auto& i) { ask_candidates(explain, domain_, f.state, i); }, code_[pc]);
      fault.message = "no rule applies: " + explain.reasons;
    } else {
      fault.message = "control has run off the end of '" + program_.functions[f.state.bank.top().function].name + "'";
    }
  }
  const unsigned lane = where.empty() ? f.lanes.first() : where.first();
  fault.party.group = lanes.first_group + lane / lanes.wg_size;
  fault.party.item = lane % lanes.wg_size;
  fault_ = std::move(fault);
}

template <class I>
bool Pack::execute(Fragment& f, const I& i) {
  using musimd::rules::facts;
  using typed::facts;
  Pirch::State& s = f.state;
  const auto found = facts(domain_, s, i);
  if (f.warps > 1) {
    const LaneSet away = disagreeing(f, i, found);
    if (!away.empty()) {
      split(current_, away);
      domain_.run_as(fragments_[current_].lanes, live_);
      return execute(fragments_[current_], i);  // at once: the two parts are alike until one of them has gone on
    }
  }
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
      return in.empty() || in == f.lanes ? LaneSet() : f.lanes - in;
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

/// `f` has come to a barrier of its group, and waits there. False: not with all items.
bool Pack::arrive(Fragment& f) {
  if (!(f.state.active == f.lanes)) {
    Fragment missing = f;
    missing.state.active = f.lanes - f.state.active;
    fail(missing, FaultKind::DivergentBarrier);
    return false;
  }
  f.at_barrier = true;
  chosen_ = false;
  return true;
}

/// All warps wait or have stopped: those of each group must be at one barrier, all of them. False: a fault.
bool Pack::release() {
  const Lanes& lanes = domain_.lanes();
  for (unsigned g = 0; g < lanes.groups; ++g) {
    const Fragment* first = nullptr;
    for (const Lanes::Warp& warp : lanes.warps) {
      if (warp.group != g) {
        continue;
      }
      const auto at = std::find_if(fragments_.begin(), fragments_.end(), [&](const Fragment& f) { return f.lanes.contains(warp.begin); });
      if (first == nullptr && at != fragments_.end()) {
        first = &*at;
      }
    }
    if (first == nullptr) {
      continue;
    }
    for (const Lanes::Warp& warp : lanes.warps) {
      if (warp.group != g) {
        continue;
      }
      const auto at = std::find_if(fragments_.begin(), fragments_.end(), [&](const Fragment& f) { return f.lanes.contains(warp.begin); });
      if (at == fragments_.end() || !same_place(at->state, first->state)) {
        domain_.present_pc = first->state.pc;
        Fragment missing = *first;
        missing.state.active = LaneSet::single(domain_.width(), warp.begin);
        fail(missing, FaultKind::BarrierNotReached);
        return false;
      }
    }
    ++intervals_[g];
  }
  update_visitors();
  releasing_ = true;
  domain_.set_group_votes(&votes_);
  bool goes_on = true;
  for (std::size_t k = 0; k < fragments_.size() && goes_on; ++k) {
    Fragment& f = fragments_[k];
    f.at_barrier = false;
    domain_.present_pc = f.state.pc;
    domain_.run_as(f.lanes, live_);
    goes_on = std::visit([&](const auto& i) { return execute(f, i); }, code_[f.state.pc]);
  }
  domain_.set_group_votes(nullptr);
  releasing_ = false;
  votes_ = LaneSet(domain_.width());
  return goes_on;
}

bool Pack::step() {
  if (next_fragment() == fragments_.size()) {
    return false;
  }
  Fragment& f = fragments_[current_];
  domain_.present_pc = f.state.pc;
  if (f.most + f.steps >= options_.max_steps) [[unlikely]] {
    fail(f, FaultKind::StepLimit);
    return false;
  }
  if (!in_function(f)) [[unlikely]] {
    fail(f, std::nullopt);
    return false;
  }
  const bool goes_on = std::visit([&](const auto& i) { return execute(f, i); }, code_[f.state.pc]);
  if (chosen_ && fragments_.size() > 1) {
    const Pirch::State& s = fragments_[current_].state;
    if (options_.schedule != Schedule::LowestPc || s.bank.depth() != chosen_depth_ || s.pc >= watch_pc_) {
      chosen_ = false;
    }
  }
  return goes_on;
}

void Pack::run() {
  while (step()) {
  }
}

}  // namespace lockstep::launch
