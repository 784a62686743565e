#pragma once
// What a core of VE holds, and of each bit of it whether anything has been written there.

#include <array>
#include <cstddef>
#include <cstdint>

#include "semantics/ve/instruction.hpp"

namespace lockstep::ve_machine {

/// A set of elements: element i is bit i % 64 of word i / 64.
using Lanes = std::array<std::uint64_t, ve::max_length / 64>;

constexpr bool has(const Lanes& lanes, unsigned i) { return (lanes[i / 64] >> (i % 64) & 1U) != 0; }
constexpr void add(Lanes& lanes, unsigned i) { lanes[i / 64] |= std::uint64_t{1} << (i % 64); }
constexpr void remove(Lanes& lanes, unsigned i) { lanes[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }

/// The first `count` elements.
constexpr Lanes lanes_below(unsigned count) {
  Lanes lanes{};
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const auto begin = static_cast<unsigned>(64 * k);
    lanes[k] = count <= begin ? 0 : count >= begin + 64 ? ~std::uint64_t{0} : ~(~std::uint64_t{0} << (count - begin));
  }
  return lanes;
}

inline constexpr Lanes all_lanes = lanes_below(ve::max_length);

/// A word for a word: Lanes of what `f` makes of those of others.
template <class F, class... L>
constexpr Lanes each_word(F f, const L&... lanes) {
  Lanes made{};
  for (std::size_t k = 0; k < made.size(); ++k) {
    made[k] = f(lanes[k]...);
  }
  return made;
}

constexpr bool is_empty(const Lanes& lanes) { return lanes == Lanes{}; }

/// 64 bits, and which of them are undefined.
struct Word {
  std::uint64_t bits = 0;
  std::uint64_t undefined = ~std::uint64_t{0};
};
constexpr Word defined(std::uint64_t bits) { return {bits, 0}; }

struct Vector {
  alignas(64) std::array<std::uint64_t, ve::max_length> elements{};
  Lanes undefined = all_lanes;
};

struct Mask {
  Lanes elements{};
  Lanes undefined = all_lanes;
};

/// Where the next instruction is: a section of the object, and the number of an instruction in it.
struct Place {
  std::size_t section = 0;
  std::size_t index = 0;
};

struct State {
  std::array<Word, ve::scalar_registers> scalars;
  std::array<Vector, ve::vector_registers> vectors;
  std::array<Mask, ve::mask_registers> masks;
  Word length;
  Place place;
};

}  // namespace lockstep::ve_machine
