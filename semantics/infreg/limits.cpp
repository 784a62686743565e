#include "semantics/infreg/limits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::infreg {

bool is_small(const Polynomial& polynomial) {
  const auto small = [](const Monomial& term) { return term.factors.size() <= max_factors; };
  return polynomial.terms().size() <= max_terms && std::ranges::all_of(polynomial.terms(), small);
}

std::string wrong_layout(Layout layout, Shape shape) {
  if (layout.elements == 0) {
    return "a layout has at least one element";
  }
  if (layout.kind == Layout::Kind::Pack && layout.elements != 1) {
    return "the layout of the whole pack has one element";
  }
  if (lanes_per_group(layout, shape) > max_lanes || lanes(layout, shape) > max_lanes) {
    return fmt::format("a value of {} elements has too many lanes: at most {} are allowed", layout.elements, max_lanes);
  }
  return "";
}

bool is_number(ScalarType type, std::uint64_t bits) {
  const unsigned width = bits_of(type);
  if (width == 64) {
    return true;
  }
  const bool extends_sign = is_integer(type) && is_signed(type) && ((bits >> (width - 1)) & 1U) != 0;
  return bits >> width == (extends_sign ? ~std::uint64_t{0} >> width : 0);
}

}  // namespace lockstep::infreg
