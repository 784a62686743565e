#pragma once
// What sequences do to lanes, from the definitions of the instructions (Intel 64 and IA-32 Architectures Software Developer's Manual,
// volume 2) and without the code that chooses them.
//
// Numbers are unsigned, or terms of a prover: what is asked of them is + - of equal numbers, >> by and & * + with known ones.

#include <vector>

#include "codegen/emit/avx512/permute.hpp"

namespace lockstep::emit_avx512 {

/// Which lane of its operands an instruction brings into lane `lane` of the result; the second operand's lanes are numbered behind those
/// of the first one. `index` is the index vector's number at that lane. For registers of `lanes` lanes of `lane_bits` bits: 512 or 256.
template <class Number>
Number brought_lane(Instruction instruction, unsigned lane_bits, unsigned lanes, unsigned lane, const Number& immediate,
                    const Number& index) {
  const Number zero = immediate & 0U;
  const unsigned in_part = 128 / lane_bits;        // lanes of 128 bits
  const unsigned part = lane / in_part * in_part;  // the first lane of the 128 bits that it lies in
  const unsigned at = lane % in_part;              // its place there
  const unsigned four = lane / 4 * 4;              // the first of the four lanes that it belongs to
  switch (instruction) {
    case Instruction::Move:
      return zero + lane;
    case Instruction::Broadcast:
      return zero;
    case Instruction::InLanes:  // VPERMILPD: a bit for each lane; VPERMILPS and VPSHUFD: two bits for each place in 128 bits
      return lane_bits == 64 ? (immediate >> lane & 1U) + part : (immediate >> 2 * at & 3U) + part;
    case Instruction::InHalves:  // VPERMPD and VPERMQ: two bits for each place in 256 bits
      return (immediate >> 2 * (lane % 4) & 3U) + four;
    case Instruction::Shuffle:  // VSHUFPD: even lanes from the first operand; VSHUFPS: the two lower lanes of each 128 bits
      return lane_bits == 64 ? (immediate >> lane & 1U) + (part + at * lanes) : (immediate >> 2 * at & 3U) + (part + at / 2 * lanes);
    case Instruction::UnpackLow:  // alternating from the two operands
      return zero + (part + at / 2 + at % 2 * lanes);
    case Instruction::UnpackHigh:
      return zero + (part + in_part / 2 + at / 2 + at % 2 * lanes);
    case Instruction::Parts: {
      const unsigned number = lane / in_part;
      if (lanes == 2 * in_part) {  // VPERM2F128: of four parts in two registers
        return (immediate >> 4 * number & 3U) * in_part + at;
      }  // VSHUFF64X2: two parts from each operand
      return (immediate >> 2 * number & 3U) * in_part + (at + number / 2 * lanes);
    }
    case Instruction::Window:  // VALIGNQ and VALIGND: both registers shifted to the right; as many bits of the immediate as lanes need
      return (immediate & (lanes - 1)) + lane;
    case Instruction::PermuteOne:
      return index & (lanes - 1);
    case Instruction::PermuteTwo:
      break;
  }
  return index & (2 * lanes - 1);
}

/// What stands in each lane of the result, if it is a lane of a source; and none where the sequence leaves any numbers.
std::vector<std::optional<SourceLane>> execute(const Sequence& sequence);

}  // namespace lockstep::emit_avx512
