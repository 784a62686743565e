#include "codegen/passes/clean/polynomials.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "semantics/infreg/limits.hpp"
#include "semantics/ops/interval.hpp"

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

/// Numbers of 64 bits, with sign.
constexpr IntegerType word{64, true, 64};

Interval<Wide> interval(const std::optional<Range>& range) {
  return range ? Interval<Wide>{true, range->low, range->high} : Interval<Wide>{false, 0, 0};
}

/// What `left op right` is if left - right lies in the range.
std::optional<bool> sign_decides(Op op, const Interval<Wide>& difference) {
  const Decision<bool> decision = decided_by_difference(op, difference);
  return decision.always ? std::optional(true) : decision.never ? std::optional(false) : std::nullopt;
}

/// The polynomial's numbers as integers.
Interval<Wide> interval_of(const Polynomial& polynomial, const SymbolRange& of) {
  Interval<Wide> total{true, polynomial.constant(), polynomial.constant()};
  for (const Monomial& term : polynomial.terms()) {
    Interval<Wide> all{true, term.coefficient, term.coefficient};
    for (const Symbol symbol : term.factors) {
      all = interval_of_product(word, all, interval(of(symbol)));
      if (!all.known) {
        return all;
      }
    }
    total = interval_of_sum(word, total, all);
    if (!total.known) {
      return total;
    }
  }
  return total;
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
  const Interval<Wide> all = interval_of(polynomial, of);
  return all.known ? std::optional(Range{static_cast<std::int64_t>(all.lo), static_cast<std::int64_t>(all.hi)}) : std::nullopt;
}

std::optional<bool> decided(const infreg::Mask::Comparison& comparison, const SymbolRange& of) {
  // Modulo 2^64 the difference is that of the numbers compared. It decides whether they are equal.
  const Interval<Wide> modular = interval_of(comparison.left - comparison.right, of);
  if (comparison.op == Op::Eq || comparison.op == Op::Ne) {
    return sign_decides(comparison.op, modular);
  }
  if (comparison.left == comparison.right) {
    return sign_decides(comparison.op, {true, 0, 0});
  }
  // It decides their order only if neither they nor their difference wraps.
  const Interval<Wide> apart = interval_of_difference(word, interval_of(comparison.left, of), interval_of(comparison.right, of));
  if (!apart.known) {
    return std::nullopt;
  }
  const std::optional<bool> answer = sign_decides(comparison.op, apart);
  return answer ? answer : sign_decides(comparison.op, modular);
}

}  // namespace lockstep::passes::clean
