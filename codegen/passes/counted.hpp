#pragma once
// How often a loop `for (c = from; c + shift op bound; c += by)` runs, where all that is known of `from` and `bound` are ranges: the
// arithmetic behind counted loops, over the integers. What the kernel computes has to be shown to be this, on all values that are named
// here: see Normaliser::counted_loop.

#include <optional>

#include "codegen/passes/symbolic.hpp"

namespace lockstep::passes {

/// The loop is `for (c = from; c < limit + adjust; c += by)`, or with `>` for a negative step.
struct Counted {
  std::int64_t adjust = 0;
  Range inside;   ///< c in every round (if there is none: one value of it, or more)
  Range reached;  ///< c whenever the condition is asked
};

/// Counters, limits and steps stay within these: the sum of any three of them is a number of 64 bits.
constexpr Range countable{-(std::int64_t{1} << 61), std::int64_t{1} << 61};

/// `limit` is bound - shift, `type` a range that the counter must not leave (within `countable`). `distance` is limit - from where that is
/// a constant: only then a loop with != is counted. Empty if the counter might leave `type`, pass by its limit or run away from it.
std::optional<Counted> counted(Op op, const Range& from, const Range& limit, std::optional<std::int64_t> distance, std::int64_t by,
                               const Range& type);

/// The same of a loop that counts up, with <, <= or !=, over a number domain (interval.hpp). Others are its mirror image.
template <class N>
struct CountedUp {
  decltype(std::declval<N>() < std::declval<N>()) known;
  N adjust;
  Interval<N> inside;
  Interval<N> reached;
};
template <class N>
CountedUp<N> counted_up(Op op, const Interval<N>& from, const Interval<N>& limit, const Interval<N>& distance, const N& by,
                        const Interval<N>& type) {
  const N one = whole(by, 1);
  const N adjust = whole(by, op == Op::Le ? 1 : 0);
  // Where the loop ends when the counter meets its limit, it must not pass it by.
  const bool meets = op == Op::Ne;
  const N low = (meets ? from.lo + distance.lo : limit.lo) + adjust;
  const N high = (meets ? from.hi + distance.lo : limit.hi) + adjust;
  const auto ends = meets ? distance.known && whole(by, 0) <= distance.lo && is_multiple(distance.lo, by) : from.known;
  // The last round begins one before the limit at the most, and then the counter takes one more step.
  const N last_inside = greater(from.lo, high - one);
  const N last = greater(from.hi, high - one + by);
  const auto known = ends && one <= by && by <= whole(by, countable.hi) && type.lo <= from.lo && last_inside <= type.hi &&
                     last <= type.hi && whole(by, countable.lo) <= low && high <= whole(by, countable.hi);
  return {known, adjust, {known, from.lo, last_inside}, {known, from.lo, last}};
}

}  // namespace lockstep::passes
