// Loads and stores: from pointer and index to an object's elements, with bounds, states and races looked after. The only code that
// touches what lies outside of registers.

#include <cstring>
#include <limits>

#include "interpreter/launch/domain.hpp"
#include "interpreter/launch/lane_bits.hpp"
#include "interpreter/launch/races.hpp"
#include "interpreter/launch/report.hpp"
#include "semantics/memory/bytes.hpp"
#include "semantics/memory/pointer.hpp"

namespace lockstep::launch {

namespace {

/// An element's number for a message: a ulong, or a long if it is negative. Beyond both, the nearest one.
struct ElementNumber {
  std::uint64_t bits = 0;
  ScalarType type = ScalarType::ULong;
};

/// `index` + `offset` as mathematics has it; `index` as literal_bits gives it, an index being a long (docs/kernel-language.md).
ElementNumber element_number(std::uint64_t index, std::int64_t offset) {
  const auto number = static_cast<std::int64_t>(index);
  std::uint64_t large = 0;
  if (!__builtin_add_overflow(number, offset, &large)) {
    return {large, ScalarType::ULong};
  }
  std::int64_t negative = 0;
  if (!__builtin_add_overflow(number, offset, &negative)) {
    return {static_cast<std::uint64_t>(negative), ScalarType::Long};
  }
  return {static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::min()), ScalarType::Long};
}

ResolveKernel resolver(const LaneKernels& kernels, ScalarType type) { return kernels.resolve[static_cast<std::size_t>(type)]; }

}  // namespace

std::uint8_t* make_states(Object& object) {
  std::uint8_t* states = states_of(object);
  if (states == nullptr && object.shared_states != nullptr) {
    auto fresh = std::make_unique<std::uint8_t[]>(object.cells());
    std::fill_n(fresh.get(), object.cells(), static_cast<std::uint8_t>(CellState::Number));
    if (object.shared_states->compare_exchange_strong(states, fresh.get())) {
      states = fresh.release();  // the launch that owns shared_states deletes it
    }
  }
  return states;
}

Object& Pirch::object_named(std::uint32_t number, std::optional<ScalarType> pointee) {
  if (number < objects_.size()) {
    return objects_[number];
  }
  const auto found = private_objects_.find(number);
  return found == private_objects_.end() || (pointee && found->second.element != *pointee) ? objects_[0] : found->second;
}

std::string Pirch::name_of_cell(const Object& object, std::uint64_t index) const {
  static const std::vector<std::uint64_t> none;
  const bool is_own = object.space == AddressSpace::Local || object.space == AddressSpace::Constant;
  return text_of_cell(name_of_object(object), object.count == 0 ? 0 : index % object.count, object.count,
                      is_own ? program_.objects[object.number].extents : none);
}

std::string Pirch::name_of_object(const Object& object) const { return object.name != nullptr ? *object.name : std::string(); }

void Pirch::outside(const State&, const Object& object, const Values& index, const LaneSet& lanes, std::int64_t offset) {
  access_undefined_ = lanes;
  const std::uint64_t raw = literal_bits(index.type, lane_bits(index.lanes, index.size, index.everywhere ? lanes.first() : 0));
  const ElementNumber element = element_number(raw, offset);
  note(FaultKind::OutOfBounds, nullptr, lanes, name_of_object(object), element.bits, element.type, object.count);
}

Pirch::Access Pirch::resolve(const State& s, Object& object, std::int64_t offset, Values& index) {
  Access access;
  access.object = &object;
  auto* out = reinterpret_cast<std::uint32_t*>(access_index_.data());
  const ResolveKernel resolve_index = resolver(kernels_, index.type);
  const auto limit = static_cast<std::uint32_t>(object.count);
  const std::byte* lanes = materialise(index);
  const bool one_copy = object.space != AddressSpace::Private && object.copies == 1;
  const bool ok = resolve_index(out, lanes, offset, limit, index.uniform ? 1 : padded_);
  if (!ok) {
    LaneSet bad(width_);
    (s.active - index.poison).for_each([&](unsigned t) {
      const std::size_t at = index.everywhere ? t : 0;
      std::uint32_t element = 0;
      if (!resolve_index(&element, lanes + at * index.size, offset, limit, 1)) {
        bad.insert(t);
      }
    });
    if (!bad.empty()) {
      outside(s, object, index, bad, offset);
      access.undefined = RareSet(access_undefined_);
      access.nothing = true;
      return access;
    }
  }
  if (limit == 0) {  // no active lane's index is in range, or there is none; element 0, which stands in for others', does not exist
    access.nothing = true;
    return access;
  }
  access.index = out;
  if (index.uniform && one_copy) {
    access.uniform = true;
    return access;
  }
  if (index.uniform) {
    const std::uint32_t element = out[0];
    std::fill_n(out, padded_, element);
  }
  if (object.copies > 1) {  // all copies together have fewer than 2^32 elements (allowed_pack)
    for (std::size_t t = 0; t < padded_; ++t) {
      out[t] += copy_of_[t] * limit;
    }
  } else if (one_copy) {
    access.contiguous = kernels_.ascending(out, width_);
  }
  return access;
}

Pirch::Access Pirch::resolve_each(const State& s, Values& base, Values& index) {
  Access access;
  auto* out = reinterpret_cast<std::uint32_t*>(access_index_.data());
  LaneSet bad(width_);
  s.active.for_each([&](unsigned t) {
    const std::uint64_t pointer = lane_bits(base.lanes, 8, base.everywhere ? t : 0);
    Object& object = object_named(memory::object_of(pointer), base.pointee);
    const std::uint64_t raw = literal_bits(index.type, lane_bits(index.lanes, index.size, index.everywhere ? t : 0));
    const ElementNumber element = element_number(raw, memory::element_of(pointer, size_of(object.element)));
    each_object_[t] = &object;
    if (element.type == ScalarType::Long || !memory::has_element(element.bits, object.count)) {
      if (bad.empty()) {
        note(FaultKind::OutOfBounds, nullptr, LaneSet::single(width_, t), name_of_object(object), element.bits, element.type, object.count);
      }
      bad.insert(t);
      return;
    }
    const std::uint64_t copy = object.space == AddressSpace::Local ? copy_of_[t] * object.count : 0;
    out[t] = static_cast<std::uint32_t>(element.bits + copy);
  });
  access.index = out;
  access_undefined_ = bad;
  if (!bad.empty()) {
    access.undefined = RareSet(access_undefined_);
    access.nothing = true;
  }
  return access;
}

Pirch::Access Pirch::access(const State& s, Values& base, Values& index) {
  materialise(base);
  materialise(index);
  Access access;
  if (!base.uninitialised.empty() || !base.zero_divisor.empty() || !index.uninitialised.empty() || !index.zero_divisor.empty()) {
    access.nothing = true;
    return access;
  }
  if (!base.poison.empty() || !index.poison.empty()) {
    access_undefined_ = base.poison.empty() ? static_cast<const LaneSet&>(index.poison) : static_cast<const LaneSet&>(base.poison);
    note(FaultKind::PoisonAddress, nullptr, access_undefined_, {}, std::nullopt, ScalarType::Long);
    access.undefined = RareSet(access_undefined_);
    access.nothing = true;
    return access;
  }
  if (base.bytes) {
    return resolve_bytes(s, base, index);
  }
  const std::uint64_t pointer = lane_bits(base.lanes, 8, base.uniform ? 0 : s.active.first());
  if (base.uniform || kernels_.all_equal(reinterpret_cast<const std::uint64_t*>(base.lanes), pointer, mask_of(s.active), width_)) {
    Object& object = object_named(memory::object_of(pointer), base.pointee);
    return resolve(s, object, memory::element_of(pointer, size_of(object.element)), index);
  }
  return resolve_each(s, base, index);
}

AccessRecord Pirch::record(const Object& object, unsigned lane, ScalarType type, std::uint64_t bits, bool poison) const {
  return {races->visitors(object)[lane], lane % lanes_.wg_size, present_pc, type, bits, poison};
}

void Pirch::watch_cells(const Object& object, std::uint64_t first, unsigned cells, const AccessRecord& access, Touch touch) const {
  const bool global = object.space == AddressSpace::Global;
  if (!object.watched || (!global && !races->several_warps)) {
    return;
  }
  for (std::uint64_t cell = first; cell < first + cells; ++cell) {
    if (races->log != nullptr) {
      touch == Touch::Read || touch == Touch::Look ? races->log->read(object, cell, access) : races->log->write(object, cell, access);
      continue;
    }
    Footprints& prints = global ? *(*races->global)[object.number] : *races->local[object.number];
    const bool found = touch == Touch::Read    ? prints.read(cell, access.who)
                       : touch == Touch::Look  ? prints.look(cell, access.who)
                       : touch == Touch::Write ? prints.write(cell, access.who)
                                               : prints.change(cell, access.who);
    races->found = races->found || found;
  }
}

void Pirch::watch_read(const State& s, const Object& object, const Access& access) {
  const bool global = object.space == AddressSpace::Global;
  if (!object.watched || (!global && !races->several_warps)) {
    return;
  }
  const unsigned size = size_of(object.element);
  if (races->log != nullptr) {
    const std::uint8_t* states = states_of(object);
    s.active.for_each([&](unsigned t) {
      const std::uint64_t cell = access.index[access.uniform ? 0 : t];
      const bool poison = states != nullptr && states[cell] == static_cast<std::uint8_t>(CellState::Poison);
      races->log->read(object, cell, record(object, t, object.element, lane_bits(object.data, size, cell), poison));
    });
    return;
  }
  Footprints& cells = global ? *(*races->global)[object.number] : *races->local[object.number];
  const std::vector<Visitor>& visitors = races->visitors(object);
  bool found = false;
  s.active.for_each([&](unsigned t) { found |= cells.read(access.index[access.uniform ? 0 : t], visitors[t]); });
  races->found = races->found || found;
}

/// Whether an item's store was overwritten, in this instruction, by an item that stored another value; called after all stores. Poison is
/// another value than any number, and like any poison, whatever bits there are.
bool Pirch::overwritten(const State& s, const Object& object, const Access& access, const Values& v) const {
  if (access.contiguous) {
    return false;
  }
  const LaneSet& poison = v.poison;
  const std::uint8_t* states = states_of(object);
  bool lost = false;
  with_type(object.element, [&]<class T>(T) {
    const T* stored = reinterpret_cast<const T*>(object.data);
    const T* mine = reinterpret_cast<const T*>(v.lanes);
    if (states == nullptr) {
      s.active.for_each(
          [&](unsigned t) { lost |= !equal_numbers(stored[access.index[access.uniform ? 0 : t]], mine[v.everywhere ? t : 0]); });
      return;
    }
    s.active.for_each([&](unsigned t) {
      const std::uint32_t cell = access.index[access.uniform ? 0 : t];
      const bool poison_there = states[cell] == static_cast<std::uint8_t>(CellState::Poison);
      const bool is_poison = poison.contains(t);
      lost |= poison_there != is_poison || (!is_poison && !equal_numbers(stored[cell], mine[v.everywhere ? t : 0]));
    });
  });
  return lost;
}

/// Tells the log of the items whose value one of their own warp overwrote in this instruction. Warps are ordered by nothing but barriers:
/// that two of them store to one cell is for the log to see, whatever they store.
void Pirch::log_clashes(const State& s, const Object& object, const Access& access, const Values& v) {
  const auto cell_of = [&](unsigned t) { return access.index[access.uniform ? 0 : t]; };
  const LaneSet& poison = v.poison;
  const auto stored = [&](unsigned t) {
    return record(object, t, v.type, lane_bits(v.lanes, v.size, v.everywhere ? t : 0), poison.contains(t));
  };
  const auto equal = [&](std::uint64_t a, std::uint64_t b) { return object.bytes ? a == b : equal_numbers(v.type, a, b); };
  const std::vector<Visitor>& visitors = races->visitors(object);
  LastStores& last_stores = races->last_stores;
  last_stores.begin(width_);
  s.active.for_each([&](unsigned t) { last_stores.lane_of(visitors[t], cell_of(t)) = t; });
  s.active.for_each([&](unsigned t) {
    const AccessRecord mine = stored(t);
    const AccessRecord last = stored(last_stores.lane_of(mine.who, cell_of(t)));
    if (mine.poison != last.poison || (!mine.poison && !equal(mine.bits, last.bits))) {
      races->log->clash(object, cell_of(t), mine, last);
    }
  });
}

void Pirch::watch_write(const State& s, const Object& object, const Access& access, const Values& v) {
  if (object.space == AddressSpace::Private) {
    return;
  }
  const bool global = object.space == AddressSpace::Global;
  if (overwritten(s, object, access, v)) {
    races->found = true;
    if (races->log != nullptr) {
      log_clashes(s, object, access, v);
    }
  }
  if (!object.watched || (!global && !races->several_warps)) {
    return;
  }
  if (races->log != nullptr) {
    const LaneSet& poison = v.poison;
    s.active.for_each([&](unsigned t) {
      const std::uint64_t bits = lane_bits(v.lanes, size_of(object.element), v.everywhere ? t : 0);
      races->log->write(object, access.index[access.uniform ? 0 : t], record(object, t, object.element, bits, poison.contains(t)));
    });
    return;
  }
  Footprints& cells = global ? *(*races->global)[object.number] : *races->local[object.number];
  const std::vector<Visitor>& visitors = races->visitors(object);
  bool found = false;
  s.active.for_each([&](unsigned t) { found |= cells.write(access.index[access.uniform ? 0 : t], visitors[t]); });
  races->found = races->found || found;
}

void Pirch::check_states(const State& s, const Access& access, Values& v) {
  fetched_uninitialised_ = LaneSet(width_);
  fetched_poison_ = LaneSet(width_);
  s.active.for_each([&](unsigned t) {
    const Object& object = access.object != nullptr ? *access.object : *each_object_[t];
    const std::uint32_t element = access.index[access.uniform ? 0 : t];
    auto state = CellState::Number;
    if (object.space == AddressSpace::Private) {
      const std::size_t word = element * object.words + t / 64;
      const std::uint64_t bit = std::uint64_t{1} << (t % 64);
      if ((object.written[word] & bit) == 0) {
        state = CellState::Uninitialised;
      } else if (*object.may_be_poison != 0 && (object.poison[word] & bit) != 0) {
        state = CellState::Poison;
      }
    } else if (const std::uint8_t* states = states_of(object); states != nullptr) {
      state = static_cast<CellState>(states[element]);
    }
    if (state == CellState::Uninitialised) {
      if (fetched_uninitialised_.empty()) {
        note(object.space == AddressSpace::Private ? FaultKind::UninitialisedVariable : FaultKind::UninitialisedCell, nullptr,
             LaneSet::single(width_, t), name_of_cell(object, element), std::nullopt, object.element);
      }
      fetched_uninitialised_.insert(t);
    } else if (state == CellState::Poison) {
      fetched_poison_.insert(t);
    }
  });
  if (!fetched_uninitialised_.empty()) {
    v.uninitialised = RareSet(fetched_uninitialised_);
  }
  if (!fetched_poison_.empty()) {
    v.poison = RareSet(fetched_poison_);
  }
}

Pirch::Values Pirch::fetch_each(const State& s, const Access& access) {
  Values v;
  const ScalarType type = each_object_[s.active.first()]->element;
  v.type = type;
  v.size = static_cast<std::uint8_t>(size_of(type));
  s.active.for_each([&](unsigned t) {
    const Object& object = *each_object_[t];
    const std::size_t at = object.space == AddressSpace::Private ? std::size_t{access.index[t]} * object.row + t : access.index[t];
    std::memcpy(fetched_.data() + std::size_t{t} * v.size, object.data + at * v.size, v.size);
  });
  v.lanes = fetched_.data();
  check_states(s, access, v);
  if (races != nullptr) {
    for_each_object(s.active, [&](const State& part, const Object& object) { watch_read(part, object, access); });
  }
  return v;
}

bool Pirch::check_rights(const State& s, const Access& access, bool writes) {
  s.active.for_each([&](unsigned t) {
    const Object& object = access.object != nullptr ? *access.object : *each_object_[t];
    if (writes ? !object.rights.write : !object.rights.read) {
      const std::uint64_t cell = access.index[access.uniform ? 0 : t];
      note(writes ? FaultKind::NotWritable : FaultKind::NotReadable, nullptr, LaneSet::single(width_, t),
           name_of_cell(object, access.bytes ? cell / size_of(object.element) : cell), std::nullopt, object.element);
    }
  });
  return !trouble_;
}

Pirch::Values Pirch::fetch(const State& s, const Access& access) {
  Values v;
  v.lanes = fetched_.data();
  if (access.nothing) {
    return v;
  }
  if (has_rights) {
    check_rights(s, access, false);
  }
  if (access.object == nullptr) {
    return access.bytes ? fetch_bytes(s, access) : fetch_each(s, access);
  }
  const Object& object = *access.object;
  const unsigned size = size_of(object.element);
  v.type = object.element;
  v.size = static_cast<std::uint8_t>(size);
  if (access.uniform) {
    v.uniform = true;
    v.everywhere = false;
    std::memcpy(fetched_.data(), object.data + std::size_t{access.index[0]} * size, size);
  } else if (object.space == AddressSpace::Private) {
    kernels_.gather_rows[size_index(size)](fetched_.data(), object.data, access.index, object.row, padded_);
  } else if (access.contiguous) {
    std::memcpy(fetched_.data(), object.data + std::size_t{access.index[0]} * size, std::size_t{size} * width_);
  } else {
    kernels_.gather[size_index(size)](fetched_.data(), object.data, access.index, padded_);
  }
  const bool has_states = states_of(object) != nullptr && (object.missing != 0 || object.space != AddressSpace::Local);
  if (object.space == AddressSpace::Private || has_states) {
    check_states(s, access, v);
  }
  if (races != nullptr) {
    watch_read(s, object, access);
  }
  return v;
}

void Pirch::put_states(const Access& access, const LaneSet& threads, const LaneSet& poison) {
  threads.for_each([&](unsigned t) {
    Object& object = access.object != nullptr ? *access.object : *each_object_[t];
    const std::uint32_t element = access.index[access.uniform ? 0 : t];
    const bool is_poison = poison.contains(t);
    if (object.space == AddressSpace::Private) {
      const std::size_t word = element * object.words + t / 64;
      const std::uint64_t bit = std::uint64_t{1} << (t % 64);
      object.written[word] |= bit;
      *object.may_be_poison = static_cast<std::uint8_t>(*object.may_be_poison != 0 || is_poison);
      object.poison[word] = is_poison ? object.poison[word] | bit : object.poison[word] & ~bit;
    } else if (std::uint8_t* states = is_poison ? make_states(object) : states_of(object); states != nullptr) {
      const auto state = static_cast<std::uint8_t>(is_poison ? CellState::Poison : CellState::Number);
      const auto number = static_cast<std::uint8_t>(CellState::Number);
      object.missing = object.missing + (states[element] == number ? 1U : 0U) - (state == number ? 1U : 0U);
      states[element] = state;
    }
  });
}

void Pirch::put_each(const State& s, const Access& access, const Values& v) {
  s.active.for_each([&](unsigned t) {
    const Object& object = *each_object_[t];
    const std::size_t at = object.space == AddressSpace::Private ? std::size_t{access.index[t]} * object.row + t : access.index[t];
    std::memcpy(object.data + at * v.size, v.lanes + (v.everywhere ? std::size_t{t} * v.size : 0), v.size);
  });
  put_states(access, s.active, v.poison);
  if (races != nullptr) {
    for_each_object(s.active, [&](const State& part, const Object& object) { watch_write(part, object, access, v); });
  }
}

void Pirch::put(State& s, const Access& access, const Values& value) {
  Values v = value;
  materialise(v);
  if (access.nothing) {
    return;
  }
  if (has_rights && !check_rights(s, access, true)) {
    return;
  }
  if (access.object == nullptr) {
    access.bytes ? put_bytes(s, access, v) : put_each(s, access, v);
    return;
  }
  Object& object = *access.object;
  const unsigned size = size_of(object.element);
  if (access.contiguous && v.everywhere && s.active.size() == width_) {
    std::memcpy(object.data + std::size_t{access.index[0]} * size, v.lanes, std::size_t{size} * width_);
  } else {
    with_type(object.element, [&]<class T>(T) {
      const T* from = reinterpret_cast<const T*>(v.lanes);
      T* to = reinterpret_cast<T*>(object.data);
      const bool is_private = object.space == AddressSpace::Private;
      s.active.for_each([&](unsigned t) {
        const std::size_t element = access.index[access.uniform ? 0 : t];
        to[is_private ? element * object.row + t : element] = from[v.everywhere ? t : 0];
      });
    });
  }
  const bool has_states = states_of(object) != nullptr && (object.missing != 0 || object.space != AddressSpace::Local);
  if (object.space == AddressSpace::Private || has_states || !v.poison.empty()) {
    put_states(access, s.active, v.poison);
  }
  if (races != nullptr) {
    watch_write(s, object, access, v);
  }
}

}  // namespace lockstep::launch
