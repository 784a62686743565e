// Rows that go as tiles: which, against what is counted one by one.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "codegen/emit/cuda/packs.hpp"
#include "codegen/emit/cuda/plan.hpp"
#include "tests/cuda/trial.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;
using cuda_trial::copying;

namespace {

struct Found {
  std::size_t tiles = 0;
  unsigned width = 0;
  unsigned piece = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Found&) const = default;
};

Found found(const infreg::Kernel& kernel, const emit_cuda::Choices& choices = {}) {
  const emit_cuda::Plan plan = emit_cuda::plan_of(kernel, kernel.shape, choices);
  Found result{plan.tiles.size(), 0, 0, plan.stage_bytes};
  for (const std::vector<emit_cuda::Run>& runs : plan.runs) {
    for (const emit_cuda::Run& run : runs) {
      if (plan.tiles.contains({kernel.body, run.last - 1}) || plan.tiles.contains({kernel.body, run.first})) {
        result.width = run.width;
        result.piece = run.piece;
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("rows of several pieces that lie apart go as tiles, where a slot's lanes have a line together", "[cuda]") {
  int tiles = 0;
  for (const unsigned items : {1U, 2U, 4U, 7U, 8U, 12U, 16U, 17U, 32U, 33U, 64U}) {
    for (const unsigned elements : {1U, 2U, 4U, 6U, 8U, 12U, 16U, 31U, 32U}) {
      for (const int more : {0, 1, 2, 4, -4}) {
        for (const int sign : {1, -1}) {
          for (const char* type : {"f32", "f64", "i16"}) {
            const int stride = sign * (static_cast<int>(elements) + more);
            const unsigned size = type == std::string("f64") ? 8 : 4;
            // What is moved at once: the largest number that all places of an item's first element are multiples of.
            const auto is_at_once = [&](unsigned width) {
              return elements % width == 0 && stride % static_cast<int>(width) == 0 && size * width <= 16;
            };
            const unsigned width = type == std::string("i16") ? 1 : is_at_once(4) ? 4 : is_at_once(2) ? 2 : 1;
            const bool expected = width > 1 && elements > width && more >= 0 && std::min(items, 32U) * width * size >= 128;
            INFO(items << " items, " << elements << " elements of " << type << ", " << stride << " from one to the next");
            CHECK(found(copying(items, elements, stride, type)).tiles == (expected ? 2 : 0));
            tiles += expected ? 1 : 0;
          }
        }
      }
    }
  }
  CHECK(tiles > 100);
}

TEST_CASE("a tile is as many pieces of each row as 4 KiB of a warp take", "[cuda]") {
  const auto of = [](unsigned items, unsigned elements, const std::string& type) {
    return found(copying(items, elements, static_cast<int>(elements), type));
  };
  // Elements at a time, pieces, and bytes of a slot: pieces of all rows, and a piece more as often as rows would begin in the same bank.
  CHECK(of(8, 8, "f32") == Found{2, 8, 4, (8 * 2 + 1) * 16});
  CHECK(of(16, 16, "f32") == Found{2, 16, 4, (16 * 4 + 7) * 16});
  CHECK(of(32, 32, "f32") == Found{2, 32, 4, (32 * 8 + 31) * 16});
  CHECK(of(32, 32, "f64") == Found{2, 16, 2, (32 * 8 + 31) * 16});
  CHECK(of(32, 64, "f32") == Found{2, 32, 4, (32 * 8 + 31) * 16});
  CHECK(of(32, 40, "f32") == Found{2, 20, 4, (32 * 5 + 3) * 16});
  CHECK(of(16, 16, "f64") == Found{2, 16, 2, (16 * 8 + 15) * 16});
  CHECK(of(12, 12, "f32") == Found{2, 12, 4, (12 * 3 + 2) * 16});  // slots that begin at lanes 0 and 12
  CHECK(of(20, 20, "f64") == Found{2, 20, 2, (20 * 10 + 4) * 16});
  CHECK(of(32, 6, "f32") == Found{2, 6, 2, (32 * 3 + 1) * 8});
  CHECK(of(64, 32, "f32") == Found{2, 32, 4, (32 * 8 + 31) * 16});
  CHECK(of(32, 44, "f32") == Found{2, 44, 4, (32 * 11 + 3) * 16});
  CHECK(of(32, 68, "f32").tiles == 0);   // 17 pieces are too many, and one of a row too few
  CHECK(of(32, 132, "f32").tiles == 0);  // an array in memory
  emit_cuda::Choices choices;
  choices.tiling = false;
  CHECK(found(copying(8, 8, 8, "f32"), choices) == Found{});
  choices = {};
  choices.widening = false;
  CHECK(found(copying(8, 8, 8, "f32"), choices) == Found{});
  // Where __local objects leave room, of as many slots as there are without.
  const auto beside = [](unsigned bytes) { return found(copying(32, 32, 32, "f32", fmt::format("  local %l : i8[{}]\n", bytes))); };
  CHECK(beside(7696) == Found{2, 32, 4, 4592});
  CHECK(beside(7704) == Found{2, 16, 4, (32 * 4 + 15) * 16});
  CHECK(beside(12288 - 2288) == Found{2, 16, 4, 2288});
  CHECK(beside(12288 - 2280).tiles == 0);
}

TEST_CASE("what is loaded in a loop of pieces beside a tile is moved by pieces", "[cuda]") {
  const infreg::Kernel kernel = infreg::verified(R"(kernel @k(%a: ptr<f32>, %b: ptr<f32> restrict) wg_size 32 wg_pack 1 {
  %x : f32[wi 32 x ix 16] = load %a [wi*16 + ix] contiguous
  %y : f32[wi 32 x ix 16] = load %a [ix + 1024] gather
  %z : f32[wi 32 x ix 16] = fadd %x, %y
  store %b [wi*16 + ix] contiguous, %z
}
)");
  const emit_cuda::Plan plan = emit_cuda::plan_of(kernel, kernel.shape);
  CHECK(plan.wide.size() == 3);
  CHECK(plan.tiles == std::set<infreg::OperationId>{{kernel.body, 0}, {kernel.body, 3}});
  const auto emitted = emit_cuda::emit(kernel);
  REQUIRE(emitted);
  CHECK(emitted->source.find("ix += 4") != std::string::npos);
  CHECK(emitted->explain.find("4 elements at a time, by all lanes, of 16 of each row") != std::string::npos);
}

TEST_CASE("for a tile all slots of a warp meet, but not where they may go different ways", "[cuda]") {
  const auto has = [](unsigned items, const std::string& text, const std::string& before = "") {
    const std::string row = fmt::format("[wi {} x ix 8]", items);
    const auto emitted =
        emit_cuda::emit(infreg::verified(fmt::format("kernel @k(%a: ptr<f64>, %b: ptr<f64>, %n: i64) wg_size {0} wg_pack 1 {{\n  {2}%x : "
                                                     "f64{1} = load %a [wg.ix*{3} + wi*8 + ix] contiguous\n"
                                                     "  store %b [wg.ix*{3} + wi*8 + ix] contiguous, %x\n  {4}}}\n",
                                                     items, row, before, 8 * items, before.empty() ? "" : "}\n")));
    REQUIRE(emitted);
    return emitted->source.find(text) != std::string::npos;
  };
  const std::string loop = "for %j = 0 to %n step 1 {\n  ";
  CHECK(has(8, "v::see_others(slot, group, num_groups, 8, 4);"));
  CHECK(has(12, "v::see_others(slot, group, num_groups, 12, 2);"));
  CHECK(has(8, "v::meet(v::with_others(slot));"));
  CHECK(!has(8, "v::meet(slot);"));
  CHECK(!has(8, "others", loop));
  CHECK(has(8, "v::meet(slot);", loop));
  CHECK(!has(32, "others"));
  CHECK(!has(4, "others"));  // whose rows are no tiles
}

TEST_CASE("a tile does not take the place of rows that are read later", "[cuda]") {
  const auto tiles = [](const std::string& last) {
    const infreg::Kernel kernel = infreg::verified(R"(kernel @k(%a: ptr<f64>, %b: ptr<f64> restrict) wg_size 8 wg_pack 1 {
  %x : f64[wi 8 x ix 8] = load %a [wi*8 + ix] contiguous
  %r : f64[wi 8 x ix 8] = reorder %x { (wi, ix) <- (3, ix) }
  store %b [wi*8 + ix] contiguous, %r
  store %b [wi*8 + ix + 64] contiguous, %x
)" + last + R"(  store %b [wi*8 + ix + 128] contiguous, %s
  store %b [wi*8 + ix + 192] contiguous, %r
}
)");
    return emit_cuda::plan_of(kernel, kernel.shape).tiles;
  };
  using infreg::OperationId;
  CHECK(tiles("  %s : f64[wi 8 x ix 8] = reorder %x { (wi, ix) <- (5, ix) }\n") == std::set<OperationId>{{0, 0}, {0, 5}, {0, 6}});
  // Rows of another value are stored anew.
  CHECK(tiles("  %y : f64[wi 8 x ix 8] = fadd %x, %x\n  %s : f64[wi 8 x ix 8] = reorder %y { (wi, ix) <- (5, ix) }\n") ==
        std::set<OperationId>{{0, 0}, {0, 3}, {0, 6}, {0, 7}});
}

TEST_CASE("threads whose lanes move pieces for others do not leave", "[cuda]") {
  const auto stays = [](unsigned elements) {
    const infreg::Kernel kernel =
        infreg::verified(fmt::format(R"(kernel @k(%a: ptr<f32>, %b: ptr<f32> restrict, %n: i64) wg_size 32 wg_pack 1 {{
  %i : i64[wi 32 x ix 1] = index {{ wi }}
  %all : i64[wi 32 x ix 1] = spread %n
  %is : i1[wi 32 x ix 1] = lt %i, %all
  %of_all : i1[wi 32 x ix {0}] = spread %is
  %x : f32[wi 32 x ix {0}] = load %a [wi*{0} + ix] contiguous, %of_all
  store %b [wi*{0} + ix] contiguous, %x, %of_all
}}
)",
                                     elements));
    return emit_cuda::plan_of(kernel, kernel.shape).stays.has_value();
  };
  CHECK(stays(4));
  CHECK(!stays(8));
}

TEST_CASE("pieces cost operations, in packs of any number of groups", "[cuda]") {
  // Of each group load, sum and store of 32 elements; and 8 pieces of both into shared memory, and out of it.
  for (const emit_cuda::PackCost& one : emit_cuda::pack_costs(copying(32, 32, 32, "f32"))) {
    if (one.pack <= 4) {
      CHECK(one.operations == Approx((3 * 32 + 2 * 2 * 8) / 4.0));
    }
  }
  emit_cuda::Choices choices;
  choices.tiling = false;
  CHECK(emit_cuda::pack_costs(copying(32, 32, 32, "f32"), choices).front().operations == Approx(3 * 32 / 4.0));
}
