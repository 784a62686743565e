// Instructions by which items look at each other: shuffles and votes, and who is named by the number of a lane.

#include <optional>

#include "interpreter/launch/domain.hpp"
#include "interpreter/launch/lane_bits.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/ops/lane.hpp"

namespace lockstep::launch {

namespace {

/// A lane's number; what is beyond the largest one is that one, and names no lane either.
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
    std::optional<std::uint64_t> first;
    for (unsigned t = warp.begin; t < warp.begin + warp.count; ++t) {
      if (s.active.contains(t)) {
        const std::uint64_t bits = lane_bits(v.lanes, v.size, v.everywhere ? t : 0);
        if (!first) {
          first = bits;
        } else if (bits != *first) {
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
    return (lane >= 0 && lane < lanes_.warp_size) ? s.active : in;
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
  const LaneSet truth = ops::says_yes(s.active, all_ - zero);
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
      every = every && (group_votes_->contains(t) || !live_.contains(t));
    }
    for (unsigned t = g * lanes_.wg_size; t < (g + 1) * lanes_.wg_size; ++t) {
      lanes[t] = static_cast<std::int32_t>(kind == typed::VoteKind::GroupAny ? any : every);
    }
  }
  Values result;
  result.lanes = fetched_.data();
  assign_row(s, dst, 0, result, s.active);
}

}  // namespace lockstep::launch
