#pragma once
// What pointers point to: buffers, __local and __constant arrays, and register arrays whose address is taken.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "semantics/base/scalar_type.hpp"

namespace lockstep::launch {

/// A cell's state beside its bits. A global buffer has no states at all until somebody stores poison to it.
enum class CellState : std::uint8_t { Uninitialised, Number, Poison };

/// An array of `count` elements. A local array exists once for each group of the pack, a private one once for each lane.
struct Object {
  std::byte* data = nullptr;
  std::uint64_t count = 0;
  ScalarType element = ScalarType::Int;
  AddressSpace space = AddressSpace::Global;
  bool watched = false;                                 ///< races are looked for: some instruction writes it
  std::uint32_t number = 0;                             ///< of a buffer, its index in Arguments; of a program's object, its ObjectId
  std::size_t copies = 1;                               ///< groups of the pack, for local arrays; their copies lie one behind the other
  std::uint64_t missing = 0;                            ///< local: cells of all copies that are not numbers yet
  std::uint8_t* states = nullptr;                       ///< CellState of every cell of every copy; null: all numbers
  std::atomic<std::uint8_t*>* shared_states = nullptr;  ///< of a buffer, what all packs see as its states
  const std::string* name = nullptr;
  // Private arrays: element e of lane t lies at data + (e * row + t) * size_of(element).
  std::uint32_t row = 0;
  std::uint64_t* written = nullptr;  ///< bit sets over lanes, one per element, `words` words each; null: always written
  std::uint64_t* poison = nullptr;   ///< likewise, null never
  std::uint8_t* may_be_poison = nullptr;
  std::size_t words = 0;
};

// Pointers are 64-bit numbers: the object's number (from 1; 0 is the null pointer) in the upper 24 bits, the byte offset, which may be
// negative, in the lower 40.
/// The states of the object's cells at this moment; null: all are numbers.
inline std::uint8_t* states_of(const Object& object) {
  return object.shared_states != nullptr ? object.shared_states->load(std::memory_order_acquire) : object.states;
}
/// As states_of, made if there are none yet.
std::uint8_t* make_states(Object& object);

inline constexpr unsigned offset_bits = 40;
inline constexpr std::uint64_t offset_mask = (std::uint64_t{1} << offset_bits) - 1;
inline constexpr std::uint32_t max_objects = (1U << (64 - offset_bits)) - 1;

constexpr std::uint64_t pointer_to(std::uint32_t object, std::int64_t offset = 0) {
  return std::uint64_t{object} << offset_bits | (static_cast<std::uint64_t>(offset) & offset_mask);
}
constexpr std::uint32_t object_of(std::uint64_t pointer) { return static_cast<std::uint32_t>(pointer >> offset_bits); }
constexpr std::int64_t offset_of(std::uint64_t pointer) {
  return static_cast<std::int64_t>(pointer << (64 - offset_bits)) >> (64 - offset_bits);
}

/// Elements of a buffer, at most: indices are 32 bits wide in the machine.
inline constexpr std::uint64_t max_elements = (std::uint64_t{1} << 31) - 1;

}  // namespace lockstep::launch
