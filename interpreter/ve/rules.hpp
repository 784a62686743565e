#pragma once
// The instructions whose rules are more than a function: one function a Kind (semantics/ve/table.hpp).

#include <cstdint>
#include <utility>
#include <vector>

#include "interpreter/ve/machine.hpp"

namespace lockstep::ve_machine {

// rules_scalar.cpp
/// Of a load, a store or an exchange.
Word accessed_address(const Machine& machine, const ve::Instruction& instruction);
bool load_address(Machine& machine, const ve::Instruction& instruction);
bool load_address_high(Machine& machine, const ve::Instruction& instruction);
bool conditional_move(Machine& machine, const ve::Instruction& instruction);
bool load(Machine& machine, const ve::Instruction& instruction);
bool store(Machine& machine, const ve::Instruction& instruction);
bool compare_and_swap(Machine& machine, const ve::Instruction& instruction);
bool exchange_bytes(Machine& machine, const ve::Instruction& instruction);
bool nothing(Machine& machine, const ve::Instruction& instruction);
bool branch(Machine& machine, const ve::Instruction& instruction);
bool branch_always(Machine& machine, const ve::Instruction& instruction);
bool branch_relative(Machine& machine, const ve::Instruction& instruction);
bool branch_relative_always(Machine& machine, const ve::Instruction& instruction);
bool call(Machine& machine, const ve::Instruction& instruction);
bool monitor_call(Machine& machine, const ve::Instruction& instruction);

// rules_quad.cpp
bool quad(Machine& machine, const ve::Instruction& instruction);

// rules_mask.cpp
bool set_length(Machine& machine, const ve::Instruction& instruction);
bool length(Machine& machine, const ve::Instruction& instruction);
bool max_length(Machine& machine, const ve::Instruction& instruction);
bool set_element(Machine& machine, const ve::Instruction& instruction);
bool get_element(Machine& machine, const ve::Instruction& instruction);
bool set_mask_word(Machine& machine, const ve::Instruction& instruction);
bool get_mask_word(Machine& machine, const ve::Instruction& instruction);
bool count_mask(Machine& machine, const ve::Instruction& instruction);
bool form_constant_mask(Machine& machine, const ve::Instruction& instruction);

// rules_move.cpp
bool sequence(Machine& machine, const ve::Instruction& instruction);
bool move_elements(Machine& machine, const ve::Instruction& instruction);
bool merge_elements(Machine& machine, const ve::Instruction& instruction);
bool compress(Machine& machine, const ve::Instruction& instruction);
bool expand(Machine& machine, const ve::Instruction& instruction);

// rules_memory.cpp
bool vector_load(Machine& machine, const ve::Instruction& instruction);
bool vector_store(Machine& machine, const ve::Instruction& instruction);

/// Where the instruction that comes next would access memory.
struct Accesses {
  bool writes = false;
  unsigned bytes = 0;                                         ///< of each
  std::vector<std::pair<unsigned, std::uint64_t>> addresses;  ///< with the elements; of a scalar instruction, one
};
Accesses accesses_of(Machine& machine, const ve::Instruction& instruction);

}  // namespace lockstep::ve_machine
