// examples/core, which is plain OpenCL C, against plain C++.
#include <catch2/catch.hpp>

#include "tests/kernels/call.hpp"
#include "tests/kernels/compare.hpp"
#include "tests/kernels/sample.hpp"
#include "tests/reference/algorithms.hpp"
#include "tests/reference/borg.hpp"
#include "tests/reference/inputs.hpp"

using namespace lockstep;
using namespace lockstep::test;
using reference::Numbers;
using reference::Random;

namespace {

KernelId kernel(const std::string& name, unsigned wg_size, bool contract) {
  KernelId id{"core/" + name + ".cl", name, {}};
  id.options.wg_size = wg_size;
  id.options.contract = contract;
  return id;
}

/// As PIRCH runs it, with warps of eight, and every item for itself: these kernels must not care.
std::vector<launch::LaunchOptions> machines(std::uint64_t groups) {
  launch::LaunchOptions options;
  options.groups = groups;
  std::vector<launch::LaunchOptions> all = {options};
  options.warp_size = 8;
  options.schedule = launch::Schedule::Fair;
  all.push_back(options);
  options.warp_size = 1;
  all.push_back(options);
  return all;
}

}  // namespace

TEST_CASE("core: vecadd", "[kernels][core]") {
  Random random(run_seed());
  const auto a = reference::numbers<float>(random, 5 * 32, Numbers::Wild);
  const auto b = reference::numbers<float>(random, 5 * 32, Numbers::Wild);
  for (const launch::LaunchOptions& machine : machines(5)) {
    std::vector<float> c(a.size(), 7);
    Call(kernel("vecadd", 32, true)).input(a).input(b).buffer(c).run(machine);
    REQUIRE(difference(c, reference::gema(a, b)) == "");
  }
}

TEST_CASE("core: saxpy", "[kernels][core]") {
  Random random(run_seed());
  for (const bool contract : {false, true}) {
    const auto x = reference::numbers<float>(random, 77, Numbers::Tame);
    const auto y = reference::numbers<float>(random, 77, Numbers::Tame);
    for (const launch::LaunchOptions& machine : machines(3)) {
      std::vector<float> result = y;
      Call(kernel("saxpy", 32, contract)).scalar(0.1F).input(x).buffer(result).scalar(std::uint32_t{77}).run(machine);
      REQUIRE(difference(result, reference::saxpy(0.1F, x, y, contract)) == "");
    }
  }
}

TEST_CASE("core: naive and tiled sgemm", "[kernels][core]") {
  Random random(run_seed());
  for (const bool contract : {false, true}) {
    const unsigned n = 24;
    const auto a = reference::numbers<float>(random, std::size_t{n} * n, Numbers::Tame);
    const auto b = reference::numbers<float>(random, std::size_t{n} * n, Numbers::Tame);
    const auto expected = reference::gemm(n, a, b, contract);
    for (const launch::LaunchOptions& machine : machines(13)) {
      std::vector<float> c(a.size(), 7);
      Call(kernel("sgemm_naive", 48, contract)).input(a).input(b).buffer(c).scalar(n).run(machine);
      REQUIRE(difference(c, expected) == "");
    }
    for (const unsigned tile : {2U, 8U}) {
      KernelId id = kernel("sgemm_tiled", tile * tile, contract);
      id.options.defines = {{"TILE", std::to_string(tile)}};
      for (const launch::LaunchOptions& machine : machines((n / tile) * (n / tile))) {
        std::vector<float> c(a.size(), 7);
        Call(id).input(a).input(b).buffer(c).scalar(n).run(machine);
        REQUIRE(difference(c, expected) == "");
      }
    }
  }
}

TEST_CASE("core: collatz", "[kernels][core]") {
  std::vector<std::uint32_t> expected;
  for (std::uint64_t n = 1; n <= 7 * 32; ++n) {
    expected.push_back(reference::collatz(n));
  }
  for (const launch::LaunchOptions& machine : machines(7)) {
    std::vector<std::uint32_t> steps(expected.size(), 7);
    Call(kernel("collatz", 32, true)).buffer(steps).run(machine);
    REQUIRE(difference(steps, expected) == "");
  }
}
