// Where lanes do not meet, none of them touches a cell that another one has touched: against all cells of small loops, counted one by one.

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "codegen/emit/cuda/emit.hpp"
#include "codegen/emit/cuda/plan.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;

namespace {

/// item * wi + element * ix + round * j + constant
struct Index {
  int item = 0;
  int element = 0;
  int round = 0;
  int constant = 0;

  int at(int wi, int ix, int j) const { return item * wi + element * ix + round * j + constant; }
};

std::string text(const Index& index) {
  const auto term = [](int factor, const char* name) { return fmt::format("{} {}*{}", factor < 0 ? " -" : " +", name, std::abs(factor)); };
  return std::to_string(index.constant) + term(index.item, "wi") + term(index.element, "ix") + term(index.round, "%j");
}

constexpr int rounds = 4;

/// Whether two items touch a cell, not both in one access of one round.
bool is_shared(const Index& load, const Index& store, int items, int elements) {
  std::map<int, int> item_of;
  for (int j = 0; j < rounds; ++j) {
    for (const Index& index : {load, store}) {
      for (int wi = 0; wi < items; ++wi) {
        for (int ix = 0; ix < elements; ++ix) {
          if (item_of.try_emplace(index.at(wi, ix, j), wi).first->second != wi) {
            return true;
          }
        }
      }
    }
  }
  return false;
}

}  // namespace

TEST_CASE("lanes that do not meet touch cells of their own", "[cuda]") {
  int without = 0;
  int own = 0;
  for (const int items : {4, 12, 40}) {
    for (const int elements : {1, 3}) {
      for (const int item : {1, -3, 4, 16}) {
        for (const int element : {0, 1, 5, 40}) {
          for (const int round : {0, 1, 4, -12, 64, 192}) {
            for (const Index& other : {Index{0, 0, 0, 0}, Index{0, 0, 0, 1}, Index{0, 0, 0, 12}, Index{1, 0, 0, 0}, Index{0, 1, 0, 0},
                                       Index{0, 0, 1, 0}, Index{0, 0, -64, 0}}) {
              const Index load{item, element, round, 1000};
              const Index store{item + other.item, element + other.element, round + other.round, 1000 + other.constant};
              const infreg::Kernel kernel =
                  infreg::verified(fmt::format("kernel @k(%a: ptr<i32>) wg_size {0} wg_pack 1 {{\n"
                                               "  for %j = 0 to {4} step 1 {{\n"
                                               "    %x : i32[wi {0} x ix {1}] = load %a [{2}] gather\n"
                                               "    store %a [{3}] gather, %x\n  }}\n}}\n",
                                               items, elements, text(load), text(store), rounds));
              INFO(infreg::print(kernel));
              const bool has_own = !is_shared(load, store, items, elements);
              own += has_own ? 1 : 0;
              if (emit_cuda::plan_of(kernel, kernel.shape).meetings.empty()) {
                ++without;
                REQUIRE(has_own);
              }
            }
          }
        }
      }
    }
  }
  // More than half of those that need no meeting are found.
  REQUIRE(without > own / 2);
}

TEST_CASE("lanes meet where more than polynomials says which cells they touch", "[cuda]") {
  const auto meets = [](const std::string& accesses) {
    const infreg::Kernel kernel = infreg::verified(R"(kernel @k(%a: ptr<i32>, %n: i64) wg_size 8 wg_pack 1 {
  private %p : i32[4]
  local %s : i32[8]
  local %t : i32[8]
  %i : i64[wi 8 x ix 1] = index { 7 - wi - wi }
  %to : ptr = address %a
  %to_all : ptr[wi 8 x ix 1] = spread %to
  %item : ptr[wi 8 x ix 1] = offset i32 %to_all, %i
  %x : i32[wi 8 x ix 1] = index { wi }
)" + accesses + "}\n");
    return !emit_cuda::plan_of(kernel, kernel.shape).meetings.empty();
  };
  const std::string own = "  store %a [wi + 8] contiguous, %x\n";
  const auto load = [](const std::string& place) { return "  %y : i32[wi 8 x ix 1] = load " + place + " gather\n"; };
  CHECK(!meets(own + load("%a [wi + 8]")));
  CHECK(meets(own + load("%a [wi + 9]")));
  CHECK(meets("  store %a [wi*%n + wi] gather, %x\n" + load("%a [wi*%n + wi]")));
  // Whatever both have in common does not matter.
  for (const char* place : {"%a [wg.ix*3 + wi]", "%a [%n + wi]", "%a [wg.ix*%n*5 + 1 - wi]", "%a [wi*2 - %n*7]"}) {
    CHECK(!meets(fmt::format("  store {} gather, %x\n", place) + load(place)));
  }
  CHECK(meets("  store %a [wg.ix*3 + wi] gather, %x\n" + load("%a [wg.ix*4 + wi]")));
  CHECK(meets("  store %a [%n + wi] gather, %x\n" + load("%a [wi]")));
  CHECK(meets("  store %a [3] gather, %x\n" + load("%a [3]")));
  // Places that are found late, on either side.
  CHECK(meets(own + load("%a [wi + 8, lanes %i]")));
  CHECK(meets("  store %a [wi + 8, lanes %i] gather, %x\n" + load("%a [wi + 8]")));
  CHECK(meets("  store %a [wi + 8, lanes %i] gather, %x\n" + load("%a [wi + 8, lanes %i]")));
  CHECK(meets("  store %item [wi + 8] gather, %x\n" + load("%item [wi + 8]")));
  CHECK(meets("  store %to [wi + 8] gather, %x\n" + load("%a [wi + 8]")));
  // Pointers may point to what the group shares.
  const std::string shared = "  %of_s : ptr[ix 1] = address %s\n  %to_s : ptr[wi 8 x ix 1] = spread %of_s\n";
  CHECK(meets(shared + "  store %s [wi] contiguous, %x\n" + load("%to_s [7 - wi]")));
  CHECK(meets(shared + "  store %to_s [wi] gather, %x\n" + load("%s [7 - wi]")));
  CHECK(!meets("  store %s [wi] contiguous, %x\n" + load("%a [7 - wi]")));
  CHECK(!meets("  store %s [wi] contiguous, %x\n" + load("%t [7 - wi]")));
  CHECK(meets("  store %t [wi] contiguous, %x\n" + load("%t [7 - wi]")));
  CHECK(!meets("  store %a [wi] contiguous, %x\n" + load("%s [7 - wi]")));
  // A private array is the item's own, and no pointer of all items leads there.
  CHECK(!meets("  store %p [0] strided, %x\n" + load("%to [wi]")));
  CHECK(!meets("  store %to [wi] gather, %x\n" + load("%p [0]")));
  // An index that is another one in each round, by a number that the round computes.
  const auto in_rounds = [&](const std::string& number) {
    return "  %same : i64 = index { %n*3 }\n  for %j = 0 to 9 step 1 {\n    %other : i64 = index { %j*3 }\n    store %a [wi + " + number +
           "] gather, %x\n  }\n";
  };
  CHECK(!meets(in_rounds("%same")));
  CHECK(meets(in_rounds("%other")));
  CHECK(meets(in_rounds("%j")));
  // What all items load and one stores, and the other way round.
  CHECK(meets(own + "  %g : i32 = load %a [9] strided\n"));
  CHECK(meets("  %g : i32 = load %a [9] strided\n" + own));
  // Nobody stores, or each to its own.
  CHECK(!meets(load("%a [wi]") + "  %z : i32[wi 8 x ix 1] = load %a [7 - wi] gather\n"));
  CHECK(!meets("  store %p [0] strided, %x\n" + load("%p [1]")));
  // An arm may have stored, and so may a round that there may have been.
  const auto in_arms = [](const std::string& then, const std::string& otherwise) {
    return "  %is : i1 = lt %n, %n\n  if %is {\n" + then + "  } else {\n" + otherwise + "  }\n";
  };
  CHECK(meets(in_arms(own, "") + load("%a [wi + 9]")));
  CHECK(meets(in_arms("", own) + load("%a [wi + 9]")));
  CHECK(!meets(in_arms(own, load("%a [wi + 9]"))));
  CHECK(meets("  for %j = 0 to %n step 1 {\n" + own + "  }\n" + load("%a [wi + 9]")));
  CHECK(meets(own + "  for %j = 0 to %n step 1 {\n" + load("%a [wi + 9]") + "  }\n"));
}

TEST_CASE("a group of one item has nobody to meet", "[cuda]") {
  for (const int items : {1, 2, 3, 32, 33, 1024}) {
    const infreg::Kernel kernel = infreg::verified(fmt::format(R"(kernel @k(%a: ptr<i32>) wg_size {0} wg_pack 1 {{
  %x : i32[wi {0} x ix 1] = load %a [wi + 1] contiguous
  store %a [wi] contiguous, %x
}}
)",
                                                               items));
    CHECK(emit_cuda::plan_of(kernel, kernel.shape).meetings.empty() == (items == 1));
  }
}

TEST_CASE("arms of a choice and rounds of a loop do not hide what was stored before", "[cuda]") {
  // Lanes meet in the arm, or in the round, that there may not be.
  const infreg::Kernel kernel = infreg::verified(R"(kernel @k(%a: ptr<i32>, %b: ptr<i32> restrict, %n: i64) wg_size 8 wg_pack 1 {
  %x : i32[wi 8 x ix 1] = index { wi }
  store %a [wi] contiguous, %x
  %is : i1 = lt %n, %n
  if %is {
    %y : i32[wi 8 x ix 1] = load %a [7 - wi] strided
    store %b [wi] contiguous, %y
  }
  %z : i32[wi 8 x ix 1] = load %a [7 - wi] strided
  store %a [wi + 8] contiguous, %z
  for %j = 0 to %n step 1 {
    %v : i32[wi 8 x ix 1] = load %a [15 - wi] strided
    store %b [wi] contiguous, %v
  }
  %w : i32[wi 8 x ix 1] = load %a [15 - wi] strided
  store %b [wi + 8] contiguous, %w
}
)");
  const auto& meetings = emit_cuda::plan_of(kernel, kernel.shape).meetings;
  CHECK(meetings.contains({kernel.body, 4}));
  CHECK(meetings.contains({kernel.body, 7}));
  CHECK(meetings.size() == 5);  // and in the arm, in the loop, and before the second store, whose cells nobody tells from those of the load
}

TEST_CASE("indices that wrap are no longer far from one another", "[cuda]") {
  const auto meets = [](const std::string& factor) {
    const std::string term = "%j*" + factor + " + %k*" + factor + " + %l*" + factor;
    const infreg::Kernel kernel = infreg::verified(fmt::format(R"(kernel @k(%a: ptr<i32>) wg_size 16 wg_pack 1 {{
  for %j = 0 to 4 step 1 {{
    for %k = 0 to 4 step 1 {{
      for %l = 0 to 4 step 1 {{
        %is : i1[wi 16 x ix 1] = mask {{ {0} < 1 }}
        %x : i32[wi 16 x ix 1] = load %a [wi + {0}] gather, %is
        store %a [wi + {0}] gather, %x, %is
      }}
    }}
  }}
}}
)",
                                                               term));
    return !emit_cuda::plan_of(kernel, kernel.shape).meetings.empty();
  };
  CHECK(!meets("16"));
  CHECK(!meets("1000003"));
  CHECK(meets("2305843009213693953"));   // 2^61 + 1, of which 8 are 8: another item's number
  CHECK(!meets("2305843009213694976"));  // 2^61 + 2^10: whatever wraps is a multiple of 2^10
}

TEST_CASE("a compiler is told that nobody else has to do with what a pointer leads to if nothing is stored there", "[cuda]") {
  const auto emitted = emit_cuda::emit(
      infreg::verified(R"(kernel @k(%a: ptr<i32> const restrict, %b: ptr<i32> restrict, %c: ptr<i32> const) wg_size 8 wg_pack 1 {
  %x : i32[wi 8 x ix 1] = load %a [wi] contiguous
  %y : i32[wi 8 x ix 1] = load %c [wi] contiguous
  %z : i32[wi 8 x ix 1] = add %x, %y
  store %b [wi] contiguous, %z
}
)"));
  REQUIRE(emitted);
  const auto has = [&](const std::string& text) { return emitted->source.find(text) != std::string::npos; };
  CHECK(has("const int32_t *__restrict__ a, int32_t *b, const int32_t *c"));
  CHECK(!has("__restrict__ b"));
  CHECK(!has("__restrict__ c"));
}
