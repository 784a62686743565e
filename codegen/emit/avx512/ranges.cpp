#include "codegen/emit/avx512/ranges.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "semantics/base/mutants.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

namespace {

constexpr std::int64_t big = std::int64_t{1} << 31;

bool is_small(const Polynomial& p) {
  bool small = std::llabs(p.constant()) < big;
  for (const Monomial& term : p.terms()) {
    small = small && std::llabs(term.coefficient) < big;
  }
  return small;
}

/// The bound of p in the direction: item first, for its bounds may mention values.
std::optional<std::int64_t> bound(Polynomial p, const Ranges& ranges, bool least) {
  const auto put = [&](Symbol symbol, const Range& range) {
    const auto slope = p.slope(symbol);
    if (!slope || !slope->is_constant()) {
      return false;
    }
    const bool low = (slope->constant() > 0) == least;
    p = p.without(symbol) + *slope * (low ? range.least : range.most);
    return true;
  };
  if (!is_small(p)) {
    return std::nullopt;
  }
  const std::array<Symbol::Kind, 4> order = {Symbol::Kind::Item, Symbol::Kind::Element, Symbol::Kind::Group, Symbol::Kind::Value};
  for (const Symbol::Kind kind : order) {
    for (const auto& [symbol, range] : ranges) {
      if (symbol.kind == kind && p.mentions(symbol) && (!put(symbol, range) || !is_small(p))) {
        return std::nullopt;
      }
    }
  }
  return p.is_constant() ? std::optional(p.constant()) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> least_of(const Polynomial& polynomial, const Ranges& ranges) { return bound(polynomial, ranges, true); }
std::optional<std::int64_t> most_of(const Polynomial& polynomial, const Ranges& ranges) { return bound(polynomial, ranges, false); }

std::optional<bool> decide(const Mask::Comparison& comparison, const Ranges& ranges) {
  // Each side for itself must be far from where 64 bits wrap: then their difference tells the order.
  for (const Polynomial* side : {&comparison.left, &comparison.right}) {
    if (!least_of(*side, ranges) || !most_of(*side, ranges)) {
      return std::nullopt;
    }
  }
  const Polynomial difference = comparison.left - comparison.right;
  const auto low = least_of(difference, ranges);
  const auto high = most_of(difference, ranges);
  if (!low || !high) {
    return std::nullopt;
  }
  const auto known = [](bool yes, bool no) { return yes ? std::optional(true) : no ? std::optional(false) : std::nullopt; };
  switch (comparison.op) {
    case Op::Lt:
      return known(LOCKSTEP_MUTATE(avx512_decides_at_bound, *high < 0, *high <= 0), *low >= 0);
    case Op::Le:
      return known(*high <= 0, *low > 0);
    case Op::Gt:
      return known(*low > 0, *high <= 0);
    case Op::Ge:
      return known(*low >= 0, *high < 0);
    case Op::Eq:
      return known(*low == 0 && *high == 0, *low > 0 || *high < 0);
    case Op::Ne:
      return known(*low > 0 || *high < 0, *low == 0 && *high == 0);
    default:
      return std::nullopt;
  }
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
