// The ways of reorderings, against all lanes: every table of a few small layouts, and what a second reordering finds among the numbers of
// a first one.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/emit/cuda/plan.hpp"
#include "codegen/emit/cuda/reordering.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::emit_cuda;

namespace {

/// Where a lane of the result comes from.
struct From {
  std::uint32_t item = 0;
  std::uint32_t element = 0;
};

std::optional<From> from_of(std::uint32_t source, Layout from) {
  return source == Reorder::Table::nowhere ? std::nullopt : std::optional(From{source / from.elements, source % from.elements});
}

/// The first way of the table in docs/cuda.md that fits, found by looking at every lane.
Way expected(const std::vector<std::uint32_t>& table, Layout to, Layout from, Shape shape) {
  bool is_own = from.kind == Layout::Kind::Group || to.kind == Layout::Kind::Item || shape.wg_size == 1;
  bool is_one_item = true;
  bool is_one_element = true;
  const std::uint32_t items = to.kind == Layout::Kind::Item ? shape.wg_size : 1;
  for (std::uint32_t lane = 0; lane < table.size(); ++lane) {
    const auto here = from_of(table[lane], from);
    if (!here) {
      continue;  // poison: nobody looks
    }
    is_own = is_own && (from.kind == Layout::Kind::Group || shape.wg_size == 1 || here->item == lane / to.elements);
    for (std::uint32_t wi = 0; wi < items; ++wi) {
      if (const auto there = from_of(table[wi * to.elements + lane % to.elements], from)) {
        is_one_item = is_one_item && there->item == here->item;
        is_one_element = is_one_element && there->element == here->element;
      }
    }
  }
  const std::uint32_t registers = is_one_element ? 1 : from.elements;
  return is_own && is_one_element ? Way::Register
         : is_own                 ? Way::Pick
         : is_one_element         ? (is_one_item ? Way::Broadcast : Way::Exchange)
         : registers <= 4         ? Way::Search
                                  : Way::Memory;
}

/// All tables; how often each way is met.
std::map<Way, int> ways_of_all_tables(Layout to, Layout from, Shape shape) {
  std::map<Way, int> seen;
  const auto lanes = static_cast<std::uint32_t>(lanes_per_group(from, shape));
  std::vector<std::uint32_t> digits(lanes_per_group(to, shape), 0);  // `lanes` is nowhere
  for (bool is_more = true; is_more;) {
    Reorder reorder{0, to, Reorder::Table{digits}};
    for (std::uint32_t& source : std::get<Reorder::Table>(reorder.pattern).source) {
      source = source == lanes ? Reorder::Table::nowhere : source;
    }
    const Way way = way_of(reorder, {Element::of(ScalarType::Int), from}, geometry_of(shape), {});
    const std::vector<std::uint32_t>& table = std::get<Reorder::Table>(reorder.pattern).source;
    INFO(fmt::format("{} items, elements {} to {}", shape.wg_size, from.elements, to.elements));
    CAPTURE(table);
    REQUIRE(way == expected(table, to, from, shape));
    ++seen[way];
    is_more = false;
    for (std::uint32_t& digit : digits) {
      digit = digit == lanes ? 0 : digit + 1;
      if (digit != 0) {
        is_more = true;
        break;
      }
    }
  }
  return seen;
}

}  // namespace

TEST_CASE("a table is done by the first way that all lanes allow") {
  std::map<Way, int> seen;
  const auto all = [&](Layout to, Layout from, unsigned items) {
    for (const auto& [way, count] : ways_of_all_tables(to, from, {items, 1})) {
      seen[way] += count;
    }
  };
  for (const std::uint32_t elements : {1U, 2U}) {
    all(Layout::item(elements), Layout::item(2), 2);
    all(Layout::item(elements), Layout::item(1), 2);
    all(Layout::group(elements), Layout::item(2), 2);
    all(Layout::item(elements), Layout::group(2), 2);
    all(Layout::group(elements), Layout::group(3), 2);
    all(Layout::item(elements), Layout::item(3), 1);
  }
  all(Layout::item(1), Layout::item(2), 3);
  all(Layout::item(1), Layout::item(5), 2);
  all(Layout::group(3), Layout::item(1), 3);
  for (const Way way : {Way::Register, Way::Pick, Way::Broadcast, Way::Exchange, Way::Search, Way::Memory}) {
    REQUIRE(seen[way] > 0);
  }
}

TEST_CASE("what a reordering has brought to all lanes is found there by another one that wants it") {
  constexpr int elements = 4;
  struct Side {
    int factor = 0;
    int constant = 0;
    int at(int ix) const { return factor * ix + constant; }
    bool operator==(const Side&) const = default;
    std::string text() const { return fmt::format("{} {} ix*{}", constant, factor < 0 ? '-' : '+', std::abs(factor)); }
  };
  struct Pattern {
    Side item;
    Side element;
    bool operator==(const Pattern&) const = default;
    std::string text() const { return fmt::format("{{ (wi, ix) <- ({}, {}) }}", item.text(), element.text()); }
  };
  std::vector<Pattern> patterns;
  for (const Side& item : {Side{0, 2}, Side{0, 1}, Side{1, 0}}) {
    for (const Side& element : {Side{1, 0}, Side{0, 2}, Side{-1, 3}, Side{2, 0}}) {
      patterns.push_back({item, element});
    }
  }
  int covered = 0;
  for (const Pattern& first : patterns) {
    for (const Pattern& second : patterns) {
      for (const int count : {elements, elements - 1}) {  // elements of the first one
        const Kernel kernel = verified(fmt::format(R"(kernel @k(%a: ptr<i32>) wg_size 4 wg_pack 1 {{
  %x : i32[wi 4 x ix 4] = load %a [wi*4 + ix] contiguous
  %y : i32[wi 4 x ix {0}] = reorder %x {1}
  %z : i32[wi 4 x ix 4] = reorder %x {2}
  store %a [wi*{0} + ix] contiguous, %y
  store %a [wi*4 + ix] contiguous, %z
}}
)",
                                                   count, first.text(), second.text()));
        const Plan plan = plan_of(kernel, kernel.shape);
        REQUIRE(plan.covered.size() <= 1);
        INFO(print(kernel));
        // Each element that is wanted and is there, is one of the first one's.
        bool is_there = true;
        for (int ix = 0; ix < elements; ++ix) {
          const int item = second.item.at(ix);
          const int element = second.element.at(ix);
          bool is_brought = item < 0 || item >= 4 || element < 0 || element >= elements;
          for (int other = 0; other < count; ++other) {
            is_brought = is_brought || (first.item.at(other) == item && first.element.at(other) == element);
          }
          is_there = is_there && is_brought;
        }
        REQUIRE((plan.covered.empty() || is_there));
        // All elements of one item in their order serve all that want some of them, and others serve their like.
        const bool is_row = first.item.factor == 0 && first.element == Side{1, 0} && count == elements;
        const bool is_alike = first == second && count == elements;
        REQUIRE(plan.covered.empty() != ((is_row && first.item == second.item) || is_alike));
        covered += plan.covered.empty() ? 0 : 1;
      }
    }
  }
  REQUIRE(covered > 12);
}

TEST_CASE("what is brought in a loop or an arm is not there behind it") {
  const auto covered = [](const std::string& first, const std::string& second, const std::string& last) {
    const Kernel kernel = verified(fmt::format(R"(kernel @k(%a: ptr<i32>, %b: ptr<i32>, %n: i64) wg_size 4 wg_pack 1 {{
  %x : i32[wi 4 x ix 3] = load %a [wi*3 + ix] contiguous
  %other : i32[wi 4 x ix 3] = load %b [wi*3 + ix] contiguous
{}  for %j = 0 to %n step 1 {{
{}  }}
{}}}
)",
                                               first, second, last));
    return plan_of(kernel, kernel.shape).covered.size();
  };
  const auto bring = [](const std::string& name, const std::string& source) {
    return fmt::format("  %{0} : i32[wi 4 x ix 3] = reorder %{1} {{ (wi, ix) <- (1, ix) }}\n  store %b [wi*3 + ix] contiguous, %{0}\n",
                       name, source);
  };
  CHECK(covered(bring("y", "x"), bring("z", "x"), "") == 1);
  CHECK(covered(bring("y", "x"), bring("z", "other"), "") == 0);
  CHECK(covered(bring("y", "x"), "", bring("z", "x")) == 1);
  CHECK(covered("", bring("y", "x"), bring("z", "x")) == 0);
  CHECK(covered("", bring("y", "x") + bring("z", "x"), bring("last", "x")) == 1);
}
