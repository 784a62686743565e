#pragma once
// A polynomial's numbers in the lanes of a value, over any numbers that have the primitives of semantics/ops/scalar.hpp: machine numbers,
// terms. Places (wi, ix, wg.ix) are always known; what values stand for may be unknown.

#include <cstdint>
#include <vector>

#include "semantics/infreg/polynomial.hpp"
#include "semantics/ops/scalar.hpp"

namespace lockstep::infreg {

/// Goes through the lanes row by row (the elements of one item): set, then row, then at. Made once and used for one polynomial after the
/// other, because it keeps its memory.
template <class Number>
class LanePolynomial {
 public:
  /// `number_of(ValueId)` gives the values' numbers.
  template <class F>
  void set(const Polynomial& polynomial, F&& number_of) {
    parts_.clear();
    parts_.push_back({like(Number{}, polynomial.constant()), 0, 0, 0});
    std::uint32_t degree = 0;
    for (const Monomial& term : polynomial.terms()) {
      Part part{like(Number{}, term.coefficient), 0, 0, 0};
      for (const Symbol symbol : term.factors) {
        switch (symbol.kind) {
          case Symbol::Kind::Item:
            ++part.items;
            break;
          case Symbol::Kind::Element:
            ++part.elements;
            break;
          case Symbol::Kind::Group:
            ++part.groups;
            break;
          case Symbol::Kind::Value:
            part.coefficient = times(part.coefficient, number_of(symbol.value));
            break;
        }
      }
      degree = part.elements > degree ? part.elements : degree;
      parts_.push_back(part);
    }
    by_element_.resize(std::size_t{degree} + 1);
  }

  /// The row of item `item` of the launch's group `group`.
  void row(std::uint64_t group, std::uint32_t item) {
    for (Number& coefficient : by_element_) {
      coefficient = like(Number{}, 0);
    }
    for (const Part& part : parts_) {
      std::uint64_t place = 1;
      for (std::uint32_t i = 0; i < part.groups; ++i) {
        place *= group;
      }
      for (std::uint32_t i = 0; i < part.items; ++i) {
        place *= item;
      }
      Number& sum = by_element_[part.elements];
      sum = plus(sum, times(part.coefficient, like(Number{}, static_cast<std::int64_t>(place))));
    }
  }

  /// The number at element `element` of the present row.
  Number at(std::uint32_t element) const {
    Number sum = by_element_.back();
    for (std::size_t power = by_element_.size() - 1; power > 0; --power) {
      sum = plus(times(sum, like(Number{}, element)), by_element_[power - 1]);
    }
    return sum;
  }

 private:
  /// coefficient * wg.ix^groups * wi^items * ix^elements
  struct Part {
    Number coefficient;
    std::uint32_t groups = 0;
    std::uint32_t items = 0;
    std::uint32_t elements = 0;
  };
  std::vector<Part> parts_;
  std::vector<Number> by_element_;  ///< of the row: the coefficient of each power of ix
};

}  // namespace lockstep::infreg
