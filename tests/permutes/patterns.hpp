#pragma once
// Reorderings in short, and random ones.

#include <array>
#include <random>
#include <sstream>
#include <string>

#include "codegen/emit/avx512/permute_execute.hpp"

namespace lockstep::test {

using emit_avx512::Form;
using emit_avx512::RegisterKind;
using emit_avx512::SourceLane;
using emit_avx512::Wanted;

inline constexpr std::array<RegisterKind, emit_avx512::register_kind_count> register_kinds = {
    RegisterKind::F64x8, RegisterKind::I64x8, RegisterKind::F32x16, RegisterKind::I32x16, RegisterKind::F32x8, RegisterKind::I32x8};

inline const char* name_of(RegisterKind kind) {
  return std::array{"f64x8", "i64x8", "f32x16", "i32x16", "f32x8", "i32x8"}[static_cast<std::size_t>(kind)];
}

/// "b3 a0 . a1": lane 3 of register 1, lane 0 of register 0, any number, …
inline Wanted wanted(const std::string& text) {
  Wanted result;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == ".") {
      result.emplace_back();
    } else {
      result.emplace_back(SourceLane{static_cast<unsigned>(word[0] - 'a'), static_cast<unsigned>(std::stoul(word.substr(1)))});
    }
  }
  return result;
}

inline std::string text_of(const Wanted& wanted) {
  std::string result;
  for (const auto& lane : wanted) {
    result += result.empty() ? "" : " ";
    result += lane ? static_cast<char>('a' + lane->reg) + std::to_string(lane->lane) : ".";
  }
  return result;
}

/// What one instruction without an index vector brings about, on any two of the registers, with any immediate.
inline Wanted random_instruction(RegisterKind kind, unsigned registers, std::mt19937_64& random) {
  using emit_avx512::Instruction;
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const auto instruction = static_cast<Instruction>(below(static_cast<unsigned>(Instruction::PermuteOne)));
  const unsigned together = instruction == Instruction::InHalves || below(3) == 0 ? 64 / emit_avx512::lane_bits_of(kind) : 1;
  const unsigned lane_bits = emit_avx512::lane_bits_of(kind) * together;
  const unsigned lanes = emit_avx512::lanes_of(kind) / together;
  const std::array<unsigned, 2> from = {below(registers), below(registers)};
  const unsigned immediate = below(256);
  Wanted result;
  for (unsigned j = 0; j < lanes * together; ++j) {
    const unsigned brought = brought_lane(instruction, lane_bits, lanes, j / together, immediate, 0U);
    result.emplace_back(SourceLane{from[brought / lanes], brought % lanes * together + j % together});
  }
  return result;
}

/// Lanes that are drawn one by one, or follow one of the rules that kernels have.
inline Wanted random_lanes(RegisterKind kind, unsigned registers, std::mt19937_64& random) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const unsigned lanes = emit_avx512::lanes_of(kind);
  const unsigned rule = below(5);
  const unsigned run = 1U << below(4);  // lanes that follow one another
  const unsigned stride = below(5);     // from lane to lane
  const unsigned offset = below(lanes);
  Wanted result;
  for (unsigned j = 0; j < lanes; ++j) {
    SourceLane from{below(registers), below(lanes)};
    switch (rule) {
      case 0:
        break;
      case 1:  // an affine one through all registers
        from = {(offset + stride * j) / lanes % registers, (offset + stride * j) % lanes};
        break;
      case 2:  // runs alternate between the registers, within themselves affine
        from = {j / run % registers, (j / run * run + (offset + stride * j) % run) % lanes};
        break;
      case 3:  // lanes stay in place
        from = {(offset + j / run) % registers, j};
        break;
      default:  // runs are moved as they are
        from = {(offset + j / run) % registers, (j % run + (j / run * stride + offset) * run) % lanes};
    }
    result.emplace_back(from);
  }
  return result;
}

/// A random reordering of up to `max_registers` registers (at most 26), with and without lanes that may hold any number.
inline Wanted random_wanted(RegisterKind kind, unsigned max_registers, std::mt19937_64& random) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const unsigned registers = 1 + below(max_registers);
  const auto one = [&] { return below(2) == 0 ? random_instruction(kind, registers, random) : random_lanes(kind, registers, random); };
  Wanted result = one();
  const Wanted other = one();
  const unsigned of_other = below(2) == 0 ? static_cast<unsigned>(random()) : 0;  // bits of lanes
  const unsigned any_in_eight = below(3) == 0 ? 1 + below(6) : 0;
  for (unsigned j = 0; j < result.size(); ++j) {
    if ((of_other >> j & 1) != 0) {
      result[j] = other[j];
    }
    if (below(8) < any_in_eight) {
      result[j] = std::nullopt;
    }
  }
  return result;
}

}  // namespace lockstep::test
