#include "interpreter/ve/memory.hpp"

#include <cstring>

namespace lockstep::ve_machine {

Word read(const MemoryObject& object, std::uint64_t offset, unsigned bytes) {
  Word word = defined(0);
  std::memcpy(&word.bits, object.data + offset, bytes);
  if (!object.states.empty()) {
    for (unsigned k = 0; k < bytes; ++k) {
      word.undefined |= object.states[offset + k] == has_number ? 0 : std::uint64_t{0xff} << (8 * k);
    }
  }
  return word;
}

void write(MemoryObject& object, std::uint64_t offset, unsigned bytes, const Word& word) {
  std::memcpy(object.data + offset, &word.bits, bytes);
  if (!object.states.empty()) {
    for (unsigned k = 0; k < bytes; ++k) {
      object.states[offset + k] = (word.undefined >> (8 * k) & 0xffU) == 0 ? has_number : uninitialised;
    }
  }
}

}  // namespace lockstep::ve_machine
