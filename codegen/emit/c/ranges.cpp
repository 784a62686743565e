#include "codegen/emit/c/ranges.hpp"

#include <algorithm>

namespace lockstep::emit_c {

using namespace infreg;

namespace {

std::optional<Range> range_of(Symbol symbol, Layout layout, Shape shape, const KnownRanges& known) {
  switch (symbol.kind) {
    case Symbol::Kind::Item:
      return Range{0, static_cast<std::int64_t>(shape.wg_size) - 1};
    case Symbol::Kind::Element:
      return Range{0, static_cast<std::int64_t>(layout.elements) - 1};
    case Symbol::Kind::Value:
      if (const auto found = known.find(symbol.value); found != known.end()) {
        return found->second;
      }
      break;
    case Symbol::Kind::Group:
      break;
  }
  return std::nullopt;
}

std::optional<Range> product(Range a, Range b) {
  std::optional<Range> result;
  for (const std::int64_t x : {a.least, a.most}) {
    for (const std::int64_t y : {b.least, b.most}) {
      std::int64_t corner = 0;
      if (__builtin_mul_overflow(x, y, &corner)) {
        return std::nullopt;
      }
      result = result ? Range{std::min(result->least, corner), std::max(result->most, corner)} : Range{corner, corner};
    }
  }
  return result;
}

}  // namespace

bool add(Range& sum, Range more) {
  return !__builtin_add_overflow(sum.least, more.least, &sum.least) && !__builtin_add_overflow(sum.most, more.most, &sum.most);
}

std::optional<Range> range_of(const Monomial& term, Layout layout, Shape shape, const KnownRanges& known) {
  Range one{term.coefficient, term.coefficient};
  for (const Symbol symbol : term.factors) {
    const auto factor = range_of(symbol, layout, shape, known);
    const auto larger = factor ? product(one, *factor) : std::nullopt;
    if (!larger) {
      return std::nullopt;
    }
    one = *larger;
  }
  return one;
}

std::optional<Range> range_of(const Polynomial& polynomial, Layout layout, Shape shape, const KnownRanges& known) {
  Range sum{polynomial.constant(), polynomial.constant()};
  for (const Monomial& term : polynomial.terms()) {
    const auto one = range_of(term, layout, shape, known);
    if (!one || !add(sum, *one)) {
      return std::nullopt;
    }
  }
  return sum;
}

}  // namespace lockstep::emit_c
