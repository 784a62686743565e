#pragma once
// Polynomials over the integers: what is computed here has coefficients that did not wrap, so ends of ranges may be put into it.

#include <cstdint>
#include <optional>

#include "semantics/infreg/polynomial.hpp"

namespace lockstep::infreg {

/// Whether no coefficient of a + b and a - b, or of a * b, wraps, as the sum of the magnitudes of all coefficients stays below 2^63.
bool is_exact_sum(const Polynomial& a, const Polynomial& b);
bool is_exact_product(const Polynomial& a, const Polynomial& b);

/// a + b, a - b, a * b over the integers; empty where that is not exact.
std::optional<Polynomial> exact_sum(const Polynomial& a, const Polynomial& b);
std::optional<Polynomial> exact_difference(const Polynomial& a, const Polynomial& b);
std::optional<Polynomial> exact_product(const Polynomial& a, const Polynomial& b);

/// A symbol lies between the two; what is empty is not known.
struct Ends {
  std::optional<Polynomial> first;
  std::optional<Polynomial> last;
};

/// The polynomial with that end of the symbol at which it is least, or greatest: it is monotone in a symbol with a constant slope. Computed
/// over the integers; empty if the slope is not constant, the end not known, or a coefficient might wrap.
std::optional<Polynomial> at_end(const Polynomial& polynomial, Symbol symbol, const Ends& ends, bool least);

}  // namespace lockstep::infreg
