#include "codegen/emit/avx512/permute_pattern.hpp"

#include <algorithm>

#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_avx512 {

namespace {

/// The number of the source, which becomes one of the pattern if it is not yet.
unsigned source_number(Pattern& pattern, unsigned reg) {
  const auto begin = pattern.registers.begin();
  const auto end = begin + pattern.sources;
  const auto at = std::find(begin, end, reg);
  if (at == end) {
    pattern.registers[pattern.sources++] = reg;
  }
  return static_cast<unsigned>(at - begin);
}

}  // namespace

Pattern pattern_of(RegisterKind kind, const Wanted& wanted) {
  Pattern result{.lane_bits = lane_bits_of(kind), .lanes = lanes_of(kind)};
  if (wanted.size() != result.lanes) {
    throw InternalError("a reordering wants another number of lanes than its register has");
  }
  result.from.fill(Pattern::any);
  for (unsigned j = 0; j < result.lanes; ++j) {
    if (!wanted[j]) {
      continue;
    }
    if (wanted[j]->lane >= result.lanes) {
      throw InternalError("a reordering wants a lane that its register does not have");
    }
    result.from[j] = static_cast<int>(source_number(result, wanted[j]->reg) * result.lanes + wanted[j]->lane);
  }
  return result;
}

Pattern restricted(const Pattern& pattern, std::uint32_t chosen) {
  Pattern result{.lane_bits = pattern.lane_bits, .lanes = pattern.lanes};
  result.from.fill(Pattern::any);
  for (unsigned j = 0; j < pattern.lanes; ++j) {
    if (pattern.wants(j) && (chosen >> pattern.source_of(j) & 1) != 0) {
      const unsigned source = source_number(result, pattern.registers[pattern.source_of(j)]);
      result.from[j] = static_cast<int>(source * result.lanes + pattern.lane_of(j));
    }
  }
  return result;
}

std::optional<Pattern> in_pairs(const Pattern& pattern) {
  if (pattern.lane_bits == 64) {
    return std::nullopt;
  }
  Pattern result{.lane_bits = 64, .lanes = pattern.lanes / 2, .sources = pattern.sources, .registers = pattern.registers};
  result.from.fill(Pattern::any);
  for (unsigned j = 0; j < pattern.lanes; ++j) {
    if (!pattern.wants(j)) {
      continue;
    }
    // Numbers of lanes of all sources are even at the first lane of a pair, and half of that is the number of the pair.
    const int wanted = pattern.from[j];
    int& pair = result.from[j / 2];
    const bool in_place = wanted % 2 == static_cast<int>(j % 2);
    if (!in_place || (pair != Pattern::any && pair != wanted / 2)) {
      return std::nullopt;
    }
    pair = wanted / 2;
  }
  return result;
}

}  // namespace lockstep::emit_avx512
