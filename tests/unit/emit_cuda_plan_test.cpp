// What the CUDA emitter chooses, against all lanes of small groups counted one by one, and against plans that were written by hand.

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/emit/cuda/emit.hpp"
#include "codegen/emit/cuda/plan.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::emit_cuda;

namespace {

ValueId named(const Kernel& kernel, const std::string& name) {
  for (ValueId value = 0; value < kernel.values.size(); ++value) {
    if (kernel.values[value].name == name) {
      return value;
    }
  }
  FAIL("there is no value " << name);
  return 0;
}

std::string affine(const std::array<int, 3>& of) {
  const auto sign = [](int factor) { return factor < 0 ? '-' : '+'; };
  return fmt::format("{} {} wi*{} {} ix*{}", of[2], sign(of[0]), std::abs(of[0]), sign(of[1]), std::abs(of[1]));
}

int at(const std::array<int, 3>& of, int wi, int ix) { return of[0] * wi + of[1] * ix + of[2]; }

/// In operation `index` of the body.
OperationId in_body(const Kernel& kernel, std::uint32_t index) { return {kernel.body, index}; }

}  // namespace

TEST_CASE("the way of a reordering is possible for all lanes") {
  const std::vector<std::array<int, 3>> affines = {{1, 0, 0}, {0, 1, 0}, {0, 0, 2}, {1, 1, 0}, {0, 2, 1}, {-1, 0, 3}, {2, 0, 0}, {1, 0, 1}};
  std::map<Way, int> seen;
  for (const int items : {1, 4, 40}) {
    for (const int elements : {1, 4, 6}) {
      for (const auto& item : affines) {
        for (const auto& element : affines) {
          const Kernel kernel =
              verified(fmt::format("kernel @k(%a: ptr<i32>) wg_size {0} wg_pack 1 {{\n"
                                   "  %x : i32[wi {0} x ix {1}] = load %a [wi*{1} + ix] contiguous\n"
                                   "  %y : i32[wi {0} x ix {1}] = reorder %x {{ (wi, ix) <- ({2}, {3}) }}\n"
                                   "  store %a [wi*{1} + ix] contiguous, %y\n}}\n",
                                   items, elements, affine(item), affine(element)));
          const Plan plan = plan_of(kernel, kernel.shape);
          const Way way = plan.ways.at(named(kernel, "y"));
          ++seen[way];
          INFO(items << " items, " << elements << " elements, item " << affine(item) << ", element " << affine(element) << ": "
                     << name_of(way));
          bool are_own = true;
          bool are_one_item = true;
          bool are_one_element = true;
          for (int ix = 0; ix < elements; ++ix) {
            for (int wi = 0; wi < items; ++wi) {
              are_own = are_own && at(item, wi, ix) == wi;
              are_one_item = are_one_item && at(item, wi, ix) == at(item, 0, ix);
              are_one_element = are_one_element && at(element, wi, ix) == at(element, 0, ix);
              const bool is_there =
                  at(item, wi, ix) >= 0 && at(item, wi, ix) < items && at(element, wi, ix) >= 0 && at(element, wi, ix) < elements;
              if (!is_there) {
                continue;  // poison: nobody looks
              }
              const bool is_own = at(item, wi, ix) == wi;
              const bool same_element = at(element, wi, ix) == at(element, 0, ix);
              const bool same_item = at(item, wi, ix) == at(item, 0, ix);
              REQUIRE((way != Way::Register || (is_own && same_element)));
              REQUIRE((way != Way::Pick || is_own));
              REQUIRE((way != Way::Broadcast || (same_item && same_element)));
              REQUIRE((way != Way::Exchange || (same_element && items <= 32)));
            }
          }
          // The first way that is possible, those lanes counted too for which nothing is there.
          if (items > 1 && elements > 1) {
            const int registers = (are_one_item || items <= 32 ? 1 : 2) * (are_one_element ? 1 : elements);
            REQUIRE(way == (are_own && are_one_element        ? Way::Register
                            : are_own                         ? Way::Pick
                            : are_one_item && are_one_element ? Way::Broadcast
                            : are_one_element && items <= 32  ? Way::Exchange
                            : registers <= 4                  ? Way::Search
                                                              : Way::Memory));
          }
        }
      }
    }
  }
  for (const Way way : {Way::Register, Way::Pick, Way::Broadcast, Way::Exchange, Way::Search, Way::Memory}) {
    REQUIRE(seen[way] > 0);
  }
}

TEST_CASE("lanes that store at once do not meet") {
  int own = 0;
  for (const int items : {1, 3, 40}) {
    for (const int elements : {1, 4}) {
      for (const int slope : {-8, -1, 0, 1, 3, 4, 12}) {
        for (const int element_slope : {-4, 0, 1, 2, 3, 160}) {
          const Kernel kernel =
              verified(fmt::format("kernel @k(%a: ptr<i32>, %v: i32) wg_size {0} wg_pack 1 {{\n"
                                   "  %x : i32[wi {0} x ix {1}] = spread %v\n"
                                   "  store %a [wg.ix*9 + {2}] gather, %x\n}}\n",
                                   items, elements, affine({slope, element_slope, 400})));
          const StoreWay way = plan_of(kernel, kernel.shape).stores.at(in_body(kernel, 1));
          std::set<int> cells;
          for (int wi = 0; wi < items; ++wi) {
            for (int ix = 0; ix < elements; ++ix) {
              cells.insert(slope * wi + element_slope * ix);
            }
          }
          INFO(items << " items, " << elements << " elements, slopes " << slope << " and " << element_slope << ": " << name_of(way));
          const bool is_apart = cells.size() == static_cast<std::size_t>(items) * static_cast<std::size_t>(elements);
          if (way == StoreWay::Own) {
            REQUIRE((is_apart || items == 1));  // the elements of one item are stored in their order
            ++own;
          }
          // What one item's elements lie between is no other one's, or what an element of all items lies between is no other one's.
          const bool is_in_pieces = is_apart && (std::abs(slope) > std::abs(element_slope) * (elements - 1) ||
                                                 std::abs(element_slope) > std::abs(slope) * (items - 1));
          REQUIRE((way == StoreWay::Own || !is_in_pieces));
          REQUIRE((way != StoreWay::Last || (elements == 1 && items <= 32)));
        }
      }
    }
  }
  REQUIRE(own > 40);
}

TEST_CASE("who stores where lanes may meet in a cell") {
  const auto way = [](const std::string& store, unsigned items = 8) {
    std::string text = R"(kernel @k(%a: ptr<i32>, %b: ptr<i32>, %n: i64) wg_size @I wg_pack 1 {
  private %p : i32[4]
  local %s : i32[64]
  %i : i64[wi @I x ix 1] = index { wi }
  %x : i32[wi @I x ix 1] = load %b [wi] contiguous
  %y : i32[wi @I x ix 3] = load %b [wi*3 + ix] contiguous
  %g : i32[ix 3] = load %b [ix] contiguous
  %c : i32 = constant 3
  %to : ptr = address %a
  %to_all : ptr[wi @I x ix 1] = spread %to
  %step : i64[wi @I x ix 1] = index { 0 - wi }
  %item : ptr[wi @I x ix 1] = offset i32 %to_all, %step
)" + store + "\n}\n";
    for (std::size_t found = text.find("@I"); found != std::string::npos; found = text.find("@I")) {
      text.replace(found, 2, std::to_string(items));
    }
    const Kernel kernel = verified(text);
    const Plan plan = plan_of(kernel, kernel.shape);
    REQUIRE(plan.stores.size() == 1);
    return plan.stores.begin()->second;
  };
  const auto masked = [&](const std::string& layout, const std::string& mask, const std::string& store, unsigned items = 8) {
    return way(fmt::format("  %m : i1[{}] = mask {{ {} }}\n  store {}, %m", layout, mask, store), items);
  };
  CHECK(way("store %a [wi] contiguous, %x") == StoreWay::Own);
  CHECK(way("store %a [0] gather, %x") == StoreWay::Last);
  CHECK(way("store %a [0] gather, %x", 33) == StoreWay::Turns);  // a thread has several items
  CHECK(way("store %a [0] gather, %y") == StoreWay::Turns);
  CHECK(way("store %p [0] strided, %x") == StoreWay::Own);
  CHECK(way("store %s [0] gather, %x") == StoreWay::Last);
  CHECK(way("store %s [wi] contiguous, %x") == StoreWay::Own);
  // What all have alike.
  CHECK(way("store %a [ix] contiguous, %g") == StoreWay::One);
  CHECK(way("store %a [0] strided, %c") == StoreWay::One);
  CHECK(way("store %a [0] strided, %c", 1) == StoreWay::Own);  // there is one lane
  CHECK(way("store %a [0] gather, %y", 1) == StoreWay::Own);
  CHECK(way("store %a [wi*%n + wi] gather, %x") == StoreWay::Last);  // %n may be -1
  CHECK(way("store %a [wi*wi] gather, %x") == StoreWay::Last);       // nobody looks that far
  // Where a polynomial is not all that is known of the place.
  CHECK(way("store %a [wi, lanes %i] gather, %x") == StoreWay::Last);
  CHECK(way("store %item [wi] gather, %x") == StoreWay::Last);
  CHECK(way("%q : ptr[ix 1] = address %s\n  store %item [wi] gather, %x") == StoreWay::Last);           // of the group, not of the item
  CHECK(way("%q : ptr[wi @I x ix 1] = address %p\n  store %item [wi] gather, %x") == StoreWay::Turns);  // it might point there
  // One item alone, or one for each element.
  CHECK(masked("wi 8 x ix 1", "wi == 2", "%a [0] gather, %x") == StoreWay::Own);
  CHECK(masked("wi 8 x ix 1", "wi == %n", "%a [0] gather, %x") == StoreWay::Own);
  CHECK(masked("wi 8 x ix 1", "%n > 3, wi == %n - 1", "%a [0] gather, %x") == StoreWay::Own);
  CHECK(masked("wi 8 x ix 3", "wi == 2", "%a [0] gather, %y") == StoreWay::Own);
  CHECK(masked("wi 8 x ix 3", "wi == ix + 1", "%a [ix] gather, %y") == StoreWay::Own);
  CHECK(masked("wi 8 x ix 3", "wi == ix + 1", "%a [wi] gather, %y") == StoreWay::Own);
  CHECK(masked("wi 8 x ix 3", "wi == ix + 1", "%a [0] gather, %y") == StoreWay::Turns);
  CHECK(masked("wi 8 x ix 3", "wi == 2 - ix", "%a [wi + ix] gather, %y") == StoreWay::Turns);
  CHECK(masked("wi 8 x ix 1", "wi >= 2", "%a [0] gather, %x") == StoreWay::Last);
  CHECK(masked("wi 8 x ix 1", "wi == wi", "%a [0] gather, %x") == StoreWay::Last);
  CHECK(masked("wi 8 x ix 1", "%n == 2", "%a [0] gather, %x") == StoreWay::Last);
  CHECK(masked("wi 8 x ix 1", "wi + 1 == 2", "%a [0] gather, %x") == StoreWay::Last);  // nobody looks that far
  CHECK(way("%m : i1[wi 8 x ix 1] = ne %x, %x\n  store %a [0] gather, %x, %m") == StoreWay::Last);
}

TEST_CASE("lanes meet between an access and another one to the same cells, and nowhere else") {
  const Kernel kernel = verified(R"(kernel @k(%a: ptr<i32>, %b: ptr<i32> restrict, %c: ptr<f32>, %n: i64) wg_size 8 wg_pack 1 {
  local %s : i32[8]
  private %p : i32[4]
  %x : i32[wi 8 x ix 1] = load %a [wi] contiguous
  store %s [wi] contiguous, %x
  %own : i32[wi 8 x ix 1] = load %s [wi] contiguous
  %other : i32[wi 8 x ix 1] = load %s [7 - wi] strided
  store %a [wi] contiguous, %other
  store %p [0] strided, %own
  %q : i32[wi 8 x ix 1] = load %p [0] strided
  store %b [7 - wi] strided, %q
  %f : f32[wi 8 x ix 1] = load %c [7 - wi] strided
  %y : i32[wi 8 x ix 1] = load %a [7 - wi] strided
  for %i = 0 to %n step 1 {
    %z : i32[wi 8 x ix 1] = load %b [7 - wi] strided
    store %b [wi] contiguous, %z
  }
}
)");
  const Plan plan = plan_of(kernel, kernel.shape);
  const auto meets = [&](std::uint32_t index) { return plan.meetings.contains(in_body(kernel, index)); };
  REQUIRE(!meets(1));  // %s after %a
  REQUIRE(!meets(2));  // its own cell
  REQUIRE(meets(3));   // another item's
  REQUIRE(!meets(4));  // its own cell
  REQUIRE(!meets(5));
  REQUIRE(!meets(6));  // private
  REQUIRE(!meets(7));  // restrict
  REQUIRE(!meets(8));  // another type
  REQUIRE(meets(9));   // behind the store of operation 4
  const RegionId body = std::get<For>(kernel.regions[kernel.body].operations[10].node).body;
  REQUIRE(plan.meetings.contains({body, 0}));  // the round before has stored
  REQUIRE(plan.meetings.contains({body, 1}));  // what others have loaded
}

TEST_CASE("a loop whose variable counts registers is unrolled, another one is not") {
  const Kernel kernel = verified(R"(kernel @k(%a: ptr<f64>) wg_size 4 wg_pack 1 {
  %x : f64[wi 4 x ix 4] = load %a [wi*4 + ix] contiguous
  %zero : f64[wi 4 x ix 1] = constant 0.0
  %sum : f64[wi 4 x ix 1] = for %s = 0 to 4 step 1 (%so_far = %zero) {
    %one : f64[wi 4 x ix 1] = reorder %x { (wi, ix) <- (wi, %s) }
    %next : f64[wi 4 x ix 1] = fadd %so_far, %one
    yield %next
  }
  %all : f64[wi 4 x ix 1] = for %t = 0 to 4 step 1 (%far = %sum) {
    %other : f64[wi 4 x ix 1] = reorder %sum { (wi, ix) <- (%t, 0) }
    %more : f64[wi 4 x ix 1] = fadd %far, %other
    yield %more
  }
  store %a [wi*4] strided, %all
}
)");
  const Plan plan = plan_of(kernel, kernel.shape);
  REQUIRE(plan.unrolled == std::map<OperationId, std::uint64_t>{{in_body(kernel, 2), 4}});
  REQUIRE(plan.ways.at(named(kernel, "one")) == Way::Register);
  REQUIRE(plan.ways.at(named(kernel, "other")) == Way::Broadcast);
}

TEST_CASE("groups share a warp, or have it in turn") {
  const auto geometry = [](unsigned items) { return geometry_of({items, 1}); };
  REQUIRE(geometry(1).slots == 32);
  REQUIRE(geometry(12).slots == 2);
  REQUIRE(geometry(20).slots == 1);
  REQUIRE(geometry(32).vectors == 1);
  REQUIRE(geometry(33).vectors == 2);
  REQUIRE(!geometry(33).is_full());
  REQUIRE(geometry(1024).vectors == 32);
  REQUIRE(geometry(1024).is_full());
}

TEST_CASE("what the emitter does not take is a sentence") {
  const auto refusal = [](const std::string& text, bool is_limit) {
    const auto emitted = emit_cuda::emit(verified(text));
    REQUIRE(!emitted);
    CHECK(emitted.error().is_limit == is_limit);  // campaigns count what is too large, and complain of the others
    return emitted.error().sentence;
  };
  REQUIRE(refusal("kernel @k() wg_size 1025 wg_pack 1 {\n}\n", true) == "WG_SIZE 1025: groups of the cuda target have at most 1024 items");
  REQUIRE(refusal("kernel @k() wg_size 4 wg_pack 2 {\n  local %s : f64[4096]\n}\n", true) ==
          "the __local objects of a pack of 'k' take 65536 bytes, more than the 49152 that a block of a GPU has");
  REQUIRE(refusal("kernel @k() wg_size 4 wg_pack 1 {\n  private %s : i8[131073]\n}\n", true) ==
          "a thread of 'k' would hold 131073 bytes of values, more than 131072");
  REQUIRE_THAT(refusal(R"(kernel @k() wg_size 4 wg_pack 1 {
  private %p : i32[4]
  %a : ptr[wi 4 x ix 1] = address %p
  %b : ptr[wi 4 x ix 1] = reorder %a { (wi, ix) <- (0, 0) }
})",
                       false),
               Catch::Matchers::Contains("a pointer goes from item to item"));
}
