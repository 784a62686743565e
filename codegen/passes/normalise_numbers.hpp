#pragma once
// Inside of the pass `normalise`: numbers that are known.

#include <algorithm>
#include <optional>

#include "codegen/passes/assignments.hpp"
#include "semantics/core/tree.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::passes {

inline Element element_of(const core::Type& type) { return type.is_scalar() ? Element::of(type.scalar) : Element::pointer(); }

/// The bits of a number as literals have them.
inline std::uint64_t bits_of_number(ScalarType type, std::int64_t number) {
  const auto bits = ops::convert(ScalarType::Long, type, static_cast<std::uint64_t>(number));
  return bits.value_or(0);
}

inline std::int64_t number_of_bits(ScalarType type, std::uint64_t bits) {
  return static_cast<std::int64_t>(ops::convert(type, ScalarType::Long, bits).value_or(0));
}

inline Literal literal(ScalarType type, std::uint64_t bits) { return {Element::of(type), bits}; }
inline Literal truth_literal(bool value) { return literal(ScalarType::Bool, value ? 1 : 0); }

inline std::optional<bool> known_truth(const Operand& operand) {
  const auto* constant = std::get_if<Literal>(&operand);
  return constant == nullptr ? std::nullopt : std::optional(constant->bits != 0);
}

/// Only the item's number, loop variables and constants: what `static_resolve` needs.
inline bool is_static(const Assignments& assignments, const Polynomial& polynomial) {
  return std::ranges::all_of(polynomial.terms(), [&](const infreg::Monomial& term) {
    return std::ranges::all_of(term.factors, [&](Symbol symbol) {
      return symbol.kind == Symbol::Kind::Item || (symbol.kind == Symbol::Kind::Value && assignments.variables[symbol.value].is_loop);
    });
  });
}

}  // namespace lockstep::passes
