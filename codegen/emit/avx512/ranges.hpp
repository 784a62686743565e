#pragma once
// What is known of numbers when code is made: between which bounds items, elements and loop variables lie, so that masks which are the same
// everywhere need no code.

#include <cstdint>
#include <map>
#include <optional>

#include "semantics/infreg/kernel.hpp"
#include "semantics/infreg/polynomial.hpp"

namespace lockstep::emit_avx512 {

/// Bounds of a symbol, both inclusive. Those of an item may mention values, others are constants.
struct Range {
  infreg::Polynomial least;
  infreg::Polynomial most;
};
using Ranges = std::map<infreg::Symbol, Range>;

/// A number that the polynomial, over the integers, is never below (above). None if the ranges do not show one, or a number on the way may
/// not fit into 64 bits.
std::optional<std::int64_t> least_of(const infreg::Polynomial& polynomial, const Ranges& ranges);
std::optional<std::int64_t> most_of(const infreg::Polynomial& polynomial, const Ranges& ranges);

/// Whether the comparison holds for all numbers in the ranges, for none, or it is not known.
std::optional<bool> decide(const infreg::Mask::Comparison& comparison, const Ranges& ranges);

/// How often a loop with these bounds goes round, at most 2^32 times; none if a bound is not known, or it or the step is beyond 2^31.
std::optional<std::int64_t> rounds(const infreg::Polynomial& from, const infreg::Polynomial& limit, std::int64_t step);

}  // namespace lockstep::emit_avx512
