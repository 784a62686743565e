#include "codegen/emit/avx512/permute_forms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "codegen/emit/avx512/permute_cost.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_avx512 {

namespace {

// ---- which immediate an instruction needs ------------------------------------------------------------------------------

/// What an instruction can bring into one lane: the lane base + scale * n of its operands, the second one's lanes numbered behind those of
/// the first one, where n stands in `width` bits of the immediate from bit `at`.
struct Field {
  unsigned base;
  unsigned scale = 1;
  unsigned at = 0;
  unsigned width = 0;
};

unsigned log2_of(unsigned power) { return static_cast<unsigned>(std::countr_zero(power)); }

Field parts_field(unsigned lane, unsigned lanes, unsigned lane_bits) {
  const unsigned per_part = 128 / lane_bits;
  const unsigned part = lane / per_part;
  if (lanes == 2 * per_part) {
    return {lane % per_part, per_part, 4 * part, 2};
  }
  return {(part < 2 ? 0 : lanes) + lane % per_part, per_part, 2 * part, 2};
}

/// The lanes j, …, j + 3 of 64 bits, or of 32 bits, are permuted alike in all groups of four.
Field four_field(unsigned lane) { return {lane & ~3U, 1, 2 * (lane % 4), 2}; }

Field shuffle_field(unsigned lane, unsigned lanes, unsigned lane_bits) {
  if (lane_bits == 64) {
    return {(lane % 2 == 0 ? 0 : lanes) + (lane & ~1U), 1, lane, 1};
  }
  const Field within = four_field(lane);
  return {(lane % 4 < 2 ? 0 : lanes) + within.base, 1, within.at, 2};
}

Field unpack_field(unsigned lane, unsigned lanes, unsigned lane_bits, bool high) {
  const unsigned per_part = 128 / lane_bits;
  const unsigned in_part = lane % per_part;
  return {(in_part % 2 == 0 ? 0 : lanes) + (lane - in_part) + in_part / 2 + (high ? per_part / 2 : 0)};
}

Field field(Instruction instruction, unsigned lane, unsigned lanes, unsigned lane_bits) {
  switch (instruction) {
    case Instruction::Move:
      return {lane};
    case Instruction::Broadcast:
      return {0};
    case Instruction::InLanes:
      return lane_bits == 64 ? Field{lane & ~1U, 1, lane, 1} : four_field(lane);
    case Instruction::InHalves:
      return four_field(lane);
    case Instruction::Shuffle:
      return shuffle_field(lane, lanes, lane_bits);
    case Instruction::UnpackLow:
    case Instruction::UnpackHigh:
      return unpack_field(lane, lanes, lane_bits, instruction == Instruction::UnpackHigh);
    case Instruction::Parts:
      return parts_field(lane, lanes, lane_bits);
    case Instruction::Window:
      return {lane, 1, 0, log2_of(lanes)};
    case Instruction::PermuteOne:
    case Instruction::PermuteTwo:
      break;
  }
  throw InternalError("a permute with an index vector has no immediate");
}

/// The immediate with which the instruction on two sources (the same one twice, if there is one) brings the pattern about.
std::optional<unsigned> immediate_for(Instruction instruction, const Pattern& pattern, unsigned first, unsigned second) {
  unsigned immediate = 0;
  unsigned decided = 0;
  for (unsigned j = 0; j < pattern.lanes; ++j) {
    if (!pattern.wants(j)) {
      continue;
    }
    const Field f = field(instruction, j, pattern.lanes, pattern.lane_bits);
    const unsigned source = pattern.source_of(j);
    bool found = false;
    for (unsigned slot = 0; slot < 2 && !found; ++slot) {
      const unsigned distance = slot * pattern.lanes + pattern.lane_of(j) - f.base;  // wraps around below the base: too far
      if ((slot == 0 ? first : second) != source || distance % f.scale != 0 || distance / f.scale >= 1U << f.width) {
        continue;
      }
      const unsigned bits = ((1U << f.width) - 1) << f.at;
      const unsigned value = distance / f.scale << f.at;
      found = ((immediate ^ value) & bits & decided) == 0;
      if (found) {
        immediate |= value & ~decided;
        decided |= bits;
      }
    }
    if (!found) {
      return std::nullopt;
    }
  }
  return immediate;
}

bool takes_two(Instruction instruction) {
  using enum Instruction;
  return instruction == Shuffle || instruction == UnpackLow || instruction == UnpackHigh || instruction == Parts || instruction == Window;
}

// ---- patterns ----------------------------------------------------------------------------------------------------------

/// Whether for each wanted lane j the lane `from(j)` is wanted; from(j) is one lane for all j of one class(j).
template <class Class, class Offset>
bool agree(const Pattern& pattern, Class class_of, Offset offset_of) {
  std::array<int, Pattern::max_lanes> start;
  start.fill(Pattern::any);
  for (unsigned j = 0; j < pattern.lanes; ++j) {
    if (!pattern.wants(j)) {
      continue;
    }
    const int begin = pattern.from[j] - static_cast<int>(offset_of(j));
    int& known = start[class_of(j)];
    if (begin < 0 || (known != Pattern::any && known != begin)) {
      return false;
    }
    known = begin;
  }
  return true;
}

bool is_scalar_broadcast(const Pattern& pattern) {
  return agree(pattern, [](unsigned) { return 0U; }, [](unsigned) { return 0U; });
}

bool is_vector_broadcast(const Pattern& pattern) {
  for (unsigned size = 2; size < pattern.lanes; size *= 2) {
    bool is_aligned = true;
    for (unsigned j = 0; j < pattern.lanes; ++j) {
      is_aligned = is_aligned && (!pattern.wants(j) || pattern.lane_of(j) % size == j % size);
    }
    if (is_aligned && agree(pattern, [](unsigned) { return 0U; }, [&](unsigned j) { return j % size; })) {
      return true;
    }
  }
  return false;
}

bool is_segmented_broadcast(const Pattern& pattern) {
  for (unsigned size = 2; size < pattern.lanes; size *= 2) {
    if (agree(pattern, [&](unsigned j) { return j / size; }, [](unsigned) { return 0U; })) {
      return true;
    }
  }
  return false;
}

bool is_whatever(const Pattern& /*pattern*/) { return true; }

// ---- the forms ---------------------------------------------------------------------------------------------------------

/// With which instructions a form is made, the better ones first; and of which patterns, if not of all that these can make.
struct Row {
  Form form;
  unsigned min_sources;
  unsigned max_sources;
  bool (*applies)(const Pattern&);
  std::array<Instruction, 4> instructions;
  unsigned instruction_count;

  std::span<const Instruction> ways() const { return std::span(instructions).first(instruction_count); }
};

constexpr std::array<Row, 11> rows = {{
    {Form::Reuse, 1, 1, is_whatever, {Instruction::Move}, 1},
    {Form::ScalarBroadcast, 1, 1, is_scalar_broadcast, {Instruction::Broadcast, Instruction::PermuteOne}, 2},
    {Form::VectorBroadcast,
     1,
     1,
     is_vector_broadcast,
     {Instruction::Broadcast, Instruction::InHalves, Instruction::Parts, Instruction::PermuteOne},
     4},
    {Form::SegmentedBroadcast, 1, 1, is_segmented_broadcast, {Instruction::InLanes, Instruction::InHalves, Instruction::PermuteOne}, 3},
    {Form::WithinParts, 1, 1, is_whatever, {Instruction::InLanes, Instruction::InHalves}, 2},
    {Form::TwoWithinParts, 2, 2, is_whatever, {Instruction::UnpackLow, Instruction::UnpackHigh, Instruction::Shuffle}, 3},
    {Form::WholeParts, 1, 2, is_whatever, {Instruction::Parts}, 1},
    {Form::Window, 1, 2, is_whatever, {Instruction::Window}, 1},
    {Form::Blend, 2, 2, is_whatever, {Instruction::Move}, 1},
    {Form::OneRegister, 1, 1, is_whatever, {Instruction::PermuteOne}, 1},
    {Form::TwoRegisters, 2, 2, is_whatever, {Instruction::PermuteTwo}, 1},
}};

/// Instructions on 64-bit lanes are good for pairs of 32-bit lanes where there is no such instruction on 32-bit lanes.
bool moves_pairs(Instruction instruction) {
  using enum Instruction;
  return instruction == Broadcast || instruction == InLanes || instruction == InHalves || instruction == Shuffle ||
         instruction == UnpackLow || instruction == UnpackHigh;
}

std::optional<Step> with_immediate(Instruction instruction, const Pattern& pattern) {
  if (instruction == Instruction::InHalves && pattern.lane_bits != 64) {
    return std::nullopt;
  }
  const unsigned last = pattern.sources - 1;
  for (unsigned first = 0; first <= last; ++first) {
    const unsigned second = last - first;
    if (const auto immediate = immediate_for(instruction, pattern, first, second)) {
      Step step{.instruction = instruction, .lane_bits = pattern.lane_bits, .first = pattern.operand(first), .immediate = *immediate};
      if (takes_two(instruction)) {
        step.second = pattern.operand(second);
      }
      return step;
    }
  }
  return std::nullopt;
}

Step blend(const Pattern& pattern) {
  Step step{.lane_bits = pattern.lane_bits, .first = pattern.operand(1), .into = pattern.operand(0)};
  for (unsigned j = 0; j < pattern.lanes; ++j) {
    if (pattern.wants(j) && pattern.source_of(j) == 1U) {
      step.mask |= 1U << j;
    }
  }
  return step;
}

bool stays_in_place(const Pattern& pattern) {
  for (unsigned j = 0; j < pattern.lanes; ++j) {
    if (pattern.wants(j) && pattern.lane_of(j) != j) {
      return false;
    }
  }
  return true;
}

IndexVector index_vector_of(const Pattern& pattern) {
  IndexVector result{pattern.lane_bits, {}};
  for (unsigned j = 0; j < pattern.lanes; ++j) {
    result.lanes.push_back(pattern.wants(j) ? static_cast<std::uint32_t>(pattern.from[j]) : j);
  }
  return result;
}

std::optional<Single> with_instruction(Form form, Instruction instruction, const Pattern& pattern) {
  Single result{.form = form};
  if (instruction == Instruction::PermuteOne || instruction == Instruction::PermuteTwo) {
    result.step = Step{.instruction = instruction, .lane_bits = pattern.lane_bits, .first = pattern.operand(0), .index = 0};
    if (instruction == Instruction::PermuteTwo) {
      result.step->second = pattern.operand(1);
    }
    result.index_vector = index_vector_of(pattern);
    result.cycles = index_vector_cycles;
  } else if (instruction == Instruction::Move) {
    if (!stays_in_place(pattern)) {
      return std::nullopt;
    }
    if (form == Form::Reuse) {
      return result;
    }
    result.step = blend(pattern);
  } else {
    result.step = with_immediate(instruction, pattern);
  }
  if (!result.step) {
    return std::nullopt;
  }
  result.cycles += cycles(*result.step, pattern.register_bits());
  return result;
}

}  // namespace

double cycles(const Step& step, unsigned register_bits) {
  return cycles(step.instruction, register_bits) + (step.into && register_bits == 512 ? mask_cycles : 0);
}

Single cheapest_single(const Pattern& pattern, const Allowed& allowed) {
  if (pattern.sources == 0) {
    return {};
  }
  const std::optional<Pattern> pairs = in_pairs(pattern);
  std::optional<Single> best;
  const auto consider = [&](std::optional<Single> one) {
    if (one && (!best || one->cycles < best->cycles)) {
      best = std::move(one);
    }
  };
  for (const Row& row : rows) {
    const bool fits = row.min_sources <= pattern.sources && pattern.sources <= row.max_sources;
    if (!fits || !allowed.allows(row.form) || !row.applies(pattern)) {
      continue;
    }
    for (const Instruction instruction : row.ways()) {
      if (best && best->cycles <= cycles(instruction, pattern.register_bits())) {
        continue;
      }
      consider(with_instruction(row.form, instruction, pattern));
      if (pairs && moves_pairs(instruction)) {
        consider(with_instruction(row.form, instruction, *pairs));
      }
    }
  }
  return *best;
}

}  // namespace lockstep::emit_avx512
