#pragma once
// What the clean-ups know about polynomials: how to put one into another, and what their numbers can be.

#include <cstdint>
#include <functional>
#include <optional>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// `polynomial` with by(symbol) for each symbol at once; a symbol for which `by` is empty stays. Empty if the result would be too large to
/// be worth it: it has at most 8 terms of 4 factors, or no more than `polynomial` itself, so that clean-ups take no longer than the kernel
/// is.
std::optional<infreg::Polynomial> replaced(const infreg::Polynomial& polynomial,
                                           const std::function<std::optional<infreg::Polynomial>(infreg::Symbol)>& by);

/// Whether an operation may be replaced by this polynomial, which is no larger than 8 terms of 4 factors.
bool is_handy(const infreg::Polynomial& polynomial);

/// Numbers from low to high, both included.
struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// What a symbol's number can be; empty: not known.
using SymbolRange = std::function<std::optional<Range>(infreg::Symbol)>;

/// A range that holds the polynomial's number as an integer, without wrapping. Empty if there is none in 64 bits.
std::optional<Range> range_of(const infreg::Polynomial& polynomial, const SymbolRange& of);

/// Whether the comparison holds wherever the symbols are in their ranges (true), nowhere (false), or that is not known.
std::optional<bool> decided(const infreg::Mask::Comparison& comparison, const SymbolRange& of);

}  // namespace lockstep::passes::clean
