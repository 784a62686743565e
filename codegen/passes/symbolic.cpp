#include "codegen/passes/symbolic.hpp"

#include <algorithm>
#include <limits>

namespace lockstep::passes {

namespace {

using infreg::Polynomial;

/// Polynomials beyond this are data, not indices.
constexpr std::size_t most_terms = 8;
constexpr std::size_t most_factors = 3;

bool is_short(const Polynomial& polynomial) {
  return polynomial.terms().size() <= most_terms &&
         std::ranges::all_of(polynomial.terms(), [](const auto& term) { return term.factors.size() <= most_factors; });
}

IntegerType integer(ScalarType type) { return {bits_of(type), is_signed(type), 64}; }

Interval<Wide> interval(const std::optional<Range>& range) {
  return range ? Interval<Wide>{true, range->lo, range->hi} : Interval<Wide>{false, 0, 0};
}

std::optional<Range> range(const Interval<Wide>& interval) {
  return interval.known ? std::optional(Range{static_cast<std::int64_t>(interval.lo), static_cast<std::int64_t>(interval.hi)})
                        : std::nullopt;
}

}  // namespace

std::optional<Range> range_of(ScalarType type) {
  if (type == ScalarType::ULong || !is_integer(type)) {
    return std::nullopt;
  }
  const IntegerType numbers = integer(type);
  return Range{static_cast<std::int64_t>(least_of(numbers, Wide{0})), static_cast<std::int64_t>(greatest_of(numbers, Wide{0}))};
}

std::optional<Symbolic> combine(Op op, ScalarType type, const Symbolic& a, const Symbolic& b) {
  const IntegerType numbers = integer(type);
  const Interval<Wide> left = interval(a.range);
  const Interval<Wide> right = interval(b.range);
  Symbolic result;
  bool is_exact = false;
  switch (op) {
    case Op::Add:
      result = {a.value + b.value, range(interval_of_sum(numbers, left, right))};
      is_exact = is_exact_sum(a.value, b.value);
      break;
    case Op::Sub:
      result = {a.value - b.value, range(interval_of_difference(numbers, left, right))};
      is_exact = is_exact_sum(a.value, b.value);
      break;
    case Op::Mul:
      result = {a.value * b.value, range(interval_of_product(numbers, left, right))};
      is_exact = is_exact_product(a.value, b.value);
      break;
    case Op::Neg:
      result = {Polynomial(0) - a.value, range(interval_of_negation(numbers, left))};
      is_exact = is_exact_sum(a.value, 0);
      break;
    case Op::Shl: {
      if (!b.value.is_constant() || b.value.constant() < 0 || b.value.constant() >= std::min(bits_of(type), 62U)) {
        return std::nullopt;
      }
      const auto count = static_cast<unsigned>(b.value.constant());
      const Polynomial factor(std::int64_t{1} << count);
      result = {a.value * factor, range(interval_of_shift_left(numbers, left, count))};
      is_exact = is_exact_product(a.value, factor);
      break;
    }
    default:
      return std::nullopt;
  }
  if (!is_exact) {
    result.range.reset();
  }
  if ((!result.range && bits_of(type) < 64) || !is_short(result.value)) {
    return std::nullopt;
  }
  return result;
}

std::optional<Symbolic> convert(ScalarType to, const Symbolic& a) {
  if (!is_integer(to) || to == ScalarType::Bool) {
    return std::nullopt;
  }
  const auto kept = range(interval_of_conversion(integer(to), interval(a.range)));
  if (!kept && bits_of(to) < 64) {
    return std::nullopt;
  }
  return Symbolic{a.value, kept};
}

std::optional<Range> range_after(Op op, ScalarType type, const std::optional<Range>& a, const std::optional<Range>& b) {
  const Interval<Wide> left = interval(a);
  const Interval<Wide> right = interval(b);
  switch (op) {
    case Op::Div:
      return range(interval_of_quotient(integer(type), left, right));
    case Op::Rem:
      return range(interval_of_remainder(left, right));
    case Op::BitAnd:
      return range(interval_of_and(left, right));
    case Op::Shr:
      return range(interval_of_shift_right(integer(type), left, right));
    case Op::Min:
      return range(interval_of_min(left, right));
    case Op::Max:
      return range(interval_of_max(left, right));
    default:
      return std::nullopt;
  }
}

}  // namespace lockstep::passes
