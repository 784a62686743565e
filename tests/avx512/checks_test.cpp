// The checks as test cases.
#include "tests/avx512/checks.hpp"

#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/avx512/intrinsics.hpp"

namespace lockstep::avx512_checks {
namespace {

void require(const Outcome& outcome, std::uint64_t at_least) {
  for (const std::string& wrong : outcome.wrong) {
    UNSCOPED_INFO(wrong);
  }
  CHECK(outcome.wrong.empty());
  CHECK(outcome.compared >= at_least);  // the checks did look at something
}

TEST_CASE("the header says what runs it") { CHECK(emulated() == (LOCKSTEP_TEST_EMULATED != 0)); }
TEST_CASE("arithmetic of all types") { require(arithmetic(), 800'000); }
TEST_CASE("operations of floats") { require(floats(), 400'000); }
TEST_CASE("quotients near the exact ones") { require(near_quotients(), 4'000'000); }
TEST_CASE("roots near the exact ones") { require(near_roots(), 2'000'000); }
TEST_CASE("operations of integers") { require(integers(), 800'000); }
TEST_CASE("comparisons and selections") { require(comparisons(), 1'000'000); }
TEST_CASE("conversions between all types") { require(conversions(), 1'000'000); }
TEST_CASE("loads and stores touch the active lanes' elements alone") { require(loads_and_stores(), 500'000); }
TEST_CASE("gathers and scatters touch the active lanes' elements alone, and the highest lane wins") {
  require(gathers_and_scatters(), 300'000);
}
TEST_CASE("groups side by side, halves of vectors, and buffers that are apart") { require(groups(), 10'000); }
TEST_CASE("truths in memory") { require(truths_in_memory(), 1'000); }
TEST_CASE("constants, parts of vectors, transposes and masks") { require(lanes(), 60'000); }
TEST_CASE("votes, rounds and addresses") { require(scalars(), 1'000); }
TEST_CASE("the thread's floating-point state") { require(floating_point(), 4); }
TEST_CASE("products and sums are not fused") { require(contraction(), 100); }

// For shim_names.sh, not by itself.
TEST_CASE("names of the intrinsics in the table", "[.names]") {
  for (const Intrinsic& intrinsic : shim_intrinsics()) {
    std::printf("intrinsic: %s\n", intrinsic.name);
  }
}

}  // namespace
}  // namespace lockstep::avx512_checks
