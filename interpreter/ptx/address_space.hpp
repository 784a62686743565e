#pragma once
// What addresses mean: objects of bytes in PTX's state spaces, and the numbers that stand for them.
//
// A global address is an object and an offset in one 64-bit number (semantics/memory/pointer.hpp). Shared, local, const and param space are
// windows: an address there is a number of 32 bits, which wraps and can be kept in a 32-bit register. Each variable of a window has slots
// of 64 KiB of its own, with at least half a slot in front of it and behind it, so that an index that is a little too large or too small
// meets nothing. A window's generic addresses are those of one object of global numbering, so that a generic address tells its space.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "semantics/memory/pointer.hpp"
#include "semantics/ptx/types.hpp"

namespace lockstep::ptx_machine {

class Marks;

/// What there is in a byte.
enum ByteState : std::uint8_t {
  Unwritten = 0,
  Written = 1,  ///< a number
  Copied = 2,   ///< what was copied there has no number
};

/// Bytes that a program can address.
struct Object {
  std::string name;
  ptx::Space space = ptx::Space::Global;
  std::byte* data = nullptr;
  std::uint8_t* written = nullptr;  ///< of each byte of each copy, what has been written to it (ByteState); null: numbers to all
  std::uint64_t unwritten = 0;      ///< how many bytes have no number; 0 if `written` is null
  std::uint64_t bytes = 0;          ///< of one copy
  std::uint64_t stride = 0;         ///< from one thread's copy to the next one's; 0 where all threads have one in common
  bool writable = true;
  std::uint64_t address = 0;  ///< of its first byte, in its space
  std::uint32_t number = 0;   ///< of the object in its AddressSpace
  bool open = false;          ///< something that PTX leaves open has been written to it
  std::uint32_t origin = 0;   ///< the line of the instruction that it comes from
  Marks* marks = nullptr;     ///< who has touched it (races.hpp); null where nobody looks
};

/// Objects by address.
class AddressSpace {
 public:
  /// The object gets its number and its address. Nothing where there is no room for it: too many variables, or too large a one.
  std::optional<std::uint32_t> add(Object object);

  Object& operator[](std::uint32_t number) { return objects_[number]; }
  const Object& operator[](std::uint32_t number) const { return objects_[number]; }
  std::size_t size() const { return objects_.size(); }

  /// The object that an address of that space points into or near to; nullptr if there is none. For Generic and Global, that of any space.
  const Object* object_at(ptx::Space space, std::uint64_t address) const;
  Object* object_at(ptx::Space space, std::uint64_t address) {
    return const_cast<Object*>(static_cast<const AddressSpace*>(this)->object_at(space, address));
  }

  /// Has the object know which of its bytes have numbers; all have so far.
  void watch_written(Object& object);

  /// The generic address of an address of `space`, and the other way round. An address that is none of the space stays what it is.
  static std::uint64_t to_generic(ptx::Space space, std::uint64_t address);
  static std::uint64_t from_generic(ptx::Space space, std::uint64_t address);
  /// The space of which this is a generic address.
  static ptx::Space space_of_generic(std::uint64_t address);

  /// How far behind the object's beginning an address lies: of its space, or generic. Modulo 2^32 in a window.
  static std::int64_t offset_in(const Object& object, std::uint64_t address);

 private:
  struct Window {
    std::vector<std::uint32_t> owner;  ///< of each slot, its object's number + 1, or 0
  };
  std::optional<std::uint64_t> take_slots(Window& window, std::uint64_t bytes, std::uint32_t number);
  const Window& window_of(ptx::Space space) const;

  std::deque<Object> objects_;
  std::deque<std::vector<std::uint8_t>> written_;  ///< of objects that all have been written when they were added
  std::vector<std::uint32_t> global_;              ///< numbers of the global objects, in the order of their pointers
  Window shared_;
  Window local_;
  Window constant_;
  Window param_;
};

/// The address of a function: it points to no object.
std::uint64_t address_of_function(std::uint32_t function);
std::optional<std::uint32_t> function_at(std::uint64_t address);

}  // namespace lockstep::ptx_machine
