// Loads and stores of objects that the program puns, which have bytes as their cells: lane by lane, as semantics/memory/bytes.hpp has it.
// memory.cpp does the same for objects whose cells are elements.

#include <algorithm>
#include <cstring>

#include "interpreter/launch/domain.hpp"
#include "interpreter/launch/lane_bits.hpp"
#include "interpreter/launch/races.hpp"
#include "semantics/memory/machine_bytes.hpp"
#include "semantics/memory/pointer.hpp"

namespace lockstep::launch {

namespace {

/// The element in which the first byte lies that nobody has written, of `size` bytes from `first` on.
std::uint64_t unwritten_element(const Object& object, std::uint64_t first, unsigned size) {
  const std::uint8_t* states = states_of(object);
  const auto* found = std::find(states + first, states + first + size, static_cast<std::uint8_t>(CellState::Uninitialised));
  return static_cast<std::uint64_t>(found - states) % object.cells() / size_of(object.element);
}

}  // namespace

Pirch::Access Pirch::resolve_bytes(const State& s, Values& base, Values& index) {
  Access access;
  access.bytes = true;
  access.type = base.pointee;
  const unsigned size = size_of(base.pointee);
  auto* out = reinterpret_cast<std::uint32_t*>(access_index_.data());
  LaneSet bad(width_);
  s.active.for_each([&](unsigned t) {
    const std::uint64_t pointer = lane_bits(base.lanes, 8, base.everywhere ? t : 0);
    Object& object = object_named(memory::object_of(pointer), base.pointee);
    each_object_[t] = &object;
    const std::uint64_t raw = literal_bits(index.type, lane_bits(index.lanes, index.size, index.everywhere ? t : 0));
    const std::optional<std::int64_t> offset = memory::reached(pointer, static_cast<std::int64_t>(raw), size);
    const auto wrong = memory::misaccess<bool>(offset.value_or(-1), size, size, object.cells(), {}, false);
    if (!wrong.any()) {
      const std::uint64_t copy = object.space == AddressSpace::Local ? copy_of_[t] * object.cells() : 0;
      out[t] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(*offset) + copy);
      return;
    }
    if (bad.empty()) {
      const LaneSet lane = LaneSet::single(width_, t);
      if (offset && wrong.misaligned) {
        note(FaultKind::Misaligned, nullptr, lane, name_of_object(object), static_cast<std::uint64_t>(*offset), ScalarType::Long, size);
      } else {
        const bool is_first = !trouble_;
        const std::int64_t number = offset ? *offset / std::int64_t{size} : static_cast<std::int64_t>(raw);
        note(FaultKind::OutOfBounds, nullptr, lane, name_of_object(object), static_cast<std::uint64_t>(number), ScalarType::Long,
             object.cells() / size);
        if (is_first && base.pointee != object.element) {
          trouble_->as_type = base.pointee;
        }
      }
    }
    bad.insert(t);
  });
  access.index = out;
  access_undefined_ = bad;
  if (!bad.empty()) {
    access.undefined = RareSet(access_undefined_);
    access.nothing = true;
  }
  return access;
}

Pirch::Values Pirch::fetch_bytes(const State& s, const Access& access) {
  Values v;
  v.type = access.type;
  v.size = static_cast<std::uint8_t>(size_of(access.type));
  v.lanes = fetched_.data();
  fetched_uninitialised_ = LaneSet(width_);
  fetched_poison_ = LaneSet(width_);
  s.active.for_each([&](unsigned t) {
    const Object& object = *each_object_[t];
    const auto found = memory::load({object.data, states_of(object)}, access.index[t], access.type);
    std::memcpy(fetched_.data() + std::size_t{t} * v.size, &found.value, v.size);
    if (!found.written) {
      if (fetched_uninitialised_.empty()) {
        note(FaultKind::UninitialisedCell, nullptr, LaneSet::single(width_, t),
             name_of_cell(object, unwritten_element(object, access.index[t], v.size)), std::nullopt, access.type);
      }
      fetched_uninitialised_.insert(t);
    } else if (found.poison) {
      fetched_poison_.insert(t);
    }
  });
  v.uninitialised = RareSet(fetched_uninitialised_);
  v.poison = RareSet(fetched_poison_);
  if (races != nullptr) {
    s.active.for_each([&](unsigned t) {
      const std::uint64_t bits = lane_bits(v.lanes, v.size, t);
      watch_cells(*each_object_[t], access.index[t], v.size, record(*each_object_[t], t, access.type, bits, fetched_poison_.contains(t)),
                  Touch::Read);
    });
  }
  return v;
}

void Pirch::put_bytes(const State& s, const Access& access, const Values& v) {
  const LaneSet& poison = v.poison;
  const auto bits_of = [&](unsigned t) { return lane_bits(v.lanes, v.size, v.everywhere ? t : 0); };
  s.active.for_each([&](unsigned t) {
    Object& object = *each_object_[t];
    const bool is_poison = poison.contains(t);
    std::uint8_t* states = is_poison ? make_states(object) : states_of(object);
    memory::store({object.data, states}, access.index[t], access.type, {bits_of(t), is_poison, true});
  });
  if (races == nullptr) {
    return;
  }
  s.active.for_each([&](unsigned t) {  // accesses of one type at multiples of its size: what overlaps is one place
    const Object& object = *each_object_[t];
    const auto stored = memory::load({object.data, states_of(object)}, access.index[t], access.type);
    const bool is_poison = poison.contains(t);
    const bool lost = stored.poison != is_poison || (!is_poison && stored.value != literal_bits(access.type, bits_of(t)));
    races->found = races->found || lost;
  });
  if (races->log != nullptr && races->found) {
    for_each_object(s.active, [&](const State& part, const Object& object) { log_clashes(part, object, access, v); });
  }
  s.active.for_each([&](unsigned t) {
    watch_cells(*each_object_[t], access.index[t], v.size, record(*each_object_[t], t, access.type, bits_of(t), poison.contains(t)),
                Touch::Write);
  });
}

}  // namespace lockstep::launch
