#pragma once
// What decides between the loops of one function of forms.def: an instruction's types and modifiers, as values without code, because the
// loops are compiled for several processors.

#include <cstdint>

#include "semantics/ptx/operations/bits.hpp"
#include "semantics/ptx/operations/formats.hpp"
#include "semantics/ptx/types.hpp"

namespace lockstep::ptx_machine {

/// A Boolean operator between a comparison and a predicate.
enum class BoolOperator : std::uint8_t { None, And, Or, Xor };

struct LaneKey {
  ptx::Type types[4] = {};
  std::uint8_t to_bytes = 0;    ///< of the first register that is written
  std::uint8_t from_bytes = 0;  ///< of the first operand that is read
  ptx::operations::Rounding rounding = ptx::operations::Rounding::Nearest;
  ptx::operations::PermuteMode permute = ptx::operations::PermuteMode::Index;
  ptx::operations::Property property = ptx::operations::Property::Finite;
  ptx::operations::Relation relation = ptx::operations::Relation::Equal;
  bool exchanged = false;  ///< the operands of the relation
  bool opposite = false;   ///< of the relation
  BoolOperator combined = BoolOperator::None;
  bool negated = false;  ///< the predicate that is read
  bool ftz = false;
  bool sat = false;
  bool relu = false;
  bool satfinite = false;
  bool nan = false;
  bool abs = false;
  bool xorsign = false;
  bool high = false;   ///< .hi
  bool clamp = false;  ///< .clamp, else .wrap
};

}  // namespace lockstep::ptx_machine
