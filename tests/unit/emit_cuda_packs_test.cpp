// What a group costs in packs, counted by hand, and what is chosen for that.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "codegen/emit/cuda/packs.hpp"
#include "codegen/emit/cuda/plan.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::emit_cuda;

namespace {

/// A sum that all groups have in common, of so many rounds, is added to `elements` numbers of each item.
std::vector<PackCost> costs(unsigned rounds, unsigned elements, const std::string& object = "") {
  return pack_costs(verified(fmt::format(R"(kernel @k(%a: ptr<f32>, %b: ptr<f32> restrict) wg_size 32 wg_pack 1 {{
{2}  %one : f32 = constant 1.0
  %x : f32[wi 32 x ix {1}] = load %a [wg.ix*{3} + wi*{1} + ix] contiguous
  %sum : f32 = for %j = 0 to {0} step 1 (%s = %one) {{
    %t : f32 = fadd %s, %s
    %u : f32 = fmul %t, %s
    yield %u
  }}
  %y : f32[wi 32 x ix {1}] = spread %sum
  %z : f32[wi 32 x ix {1}] = fadd %x, %y
  store %b [wg.ix*{3} + wi*{1} + ix] contiguous, %z
}}
)",
                                         rounds, elements, object, 32 * elements)));
}

}  // namespace

TEST_CASE("what groups of a pack have in common is done once for all of them") {
  const std::vector<PackCost> all = costs(1000, 1);
  REQUIRE(all.size() == 4);
  for (const PackCost& one : all) {
    const double pack = one.pack;
    // In common: the constant, the loop's result, and two sums of each round. Of each group: load, spread, sum, store.
    CHECK(one.operations == Approx((2002 + 4 * pack) / pack / 4));
    CHECK(one.memory == Approx(2 * 32 * 4 / 14.5));
    CHECK(!one.is_refused);
  }
  CHECK(choose_pack(all) == 8);
  CHECK_THAT(explain(all), Catch::Matchers::Contains("WG_PACK 1: 501.5 cycles a group for operations, 17.7 for memory; ") &&
                               Catch::Matchers::Contains("WG_PACK 8: 63.6 cycles a group for operations, 17.7 for memory; "));
}

TEST_CASE("rounds that are not known count as 16, and both arms of a choice are counted") {
  const auto cost = [](const std::string& loop) {
    return pack_costs(verified(fmt::format(R"(kernel @k(%a: ptr<f32>, %b: ptr<f64> restrict, %n: i64) wg_size 12 wg_pack 1 {{
  local %s : f32[12]
{}}}
)",
                                           loop)))
        .front();
  };
  const auto round = [](const std::string& loop) { return loop + "    %x : f32[wi 12 x ix 3] = load %a [wi*3 + ix] contiguous\n  }\n"; };
  // Two slots share a warp, which starts four operations a cycle.
  const auto check = [&](const std::string& loop, double rounds) {
    INFO(loop);
    const PackCost one = cost(round(loop));
    CHECK(one.operations == Approx(3 * rounds / 2 / 4));
    CHECK(one.memory == Approx(12 * 3 * 4 * rounds / 14.5));
  };
  check("  for %j = 0 to 5 step 1 {\n", 5);
  check("  for %j = 2 to 9 step 3 {\n", 3);
  check("  for %j = 9 to 2 step -2 {\n", 4);
  check("  for %j = 9 to 9 step 1 {\n", 0);
  check("  for %j = 0 to %n step 1 {\n", 16);
  check("  for %j = 0 to %n + 3 step 1 {\n", 16);
  check("  for %j = %n to 5 step 1 {\n", 16);
  // The constant and the comparison are operations too.
  const double is = 2;
  CHECK(cost("  %c : i64 = constant 1\n  %is : i1 = lt %n, %c\n" + round("  if %is {\n")).operations == Approx((is + 3) / 2 / 4));
  CHECK(cost("  %c : i64 = constant 1\n  %is : i1 = lt %n, %c\n" +
             round("  if %is {\n    %y : f32[wi 12 x ix 2] = load %a [wi*2 + ix] contiguous\n  } else {\n"))
            .operations == Approx((is + 5) / 2 / 4));
  // Bytes of numbers that differ from item to item, or from group to group.
  const auto bytes = [&](const std::string& access) { return cost(access).memory * 14.5; };
  CHECK(bytes("  %x : f32[wi 12 x ix 1] = load %a [wi] contiguous\n") == Approx(12 * 4));
  CHECK(bytes("  %x : f64[wi 12 x ix 1] = load %b [wg.ix] gather\n") == Approx(12 * 8));
  CHECK(bytes("  %x : f64[ix 5] = load %b [wg.ix*5 + ix] contiguous\n") == Approx(5 * 8));
  CHECK(bytes("  %x : f64[ix 5] = load %b [ix] contiguous\n") == Approx(0));  // stays in a cache
  CHECK(bytes("  %x : f32[wi 12 x ix 1] = load %s [wi] contiguous\n") == Approx(0));
  CHECK(bytes("  %i : i64[wi 12 x ix 1] = index { wi }\n  %x : f64[wi 12 x ix 1] = load %b [lanes %i] gather\n") == Approx(12 * 8));
  CHECK(bytes("  %c : f64[wi 12 x ix 2] = constant 1\n  store %b [wi*2 + ix] contiguous, %c\n") == Approx(12 * 2 * 8));
}

TEST_CASE("larger packs have to promise a tenth less") {
  // (78 + 4) / 4 cycles in packs of one group, and 17.7 for memory in larger ones.
  CHECK(choose_pack(costs(38, 1)) == 2);
  // (74 + 4) / 4
  CHECK(choose_pack(costs(36, 1)) == 1);
  CHECK(choose_pack(costs(20, 1)) == 1);
  CHECK(choose_pack(costs(64, 1)) == 2);
}

TEST_CASE("a pack's values have to fit into the registers of a thread") {
  const std::vector<PackCost> all = costs(5000, 60);
  for (const PackCost& one : all) {
    CHECK(one.registers >= 60U * one.pack);
    CHECK(one.registers <= 60U * one.pack + 8);
  }
  CHECK(choose_pack(all) == 4);
  CHECK(choose_pack(costs(5000, 128)) == 1);
}

TEST_CASE("a thread has 247 registers for the kernel") {
  std::vector<PackCost> all = {{1, 100, 10, 247, false}, {2, 80, 10, 247, false}};
  CHECK(choose_pack(all) == 2);
  CHECK(explain(all) ==
        "  WG_PACK 1: 100.0 cycles a group for operations, 10.0 for memory; 247 registers\n"
        "  WG_PACK 2: 80.0 cycles a group for operations, 10.0 for memory; 247 registers: auto\n");
  all[1].registers = 248;
  CHECK(choose_pack(all) == 1);
  CHECK(explain(all) ==
        "  WG_PACK 1: 100.0 cycles a group for operations, 10.0 for memory; 247 registers: auto\n"
        "  WG_PACK 2: 80.0 cycles a group for operations, 10.0 for memory; 248 registers are too many\n");
  all[1] = {2, 80, 10, 1, true};
  CHECK(choose_pack(all) == 1);
  CHECK(explain(all).ends_with("1 register; there is no code\n"));
  all[1].registers = 300;
  CHECK(explain(all).ends_with("300 registers are too many; there is no code\n"));
}

TEST_CASE("a pack for which there is no code is not chosen") {
  const std::vector<PackCost> all = costs(1000, 1, "  local %l : i8[20000]\n");
  CHECK(!all[1].is_refused);
  CHECK(all[2].is_refused);
  CHECK(choose_pack(all) == 2);
}

TEST_CASE("what does not shuffle or pick goes through shared memory") {
  const auto way = [](const std::string& pattern, const Choices& choices) {
    const Kernel kernel = verified(fmt::format(R"(kernel @k(%a: ptr<i32>) wg_size 8 wg_pack 1 {{
  %x : i32[wi 8 x ix 6] = load %a [wi*6 + ix] contiguous
  %y : i32[wi 8 x ix 6] = reorder %x {{ (wi, ix) <- {} }}
  store %a [wi*6 + ix] contiguous, %y
}}
)",
                                               pattern));
    return plan_of(kernel, kernel.shape, choices).ways.begin()->second;
  };
  Choices no_shuffles;
  no_shuffles.shuffling = false;
  Choices no_picks;
  no_picks.picking = false;
  for (const auto& [pattern, usual] : {std::pair("(3, ix)", Way::Broadcast), std::pair("(7 - wi, ix)", Way::Exchange)}) {
    CHECK(way(pattern, {}) == usual);
    CHECK(way(pattern, no_picks) == usual);
    CHECK(way(pattern, no_shuffles) == Way::Memory);
  }
  CHECK(way("(wi, 5 - wi)", {}) == Way::Pick);
  CHECK(way("(wi, 5 - wi)", no_shuffles) == Way::Pick);
  CHECK(way("(wi, 5 - wi)", no_picks) == Way::Memory);
  CHECK(way("(wi, 5 - ix)", no_picks) == Way::Register);
  // Of 12 KiB for a warp, 32 items have room for 96 numbers each; an odd number of them.
  for (const auto& [elements, fits] : {std::pair(95, true), std::pair(96, false), std::pair(97, false)}) {
    const auto large = [&](const std::string& pattern, const Choices& choices) {
      const Kernel kernel = verified(fmt::format(R"(kernel @k(%a: ptr<i32>) wg_size 32 wg_pack 1 {{
  %x : i32[wi 32 x ix {0}] = load %a [wi*{0} + ix] contiguous
  %y : i32[wi 32 x ix {0}] = reorder %x {{ (wi, ix) <- {1} }}
  store %a [wi*{0} + ix] contiguous, %y
}}
)",
                                                 elements, pattern));
      return plan_of(kernel, kernel.shape, choices).ways.begin()->second;
    };
    CHECK(large("(31 - wi, wi + ix)", {}) == (fits ? Way::Memory : Way::Search));
    CHECK(large("(31 - wi, ix)", no_shuffles) == (fits ? Way::Memory : Way::Exchange));
    CHECK(large("(3, wi)", no_shuffles) == (fits ? Way::Memory : Way::Search));
    CHECK(large("(wi, wi + ix)", no_picks) == (fits ? Way::Memory : Way::Pick));
  }
  // Slots of a warp need as much together.
  CHECK(stage_bytes({Element::of(ScalarType::Int), Layout::item(95)}, geometry_of({8, 1})) == 8 * 95 * 4);
  CHECK(stage_bytes({Element::of(ScalarType::Double), Layout::item(4)}, geometry_of({33, 1})) == 2 * 32 * 5 * 8);
  for (const auto& [elements, fits] : {std::pair(95U, true), std::pair(96U, false)}) {
    const Reorder reorder{0, Layout::item(1), Reorder::Affine{Polynomial(7), Polynomial(Symbol::item())}};
    CHECK(way_of(reorder, {Element::of(ScalarType::Int), Layout::item(elements)}, geometry_of({8, 1}), {}) ==
          (fits ? Way::Memory : Way::Search));
  }
}

TEST_CASE("registers are counted where most numbers are alive") {
  /// In packs of one group, and of two.
  const auto registers = [](const std::string& body) {
    const std::vector<PackCost> all =
        pack_costs(verified("kernel @k(%a: ptr<f32>, %b: ptr<f32> restrict, %d: ptr<f64> restrict, %n: i64, "
                            "%m: i64) wg_size 32 wg_pack 1 {\n" +
                            body + "}\n"));
    return std::pair(all[0].registers, all[1].registers);
  };
  // In front of the sum: three numbers of two words, since their order changes, and one of one. Of the sum there is an element at a time.
  CHECK(registers(R"(  %x : f64[wi 32 x ix 3] = load %d [wi*3 + ix] contiguous
  %y : f32[wi 32 x ix 1] = load %a [wi] contiguous
  %turned : f64[wi 32 x ix 3] = reorder %x { (wi, ix) <- (wi, 2 - ix) }
  %sum : f64[wi 32 x ix 3] = fadd %x, %turned
  store %d [wi*3 + ix] contiguous, %sum
  store %b [wi] contiguous, %y
)") == std::pair<std::uint64_t, std::uint64_t>(7, 14));
  // At the end of a round: what both carry on, and what all rounds read.
  CHECK(registers(R"(  %all : f32[wi 32 x ix 1] = load %a [wi] contiguous
  %zero : f32[wi 32 x ix 1] = constant 0
  %end : f32[wi 32 x ix 1], %other : f32[wi 32 x ix 1] = for %j = 0 to 9 step 1 (%x = %zero, %y = %zero) {
    %sum : f32[wi 32 x ix 1] = fadd %x, %all
    %square : f32[wi 32 x ix 1] = fmul %all, %all
    yield %sum, %square
  }
  store %b [wi] contiguous, %end
)") == std::pair<std::uint64_t, std::uint64_t>(3, 6));
  // In front of the comparison: both of its operands, which all groups have in common, and what the arms read.
  CHECK(registers(R"(  %x : f32[wi 32 x ix 1] = load %a [wi] contiguous
  %y : f32[wi 32 x ix 1] = load %a [wi + 32] contiguous
  %is : i1 = lt %n, %m
  %end : f32[wi 32 x ix 1] = if %is {
    %sum : f32[wi 32 x ix 1] = fadd %x, %x
    yield %sum
  } else {
    %square : f32[wi 32 x ix 1] = fmul %y, %y
    yield %square
  }
  store %b [wi] contiguous, %end
)") == std::pair<std::uint64_t, std::uint64_t>(6, 8));
  // In a round of the inner loop, whose numbers nobody has outside of it: both loads and the sum so far, and two numbers of all groups that
  // later rounds want, %i and %n.
  CHECK(registers(R"(  %zero : f32[wi 32 x ix 1] = constant 0
  %end : f32[wi 32 x ix 1] = for %i = 0 to 3 step 1 (%outer = %zero) {
    %last : f32[wi 32 x ix 1] = for %k = 0 to %n step 1 (%inner = %outer) {
      %x : f32[wi 32 x ix 1] = load %a [wi + %i + %k] contiguous
      %y : f32[wi 32 x ix 1] = load %a [wi + %i + 32] contiguous
      %sum : f32[wi 32 x ix 1] = fadd %x, %y
      %next : f32[wi 32 x ix 1] = fma %sum, %sum, %inner
      yield %next
    }
    yield %last
  }
  store %b [wi] contiguous, %end
)") == std::pair<std::uint64_t, std::uint64_t>(7, 10));
  // A number that stands in the loop is alive in all of its rounds, one behind it too; a pointer has two words.
  CHECK(registers(R"(  %first : f32[wi 32 x ix 1] = load %a [wi] contiguous
  %to : ptr = address %d
  %at : ptr[wi 32 x ix 1] = spread %to
  %steps : i64[wi 32 x ix 1] = index { wi*2 }
  %p : ptr[wi 32 x ix 1] = offset f64 %at, %steps
  for %j = 0 to 5 step 1 {
    %x : f64[wi 32 x ix 1] = load %p [0] gather
    store %b [wi] contiguous, %first
    store %d [wi*2] strided, %x
  }
  store %b [wi + 32] contiguous, %first
)") == std::pair<std::uint64_t, std::uint64_t>(5, 10));
}
