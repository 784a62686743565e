// Where lanes do not meet, none of them touches a cell that another one has touched: against all cells of small loops, counted one by one.

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <string>

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
