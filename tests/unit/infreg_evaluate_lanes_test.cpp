// Operations of InfReg-IR that bring data from lane to lane: what they give, and laws between them.

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "tests/unit/infreg_evaluate.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::infreg::sketch;

namespace {

constexpr std::uint32_t size = 5;
constexpr std::uint32_t packed = 2;
constexpr std::uint32_t elements = 3;

Ran finish_pack(const Sketch& s) {
  Ran ran = run(s.kernel, {.groups = packed, .limits = {}, .observer = {}});
  REQUIRE(std::holds_alternative<Finished>(ran.outcome.end));
  return ran;
}

std::vector<std::uint64_t> random_numbers(std::mt19937_64& random, std::size_t count, std::uint64_t below) {
  std::vector<std::uint64_t> result(count);
  std::generate(result.begin(), result.end(), [&] { return random() % below; });
  return result;
}

/// A number that tells every lane of the pack apart.
ValueId places(Sketch& s, Layout layout) {
  return s.index(Polynomial(wg) * 1000 + (layout.kind == Layout::Kind::Item ? Polynomial(wi) * 10 : Polynomial(0)) + ix, layout);
}

ValueId truths(Sketch& s, const std::vector<std::uint64_t>& bits, Layout layout) { return s.add(ConstantLanes{i1(layout), bits}); }

/// `value`, poison where `is_poison` is 1 in the lane of the group.
ValueId spoiled(Sketch& s, ValueId value, const std::vector<std::uint64_t>& is_poison) {
  const Type type = s.kernel.type_of(value);
  return s.add(Select{s.add(ConstantLanes{{truth, type.layout}, is_poison}), s.add(infreg::Poison{type}), value});
}

}  // namespace

TEST_CASE("infreg evaluate: spread copies a lane to the lanes that it stands for") {
  Sketch s(size, packed);
  const ValueId pack = s.constant(ScalarType::Int, Layout::pack(), 7);
  const ValueId from_pack = s.add(Spread{pack, Layout::item(elements)});
  const ValueId to_groups = s.add(Spread{pack, Layout::group(elements)});
  const ValueId from_group = s.add(Spread{places(s, Layout::group()), Layout::item(elements)});
  const ValueId item = spoiled(s, places(s, Layout::item()), {0, 0, 1, 0, 0});
  const ValueId from_item = s.add(Spread{item, Layout::item(elements)});
  const Ran ran = finish_pack(s);
  CHECK(ran.last(from_pack).bits == std::vector<std::uint64_t>(packed * size * elements, 7));
  CHECK(ran.last(to_groups).bits == std::vector<std::uint64_t>(packed * elements, 7));
  for (std::uint64_t group = 0; group < packed; ++group) {
    for (std::uint64_t k = 0; k < size * elements; ++k) {
      const std::uint64_t lane = group * size * elements + k;
      CHECK(ran.last(from_group).bits[lane] == group * 1000);
      CHECK(ran.last(from_item).poison[lane] == (k / elements == 2));
      CHECK((k / elements == 2 || ran.last(from_item).bits[lane] == group * 1000 + k / elements * 10));
    }
  }
}

TEST_CASE("infreg evaluate: a reordering by a permutation and its inverse changes nothing") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 20; ++round) {
    Sketch s(size, packed);
    std::vector<std::uint32_t> permutation(size * elements);
    std::iota(permutation.begin(), permutation.end(), 0U);
    std::shuffle(permutation.begin(), permutation.end(), random);
    std::vector<std::uint32_t> inverse(permutation.size());
    for (std::uint32_t k = 0; k < permutation.size(); ++k) {
      inverse[permutation[k]] = k;
    }
    const Layout layout = Layout::item(elements);
    const ValueId value = spoiled(s, places(s, layout), random_numbers(random, size * elements, 2));
    const ValueId there = s.add(Reorder{value, layout, Reorder::Table{permutation}});
    const ValueId back = s.add(Reorder{there, layout, Reorder::Table{inverse}});
    const ValueId to_group = s.add(Reorder{value, Layout::group(size * elements), Reorder::Table{permutation}});
    const Ran ran = finish_pack(s);
    CHECK(ran.last(back) == ran.last(value));
    CHECK(ran.last(to_group) == ran.last(there));
    for (std::uint32_t k = 0; k < packed * permutation.size(); ++k) {
      const std::size_t group = k / permutation.size();
      CHECK(ran.last(there).lanes()[k] == ran.last(value).lanes()[group * permutation.size() + permutation[k % permutation.size()]]);
    }
  }
}

TEST_CASE("infreg evaluate: an affine reordering is the table that it describes") {
  Sketch s(size, packed);
  const ValueId n = s.scalar(ScalarType::Long, "n");
  const Layout layout = Layout::item(elements);
  const ValueId value = places(s, layout);
  const ValueId in_group = places(s, Layout::group(7));
  struct Case {
    ValueId affine;
    ValueId table;
  };
  std::vector<Case> cases;
  std::vector<Buffer> none;
  const auto add = [&](ValueId source, Layout to, const Polynomial& item, const Polynomial& element, auto&& source_lane) {
    Reorder::Table table;
    for (std::int64_t i = 0; i < (to.kind == Layout::Kind::Item ? size : 1); ++i) {
      for (std::int64_t e = 0; e < to.elements; ++e) {
        const auto [from_item, from_element] = source_lane(i, e);
        const Layout from = s.kernel.type_of(source).layout;
        const std::int64_t from_items = from.kind == Layout::Kind::Item ? size : 1;
        const bool exists = from_item >= 0 && from_item < from_items && from_element >= 0 && from_element < from.elements;
        table.source.push_back(exists ? static_cast<std::uint32_t>(from_item * from.elements + from_element) : Reorder::Table::nowhere);
      }
    }
    cases.push_back({s.add(Reorder{source, to, Reorder::Affine{item, element}}), s.add(Reorder{source, to, table})});
  };
  using Pair = std::pair<std::int64_t, std::int64_t>;
  const Polynomial x = Symbol::of(n);  // 2
  add(value, layout, 1, ix, [](std::int64_t, std::int64_t e) { return Pair{1, e}; });
  add(value, layout, x, Polynomial(ix), [](std::int64_t, std::int64_t e) { return Pair{2, e}; });
  add(value, layout, Polynomial(wi) + 1, Polynomial(ix) - 1, [](std::int64_t i, std::int64_t e) { return Pair{i + 1, e - 1}; });
  add(value, layout, Polynomial(size - 1) - wi, x - ix, [](std::int64_t i, std::int64_t e) { return Pair{4 - i, 2 - e}; });
  add(value, Layout::item(7), Polynomial(wi) * x, Polynomial(ix) * ix, [](std::int64_t i, std::int64_t e) { return Pair{2 * i, e * e}; });
  add(value, Layout::group(6), ix, 0, [](std::int64_t, std::int64_t e) { return Pair{e, 0}; });
  add(in_group, layout, 0, Polynomial(wi) + Polynomial(ix) * x, [](std::int64_t i, std::int64_t e) { return Pair{0, i + 2 * e}; });
  add(in_group, Layout::group(8), 0, Polynomial(7) - ix, [](std::int64_t, std::int64_t e) { return Pair{0, 7 - e}; });
  add(value, layout, std::numeric_limits<std::int64_t>::min(), ix, [](std::int64_t, std::int64_t e) { return Pair{-1, e}; });
  const Ran ran = run(s.kernel, scalar(2), none, {.groups = packed, .limits = {}, .observer = {}});
  for (const Case& c : cases) {
    CHECK(ran.last(c.affine).lanes() == ran.last(c.table).lanes());
  }
}

TEST_CASE("infreg evaluate: a shuffle reads active items of its own group") {
  std::mt19937_64 random(6);
  for (int round = 0; round < 30; ++round) {
    Sketch s(size, packed);
    const Layout layout = Layout::item(elements);
    const ValueId value = spoiled(s, places(s, layout), random_numbers(random, size * elements, 2));
    std::vector<std::uint64_t> wanted(size);
    const std::int64_t odd[] = {-1, size, std::numeric_limits<std::int64_t>::min(), std::int64_t{1} << 32};
    for (std::uint64_t& lane : wanted) {
      lane = random() % 4 != 0 ? random() % size : static_cast<std::uint64_t>(odd[random() % 4]);
    }
    const std::vector<std::uint64_t> active = random_numbers(random, size, 2);
    const std::vector<std::uint64_t> no_lane = random_numbers(random, size, 2);
    const ValueId lane = spoiled(s, s.add(ConstantLanes{i64(Layout::item()), wanted}), no_lane);
    const ValueId result = s.add(Shuffle{value, lane, truths(s, active, Layout::item())});
    const Ran ran = finish_pack(s);
    const auto from = ran.last(value).lanes();
    const auto to = ran.last(result).lanes();
    for (std::uint64_t group = 0; group < packed; ++group) {
      for (std::uint64_t item = 0; item < size; ++item) {
        const bool found = active[item] != 0 && no_lane[item] == 0 && wanted[item] < size && active[wanted[item]] != 0;
        for (std::uint64_t e = 0; e < elements; ++e) {
          const auto expected = found ? from[(group * size + wanted[item]) * elements + e] : std::nullopt;
          CHECK(to[(group * size + item) * elements + e] == expected);
        }
      }
    }
  }
}

TEST_CASE("infreg evaluate: a shuffle from one lane by all items is a reordering") {
  for (std::int64_t lane = -1; lane <= std::int64_t{size}; ++lane) {
    Sketch s(size, packed);
    const Layout layout = Layout::item(elements);
    const ValueId value = places(s, layout);
    const ValueId all = s.add(Mask{Layout::item(), {}});
    const ValueId shuffled = s.add(Shuffle{value, s.index(lane, Layout::item()), all});
    const ValueId reordered = s.add(Reorder{value, layout, Reorder::Affine{lane, ix}});
    const Ran ran = finish_pack(s);
    CHECK(ran.last(shuffled) == ran.last(reordered));
  }
}

TEST_CASE("infreg evaluate: votes are over the active lanes of each group, or of the pack") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 40; ++round) {
    Sketch s(size, packed);
    const Layout layout = round % 2 == 0 ? Layout::item() : Layout::item(elements);
    const std::size_t count = size * layout.elements;
    // The groups differ, and every fourth time nobody is active, or everybody says yes.
    const std::vector<std::uint64_t> active = random_numbers(random, count, round % 4 == 0 ? 1 : 2);
    const std::vector<std::uint64_t> yes = round % 4 == 1 ? std::vector<std::uint64_t>(count, 1) : random_numbers(random, count, 2);
    const ValueId odd_group = s.mask(Polynomial(wg), Op::Eq, 1, layout);
    const ValueId value = s.op(Op::BitOr, ScalarType::Bool, {truths(s, yes, layout), odd_group});
    const ValueId mask = truths(s, active, layout);
    const ValueId no = s.op(Op::Eq, ScalarType::Bool, {value, s.constant(ScalarType::Bool, layout, 0)});
    const auto vote = [&](Vote::Kind kind, bool whole, ValueId of) { return s.add(Vote{kind, whole, of, mask}); };
    std::vector<ValueId> votes;
    for (const bool whole : {false, true}) {
      for (const Vote::Kind kind : {Vote::Kind::Any, Vote::Kind::All, Vote::Kind::Popcount}) {
        votes.push_back(vote(kind, whole, value));
      }
      votes.push_back(vote(Vote::Kind::Any, whole, no));
    }
    const std::optional<ValueId> ballot = layout.elements == 1 ? std::optional(vote(Vote::Kind::Ballot, false, value)) : std::nullopt;
    const Ran ran = finish_pack(s);
    std::uint64_t all_yes = 0;
    std::uint64_t all_active = 0;
    for (std::uint64_t group = 0; group < packed; ++group) {
      std::uint64_t bits = 0;
      std::uint64_t yes_here = 0;
      std::uint64_t active_here = 0;
      for (std::size_t k = 0; k < count; ++k) {
        const bool said_yes = active[k] != 0 && (yes[k] != 0 || group == 1);
        active_here += active[k];
        yes_here += said_yes ? 1 : 0;
        bits |= said_yes && k < 64 ? std::uint64_t{1} << k : 0;
      }
      all_yes += yes_here;
      all_active += active_here;
      const auto of = [&](ValueId v) { return ran.last(v).bits[group]; };
      CHECK(of(votes[0]) == (yes_here != 0 ? 1 : 0));
      CHECK(of(votes[1]) == (yes_here == active_here ? 1 : 0));
      CHECK(of(votes[2]) == yes_here);
      CHECK(of(votes[1]) == 1 - of(votes[3]));  // all say yes unless one says no
      if (ballot) {
        CHECK(of(*ballot) == bits);
      }
    }
    CHECK(ran.last(votes[4]).lanes() == std::vector<std::optional<std::uint64_t>>{all_yes != 0 ? 1 : 0});
    CHECK(ran.last(votes[5]).bits[0] == (all_yes == all_active ? 1 : 0));
    CHECK(ran.last(votes[6]).bits[0] == all_yes);
    CHECK(ran.last(votes[5]).bits[0] == 1 - ran.last(votes[7]).bits[0]);
  }
}

TEST_CASE("infreg evaluate: ballot has bit 63") {
  Sketch s(64);
  const ValueId last = s.mask(Polynomial(wi), Op::Ge, 62, Layout::item());
  const ValueId ballot = s.add(Vote{Vote::Kind::Ballot, false, last, s.add(Mask{Layout::item(), {}})});
  CHECK(finish(s).last(ballot).bits[0] == 0xC000000000000000U);
}

TEST_CASE("infreg evaluate: a vote is poison if an active lane's value is") {
  Sketch s(size, packed);
  const ValueId value = spoiled(s, s.add(Mask{Layout::item(), {}}), {0, 0, 1, 0, 0});
  const ValueId without = s.mask(Polynomial(wi), Op::Ne, 2, Layout::item());
  const ValueId first_group = s.mask(Polynomial(wg), Op::Eq, 0, Layout::item());
  const ValueId good = s.add(Vote{Vote::Kind::All, false, value, without});
  const ValueId bad = s.add(Vote{Vote::Kind::Any, false, value, first_group});
  const ValueId bad_pack = s.add(Vote{Vote::Kind::Popcount, true, value, first_group});
  const Ran ran = finish_pack(s);
  CHECK(ran.last(good).lanes() == std::vector<std::optional<std::uint64_t>>{1, 1});
  CHECK(ran.last(bad).lanes() == std::vector<std::optional<std::uint64_t>>{std::nullopt, 0});
  CHECK(ran.last(bad_pack).poison[0] == 1);
}
