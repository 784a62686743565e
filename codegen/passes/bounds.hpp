#pragma once
// How small and how large a polynomial can get inside counted loops.

#include <optional>
#include <vector>

#include "codegen/passes/assignments.hpp"
#include "codegen/passes/symbolic.hpp"

namespace lockstep::passes {

/// Knows the loops around the present place, and the items' numbers.
class Bounds {
 public:
  explicit Bounds(std::uint32_t wg_size) : wg_size_(wg_size) {}

  void enter(const For& loop);
  void leave() { loops_.pop_back(); }

  /// A number that the polynomial is never below (above), in every round of the loops around; empty if none is known. Each loop's variable
  /// is replaced by its own bound, the innermost first, so that `j - s` is known to be positive where j begins at s + 1.
  std::optional<std::int64_t> least(const Polynomial& polynomial) const { return extreme(polynomial, true); }
  std::optional<std::int64_t> greatest(const Polynomial& polynomial) const { return extreme(polynomial, false); }

 private:
  struct Limits {
    VarId var = 0;
    Polynomial first;  ///< least value
    Polynomial last;   ///< greatest value
  };

  std::optional<std::int64_t> extreme(Polynomial polynomial, bool least) const;

  std::uint32_t wg_size_;
  std::vector<Limits> loops_;
};

}  // namespace lockstep::passes
