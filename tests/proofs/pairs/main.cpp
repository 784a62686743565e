// pair_tests FOLDER [NAME...]: all pairs of a folder, or those whose names begin so, in one process.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>

#include "tests/proofs/pairs/pair.hpp"

using namespace lockstep;

namespace {

constexpr double slow = 2;

bool is_asked(const test::Pair& pair, int count, char** names) {
  return count == 0 || std::any_of(names, names + count, [&](const char* name) { return pair.name.starts_with(name); });
}

test::Trial trial_of(const test::Pair& pair) {
  try {
    return test::try_pair(pair);
  } catch (const std::exception& problem) {
    return {test::Trial::Ending::Otherwise, std::string("an exception: ") + problem.what()};
  }
}

}  // namespace

int main(int count, char** words) {
  const auto pairs = test::read_all_pairs(count > 1 ? words[1] : ".");
  if (!pairs) {
    fmt::print(stderr, "{}\n", pairs.error());
    return 2;
  }
  unsigned passed = 0;
  unsigned failed = 0;
  for (const test::Pair& pair : *pairs) {
    if (!is_asked(pair, count - 2 < 0 ? 0 : count - 2, words + 2)) {
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    const test::Trial trial = trial_of(pair);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (seconds > slow) {
      fmt::print("{}: {:.1f} s\n", pair.name, seconds);
    }
    ++(trial.ending == test::Trial::Ending::AsStated ? passed : failed);
    if (trial.ending != test::Trial::Ending::AsStated) {
      fmt::print("FAILED: {}: {}\n  ({})\n", pair.name, trial.sentence, pair.why);
    }
    std::fflush(stdout);
  }
  fmt::print("counts: {} passed, {} failed, 0 skipped\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
