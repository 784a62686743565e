#include "codegen/passes/clean/polynomials.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "semantics/infreg/limits.hpp"

namespace lockstep::passes::clean {

using infreg::Monomial;
using infreg::Polynomial;
using infreg::Symbol;

namespace {

constexpr std::size_t handy_terms = 8;
constexpr std::size_t handy_factors = 4;

std::size_t factors_of(const Polynomial& polynomial) {
  std::size_t most = 0;
  for (const Monomial& term : polynomial.terms()) {
    most = std::max(most, term.factors.size());
  }
  return most;
}

std::optional<Range> sum(Range a, Range b) {
  Range result;
  if (__builtin_add_overflow(a.low, b.low, &result.low) || __builtin_add_overflow(a.high, b.high, &result.high)) {
    return std::nullopt;
  }
  return result;
}

std::optional<Range> difference(Range a, Range b) {
  Range result;
  if (__builtin_sub_overflow(a.low, b.high, &result.low) || __builtin_sub_overflow(a.high, b.low, &result.high)) {
    return std::nullopt;
  }
  return result;
}

std::optional<Range> product(Range a, Range b) {
  std::vector<std::int64_t> corners;
  for (const std::int64_t x : {a.low, a.high}) {
    for (const std::int64_t y : {b.low, b.high}) {
      std::int64_t corner = 0;
      if (__builtin_mul_overflow(x, y, &corner)) {
        return std::nullopt;
      }
      corners.push_back(corner);
    }
  }
  const auto [low, high] = std::ranges::minmax(corners);
  return Range{low, high};
}

/// What `left op right` is if left - right lies in the range.
std::optional<bool> sign_decides(Op op, Range difference) {
  const auto answer = [](bool always, bool never) { return always ? std::optional(true) : never ? std::optional(false) : std::nullopt; };
  switch (op) {
    case Op::Lt:
      return answer(difference.high < 0, difference.low >= 0);
    case Op::Le:
      return answer(difference.high <= 0, difference.low > 0);
    case Op::Gt:
      return answer(difference.low > 0, difference.high <= 0);
    case Op::Ge:
      return answer(difference.low >= 0, difference.high < 0);
    case Op::Eq:
      return answer(difference.low == 0 && difference.high == 0, difference.low > 0 || difference.high < 0);
    case Op::Ne:
      return answer(difference.low > 0 || difference.high < 0, difference.low == 0 && difference.high == 0);
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_handy(const Polynomial& polynomial) { return polynomial.terms().size() <= handy_terms && factors_of(polynomial) <= handy_factors; }

std::optional<Polynomial> replaced(const Polynomial& polynomial, const std::function<std::optional<Polynomial>(Symbol)>& by) {
  const std::size_t most_terms = std::max(handy_terms, polynomial.terms().size());
  const std::size_t most_factors = std::max(handy_factors, factors_of(polynomial));
  Polynomial result(polynomial.constant());
  std::size_t terms = 0;
  for (const Monomial& term : polynomial.terms()) {
    Polynomial product(term.coefficient);
    std::size_t size = 1;
    for (const Symbol symbol : term.factors) {
      const Polynomial factor = by(symbol).value_or(Polynomial(symbol));
      size *= factor.terms().size() + (factor.constant() == 0 ? 0 : 1);
      if (size > most_terms + 1) {
        return std::nullopt;
      }
      product = product * factor;
    }
    terms += product.terms().size();
    if (terms > 2 * most_terms) {
      return std::nullopt;
    }
    result += product;
  }
  if (result.terms().size() > most_terms || factors_of(result) > most_factors || !infreg::is_small(result)) {
    return std::nullopt;
  }
  return result;
}

std::optional<Range> range_of(const Polynomial& polynomial, const SymbolRange& of) {
  std::optional<Range> total = Range{polynomial.constant(), polynomial.constant()};
  for (const Monomial& term : polynomial.terms()) {
    std::optional<Range> all = Range{term.coefficient, term.coefficient};
    for (const Symbol symbol : term.factors) {
      const std::optional<Range> one = of(symbol);
      all = one ? product(*all, *one) : std::nullopt;
      if (!all) {
        return std::nullopt;
      }
    }
    total = sum(*total, *all);
    if (!total) {
      return std::nullopt;
    }
  }
  return total;
}

std::optional<bool> decided(const infreg::Mask::Comparison& comparison, const SymbolRange& of) {
  // Modulo 2^64 the difference is that of the numbers compared. It decides whether they are equal.
  const std::optional<Range> modular = range_of(comparison.left - comparison.right, of);
  if (comparison.op == Op::Eq || comparison.op == Op::Ne) {
    return modular ? sign_decides(comparison.op, *modular) : std::nullopt;
  }
  if (comparison.left == comparison.right) {
    return sign_decides(comparison.op, {0, 0});
  }
  // It decides their order only if neither they nor their difference wraps.
  const std::optional<Range> left = range_of(comparison.left, of);
  const std::optional<Range> right = range_of(comparison.right, of);
  const std::optional<Range> apart = left && right ? difference(*left, *right) : std::nullopt;
  if (!apart) {
    return std::nullopt;
  }
  const std::optional<bool> answer = sign_decides(comparison.op, *apart);
  return !answer && modular ? sign_decides(comparison.op, *modular) : answer;
}

}  // namespace lockstep::passes::clean
