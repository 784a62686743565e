#pragma once
// What an operation on one vector takes of the busiest part of a core, in cycles of the model (docs/ve-model.md).

#include <algorithm>
#include <cmath>

#include "semantics/ve/cost_model.hpp"

namespace lockstep::emit_ve {

class VectorCost {
 public:
  explicit VectorCost(unsigned elements) : elements_(elements), blocks_(std::ceil(elements_ / ve::cost_model::lanes)) {}

  double access() const { return blocks_; }
  double gather() const { return std::max(elements_ * ve::cost_model::gather_element, 1.0); }
  double move() const { return std::max(blocks_ / ve::cost_model::integer_pipes, 1.0); }
  double floats() const { return std::max(blocks_ / ve::cost_model::float_pipes, 1.0); }
  double quotient() const { return blocks_ / ve::cost_model::divide_pipes; }

 private:
  double elements_;
  double blocks_;
};

}  // namespace lockstep::emit_ve
