// Loads and stores: from addresses to bytes, with everything that can be wrong with an access.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interpreter/ptx/block.hpp"
#include "interpreter/ptx/contiguous.hpp"
#include "interpreter/ptx/with_bytes.hpp"
#include "semantics/memory/bytes.hpp"

namespace lockstep::ptx_machine {

using ptx::Space;

namespace {

/// Where an object begins, as addresses through `space` count.
std::uint64_t beginning(const Object& object, Space space) {
  return space == Space::Generic ? AddressSpace::to_generic(object.space, object.address) : object.address;
}

}  // namespace

/// Finds the bytes that the access is about: sets contiguous_ or pointers_, and alike_object_ or objects_. False: a fault.
bool Block::locate(const Place& place, bool writes) {
  if (!require(place.base)) {
    return false;
  }
  if (place.alike) {
    return locate_alike(place, writes);
  }
  contiguous_ = nullptr;
  const unsigned first = lanes_->first;
  const std::uint64_t first_address = lane_address(place, first);
  Object* object = space_.object_at(place.space, first_address);
  const unsigned size = place.bytes * place.count;
  if (object == nullptr || (place.space != Space::Generic && object->space != place.space) || (writes && !object->writable) ||
      object->bytes < size) {
    return locate_apart(place, writes);
  }
  alike_object_ = object;
  const std::uint64_t begin = beginning(*object, place.space);
  const std::uint64_t misaligned = size - 1;
  if (lanes_->is_range && object->stride == 0 && addresses_ascend(place)) {
    const std::uint64_t at = first_address - begin;
    const std::uint64_t span = std::uint64_t{size} * (lanes_->last - first + 1);
    if (span <= object->bytes && at <= object->bytes - span && (at & misaligned) == 0) {
      contiguous_ = object->data + at;
      return true;
    }
    return locate_apart(place, writes);
  }
  const std::uint64_t last = object->bytes - size;
  std::uint64_t bad = 0;
  for_each_lane(*lanes_, [&](unsigned lane) {
    const std::uint64_t at = lane_address(place, lane) - begin;
    bad |= (at > last ? 1U : 0U) | (at & misaligned);
    pointers_[lane] = object->data + (at > last ? 0 : at) + lane * object->stride;
  });
  return bad == 0 || locate_apart(place, writes);
}

/// The address that a thread accesses; of a base of 32 bits, modulo 2^32.
std::uint64_t Block::lane_address(const Place& place, unsigned lane) {
  const std::byte* base = row(place.base);
  const auto offset = static_cast<std::uint64_t>(place.offset);
  if (place.base.bytes == 8) {
    return reinterpret_cast<const std::uint64_t*>(base)[lane] + offset;
  }
  return static_cast<std::uint32_t>(lane_number(place.base, lane) + offset);
}

/// Whether each thread's elements begin where those of the thread before it end.
bool Block::addresses_ascend(const Place& place) {
  const std::byte* base = row(place.base);
  const std::size_t count = lanes_->last - lanes_->first + 1;
  const unsigned size = place.bytes * place.count;
  if (place.base.bytes == 8) {
    return ascend(reinterpret_cast<const std::uint64_t*>(base) + lanes_->first, count, size);
  }
  return place.base.bytes == 4 && ascend(reinterpret_cast<const std::uint32_t*>(base) + lanes_->first, count, size);
}

/// The same, lane by lane: threads may access different objects, and something may be wrong.
bool Block::locate_apart(const Place& place, bool writes) {
  alike_object_ = nullptr;
  contiguous_ = nullptr;
  bool good = true;
  for_each_lane(*lanes_, [&](unsigned lane) { good = good && !access_fault(place, writes, lane, lane_address(place, lane)); });
  return good;
}

bool Block::locate_alike(const Place& place, bool writes) {
  const unsigned first = lanes_->set.first();
  const std::uint64_t address = lane_number(place.base, first) + static_cast<std::uint64_t>(place.offset);
  if (access_fault(place, writes, first, address)) {
    return false;
  }
  alike_object_ = objects_[first];
  contiguous_ = nullptr;
  std::byte* one = pointers_[first] - first * alike_object_->stride;
  for_each_lane(*lanes_, [&](unsigned lane) { pointers_[lane] = one + lane * alike_object_->stride; });
  return true;
}

/// Whether the access of one thread is wrong, which is a fault; else it gets its pointer and object.
bool Block::access_fault(const Place& place, bool writes, unsigned lane, std::uint64_t address) {
  const unsigned size = place.bytes * place.count;
  const auto wrong = [&](FaultKind kind, std::string sentence) {
    fail(kind, lane, std::move(sentence));
    return true;
  };
  Object* object = space_.object_at(place.space, address);
  if (object == nullptr) {
    const std::string_view space = text_of(place.space);
    if (function_at(address)) {
      return wrong(FaultKind::OutOfBounds, fmt::format("the address {:#x} is that of a function, and no data", address));
    }
    return wrong(FaultKind::OutOfBounds, fmt::format("nothing lies at the {} address {:#x}", space, address));
  }
  if (place.space != Space::Generic && object->space != place.space) {
    return wrong(FaultKind::OutOfBounds, fmt::format("{:#x} is no {} address: it is the generic address of '{}', which lies in {} space",
                                                     address, text_of(place.space), shortened(object->name), text_of(object->space)));
  }
  const std::uint64_t at = address - beginning(*object, place.space);
  const auto offset = static_cast<std::int64_t>(at);
  const auto access = memory::misaccess<bool>(offset, size, size, object->bytes, {.read = true, .write = object->writable}, writes);
  if (access.outside) {
    return wrong(FaultKind::OutOfBounds, fmt::format("byte {} is outside of '{}', which has {} bytes",
                                                     offset < 0 || at >= object->bytes ? offset : static_cast<std::int64_t>(object->bytes),
                                                     shortened(object->name), object->bytes));
  }
  if (access.misaligned) {
    return wrong(FaultKind::Misaligned,
                 fmt::format("an access of {} bytes at byte {} of '{}' is not aligned", size, at, shortened(object->name)));
  }
  if (access.forbidden) {
    return wrong(FaultKind::Forbidden,
                 fmt::format("'{}' lies in {} space, which nothing may write", shortened(object->name), text_of(object->space)));
  }
  objects_[lane] = object;
  pointers_[lane] = object->data + at + lane * object->stride;
  return false;
}

Block::Flow Block::execute(const Fence& a) {
  if (watch_ != nullptr && watch_->log != nullptr) {
    for_each_lane(*lanes_, [&](unsigned lane) { watch_->log->fence(lane, a.order); });
  }
  return Flow::Next;
}

void Block::count_access(unsigned size, bool writes, bool reads) {
  touches_.clear();
  for_each_lane(*lanes_, [&](unsigned lane) {
    const Object& object = object_of_lane(lane);
    const std::byte* first = object.data + lane * object.stride;
    touches_.push_back({lane, &object, static_cast<std::uint64_t>(pointer(lane, size) - first)});
  });
  counter_->access(touches_, size, writes, reads);
}

/// Tells those who look for races. Local memory and parameters have none.
void Block::note_access(const Place& place, bool writes, bool reads) {
  if (counter_ != nullptr) {
    count_access(place.bytes * place.count, writes, reads);
  }
  if (watch_ == nullptr || place.space == Space::Local || place.space == Space::Param || place.space == Space::Const) {
    return;
  }
  const unsigned size = place.bytes * place.count;
  const Fragment& f = fragments_[current_];
  if (watch_->log == nullptr && alike_object_ != nullptr) {
    Marks* marks = alike_object_->marks;
    if (marks == nullptr) {
      return;
    }
    const std::byte* begin = alike_object_->data;
    if (contiguous_ != nullptr && writes != reads) {
      const auto at = static_cast<std::uint64_t>(contiguous_ - begin);
      watch_->found |= marks->access_range(watch_->clock, at, size, lanes_->first, lanes_->last - lanes_->first + 1, place.order, writes);
      return;
    }
    bool found = false;
    for_each_lane(*lanes_, [&](unsigned lane) {
      const auto at = static_cast<std::uint64_t>(pointer(lane, size) - begin);
      found |= marks->access(watch_->clock, at, size, lane, place.order, writes, reads);
    });
    watch_->found = watch_->found || found;
    return;
  }
  for_each_lane(*lanes_, [&](unsigned lane) {
    const Object& object = object_of_lane(lane);
    if (object.marks == nullptr && !(watch_->log != nullptr && (object.space == Space::Global || object.space == Space::Shared))) {
      return;
    }
    const auto at = static_cast<std::uint64_t>(pointer(lane, size) - object.data);
    if (watch_->log != nullptr) {
      watch_->log->access(object, at, size, {index_, lane, f.function, f.pc, place.order}, writes, reads, program_.options.geometry);
    } else {
      watch_->found |= object.marks->access(watch_->clock, at, size, lane, place.order, writes, reads);
    }
  });
}

namespace {

/// The number of type M at `from`, in a register of type R: extended by its sign, or by zeros.
template <class M, class R>
void load_element(R* to, const std::byte* from, bool is_signed) {
  M number{};
  std::memcpy(&number, from, sizeof(M));
  if constexpr (std::is_same_v<M, Wide> || std::is_same_v<R, Wide>) {
    if constexpr (std::is_same_v<M, R>) {
      *to = number;
    } else if constexpr (std::is_same_v<R, Wide>) {
      const auto extended =
          is_signed ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::make_signed_t<M>>(number)}) : std::uint64_t{number};
      *to = Wide{extended, is_signed && extended >> 63 != 0 ? ~std::uint64_t{0} : 0};
    } else {
      *to = static_cast<R>(number.low);
    }
  } else {
    *to = is_signed ? static_cast<R>(static_cast<std::make_signed_t<M>>(number)) : static_cast<R>(number);
  }
}

}  // namespace

Block::Flow Block::execute(const Load& a) {
  if (!locate(a.place, false) || !require_something(a.place)) {
    return Flow::Stop;
  }
  note_access(a.place, false, true);
  if (watches_open_) {
    spread_open_access(step_of(fragments_[current_]));
  }
  std::size_t offset = 0;
  const unsigned size = a.place.bytes * a.place.count;
  for (const std::optional<Destination>& element : a.elements) {
    if (element) {
      define(*element);
      std::byte* row = frame_->row(element->row);
      if (contiguous_ != nullptr && a.place.count == 1 && element->bytes == size) {
        std::memcpy(row + std::size_t{lanes_->first} * size, contiguous_, std::size_t{lanes_->last - lanes_->first + 1} * size);
      } else {
        with_bytes(a.place.bytes, [&](auto memory) {
          with_bytes(element->bytes, [&](auto number) {
            using R = decltype(number);
            auto* to = reinterpret_cast<R*>(row);
            for_each_lane(*lanes_,
                          [&](unsigned lane) { load_element<decltype(memory), R>(to + lane, pointer(lane, size) + offset, a.is_signed); });
          });
        });
      }
    }
    offset += a.place.bytes;
  }
  load_holes(a);
  return Flow::Next;
}

Block::Flow Block::execute(const Store& a) {
  const bool all_defined = std::ranges::all_of(a.elements, [&](const Source& element) { return is_defined(element); });
  if (!locate(a.place, true) || (!all_defined && !require_stored(a))) {
    return Flow::Stop;
  }
  note_access(a.place, true, false);
  if (watches_open_) {
    spread_open_access(step_of(fragments_[current_]));
  }
  std::size_t offset = 0;
  const unsigned size = a.place.bytes * a.place.count;
  for (const Source& element : a.elements) {
    const std::byte* from = row(element);
    if (contiguous_ != nullptr && a.place.count == 1 && element.bytes == size) {
      std::memcpy(contiguous_, from + std::size_t{lanes_->first} * size, std::size_t{lanes_->last - lanes_->first + 1} * size);
    } else {
      with_bytes(a.place.bytes, [&](auto memory) {
        for_each_lane(*lanes_, [&](unsigned lane) {
          std::memcpy(pointer(lane, size) + offset, from + std::size_t{lane} * element.bytes, sizeof(memory));
        });
      });
    }
    offset += a.place.bytes;
  }
  note_written(a.place);
  if (!all_defined) {
    store_holes(a);
  }
  return Flow::Next;
}

}  // namespace lockstep::ptx_machine
