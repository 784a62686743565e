#pragma once
// A machine without an object file, for single instructions and calls of the library.

#include <array>
#include <cstddef>
#include <vector>

#include "interpreter/ve/machine.hpp"

namespace lockstep::test {

inline constexpr std::size_t room = 1024;
inline constexpr std::size_t instructions_of_code = 100;

/// A machine with memory of its own: numbers, bytes that may be undefined, and numbers that nobody may write; code; the library.
struct World {
  ve_machine::Machine machine;
  std::array<std::vector<std::byte>, 3> bytes;
  std::vector<std::byte> code = std::vector<std::byte>(instructions_of_code * ve::instruction_bytes);

  World(const World&) = delete;
  World& operator=(const World&) = delete;
  World() {
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      bytes.at(k).resize(room);
      machine.memory.add({"memory", bytes.at(k).data(), room, {true, k != 2}, {}});
    }
    machine.sections.push_back(machine.memory.add({"code", code.data(), code.size(), {true, false}, {}}));
    machine.routines = machine.memory.add({"the library", nullptr, 0, {false, false}, {}});
    machine.memory.object(2)->states.assign(room, ve_machine::has_number);
    machine.counters.rows.resize(ve::rows().size());
  }
};

}  // namespace lockstep::test
