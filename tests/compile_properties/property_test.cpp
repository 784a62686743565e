// Random kernels through the passes, the evaluator and LLVM (docs/testing.md).

#include <catch2/catch.hpp>

#include "tests/compile_properties/laws.hpp"
#include "tests/kernel_properties/support.hpp"

using namespace lockstep;
using namespace lockstep::test;
using generate::Profile;

// The second number of each is the least percentage of kernels that must say something about the law.
TEST_CASE("Lowered kernels do what the interpreter does", "[compile]") {
  hold({"compile-lowering-plain", lowering, {.profile = Profile::Plain, .heads = true}, "compile_property_tests"}, 150, 90);
  hold({"compile-lowering", lowering, {.profile = Profile::Lockstep, .heads = true}, "compile_property_tests"}, 150, 55);
  hold({"compile-lowering-crev", lowering, {.profile = Profile::Crev}, "compile_property_tests"}, 100, 25);
  // One group, so that no race hides what the passes do; then several.
  hold({"compile-overlaps", lowering_of_overlaps, {.profile = Profile::Lockstep, .sweeps = true, .groups = 1}, "compile_property_tests"},
       300, 40);
  hold({"compile-overlaps-groups", lowering_of_overlaps, {.profile = Profile::Plain, .sweeps = true}, "compile_property_tests"}, 150, 20);
}

TEST_CASE("LLVM's code does what the interpreter does", "[compile]") {
  hold({"compile-llvm-plain", llvm_code, {.profile = Profile::Plain, .statements = 4, .max_wg_size = 12}, "compile_property_tests"}, 40,
       90);
  hold({"compile-llvm", llvm_code, {.profile = Profile::Lockstep, .statements = 4, .max_wg_size = 12}, "compile_property_tests"}, 40, 55);
  hold({"compile-llvm-crev", llvm_code, {.profile = Profile::Crev, .statements = 3, .max_wg_size = 8}, "compile_property_tests"}, 20, 25);
  hold({"compile-llvm-overlaps",
        llvm_code_of_overlaps,
        {.profile = Profile::Lockstep, .statements = 4, .sweeps = true, .max_wg_size = 12, .groups = 1},
        "compile_property_tests"},
       40, 40);
}
