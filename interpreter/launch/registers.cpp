// The lanes of a pack, and β: assignments to registers.

#include <bit>
#include <cstring>

#include "interpreter/launch/domain.hpp"
#include "interpreter/launch/lane_bits.hpp"

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
        case typed::Query::LocalId:  // MT
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

void Pirch::forget(State& s, typed::RegisterId dst, const LaneSet& threads) const {
  const RegisterLayout& r = layout(s, dst);
  Frame& frame = s.bank.top();
  for (std::uint32_t row = 0; row < r.count; ++row) {
    subtract(frame.bits + r.written + row * threads.word_count(), threads);
  }
}

LaneSet Pirch::zeros(const State& s, Values& v) {
  if (v.pending != nullptr && v.pending->holds != nullptr) {  // whether it holds, without the numbers 0 and 1
    LaneSet holds(width_);
    v.pending->holds(holds.words().data(), v.operand[0], v.operand[1], width_);
    return s.active - holds;
  }
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
