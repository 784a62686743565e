#pragma once
// What pointers point to: buffers, __local and __constant arrays, and register arrays whose address is taken.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "semantics/base/argument.hpp"
#include "semantics/base/scalar_type.hpp"
#include "semantics/ops/op.hpp"
#include "semantics/typed/program.hpp"

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

/// The states of the object's cells at this moment; null: all are numbers.
inline std::uint8_t* states_of(const Object& object) {
  return object.shared_states != nullptr ? object.shared_states->load(std::memory_order_acquire) : object.states;
}
/// As states_of, made if there are none yet.
std::uint8_t* make_states(Object& object);

// Pointers are 64-bit numbers: 2^40 times the object's number (from 1) plus the byte offset, which lies between -2^39 and 2^39. The null
// pointer is 0. As objects have numbers below 2^23, the pointers into one object are ordered as signed numbers, also in front of it.
inline constexpr unsigned offset_bits = 40;
inline constexpr std::int64_t offset_limit = std::int64_t{1} << (offset_bits - 1);  ///< offsets are smaller than this
inline constexpr std::uint32_t max_objects = (1U << (63 - offset_bits)) - 1;
/// The type in whose order pointers into one object are compared.
inline constexpr ScalarType pointer_order = ScalarType::Long;

constexpr std::uint64_t pointer_to(std::uint32_t object, std::int64_t offset = 0) {
  return (std::uint64_t{object} << offset_bits) + static_cast<std::uint64_t>(offset);
}
/// What a parameter with elements of that type gets: buffers are the objects from 1 on.
constexpr std::uint64_t pointer_to(const BufferNumber& buffer, ScalarType element) {
  return pointer_to(static_cast<std::uint32_t>(buffer.number) + 1, static_cast<std::int64_t>(buffer.first * size_of(element)));
}
constexpr std::uint32_t object_of(std::uint64_t pointer) {
  return static_cast<std::uint32_t>((pointer + static_cast<std::uint64_t>(offset_limit)) >> offset_bits);
}
constexpr std::int64_t offset_of(std::uint64_t pointer) {
  return static_cast<std::int64_t>(pointer << (64 - offset_bits)) >> (64 - offset_bits);
}

/// The pointer `index` elements of `size` bytes further on; empty if its offset is not between the limits, which is undefined.
constexpr std::optional<std::uint64_t> moved(std::uint64_t pointer, std::int64_t index, std::int64_t size) {
  if (index <= -offset_limit / size || index >= offset_limit / size) {
    return std::nullopt;
  }
  const std::int64_t offset = offset_of(pointer) + index * size;
  return offset > -offset_limit && offset < offset_limit ? std::optional(pointer_to(object_of(pointer), offset)) : std::nullopt;
}

/// True if `op`, a comparison, of these pointers is undefined: different objects have no order (C99 6.5.8), but any two pointers are
/// equal or not.
constexpr bool misordered(Op op, std::uint64_t p, std::uint64_t q) { return is_order(op) && object_of(p) != object_of(q); }

/// Elements of a buffer, at most.
using typed::max_elements;

}  // namespace lockstep::launch
