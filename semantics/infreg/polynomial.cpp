#include "semantics/infreg/polynomial.hpp"

#include <algorithm>

namespace lockstep::infreg {

namespace {

std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrapping_product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace

void Polynomial::add(Monomial term) {
  if (term.coefficient == 0) {
    return;
  }
  if (term.factors.empty()) {
    constant_ = wrapping_sum(constant_, term.coefficient);
    return;
  }
  const auto place = std::ranges::lower_bound(terms_, term.factors, {}, &Monomial::factors);
  if (place == terms_.end() || place->factors != term.factors) {
    terms_.insert(place, std::move(term));
    return;
  }
  place->coefficient = wrapping_sum(place->coefficient, term.coefficient);
  if (place->coefficient == 0) {
    terms_.erase(place);
  }
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  Polynomial sum = a;
  sum.constant_ = wrapping_sum(sum.constant_, b.constant_);
  for (const Monomial& term : b.terms_) {
    sum.add(term);
  }
  return sum;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + Polynomial(-1) * b; }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial product(wrapping_product(a.constant_, b.constant_));
  for (const Monomial& term : a.terms_) {
    product.add({wrapping_product(term.coefficient, b.constant_), term.factors});
  }
  for (const Monomial& right : b.terms_) {
    product.add({wrapping_product(a.constant_, right.coefficient), right.factors});
    for (const Monomial& left : a.terms_) {
      Monomial term{wrapping_product(left.coefficient, right.coefficient), {}};
      std::ranges::merge(left.factors, right.factors, std::back_inserter(term.factors));
      product.add(std::move(term));
    }
  }
  return product;
}

std::int64_t Polynomial::coefficient(Symbol symbol) const {
  for (const Monomial& term : terms_) {
    if (term.factors.size() == 1 && term.factors.front() == symbol) {
      return term.coefficient;
    }
  }
  return 0;
}

bool Polynomial::mentions(Symbol symbol) const {
  return std::ranges::any_of(terms_, [&](const Monomial& term) { return std::ranges::binary_search(term.factors, symbol); });
}

std::optional<Polynomial> Polynomial::slope(Symbol symbol) const {
  Polynomial result;
  for (const Monomial& term : terms_) {
    const auto [first, last] = std::ranges::equal_range(term.factors, symbol);
    if (last - first > 1) {
      return std::nullopt;
    }
    if (first != last) {
      Monomial rest{term.coefficient, {term.factors.begin(), first}};
      rest.factors.insert(rest.factors.end(), last, term.factors.end());
      result.add(std::move(rest));
    }
  }
  return result;
}

Polynomial Polynomial::without(Symbol symbol) const {
  Polynomial result(constant_);
  for (const Monomial& term : terms_) {
    if (!std::ranges::binary_search(term.factors, symbol)) {
      result.terms_.push_back(term);
    }
  }
  return result;
}

Polynomial Polynomial::substitute(Symbol symbol, const Polynomial& replacement) const {
  Polynomial result(constant_);
  for (const Monomial& term : terms_) {
    Polynomial product(term.coefficient);
    for (const Symbol factor : term.factors) {
      product = product * (factor == symbol ? replacement : Polynomial(factor));
    }
    result += product;
  }
  return result;
}

Polynomial Polynomial::with_values(const std::function<ValueId(ValueId)>& rename) const {
  Polynomial result(constant_);
  for (const Monomial& term : terms_) {
    Monomial renamed = term;
    for (Symbol& symbol : renamed.factors) {
      if (symbol.kind == Symbol::Kind::Value) {
        symbol.value = rename(symbol.value);
      }
    }
    std::ranges::sort(renamed.factors);
    result.add(std::move(renamed));
  }
  return result;
}

}  // namespace lockstep::infreg
