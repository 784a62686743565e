#pragma once
// What pointers point to: buffers, __local and __constant arrays, and register arrays whose address is taken.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "semantics/base/scalar_type.hpp"
#include "semantics/memory/machine_bytes.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::launch {

using memory::CellState;

/// An array of `count` elements. A local array exists once for each group of the pack, a private one once for each lane. What is known of
/// it beside its bits, its state and who has touched it, is known of each cell: of each element, or of each byte where the program puns it.
/// A global buffer has no states at all until somebody stores poison to it.
struct Object {
  std::byte* data = nullptr;
  std::uint64_t count = 0;
  ScalarType element = ScalarType::Int;
  AddressSpace space = AddressSpace::Global;
  bool bytes = false;                                   ///< its cells are bytes
  memory::Rights rights = {};                           ///< of a buffer
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

  /// Of each copy.
  std::uint64_t cells() const { return bytes ? count * size_of(element) : count; }
};

/// The states of the object's cells at this moment; null: all are numbers.
inline std::uint8_t* states_of(const Object& object) {
  return object.shared_states != nullptr ? object.shared_states->load(std::memory_order_acquire) : object.states;
}
/// As states_of, made if there are none yet.
std::uint8_t* make_states(Object& object);

/// Elements of a buffer, at most.
using typed::max_elements;

}  // namespace lockstep::launch
