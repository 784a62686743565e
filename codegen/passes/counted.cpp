#include "codegen/passes/counted.hpp"

namespace lockstep::passes {

namespace {

/// The numbers, or their negatives.
Interval<Wide> seen(const Range& range, bool up) {
  return up ? Interval<Wide>{true, range.lo, range.hi} : Interval<Wide>{true, -Wide{range.hi}, -Wide{range.lo}};
}
Range range(const Interval<Wide>& interval, bool up) {
  return up ? Range{static_cast<std::int64_t>(interval.lo), static_cast<std::int64_t>(interval.hi)}
            : Range{static_cast<std::int64_t>(-interval.hi), static_cast<std::int64_t>(-interval.lo)};
}

}  // namespace

std::optional<Counted> counted(Op op, const Range& from, const Range& limit, std::optional<std::int64_t> distance, std::int64_t by,
                               const Range& type) {
  const bool up = by > 0;
  const Op less = up ? Op::Lt : Op::Gt;
  const Op less_or_equal = up ? Op::Le : Op::Ge;
  if (op != less && op != less_or_equal && op != Op::Ne) {
    return std::nullopt;
  }
  const Interval<Wide> apart = distance ? seen({*distance, *distance}, up) : Interval<Wide>{false, 0, 0};
  const CountedUp<Wide> loop = counted_up(op == less     ? Op::Lt
                                          : op == Op::Ne ? Op::Ne
                                                         : Op::Le,
                                          seen(from, up), seen(limit, up), apart, up ? Wide{by} : -Wide{by}, seen(type, up));
  if (!loop.known) {
    return std::nullopt;
  }
  const auto adjust = static_cast<std::int64_t>(loop.adjust);
  return Counted{up ? adjust : -adjust, range(loop.inside, up), range(loop.reached, up)};
}

}  // namespace lockstep::passes
