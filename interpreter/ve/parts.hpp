#pragma once
// Registers' parts in memory (semantics/ve/table.hpp, Part).

#include "interpreter/ve/state.hpp"
#include "semantics/ve/fields.hpp"
#include "semantics/ve/table.hpp"

namespace lockstep::ve_machine {

/// The low bits of `raw`, as many as the part has, as they come into a register.
constexpr std::uint64_t widened(ve::Part part, std::uint64_t raw) {
  switch (part) {
    case ve::Part::Whole8:
    case ve::Part::Float8:
    case ve::Part::Unsigned4:
    case ve::Part::Unsigned2:
    case ve::Part::Unsigned1:
      return raw;
    case ve::Part::Upper4:
      return raw << 32U;
    case ve::Part::Signed4:
      return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(raw)});
    case ve::Part::Signed2:
      return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(raw)});
    case ve::Part::Signed1:
      return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(raw)});
  }
  return raw;
}

/// What was read, as it comes into a register. An undefined sign makes its copies undefined.
constexpr Word widened(ve::Part part, const Word& raw) { return {widened(part, raw.bits), widened(part, raw.undefined)}; }

/// What of a register goes to memory, in the low bits.
constexpr Word narrowed(ve::Part part, const Word& word) {
  return part == ve::Part::Upper4 ? Word{word.bits >> 32U, word.undefined >> 32U} : word;
}

}  // namespace lockstep::ve_machine
