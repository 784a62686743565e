#pragma once
// What an operation on one vector takes of the busiest part of a core, in cycles of the model (docs/ve-model.md).

#include <cmath>

#include "semantics/ve/cost_model.hpp"

namespace lockstep::emit_ve {

class VectorCost {
 public:
  explicit VectorCost(unsigned elements) : elements_(elements), blocks_(std::ceil(elements_ / ve::cost_model::lanes)) {}

  double access() const { return blocks_; }
  double gather() const { return elements_ * ve::cost_model::gather_element; }
  double move() const { return blocks_ / ve::cost_model::integer_pipes; }
  double floats() const { return blocks_ / ve::cost_model::float_pipes; }
  double quotient() const { return blocks_ / ve::cost_model::divide_pipes; }

 private:
  double elements_;
  double blocks_;
};

}  // namespace lockstep::emit_ve
