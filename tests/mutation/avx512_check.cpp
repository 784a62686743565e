#include "tests/mutation/avx512_check.hpp"

#include <iterator>
#include <utility>

#include "tests/emitted/trial.hpp"
#include "tests/mutation/suspects.hpp"

namespace lockstep::test {

namespace {

using namespace emit_avx512::trial;

constexpr std::uint64_t most_kernels = 600;
constexpr std::size_t most_compiled = 24;
constexpr std::size_t in_a_file = 12;

/// Kernels made for such faults, and random ones.
std::expected<std::vector<Trial>, std::string> all_suspects() {
  const Emitter<Trial> emitter = {emit_into, [](const Trial& trial) -> const std::string& { return trial.source; }};
  std::vector<Trial> directed = directed_trials();
  const std::size_t count = directed.size();
  auto all = suspects(std::move(directed), count, emitter);
  std::vector<Trial> random;
  for (std::uint64_t seed = 1; seed <= most_kernels; ++seed) {
    random.push_back(random_trial(seed));
  }
  auto more = suspects(std::move(random), most_compiled, emitter);
  if (!all || !more) {
    return all ? std::move(more) : std::move(all);
  }
  std::ranges::move(*more, std::back_inserter(*all));
  return all;
}

std::optional<std::string> run() {
  const auto trials = all_suspects();
  if (!trials) {
    return trials.error();
  }
  const auto compiler = host::find_compiler();
  if (!compiler) {
    return compiler.error();
  }
  return in_pieces<Trial>(*trials, in_a_file, [&](const std::vector<Trial>& here) -> std::optional<std::string> {
    const auto library = compiled(here, {*compiler, 0, false});
    if (!library) {
      return library.error();
    }
    const std::vector<std::string> wrong = failures(here, *library);
    return wrong.empty() ? std::nullopt : std::optional(wrong.front());
  });
}

}  // namespace

Check avx512_check() { return {"C++ for AVX512", {"avx512"}, run}; }

}  // namespace lockstep::test
