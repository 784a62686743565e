#pragma once
// What may be assumed of integers of 32 bits so that they are polynomials, and what has to be asked before it is relied on.

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/passes/assignments.hpp"
#include "codegen/passes/symbolic.hpp"
#include "codegen/passes/versions.hpp"

namespace lockstep::passes {

/// Collects assumptions. How large a number can get is a polynomial itself, in the magnitudes of the kernel's parameters and the number of
/// groups (Symbol::group()), with coefficients above 0: it covers every item, every group of the launch and every round of the loops
/// around, so that a launch of which it is small needs nothing else asked.
class Assumptions {
 public:
  void counter(VarId var, const Polynomial& from, const Polynomial& limit, const Range& inside);
  void number_of_groups(VarId var);
  void range(VarId var, const Range& range);
  /// The variable's magnitude is at most that of the polynomial, if that is what the polynomial gives over the integers.
  void bound(VarId var, const Polynomial& by);

  /// Whether it may be assumed, and has been from now on, that the polynomial over the integers is a number of the type (Int or UInt). Not
  /// where its size hangs on what only a run can tell, such as numbers from memory.
  bool assume(const Assignments& in, ScalarType type, const Polynomial& polynomial);

  /// Whether no number in it, and so the whole over the integers, is below 0.
  bool is_positive(const Assignments& in, const Polynomial& polynomial) const;

  const std::vector<Polynomial>& all() const { return all_; }

 private:
  std::optional<Polynomial> magnitude(const Assignments& in, const Polynomial& polynomial) const;
  std::optional<Polynomial> magnitude(const Assignments& in, Symbol symbol) const;

  std::map<VarId, Polynomial> bounds_;  ///< magnitudes
  std::map<VarId, Polynomial> by_;      ///< as `bound` was told
  std::map<VarId, std::pair<Polynomial, Polynomial>> counters_;
  std::map<VarId, Range> ranges_;
  std::vector<Polynomial> all_;  ///< magnitudes
};

}  // namespace lockstep::passes
