// The plain OpenCL kernels of examples/core, run by an OpenCL implementation and by lockstep.

#include <catch2/catch.hpp>

#include "tests/opencl/compare.hpp"
#include "tests/reference/inputs.hpp"

using namespace lockstep;
using namespace lockstep::test;
using reference::Numbers;

namespace {

constexpr std::uint64_t seed = 20;

void agree(OpenClCase the_case) {
  const Agreement found = compare(std::move(the_case));
  CHECK(found.complaint == "");
  CHECK_FALSE(found.crashed);
  CHECK(found.difference == "");
}

std::vector<float> floats(std::size_t count, Numbers kind, std::uint64_t salt = 0) {
  reference::Random random(seed + salt);
  return reference::numbers<float>(random, count, kind);
}

}  // namespace

TEST_CASE("OpenCL agrees on vecadd", "[opencl]") {
  OpenClCase c{example("core/vecadd.cl"), {}, 32, 8, {}};
  add_buffer(c.arguments, ScalarType::Float, floats(256, Numbers::Wild));
  add_buffer(c.arguments, ScalarType::Float, floats(256, Numbers::Wild, 1));
  add_buffer(c.arguments, ScalarType::Float, std::vector<float>(256));
  agree(std::move(c));
}

TEST_CASE("OpenCL agrees on saxpy", "[opencl]") {
  OpenClCase c{example("core/saxpy.cl"), {}, 24, 5, {}};
  add_scalar(c.arguments, 0.1F);
  add_buffer(c.arguments, ScalarType::Float, floats(111, Numbers::Tame));
  add_buffer(c.arguments, ScalarType::Float, floats(111, Numbers::Tame, 1));
  add_scalar(c.arguments, 111);
  agree(std::move(c));
}

TEST_CASE("OpenCL agrees on matrix products", "[opencl]") {
  constexpr unsigned n = 16;
  for (const bool tiled : {false, true}) {
    OpenClCase c{example(tiled ? "core/sgemm_tiled.cl" : "core/sgemm_naive.cl"), {{"TILE", "4"}}, 16, n * n / 16, {}};
    add_buffer(c.arguments, ScalarType::Float, floats(n * n, Numbers::Tame));
    add_buffer(c.arguments, ScalarType::Float, floats(n * n, Numbers::Tame, 1));
    add_buffer(c.arguments, ScalarType::Float, std::vector<float>(n * n));
    add_scalar(c.arguments, n);
    agree(std::move(c));
  }
}

TEST_CASE("OpenCL agrees on collatz", "[opencl]") {
  OpenClCase c{example("core/collatz.cl"), {}, 30, 10, {}};
  add_buffer(c.arguments, ScalarType::UInt, std::vector<std::uint32_t>(300));
  agree(std::move(c));
}
