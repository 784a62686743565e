// β: assignments, collectives and call frames.

#include <bit>
#include <cstring>

#include "interpreter/launch/domain.hpp"
#include "interpreter/launch/lane_bits.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::launch {

namespace {

void unite(std::uint64_t* words, const LaneSet& set) {
  const std::span<const std::uint64_t> bits = set.words();
  for (std::size_t w = 0; w < bits.size(); ++w) {
    words[w] |= bits[w];
  }
}
void subtract(std::uint64_t* words, const LaneSet& set) {
  const std::span<const std::uint64_t> bits = set.words();
  for (std::size_t w = 0; w < bits.size(); ++w) {
    words[w] &= ~bits[w];
  }
}

}  // namespace

LaneSet Lanes::spread(const LaneSet& set) const {
  LaneSet result(set.width());
  const std::span<const std::uint64_t> in = set.words();
  const std::span<std::uint64_t> out = result.words();
  if (warp_size <= 64 && std::has_single_bit(warp_size) && wg_size % warp_size == 0) {  // warps lie within words, all alike
    std::uint64_t firsts = 0;
    for (unsigned t = 0; t < 64; t += warp_size) {
      firsts |= std::uint64_t{1} << t;
    }
    const std::uint64_t ones = warp_size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << warp_size) - 1;
    for (std::size_t w = 0; w < in.size(); ++w) {
      std::uint64_t bits = in[w];
      for (unsigned shift = 1; shift < warp_size; shift *= 2) {
        bits |= bits >> shift;
      }
      out[w] = (bits & firsts) * ones;
    }
    return result;
  }
  unsigned done = 0;  // lanes below it have been looked at
  set.for_each([&](unsigned t) {
    if (t < done) {
      return;
    }
    const unsigned group = t / wg_size;
    const unsigned begin = group * wg_size + (t % wg_size) / warp_size * warp_size;
    done = std::min(begin + warp_size, (group + 1) * wg_size);
    for (unsigned lane = begin; lane < done; ++lane) {
      result.insert(lane);
    }
  });
  return result;
}

std::uint64_t Lanes::count(const LaneSet& set) const {
  if (warp_size <= 64 && std::has_single_bit(warp_size) && wg_size % warp_size == 0) {
    return spread(set).size() / warp_size;
  }
  std::uint64_t warps_met = 0;
  unsigned done = 0;
  set.for_each([&](unsigned t) {
    if (t >= done) {
      const unsigned group = t / wg_size;
      done = std::min(group * wg_size + ((t % wg_size) / warp_size + 1) * warp_size, (group + 1) * wg_size);
      ++warps_met;
    }
  });
  return warps_met;
}

Lanes make_lanes(std::uint64_t first_group, unsigned groups, std::uint64_t num_groups, unsigned wg_size, unsigned warp_size) {
  Lanes lanes{first_group, num_groups, groups, wg_size, warp_size, {}};
  for (unsigned g = 0; g < groups; ++g) {
    std::uint32_t number = 0;
    for (unsigned begin = 0; begin < wg_size; begin += warp_size) {
      lanes.warps.push_back({g * wg_size + begin, std::min(warp_size, wg_size - begin), g, number++});
    }
  }
  return lanes;
}

Pirch::Pirch(const typed::Program& program, const std::vector<FrameLayout>& layouts, const LaneKernels& kernels, Lanes lanes)
    : program_(program),
      layouts_(layouts),
      kernels_(kernels),
      lanes_(std::move(lanes)),
      width_(lanes_.width()),
      padded_(padded_lanes(width_)),
      all_(LaneSet::all(width_)),
      live_(all_),
      pool_(layouts_),
      copy_of_(padded_),
      mask_(padded_),
      mask_set_(width_),
      place_rows_(4 * padded_),
      access_index_(4 * padded_),
      fetched_(8 * padded_),
      shuffled_(8 * padded_),
      each_object_(padded_) {
  for (unsigned t = 0; t < width_; ++t) {
    copy_of_[t] = t / lanes_.wg_size;
  }
}

std::byte* Pirch::make_lanes(unsigned size) {
  owned_.emplace_back(size * padded_);
  return owned_.back().data();
}

void Pirch::answer(typed::Query query, std::byte* lanes) const {
  if (query == typed::Query::GroupId) {  // the one that each pack asks anew
    auto* ids = reinterpret_cast<std::uint64_t*>(lanes);
    for (unsigned g = 0; g < lanes_.groups; ++g) {
      std::fill_n(ids + std::size_t{g} * lanes_.wg_size, lanes_.wg_size, lanes_.first_group + g);
    }
    return;
  }
  for (const Lanes::Warp& warp : lanes_.warps) {
    for (unsigned k = 0; k < warp.count; ++k) {
      std::uint64_t value = 0;
      switch (query) {
        case typed::Query::LocalId:
          value = warp.begin + k - warp.group * lanes_.wg_size;
          break;
        case typed::Query::GroupId:
          break;
        case typed::Query::NumGroups:
          value = lanes_.num_groups;
          break;
        case typed::Query::WarpSize:
          value = warp.count;
          break;
        case typed::Query::WarpId:
          value = warp.number;
          break;
        case typed::Query::LaneId:
          value = k;
          break;
      }
      std::memcpy(lanes + std::size_t{8} * (warp.begin + k), &value, 8);
    }
  }
}

const std::byte* Pirch::query(typed::Query query) {
  std::byte*& cached = queries_[static_cast<std::size_t>(query)];
  if (cached == nullptr) {
    cached = make_lanes(8);
    answer(query, cached);
  }
  return cached;
}

void Pirch::begin(std::uint64_t first_group) {
  lanes_.first_group = first_group;
  if (std::byte* lanes = queries_[static_cast<std::size_t>(typed::Query::GroupId)]; lanes != nullptr) {
    answer(typed::Query::GroupId, lanes);
  }
  trouble_.reset();
  private_objects_.clear();
  next_private_ = static_cast<std::uint32_t>(objects_.size());
}

const std::uint8_t* Pirch::mask_of(const LaneSet& set) {
  auto* mask = reinterpret_cast<std::uint8_t*>(mask_.data());
  if (!mask_valid_ || !(set == mask_set_)) {
    kernels_.expand(mask, set.words().data(), width_);
    mask_set_ = set;
    mask_valid_ = true;
  }
  return mask;
}

void Pirch::set_states(State& s, const RegisterLayout& r, typed::RegisterId id, std::uint32_t row, const RareSet& poison,
                       const LaneSet& threads) {
  Frame& frame = s.bank.top();
  const std::size_t offset = std::size_t{row} * threads.word_count();
  if (!r.always_written) {
    unite(frame.bits + r.written + offset, threads);
  }
  if (frame.may_be_poison[id] != 0) {
    subtract(frame.bits + r.poison + offset, threads);
  }
  if (!poison.empty()) {
    frame.may_be_poison[id] = 1;
    unite(frame.bits + r.poison + offset, threads & poison);
  }
}

void Pirch::assign_row(State& s, typed::RegisterId id, std::uint32_t row, const Values& value, const LaneSet& threads) {
  Frame& frame = s.bank.top();
  const RegisterLayout& r = layouts_[frame.function].registers[id];
  std::byte* dst = frame.data + r.data + row * r.stride;
  const std::size_t size = size_index(r.size);
  Values v = value;
  const bool full = is_full(threads);
  if (full) {
    if (v.pending != nullptr) {
      v.pending->op(dst, v.operand[0], v.operand[1], v.operand[2], padded_);
    } else if (!v.everywhere || v.uniform) {
      kernels_.splat[size](dst, v.lanes, padded_);
    } else if (v.lanes != dst) {
      std::memcpy(dst, v.lanes, r.size * padded_);
    }
  } else {
    const std::byte* lanes = materialise(v);
    if (!v.everywhere) {
      kernels_.splat[size](shuffled_.data(), lanes, padded_);
      lanes = shuffled_.data();
    }
    kernels_.blend[size](dst, lanes, mask_of(threads), padded_);
  }
  if (!r.is_array) {
    frame.uniform[id] = static_cast<std::uint8_t>(full && v.uniform);
  }
  set_states(s, r, id, row, v.poison, threads);
}

void Pirch::assign_rows(State& s, typed::RegisterId id, const std::uint32_t* rows, const Values& value, const LaneSet& threads) {
  Frame& frame = s.bank.top();
  const RegisterLayout& r = layouts_[frame.function].registers[id];
  Values v = value;
  const std::byte* lanes = materialise(v);
  const std::size_t words = threads.word_count();
  if (!v.poison.empty()) {
    frame.may_be_poison[id] = 1;
  }
  const bool poison = frame.may_be_poison[id] != 0;
  const LaneSet& poisoned = v.poison;
  with_type(r.is_pointer ? ScalarType::ULong : r.type, [&]<class T>(T) {
    const T* from = reinterpret_cast<const T*>(lanes);
    T* to = reinterpret_cast<T*>(frame.data + r.data);
    threads.for_each([&](unsigned t) {
      to[std::size_t{rows[t]} * padded_ + t] = from[v.everywhere ? t : 0];
      const std::uint64_t bit = std::uint64_t{1} << (t % 64);
      const std::size_t word = rows[t] * words + t / 64;
      frame.bits[r.written + word] |= bit;
      if (poison) {
        std::uint64_t& where = frame.bits[r.poison + word];
        where = poisoned.contains(t) ? where | bit : where & ~bit;
      }
    });
  });
}

Pirch::Target Pirch::target(const State& s, const Place& place) {
  Target target;
  if (!place.index) {
    return target;
  }
  target.is_element = true;
  Values index = evaluate_in(2, s, *place.index);
  const std::byte* lanes = materialise(index);
  target.uninitialised = index.uninitialised;
  target.zero_divisor = index.zero_divisor;
  const RegisterLayout& r = layout(s, place.reg);
  auto* rows = reinterpret_cast<std::uint32_t*>(place_rows_.data());
  target_undefined_ = index.poison;
  FaultKind kind = FaultKind::PoisonAddress;
  target.uniform = index.uniform;
  std::uint64_t value = 0;
  if (!place.resolve(rows, lanes, 0, r.count, index.uniform ? 1 : padded_)) {
    (s.active - index.poison).for_each([&](unsigned t) {
      std::uint32_t row = 0;
      if (!place.resolve(&row, lanes + (index.uniform ? 0 : std::size_t{t} * index.size), 0, r.count, 1)) {
        if (kind == FaultKind::PoisonAddress) {
          kind = FaultKind::OutOfBounds;
          std::memcpy(&value, lanes + (index.uniform ? 0 : std::size_t{t} * index.size), index.size);
          target_undefined_ = LaneSet(width_);
        }
        target_undefined_.insert(t);
      }
    });
  }
  target.row = rows[0];
  target.rows = rows;
  if (!target_undefined_.empty()) {
    const bool first = !trouble_.has_value();
    note(kind, nullptr, target_undefined_, name_of_register(s, place.reg),
         kind == FaultKind::OutOfBounds ? std::optional(literal_bits(index.type, value)) : std::nullopt, index.type, r.count);
    if (first) {
      trouble_->span = place.source->span;
      trouble_->has_place = true;
    }
    target.zero_divisor = RareSet(target_undefined_);
  }
  return target;
}

void Pirch::assign(State& s, const Place& place, const Target& target, const Values& value, const LaneSet& threads) {
  if (target.uniform) {
    assign_row(s, place.reg, target.is_element ? target.row : 0, value, threads);
  } else {
    assign_rows(s, place.reg, target.rows, value, threads);
  }
}

void Pirch::assign(State& s, typed::RegisterId dst, const Values& value, const LaneSet& threads) {
  if (!threads.empty()) {
    assign_row(s, dst, 0, value, threads);
  }
}

void Pirch::assign_poison(State& s, typed::RegisterId dst, const LaneSet& threads) {
  if (!threads.empty()) {
    s.bank.top().uniform[dst] = 0;
    set_states(s, layout(s, dst), dst, 0, RareSet(threads), threads);
  }
}

void Pirch::forget(State& s, typed::RegisterId dst, const LaneSet& threads) {
  const RegisterLayout& r = layout(s, dst);
  Frame& frame = s.bank.top();
  for (std::uint32_t row = 0; row < r.count; ++row) {
    subtract(frame.bits + r.written + row * threads.word_count(), threads);
  }
}

LaneSet Pirch::zeros(const State& s, Values& v) {
  const std::byte* lanes = materialise(v);
  LaneSet zero(width_);
  const TestKernel test = kernels_.zero[static_cast<std::size_t>(v.type)];
  if (v.uniform) {
    std::uint64_t is_zero = 0;
    test(&is_zero, lanes, 1);
    return is_zero != 0 ? s.active : zero;
  }
  test(zero.words().data(), lanes, width_);
  return zero & s.active;
}

namespace {

std::int64_t integer(const Pirch::Values& v, std::size_t lane) {
  const std::size_t t = v.everywhere ? lane : 0;
  return with_type(v.type, [&]<class T>(T) -> std::int64_t {
    T value{};
    std::memcpy(&value, v.lanes + t * sizeof(T), sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      throw InternalError("a lane number that is no integer");
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
      return value > static_cast<std::uint64_t>(INT64_MAX) ? INT64_MAX : static_cast<std::int64_t>(value);
    } else {
      return value;
    }
  });
}

}  // namespace

LaneSet Pirch::not_uniform(const State& s, Values& v) {
  materialise(v);
  LaneSet bad = v.poison;
  if (v.uniform) {
    return bad.width() == 0 ? none() : bad;
  }
  LaneSet different(width_);
  for (const Lanes::Warp& warp : lanes_.warps) {
    std::optional<std::int64_t> first;
    for (unsigned t = warp.begin; t < warp.begin + warp.count; ++t) {
      if (s.active.contains(t)) {
        if (!first) {
          first = integer(v, t);
        } else if (integer(v, t) != *first) {
          different.insert(t);
        }
      }
    }
  }
  return different | bad;
}

bool Pirch::first_value_in(const State& s, const Values& v, const LaneSet& mask) const {
  const unsigned lane = s.active.first();
  const unsigned group = lane / lanes_.wg_size;
  const unsigned item = lane % lanes_.wg_size;
  const unsigned begin = group * lanes_.wg_size + item / lanes_.warp_size * lanes_.warp_size;
  const unsigned count = std::min(lanes_.warp_size, (group + 1) * lanes_.wg_size - begin);
  const std::int64_t thread = integer(v, lane);
  return thread >= 0 && thread < count && mask.contains(begin + static_cast<unsigned>(thread));
}

LaneSet Pirch::lanes_in(const State& s, Values& v, const LaneSet& mask) {
  materialise(v);
  LaneSet in(width_);
  const LaneSet wanted = s.active - v.poison;
  if (v.uniform && v.poison.empty() && lanes_.wg_size % lanes_.warp_size == 0 && mask == all_) {
    const std::int64_t lane = integer(v, s.active.first());
    return lane >= 0 && lane < lanes_.warp_size ? s.active : in;
  }
  for (const Lanes::Warp& warp : lanes_.warps) {
    for (unsigned t = warp.begin; t < warp.begin + warp.count; ++t) {
      if (wanted.contains(t)) {
        const std::int64_t lane = integer(v, t);
        if (lane >= 0 && lane < warp.count && mask.contains(warp.begin + static_cast<unsigned>(lane))) {
          in.insert(t);
        }
      }
    }
  }
  return in;
}

Pirch::Values Pirch::shuffle(const State& s, typed::RegisterId source, const Values& lane, const LaneSet& in_mask, LaneSet& found) {
  Frame& frame = s.bank.top();
  const RegisterLayout& r = layouts_[frame.function].registers[source];
  auto* index = reinterpret_cast<std::uint32_t*>(access_index_.data());
  std::memset(index, 0, 4 * padded_);
  for (const Lanes::Warp& warp : lanes_.warps) {
    if (lane.uniform) {
      const auto from = static_cast<std::uint32_t>(integer(lane, 0));
      for (unsigned t = warp.begin; t < warp.begin + warp.count; ++t) {
        index[t] = from < warp.count ? warp.begin + from : 0;
      }
    } else {
      for (unsigned t = warp.begin; t < warp.begin + warp.count; ++t) {
        index[t] = in_mask.contains(t) ? warp.begin + static_cast<std::uint32_t>(integer(lane, t)) : 0;
      }
    }
  }
  Values v;
  v.size = static_cast<std::uint8_t>(r.size);
  v.type = r.is_pointer ? ScalarType::ULong : r.type;
  kernels_.gather[size_index(r.size)](shuffled_.data(), frame.data + r.data, index, padded_);
  v.lanes = shuffled_.data();
  found = in_mask;
  if (!r.always_written || frame.may_be_poison[source] != 0) {
    in_mask.for_each([&](unsigned t) {
      const std::uint64_t bit = std::uint64_t{1} << (index[t] % 64);
      const std::size_t word = index[t] / 64;
      const bool written = r.always_written || (frame.bits[r.written + word] & bit) != 0;
      const bool poison = frame.may_be_poison[source] != 0 && (frame.bits[r.poison + word] & bit) != 0;
      if (!written || poison) {
        found.erase(t);
      }
    });
  }
  return v;
}

void Pirch::vote(State& s, typed::VoteKind kind, typed::RegisterId dst, const Values& value) {
  if (group_votes_ != nullptr && (kind == typed::VoteKind::GroupAny || kind == typed::VoteKind::GroupAll)) {
    group_vote(s, kind, dst);
    return;
  }
  Values v = value;
  const LaneSet zero = zeros(s, v);
  const LaneSet truth = s.active - zero;
  if (kind != typed::VoteKind::Ballot) {
    const bool any = kind == typed::VoteKind::Any || kind == typed::VoteKind::GroupAny;
    LaneSet yes = any ? lanes_.spread(truth) : all_ - lanes_.spread(zero);
    yes = yes & s.active;
    auto* lanes = reinterpret_cast<std::int32_t*>(fetched_.data());
    Values result;
    result.lanes = fetched_.data();
    result.uniform = yes.empty() || yes == s.active;
    for (unsigned t = 0; t < width_; ++t) {
      lanes[t] = result.uniform ? static_cast<std::int32_t>(!yes.empty()) : static_cast<std::int32_t>(yes.contains(t));
    }
    assign_row(s, dst, 0, result, s.active);
    return;
  }
  auto* lanes = reinterpret_cast<std::uint64_t*>(fetched_.data());
  for (const Lanes::Warp& warp : lanes_.warps) {
    std::uint64_t ballot = 0;
    for (unsigned k = 0; k < warp.count; ++k) {
      ballot |= static_cast<std::uint64_t>(truth.contains(warp.begin + k)) << k;
    }
    for (unsigned k = 0; k < warp.count; ++k) {
      lanes[warp.begin + k] = ballot;
    }
  }
  Values result;
  result.lanes = fetched_.data();
  result.size = 8;
  result.type = ScalarType::ULong;
  assign_row(s, dst, 0, result, s.active);
}

void Pirch::group_vote(State& s, typed::VoteKind kind, typed::RegisterId dst) {
  auto* lanes = reinterpret_cast<std::int32_t*>(fetched_.data());
  for (unsigned g = 0; g < lanes_.groups; ++g) {
    bool any = false;
    bool every = true;
    for (unsigned t = g * lanes_.wg_size; t < (g + 1) * lanes_.wg_size; ++t) {
      any = any || group_votes_->contains(t);
      every = every && group_votes_->contains(t);
    }
    for (unsigned t = g * lanes_.wg_size; t < (g + 1) * lanes_.wg_size; ++t) {
      lanes[t] = static_cast<std::int32_t>(kind == typed::VoteKind::GroupAny ? any : every);
    }
  }
  Values result;
  result.lanes = fetched_.data();
  assign_row(s, dst, 0, result, s.active);
}

std::uint32_t Pirch::free_numbers(std::size_t count) {
  const auto begins = static_cast<std::uint32_t>(objects_.size());
  for (;;) {
    if (next_private_ + count > max_objects) {
      next_private_ = begins;
    }
    const auto taken = private_objects_.lower_bound(next_private_);
    if (taken == private_objects_.end() || taken->first >= next_private_ + count) {
      const std::uint32_t first = next_private_;
      next_private_ += static_cast<std::uint32_t>(count);
      return first;
    }
    next_private_ = taken->first + 1;
  }
}

void Pirch::push_frame(State& s, Function f, const Result& result, const ArgumentValues& arguments) {
  CallRecord record;
  record.return_pc = s.pc + 1;
  record.active = s.active;
  record.frame_base = s.frame_base;
  record.contexts = s.context.size();
  record.result = result;
  Frame& frame = s.bank.push(f, std::move(record));
  s.bank.bytes_per_lane += layouts_[f].bytes_per_lane;
  frame.first_object = free_numbers(layouts_[f].addressed.size());
  std::uint32_t number = frame.first_object;
  for (const typed::RegisterId id : layouts_[f].addressed) {
    const RegisterLayout& r = layouts_[f].registers[id];
    Object object;
    object.data = frame.data + r.data;
    object.count = r.count;
    object.element = r.type;
    object.space = AddressSpace::Private;
    object.name = &program_.functions[f].registers[id].variable;
    object.row = static_cast<std::uint32_t>(padded_);
    object.written = frame.bits + r.written;
    object.poison = frame.bits + r.poison;
    object.may_be_poison = &frame.may_be_poison[id];
    object.words = s.active.word_count();
    private_objects_.emplace(number++, object);
  }
  if (arguments.values != nullptr) {
    for (std::size_t k = 0; k < arguments.values->size(); ++k) {
      assign_row(s, static_cast<typed::RegisterId>(k), 0, (*arguments.values)[k], s.active);
    }
  }
}

void Pirch::pop_frame(State& s, const Values* result) {
  const CallRecord record = s.bank.calls().back();
  const FrameLayout& layout = layouts_[record.frame->function];
  const std::uint32_t first = record.frame->first_object;
  s.bank.bytes_per_lane -= layout.bytes_per_lane;
  if (s.bank.pop() && !layout.addressed.empty()) {
    for (std::size_t k = 0; k < layout.addressed.size(); ++k) {
      private_objects_.erase(first + static_cast<std::uint32_t>(k));  // pointers into it point to nothing
    }
  }
  s.active = record.active;
  s.frame_base = record.frame_base;
  s.pc = record.return_pc;
  if (result != nullptr && record.result) {
    assign_row(s, *record.result, 0, *result, s.active);
  }
}

void Pirch::start(State& s, const std::vector<Argument>& arguments) {
  stack_.resize(depth_ + 3);
  s.active = all_;
  s.pc = program_.kernel().begin;
  s.bank = Bank(&pool_);
  push_frame(s, 0, std::nullopt, {});
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    std::uint64_t bits = 0;
    if (const auto* buffer = std::get_if<1>(&arguments[k])) {
      bits = pointer_to(static_cast<std::uint32_t>(*buffer) + 1);
    } else {
      bits = std::get<0>(arguments[k]);
    }
    Values v;
    v.lanes = reinterpret_cast<const std::byte*>(&bits);
    v.uniform = true;
    v.everywhere = false;
    assign_row(s, static_cast<typed::RegisterId>(k), 0, v, s.active);
  }
}

Pirch::Cell Pirch::cell(const Frame& frame, typed::RegisterId id, std::uint32_t row, unsigned lane) const {
  const RegisterLayout& r = layouts_[frame.function].registers[id];
  Cell cell;
  std::memcpy(&cell.bits, frame.data + r.data + row * r.stride + std::size_t{lane} * r.size, r.size);
  const std::size_t word = std::size_t{row} * ((width_ + 63) / 64) + lane / 64;
  const std::uint64_t bit = std::uint64_t{1} << (lane % 64);
  if (r.always_written || (frame.bits[r.written + word] & bit) != 0) {
    const bool poison = frame.may_be_poison[id] != 0 && (frame.bits[r.poison + word] & bit) != 0;
    cell.state = poison ? CellState::Poison : CellState::Number;
  }
  return cell;
}

}  // namespace lockstep::launch
