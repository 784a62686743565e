// Loads that stand in front of loops: the same numbers by the evaluator, and none where a load might be another one, or none at all.

#include "codegen/emit/cuda/hoisting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/verify.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;

namespace {

/// Each of 7 rounds adds up the same 5 numbers.
const std::string sums = R"(kernel @sums(%a: ptr<i32>, %b: ptr<f64>) wg_size 4 wg_pack 1 {
  %i : i64[wi 4 x ix 1] = index { wi }
  %c : i64[wi 4 x ix 1] = constant 3
  %is : i1[wi 4 x ix 1] = lt %i, %c
  %none : f64[wi 4 x ix 1] = constant 0.5
  %end : f64[wi 4 x ix 1] = for %j = 0 to 7 step 1 (%sum = %none) {
    %more : f64[wi 4 x ix 1] = for %k = 0 to 5 step 1 (%part = %sum) {
      %load : i32[wi 4 x ix 1] = load %a [wg.ix*20 + wi + %k*4] contiguous, %is
      %number : f64[wi 4 x ix 1] = convert %load
      %next : f64[wi 4 x ix 1] = fma %part, %none, %number
      yield %next
    }
    yield %more
  }
  store %b [wg.ix*4 + wi] contiguous, %end, %is
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

/// How many such operations there are outside of loops.
template <class Node>
int count_outside(const infreg::Kernel& kernel) {
  return static_cast<int>(std::ranges::count_if(kernel.regions[kernel.body].operations, [](const infreg::Operation& operation) {
    return std::holds_alternative<Node>(operation.node);
  }));
}

/// In all regions.
std::ptrdiff_t count_loads(const infreg::Kernel& kernel) {
  std::ptrdiff_t count = 0;
  for (const infreg::Region& region : kernel.regions) {
    count += std::ranges::count_if(region.operations,
                                   [](const infreg::Operation& operation) { return std::holds_alternative<infreg::Load>(operation.node); });
  }
  return count;
}

std::vector<infreg::Buffer> results_of(const infreg::Kernel& kernel) {
  std::vector<infreg::Buffer> memory = {infreg::make_buffer(ScalarType::Int, 96), infreg::make_buffer(ScalarType::Double, 8)};
  for (std::int32_t k = 0; k < 96; ++k) {
    const std::int32_t number = k * 37 % 19 - 7;
    std::memcpy(&memory[0].bytes[4 * static_cast<std::size_t>(k)], &number, 4);
  }
  std::vector<Argument> arguments = {BufferNumber{0}, BufferNumber{1}};
  if (kernel.parameters.size() > 2) {
    arguments.emplace_back(ScalarBits{3});
  }
  const infreg::Outcome outcome = infreg::evaluate(kernel, arguments, memory, {.groups = 2, .limits = {}, .observer = {}});
  REQUIRE(std::holds_alternative<infreg::Finished>(outcome.end));
  return memory;
}

/// Loads outside of loops, and conversions.
void check(const std::string& text, int outside, int converted) {
  const infreg::Kernel kernel = infreg::verified(text);
  const infreg::Kernel hoisted = emit_cuda::with_hoisted_loads(kernel);
  INFO(infreg::print(hoisted));
  CHECK(infreg::verify(hoisted).empty());
  CHECK(count_outside<infreg::Load>(hoisted) == outside);
  CHECK(count_outside<infreg::Convert>(hoisted) == converted);
  CHECK(count_loads(hoisted) == count_loads(kernel));  // none is left behind
  const std::vector<infreg::Buffer> expected = results_of(kernel);
  const std::vector<infreg::Buffer> found = results_of(hoisted);
  CHECK(found[0].bytes == expected[0].bytes);
  CHECK(found[1].bytes == expected[1].bytes);
}

}  // namespace

TEST_CASE("loads that are the same in all rounds stand in front of them", "[cuda]") {
  check(sums, 1, 1);
  check(with(sums, {{" contiguous, %is", " contiguous"}}), 1, 1);
  check(with(sums, {{"fma %part, %none, %number", "fma %number, %none, %number"}}), 1, 1);
  check(with(sums, {{"for %k = 0 to 5", "for %k = 0 to 1"}}), 1, 1);
  check(with(sums, {{"wi + %k*4]", "wi + %k*4 + %n]"}, {"%b: ptr<f64>", "%b: ptr<f64>, %n: i64"}}), 1, 1);
  check(with(sums, {{"wi + %k*4]", "wi*4 + %k*%k]"}, {"contiguous, %is", "gather, %is"}}), 1, 1);
}

TEST_CASE("of a loop within a loop within a loop, loads stand as far in front as they are the same", "[cuda]") {
  const std::string outer = "  %whole : f64[wi 4 x ix 1] = for %i2 = 0 to 2 step 1 (%begin = %none) {\n";
  std::string text = sums;
  text.insert(text.find("  store %b"), "    yield %end\n  }\n");
  text.insert(text.find("  %end :"), outer);
  text = with(text, {{"(%sum = %none)", "(%sum = %begin)"}, {"contiguous, %end, %is", "contiguous, %whole, %is"}});
  check(text, 0, 0);  // in front of the loop over %j
  const infreg::Kernel hoisted = emit_cuda::with_hoisted_loads(infreg::verified(text));
  CHECK(std::ranges::any_of(hoisted.values, [](const infreg::Value& value) { return value.name == "hoisted"; }));
}

TEST_CASE("of two loops each has what is the same in its own rounds", "[cuda]") {
  // The second one stores, the first one does not, and the other way round.
  const std::string second = R"(  for %l = 0 to 7 step 1 {
    store %a [wg.ix*20 + wi] contiguous, %stored
  }
)";
  const std::string constant = "  %stored : i32[wi 4 x ix 1] = constant 9\n";
  check(with(sums, {{"  %none :", constant + "  %none :"}, {"  store %b", second + "  store %b"}}), 1, 1);
  check(with(sums, {{"  %none :", constant + second + "  %none :"}}), 1, 1);
}

TEST_CASE("a thread has room for a number of loads", "[cuda]") {
  // 12 rounds of 8 loads as doubles are 192 registers, of two words each.
  const auto text = [](int loads, int rounds) {
    std::string body;
    std::string last = "%part";
    for (int k = 0; k < loads; ++k) {
      body += fmt::format(
          "      %load{0} : i32[wi 4 x ix 1] = load %a [wi + %k*4 + {0}] contiguous\n"
          "      %number{0} : f64[wi 4 x ix 1] = convert %load{0}\n      %sum{0} : f64[wi 4 x ix 1] = fadd {1}, %number{0}\n",
          k, last);
      last = fmt::format("%sum{}", k);
    }
    const std::size_t from = sums.find("      %load");
    const std::size_t end = sums.find("      yield %next");
    std::string whole = sums;
    whole.replace(from, end - from, body);
    return with(whole, {{"0 to 5 step 1", fmt::format("0 to {} step 1", rounds)}, {"yield %next", "yield " + last}});
  };
  check(text(2, 5), 2, 2);
  check(text(7, 12), 7, 7);
  check(text(9, 12), 8, 8);
  check(text(8, 13), 7, 7);
  check(text(1, 15), 1, 1);
  check(text(1, 16), 1, 1);
  check(text(1, 17), 0, 0);  // of so many rounds none is written out
  // As they are, each has one word.
  std::string body;
  for (int k = 0; k < 13; ++k) {
    body += fmt::format(
        "      %load{0} : i32[wi 4 x ix 1] = load %a [wi + %k*4 + {0}] contiguous\n"
        "      %twice{0} : i32[wi 4 x ix 1] = add %load{0}, %load{0}\n",
        k);
  }
  check(with(sums, {{"      %load :", body + "      %load :"},
                    {"load %a [wg.ix*20 + wi + %k*4]", "load %a [wi + %j]"},
                    {"0 to 5 step 1", "0 to 16 step 1"}}),
        12, 0);
}

TEST_CASE("a load that is wanted as it is, too, is converted in the loop", "[cuda]") {
  check(with(sums, {{"      %next :",
                     "      %as : f64[wi 4 x ix 1] = convert %load\n      %more2 : f64[wi 4 x ix 1] = fadd %as, %number\n      %next :"},
                    {"%none, %number", "%none, %more2"}}),
        1, 0);
  check(with(sums, {{"      %next :",
                     "      %both : i32[wi 4 x ix 1] = neg %load\n      %as : f64[wi 4 x ix 1] = convert %both\n"
                     "      %more2 : f64[wi 4 x ix 1] = fadd %as, %number\n      %next :"},
                    {"%none, %number", "%none, %more2"}}),
        1, 0);
}

TEST_CASE("a load of which a region within the loop wants the number too is not converted in front of it", "[cuda]") {
  const std::string text = with(sums, {{"      yield %next\n", R"(      %last : f64[wi 4 x ix 1] = for %l = 0 to 3 step 1 (%p = %next) {
        %whole : i32[wi 4 x ix 1] = xor %load, %load
        %again : f64[wi 4 x ix 1] = convert %load
        %q : f64[wi 4 x ix 1] = fadd %p, %again
        %w : f64[wi 4 x ix 1] = convert %whole
        %r : f64[wi 4 x ix 1] = fadd %q, %w
        yield %r
      }
      yield %last
)"}});
  check(text, 1, 0);
}

TEST_CASE("loads that are not stay where they are", "[cuda]") {
  // Another place in each round.
  check(with(sums, {{"wi + %k*4] contiguous", "wi + %k*4 + %j] contiguous"}}), 0, 0);
  // Something is stored in between.
  check(with(sums, {{"    yield %more\n", "    store %a [wg.ix*20 + wi] contiguous, %stored\n    yield %more\n"},
                    {"  %none :", "  %stored : i32[wi 4 x ix 1] = constant 9\n  %none :"}}),
        0, 0);
  // Maybe there is no round.
  check(with(sums, {{"for %j = 0 to 7", "for %j = 7 to 7"}}), 0, 0);
  check(with(sums, {{"for %k = 0 to 5", "for %k = 0 to 0"}}), 0, 0);
  check(with(sums, {{"for %j = 0 to 7", "for %j = 0 to %n"}, {"%b: ptr<f64>", "%b: ptr<f64>, %n: i64"}}), 0, 0);
  check(with(sums, {{"for %j = 0 to 7", "for %j = 0 to %n + 7"}, {"%b: ptr<f64>", "%b: ptr<f64>, %n: i64"}}), 0, 0);
  check(with(sums, {{"for %j = 0 to 7", "for %j = %n to 7"}, {"%b: ptr<f64>", "%b: ptr<f64>, %n: i64"}}), 0, 0);
  check(with(sums, {{"for %k = 0 to 5", "for %k = 0 to %n + 5"}, {"%b: ptr<f64>", "%b: ptr<f64>, %n: i64"}}), 0, 0);
  check(with(sums, {{"for %k = 0 to 5", "for %k = %n to 5"}, {"%b: ptr<f64>", "%b: ptr<f64>, %n: i64"}}), 0, 0);
  check(with(sums, {{"for %k = 0 to 5 step 1", "for %k = 0 to 5 step 2"}}), 0, 0);
  check(with(sums, {{"for %k = 0 to 5", "for %k = 1 to 5"}}), 0, 0);
  // Places of which more than indices has to be known.
  const std::string load = "load %a [wg.ix*20 + wi + %k*4] contiguous, %is";
  const auto load_from = [&](const std::string& place, const std::string& before = "") {
    check(with(sums, {{"  %i :", before + "  %i :"}, {load, "load " + place + ", %is"}}), 0, 0);
  };
  load_from("%a [lanes %i] gather");
  load_from("%five [%k] strided", "  constant %five : i32[5] = [3, 1, 4, 1, 5]\n");
  load_from("%to [wi + %k*4] contiguous", "  %to : ptr = address %a\n");
  // Several elements an item.
  check(
      with(sums, {{load, "load %a [wg.ix*20 + wi + %k*4] contiguous, %is\n      %two : i32[wi 4 x ix 2] = load %a [wi + %k + ix] gather"}}),
      1, 1);
  // A condition that the outer loop makes.
  check(
      with(sums, {{"    %more :", "    %odd : i1[wi 4 x ix 1] = mask { wi > %j }\n    %more :"}, {"contiguous, %is", "contiguous, %odd"}}),
      0, 0);
}
