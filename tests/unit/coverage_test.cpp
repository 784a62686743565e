#include "interpreter/observe/coverage.hpp"

#include <catch2/catch.hpp>

#include "interpreter/machine/machine.hpp"
#include "semantics/musimd/parse.hpp"

using namespace lockstep;
using namespace lockstep::musimd;

namespace {

Coverage cover(const std::string& text) {
  auto program = parse(SourceFile("t.mus", text));
  REQUIRE(program);
  auto machine = Machine::make(std::make_shared<const Program>(std::move(*program)), {});
  REQUIRE(machine);
  CoverageObserver observer;
  (*machine)->attach(observer);
  (*machine)->run(1000);
  return observer.coverage();
}

std::uint64_t fired(const Coverage& c, RuleId id) { return c.fired[static_cast<std::size_t>(id)]; }

/// How often a premise held and failed.
std::pair<std::uint64_t, std::uint64_t> seen(const Coverage& c, RuleId id, int number) {
  return {c.held[premise_index(id, number)], c.failed[premise_index(id, number)]};
}

using Seen = std::pair<std::uint64_t, std::uint64_t>;

}  // namespace

TEST_CASE("what four steps cover, by hand", "[coverage]") {
  // CT, BF, SI.sync, SP
  const Coverage c = cover("v = 1\n bz v, L\n L: sync\n stop\n");
  for (const RuleInfo& rule : rule_table) {
    const bool expected = rule.id == RuleId::IT || rule.id == RuleId::TL || rule.id == RuleId::CT || rule.id == RuleId::BF ||
                          rule.id == RuleId::MV || rule.id == RuleId::SI_sync || rule.id == RuleId::SP;
    INFO(rule.name);
    CHECK(fired(c, rule.id) == (expected ? 1U : 0U));
  }
  CHECK(seen(c, RuleId::CT, 1) == Seen{1, 3});
  CHECK(seen(c, RuleId::AS, 1) == Seen{0, 4});  // asked at v = 1 for its shape, no candidate elsewhere
  CHECK(seen(c, RuleId::IT, 1) == Seen{1, 3});
  CHECK(seen(c, RuleId::TL, 1) == Seen{1, 3});
  CHECK(seen(c, RuleId::EB, 1) == Seen{0, 4});
  CHECK(seen(c, RuleId::BT, 1) == Seen{1, 3});
  CHECK(seen(c, RuleId::BT, 4) == Seen{0, 1});
  CHECK(seen(c, RuleId::BF, 4) == Seen{1, 0});
  CHECK(seen(c, RuleId::BD, 4) == Seen{0, 1});
  CHECK(seen(c, RuleId::BD, 5) == Seen{0, 0});  // BD.4 failed before
  CHECK(seen(c, RuleId::SS, 3) == Seen{0, 1});
  CHECK(seen(c, RuleId::SI_sync, 3) == Seen{1, 0});
  CHECK(seen(c, RuleId::SP, 3) == Seen{1, 0});
  // Only bz has an operand, a variable; its three candidates ask for it.
  CHECK(seen(c, RuleId::MV, 1) == Seen{1, 0});
  CHECK(seen(c, RuleId::MT, 1) == Seen{0, 1});
  CHECK(seen(c, RuleId::MM, 1) == Seen{0, 1});
  CHECK(seen(c, RuleId::MV, 2) == Seen{3, 0});
  CHECK(seen(c, RuleId::BP, 2) == Seen{0, 0});  // no division
  CHECK_FALSE(c.complete());
}

TEST_CASE("threads of one shuffle that choose differently", "[coverage]") {
  const Coverage c = cover("v = shfl(tid, tid + 1)\n stop\n");
  CHECK(fired(c, RuleId::SV) == 1);
  CHECK(fired(c, RuleId::SI_shfl) == 0);
  CHECK(fired(c, RuleId::MT) == 1);
  CHECK(seen(c, RuleId::SV, 4) == Seen{1, 1});
  CHECK(seen(c, RuleId::SV, 5) == Seen{1, 0});
  CHECK(seen(c, RuleId::SI_shfl, 4) == Seen{1, 1});
}

TEST_CASE("an undefined step is asked, but fires nothing", "[coverage]") {
  const Coverage c = cover("v = w / tid\n stop\n");
  for (const RuleInfo& rule : rule_table) {
    CHECK(fired(c, rule.id) == 0);
  }
  CHECK(seen(c, RuleId::MV, 2) == Seen{0, 1});
  CHECK(seen(c, RuleId::BP, 1) == Seen{1, 0});
  CHECK(seen(c, RuleId::BP, 2) == Seen{0, 0});
}

TEST_CASE("a load looks up a cell", "[coverage]") {
  const Coverage good = cover(".shared 0 : 1 2 3 4\n v = ld tid\n stop\n");
  CHECK(fired(good, RuleId::MM) == 1);
  CHECK(seen(good, RuleId::MM, 1) == Seen{1, 1});  // the address is no cell
  CHECK(seen(good, RuleId::MM, 2) == Seen{1, 0});
  const Coverage bad = cover(".shared 0 : 1 2 3\n v = ld tid\n stop\n");
  CHECK(fired(bad, RuleId::MM) == 0);
  CHECK(seen(bad, RuleId::MM, 2) == Seen{0, 1});
}

TEST_CASE("what only typed programs have counts where there are some", "[coverage]") {
  const Coverage c = cover("v = 1\n bz v, L\n L: sync\n stop\n");
  Coverage all;
  all.untyped = true;
  all.fired.fill(1);
  all.held.fill(1);
  all.failed.fill(1);
  for (const RuleInfo& rule : rule_table) {
    if (only_typed(rule)) {
      INFO(rule.name);
      CHECK(seen(c, rule.id, 1) == Seen{0, 0});
      all.fired[static_cast<std::size_t>(rule.id)] = 0;
    }
  }
  for (const auto& [rule, number] : {std::pair{RuleId::BP, 3}, {RuleId::LD, 3}, {RuleId::ST, 4}, {RuleId::RET, 2}}) {
    REQUIRE(only_typed(premise_table[premise_index(rule, number)]));
    all.held[premise_index(rule, number)] = 0;
    all.failed[premise_index(rule, number)] = 0;
  }
  CHECK(all.complete());
  all.typed = true;
  CHECK_FALSE(all.complete());
}

TEST_CASE("what only untyped programs have counts where there are some", "[coverage]") {
  Coverage all;
  all.typed = true;
  all.fired.fill(1);
  all.held.fill(1);
  all.failed.fill(1);
  all.fired[static_cast<std::size_t>(RuleId::MT)] = 0;
  for (const auto& [rule, number] : {std::pair{RuleId::BP, 2}, {RuleId::LD, 2}, {RuleId::ST, 3}, {RuleId::BT, 5}, {RuleId::MT, 1}}) {
    all.held[premise_index(rule, number)] = 0;
  }
  CHECK(all.complete());
  all.untyped = true;
  CHECK_FALSE(all.complete());
}

TEST_CASE("answers of a typed instruction", "[coverage]") {
  // CT, AS and BP are asked at `v = 7 / w` with w = 0 in some items: BP.3 fails, and nothing is known of AS.
  Coverage c;
  c.typed = true;
  const LookedUp found{.variable = true, .may_be_undefined = true};
  count_asked(c, found,
              {{RuleId::IT, 1, true, false},
               {RuleId::CT, 1, false, false},
               {RuleId::BP, 1, true, false},
               {RuleId::MV, 2, true, false},
               {RuleId::BP, 3, false, false}});
  CHECK(seen(c, RuleId::BP, 1) == Seen{1, 0});
  CHECK(seen(c, RuleId::CT, 1) == Seen{0, 1});
  CHECK(seen(c, RuleId::BP, 3) == Seen{0, 1});
  CHECK(seen(c, RuleId::MV, 2) == Seen{1, 0});
  CHECK(seen(c, RuleId::CALL, 1) == Seen{0, 1});
  CHECK(seen(c, RuleId::MV, 1) == Seen{1, 0});
  count_leaves(c, found, 3, true);
  CHECK(fired(c, RuleId::TL) == 3);
  CHECK(fired(c, RuleId::MV) == 3);
  CHECK(fired(c, RuleId::MM) == 0);
}

TEST_CASE("coverage is complete when nothing is zero", "[coverage]") {
  Coverage all;
  all.untyped = true;
  all.fired.fill(1);
  all.held.fill(1);
  all.failed.fill(1);
  CHECK(all.complete());
  for (auto* counts : {&all.held, &all.failed}) {
    (*counts)[premise_index(RuleId::ST, 3)] = 0;
    CHECK_FALSE(all.complete());
    (*counts)[premise_index(RuleId::ST, 3)] = 1;
  }
  Coverage sum;
  sum.add(all);
  sum.add(all);
  CHECK(fired(sum, RuleId::SP) == 2);
  CHECK(seen(sum, RuleId::SP, 1) == Seen{2, 2});
}
