#pragma once
// Between which numbers a polynomial lies.

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "semantics/infreg/layout.hpp"
#include "semantics/infreg/polynomial.hpp"

namespace lockstep::emit_c {

struct Range {
  std::int64_t least = 0;
  std::int64_t most = 0;

  bool lies_in(std::int64_t first, std::int64_t last) const { return first <= least && most <= last; }
};

/// Values of layout Pack that lie between known numbers: the variables of loops.
using KnownRanges = std::unordered_map<infreg::ValueId, Range>;

/// Adds to both ends; false if that wraps.
bool add(Range& sum, Range more);

inline std::uint64_t magnitude_of(std::int64_t number) {
  return number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
}

/// In all lanes of a layout; none if it may wrap, or speaks of a number of which nothing is known.
std::optional<Range> range_of(const infreg::Polynomial& polynomial, infreg::Layout layout, infreg::Shape shape, const KnownRanges& known);
std::optional<Range> range_of(const infreg::Monomial& term, infreg::Layout layout, infreg::Shape shape, const KnownRanges& known);

}  // namespace lockstep::emit_c
