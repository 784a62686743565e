// Elements that are moved at once lie so, for all items, groups and rounds: counted one by one. And rows that go through shared memory.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "codegen/emit/cuda/emit.hpp"
#include "codegen/emit/cuda/plan.hpp"
#include "codegen/emit/cuda/rows.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;

namespace {

constexpr int items = 4;
constexpr int elements = 8;
constexpr int rounds = 3;
constexpr int groups = 3;

/// group * wg.ix + item * wi + element * ix + round * j + constant
struct Index {
  int group = 0;
  int item = 0;
  int element = 0;
  int round = 0;
  int constant = 0;
};

/// Whether elements k, k + 1 … lie one behind the other at a multiple of `width`, for all k that are such multiples.
bool lies_together(const Index& index, int width) {
  for (int group = 0; group < groups; ++group) {
    for (int item = 0; item < items; ++item) {
      for (int round = 0; round < rounds; ++round) {
        for (int ix = 0; ix < elements; ++ix) {
          const int first = index.group * group + index.item * item + index.round * round + index.constant;
          const int at = first + index.element * ix;
          if ((at % width + width) % width != ix % width || at - first != ix) {
            return false;
          }
        }
      }
    }
  }
  return true;
}

std::string text_of(const Index& index) {
  const auto term = [](int factor, const char* name) { return fmt::format("{} {}*{}", factor < 0 ? " -" : " +", name, std::abs(factor)); };
  return std::to_string(index.constant) + term(index.group, "wg.ix") + term(index.item, "wi") + term(index.element, "ix") +
         term(index.round, "%j");
}

/// How many elements the load moves at once.
unsigned width_of(const Index& index, const std::string& type, const std::string& mask) {
  const std::string text = fmt::format(R"(kernel @k(%a: ptr<{0}>, %b: ptr<{0}> restrict) wg_size 4 wg_pack 1 {{
  %first : {0}[wi 4 x ix 8] = constant 1
  %is : i1[wi 4 x ix 8] = mask {{ {2} }}
  %end : {0}[wi 4 x ix 8] = for %j = 0 to 3 step 1 (%sum = %first) {{
    %load : {0}[wi 4 x ix 8] = load %a [{1}] gather{3}
    %next : {0}[wi 4 x ix 8] = add %sum, %load
    yield %next
  }}
  store %b [wg.ix*32 + wi*8 + ix] contiguous, %end
}}
)",
                                       type, text_of(index), mask.empty() ? "wi < 3" : mask, mask.empty() ? "" : ", %is");
  const infreg::Kernel kernel = infreg::parsed(text);
  const emit_cuda::Plan plan = emit_cuda::plan_of(kernel, kernel.shape);
  for (infreg::RegionId region = 0; region < kernel.regions.size(); ++region) {
    for (const emit_cuda::Run& run : plan.runs[region]) {
      for (std::uint32_t k = run.first; k < run.last; ++k) {
        if (std::holds_alternative<infreg::Load>(kernel.regions[region].operations[k].node)) {
          return plan.wide.contains({region, k}) ? run.piece : 1;
        }
      }
    }
  }
  return 0;
}

}  // namespace

TEST_CASE("what is moved at once lies one behind the other, and at a multiple of that", "[cuda]") {
  int wide = 0;
  for (const int group : {0, 3, 32, -6}) {
    for (const int item : {0, 1, 2, 8, -12}) {
      for (const int element : {0, 1, 2, -1}) {
        for (const int round : {0, 1, 4, -2}) {
          for (const int constant : {0, 2, 7, 8}) {
            const Index index{group, item, element, round, constant};
            INFO(group << " " << item << " " << element << " " << round << " " << constant);
            const unsigned most = lies_together(index, 4) ? 4 : lies_together(index, 2) ? 2 : 1;
            CHECK(width_of(index, "i32", "") == most);
            CHECK(width_of(index, "i64", "") == std::min(most, 2U));
            CHECK(width_of(index, "i16", "") == 1);
            wide += most > 1 ? 1 : 0;
          }
        }
      }
    }
  }
  CHECK(wide > 50);
}

TEST_CASE("elements are moved at once where a mask says the same of them", "[cuda]") {
  const Index index{32, 8, 1, 0, 0};
  CHECK(width_of(index, "i32", "wi < 3") == 4);
  CHECK(width_of(index, "i32", "wi < 3, %j == 1") == 4);
  CHECK(width_of(index, "i32", "ix < 3") == 1);
  CHECK(width_of(index, "i32", "wi < 3, wi < ix") == 1);
}

TEST_CASE("elements go one by one where a mask was computed, or a place is found late", "[cuda]") {
  const auto is_wide = [](const std::string& load) {
    const infreg::Kernel kernel = infreg::verified(R"(kernel @k(%a: ptr<f32>, %b: ptr<f32> restrict) wg_size 8 wg_pack 1 {
  local %s : f32[32]
  %x : f32[wi 8 x ix 4] = load %a [wi*4 + ix] contiguous
  %one : f32[wi 8 x ix 1] = load %a [wi] contiguous
  %is : i1[wi 8 x ix 4] = flt %x, %x
  %of_item : i1[wi 8 x ix 1] = flt %one, %one
  %of_all : i1[wi 8 x ix 4] = spread %of_item
  %i : i64[wi 8 x ix 4] = constant 4
  %to : ptr = address %a
  %item : ptr[wi 8 x ix 4] = spread %to
)" + load + "}\n");
    const emit_cuda::Plan plan = emit_cuda::plan_of(kernel, kernel.shape);
    return plan.wide.contains({kernel.body, static_cast<std::uint32_t>(kernel.regions[kernel.body].operations.size() - 1)});
  };
  CHECK(is_wide("  %y : f32[wi 8 x ix 4] = load %a [wi*4 + ix] contiguous\n"));
  CHECK(!is_wide("  %y : f32[wi 8 x ix 4] = load %a [wi*4 + ix] contiguous, %is\n"));
  CHECK(is_wide("  %y : f32[wi 8 x ix 4] = load %a [wi*4 + ix] contiguous, %of_all\n"));
  CHECK(!is_wide("  store %b [wi*4 + ix] contiguous, %x, %is\n"));
  CHECK(is_wide("  store %b [wi*4 + ix] contiguous, %x, %of_all\n"));
  CHECK(!is_wide("  %y : f32[wi 8 x ix 4] = load %a [wi*4 + ix, lanes %i] gather\n"));
  CHECK(!is_wide("  %y : f32[wi 8 x ix 4] = load %item [wi*4 + ix] gather\n"));
  CHECK(!is_wide("  %y : f32[wi 8 x ix 4] = load %s [wi*4 + ix] contiguous\n"));
}

TEST_CASE("elements are moved at once beside what each lane does for itself", "[cuda]") {
  // Of the load of %x, in the loop that computes what follows.
  const auto width = [](const std::string& between, const std::string& type = "i32") {
    const infreg::Kernel kernel = infreg::verified(fmt::format(R"(kernel @k(%a: ptr<{1}>, %b: ptr<{1}> restrict) wg_size 8 wg_pack 1 {{
  %i : i64[wi 8 x ix 1] = index {{ 7 - wi }}
  %first : {1}[wi 8 x ix 6] = load %a [wi*6 + ix + 48] gather
  %store_first : {1}[wi 8 x ix 6] = add %first, %first
  store %b [0] gather, %store_first
  %x : {1}[wi 8 x ix 6] = load %a [wi*6 + ix] contiguous
{0}  store %b [wi*6 + ix] contiguous, %y
}}
)",
                                                               between, type));
    const emit_cuda::Plan plan = emit_cuda::plan_of(kernel, kernel.shape);
    const infreg::OperationId load{kernel.body, 4};
    const auto run =
        std::ranges::find_if(plan.runs[load.region], [&](const auto& one) { return one.first <= load.index && load.index < one.last; });
    return plan.wide.contains(load) ? run->piece : 1;
  };
  const auto made = [](const std::string& how) { return "  %y : i32[wi 8 x ix 6] = " + how + "\n"; };
  CHECK(width(made("add %x, %x")) == 2);
  CHECK(width(made("reorder %x { (wi, ix) <- (wi, 5 - ix) }")) == 2);              // other registers
  CHECK(width(made("reorder %first { (wi, ix) <- (3, ix) }")) == 2);               // shuffles
  CHECK(width(made("reorder %first { (wi, ix) <- (7 - wi, ix) }")) == 2);          // likewise
  CHECK(width(made("reorder %first { (wi, ix) <- (wi, 5 - ix - wi) }")) == 1);     // a choice among all registers
  CHECK(width(made("reorder %first { [47, 46, 44, 45, 43, 42, 0 x 42] }")) == 2);  // through memory: a loop of its own
  CHECK(width("  %z : i32[wi 8 x ix 4] = reorder %first { (wi, ix) <- (wi, ix) }\n"
              "  %y : i32[wi 8 x ix 6] = reorder %z { (wi, ix) <- (ix, wi) }\n") == 1);
  CHECK(width("  %m : i1[wi 8 x ix 1] = mask { wi < 3 }\n  %y : i32[wi 8 x ix 6] = shuffle %first, %i, %m\n") == 1);
  CHECK(width("  %y : u64[wi 8 x ix 6] = add %x, %x\n", "u64") == 2);
  // What is computed where it is used does not matter.
  CHECK(width("  %m : i1[wi 8 x ix 1] = mask { wi < 3 }\n  %all : i1[wi 8 x ix 6] = spread %m\n" + made("select %all, %x, %first")) == 2);
  CHECK(width("  %c : i32[wi 8 x ix 1] = constant 3\n  %all : i32[wi 8 x ix 6] = spread %c\n" + made("add %all, %x")) == 2);
}

TEST_CASE("all that is chosen to be moved at once is written so", "[cuda]") {
  const auto counted = [](const std::string& accesses, int width, bool is_tiled) {
    const infreg::Kernel kernel = infreg::verified(
        "kernel @k(%a: ptr<f32>, %b: ptr<f32> restrict, %d: ptr<f64> restrict) wg_size 8 wg_pack 1 {\n" + accesses + "}\n");
    emit_cuda::EmitOptions options;
    options.choices.tiling = is_tiled;
    const auto emitted = emit_cuda::emit(kernel, options);
    REQUIRE(emitted);
    const auto count = [&](const std::string& name) {
      const std::string what = fmt::format("{}<{}>(", name, width);
      int found = 0;
      for (std::size_t at = emitted->source.find(what); at != std::string::npos; at = emitted->source.find(what, at + 1)) {
        ++found;
      }
      return found;
    };
    CHECK(count("v::fetch") + count("v::bring") + count("v::take") ==
          static_cast<int>(emit_cuda::plan_of(kernel, kernel.shape).wide.size()));
    // What is not loaded is some number.
    CHECK(count("v::clear") == (!is_tiled && accesses.contains("contiguous, %is\n") ? 1 : 0));
    return std::vector{count("v::fetch"), count("v::bring"), count("v::take")};
  };
  const auto moves = [&](const std::string& accesses, int width = 4) {
    CHECK(counted(accesses, width, false) == counted(accesses, width, true));
    return counted(accesses, width, true);
  };
  const std::string load = "  %x : f32[wi 8 x ix 16] = load %a [wi*16 + ix] contiguous\n";
  const std::string turned = "  %y : f32[wi 8 x ix 16] = reorder %x { (wi, ix) <- (wi, 15 - ix) }\n";
  const std::string row = "  %z : f32[wi 8 x ix 16] = reorder %x { (wi, ix) <- (3, ix) }\n";
  const auto store = [](const std::string& value) { return "  store %b [wi*16 + ix] contiguous, " + value + "\n"; };
  CHECK(moves(load + store("%x")) == std::vector{1, 1, 0});
  CHECK(moves("  %is : i1[wi 8 x ix 16] = mask { wi < 5 }\n  %x : f32[wi 8 x ix 16] = load %a [wi*16 + ix] contiguous, %is\n") ==
        std::vector{1, 0, 0});
  CHECK(moves(load + turned + "  %w : f32[wi 8 x ix 16] = fadd %x, %y\n" + store("%w")) == std::vector{1, 1, 0});
  CHECK(moves(load + turned + store("%y")) == std::vector{1, 1, 0});  // a loop that only stores
  CHECK(moves(load + row + store("%z")) == std::vector{1, 1, 1});
  CHECK(moves("  %p : f64[wi 8 x ix 6] = load %d [wi*6 + ix] contiguous\n  store %d [wi*6 + ix + 48] contiguous, %p\n", 2) ==
        std::vector{1, 1, 0});
  CHECK(moves("  %l : f32[wi 8 x ix 132] = load %a [wi*132 + ix] contiguous\n  store %b [wi*132 + ix] contiguous, %l\n") ==
        std::vector{0, 0, 0});  // an array in memory
  CHECK(moves("  %c : f32[wi 8 x ix 16] = constant 1\n" + store("%c")) == std::vector{0, 1, 0});
}

TEST_CASE("rows are stored once for all that want some of them", "[cuda]") {
  const auto text = [](const std::string& type, int count, const std::string& second, const std::string& between) {
    return fmt::format(R"(kernel @k(%a: ptr<{0}>, %b: ptr<{0}>) wg_size 8 wg_pack 1 {{
  %load : {0}[wi 8 x ix {1}] = load %a [wi*{1} + ix] contiguous
  %other : {0}[wi 8 x ix {1}] = add %load, %load
  %x : {0}[wi 8 x ix {1}] = reorder %load {{ (wi, ix) <- (2, ix) }}
{3}  %y : {0}[wi 8 x ix {1}] = reorder {2} {{ (wi, ix) <- (5, ix) }}
  %sum : {0}[wi 8 x ix {1}] = add %x, %y
  store %b [wi*{1} + ix] contiguous, %sum
}}
)",
                       type, count, second, between);
  };
  struct Found {
    int rows = 0;
    int first = 0;
    int all = 0;
    bool operator==(const Found&) const = default;
  };
  const auto found = [&](const std::string& type, int count, const std::string& second, const std::string& between = "",
                         bool staging = true) {
    const infreg::Kernel kernel = infreg::verified(text(type, count, second, between));
    emit_cuda::Choices choices;
    choices.staging = staging;
    const emit_cuda::Plan plan = emit_cuda::plan_of(kernel, kernel.shape, choices);
    Found result;
    for (const auto& [value, row] : plan.rows) {
      ++result.rows;
      result.first += row.is_first ? 1 : 0;
      result.all += row.is_all ? 1 : 0;
    }
    return result;
  };
  CHECK(found("i64", 8, "%load") == Found{2, 1, 2});
  CHECK(found("i64", 8, "%other") == Found{2, 2, 0});
  CHECK(found("i64", 4, "%other") == Found{});  // cheaper by shuffles
  CHECK(found("i64", 4, "%load") == Found{2, 1, 2});
  CHECK(found("i32", 7, "%load") == Found{});  // no multiple of 16 bytes
  CHECK(found("i32", 16, "%other") == Found{2, 2, 0});
  CHECK(found("i32", 12, "%other") == Found{});
  CHECK(found("i16", 32, "%load") == Found{});
  // Where not all rows find room, each is stored alone; where one does not, it is shuffled.
  CHECK(found("i64", 44, "%load") == Found{2, 1, 2});
  CHECK(found("i64", 48, "%load") == Found{2, 2, 0});
  CHECK(found("i64", 128, "%load") == Found{2, 2, 0});
  CHECK(found("i64", 130, "%load") == Found{});  // an array in memory
  CHECK(found("i64", 8, "%load", "", false) == Found{});
  // What is stored there in between takes their place.
  CHECK(found("i64", 8, "%load", "  %z : i64[wi 8 x ix 8] = reorder %other { (wi, ix) <- (ix, wi) }\n") == Found{2, 2, 0});
  CHECK(found("i64", 8, "%load", "  %z : i64[wi 8 x ix 8] = reorder %other { (wi, ix) <- (3, ix) }\n") == Found{3, 3, 0});
  CHECK(found("i64", 8, "%load", R"(  for %j = 0 to 3 step 1 {
    %z : i64[wi 8 x ix 8] = reorder %other { (wi, ix) <- (%j, ix) }
    store %b [wi*8 + ix] contiguous, %z
  }
)") == Found{3, 3, 0});
}

TEST_CASE("slots have room for their rows, and begin in different banks", "[cuda]") {
  for (const unsigned items : {4U, 8U, 12U, 32U}) {
    for (const unsigned elements : {16U, 20U, 24U, 32U}) {
      for (const bool is_all : {false, true}) {
        const infreg::Kernel kernel = infreg::verified(fmt::format(
            R"(kernel @k(%a: ptr<f32>) wg_size {0} wg_pack 1 {{
  %x : f32[wi {0} x ix {1}] = load %a [wi*{1} + ix] contiguous
  %y : f32[wi {0} x ix {1}] = reorder %x {{ (wi, ix) <- (2, ix) }}
{2}}}
)",
            items, elements,
            is_all ? fmt::format("  %z : f32[wi {0} x ix {1}] = reorder %x {{ (wi, ix) <- (3, ix) }}\n", items, elements) : ""));
        emit_cuda::Choices choices;
        choices.tiling = false;
        const std::uint64_t bytes = emit_cuda::plan_of(kernel, kernel.shape, choices).stage_bytes;
        const std::uint64_t rows = (is_all ? items : 1) * emit_cuda::row_bytes(elements, 4);
        INFO(items << " items, " << elements << " elements, of all: " << is_all);
        CHECK(bytes % 32 == 16);
        CHECK(bytes >= rows);
        CHECK(bytes <= rows + 16);
      }
    }
  }
}

TEST_CASE("rows of shared memory begin in different banks", "[cuda]") {
  for (std::uint64_t elements = 1; elements <= 64; ++elements) {
    for (const std::uint64_t bytes : {4U, 8U}) {
      const std::uint64_t row = emit_cuda::row_bytes(elements, bytes);
      CHECK(row >= elements * bytes);
      CHECK(row % 32 == 16);
    }
  }
}
