#include "semantics/infreg/exact.hpp"

#include "semantics/ops/interval.hpp"

namespace lockstep::infreg {

namespace {

/// The sum of the magnitudes of all coefficients. No coefficient of a sum is above the sum of the weights.
Wide weight(const Polynomial& polynomial) {
  const auto magnitude = [](std::int64_t n) { return n < 0 ? -Wide{n} : Wide{n}; };
  Wide sum = magnitude(polynomial.constant());
  for (const Monomial& term : polynomial.terms()) {
    sum += magnitude(term.coefficient);
  }
  return sum;
}

constexpr Wide weight_limit = Wide{1} << 63;

}  // namespace

bool is_exact_sum(const Polynomial& a, const Polynomial& b) { return weight(a) + weight(b) < weight_limit; }
/// The weight of a product is at most the product of the weights.
bool is_exact_product(const Polynomial& a, const Polynomial& b) {
  const Wide x = weight(a);
  const Wide y = weight(b);
  return x < weight_limit && y < weight_limit && x * y < weight_limit;
}

std::optional<Polynomial> exact_sum(const Polynomial& a, const Polynomial& b) {
  return is_exact_sum(a, b) ? std::optional(a + b) : std::nullopt;
}
std::optional<Polynomial> exact_difference(const Polynomial& a, const Polynomial& b) {
  return is_exact_sum(a, b) ? std::optional(a - b) : std::nullopt;
}
std::optional<Polynomial> exact_product(const Polynomial& a, const Polynomial& b) {
  return is_exact_product(a, b) ? std::optional(a * b) : std::nullopt;
}

std::optional<Polynomial> at_end(const Polynomial& polynomial, Symbol symbol, const Ends& ends, bool least) {
  const auto slope = polynomial.slope(symbol);
  if (!slope || !slope->is_constant()) {
    return std::nullopt;
  }
  if (slope->constant() == 0) {
    return polynomial;
  }
  const std::optional<Polynomial>& end = (slope->constant() > 0) == least ? ends.first : ends.last;
  const auto product = end ? exact_product(*slope, *end) : std::nullopt;
  return product ? exact_sum(*product, polynomial.without(symbol)) : std::nullopt;
}

}  // namespace lockstep::infreg
