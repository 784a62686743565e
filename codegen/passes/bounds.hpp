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

  /// Numbers between which the polynomial lies in every round of the loops around, for each item: computed over the integers, and, since
  /// both fit into 64 bits, modulo 2^64 as a signed number as well. Relies on the bounds of each For being exact over the integers. Empty
  /// if nothing is known, or if something on the way leaves the 64 bits; if lo > hi, there is no such round. Each loop's variable is
  /// replaced by its own bound, the innermost first, so that `j - s` is known to be positive where j begins at s + 1.
  std::optional<Range> range(const Polynomial& polynomial) const;

  /// Its ends.
  std::optional<std::int64_t> least(const Polynomial& polynomial) const;
  std::optional<std::int64_t> greatest(const Polynomial& polynomial) const;

 private:
  struct Limits {
    VarId var = 0;
    infreg::Ends ends;
  };

  std::optional<std::int64_t> extreme(Polynomial polynomial, bool least) const;

  std::uint32_t wg_size_;
  std::vector<Limits> loops_;
};

}  // namespace lockstep::passes
