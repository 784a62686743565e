#include "semantics/memory/machine_bytes.hpp"

#include <cstring>

#include "semantics/ops/bits.hpp"

namespace lockstep::memory {

Machine::Word Machine::number(ScalarType type, std::span<const Byte> bytes) {
  Word word = 0;
  for (std::size_t k = bytes.size(); k-- > 0;) {
    word = word << 8U | bytes[k];
  }
  return type == ScalarType::Bool ? (word != 0 ? 1 : 0) : ops::bits_as(type, word);
}

Stored<Machine> load(const ByteRow& row, std::uint64_t offset, ScalarType type) {
  return load<Machine>(type, [&](unsigned k) {
    const auto state = row.states == nullptr ? CellState::Number : static_cast<CellState>(row.states[offset + k]);
    return Byte<Machine>{static_cast<std::uint8_t>(row.values[offset + k]), state == CellState::Poison, state != CellState::Uninitialised};
  });
}

void store(const ByteRow& row, std::uint64_t offset, ScalarType type, const Stored<Machine>& stored) {
  store<Machine>(type, stored, [&](unsigned k, const Byte<Machine>& byte) {
    row.values[offset + k] = static_cast<std::byte>(byte.value);
    if (row.states != nullptr) {
      const CellState state = !byte.written ? CellState::Uninitialised : byte.poison ? CellState::Poison : CellState::Number;
      row.states[offset + k] = static_cast<std::uint8_t>(state);
    }
  });
}

}  // namespace lockstep::memory
