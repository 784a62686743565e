// Random kernels of InfReg-IR: all operations on all types, reorderings of every kind, votes, shuffles, loops, objects and packs. A pack at
// a time: several packs may store different numbers into one cell, and which of them stays is not said.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>

#include "semantics/infreg/print.hpp"
#include "semantics/infreg/verify.hpp"
#include "tests/unit/emit_llvm_random.hpp"
#include "tests/ve_emitted/support.hpp"

using namespace lockstep;
using emit_llvm::trial::DefinedKernel;

namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : otherwise;
}

/// A pack, or a group alone.
std::uint64_t groups_of(const DefinedKernel& random) {
  const std::uint64_t pack = random.kernel().shape.wg_pack;
  return random.groups() >= pack ? pack : std::min<std::uint64_t>(random.groups(), 1);
}

}  // namespace

TEST_CASE("random kernels leave what the evaluator leaves", "[ve]") {
  // Random kernels have operations whose results nobody wants.
  const auto clang = ve_emitted::clang_with("-w");
  if (!clang) {
    return;
  }
  const std::uint64_t count = number_of("LOCKSTEP_RANDOM_KERNELS", 30);
  const std::uint64_t first = number_of("LOCKSTEP_FIRST_SEED", 1);
  std::uint64_t agreeing = 0;
  std::uint64_t compared = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    DefinedKernel random(seed, 4 + seed % 12);
    random.make();
    INFO("seed " << seed << ", " << groups_of(random) << " groups\n" << infreg::print(random.kernel()));
    REQUIRE(infreg::verify(random.kernel()).empty());
    const std::vector<std::string> ways = emit_ve::names_of_ways();
    for (const emit_ve::LayoutChoice layout : ve_emitted::arrangements_of(random.kernel())) {
      const emit_ve::EmitOptions options{layout, {*emit_ve::way_named(ways[seed % ways.size()])}};
      INFO((layout == emit_ve::LayoutChoice::Rows ? "rows" : "groups"));
      const auto answer = ve_emitted::compared(random.kernel(), random.arguments, random.memory, groups_of(random), *clang, options);
      agreeing += answer == ve_emitted::Answer::Agrees ? 1U : 0U;
      ++compared;
    }
  }
  std::cout << agreeing << " of " << compared << " runs agree, the others store poison\n";
  REQUIRE((10 * agreeing >= 9 * compared));
}
