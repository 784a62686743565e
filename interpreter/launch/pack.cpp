#include "interpreter/launch/pack.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <string>

#include "interpreter/schedule/fragments.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/typed/visit.hpp"

namespace lockstep::launch {

namespace {

constexpr typed::Label nowhere = std::numeric_limits<typed::Label>::max();

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
      passed_(groups),
      random_(options.seed),
      crev_(program.functions.size()) {
  lane_steps_.resize(domain_.width());
  is_atomic_ = typed::atomic_order(program) != typed::AtomicOrder::None;
  domain_.order_by(options.order);
  domain_.changes = options.changes;
  domain_.races = races;
  if (races != nullptr) {
    races->several_warps = several_warps();
    races->of_local.resize(domain_.width());
    races->of_global.resize(domain_.width());
  }
  domain_.has_rights = std::ranges::any_of(buffers, [](const Object& object) { return !object.rights.read || !object.rights.write; });
  make_objects(buffers);
  code_ = load(program_, domain_);
}

/// Which lanes have an item, all but those beyond the end of a ragged launch.
void Pack::find_items() {
  const Lanes& lanes = domain_.lanes();
  live_ = LaneSet::all(domain_.width());
  for (unsigned t = 0; options_.ragged && t < domain_.width(); ++t) {
    if (!options_.ragged->has(lanes.first_group + t / lanes.wg_size, t % lanes.wg_size)) {
      live_.erase(t);
    }
  }
  first_of_warp_.clear();
  for (const Lanes::Warp& warp : lanes.warps) {
    std::uint32_t first = warp.begin;
    while (first < warp.begin + warp.count && !live_.contains(first)) {
      ++first;
    }
    first_of_warp_.push_back(first < warp.begin + warp.count ? first : domain_.width());
  }
}

void Pack::start(std::uint64_t first_group, const std::vector<Argument>& arguments) {
  while (!fragments_.empty()) {
    erase(fragments_.size() - 1);
  }
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
  domain_.begin(first_group);
  find_items();
  votes_ = LaneSet(domain_.width());
  std::ranges::fill(passed_, Passed{});
  reset_objects();
  update_visitors();
  random_.seed(options_.seed + first_group);
  Fragment& whole = new_fragment();
  whole = Fragment();
  whole.lanes = live_;
  whole.warps = domain_.lanes().count(live_);
  domain_.run_as(live_, live_);
  domain_.start(whole.state, arguments);
  domain_.present_pc = whole.state.pc;
  note_depths(whole);
  if (options_.schedule != Schedule::LowestPc) {
    for (std::size_t k = domain_.lanes().warps.size() - 1; k > 0; --k) {
      const Lanes::Warp& warp = domain_.lanes().warps[k];
      LaneSet lanes(domain_.width());
      for (unsigned t = warp.begin; t < warp.begin + warp.count; ++t) {
        lanes.insert(t);
      }
      if ((lanes & live_).empty()) {
        continue;
      }
      if (!split(0, lanes & live_)) {
        break;
      }
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
        domain_.races->local[k] = std::make_unique<Footprints>(states_[k].size(), warps_in_group(), is_atomic_);
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
  const typed::Puns puns(program_);
  for (std::uint32_t id = 0; id < program_.objects.size(); ++id) {
    const typed::Object& source = program_.objects[id];
    Object object;
    object.element = source.element;
    object.space = source.space;
    object.count = source.count;
    object.number = id;
    object.name = &source.name;
    object.bytes = puns(object.space, object.element);
    object.copies = source.space == AddressSpace::Local ? groups : 1;
    const unsigned size = size_of(source.element);
    storage_.emplace_back(object.copies * object.count * size);
    object.data = storage_.back().data();
    states_.emplace_back();
    if (source.space == AddressSpace::Local) {
      states_.back().assign(object.copies * object.cells(), static_cast<std::uint8_t>(CellState::Uninitialised));
      object.states = states_.back().data();
      object.missing = object.copies * object.cells();
      object.watched = domain_.races != nullptr && domain_.races->several_warps;
    } else {
      for (std::size_t k = 0; k < source.values.size(); ++k) {
        std::memcpy(object.data + k * size, &source.values[k], size);
      }
    }
    if (domain_.races != nullptr) {
      const bool quick = object.watched && domain_.races->log == nullptr;
      domain_.races->local.push_back(quick ? std::make_unique<Footprints>(object.copies * object.cells(), warps_in_group(), is_atomic_)
                                           : nullptr);
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
      const auto [local, global] = passed_[warp.group];
      domain_.races->of_local[t] = visitor(lanes.first_group + warp.group, local, warp.number);
      domain_.races->of_global[t] = visitor(lanes.first_group + warp.group, global, warp.number);
    }
  }
}

/// Writes `steps` down for the warps that have these lanes.
void Pack::settle(const LaneSet& lanes, std::uint64_t steps) {
  if (steps != 0) {
    is_settled_ = true;
    lanes.for_each([&](unsigned lane) { lane_steps_[lane] += steps; });
  }
}

/// Whether each warp of `f` may take one more step.
bool Pack::within_steps(Fragment& f) {
  if (f.most + f.steps >= options_.max_steps) [[unlikely]] {
    settle(f.lanes, f.steps);
    f.steps = 0;
    f.most = 0;
    f.lanes.for_each([&](unsigned lane) { f.most = std::max(f.most, lane_steps_[lane]); });
  }
  return f.most + f.steps < options_.max_steps;
}

/// The last fragment from now on, with whatever it has been before.
Fragment& Pack::new_fragment() {
  if (spare_.empty()) {
    return fragments_.emplace_back();
  }
  fragments_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  return fragments_.back();
}

/// The warps with the lanes `away` leave fragment `index`, and are the last one from now on. False: a fault.
bool Pack::split(std::size_t index, const LaneSet& away) {
  const std::uint64_t bytes = set_count(fragments_[index]) * away.word_count() * sizeof(LaneSet::Word);
  if (bytes > options_.frame_memory / (fragments_.size() + 1)) [[unlikely]] {
    give_up(fragments_[index], "the sets of threads of warps that have gone apart");
    return false;
  }
  Fragment& other = new_fragment();
  Fragment& f = fragments_[index];
  other = f;
  for_each_set(other.state, [&](LaneSet& set) { set &= away; });
  for_each_set(f.state, [&](LaneSet& set) { set -= away; });
  other.lanes = away;
  f.lanes -= away;
  other.warps = domain_.lanes().count(away);
  f.warps -= other.warps;
  chosen_ = false;
  return true;
}

void Pack::erase(std::size_t index) {
  fragments_[index].state.bank.clear();
  spare_.push_back(std::move(fragments_[index]));
  fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(index));
}

/// The fragments that are where the present one is become part of it.
void Pack::merge_equals() {
  const auto take = [&](Fragment& f, Fragment& other) {
    const std::uint64_t most = std::max(f.most + f.steps, other.most + other.steps);
    if (other.warps <= f.warps) {
      settle(other.lanes, other.steps - f.steps);
    } else {
      settle(f.lanes, f.steps - other.steps);
      f.steps = other.steps;
    }
    f.most = most - f.steps;
    unite(f.state, other.state);
    f.lanes |= other.lanes;
    f.warps += other.warps;
  };
  current_ = schedule::merge_equals(fragments_, current_, take, [&](std::size_t index) { erase(index); });
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

/// By the schedule; fragments_.size() if all wait at barriers.
std::size_t Pack::next_ready() {
  switch (options_.schedule) {
    case Schedule::LowestPc:
      return schedule::lowest(fragments_);
    case Schedule::Fair:
      return schedule::next_in_turn(fragments_, current_);
    case Schedule::Random:
      break;
  }
  return schedule::any_ready(fragments_, random_);
}

bool Pack::choose() {
  const std::size_t next = next_ready();
  if (next == fragments_.size()) {
    return false;
  }
  current_ = next;
  if (options_.schedule == Schedule::LowestPc) {
    merge_equals();
    set_watch();
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
  erase(index);
  chosen_ = false;
}

/// `what` needs more memory than the limit allows: a fault, or, where it is that of several groups, a reason to run them one by one. The
/// answer is false.
bool Pack::give_up(const Fragment& f, const char* what) {
  crowded_ = crowded_ || domain_.lanes().groups > 1;
  fail(f, FaultKind::MemoryLimit);
  if (what != nullptr) {
    fault_->message = std::string(what) + " take more than " + std::to_string(options_.frame_memory) + " bytes (--frame-memory)";
  }
  return false;
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

/// All warps wait or have stopped: whether those of each group are at one barrier, all of them. False: a fault.
bool Pack::all_at_barriers() {
  const Lanes& lanes = domain_.lanes();
  const std::size_t stopped = fragments_.size();
  fragment_at_.assign(domain_.width(), stopped);
  for (std::size_t k = 0; k < fragments_.size(); ++k) {
    fragments_[k].lanes.for_each([&](unsigned lane) { fragment_at_[lane] = k; });
  }
  const std::size_t warps = lanes.warps.size() / lanes.groups;
  for (unsigned g = 0; g < lanes.groups; ++g) {
    const std::span<const std::uint32_t> group(&first_of_warp_[g * warps], warps);
    const auto has_items = [&](std::uint32_t lane) { return lane < domain_.width(); };
    const auto waits = [&](std::uint32_t lane) { return has_items(lane) && fragment_at_[lane] != stopped; };
    const auto first = std::ranges::find_if(group, waits);
    if (first == group.end()) {
      continue;
    }
    const Fragment& there = fragments_[fragment_at_[*first]];
    std::size_t known = fragment_at_[*first];  // to be at the same place
    for (const std::uint32_t lane : group) {
      const std::size_t k = has_items(lane) ? fragment_at_[lane] : known;
      if (k == known) {
        continue;
      }
      if (k == stopped || !same_place(fragments_[k].state, there.state)) {
        domain_.present_pc = there.state.pc;
        Fragment missing = there;
        missing.state.active = LaneSet::single(domain_.width(), lane);
        fail(missing, FaultKind::BarrierNotReached);
        return false;
      }
      known = k;
    }
    // Where a warp is an item, races are what OpenCL's rules leave open; otherwise there is a machine, whose barriers order all memory.
    const auto* barrier = std::get_if<typed::Barrier>(&program_.code[there.state.pc].instruction);
    const Fences fences = barrier != nullptr && options_.warp_size == 1 ? barrier->fences : Fences{};
    passed_[g].local += fences.local ? 1U : 0U;
    passed_[g].global += fences.global ? 1U : 0U;
  }
  return true;
}

/// Lets the warps go on that wait at barriers; all of them wait. False: a fault.
bool Pack::release() {
  if (!all_at_barriers()) {
    return false;
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
    goes_on = take_step(f);
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
  if (!within_steps(f)) [[unlikely]] {
    fail(f, FaultKind::StepLimit);
    return false;
  }
  if (!in_function(f)) [[unlikely]] {
    fail(f, std::nullopt);
    return false;
  }
  const bool goes_on = take_step(f);
  if (chosen_ && fragments_.size() > 1) {
    const Pirch::State& s = fragments_[current_].state;
    if (options_.schedule != Schedule::LowestPc) {
      chosen_ = false;
    } else if (s.bank.depth() != chosen_depth_ || s.pc >= watch_pc_) {
      chosen_ = false;
      merge_equals();  // now, not when it is chosen again: warps that wait for all others behind a loop are to be one fragment
    }
  }
  return goes_on;
}

void Pack::run(const RaceLog* until_race) {
  constexpr std::uint64_t often = 1U << 14;
  std::uint64_t told = 0;
  const auto tell = [&] {
    if (options_.progress != nullptr) {
      options_.progress->steps += steps_ - told;
      told = steps_;
    }
  };
  for (std::uint64_t round = 1; step() && (until_race == nullptr || until_race->count() == 0); ++round) {
    if (round % often == 0) {
      tell();
    }
  }
  tell();
  if (options_.progress != nullptr) {
    options_.progress->groups += domain_.lanes().groups;
  }
}

}  // namespace lockstep::launch
