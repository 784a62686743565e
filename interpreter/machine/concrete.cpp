#include "interpreter/machine/concrete.hpp"

#include <algorithm>
#include <utility>

namespace lockstep {

using musimd::VarId;

Concrete::Concrete(unsigned width, std::size_t depth, musimd::AsPrinted printed, std::vector<unsigned> order)
    : width_(width),
      lanes_(padded_lanes(width)),
      all_(LaneSet::all(width)),
      printed_(printed),
      order_(std::move(order)),
      kernels_(&lane_kernels()),
      tid_(lanes_),
      stack_(depth),
      room_(lanes_),
      room_uninitialised_(width),
      room_poison_(width),
      mask_(lanes_) {
  for (unsigned t = 0; t < width; ++t) {
    tid_.data()[t] = t;  // MT
  }
  for (Scratch* scratch : {&first_, &second_}) {
    scratch->lanes.assign(depth, LaneArray(lanes_));
    scratch->poison.assign(depth, LaneSet(width));
    scratch->uninitialised = LaneSet(width);
    scratch->zero_divisor = LaneSet(width);
  }
}

const std::int64_t* Concrete::mask_lanes(const LaneSet& set) {
  if (mask_set_.width() != width_ || !(mask_set_ == set)) {
    mask_set_ = set;
    kernels_->expand(mask_.data(), mask_set_.words().data(), width_);
  }
  return mask_.data();
}

Concrete::Values Concrete::evaluate_in(Scratch& scratch, const State& s, const Operand& o) {
  Values result;
  Waiting* top = stack_.data();  // behind the operands that wait
  bool poison = false;           // whether one of them may be poison somewhere
  const Node* const root = &o.nodes.back();
  for (const Node* node = o.nodes.data();; ++node) {
    switch (node->kind) {
      case Node::Kind::Lanes:
        *top++ = {node->lanes, {}};
        break;
      case Node::Kind::Constant: {
        std::int64_t* room = scratch.lanes[static_cast<std::size_t>(top - stack_.data())].data();
        std::fill_n(room, lanes_, node->number);
        *top++ = {room, {}};
        break;
      }
      case Node::Kind::Variable:
        *top++ = {s.bank.lanes(node->variable), {}};
        if (!s.bank.has_numbers(node->variable, s.active)) [[unlikely]] {
          note_missing(scratch, static_cast<std::size_t>(top - stack_.data()) - 1, s, node->variable, result);
          poison = true;
        }
        break;
      case Node::Kind::Operation: {
        top -= node->arity;
        const auto slot = static_cast<std::size_t>(top - stack_.data());
        if (node->divides) {
          check_divisor(scratch, s, top[1], result);
        }
        const RareSet bad = poison ? combined_poison(scratch, slot, *node) : RareSet();
        std::int64_t* room = scratch.lanes[slot].data();
        if (node == root) {
          result.pending = node->op;
          result.operand[0] = top[0].lanes;
          result.operand[1] = node->arity > 1 ? top[1].lanes : nullptr;
          result.operand[2] = node->arity > 2 ? top[2].lanes : nullptr;
          result.room = room;
          result.poison = bad;
          return result;
        }
        kernels_->op[static_cast<std::size_t>(node->op)](room, top[0].lanes, node->arity > 1 ? top[1].lanes : nullptr,
                                                         node->arity > 2 ? top[2].lanes : nullptr, lanes_);
        *top++ = {room, bad};
        break;
      }
    }
    if (node == root) {
      result.lanes = stack_[0].lanes;
      result.poison = stack_[0].poison;
      return result;
    }
  }
}

LaneSet Concrete::zeros(const State& s, Values& v) {
  LaneSet zero = none();
  kernels_->equal_to(zero.words().data(), materialise(v), 0, lanes_);
  return zero & s.active;
}

LaneSet Concrete::not_uniform(const State& s, Values& v) {
  const std::int64_t* lanes = materialise(v);
  LaneSet same = none();
  kernels_->equal_to(same.words().data(), lanes, lanes[s.active.first() % width_], lanes_);
  return (s.active - same) | v.poison;
}

bool Concrete::first_value_in(const State& s, const Values& v, const LaneSet& mask) {
  const std::int64_t thread = v.lanes[s.active.first() % mask.width()];
  return thread >= 0 && thread < static_cast<std::int64_t>(mask.width()) && mask.contains(static_cast<unsigned>(thread));
}

LaneSet Concrete::bad_addresses(const State& s, Values& v) {
  LaneSet negative = none();
  const std::int64_t* lanes = materialise(v);
  if (is_all(s.active) && v.poison.empty() && kernels_->ascending(lanes, width_) && lanes[0] >= 0 && lanes[width_ - 1] >= 0) {
    v.ascending = true;
    return negative;
  }
  kernels_->below(negative.words().data(), lanes, 0, lanes_);
  negative = negative & s.active;
  return v.poison.empty() ? negative : negative | v.poison;
}

LaneSet Concrete::lanes_in(const State& s, Values& v, const LaneSet& mask) {
  const std::int64_t* lanes = materialise(v);
  LaneSet inside = none();
  kernels_->index_below(inside.words().data(), lanes, width_, lanes_);
  inside = inside & s.active;
  if (!v.poison.empty()) {
    inside -= v.poison;
  }
  if (!is_all(mask)) {
    const LaneSet candidates = inside;
    candidates.for_each([&](unsigned t) {
      if (!mask.contains(static_cast<unsigned>(lanes[t]))) {
        inside.erase(t);
      }
    });
  }
  return inside;
}

LaneSet Concrete::threads_without(const State& s, VarId variable) const {
  LaneSet result = none();
  for (std::size_t w = 0; w < result.word_count(); ++w) {
    result.words()[w] = s.active.words()[w] & ~s.bank.numbers(variable)[w] & ~s.bank.poison(variable)[w];
  }
  return result;
}

Concrete::Values Concrete::load(const State& s, const Values& address, const LaneSet& bad_address) {
  Values v;
  if (!bad_address.empty()) {
    v.lanes = room_.data();
    return v;
  }
  if (address.ascending) {
    v.lanes = s.shared.numbers_from(address.lanes[0], width_);
    if (v.lanes != nullptr) {
      return v;
    }
  }
  v.lanes = room_.data();
  room_uninitialised_ = none();
  room_poison_ = none();
  s.shared.gather(address.lanes, s.active, room_.data(), room_uninitialised_, room_poison_);
  v.uninitialised = RareSet(room_uninitialised_);
  v.poison = RareSet(room_poison_);
  return v;
}

Concrete::Values Concrete::shuffle(const State& s, const Source& source, const Values& lane, const LaneSet& in_mask, LaneSet& found) {
  Values v;
  v.lanes = room_.data();
  const std::int64_t* table = source.is_tid ? tid_.data() : s.bank.lanes(source.variable);
  if (is_all(in_mask) && (source.is_tid || s.bank.has_numbers(source.variable, all_))) {
    kernels_->permute(room_.data(), table, lane.lanes, width_);
    found = in_mask;
    return v;
  }
  found = none();
  in_mask.for_each([&](unsigned t) {
    const auto from = static_cast<unsigned>(lane.lanes[t]);
    if (source.is_tid || s.bank.read(source.variable, from).state == CellState::Number) {
      found.insert(t);
      room_.data()[t] = table[from];
    }
  });
  return v;
}

void Concrete::store(State& s, const Values& address, const Values& value, const LaneSet& threads) {
  if (address.ascending && value.poison.empty() && is_all(threads) && s.shared.write_numbers(address.lanes[0], value.lanes, width_)) {
    return;
  }
  out_of_memory_ = !s.shared.scatter(address.lanes, threads, value.lanes, value.poison, order_.empty() ? nullptr : &order_);
}

}  // namespace lockstep
