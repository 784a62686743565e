#include "tests/mutation/avx512_check.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tests/emitted/trial.hpp"
#include "tests/mutation/tool/planted.hpp"

namespace lockstep::test {

namespace {

using namespace emit_avx512::trial;

constexpr std::uint64_t most_kernels = 600;
constexpr std::size_t most_compiled = 24;

/// Kernels whose C++ shows the fault: those made for such, and of the random ones the shortest; without a fault the first ones. An error:
/// the emitter says no, or throws.
std::expected<std::vector<Trial>, std::string> suspects() {
  std::vector<Trial> all = directed_trials();
  for (std::uint64_t seed = 1; seed <= most_kernels; ++seed) {
    all.push_back(random_trial(seed));
  }
  std::vector<Trial> directed;
  std::vector<Trial> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Trial& trial = all[i];
    if (auto wrong = emit_into(trial)) {
      return std::unexpected(*wrong);
    }
    bool differs = found.size() < most_compiled;
    if (planted::fault != 0) {
      Trial sound = trial;
      const auto fault = std::exchange(planted::fault, 0);
      emit_into(sound);
      planted::fault = fault;
      differs = sound.source != trial.source;
    }
    if (differs) {
      (i + most_kernels < all.size() ? directed : found).push_back(std::move(trial));
    }
  }
  std::ranges::stable_sort(found, {}, [](const Trial& trial) { return trial.source.size(); });
  found.resize(std::min(found.size(), most_compiled));
  std::ranges::move(found, std::back_inserter(directed));
  return directed;
}

std::optional<std::string> run() {
  const auto trials = suspects();
  if (!trials) {
    return trials.error();
  }
  const auto compiler = host::find_compiler();
  if (!compiler) {
    return compiler.error();
  }
  // Most faults show in the first few kernels, and a file of all would need more memory than a check has.
  constexpr std::size_t in_a_file = 12;
  for (std::size_t first = 0; first < trials->size(); first += in_a_file) {
    const auto begin = trials->begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<Trial> here(begin, begin + static_cast<std::ptrdiff_t>(std::min(in_a_file, trials->size() - first)));
    const auto library = compiled(here, {*compiler, 0, false});
    if (!library) {
      return library.error();
    }
    if (const std::vector<std::string> wrong = failures(here, *library); !wrong.empty()) {
      return wrong.front();
    }
  }
  return std::nullopt;
}

}  // namespace

Check avx512_check() { return {"C++ for AVX512", {"avx512"}, run}; }

}  // namespace lockstep::test
