// Kernels in C++, random ones above all, compiled without a warning and run: g++ and clang++, all levels of optimisation, with the
// processor's instructions if it has them and with the loops that stand in for them. With LOCKSTEP_FULL 3,000 of them, by each compiler
// that there is.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <span>

#include "tests/campaign/run.hpp"
#include "tests/emitted/trial.hpp"

using namespace lockstep;
using namespace lockstep::emit_avx512;
using namespace lockstep::emit_avx512::trial;

namespace {

std::vector<Trial> trials(std::uint64_t first, std::uint64_t count) {
  std::vector<Trial> result;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    result.push_back(random_trial(seed));
    const auto wrong = emit_into(result.back());
    INFO(wrong.value_or(""));
    REQUIRE(!wrong);
  }
  return result;
}

void all_agree(std::span<const Trial> trials, const Build& build) {
  INFO(name_of(build) << ", kernels " << trials.front().seed << " to " << trials.back().seed);
  const auto library = compiled({trials.begin(), trials.end()}, build);
  if (!library) {
    FAIL(library.error());
  }
  const std::vector<std::string> wrong = failures({trials.begin(), trials.end()}, *library);
  INFO(fmt::format("{}", fmt::join(wrong, "\n")));
  CHECK(wrong.empty());
}

/// The first kernel of a run: another one each day.
std::uint64_t first_seed() { return test::run_seed() % 1'000'000 * 10'000; }

std::vector<host::Compiler> compilers() {
  std::vector<host::Compiler> result;
  for (const char* name : {"g++", "clang++-19"}) {
    if (const auto found = host::find_compiler(name)) {
      result.push_back(*found);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("random kernels in C++ leave what the evaluator leaves") {
  const std::vector<host::Compiler> all = compilers();
  REQUIRE(!all.empty());
  const std::uint64_t in_a_file = test::full_run() ? 150 : 20;
  const std::uint64_t count = test::full_run() ? 3'000 : 60;
  std::size_t apart = 0;
  for (std::uint64_t done = 0; done < count; done += in_a_file) {
    const std::vector<Trial> here = trials(first_seed() + done, in_a_file);
    apart += count_with(here, "_apart(");
    for (std::size_t i = 0; i < (test::full_run() ? all.size() : 1); ++i) {
      all_agree(here, {all[i], static_cast<unsigned>((done / in_a_file + i) % 4), false});
    }
  }
  // Without these nothing was seen of what is done if buffers are apart.
  CHECK(apart > 0);
}

TEST_CASE("kernels that loops and masks make hard leave what the evaluator leaves") {
  constexpr std::uint64_t days = 3;
  std::vector<Trial> all;
  std::uint64_t k = 0;
  for (Trial& trial : directed_trials()) {
    const auto wrong = emit_into(trial);
    INFO(wrong.value_or(""));
    REQUIRE(!wrong);
    if (test::has_turn(k++, days)) {
      all.push_back(std::move(trial));
    }
  }
  constexpr std::size_t most_in_a_file = 440;  // all of a usual run
  const std::vector<host::Compiler> by = compilers();
  REQUIRE(!by.empty());
  for (std::size_t i = 0; i < (test::full_run() ? by.size() : 1); ++i) {
    for (std::size_t first = 0; first < all.size(); first += most_in_a_file) {
      all_agree(std::span(all).subspan(first, std::min(most_in_a_file, all.size() - first)), {by[i], 1, false});
    }
  }
}

TEST_CASE("random kernels in C++ leave the same where loops stand in for the instructions") {
  const std::vector<host::Compiler> all = compilers();
  REQUIRE(!all.empty());
  all_agree(trials(first_seed() + 5'000, test::full_run() ? 150 : 8), {all.front(), 1, true});
}
