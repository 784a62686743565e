// How many packs a block takes at a time, and where it is said that there is no room for one.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "codegen/emit/cuda/emit.hpp"
#include "codegen/passes/pipeline.hpp"
#include "semantics/core/front_end.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;
using namespace lockstep::emit_cuda;

namespace {

constexpr std::uint64_t bytes_of_block = 49152;

/// What is said of a kernel in OpenCL C that there is no code for.
std::string refusal(const std::string& text) {
  const auto source = std::make_shared<const SourceFile>("k.cl", text);
  core::Options options;
  options.wg_size = 4;
  Diagnostics warnings;
  const auto program = core::read_kernels(source, options, warnings);
  REQUIRE(program);
  const auto kernel = passes::lower(*program, *program->kernel(""), {});
  REQUIRE(kernel);
  const auto emitted = emit_cuda::emit(*kernel);
  REQUIRE(!emitted);
  return emitted.error().sentence;
}

}  // namespace

TEST_CASE("a block has as many slots as shared memory is there for, four warps of them at most") {
  for (const unsigned items : {1U, 4U, 12U, 20U, 32U, 40U}) {
    const std::uint64_t lanes = std::min(items, 32U);
    const std::uint64_t most_slots = 32 / lanes;
    for (const std::uint64_t bytes :
         {1U, 100U, 384U, 385U, 400U, 3000U, 6144U, 6145U, 12288U, 12289U, 16384U, 24576U, 24577U, 30000U, 49152U}) {
      const auto emitted =
          emit_cuda::emit(infreg::verified(fmt::format("kernel @k() wg_size {} wg_pack 1 {{\n  local %s : i8[{}]\n}}\n", items, bytes)));
      REQUIRE(emitted);
      INFO(items << " items, " << bytes << " bytes");
      const std::uint64_t room = (bytes + 7) / 8 * 8;  // of a slot
      const std::uint64_t warps = emitted->block_threads / 32;
      REQUIRE(emitted->packs_of_block % warps == 0);
      const std::uint64_t slots = emitted->packs_of_block / warps;  // of a warp
      REQUIRE(emitted->packs_of_block * room <= bytes_of_block);
      REQUIRE((slots == most_slots || (slots < most_slots && warps == 1 && (slots + 1) * room > bytes_of_block)));
      REQUIRE((warps == 4 || (warps < 4 && (warps + 1) * slots * room > bytes_of_block)));
    }
  }
}

TEST_CASE("shared memory is counted by multiples of 8 bytes an object, and of 16 for what goes from lane to lane") {
  const auto bytes = [](const std::string& objects, unsigned pack, std::uint64_t stage) {
    const infreg::Kernel kernel = infreg::verified(fmt::format("kernel @k() wg_size 4 wg_pack {} {{\n{}}}\n", pack, objects));
    Plan plan = plan_of(kernel, kernel.shape);
    plan.stage_bytes = stage;
    return shared_bytes(kernel, plan);
  };
  for (std::uint64_t stage = 0; stage <= 48; ++stage) {
    const std::uint64_t found = bytes("", 1, stage);
    CHECK(found % 16 == 0);
    CHECK(found >= stage);
    CHECK(found < stage + 16);
  }
  CHECK(bytes("  local %s : i8[1]\n", 1, 0) == 8);
  CHECK(bytes("  local %s : i8[8]\n", 1, 0) == 8);
  CHECK(bytes("  local %s : i8[9]\n  local %t : f64[2]\n", 1, 20) == 16 + 16 + 32);
  CHECK(bytes("  local %s : i16[3]\n  private %p : i32[9]\n  constant %c : i8[1] = [3]\n", 3, 0) == 24);
}

TEST_CASE("of what groups share, there is no more than they need") {
  const auto text = [](const std::string& object, const std::string& pattern) {
    const auto emitted = emit_cuda::emit(infreg::verified(fmt::format(R"(kernel @k(%a: ptr<i32>) wg_size 8 wg_pack 1 {{
{}  %x : i32[wi 8 x ix 6] = load %a [wi*6 + ix] contiguous
  %y : i32[wi 8 x ix 6] = reorder %x {{ (wi, ix) <- {} }}
  store %a [wi*6 + ix] contiguous, %y
}}
)",
                                                                      object, pattern)));
    REQUIRE(emitted);
    return emitted->source;
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(text("", "(7 - wi, ix)"), !Contains("shared"));
  CHECK_THAT(text("  local %s : i32[8]\n", "(7 - wi, ix)"), Contains("  int32_t s[8];\n};\n") && !Contains("stage"));
  // Rows of 7, an odd number, for 8 items.
  CHECK_THAT(text("", "(ix, wi)"), Contains("struct k_shared {\n  alignas(16) unsigned char stage[224];"));
  // Private arrays are the thread's, others are not.
  CHECK_THAT(text("  private %own : i32[9]\n  constant %c : i32[2] = [3, 4]\n", "(7 - wi, ix)"),
             Contains("\n  int32_t own[9] = {};\n") && !Contains("\n  int32_t c["));
}

TEST_CASE("what is too large is named with its place") {
  CHECK(refusal("kernel void k(global int *a) {\n"
                "  local int small[9];\n"
                "  local int large[20000];\n"
                "  small[0] = 1;\n"
                "  a[0] = small[1] +\n"
                "         large[a[1]];\n"
                "}\n")
            .starts_with("k.cl:6:"));
  CHECK(refusal("kernel void k(global int *a) {\n"
                "  local int one[20000];\n"
                "  local int other[20000];\n"
                "  one[a[2]] = 1;\n"
                "  other[a[3]] = 1;\n"
                "  a[0] = one[a[0]] + other[a[1]];\n"
                "}\n")
            .starts_with("k.cl:4:"));  // of two of one size, the first
  CHECK(refusal("kernel void k(global int *a) {\n"
                "  int few[9];\n"
                "  int many[50000];\n"
                "  few[a[2]] = 1;\n"
                "  many[a[3]] = 2;\n"
                "  a[0] = few[a[0]] + many[a[1]];\n"
                "}\n")
            .starts_with("k.cl:5:"));
}
