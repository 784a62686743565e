#include "semantics/prove/explorer.hpp"

#include "semantics/prove/budget.hpp"

namespace lockstep::prove {

void Explorer::assume(const Truth& truth) {
  if (truth.known() == true) {
    return;
  }
  is_consistent_ = is_consistent_ && truth.known() != false;
  assumptions_.push_back(truth);
  solver_.assume(truth);
}

bool Explorer::possible(const Truth& truth) {
  if (const auto known = truth.known()) {
    return *known;
  }
  if (!is_consistent_) {
    return false;
  }
  if (Budget::is_over()) {
    return true;
  }
  ++questions_;
  return solver_.possible(truth) != Answer::Unsatisfiable;
}

}  // namespace lockstep::prove
