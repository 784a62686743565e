#pragma once
// What is wanted of a reordering, in the form in which the forms look at it. Inside the reorderings only.

#include <array>
#include <cstdint>
#include <optional>

#include "codegen/emit/avx512/permute.hpp"

namespace lockstep::emit_avx512 {

/// A Wanted whose registers are numbered 0, 1, … as they appear: the sources.
struct Pattern {
  static constexpr unsigned max_lanes = 16;
  static constexpr int any = -1;

  unsigned lane_bits = 64;
  unsigned lanes = 8;
  unsigned sources = 0;
  std::array<unsigned, max_lanes> registers = {};  ///< of the sources
  std::array<int, max_lanes> from = {};            ///< for each lane source * lanes + lane, or any

  bool wants(unsigned lane) const { return from[lane] != any; }
  unsigned source_of(unsigned lane) const { return static_cast<unsigned>(from[lane]) / lanes; }
  unsigned lane_of(unsigned lane) const { return static_cast<unsigned>(from[lane]) % lanes; }
  unsigned register_bits() const { return lanes * lane_bits; }
  Operand operand(unsigned source) const { return {false, registers[source]}; }
};

Pattern pattern_of(RegisterKind kind, const Wanted& wanted);

/// The part of the pattern that comes from the sources of which `chosen` has the bit; the other lanes may hold any number.
Pattern restricted(const Pattern& pattern, std::uint32_t chosen);

/// The pattern of 64-bit lanes, if its lanes are of 32 bits and stay together in pairs.
std::optional<Pattern> in_pairs(const Pattern& pattern);

}  // namespace lockstep::emit_avx512
