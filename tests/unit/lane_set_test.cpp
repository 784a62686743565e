// Thread sets against std::set, at widths around the 64-bit words.
#include "semantics/base/lane_set.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <set>

using lockstep::LaneSet;

namespace {

const std::vector<unsigned> widths = {1, 2, 63, 64, 65, 127, 128, 129, 1000, 1023, 1024};

LaneSet make(unsigned width, const std::set<unsigned>& members) {
  LaneSet set(width);
  for (const unsigned m : members) {
    set.insert(m);
  }
  return set;
}

std::set<unsigned> members(const LaneSet& set) {
  std::set<unsigned> out;
  set.for_each([&](unsigned t) { out.insert(t); });
  return out;
}

std::set<unsigned> some_members(unsigned width) { return *rc::gen::container<std::set<unsigned>>(rc::gen::inRange(0U, width)); }

}  // namespace

TEST_CASE("lane set: empty, all and single at every width", "[lane_set]") {
  for (const unsigned width : widths) {
    INFO(width);
    const LaneSet none(width);
    const LaneSet all = LaneSet::all(width);
    CHECK(none.empty());
    CHECK(none.size() == 0);
    CHECK(none.first() == width);
    CHECK(all.size() == width);
    CHECK(all.first() == 0);
    CHECK_FALSE(all.empty());
    CHECK(all.contains(width - 1));
    CHECK_FALSE(all.contains(width));
    CHECK_FALSE(all.contains(4096));
    CHECK((all - all) == none);
    const LaneSet last = LaneSet::single(width, width - 1);
    CHECK(last.size() == 1);
    CHECK(last.first() == width - 1);
    CHECK((all - last).size() == width - 1);
    CHECK_FALSE((all - last).contains(width - 1));
  }
}

TEST_CASE("lane set: a default-made set is the empty set of any width", "[lane_set]") {
  const LaneSet all = LaneSet::all(100);
  CHECK((all | LaneSet()) == all);
  CHECK((LaneSet() | all) == all);
  CHECK((all & LaneSet()).empty());
  CHECK((all - LaneSet()) == all);
  CHECK((LaneSet() - all).empty());
  CHECK((LaneSet() | all).width() == 100);
  CHECK(LaneSet() == LaneSet(100));
  CHECK_FALSE(LaneSet() == all);
}

TEST_CASE("lane set: the operations are those of sets", "[lane_set]") {
  const bool holds = rc::check("against std::set", [] {
    const unsigned width = *rc::gen::elementOf(widths);
    const std::set<unsigned> a = some_members(width);
    const std::set<unsigned> b = some_members(width);
    std::set<unsigned> both;
    std::set<unsigned> either = a;
    std::set<unsigned> only_a;
    either.insert(b.begin(), b.end());
    for (const unsigned t : a) {
      (b.count(t) != 0 ? both : only_a).insert(t);
    }
    const LaneSet x = make(width, a);
    const LaneSet y = make(width, b);
    RC_ASSERT(members(x) == a);
    RC_ASSERT(members(x | y) == either);
    RC_ASSERT(members(x & y) == both);
    RC_ASSERT(members(x - y) == only_a);
    RC_ASSERT((x == y) == (a == b));
    RC_ASSERT(x.size() == a.size());
    RC_ASSERT(x.empty() == a.empty());
    RC_ASSERT(x.first() == (a.empty() ? width : *a.begin()));
    LaneSet z = x;
    z |= y;
    RC_ASSERT(z == (x | y));
    z -= y;
    RC_ASSERT(z == (x - y));
    for (const unsigned t : a) {
      z.erase(t);
    }
    RC_ASSERT(z.empty());
  });
  CHECK(holds);
}
