#pragma once
// The arithmetic of the evaluator, written from docs/kernel-language.md and C99 alone: integers as 128-bit numbers that are cut to their
// type, floating point as the host's. Nothing of semantics/ops stands behind it but the names of the operations.

#include <cstdint>
#include <variant>
#include <vector>

#include "semantics/base/scalar_type.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::evaluator {

/// What ends a run. The words (word_of) are those of the launcher's JSON results.
enum class FaultKind : std::uint8_t {
  UninitialisedVariable,
  UninitialisedCell,
  OutOfBounds,
  PoisonAddress,
  PoisonBranch,
  DivisionByZero,
  DivisionOverflow,
  ConversionOverflow,
  PointerMismatch,
  DivergentBarrier,
  BarrierNotReached
};
const char* word_of(FaultKind kind);

/// What an operation gives: bits (zero- or sign-extended by its type; a float in the low 32), or why it gives nothing.
using Answer = std::variant<std::uint64_t, FaultKind>;

/// `op` on operands of `type`.
Answer apply(Op op, ScalarType type, const std::vector<std::uint64_t>& operands);

/// C's conversion.
Answer convert(ScalarType from, ScalarType to, std::uint64_t bits);

/// Whether the number counts as true.
bool is_nonzero(ScalarType type, std::uint64_t bits);

}  // namespace lockstep::evaluator
