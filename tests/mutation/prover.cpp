// prover_mutants PAIRS FAULTS [NAME...]: the pairs with known verdicts against a prover with planted faults, each of which at least one
// pair has to notice. A dated sample of the faults; with LOCKSTEP_FULL, or by name, as many as are asked for. Each pair is tried in a
// process of its own: a faulty prover may crash, or not come to an end, which is counted apart and notices nothing.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <functional>
#include <string_view>

#include "tests/campaign/run.hpp"
#include "tests/mutation/faults/fault.hpp"
#include "tests/mutation/faults/planted.hpp"
#include "tests/proofs/pairs/pair.hpp"
#include "tools/fuzz.hpp"

std::uint64_t lockstep::planted::fault = 0;

using namespace lockstep;

namespace {

constexpr std::size_t sample = 8;
constexpr unsigned most_seconds = 60;

enum class Answer : std::uint8_t { AsStated, Otherwise, Crashed, OutOfTime };

struct Tried {
  Answer answer = Answer::AsStated;
  std::string sentence;
};

/// In a process of its own, with the fault that is switched on.
Tried try_apart(const std::function<test::Trial()>& what) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    throw std::runtime_error("there is no pipe");
  }
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(most_seconds);
    test::Trial trial;
    try {
      trial = what();
    } catch (const std::exception& problem) {
      trial = {test::Trial::Ending::Otherwise, std::string("an exception: ") + problem.what()};
    }
    const std::string text = static_cast<char>('0' + static_cast<int>(trial.ending)) + trial.sentence.substr(0, 4000);
    const ssize_t written = write(ends[1], text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> some{};
  for (ssize_t n = 0; (n = read(ends[0], some.data(), some.size())) > 0;) {
    text.append(some.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    return {Answer::OutOfTime, "it had not ended after a minute"};
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || text.empty()) {
    return {Answer::Crashed, "it crashed"};
  }
  static constexpr std::array<Answer, 3> answers = {Answer::AsStated, Answer::Otherwise, Answer::OutOfTime};
  return {answers.at(static_cast<std::size_t>(text[0] - '0')), text.substr(1)};
}

Tried try_apart(const test::Pair& pair) {
  return try_apart([&] { return test::try_pair(pair); });
}

/// What came of a fault.
struct Outcome {
  std::string noticed;  ///< by which pair; empty: by none
  std::string sentence;
  unsigned out_of_time = 0;  ///< pairs
};

/// Those that the fault names first.
std::vector<const test::Pair*> in_order(const test::Fault& fault, const std::vector<test::Pair>& pairs) {
  std::vector<const test::Pair*> order;
  for (const std::string& name : fault.noticing) {
    const auto found = std::ranges::find(pairs, name, &test::Pair::name);
    if (found == pairs.end()) {
      throw std::runtime_error(fmt::format("'{}' names a pair that there is not: '{}'", fault.name, name));
    }
    order.push_back(&*found);
  }
  for (const test::Pair& pair : pairs) {
    if (std::ranges::find(order, &pair) == order.end()) {
      order.push_back(&pair);
    }
  }
  return order;
}

Outcome try_fault(const test::Fault& fault, const std::vector<test::Pair>& pairs) {
  Outcome outcome;
  for (const test::Pair* pair : in_order(fault, pairs)) {
    planted::fault = test::number_of(fault.name);
    const Tried tried = try_apart(*pair);
    planted::fault = 0;
    outcome.out_of_time += tried.answer == Answer::OutOfTime ? 1U : 0U;
    if (tried.answer == Answer::Otherwise || tried.answer == Answer::Crashed) {
      // The pair has to be as it is stated where nothing is wrong, or it would notice everything.
      if (const Tried right = try_apart(*pair); right.answer != Answer::AsStated) {
        throw std::runtime_error(fmt::format("without a fault, the pair '{}' is not as it is stated: {}", pair->name, right.sentence));
      }
      outcome.noticed = pair->name;
      outcome.sentence = tried.sentence;
      return outcome;
    }
  }
  return outcome;
}

/// Faults that random pairs have to find too (tools/fuzz_pairs.cpp), within so many.
constexpr std::array<std::string_view, 2> found_by_random_pairs = {"conditions-of-stores", "division-by-zero"};
constexpr std::uint64_t most_random_pairs = 150;

/// Whether one of the random pairs is a finding; "" if none is.
std::string found_at_random(std::string_view fault) {
  tools::FuzzPlan plan;
  plan.target = tools::FuzzPlan::Target::Pairs;
  for (std::uint64_t number = 0; number < most_random_pairs; ++number) {
    planted::fault = test::number_of(fault);
    const Tried tried = try_apart([&] {
      tools::Counts counts;
      const tools::FuzzAnswer answer = tools::try_pair(tools::fuzz_case(plan, number), counts);
      const bool is_found = answer.ending == tools::FuzzAnswer::Ending::Finding;
      return is_found ? test::Trial{test::Trial::Ending::Otherwise, answer.kind + ": " + answer.sentence} : test::Trial();
    });
    planted::fault = 0;
    if (tried.answer == Answer::Otherwise) {
      return fmt::format("pair {}: {}", number, tried.sentence.substr(0, tried.sentence.find('\n')));
    }
  }
  return "";
}

std::vector<test::Fault> asked_for(std::vector<test::Fault> faults, int count, char** names) {
  if (count > 0) {
    std::erase_if(faults, [&](const test::Fault& fault) { return std::find(names, names + count, fault.name) == names + count; });
  } else if (!test::full_run() && faults.size() > sample) {
    const std::size_t first = test::run_seed() * sample % faults.size();
    std::rotate(faults.begin(), faults.begin() + static_cast<std::ptrdiff_t>(first), faults.end());
    faults.resize(sample);
  }
  return faults;
}

int run(int count, char** words) {
  const auto pairs = test::read_all_pairs(words[1]);
  const auto faults = test::read_faults(words[2]);
  if (!pairs || !faults) {
    fmt::print(stderr, "{}\n", !pairs ? pairs.error() : faults.error());
    return 2;
  }
  for (const test::Fault& fault : *faults) {
    static_cast<void>(in_order(fault, *pairs));  // throws if it names a pair that there is not
  }
  unsigned passed = 0;
  unsigned failed = 0;
  unsigned out_of_time = 0;
  for (const test::Fault& fault : asked_for(*faults, count - 3, words + 3)) {
    const Outcome outcome = try_fault(fault, *pairs);
    out_of_time += outcome.out_of_time;
    const bool is_noticed = !outcome.noticed.empty();
    ++(is_noticed ? passed : failed);
    fmt::print("{}{}: {}\n", is_noticed ? "" : "FAILED: ", fault.name,
               is_noticed ? fmt::format("noticed by {}: {}", outcome.noticed, outcome.sentence.substr(0, outcome.sentence.find('\n')))
                          : "no pair notices that " + fault.sentence);
  }
  for (std::size_t k = 0; count == 3 && k < found_by_random_pairs.size(); ++k) {
    if (!test::full_run() && k != test::run_seed() % found_by_random_pairs.size()) {
      continue;
    }
    const std::string found = found_at_random(found_by_random_pairs[k]);
    ++(found.empty() ? failed : passed);
    fmt::print("{}{} by random pairs: {}\n", found.empty() ? "FAILED: " : "", found_by_random_pairs[k],
               found.empty() ? "not found" : found);
  }
  fmt::print("{} pairs, of which some did not end in time {} times\n", pairs->size(), out_of_time);
  fmt::print("counts: {} passed, {} failed, 0 skipped\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    fmt::print(stderr, "usage: prover_mutants PAIRS FAULTS [NAME...]\n");
    return 2;
  }
  try {
    return run(count, words);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    return 1;
  }
}
