// Counted loops (codegen/passes/counted.hpp): that a loop takes the values, and the rounds, that are claimed.

#include "codegen/passes/counted.hpp"

#include "semantics/prove/whole.hpp"
#include "tests/analyses/analysis.hpp"

namespace lockstep::analyses {

namespace {

using passes::Counted;
using passes::Range;
using prove::Truth;
using prove::Whole;

bool holds(Op op, std::int64_t a, std::int64_t b) {
  return op == Op::Lt ? a < b : op == Op::Le ? a <= b : op == Op::Gt ? a > b : op == Op::Ge ? a >= b : a != b;
}

bool has(const Range& range, std::int64_t number) { return range.lo <= number && number <= range.hi; }

/// Runs the loop as it is written, and the counted one beside it. False if they differ, the counter leaves its type, or what is claimed of
/// it.
bool is_so(Op op, std::int64_t from, std::int64_t limit, std::int64_t by, const Range& type, const Counted& claim) {
  std::int64_t counter = from;
  for (;;) {
    const bool goes_on = holds(op, counter, limit);
    const bool is_counted = by > 0 ? counter < limit + claim.adjust : counter > limit + claim.adjust;
    if (!has(type, counter) || !has(claim.reached, counter) || goes_on != is_counted) {
      return false;
    }
    if (!goes_on) {
      return true;
    }
    if (!has(claim.inside, counter)) {
      return false;
    }
    counter += by;
  }
}

template <class F>
void for_each_range(std::int64_t least, std::int64_t most, std::int64_t widest, F&& f) {
  for (std::int64_t lo = least; lo <= most; ++lo) {
    for (std::int64_t hi = lo; hi <= std::min(most, lo + widest); ++hi) {
      f(Range{lo, hi});
    }
  }
}

void exhaust_type(Exhausted& result, const Range& type, std::int64_t widest) {
  const auto try_one = [&](Op op, const Range& from, const Range& limit, std::optional<std::int64_t> distance, std::int64_t by) {
    const auto claim = passes::counted(op, from, limit, distance, by, type);
    for (std::int64_t f = from.lo; f <= from.hi; ++f) {
      for (std::int64_t l = limit.lo; l <= limit.hi; ++l) {
        if (!distance || l - f == *distance) {
          result.note(!claim || is_so(op, f, l, by, type, *claim), [&] {
            return "from " + std::to_string(f) + " by " + std::to_string(by) + " while " + std::string(info(op).text) + " " +
                   std::to_string(l);
          });
        }
      }
    }
  };
  for_each_range(type.lo, type.hi, type.hi - type.lo, [&](const Range& from) {
    for_each_range(type.lo - 2, type.hi + 2, widest, [&](const Range& limit) {
      for (std::int64_t by = -5; by <= 5; ++by) {
        for (const Op op : {Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Ne}) {
          try_one(op, from, limit, std::nullopt, by);
        }
        for (std::int64_t distance = limit.lo - from.hi; distance <= limit.hi - from.lo; ++distance) {
          try_one(Op::Ne, from, limit, distance, by);
        }
      }
    });
  });
}

Exhausted exhaust_loops() {
  Exhausted result;
  exhaust_type(result, {-4, 3}, 12);
  exhaust_type(result, {0, 7}, 12);
  exhaust_type(result, {-8, 7}, 1);
  exhaust_type(result, {0, 15}, 1);
  return result;
}

Whole named(const char* name) { return Whole::named(Whole::Form::Integer, name); }
Truth within(const Whole& n, const Interval<Whole>& i) { return i.lo <= n && n <= i.hi; }

/// Over the integers, by induction over the rounds: the counter is `from` plus so many steps, and if that is not the first value, the one
/// before it was inside. So it is in the first round, and the next one if this one is inside; the loop ends since the step is positive.
Proved prove_loops() {
  Proved proof;
  for (const Op op : {Op::Lt, Op::Le, Op::Ne}) {
    const bool meets = op == Op::Ne;
    const Whole from = named("from");
    const Whole by = named("by");
    const Whole zero = whole(from, 0);
    // A distance that is no multiple of the step is not counted.
    const Whole all_rounds = named("all rounds");
    const Whole rounds_left = named("rounds left");
    const Whole limit = meets ? from + all_rounds * by : named("limit");
    const Whole rounds = meets ? all_rounds - rounds_left : named("rounds");
    const Whole counter = meets ? limit - rounds_left * by : from + rounds * by;
    const Interval<Whole> froms{Truth(true), named("from lo"), named("from hi")};
    const Interval<Whole> limits{Truth(true), named("limit lo"), named("limit hi")};
    const Interval<Whole> distance{Truth(meets), limit - from, limit - from};
    const Interval<Whole> type{Truth(true), named("type lo"), named("type hi")};
    const auto claim = passes::counted_up(op, froms, limits, distance, by, type);
    const Whole end = limit + claim.adjust;
    std::vector<Truth> premises{claim.known, within(from, froms), within(limit, limits), zero <= rounds,
                                rounds == zero || counter - by < end};
    const Truth goes_on = op == Op::Lt ? counter < limit : op == Op::Le ? counter <= limit : !(counter == limit);
    const std::string name(info(op).text);
    proof.ask(name + ": the counter", premises, within(counter, claim.reached) && within(counter, type), counter < end);
    proof.ask(name + ": the end", premises, same(goes_on, counter < end), goes_on);
    premises.push_back(counter < end);
    proof.ask(name + ": a round", premises, within(counter, claim.inside), within(counter + by, claim.inside));
  }
  return proof;
}

}  // namespace

std::vector<TransferFunction> of_counted_loops() { return {{"how often a loop runs", exhaust_loops, prove_loops}}; }

}  // namespace lockstep::analyses
