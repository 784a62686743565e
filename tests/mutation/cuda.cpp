// Faults of the CUDA emitter: unit tests, and kernels that clang compiles and the PTX machine runs.

#include <array>
#include <iterator>
#include <utility>

#include "targets/clang_ptx/compile.hpp"
#include "targets/cuda/compile.hpp"
#include "tests/cuda/trial.hpp"
#include "tests/mutation/folders.hpp"
#include "tests/mutation/suspects.hpp"

namespace lockstep::test {

namespace {

using namespace cuda_trial;

struct Family {
  std::string name;
  std::vector<Trial> (*make)();
};

std::vector<Trial> some(std::uint64_t count, Trial (*make)(std::uint64_t seed)) {
  std::vector<Trial> trials;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    trials.push_back(make(seed));
  }
  return trials;
}

std::vector<Trial> borg_trials() {
  std::vector<Trial> trials;
  for (const char* name : {"gema", "gemm", "trsv", "ldus", "pade", "enumerate", "frcg"}) {
    for (const unsigned size : {4U, 8U, 12U, 33U}) {
      trials.push_back(borg_trial(name, "double", size, 1));
      trials.push_back(borg_trial(name, "float", size, size % 8 == 0 ? 2 : 1));
    }
  }
  return trials;
}

constexpr std::size_t most_compiled = 24;
constexpr std::size_t in_a_file = 8;

std::optional<std::string> run(const Family& family) {
  const Emitter<Trial> emitter = {emit_into, [](const Trial& trial) -> const std::string& { return trial.emitted.source; }};
  const auto trials = suspects(family.make(), most_compiled, emitter);
  if (!trials) {
    return trials.error();
  }
  const auto clang = targets::find_clang("clang-19 -w");
  if (!clang) {
    return clang.error();
  }
  return in_pieces<Trial>(*trials, in_a_file, [&](const std::vector<Trial>& here) -> std::optional<std::string> {
    emit_cuda::Emitted all;
    for (const Trial& trial : here) {
      all.source += trial.emitted.source;
    }
    const auto ptx = targets::compile_cuda(all, {*clang, 1, "", nullptr});
    if (!ptx) {
      return ptx.error().sentence;
    }
    for (const Trial& trial : here) {
      const Wrong wrong = wrong_with(trial, *ptx);
      if (!wrong.is_none() && !(trial.has_poison && is_harmless(wrong.failure))) {
        return trial.name + ": " + wrong.text();
      }
    }
    return std::nullopt;
  });
}

}  // namespace

std::vector<Check> all_checks() {
  std::vector<Check> checks = unit_test_checks();
  const std::array<Family, 6> families = {{{"CUDA: operations", operation_trials},
                                           {"CUDA: directed", directed_trials},
                                           {"CUDA: borG", borg_trials},
                                           {"CUDA: rows", [] { return some(120, rows_trial); }},
                                           {"CUDA: tiles", [] { return some(200, tiles_trial); }},
                                           {"CUDA: random", [] { return some(400, random_trial); }}}};
  for (const Family& family : families) {
    checks.push_back({family.name, {"CUDA"}, [family] { return run(family); }});
  }
  return checks;
}

}  // namespace lockstep::test
