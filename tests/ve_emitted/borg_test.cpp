// The borG kernels, small ones: in both precisions, in groups side by side, in rows, and as the model chooses, each in packs of one and
// two.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/unit/borg_call.hpp"
#include "tests/ve_emitted/support.hpp"

using namespace lockstep;

TEST_CASE("the borG kernels leave what the evaluator leaves", "[ve]") {
  const auto clang = ve_emitted::clang_with("-w");
  if (!clang) {
    return;
  }
  for (const char* name : {"gema", "gemm", "trsv", "ldus", "pade", "enumerate", "frcg"}) {
    for (const char* real : {"double", "float"}) {
      for (const unsigned pack : {1U, 2U}) {
        const test::BorgCall call = test::borg_call(name, real, pack == 1 ? 8 : 5, pack);
        for (const auto layout : {emit_ve::LayoutChoice::Groups, emit_ve::LayoutChoice::Rows, emit_ve::LayoutChoice::Auto}) {
          INFO(fmt::format("{}, {}, packs of {}, layout {}", name, real, pack, static_cast<int>(layout)));
          const auto answer = ve_emitted::compared(call.kernel, call.arguments, call.memory, call.groups, *clang, {layout, {}});
          REQUIRE((answer == ve_emitted::Answer::Agrees));
        }
      }
    }
  }
}
