// Random kernels in machine code against the evaluator: chunks of every width, values in SSA form and in memory, packs and what is left.

#include "tests/unit/emit_llvm_random.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/unit/emit_llvm.hpp"

using namespace lockstep;
using namespace lockstep::emit_llvm;

TEST_CASE("emit llvm: random kernels leave what the evaluator leaves", "[emit_llvm]") {
  const char* wanted = std::getenv("LOCKSTEP_RANDOM_KERNELS");
  const char* first = std::getenv("LOCKSTEP_FIRST_SEED");
  const std::uint64_t count = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 60;
  const std::uint64_t start = first != nullptr ? std::strtoull(first, nullptr, 10) : 1;
  const std::vector<EmitOptions> cuts = trial::all_cuts();
  for (std::uint64_t seed = start; seed < start + count; ++seed) {
    trial::DefinedKernel random(seed, 1 + seed % 6);
    random.make();
    INFO("seed " << seed << ", " << random.groups() << " groups");
    // Each kernel one cut, all of them in turn; some at a level that optimises more.
    const unsigned level = seed % 16 == 3 ? 3 : seed % 3 == 1 ? 1 : 0;
    trial::agrees(random.kernel(), random.arguments, random.memory, random.groups(), {cuts[seed % cuts.size()]}, level);
  }
}
