#include "codegen/emit/avx512/ranges.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "semantics/infreg/exact.hpp"
#include "semantics/ops/interval.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

namespace {

/// The bound of p in the direction: item first, for its bounds may mention values.
std::optional<std::int64_t> bound(Polynomial p, const Ranges& ranges, bool least) {
  const std::array<Symbol::Kind, 4> order = {Symbol::Kind::Item, Symbol::Kind::Element, Symbol::Kind::Group, Symbol::Kind::Value};
  for (const Symbol::Kind kind : order) {
    for (const auto& [symbol, range] : ranges) {
      if (symbol.kind == kind && p.mentions(symbol)) {
        const auto replaced = at_end(p, symbol, {range.least, range.most}, least);
        if (!replaced) {
          return std::nullopt;
        }
        p = *replaced;
      }
    }
  }
  return p.is_constant() ? std::optional(p.constant()) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> least_of(const Polynomial& polynomial, const Ranges& ranges) { return bound(polynomial, ranges, true); }
std::optional<std::int64_t> most_of(const Polynomial& polynomial, const Ranges& ranges) { return bound(polynomial, ranges, false); }

std::optional<bool> decide(const Mask::Comparison& comparison, const Ranges& ranges) {
  // What is compared are numbers of 64 bits: each side must be one as an integer.
  for (const Polynomial* side : {&comparison.left, &comparison.right}) {
    if (!least_of(*side, ranges) || !most_of(*side, ranges)) {
      return std::nullopt;
    }
  }
  const auto difference = exact_difference(comparison.left, comparison.right);
  const auto low = difference ? least_of(*difference, ranges) : std::nullopt;
  const auto high = difference ? most_of(*difference, ranges) : std::nullopt;
  if (!low || !high) {
    return std::nullopt;
  }
  const auto decision = decided_by_difference(comparison.op, Interval<Wide>{true, *low, *high});
  return decision.always ? std::optional(true) : decision.never ? std::optional(false) : std::nullopt;
}

std::optional<std::int64_t> rounds(const Polynomial& from, const Polynomial& limit, std::int64_t step) {
  constexpr std::int64_t far = std::int64_t{1} << 31;
  if (!from.is_constant() || !limit.is_constant() ||
      std::max({std::llabs(from.constant()), std::llabs(limit.constant()), std::llabs(step)}) > far) {
    return std::nullopt;
  }
  const std::int64_t distance = step > 0 ? limit.constant() - from.constant() : from.constant() - limit.constant();
  const std::int64_t size = std::llabs(step);
  return distance <= 0 ? 0 : (distance + size - 1) / size;
}

}  // namespace lockstep::emit_avx512
