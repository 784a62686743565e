#include "interpreter/ptx/address_space.hpp"

#include <utility>

#include "semantics/base/internal_error.hpp"

namespace lockstep::ptx_machine {

using ptx::Space;

namespace {

constexpr std::uint64_t slot = std::uint64_t{1} << 16;
constexpr std::uint64_t margin = slot / 2;
constexpr std::uint64_t window_slots = (std::uint64_t{1} << 32) / slot;

// Numbers of objects in pointers: 0 is nothing, then the windows, a gap for what lies in front of the first global object, global objects,
// and far behind them functions.
constexpr std::uint32_t first_global = 6;
constexpr std::uint32_t first_function = 1U << 22;

constexpr std::uint32_t window_number(Space space) {
  switch (space) {
    case Space::Shared:
      return 1;
    case Space::Local:
      return 2;
    case Space::Const:
      return 3;
    case Space::Param:
      return 4;
    case Space::Generic:
    case Space::Reg:
    case Space::Global:
      break;
  }
  return 0;
}

/// A window's address of its generic address.
constexpr std::uint64_t in_window(std::uint64_t generic) { return generic & 0xffffffffU; }

/// The number of the window in which a generic address lies, or another one.
constexpr std::uint32_t number_in(std::uint64_t generic) {
  const std::uint64_t number = generic >> 32;  // an address in a window has 32 bits, the others are 0
  return number % (1U << (memory::offset_bits - 32)) == 0 ? static_cast<std::uint32_t>(number >> (memory::offset_bits - 32)) : 0;
}

}  // namespace

const AddressSpace::Window& AddressSpace::window_of(Space space) const {
  switch (space) {
    case Space::Shared:
      return shared_;
    case Space::Local:
      return local_;
    case Space::Const:
      return constant_;
    case Space::Param:
      return param_;
    case Space::Generic:
    case Space::Reg:
    case Space::Global:
      break;
  }
  throw InternalError("a space has no window");
}

std::optional<std::uint64_t> AddressSpace::take_slots(Window& window, std::uint64_t bytes, std::uint32_t number) {
  const std::uint64_t first = window.owner.empty() ? 1 : window.owner.size();  // so that no variable is at 0
  if (bytes > window_slots * slot || first + (bytes + 2 * margin + slot - 1) / slot > window_slots) {
    return std::nullopt;
  }
  window.owner.resize(first, 0);
  window.owner.resize(first + (bytes + 2 * margin + slot - 1) / slot, number + 1);
  return first * slot + margin;
}

std::optional<std::uint32_t> AddressSpace::add(Object object) {
  const auto number = static_cast<std::uint32_t>(objects_.size());
  object.number = number;
  if (object.space == Space::Global) {
    const std::uint64_t pointer = first_global + global_.size();
    if (pointer >= first_function || object.bytes >= static_cast<std::uint64_t>(memory::offset_limit)) {
      return std::nullopt;
    }
    object.address = memory::pointer_to(static_cast<std::uint32_t>(pointer));
    global_.push_back(number);
  } else {
    const auto address = take_slots(const_cast<Window&>(window_of(object.space)), object.bytes, number);
    if (!address) {
      return std::nullopt;
    }
    object.address = *address;
  }
  objects_.push_back(std::move(object));
  return number;
}

Space AddressSpace::space_of_generic(std::uint64_t address) {
  switch (number_in(address)) {
    case 1:
      return Space::Shared;
    case 2:
      return Space::Local;
    case 3:
      return Space::Const;
    case 4:
      return Space::Param;
    default:
      return Space::Global;
  }
}

std::uint64_t AddressSpace::to_generic(Space space, std::uint64_t address) {
  const std::uint32_t number = window_number(space);
  return number == 0 ? address : memory::pointer_to(number, static_cast<std::int64_t>(in_window(address)));
}

std::uint64_t AddressSpace::from_generic(Space space, std::uint64_t address) {
  const std::uint32_t number = window_number(space);
  return number == 0 || number_in(address) != number ? address : in_window(address);
}

const Object* AddressSpace::object_at(Space space, std::uint64_t address) const {
  if (space == Space::Generic || space == Space::Global) {
    const Space actual = space_of_generic(address);
    if (actual != Space::Global) {
      return object_at(actual, in_window(address));
    }
    const std::uint32_t number = memory::object_of(address);
    const bool known = number >= first_global && number - first_global < global_.size();
    return known ? &objects_[global_[number - first_global]] : nullptr;
  }
  const Window& window = window_of(space);
  const std::uint64_t at = address / slot;
  return at < window.owner.size() && window.owner[at] != 0 ? &objects_[window.owner[at] - 1] : nullptr;
}

void AddressSpace::watch_written(Object& object) {
  if (object.written == nullptr) {
    written_.emplace_back(object.bytes, Written);
    object.written = written_.back().data();
  }
}

std::int64_t AddressSpace::offset_in(const Object& object, std::uint64_t address) {
  const std::uint64_t difference = address - object.address;
  return object.space == Space::Global ? static_cast<std::int64_t>(difference)
                                       : std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(difference))};
}

std::uint64_t address_of_function(std::uint32_t function) { return memory::pointer_to(first_function, std::int64_t{16} * function); }

std::optional<std::uint32_t> function_at(std::uint64_t address) {
  if (memory::object_of(address) != first_function || address % 16 != 0 || memory::offset_of(address) < 0) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(memory::offset_of(address) / 16);
}

}  // namespace lockstep::ptx_machine
