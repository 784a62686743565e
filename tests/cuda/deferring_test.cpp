// Quotients that are computed behind their loop: the same numbers by the evaluator, and none where somebody would look at a dividend.

#include "codegen/emit/cuda/deferring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/verify.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;

namespace {

/// L D U of a matrix of 4 rows, one for each item. Row s is divided by its pivot in round s.
const std::string ldu = R"(kernel @ldu(%a: ptr<f64>) wg_size 4 wg_pack 1 {
  %load : f64[wi 4 x ix 4] = load %a [wg.ix*16 + wi*4 + ix] contiguous
  %none : f64[ix 4] = poison
  %end : f64[wi 4 x ix 4], %last : f64[ix 4] = for %s = 0 to 4 step 1 (%row = %load, %seen = %none) {
    %pivot : f64[ix 4] = reorder %row { (ix) <- (%s, ix) }
    %own : f64[wi 4 x ix 1] = reorder %row { (wi, ix) <- (wi, %s) }
    %one : f64[wi 4 x ix 1] = reorder %pivot { (wi, ix) <- (%s) }
    %left : f64[wi 4 x ix 1] = fdiv %own, %one
    %lefts : f64[wi 4 x ix 4] = spread %left
    %is_below : i1[wi 4 x ix 4] = mask { wi > %s }
    %is_left : i1[wi 4 x ix 4] = mask { ix == %s, wi > %s }
    %scaled : f64[wi 4 x ix 4] = select %is_left, %lefts, %row
    %divisor : f64[wi 4 x ix 4] = reorder %pivot { (wi, ix) <- (%s) }
    %quotient : f64[wi 4 x ix 4] = fdiv %scaled, %divisor
    %factor : f64[wi 4 x ix 4] = reorder %scaled { (wi, ix) <- (wi, %s) }
    %minus : f64[wi 4 x ix 4] = fneg %factor
    %top : f64[wi 4 x ix 4] = reorder %pivot { (wi, ix) <- (ix) }
    %less : f64[wi 4 x ix 4] = fma %minus, %top, %scaled
    %choice : f64[wi 4 x ix 4] = select %is_below, %less, %quotient
    %is_changed : i1[wi 4 x ix 4] = mask { ix >= %s + 1, wi >= %s }
    %next : f64[wi 4 x ix 4] = select %is_changed, %choice, %scaled
    yield %next, %pivot
  }
  store %a [wg.ix*16 + wi*4 + ix] contiguous, %end
}
)";

std::string with(std::string text, const std::vector<std::pair<std::string, std::string>>& changes) {
  for (const auto& [from, to] : changes) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
  }
  return text;
}

/// Quotients inside of loops and outside.
std::pair<int, int> quotients(const infreg::Kernel& kernel) {
  std::pair<int, int> count;
  for (infreg::RegionId region = 0; region < kernel.regions.size(); ++region) {
    for (const infreg::Operation& operation : kernel.regions[region].operations) {
      const auto* node = std::get_if<infreg::Elementwise>(&operation.node);
      if (node != nullptr && node->op == Op::Div) {
        ++(region == kernel.body ? count.second : count.first);
      }
    }
  }
  return count;
}

std::vector<std::byte> result_of(const infreg::Kernel& kernel) {
  constexpr std::uint64_t numbers = 32;
  infreg::Buffer buffer = infreg::make_buffer(ScalarType::Double, numbers);
  for (std::uint64_t k = 0; k < numbers; ++k) {
    const double number = 1 + static_cast<double>(k * 37 % 19) / 8;
    std::memcpy(&buffer.bytes[8 * k], &number, 8);
  }
  std::vector<infreg::Buffer> memory = {buffer};
  const std::vector<Argument> arguments = {BufferNumber{0}};
  const infreg::Outcome outcome = infreg::evaluate(kernel, arguments, memory, {.groups = 2, .limits = {}, .observer = {}});
  REQUIRE(std::holds_alternative<infreg::Finished>(outcome.end));
  return memory[0].bytes;
}

void check(const std::string& text, int inside, int outside) {
  const infreg::Kernel kernel = infreg::parsed(text);
  const infreg::Kernel deferred = emit_cuda::with_deferred_quotients(kernel);
  INFO(infreg::print(deferred));
  CHECK(infreg::verify(deferred).empty());
  CHECK(quotients(deferred) == std::pair(inside, outside));
  CHECK(result_of(deferred) == result_of(kernel));
}

}  // namespace

TEST_CASE("quotients of one item a round are computed behind the loop", "[cuda]") {
  check(ldu, 1, 1);
  check(with(ldu, {{"0 to 4", "1 to 3"}}), 1, 1);
  check(with(ldu, {{"ix >= %s + 1, wi >= %s", "ix >= %s + 2, wi >= %s"}}), 1, 1);
}

namespace {

/// What a round divides: `own` says of which item, `elements` of which of its elements, each of the lane and the round.
struct Part {
  const char* text;
  bool (*holds)(int place, int round);
};

constexpr int items = 4;

/// A row for each item; in each round the part of it is divided by what `divisor` names, and `more` stands behind.
std::string divided(const Part& own, const Part& elements, int from, int limit, const std::string& divisor = "%pivot",
                    const std::string& more = "") {
  return fmt::format(R"(kernel @k(%a: ptr<f64>) wg_size 4 wg_pack 1 {{
  %load : f64[wi 4 x ix 4] = load %a [wg.ix*16 + wi*4 + ix] contiguous
  %k : i64 = index {{ 2 }}
  %single : f64[wi 4 x ix 1] = load %a [wg.ix*16 + wi*4] strided
  %outer : f64[wi 4 x ix 4] = spread %single
  %end : f64[wi 4 x ix 4] = for %s = {2} to {3} step 1 (%row = %load) {{
    %one : f64[wi 4 x ix 1] = reorder %row {{ (wi, ix) <- (%s, %s) }}
    %pivot : f64[wi 4 x ix 4] = reorder %row {{ (wi, ix) <- (%s, %s) }}
    %ones : f64[wi 4 x ix 4] = spread %one
    %sums : f64[wi 4 x ix 4] = fadd %load, %load
    %turned : f64[wi 4 x ix 4] = reorder %load {{ (wi, ix) <- (wi, ix) }}
    %listed : f64[wi 4 x ix 4] = reorder %load {{ [0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12] }}
    %quotient : f64[wi 4 x ix 4] = fdiv %row, {4}
    %keep : i1[wi 4 x ix 4] = mask {{ {0}, {1} }}
{5}    %next : f64[wi 4 x ix 4] = select %keep, %quotient, %row
    yield %next
  }}
  store %a [wg.ix*16 + wi*4 + ix] contiguous, %end
}}
)",
                     own.text, elements.text, from, limit, divisor, more);
}

}  // namespace

TEST_CASE("quotients are put off where each lane has one at most, in its item's own round", "[cuda]") {
  const std::vector<Part> owns = {
      {"wi == %s", [](int wi, int s) { return wi == s; }},         {"wi == 3 - %s", [](int wi, int s) { return wi == 3 - s; }},
      {"wi == %s + 1", [](int wi, int s) { return wi == s + 1; }}, {"wi >= %s", [](int wi, int s) { return wi >= s; }},
      {"wi <= %s", [](int wi, int s) { return wi <= s; }},         {"wi == 2", [](int wi, int) { return wi == 2; }}};
  const std::vector<Part> elements = {
      {"ix > %s", [](int ix, int s) { return ix > s; }},       {"ix >= %s + 1", [](int ix, int s) { return ix >= s + 1; }},
      {"ix < %s", [](int ix, int s) { return ix < s; }},       {"ix != %s", [](int ix, int s) { return ix != s; }},
      {"ix == %s", [](int ix, int s) { return ix == s; }},     {"ix <= 3 - %s", [](int ix, int s) { return ix <= 3 - s; }},
      {"ix*%s > 2", [](int ix, int s) { return ix * s > 2; }}, {"ix == 1", [](int ix, int) { return ix == 1; }},
      {"ix >= 4", [](int ix, int) { return ix >= 4; }},        {"ix >= 0", [](int, int) { return true; }}};
  int put_off = 0;
  for (const Part& own : owns) {
    for (const Part& element : elements) {
      for (const auto& [from, limit] : {std::pair(0, 4), std::pair(1, 3), std::pair(0, 3), std::pair(2, 3)}) {
        bool is_in_own_round = true;
        bool is_seen = false;
        std::map<std::pair<int, int>, int> times;
        for (int s = from; s < limit; ++s) {
          is_seen = is_seen || times.contains({s, s});  // the pivot of this round
          for (int wi = 0; wi < items; ++wi) {
            for (int ix = 0; ix < items; ++ix) {
              if (own.holds(wi, s) && element.holds(ix, s)) {
                ++times[{wi, ix}];
                is_in_own_round = is_in_own_round && wi == s;
              }
            }
          }
        }
        const bool is_once = std::ranges::all_of(times, [](const auto& one) { return one.second == 1; });
        const bool is_possible = is_in_own_round && is_once && !is_seen && !times.empty();
        check(divided(own, element, from, limit), is_possible ? 0 : 1, is_possible ? 1 : 0);
        put_off += is_possible ? 1 : 0;
      }
    }
  }
  CHECK(put_off > 20);
}

TEST_CASE("quotients are put off whose divisor is the item's, whatever makes it", "[cuda]") {
  const Part own = {"wi == %s", nullptr};
  const Part right = {"ix > %s", nullptr};
  const auto check_divisor = [&](const std::string& divisor, bool is_put_off) {
    check(divided(own, right, 0, 4, divisor), is_put_off ? 0 : 1, is_put_off ? 1 : 0);
  };
  check_divisor("%pivot", true);
  check_divisor("%ones", true);
  check_divisor("%outer", false);                                                                                  // made outside
  check_divisor("%sums", false);                                                                                   // each element's own
  check_divisor("%turned", false);                                                                                 // likewise
  check(with(divided(own, right, 0, 4), {{"select %keep, %quotient, %row", "select %keep, %load, %row"}}), 1, 0);  // nobody wants it
  // Other operations are no quotients.
  for (const char* other : {"fmul %row, %pivot", "fsub %row, %pivot", "fmin %row, %pivot"}) {
    check(with(divided(own, right, 0, 4), {{"fdiv %row, %pivot", other}}), 0, 0);
  }
  check(with(divided(own, right, 0, 4),
             {{"%keep : i1[wi 4 x ix 4] = mask { wi == %s, ix > %s }", "%keep : i1[wi 4 x ix 4] = flt %row, %load"}}),
        1, 0);
  check_divisor("%listed", false);  // a table, of which nobody asks more
}

TEST_CASE("quotients are put off of those elements alone that get one", "[cuda]") {
  const Part own = {"wi == %s", nullptr};
  const auto check_mask = [&](const char* elements, bool is_put_off) {
    check(divided(own, {elements, nullptr}, 0, 4), is_put_off ? 0 : 1, is_put_off ? 1 : 0);
  };
  check_mask("ix > wi", true);
  check_mask("ix > wi + %s", true);
  check_mask("ix >= wi*%s", true);
  check_mask("ix > %k", false);  // who knows
  // A choice within: the elements for which it says something else are none.
  const auto check_inner = [&](const std::string& mask, const std::string& arms, bool is_put_off) {
    std::string text = divided(own, {"ix > %s", nullptr}, 0, 4);
    const std::string keep = "select %keep, %quotient, %row";
    text.replace(text.find(keep), keep.size(), "select %keep, %inner, %row");
    text.insert(text.find("    %next"),
                fmt::format("    %some : i1[wi 4 x ix 4] = mask {{ {} }}\n    %inner : f64[wi 4 x ix 4] = select %some, {}\n", mask, arms));
    check(text, is_put_off ? 0 : 1, is_put_off ? 1 : 0);
  };
  check_inner("ix >= 0", "%quotient, %load", true);
  check_inner("ix < 0", "%load, %quotient", true);
  check_inner("wi <= %s", "%quotient, %load", true);
  check_inner("wi > %s", "%load, %quotient", true);
  check_inner("ix == 3", "%quotient, %load", false);
  check_inner("ix == 3", "%load, %quotient", false);
  check_inner("ix < 0", "%quotient, %load", false);  // nobody gets it
  check_inner("%k == 3", "%quotient, %load", false);
  // Each item once, but in another one's round.
  std::string text = divided({"wi >= 0", nullptr}, {"ix >= 0", nullptr}, 0, 4, "%of_item",
                             "    %some : i1[wi 4 x ix 4] = mask { wi == 3 - %s }\n"
                             "    %inner : f64[wi 4 x ix 4] = select %some, %quotient, %row\n");
  text = with(text, {{"select %keep, %quotient, %row", "select %keep, %inner, %row"},
                     {"    %quotient",
                      "    %in_round : f64[wi 4 x ix 1] = reorder %load { (wi, ix) <- (wi, %s) }\n"
                      "    %of_item : f64[wi 4 x ix 4] = spread %in_round\n    %quotient"}});
  check(text, 1, 0);
  check(with(text, {{"wi == 3 - %s", "wi == %s"}}), 0, 1);
}

TEST_CASE("of what is put off, only that is asked which differs from item to item", "[cuda]") {
  const auto comparisons = [](const std::string& text) {
    const infreg::Kernel deferred = emit_cuda::with_deferred_quotients(infreg::parsed(text));
    for (const infreg::Operation& operation : deferred.regions[deferred.body].operations) {
      const auto* mask = std::get_if<infreg::Mask>(&operation.node);
      if (mask != nullptr && deferred.values[operation.results.front()].name == "is_quotient") {
        return mask->all_of.size();
      }
    }
    return std::size_t{0};
  };
  CHECK(comparisons(ldu) == 1);                                // ix >= wi + 1
  CHECK(comparisons(with(ldu, {{"0 to 4", "1 to 4"}})) == 2);  // and wi >= 1
  CHECK(comparisons(with(ldu, {{"0 to 4", "1 to 3"}})) == 3);  // and wi < 3
}

TEST_CASE("quotients are put off unless a choice may bring one to a divisor", "[cuda]") {
  const Part own = {"wi == %s", nullptr};
  const Part right = {"ix > %s", nullptr};
  const auto check_choice = [&](const std::string& mask, const std::string& arms, bool is_put_off) {
    // The last round's item has kept that element.
    const std::string more = fmt::format(
        "    %late : i1[wi 4 x ix 4] = mask {{ {} }}\n    %chosen : f64[wi 4 x ix 4] = select %late, {}\n"
        "    %far : f64[wi 4 x ix 4] = reorder %chosen {{ (wi, ix) <- (%s - 1, %s) }}\n",
        mask, arms);
    std::string text = divided(own, right, 1, 4, "%far", "");
    text.insert(text.find("    %quotient"), more);
    INFO(text);
    check(text, is_put_off ? 0 : 1, is_put_off ? 1 : 0);
  };
  for (const char* mask : {"%k > ix", "ix >= %k", "%k == 1", "%k != 1", "wg.ix == 0", "wg.ix != 0", "0 < wg.ix", "1 > %k", "1 <= %k"}) {
    check_choice(mask, "%load, %sums", true);
    check_choice(mask, "%load, %row", false);
    check_choice(mask, "%row, %load", false);
    check_choice(mask, "%row, %row", false);
  }
  for (const char* mask : {"ix >= 0", "%s > 0", "wi < 4", "ix <= 3, wi >= 0", "ix != 9", "ix*0 == 0"}) {
    check_choice(mask, "%load, %row", true);
    check_choice(mask, "%row, %load", false);
  }
  for (const char* mask : {"ix < 0", "%s > 3", "wi > 3", "ix <= 3, wi >= 4", "ix == 9", "ix*0 != 0"}) {
    check_choice(mask, "%load, %row", false);
    check_choice(mask, "%row, %load", true);
  }
}

TEST_CASE("quotients are put off if what else is made of the row is made of numbers that are there", "[cuda]") {
  const Part own = {"wi == %s", nullptr};
  const Part right = {"ix > %s", nullptr};
  // What is carried besides, of a number in each round.
  const auto check_carried = [&](const std::string& made, bool is_put_off) {
    std::string text = divided(own, right, 1, 4);
    const auto replace = [&](const std::string& what, const std::string& by) { text.replace(text.find(what), what.size(), by); };
    replace("%end : f64[wi 4 x ix 4] = for", "%end : f64[wi 4 x ix 4], %more : f64[wi 4 x ix 4] = for");
    replace("(%row = %load)", "(%row = %load, %kept = %load)");
    replace("    yield %next", made + "    yield %next, %carried");
    INFO(text);
    check(text, is_put_off ? 0 : 1, is_put_off ? 1 : 0);
  };
  const std::string type = "f64[wi 4 x ix 4]";
  const auto carried = [&](const std::string& how) { return "    %carried : " + type + " = " + how + "\n"; };
  check_carried(carried("fadd %kept, %load"), true);
  check_carried(carried("fadd %kept, %row"), false);
  check_carried(carried("fadd %row, %kept"), false);
  check_carried(carried("fneg %quotient"), false);
  check_carried(carried("fneg %next"), false);
  check_carried("    %as : i64[wi 4 x ix 4] = bitcast %row\n" + carried("bitcast %as"), false);
  check_carried("    %as : f32[wi 4 x ix 4] = convert %row\n" + carried("convert %as"), false);
  check_carried("    %as : f32[wi 4 x ix 4] = convert %load\n" + carried("convert %as"), true);
  check_carried(carried("reorder %row { (wi, ix) <- (%s, ix) }"), true);      // this round's item has its numbers
  check_carried(carried("reorder %row { (wi, ix) <- (%s - 1, 0) }"), true);   // left of the pivot nothing is divided
  check_carried(carried("reorder %row { (wi, ix) <- (%s - 1, 3) }"), false);  // right of it
  check_carried(carried("reorder %row { (wi, ix) <- (wi, ix) }"), false);
  check_carried(carried("reorder %row { (wi, ix) <- (0, ix) }"), true);  // the first item's round is left out
  check_carried(carried("reorder %row { (wi, ix) <- (1, ix) }"), false);
  check_carried(carried("reorder %row { (wi, ix) <- (%s - 2, 3) }"), false);  // in the last round alone
  check_carried(carried("reorder %row { (wi, ix) <- (wi, %k) }"), false);     // who knows
  check_carried(carried("reorder %row { (wi, ix) <- (%k, 0) }"), false);
  check_carried(carried("reorder %row { (wi, ix) <- (%k, 3) }"), false);
  check_carried(carried("reorder %kept { (wi, ix) <- (wi, %k) }"), true);
  check_carried(carried("reorder %row { (wi, ix) <- (wi, 0) }"), true);
  check_carried(carried("reorder %row { [0 x 16] }"), true);
  check_carried(carried("reorder %row { [6 x 16] }"), false);
  check_carried(carried("reorder %row { [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 4, _] }"), true);
  check_carried("    %own : f64[wi 4 x ix 1] = reorder %row { (wi, ix) <- (wi, 3) }\n" + carried("spread %own"), false);
  check_carried("    %own : f64[wi 4 x ix 1] = reorder %row { (wi, ix) <- (wi, 0) }\n" + carried("spread %own"), true);
  check_carried("    %of_all : f64[ix 1] = reorder %row { (ix) <- (1, 3) }\n" + carried("spread %of_all"), false);
  check_carried("    %of_all : f64[ix 1] = reorder %row { (ix) <- (3, 3) }\n" + carried("spread %of_all"), true);
  check_carried("    %less : i1[wi 4 x ix 4] = flt %row, %load\n" + carried("select %less, %load, %kept"), false);
  check_carried("    %less : i1[wi 4 x ix 4] = flt %kept, %load\n" + carried("select %less, %load, %kept"), true);
  // Operations that do more than compute are not followed.
  check_carried(carried("load %a [wi*4 + ix] contiguous"), false);
  check_carried("    %other : i1[ix 1] = any.group %keep, %keep\n" + carried("fneg %kept"), false);
}

TEST_CASE("loops within regions are looked at, too", "[cuda]") {
  const std::string body = R"(  %end : f64[wi 4 x ix 4], %last : f64[ix 4] = for)";
  const std::size_t from = ldu.find(body);
  const std::size_t end = ldu.find("  store %a");
  std::string text = ldu;
  text.replace(end, 0, "  yield %end\n}\n");
  text.insert(from, "%again : f64[wi 4 x ix 4] = for %t = 0 to 2 step 1 (%begin = %load) {\n");
  check(with(text, {{"(%row = %load", "(%row = %begin"}, {"contiguous, %end", "contiguous, %again"}}), 2, 0);
  const infreg::Kernel deferred = emit_cuda::with_deferred_quotients(
      infreg::parsed(with(text, {{"(%row = %load", "(%row = %begin"}, {"contiguous, %end", "contiguous, %again"}})));
  CHECK(std::ranges::any_of(deferred.values, [](const infreg::Value& value) { return value.name == "quotients"; }));
}

TEST_CASE("quotients that somebody looks at stay in the loop", "[cuda]") {
  // All items above the pivot's are divided as well, and so more than once.
  check(with(ldu, {{"ix >= %s + 1, wi >= %s", "ix >= %s + 1"}}), 2, 0);
  // The first item's row goes round in every round.
  check(with(ldu, {{"yield %next, %pivot", "%first : f64[ix 4] = reorder %row { (ix) <- (0, ix) }\n    yield %next, %first"}}), 2, 0);
  // The row above the pivot's is taken away.
  check(with(ldu, {{"reorder %row { (ix) <- (%s, ix) }", "reorder %row { (ix) <- (%s - 1, ix) }"}, {"0 to 4", "1 to 4"}}), 2, 0);
  // The quotient is what is carried besides.
  check(with(ldu, {{"yield %next, %pivot", "%first : f64[ix 4] = reorder %quotient { (ix) <- (%s, ix) }\n    yield %next, %first"}}), 2, 0);
  // Each element has a divisor of its own.
  check(with(ldu, {{"%divisor : f64[wi 4 x ix 4] = reorder %pivot { (wi, ix) <- (%s) }",
                    "%divisor : f64[wi 4 x ix 4] = reorder %pivot { (wi, ix) <- (ix) }"}}),
        2, 0);
  // Rounds in another order.
  check(with(ldu, {{"0 to 4 step 1", "0 to 4 step 2"}}), 2, 0);
}
