#pragma once
// One core of VE: state, memory, and what its instructions have in common. An instruction that is not defined sets a fault and changes
// nothing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/ve/cost.hpp"
#include "interpreter/ve/fault.hpp"
#include "interpreter/ve/memory.hpp"
#include "interpreter/ve/state.hpp"
#include "semantics/ve/decode.hpp"
#include "semantics/ve/instruction.hpp"

namespace lockstep::ve_machine {

/// The functions outside of the object that code may call.
enum class Routine : std::uint8_t { Return, Fma, FmaFloat, SquareRoot, SquareRootFloat, MemoryCopy, MemoryMove, MemorySet, GrowStack };
inline constexpr std::size_t routine_count = 9;
inline constexpr std::int64_t routine_bytes = 16;  ///< from the address of one to that of the next

/// "fma"; empty of Return, which is where the kernel returns to.
std::string_view name_of(Routine routine);

struct Counters {
  std::vector<std::uint64_t> rows;                          ///< instructions executed, by row
  std::array<std::uint64_t, ve::max_length + 1> lengths{};  ///< vector instructions, by vector length
  std::uint64_t steps = 0;
  std::uint64_t elements = 0;  ///< sum of the vector lengths
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t approximations = 0;  ///< elements of which hardware may have other last bits
};

struct Machine {
  State state;
  Memory memory;
  Counters counters;
  Cost cost;
  std::optional<Fault> fault;
  bool halted = false;
  Place next;                           ///< what is executed after this instruction
  std::vector<std::uint32_t> sections;  ///< the objects that hold the sections
  std::uint32_t routines = 0;           ///< the object whose addresses are those of routines

  /// Sets the fault; false.
  bool fail(FaultKind kind, std::string message);

  Word read(const ve::Operand& operand) const;
  void write(const ve::Operand& operand, const Word& word);
  /// %vm0 has all elements, whatever is written there.
  void write_mask(const ve::Operand& operand, const Mask& mask);

  /// The vector length, if it is defined.
  std::optional<unsigned> length();

  /// The elements of the length that the instruction works on: upper halves, and lower halves, which differ under a pair of masks.
  struct Active {
    unsigned length = 0;
    Lanes upper{};
    Lanes lower{};
    Lanes undefined{};  ///< whose bit in the mask is undefined
    bool all = true;    ///< there is no mask
  };
  std::optional<Active> active(const ve::Instruction& instruction);
  /// Likewise of another length.
  Active active_below(unsigned count, const ve::Instruction& instruction) const;

  /// The bytes that an access of a scalar instruction is about; null after a fault.
  struct Access {
    MemoryObject* object = nullptr;
    std::uint64_t offset = 0;
  };
  /// The address is a multiple of `alignment`: scalar instructions take any, as LLVM's back end for VE says that they do
  /// (VETargetLowering::allowsMisalignedMemoryAccesses), which joins neighbouring stores by it; elements of vectors and atomic accesses
  /// lie at multiples of their size.
  Access locate(const Word& address, unsigned bytes, unsigned alignment, bool writes, std::optional<unsigned> element = std::nullopt);

  /// False if undefined bits would get into an object that holds numbers only.
  bool may_store(const MemoryObject& object, const Word& word, unsigned bytes, std::optional<unsigned> element = std::nullopt);

  /// Goes on at an address.
  bool jump(const Word& address);
  /// Goes on so many bytes further.
  bool jump_relative(std::int64_t bytes);
  bool call_routine(Routine routine);
};

using Execute = bool (*)(Machine& machine, const ve::Instruction& instruction);

/// What executes the rows, in the order of the table. False: a fault.
const std::vector<Execute>& executes();

/// One instruction, that at state.place; the kernel has not returned, and there is no fault. False: a fault.
bool step(Machine& machine, const ve::Code& code, std::uint64_t max_steps);

/// Runs from state.place until the kernel returns, a fault, or so many instructions.
void run(Machine& machine, const ve::Code& code, std::uint64_t max_steps);

}  // namespace lockstep::ve_machine
