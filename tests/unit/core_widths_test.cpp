// upsample and vec_step.

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/core_tree_text.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using namespace lockstep::launch_text;

TEST_CASE("upsample puts two numbers into one of twice the size", "[core][widths]") {
  const auto kernel = program(
      "kernel void k(global const long *x, global long *y) {\n"
      "  y[0] = upsample((char)x[0], (uchar)x[1]); y[1] = upsample((uchar)x[0], (uchar)x[1]);\n"
      "  y[2] = upsample((short)x[0], (ushort)x[1]); y[3] = upsample((ushort)x[0], (ushort)x[1]);\n"
      "  y[4] = upsample((int)x[0], (uint)x[1]); y[5] = upsample((uint)x[0], (uint)x[1]);\n"
      "  int2 v = upsample((short2)(x[0], 1), (ushort2)(x[1], 2)); y[6] = v.x; y[7] = v.y;\n"
      "}",
      1);
  for (const std::int64_t high : {-128, -1, 0, 1, 127}) {
    for (const std::int64_t low : {-128, -1, 0, 1, 127}) {
      launch::Arguments arguments = launch_text::arguments(
          {buffer(ScalarType::Long, std::vector<std::int64_t>{high, low}), buffer(ScalarType::Long, std::vector<std::int64_t>(8))});
      REQUIRE(!launch_text::run(kernel, arguments, {}).fault);
      const auto y = numbers<std::int64_t>(arguments.buffers[1]);
      const auto joined = [&](std::int64_t h, std::int64_t l, int bits) {
        return h * (std::int64_t{1} << bits) + (l & ((std::int64_t{1} << bits) - 1));
      };
      CHECK(y[0] == joined(high, low, 8));
      CHECK(y[1] == joined(high & 0xff, low, 8));
      CHECK(y[2] == joined(high, low, 16));
      CHECK(y[3] == joined(high & 0xffff, low, 16));
      CHECK(y[4] == joined(high, low, 32));
      CHECK(static_cast<std::uint64_t>(y[5]) ==
            (static_cast<std::uint64_t>(high & 0xffffffff) << 32 | static_cast<std::uint64_t>(low & 0xffffffff)));
      CHECK(y[6] == joined(high, low, 16));
      CHECK(y[7] == 65538);
    }
  }
}

TEST_CASE("vec_step counts the places of a type or value", "[core][widths]") {
  const auto kernel = program(
      "kernel void k(global int *y) {\n  float3 v = 0; uchar16 u = 0;\n"
      "  y[0] = vec_step(v); y[1] = vec_step(u.lo); y[2] = vec_step(1.0f);\n"
      "  y[3] = vec_step(float); y[4] = vec_step(const int2); y[5] = vec_step(long3); y[6] = vec_step(unsigned char); y[7] = "
      "vec_step(double16);\n}",
      1);
  launch::Arguments arguments = launch_text::arguments({buffer(ScalarType::Int, std::vector<std::int32_t>(8))});
  REQUIRE(!launch_text::run(kernel, arguments, {}).fault);
  CHECK(numbers<std::int32_t>(arguments.buffers[0]) == std::vector<std::int32_t>{4, 8, 1, 1, 2, 4, 1, 16});
}

TEST_CASE("what upsample, vec_step and names of later versions refuse", "[core][widths]") {
  const auto refused = [](const std::string& statement) {
    const core_test::Reading reading = core_test::read("kernel void k(global int *y, char2 c) {\n" + statement + "\n}", {});
    return reading.program ? "fine" : reading.errors();
  };
  const std::string need = "'upsample' takes integers of at most 32 bits";
  for (const std::string call : {"upsample(1L, 1UL)", "upsample(1, 1)", "upsample(1.0f, 1u)", "upsample(c, (uchar)1)", "upsample(1)"}) {
    INFO(call);
    CHECK(refused("y[0] = " + call + ";").contains(need));
  }
  CHECK(refused("y[0] = vec_step(y);").contains("'vec_step' takes one number or vector, or its type"));
  CHECK(refused("read_imagef(y);").contains("there are no images; a buffer"));
  CHECK(refused("enqueue_kernel(y);").contains("kernels launch no kernels"));
  CHECK(refused("read_pipe(y);").contains("there are no pipes"));
}
