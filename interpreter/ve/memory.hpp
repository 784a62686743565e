#pragma once
// The memory of a run: buffers, sections and the stack as objects of bytes (semantics/memory).

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "interpreter/ve/state.hpp"
#include "semantics/memory/bytes.hpp"
#include "semantics/memory/machine_bytes.hpp"
#include "semantics/memory/pointer.hpp"

namespace lockstep::ve_machine {

/// What MemoryObject::states are made of.
inline constexpr auto has_number = static_cast<std::uint8_t>(memory::CellState::Number);
inline constexpr auto uninitialised = static_cast<std::uint8_t>(memory::CellState::Uninitialised);

struct MemoryObject {
  std::string name;  ///< as messages call it: "argument 1"
  std::byte* data = nullptr;
  std::uint64_t bytes = 0;
  memory::Rights rights;
  std::vector<std::uint8_t> states;  ///< a CellState for each byte; empty: all are numbers, and nothing else may be stored
};

class Memory {
 public:
  /// The object's number, from 1 on.
  std::uint32_t add(MemoryObject object) {
    objects_.push_back(std::move(object));
    return static_cast<std::uint32_t>(objects_.size());
  }
  /// What a pointer points into; null if that is nothing.
  MemoryObject* object_at(std::uint64_t pointer) { return object(memory::object_of(pointer)); }
  MemoryObject* object(std::uint32_t number) { return number == 0 || number > objects_.size() ? nullptr : &objects_[number - 1]; }
  const MemoryObject* object(std::uint32_t number) const {
    return number == 0 || number > objects_.size() ? nullptr : &objects_[number - 1];
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(objects_.size()); }

 private:
  std::vector<MemoryObject> objects_;
};

/// `bytes` bytes at `offset`, which the object has, in the low bits.
Word read(const MemoryObject& object, std::uint64_t offset, unsigned bytes);

/// Writes the low bits. What is undefined is stored as that, where the object can hold it.
void write(MemoryObject& object, std::uint64_t offset, unsigned bytes, const Word& word);

}  // namespace lockstep::ve_machine
