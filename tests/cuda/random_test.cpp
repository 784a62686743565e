// Random kernels of InfReg-IR as CUDA C++, compiled by clang and run on the PTX machine, against the evaluator: reorderings of every kind,
// votes, shuffles, loops, objects and packs, in groups of less than a warp, of a warp, and of more. Kernels are compiled many at a time.

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>

#include "codegen/emit/cuda/plan.hpp"
#include "semantics/infreg/verify.hpp"
#include "targets/clang_ptx/compile.hpp"
#include "targets/cuda/compile.hpp"
#include "tests/cuda/run.hpp"
#include "tests/unit/emit_llvm_random.hpp"

using namespace lockstep;
using emit_llvm::trial::DefinedKernel;

namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : otherwise;
}

/// Sizes that share a warp, fill one, fill parts of several, and fill several.
constexpr std::array<std::uint32_t, 12> sizes = {0, 4, 12, 16, 32, 5, 33, 0, 48, 8, 64, 31};

/// A pack, or a group alone: several packs may store different numbers into one cell, and which of them stays is not said.
std::uint64_t groups_of(const DefinedKernel& random) {
  const std::uint64_t pack = random.kernel().shape.wg_pack;
  return random.groups() >= pack ? pack : std::min<std::uint64_t>(random.groups(), 1);
}

/// What the PTX machine says of code that is right: shared memory that nobody has written, which is poison in InfReg-IR and may be stored;
/// and bytes that clang packs into a register and does not look at again, one of them out of a register that nobody has written.
bool is_harmless(const std::string& sentence) {
  const auto has = [&](const char* words) { return sentence.find(words) != std::string::npos; };
  return has("shared' is read, but has never been written") || (has("is read, but has never been written") && has("bfi.b32"));
}

/// Runs one of the kernels that have been compiled together. False if it could not be run to its end.
bool agrees(const DefinedKernel& random, const emit_cuda::Emitted& emitted, const std::string& ptx) {
  INFO(infreg::print(random.kernel()));
  const cuda_trial::Wrong wrong =
      cuda_trial::wrong_with({&random.kernel(), random.arguments, random.memory, groups_of(random)}, emitted, ptx);
  if (!wrong.failure.empty() && is_harmless(wrong.failure)) {
    return false;
  }
  INFO(wrong.failure);
  INFO(wrong.difference);
  REQUIRE((wrong.failure.empty() && wrong.difference.empty()));
  return true;
}

}  // namespace

TEST_CASE("random kernels leave what the evaluator leaves", "[cuda]") {
  // Random kernels have operations whose results nobody wants.
  const auto clang = targets::find_clang("clang-19 -w");
  if (!clang) {
    std::cout << "skipped: " << clang.error() << '\n';
    return;
  }
  const std::uint64_t count = number_of("LOCKSTEP_RANDOM_KERNELS", 48);
  const std::uint64_t start = number_of("LOCKSTEP_FIRST_SEED", 1);
  constexpr std::uint64_t together = 12;
  std::uint64_t agreeing = 0;
  std::map<std::string, int> ways;
  for (std::uint64_t first = start; first < start + count; first += together) {
    std::deque<DefinedKernel> kernels;  // they stay where they are
    std::vector<emit_cuda::Emitted> emitted;
    emit_cuda::Emitted all;
    for (std::uint64_t seed = first; seed < std::min(first + together, start + count); ++seed) {
      DefinedKernel& random = kernels.emplace_back(seed, 2 + seed % 5, 0, sizes[seed % sizes.size()]);
      random.make();
      INFO("seed " << seed);
      REQUIRE(infreg::verify(random.kernel()).empty());
      for (const auto& [value, way] : emit_cuda::plan_of(random.kernel(), random.kernel().shape).ways) {
        ++ways[std::string(name_of(way))];
      }
      emit_cuda::EmitOptions options;
      options.entries = false;
      options.symbol = fmt::format("k{}", seed);
      auto made = emit_cuda::emit(random.kernel(), options);
      if (!made) {
        FAIL(made.error());
      }
      all.source += made->source;
      emitted.push_back(std::move(*made));
    }
    const auto ptx = targets::compile_cuda(all, {*clang, 2, "", nullptr});
    if (!ptx) {
      FAIL(ptx.error().sentence);
    }
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      INFO("seed " << first + k << ", " << groups_of(kernels[k]) << " groups");
      agreeing += agrees(kernels[k], emitted[k], *ptx) ? 1U : 0U;
    }
  }
  REQUIRE((10 * agreeing >= 9 * count));
  for (const auto& [way, times] : ways) {
    std::cout << way << ": " << times << '\n';
  }
}
