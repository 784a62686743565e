#include "codegen/passes/assumptions.hpp"

#include <algorithm>

namespace lockstep::passes {

namespace {

/// Of a parameter: the variable; of the launch: the group's symbol.
Polynomial of_groups() { return Symbol::group(); }

/// With coefficients that all count in `assumed_below`; empty if one of them is beyond it, where nothing could be told.
std::optional<Polynomial> small(const std::optional<Polynomial>& polynomial) {
  const bool is_small = polynomial && polynomial->constant() < assumed_below &&
                        std::ranges::all_of(polynomial->terms(), [](const auto& term) { return term.coefficient < assumed_below; });
  return is_small ? polynomial : std::nullopt;
}

std::optional<Polynomial> of_number(std::int64_t number) {
  return number > -assumed_below && number < assumed_below ? std::optional(Polynomial(number < 0 ? -number : number)) : std::nullopt;
}

}  // namespace

void Assumptions::counter(VarId var, const Polynomial& from, const Polynomial& limit, const Range& inside) {
  ranges_[var] = inside;
  // Between the two, in every round.
  if (from.is_constant() && from.constant() == 0) {
    by_[var] = limit;
  } else if (limit.is_constant() && limit.constant() == 0) {
    by_[var] = from;
  } else {
    counters_[var] = {from, limit};
  }
}

void Assumptions::number_of_groups(VarId var) { bounds_[var] = of_groups(); }

void Assumptions::range(VarId var, const Range& range) { ranges_[var] = range; }

void Assumptions::bound(VarId var, const Polynomial& by) { by_[var] = by; }

std::optional<Polynomial> Assumptions::magnitude(const Assignments& in, Symbol symbol) const {
  if (symbol.kind == Symbol::Kind::Item) {
    return Polynomial(std::int64_t{in.wg_size});
  }
  if (symbol.kind == Symbol::Kind::Group) {
    return of_groups();
  }
  if (symbol.kind != Symbol::Kind::Value) {
    return std::nullopt;
  }
  if (in.variables[symbol.value].parameter) {
    return Polynomial(symbol);
  }
  if (const auto range = ranges_.find(symbol.value); range != ranges_.end()) {
    const auto low = of_number(range->second.lo);
    const auto high = of_number(range->second.hi);
    constexpr std::int64_t handy = std::int64_t{1} << 24;  // beyond it a bound tells more
    if (low && high && low->constant() < handy && high->constant() < handy) {
      return Polynomial(std::max(low->constant(), high->constant()));
    }
  }
  if (const auto known = bounds_.find(symbol.value); known != bounds_.end()) {
    return known->second;
  }
  if (const auto by = by_.find(symbol.value); by != by_.end()) {
    return magnitude(in, by->second);
  }
  if (const auto ends = counters_.find(symbol.value); ends != counters_.end()) {
    const auto from = magnitude(in, ends->second.first);
    const auto limit = from ? magnitude(in, ends->second.second) : std::nullopt;
    return limit ? small(infreg::exact_sum(*from, *limit)) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Polynomial> Assumptions::magnitude(const Assignments& in, const Polynomial& polynomial) const {
  std::optional<Polynomial> sum = of_number(polynomial.constant());
  for (const infreg::Monomial& term : polynomial.terms()) {
    std::optional<Polynomial> product = of_number(term.coefficient);
    for (const Symbol symbol : term.factors) {
      const auto factor = product ? magnitude(in, symbol) : std::nullopt;
      product = factor ? small(infreg::exact_product(*product, *factor)) : std::nullopt;
    }
    sum = sum && product ? small(infreg::exact_sum(*sum, *product)) : std::nullopt;
  }
  constexpr std::size_t most_terms = 12;
  return sum && sum->terms().size() <= most_terms ? sum : std::nullopt;
}

bool Assumptions::is_positive(const Assignments& in, const Polynomial& polynomial) const {
  const auto is_symbol = [&](Symbol symbol) {
    if (symbol.kind != Symbol::Kind::Value) {
      return true;
    }
    const Variable& variable = in.variables[symbol.value];
    const auto range = ranges_.find(symbol.value);
    const bool is_unsigned = !variable.element.is_pointer && is_integer(variable.element.scalar) && !is_signed(variable.element.scalar);
    return is_unsigned || (range != ranges_.end() && range->second.lo >= 0);
  };
  return polynomial.constant() >= 0 && std::ranges::all_of(polynomial.terms(), [&](const infreg::Monomial& term) {
           return term.coefficient >= 0 && std::ranges::all_of(term.factors, is_symbol);
         });
}

bool Assumptions::assume(const Assignments& in, ScalarType type, const Polynomial& polynomial) {
  if (type != ScalarType::Int && (type != ScalarType::UInt || !is_positive(in, polynomial))) {
    return false;
  }
  const auto most = magnitude(in, polynomial);
  if (!most) {
    return false;
  }
  // What is no more than something that is asked already need not be asked.
  const auto covers = [](const Polynomial& large, const Polynomial& one) {
    const Polynomial rest = large - one;
    return rest.constant() >= 0 && std::ranges::all_of(rest.terms(), [](const auto& term) { return term.coefficient >= 0; });
  };
  if (std::ranges::none_of(all_, [&](const Polynomial& present) { return covers(present, *most); })) {
    std::erase_if(all_, [&](const Polynomial& present) { return covers(*most, present); });
    all_.push_back(*most);
  }
  return true;
}

}  // namespace lockstep::passes
