#pragma once
// Objects of bytes on machine numbers (bytes.hpp).

#include <cstddef>
#include <cstdint>
#include <span>

#include "semantics/base/scalar_type.hpp"
#include "semantics/memory/bytes.hpp"

namespace lockstep::memory {

/// The domain. A Word is a scalar's 64 bits (semantics/ops/bits.hpp).
struct Machine {
  using Truth = bool;
  using Byte = std::uint8_t;
  using Word = std::uint64_t;
  using Offset = std::int64_t;

  static Byte byte(ScalarType, Word word, unsigned k) { return static_cast<Byte>(word >> (8 * k)); }
  static Word number(ScalarType type, std::span<const Byte> bytes);
};

/// What a cell of memory, a byte or an element, is beside its bits.
enum class CellState : std::uint8_t { Uninitialised, Number, Poison };

/// Bytes that lie side by side, and the CellState of each; null where all are numbers, and nothing else is stored.
struct ByteRow {
  std::byte* values = nullptr;
  std::uint8_t* states = nullptr;
};

/// The access lies inside.
Stored<Machine> load(const ByteRow& row, std::uint64_t offset, ScalarType type);
void store(const ByteRow& row, std::uint64_t offset, ScalarType type, const Stored<Machine>& stored);

}  // namespace lockstep::memory
