// Random kernels of InfReg-IR as CUDA C++, compiled by clang and run on the PTX machine, against the evaluator. They are compiled many at a
// time.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <map>

#include "codegen/emit/cuda/plan.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/verify.hpp"
#include "targets/clang_ptx/compile.hpp"
#include "targets/cuda/compile.hpp"
#include "tests/cuda/trial.hpp"

using namespace lockstep;

namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : otherwise;
}

/// Cases for hardware have a kernel each: the driver would compile all of a file for each case of it.
bool has_one_a_file() { return std::getenv("LOCKSTEP_PTX_CASES") != nullptr; }

/// Emits the kernels into one file, compiles and runs them. How many ran to their ends.
std::uint64_t agreeing(std::vector<cuda_trial::Trial>& trials, const host::Compiler& clang) {
  emit_cuda::Emitted all;
  for (cuda_trial::Trial& trial : trials) {
    INFO(infreg::print(trial.kernel));
    REQUIRE(infreg::verify(trial.kernel).empty());
    if (const auto refusal = emit_into(trial)) {
      FAIL(*refusal);
    }
    all.source += trial.emitted.source;
  }
  const auto ptx = targets::compile_cuda(all, {clang, 2, "", nullptr});
  if (!ptx) {
    FAIL(ptx.error().sentence);
  }
  std::uint64_t count = 0;
  for (const cuda_trial::Trial& trial : trials) {
    INFO(trial.name << "\n" << infreg::print(trial.kernel));
    const cuda_trial::Wrong wrong = wrong_with(trial, *ptx);
    if (trial.has_poison && cuda_trial::is_harmless(wrong.failure)) {
      continue;
    }
    INFO(wrong.text());
    CHECK(wrong.is_none());
    ++count;
  }
  return count;
}

/// Asks as many as the environment says, so many together.
template <class Make>
void ask(std::uint64_t count, std::uint64_t together, Make&& make) {
  // Random kernels have operations whose results nobody wants.
  const auto clang = targets::find_clang("clang-19 -w");
  if (!clang) {
    std::cout << "skipped: " << clang.error() << '\n';
    return;
  }
  count = number_of("LOCKSTEP_RANDOM_KERNELS", count);
  together = has_one_a_file() ? 1 : together;
  const std::uint64_t start = number_of("LOCKSTEP_FIRST_SEED", 1);
  std::uint64_t ended = 0;
  for (std::uint64_t first = start; first < start + count; first += together) {
    std::vector<cuda_trial::Trial> trials;
    for (std::uint64_t seed = first; seed < std::min(first + together, start + count); ++seed) {
      trials.push_back(make(seed));
    }
    ended += agreeing(trials, *clang);
  }
  REQUIRE((10 * ended >= 9 * count));
}

}  // namespace

TEST_CASE("kernels that are easily wrong leave what the evaluator leaves", "[cuda]") {
  const auto clang = targets::find_clang("clang-19 -w");
  if (!clang) {
    std::cout << "skipped: " << clang.error() << '\n';
    return;
  }
  for (std::vector<cuda_trial::Trial> trials : {cuda_trial::directed_trials(), cuda_trial::operation_trials()}) {
    if (!has_one_a_file()) {
      CHECK(agreeing(trials, *clang) == trials.size());
      continue;
    }
    for (const cuda_trial::Trial& trial : trials) {
      std::vector<cuda_trial::Trial> one = {trial};
      CHECK(agreeing(one, *clang) == 1);
    }
  }
}

TEST_CASE("random kernels leave what the evaluator leaves", "[cuda]") {
  std::map<std::string, int> ways;
  ask(48, 12, [&](std::uint64_t seed) {
    cuda_trial::Trial trial = cuda_trial::random_trial(seed);
    for (const auto& [value, way] : emit_cuda::plan_of(trial.kernel, trial.kernel.shape, trial.choices).ways) {
      ++ways[std::string(name_of(way))];
    }
    return trial;
  });
  for (const auto& [way, times] : ways) {
    std::cout << way << ": " << times << '\n';
  }
}

TEST_CASE("random rows leave what the evaluator leaves", "[cuda]") {
  std::size_t rows = 0;
  std::size_t wide = 0;
  std::size_t count = 0;
  ask(60, 20, [&](std::uint64_t seed) {
    cuda_trial::Trial trial = cuda_trial::rows_trial(seed);
    const emit_cuda::Plan plan = emit_cuda::plan_of(trial.kernel, trial.kernel.shape);
    rows += plan.rows.size();
    wide += plan.wide.size() - std::min(plan.wide.size(), plan.rows.size());
    ++count;
    return trial;
  });
  std::cout << "rows through shared memory: " << rows << "\naccesses to several elements: " << wide << '\n';
  CHECK(rows >= count);
  CHECK(wide >= count);
}

TEST_CASE("random tiles leave what the evaluator leaves", "[cuda]") {
  std::size_t loads = 0;
  std::size_t stores = 0;
  std::size_t count = 0;
  ask(96, 16, [&](std::uint64_t seed) {
    cuda_trial::Trial trial = cuda_trial::tiles_trial(seed);
    const emit_cuda::Plan plan = emit_cuda::plan_of(trial.kernel, trial.kernel.shape);
    for (const infreg::OperationId id : plan.tiles) {
      ++(plan.stores.contains(id) ? stores : loads);
    }
    ++count;
    return trial;
  });
  std::cout << "loads of tiles: " << loads << "\nstores of tiles: " << stores << '\n';
  CHECK(2 * loads >= count);
  CHECK(2 * stores >= count);
}
