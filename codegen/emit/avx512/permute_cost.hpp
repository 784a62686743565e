#pragma once
// What moving lanes costs: the one table that the choice between forms looks at.
//
// Cycles of throughput on a core that starts two 512-bit operations a cycle, on ports 0 and 5, and moves lanes on port 5 alone: measured,
// vpermpd, vpermt2pd and vpermilpd go at one a cycle each, and one vpermpd for each FMA halves the rate of the FMAs. Loads go to other
// ports, two a cycle: an index vector costs half a cycle, and a register while it is kept. A mask comes from a general register through
// port 5 and is mostly shared or kept, of which there are seven places: half a cycle as well.
// Where forms cost the same, those that stay within 128 bits are preferred: one cycle of latency in place of three, and on processors with
// more ports for them than for others twice the rate.

#include <array>
#include <string_view>

#include "codegen/emit/avx512/permute.hpp"

namespace lockstep::emit_avx512 {

struct InstructionCost {
  Instruction instruction;
  std::string_view mnemonic;  ///< for people, without the suffix of the lanes' type
  double cycles_512;
  double cycles_256;
};

inline constexpr std::array<InstructionCost, instruction_count> cost_table = {{
    {Instruction::Move, "vblendm", 0.5, 1.0 / 3},  // ports 0 and 5, latency 1; 256 bits: ports 0, 1 and 5, the mask an immediate
    {Instruction::Broadcast, "vbroadcast", 1, 1},  // port 5, latency 3
    {Instruction::InLanes, "vpermil", 1, 1},       // port 5, latency 1
    {Instruction::InHalves, "vperm imm8", 1, 1},   // port 5, latency 3
    {Instruction::Shuffle, "vshufp", 1, 1},        // port 5, latency 1
    {Instruction::UnpackLow, "vunpckl", 1, 1},     // port 5, latency 1
    {Instruction::UnpackHigh, "vunpckh", 1, 1},    // port 5, latency 1
    {Instruction::Parts, "vshuf128", 1, 1},        // port 5, latency 3
    {Instruction::Window, "valign", 1, 1},         // port 5, latency 3
    {Instruction::PermuteOne, "vperm", 1, 1},      // port 5, latency 3, and an index vector
    {Instruction::PermuteTwo, "vpermt2", 1, 1},    // port 5, latency 3, and an index vector
}};

/// Of each index vector, and of each mask in 512 bits (in 256 bits blends take their mask as an immediate).
inline constexpr double index_vector_cycles = 0.5;
inline constexpr double mask_cycles = 0.5;

constexpr const InstructionCost& cost(Instruction instruction) { return cost_table[static_cast<std::size_t>(instruction)]; }

/// Cycles of an instruction on registers of `register_bits` (512 or 256) bits, without its constants.
constexpr double cycles(Instruction instruction, unsigned register_bits) {
  return register_bits == 512 ? cost(instruction).cycles_512 : cost(instruction).cycles_256;
}

}  // namespace lockstep::emit_avx512
