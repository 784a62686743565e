// Rule AT: what several items change at once, one after the other. Elements and bytes of memory.cpp and bytes.cpp are met alike here, lane
// by lane.

#include <algorithm>
#include <cstring>
#include <numeric>

#include "interpreter/launch/changes.hpp"
#include "interpreter/launch/domain.hpp"
#include "interpreter/launch/lane_bits.hpp"
#include "interpreter/launch/races.hpp"
#include "semantics/memory/machine_bytes.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ops/lane.hpp"

namespace lockstep::launch {

namespace {

using Met = decltype(memory::load({nullptr, nullptr}, 0, ScalarType::Int));

Met element_at(const Object& object, std::uint64_t cell) {
  const std::uint8_t* states = states_of(object);
  const auto state = states == nullptr ? CellState::Number : static_cast<CellState>(states[cell]);
  const std::uint64_t bits = literal_bits(object.element, lane_bits(object.data, size_of(object.element), cell));
  return {bits, state == CellState::Poison, state != CellState::Uninitialised};
}

void store_element(Object& object, std::uint64_t cell, std::uint64_t bits, bool poison) {
  std::memcpy(object.data + cell * size_of(object.element), &bits, size_of(object.element));
  std::uint8_t* states = poison ? make_states(object) : states_of(object);
  if (states == nullptr) {
    return;
  }
  const auto number = static_cast<std::uint8_t>(CellState::Number);
  const auto state = poison ? static_cast<std::uint8_t>(CellState::Poison) : number;
  object.missing = object.missing + (states[cell] == number ? 1U : 0U) - (state == number ? 1U : 0U);
  states[cell] = state;
}

}  // namespace

LaneSet Pirch::missing(const State& s, const Access& access) {
  LaneSet missing(width_);
  if (access.nothing) {
    return missing;
  }
  s.active.for_each([&](unsigned t) {
    const Object& object = access.object != nullptr ? *access.object : *each_object_[t];
    if (states_of(object) == nullptr) {
      return;
    }
    const std::uint64_t cell = access.index[access.uniform ? 0 : t];
    const Met met = access.bytes ? memory::load({object.data, states_of(object)}, cell, access.type) : element_at(object, cell);
    if (!met.written) {
      if (missing.empty()) {
        const std::uint64_t element = access.bytes ? cell % object.cells() / size_of(object.element) : cell;
        note(FaultKind::UninitialisedCell, nullptr, LaneSet::single(width_, t), name_of_cell(object, element), std::nullopt,
             object.element);
      }
      missing.insert(t);
    }
  });
  return missing;
}

Changes::Changer Pirch::changer_of(unsigned lane, AtomicOp op, ScalarType type) const {
  const bool in_steps = lanes_.warp_size >= lanes_.wg_size;
  return {lanes_.first_group + lane / lanes_.wg_size, lane % lanes_.wg_size, in_steps, op, type};
}

Pirch::Values Pirch::change(State& s, AtomicOp op, const Access& access, const Values* compare, const Values& value) {
  Values v = value;
  materialise(v);
  Values wanted;
  if (compare != nullptr) {
    wanted = *compare;
    materialise(wanted);
  }
  Values old;
  old.type = v.type;
  old.size = v.size;
  old.lanes = fetched_.data();
  fetched_poison_ = LaneSet(width_);
  if (access.nothing) {
    return old;
  }
  // A comparison need not write.
  if (has_rights && (!check_rights(s, access, false) || (op != AtomicOp::CompareExchange && !check_rights(s, access, true)))) {
    return old;
  }
  const auto operand = [](const Values& of, unsigned t) {
    return literal_bits(of.type, lane_bits(of.lanes, of.size, of.everywhere ? t : 0));
  };
  const LaneSet& poison = v.poison;
  const LaneSet& unwanted = wanted.poison;
  const auto one = [&](unsigned t) {
    Object& object = access.object != nullptr ? *access.object : *each_object_[t];
    const std::uint64_t cell = access.index[access.uniform ? 0 : t];
    const Met met = access.bytes ? memory::load({object.data, states_of(object)}, cell, access.type) : element_at(object, cell);
    const std::uint64_t asked = compare != nullptr ? operand(wanted, t) : 0;
    const std::uint64_t next = ops::changed(op, v.type, met.value, asked, operand(v, t));
    Changes::Open open;
    if (changes != nullptr) {
      const std::uint64_t byte = access.bytes ? cell : cell * v.size;
      open = changes->meet(object, byte, changer_of(t, op, v.type));
    }
    const bool is_poison = open.left || ops::poison_of_change(op, met.poison, unwanted.contains(t), met.value == asked, poison.contains(t));
    if (has_rights && next != met.value && !object.rights.write) {
      note(FaultKind::NotWritable, nullptr, LaneSet::single(width_, t), name_of_cell(object, access.bytes ? cell / v.size : cell),
           std::nullopt, v.type);
      return;
    }
    if (access.bytes) {
      std::uint8_t* states = is_poison ? make_states(object) : states_of(object);
      memory::store({object.data, states}, cell, access.type, {next, is_poison, true});
    } else {
      store_element(object, cell, next, is_poison);
    }
    std::memcpy(fetched_.data() + std::size_t{t} * v.size, &met.value, v.size);
    if (met.poison || open.found) {
      fetched_poison_.insert(t);
    }
    if (races != nullptr) {
      // A comparison that fails only reads (OpenCL 2.0, 6.13.11; OpenCL 1.2 has the same number stored again, but no races of its own).
      const bool only_looks = op == AtomicOp::CompareExchange && met.value != asked && !met.poison && !unwanted.contains(t);
      AccessRecord access_record = record(object, t, v.type, next, is_poison);
      access_record.is_atomic = true;
      watch_cells(object, cell, access.bytes ? v.size : 1, access_record, only_looks ? Touch::Look : Touch::Change);
    }
  };
  if (changes != nullptr) {
    changes->begin_instruction();
    s.active.for_each([&](unsigned t) {
      const Object& object = access.object != nullptr ? *access.object : *each_object_[t];
      const std::uint64_t cell = access.index[access.uniform ? 0 : t];
      changes->announce(object, access.bytes ? cell : cell * v.size, changer_of(t, op, v.type));
    });
  }
  if (order == 0) {
    s.active.for_each(one);
  } else {
    std::vector<unsigned> lanes;
    s.active.for_each([&](unsigned t) { lanes.push_back(t); });
    if (order == 1) {
      std::ranges::reverse(lanes);
    } else {
      std::ranges::shuffle(lanes, shuffler_);
    }
    std::ranges::for_each(lanes, one);
  }
  if (!fetched_poison_.empty()) {
    old.poison = RareSet(fetched_poison_);
  }
  return old;
}

}  // namespace lockstep::launch
