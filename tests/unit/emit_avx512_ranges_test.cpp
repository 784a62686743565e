// What is decided from bounds, against all numbers between them; and where lanes lie, against the definition.

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "codegen/emit/avx512/geometry.hpp"
#include "codegen/emit/avx512/ranges.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::emit_avx512;

namespace {

const Symbol n = Symbol::of(0);
const Symbol k = Symbol::of(1);

bool holds(Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Op::Lt:
      return a < b;
    case Op::Le:
      return a <= b;
    case Op::Gt:
      return a > b;
    case Op::Ge:
      return a >= b;
    case Op::Eq:
      return a == b;
    default:
      return a != b;
  }
}

constexpr std::array<Op, 6> comparisons = {Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne};

/// Calls f(wi, ix, k) for all numbers in the ranges; the item's may depend on k.
template <class F>
void for_all(const Ranges& ranges, F&& f) {
  const auto number = [](const Polynomial& p, std::int64_t of_k) { return p.evaluate([&](Symbol) { return of_k; }); };
  for (std::int64_t c = ranges.at(k).least.constant(); c <= ranges.at(k).most.constant(); ++c) {
    for (std::int64_t a = number(ranges.at(Symbol::item()).least, c); a <= number(ranges.at(Symbol::item()).most, c); ++a) {
      for (std::int64_t b = ranges.at(Symbol::element()).least.constant(); b <= ranges.at(Symbol::element()).most.constant(); ++b) {
        f(a, b, c);
      }
    }
  }
}

}  // namespace

TEST_CASE("emit_avx512: bounds hold for all numbers in the ranges, and are reached where each symbol stands once") {
  std::mt19937_64 random(1);
  const auto pick = [&](std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from + 1));
  };
  unsigned decided = 0;
  for (int i = 0; i < 3000; ++i) {
    Ranges ranges;
    const std::int64_t from = pick(-3, 3);
    ranges[k] = {from, from + pick(0, 3)};
    ranges[Symbol::element()] = {pick(0, 2), pick(2, 5)};
    const bool from_k = pick(0, 1) == 1;
    ranges[Symbol::item()] = from_k ? Range{Polynomial(k), Polynomial(k) + Polynomial(pick(0, 3))} : Range{pick(0, 2), pick(2, 5)};
    const auto polynomial = [&] {
      Polynomial p(pick(-4, 4));
      p += Polynomial(pick(-2, 2)) * Polynomial(Symbol::item());
      p += Polynomial(pick(-2, 2)) * Polynomial(Symbol::element());
      p += Polynomial(pick(-2, 2)) * Polynomial(k);
      return p;
    };
    const Mask::Comparison comparison{polynomial(), comparisons[static_cast<std::size_t>(pick(0, 5))], polynomial()};
    const auto least = least_of(comparison.left, ranges);
    const auto most = most_of(comparison.left, ranges);
    const auto decision = decide(comparison, ranges);
    std::int64_t smallest = INT64_MAX;
    std::int64_t largest = INT64_MIN;
    bool always = true;
    bool never = true;
    for_all(ranges, [&](std::int64_t wi, std::int64_t ix, std::int64_t of_k) {
      const auto number = [&](Symbol symbol) { return symbol == Symbol::item() ? wi : symbol == Symbol::element() ? ix : of_k; };
      const std::int64_t left = comparison.left.evaluate(number);
      smallest = std::min(smallest, left);
      largest = std::max(largest, left);
      const bool here = holds(comparison.op, left, comparison.right.evaluate(number));
      always = always && here;
      never = never && !here;
    });
    REQUIRE(least);
    REQUIRE(most);
    REQUIRE(*least == smallest);
    REQUIRE(*most == largest);
    if (decision) {
      REQUIRE((*decision ? always : never));
    }
    if (comparison.op != Op::Eq && comparison.op != Op::Ne) {
      REQUIRE(decision.has_value() == (always || never));  // differences are linear: their bounds are reached
    }
    decided += decision ? 1U : 0U;
  }
  CHECK(decided > 300);
}

TEST_CASE("emit_avx512: nothing is decided of numbers that may wrap, or of which nothing is known") {
  Ranges ranges;
  ranges[Symbol::item()] = {0, 7};
  const auto undecided = [&](const Polynomial& left, Op op, const Polynomial& right) { return !decide({left, op, right}, ranges); };
  // n may be the greatest number: n + 1 > n is false then.
  CHECK(undecided(Polynomial(n) + Polynomial(1), Op::Gt, n));
  CHECK(undecided(Polynomial(n) + Polynomial(Symbol::item()), Op::Ge, n));
  CHECK(undecided(Symbol::element(), Op::Ge, 0));
  const Polynomial far(std::int64_t{1} << 62);
  CHECK(undecided(far * Polynomial(Symbol::item()), Op::Ge, 0));
  CHECK(undecided(Polynomial(INT64_MAX) + Polynomial(Symbol::item()), Op::Ge, 0));
  CHECK(undecided(Polynomial(Symbol::item()) * Polynomial(Symbol::item()), Op::Ge, 0));
  CHECK(decide({Symbol::item(), Op::Lt, 8}, ranges) == true);
  CHECK(decide({Symbol::item(), Op::Gt, 7}, ranges) == false);
  CHECK(!decide({Symbol::item(), Op::Lt, 7}, ranges));
}

TEST_CASE("emit_avx512: lanes have places of their own, and chunks do not hold parts of two rows") {
  for (const unsigned chunk : {8U, 16U}) {
    for (std::uint32_t size = 1; size <= 17; ++size) {
      for (std::uint32_t pack = 1; pack <= 5; ++pack) {
        for (const std::uint32_t elements : {1U, 2U, 3U, 4U, 5U, 8U, 12U, 16U, 17U, 32U}) {
          for (const Layout layout : {Layout::item(elements), Layout::group(elements)}) {
            const Shape shape{size, pack};
            const Geometry g = geometry_of(layout, shape, chunk);
            INFO("chunks of " << chunk << ", " << size << " items, " << pack << " groups, " << elements << " elements of "
                              << (layout.kind == Layout::Kind::Item ? "items" : "groups"));
            std::set<std::uint64_t> places;
            std::map<std::uint64_t, std::set<std::uint64_t>> rows;       // of each chunk
            std::map<std::uint64_t, std::set<std::uint64_t>> chunks_of;  // of each row
            for (std::uint64_t number = 0; number < lanes(layout, shape); ++number) {
              const Lane lane = lane_at(layout, shape, number);
              const std::uint64_t place = emit_avx512::place_of(layout, shape, g, lane);
              REQUIRE(places.insert(place).second);
              REQUIRE(lane_at_place(layout, shape, g, place) == lane);
              REQUIRE(place < g.chunks * chunk);
              // What a row is: an item's elements, a group's items, a group's elements; the groups where each has one lane.
              const std::uint64_t row = elements == 1 && layout.kind == Layout::Kind::Group   ? 0
                                        : elements == 1 || layout.kind == Layout::Kind::Group ? lane.wg
                                                                                              : std::uint64_t{lane.wg} * size + lane.wi;
              rows[place / chunk].insert(row);
              chunks_of[row].insert(place / chunk);
            }
            REQUIRE(places.rbegin() != places.rend());
            REQUIRE(*places.rbegin() / chunk + 1 == g.chunks);
            for (const auto& [chunk_number, in_it] : rows) {
              if (in_it.size() > 1) {
                for (const std::uint64_t row : in_it) {
                  REQUIRE(chunks_of[row].size() == 1);
                }
              }
            }
            for (std::uint64_t place = 0; place < g.chunks * chunk; ++place) {
              REQUIRE(lane_at_place(layout, shape, g, place).has_value() == places.contains(place));
            }
          }
        }
      }
    }
  }
}
