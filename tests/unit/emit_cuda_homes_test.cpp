// Where numbers are, which loops are written out, and what `--explain` says of that: against loops that were run, and plans that were
// written by hand from docs/cuda.md.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <tuple>
#include <utility>

#include "codegen/emit/cuda/emit.hpp"
#include "codegen/emit/cuda/plan.hpp"
#include "codegen/emit/cuda/rewriting.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::emit_cuda;

namespace {

ValueId named(const Kernel& kernel, const std::string& name) {
  const auto found = std::ranges::find(kernel.values, name, &Value::name);
  REQUIRE(found != kernel.values.end());
  return static_cast<ValueId>(found - kernel.values.begin());
}

Home home_of(const Kernel& kernel, const std::string& name, const Choices& choices = {}) {
  return plan_of(kernel, kernel.shape, choices).homes[named(kernel, name)];
}

}  // namespace

TEST_CASE("between which numbers a loop's variable lies") {
  for (int from = -3; from <= 3; ++from) {
    for (int limit = -3; limit <= 3; ++limit) {
      for (const int step : {-3, -2, -1, 1, 2, 3}) {
        INFO(from << " to " << limit << " step " << step);
        const Kernel kernel =
            verified(fmt::format("kernel @k() wg_size 4 wg_pack 1 {{\n  for %j = {} to {} step {} {{\n  }}\n}}\n", from, limit, step));
        const emit_c::Range range = plan_of(kernel, kernel.shape).ranges.at(named(kernel, "j"));
        int least = from;
        int most = from;
        for (int j = from; step > 0 ? j < limit : j > limit; j += step) {
          least = std::min(least, j);
          most = std::max(most, j);
        }
        REQUIRE(range.lies_in(std::min(from, limit), std::max(from, limit)));
        REQUIRE(range.least <= least);
        REQUIRE(range.most >= most);
        if (step == 1 || step == -1) {
          REQUIRE(range.least == least);
          REQUIRE(range.most == most);
        }
      }
    }
  }
  const auto is_known = [](const std::string& from, const std::string& limit) {
    const Kernel kernel =
        verified(fmt::format("kernel @k(%n: i64) wg_size 4 wg_pack 1 {{\n  for %j = {} to {} step 1 {{\n  }}\n}}\n", from, limit));
    return plan_of(kernel, kernel.shape).ranges.contains(named(kernel, "j"));
  };
  REQUIRE(is_known("0", "7"));
  REQUIRE(!is_known("%n", "7"));
  REQUIRE(!is_known("0", "%n + 7"));
  REQUIRE(!is_known("0", "4000000000"));  // the variable would be no int
  REQUIRE(!is_known("0 - 4000000000", "7"));
}

TEST_CASE("a loop is unrolled where its variable chooses among registers of a thread") {
  const auto is_unrolled = [](unsigned items, unsigned elements, const std::string& pattern, const std::string& limit = "2") {
    const Kernel kernel = verified(fmt::format(R"(kernel @k(%a: ptr<i32>, %n: i64) wg_size {0} wg_pack 1 {{
  %x : i32[wi {0} x ix {1}] = load %a [wi*{1} + ix] contiguous
  for %j = 0 to {3} step 1 {{
    %y : i32[wi {0} x ix 1] = reorder %x {{ (wi, ix) <- {2} }}
    store %a [wi] contiguous, %y
  }}
}}
)",
                                               items, elements, pattern, limit));
    return !plan_of(kernel, kernel.shape).unrolled.empty();
  };
  for (const unsigned elements : {1U, 2U, 3U, 8U, 128U}) {
    CHECK(is_unrolled(4, elements, "(wi, %j)") == (elements > 1));
    CHECK(is_unrolled(4, elements, "(%j, 0)") == false);
  }
  CHECK(!is_unrolled(4, 129, "(wi, %j)"));  // an array in memory
  for (const unsigned items : {31U, 32U, 33U, 64U, 65U}) {
    CHECK(is_unrolled(items, 2, "(%j, 0)") == (items > 32));  // the group's vectors are registers
  }
  CHECK(!is_unrolled(65, 43, "(%j, 0)"));
  CHECK(!is_unrolled(4, 8, "(wi, %j)", "%n"));
  CHECK(is_unrolled(4, 8, "(wi, %j)", "0"));
}

TEST_CASE("a loop around one without rounds is written out in one piece") {
  const Kernel kernel = verified(R"(kernel @k(%a: ptr<i32>) wg_size 4 wg_pack 1 {
  %x : i32[wi 4 x ix 8] = load %a [wi*8 + ix] contiguous
  for %i = 0 to 5 step 1 {
    for %j = 3 to 3 step 1 {
      %y : i32[wi 4 x ix 1] = reorder %x { (wi, ix) <- (wi, %i + %j) }
      store %a [wi] contiguous, %y
    }
  }
}
)");
  REQUIRE(plan_of(kernel, kernel.shape).unrolled.at({kernel.body, 1}) == 5);
}

TEST_CASE("nobody sees the sign of a NaN that is rounded or compared") {
  const auto is_rounded = [](const std::string& use) {
    const Kernel kernel = verified(fmt::format(R"(kernel @k(%a: ptr<f32>, %b: ptr<i32>, %c: ptr<f64>) wg_size 4 wg_pack 1 {{
  %x : f32[wi 4 x ix 1] = load %a [wi] contiguous
  %m : i1[wi 4 x ix 1] = mask {{ wi > 1 }}
  %y : f32[wi 4 x ix 1] = fneg %x
  %abs : f32[wi 4 x ix 1] = fabs %x
  {}
  store %a [wi] contiguous, %abs
}}
)",
                                               use));
    const Plan plan = plan_of(kernel, kernel.shape);
    REQUIRE(!plan.rounded.contains(named(kernel, "abs")));  // it is stored
    return plan.rounded.contains(named(kernel, "y"));
  };
  for (const char* operation :
       {"fadd %x, %y", "fsub %y, %x", "fmul %x, %y", "fdiv %y, %x", "fma %x, %y, %x", "fma %x, %x, %y", "sqrt %y", "rcp %y"}) {
    CHECK(is_rounded(fmt::format("%z : f32[wi 4 x ix 1] = {}", operation)));
  }
  for (const char* operation : {"flt %x, %y", "fle %y, %x", "fgt %x, %y", "fge %x, %y", "feq %x, %y", "fne %y, %y"}) {
    CHECK(is_rounded(fmt::format("%z : i1[wi 4 x ix 1] = {}", operation)));
  }
  for (const char* operation :
       {"fmin %x, %y", "fmax %y, %x", "fneg %y", "fabs %y", "select %m, %y, %x", "reorder %y { (wi, ix) <- (0, 0) }"}) {
    CHECK(!is_rounded(fmt::format("%z : f32[wi 4 x ix 1] = {}", operation)));
  }
  CHECK(!is_rounded("%z : i32[wi 4 x ix 1] = bitcast %y"));
  CHECK(!is_rounded("%z : f64[wi 4 x ix 1] = convert %y"));
  CHECK(!is_rounded("store %a [wi] contiguous, %y"));
  CHECK(!is_rounded("%z : f32[wi 4 x ix 1] = fadd %x, %y\n  store %a [wi] contiguous, %y"));
  CHECK(!is_rounded("%z : f32[wi 4 x ix 1] = for %j = 0 to 2 step 1 (%c2 = %x) {\n    yield %y\n  }"));
}

TEST_CASE("a shuffle that all lanes choose alike stands in the choice") {
  // `inside`: where the choice is.
  const auto text = [](const std::string& pattern, const std::string& condition, const std::string& choice, const std::string& more = "") {
    return fmt::format(R"(kernel @k(%a: ptr<i32>, %n: i64) wg_size 8 wg_pack 1 {{
  %x : i32[wi 8 x ix 6] = load %a [wi*6 + ix] contiguous
  %m : i1[wi 8 x ix 6] = {1}
  %y : i32[wi 8 x ix 6] = reorder %x {{ (wi, ix) <- {0} }}
{3}  %z : i32[wi 8 x ix 6] = {2}
  store %a [wi*6 + ix] contiguous, %z
}}
)",
                       pattern, condition, choice, more);
  };
  const auto home = [&](const std::string& pattern, const std::string& condition, const std::string& choice, const std::string& more = "") {
    return home_of(verified(text(pattern, condition, choice, more)), "y");
  };
  const std::string same = "mask { ix < 3 }";
  const std::string then = "select %m, %y, %x";
  CHECK(home("(3, ix)", same, then) == Home::Expression);
  CHECK(home("(7 - wi, ix)", same, then) == Home::Expression);
  CHECK(home("(3, ix)", same, "select %m, %x, %y") == Home::Expression);
  // A condition that differs from item to item, or that is no mask.
  CHECK(home("(3, ix)", "mask { wi < 3 }", then) == Home::Element);
  CHECK(home("(3, ix)", "mask { ix < wi }", then) == Home::Element);
  CHECK(home("(3, ix)", "lt %x, %x", then) == Home::Element);
  // Nothing is shuffled, or more than once.
  CHECK(home("(wi, 5 - ix - wi)", same, then) == Home::Element);
  CHECK(home("(7 - wi, 5 - wi)", same, then) == Home::Registers);  // through memory
  CHECK(home("(3, ix)", same, "add %y, %x") == Home::Element);
  // It is wanted by others too.
  CHECK(home("(3, ix)", same, "select %m, %y, %y") == Home::Element);
  CHECK(home("(3, ix)", same, then, "  %w : i32[wi 8 x ix 6] = add %y, %x\n") == Home::Element);
  CHECK(home("(3, ix)", same, then, "  %w : i32[wi 8 x ix 1] = reorder %x { (wi, ix) <- (3, 2) }\n  store %a [wi] contiguous, %w\n") ==
        Home::Registers);  // `w` is among those
  // The choice is made again and again.
  CHECK(home("(3, ix)", same, "for %j = 0 to %n step 1 (%s = %x) {\n    %t : i32[wi 8 x ix 6] = select %m, %y, %s\n    yield %t\n  }") ==
        Home::Registers);
}

TEST_CASE("a store is in the loop that computes its number, behind rows too") {
  const Kernel kernel = verified(R"(kernel @k(%a: ptr<f32>, %b: ptr<f32> restrict) wg_size 8 wg_pack 1 {
  %x : f32[wi 8 x ix 16] = load %a [wi*16 + ix] contiguous
  %row : f32[wi 8 x ix 16] = reorder %x { (wi, ix) <- (3, ix) }
  %sum : f32[wi 8 x ix 16] = fadd %row, %x
  store %b [wi*16 + ix] contiguous, %sum
}
)");
  REQUIRE(plan_of(kernel, kernel.shape).rows.size() == 1);
  CHECK(home_of(kernel, "row") == Home::Element);
  CHECK(home_of(kernel, "sum") == Home::Element);
}

TEST_CASE("what costs nothing is computed where it is used") {
  const Kernel kernel = verified(R"(kernel @k(%a: ptr<i64>, %n: i64) wg_size 4 wg_pack 1 {
  private %p : i64[4]
  %load : i64[wi 4 x ix 2] = load %a [wi*2 + ix] contiguous
  %constant : i64[wi 4 x ix 2] = constant 5
  %poison : i64[wi 4 x ix 2] = poison
  %index : i64[wi 4 x ix 2] = index { wi*2 + ix }
  %mask : i1[wi 4 x ix 2] = mask { wi < ix }
  %lanes : i64[wi 4 x ix 2] = lanes [1, 2, 3, 4, 5, 6, 7, 8]
  %groups : u64 = num_groups
  %spread : i64[wi 4 x ix 2] = spread %n
  %address : ptr[wi 4 x ix 1] = address %p
  %own : i64[wi 4 x ix 2] = reorder %load { (wi, ix) <- (wi, 1 - ix) }
  %sum : i64[wi 4 x ix 2] = add %index, %spread
}
)");
  const Plan plan = plan_of(kernel, kernel.shape);
  for (const char* name : {"constant", "poison", "index", "mask", "lanes", "groups", "spread", "address", "own"}) {
    INFO(name);
    CHECK(plan.homes[named(kernel, name)] == Home::Expression);
  }
  for (const char* name : {"sum", "load"}) {
    CHECK(plan.homes[named(kernel, name)] == Home::Element);
  }
}

TEST_CASE("all that was chosen can be read") {
  const auto emitted = emit_cuda::emit(verified(R"(kernel @k(%a: ptr<f32>, %b: ptr<f32>, %n: i64) wg_size 8 wg_pack 1 {
  %x : f32[wi 8 x ix 16] = load %a [wi*16 + ix] contiguous
  %zero : f32[wi 8 x ix 1] = constant 0
  %first : f32[wi 8 x ix 16] = reorder %x { (wi, ix) <- (2, ix) }
  %second : f32[wi 8 x ix 16] = reorder %x { (wi, ix) <- (5, ix) }
  %both : f32[wi 8 x ix 16] = fadd %first, %second
  %end : f32[wi 8 x ix 1] = for %s = 0 to 4 step 1 (%so_far = %zero) {
    %own : f32[wi 8 x ix 1] = reorder %both { (wi, ix) <- (wi, %s) }
    %top : f32[wi 8 x ix 1] = reorder %both { (wi, ix) <- (0, 3) }
    %more : f32[wi 8 x ix 1] = fma %own, %top, %so_far
    yield %more
  }
  store %a [7 - wi] strided, %end
  %one : f32 = constant 1
  store %b [0] strided, %one
  store %b [0] gather, %end
}
)"));
  REQUIRE(emitted);
  REQUIRE(emitted->explain == R"(k: slots of 8 lanes, 4 in a warp; 1 group and 1 vector in a thread
  x: 16 registers, 4 elements at a time, by all lanes, of 16 of each row
  zero: where it is used
  first: element by element, row, all items store theirs before, 4 elements at a time
  second: element by element, row, 4 elements at a time
  both: 16 registers
  loop over s: unrolled, 4 rounds at a time, as it counts registers
  end: a register
  the lanes of a slot meet
  store of end: own
  one: where it is used
  the lanes of a slot meet
  store of one: one
  the lanes of a slot meet
  store of end: last
  own: where it is used, register
  top: element by element, broadcast
  more: a register
)");
}

TEST_CASE("each loop over elements has a width of its own") {
  const auto emitted = emit_cuda::emit(verified(R"(kernel @k(%a: ptr<f32>, %b: ptr<f64>, %c: ptr<i16>) wg_size 8 wg_pack 1 {
  %x : f32[wi 8 x ix 4] = load %a [wi*4 + ix] contiguous
  store %a [wi*4 + ix] contiguous, %x
  %y : f64[wi 8 x ix 4] = load %b [wi*4 + ix] contiguous
  store %b [wi*4 + ix] contiguous, %y
  %z : i16[wi 8 x ix 4] = load %c [wi*4 + ix] contiguous
  store %c [wi*4 + ix] contiguous, %z
}
)"));
  REQUIRE(emitted);
  REQUIRE(emitted->explain == R"(k: slots of 8 lanes, 4 in a warp; 1 group and 1 vector in a thread
  x: 4 registers, 4 elements at a time
  store of x: own, 4 elements at a time
  y: 4 registers, 2 elements at a time, by all lanes, of 4 of each row
  store of y: own, 2 elements at a time, by all lanes, of 4 of each row
  z: 4 registers
  store of z: own
)");
}

TEST_CASE("what threads leave by can be read") {
  const auto emitted = emit_cuda::emit(verified(R"(kernel @k(%a: ptr<i64>, %n: i64) wg_size 8 wg_pack 1 {
  %i : i64[wi 8 x ix 1] = index { wi }
  %all : i64[wi 8 x ix 1] = spread %n
  %is : i1[wi 8 x ix 1] = lt %i, %all
  store %a [wi] contiguous, %i, %is
}
)"));
  REQUIRE(emitted);
  REQUIRE(emitted->explain.ends_with("  is: element by element\n  threads without it leave\n  store of i: own\n"));
}

TEST_CASE("values that are added have names of their own") {
  Kernel kernel = verified("kernel @k(%n: i64) wg_size 8 wg_pack 1 {\n}\n");
  for (const char* name : {"m", "n.2", "n.3", "n.4"}) {
    CHECK(kernel.values[add_value(kernel, {index_element, Layout::pack()}, std::string(1, name[0]))].name == name);
  }
}

TEST_CASE("more than 128 elements in a thread lie in memory") {
  for (const auto& [items, elements, is_array] : {std::tuple(8, 2, false), std::tuple(8, 128, false), std::tuple(8, 129, true),
                                                  std::tuple(64, 64, false), std::tuple(64, 65, true)}) {
    const auto emitted = emit_cuda::emit(verified(fmt::format(R"(kernel @k(%a: ptr<i8>) wg_size {0} wg_pack 1 {{
  %x : i8[wi {0} x ix {1}] = load %a [wi*{1} + ix] contiguous
  %y : i8[wi {0} x ix {1}] = reorder %x {{ (wi, ix) <- (wi, {1} - 1 - ix) }}
  store %a [wi*{1} + ix] contiguous, %y
}}
)",
                                                              items, elements)));
    REQUIRE(emitted);
    CHECK(emitted->explain.contains("numbers in memory") == is_array);
    CHECK(emitted->source.contains("LOCKSTEP_ROLLED") == is_array);
    CHECK(emitted->source.contains("LOCKSTEP_UNROLL") != is_array);
  }
}

TEST_CASE("what is chosen by all lanes alike is shuffled in that case alone") {
  const auto source = [](const std::string& condition) {
    const auto emitted = emit_cuda::emit(verified(fmt::format(R"(kernel @k(%a: ptr<i32>) wg_size 8 wg_pack 1 {{
  %x : i32[wi 8 x ix 6] = load %a [wi*6 + ix] contiguous
  %m : i1[wi 8 x ix 6] = mask {{ {} }}
  %y : i32[wi 8 x ix 6] = reorder %x {{ (wi, ix) <- (3, ix) }}
  %z : i32[wi 8 x ix 6] = select %m, %y, %x
  store %a [wi*6 + ix] contiguous, %z
}}
)",
                                                              condition)));
    REQUIRE(emitted);
    return emitted->source;
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(source("ix < 3"), Contains("? v::of_lane(") && !Contains("v::choose"));
  CHECK_THAT(source("wi < 3"), Contains(" = v::of_lane(") && Contains("v::choose<int32_t>("));
}

TEST_CASE("what is picked is found among registers one after the other") {
  for (const unsigned elements : {2U, 3U, 6U}) {
    const auto emitted = emit_cuda::emit(verified(fmt::format(R"(kernel @k(%a: ptr<i32>) wg_size 8 wg_pack 1 {{
  %x : i32[wi 8 x ix {0}] = load %a [wi*{0} + ix] contiguous
  %y : i32[wi 8 x ix 1] = reorder %x {{ (wi, ix) <- (wi, wi) }}
  store %a [wi] contiguous, %y
}}
)",
                                                              elements)));
    REQUIRE(emitted);
    CHECK(emitted->source.contains(fmt::format("for (int k = 0; k < {}; ++k) {{", elements)));
  }
}

TEST_CASE("an index is held within bounds where it may leave them") {
  for (const unsigned elements : {2U, 3U, 5U}) {
    for (const int factor : {-2, -1, 0, 1, 2}) {
      for (int constant = -2; constant <= 6; ++constant) {
        const auto emitted = emit_cuda::emit(verified(fmt::format(R"(kernel @k(%a: ptr<i32>) wg_size 4 wg_pack 1 {{
  %x : i32[wi 4 x ix {0}] = load %a [wi*{0} + ix] contiguous
  %y : i32[wi 4 x ix 3] = reorder %x {{ (wi, ix) <- (wi, {2} {3} ix*{1}) }}
  store %a [wi*3 + ix] contiguous, %y
}}
)",
                                                                  elements, std::abs(factor), constant, factor < 0 ? '-' : '+')));
        REQUIRE(emitted);
        bool is_within = true;
        for (int ix = 0; ix < 3; ++ix) {
          const int at = factor * ix + constant;
          is_within = is_within && at >= 0 && at < static_cast<int>(elements);
        }
        INFO(elements << " elements, " << constant << " and " << factor << " times the place");
        CHECK(emitted->source.contains("v::within") != is_within);
      }
    }
  }
}

TEST_CASE("loops that count registers are to be written out by compilers") {
  const auto emitted = emit_cuda::emit(verified(R"(kernel @k(%a: ptr<i32>) wg_size 4 wg_pack 1 {
  %x : i32[wi 4 x ix 4] = load %a [wi*4 + ix] contiguous
  for %s = 3 to 0 - 1 step -1 {
    %own : i32[wi 4 x ix 1] = reorder %x { (wi, ix) <- (wi, %s) }
    store %a [wi] contiguous, %own
  }
}
)"));
  REQUIRE(emitted);
  CHECK_THAT(emitted->source, Catch::Matchers::Contains("  LOCKSTEP_UNROLL\n  for (int s = 3; s > -1; --s) {\n"));
}
