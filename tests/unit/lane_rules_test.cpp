// semantics/ops/lane.hpp: each rule against its table of truth, and on sets of lanes against the rule in each lane.

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "semantics/ops/lane.hpp"

namespace lockstep {
namespace {

/// Lane n is in set k if bit k of n is 1: all that four conditions can be, in sixteen lanes.
std::array<LaneSet, 4> all_cases() {
  std::array<LaneSet, 4> sets;
  for (unsigned k = 0; k < 4; ++k) {
    sets.at(k) = LaneSet(16);
    for (unsigned lane = 0; lane < 16; ++lane) {
      if ((lane >> k & 1U) != 0) {
        sets.at(k).insert(lane);
      }
    }
  }
  return sets;
}

TEST_CASE("lane rules: poison of ?: is that of its condition and of the arm that is chosen", "[ops]") {
  const auto [condition, chosen, then, otherwise] = all_cases();
  const LaneSet all = ops::poison_of_choice(condition, chosen, then, otherwise);
  for (unsigned lane = 0; lane < 16; ++lane) {
    const bool of_arm = chosen.contains(lane) ? then.contains(lane) : otherwise.contains(lane);
    const bool expected = condition.contains(lane) ? true : of_arm;
    CHECK(all.contains(lane) == expected);
    CHECK(ops::poison_of_choice(condition.contains(lane), chosen.contains(lane), then.contains(lane), otherwise.contains(lane)) ==
          expected);
  }
}

TEST_CASE("lane rules: who has poison, finds a number, and counts in a vote", "[ops]") {
  const auto [a, b, c, unused] = all_cases();
  for (unsigned lane = 0; lane < 16; ++lane) {
    const bool x = a.contains(lane);
    const bool y = b.contains(lane);
    const bool z = c.contains(lane);
    const unsigned some = (x ? 1U : 0U) + (y ? 1U : 0U) + (z ? 1U : 0U);
    CHECK(ops::poison_of(x, y, z) == (some > 0));
    CHECK(ops::poison_of(a, b, c).contains(lane) == (some > 0));
    CHECK(ops::finds_number(x, y, z) == (x && y && !z));
    CHECK(ops::finds_number(a, b, c).contains(lane) == (x && y && !z));
    CHECK(ops::says_yes(x, y) == (lane % 4 == 3));
    CHECK(ops::says_yes(a, b).contains(lane) == (lane % 4 == 3));
    CHECK(ops::says_no(x, y) == (lane % 4 == 1));
    CHECK(ops::says_no(a, b).contains(lane) == (lane % 4 == 1));
  }
}

TEST_CASE("lane rules: which operand is passed on where some have no number", "[ops]") {
  const auto passed = [](Op op, const std::string& operands) {  // N: no number, 0, 1
    return ops::passed_on(
        op, static_cast<int>(operands.size()), [&](int k) { return operands.at(static_cast<std::size_t>(k)) != 'N'; },
        [&](int k) { return operands.at(static_cast<std::size_t>(k)) == '1'; });
  };
  CHECK(passed(Op::Add, "01") == -1);
  CHECK(passed(Op::Add, "N1") == 0);
  CHECK(passed(Op::Add, "0N") == 1);
  CHECK(passed(Op::Add, "NN") == 0);
  CHECK(passed(Op::Neg, "N") == 0);
  CHECK(passed(Op::Select, "N01") == 0);
  CHECK(passed(Op::Select, "1NN") == 1);
  CHECK(passed(Op::Select, "0NN") == 2);
  CHECK(passed(Op::Select, "101") == 1);
}

}  // namespace
}  // namespace lockstep
