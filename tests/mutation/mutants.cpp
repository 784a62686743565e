// Plants one fault after the other, and looks which check notices. There are two programs of it: `mutants` is about what the languages
// mean, `compile_mutants` about the compiler (Subject in checks.hpp). Alone they try all faults. With names of checks as arguments only
// these checks count, which shows what each one is worth; with names of faults only these are planted.

#include "semantics/musimd/mutants.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/campaign/run.hpp"
#include "tests/mutation/checks.hpp"

using namespace lockstep;
using namespace lockstep::musimd;
using namespace lockstep::test;

namespace {

constexpr rlim_t bytes_per_fault = rlim_t{3} << 30;

struct PlantedFault {
  std::string name;
  std::string part;  ///< "rules", or where it is: the second column of mutants.def
  std::string text;
  PremiseFault premise;
  std::optional<Mutant> effect;
};

const char* const rules_part = "rules";

/// No fault that is planted below is known to be equivalent to the correct rules; those of these premises would be.
/// SV.4, SV.5 and SI.shfl.4 divide the threads of one shuffle between the two rules. What each thread takes is in the facts that
/// the rules are given, so dropping such a premise changes no machine; the faults of the shuffle's effects stand for them.
bool chosen_by_thread(const PremiseInfo& premise) {
  return (premise.rule == RuleId::SV && premise.number >= 4) || (premise.rule == RuleId::SI_shfl && premise.number == 4);
}

/// The part of a fault that stands in mutants.def with `place`, which is the rule where it is one of Figs. 4 and 5.
std::string part_of(const std::string& place) {
  static const std::set<std::string> parts = {"typed",  "ops",    "sema",     "translate", "layout",
                                              "launch", "passes", "evaluate", "emit",      "avx512"};
  return parts.contains(place) ? place : rules_part;
}

std::vector<PlantedFault> all_faults() {
  std::vector<PlantedFault> result;
  for (std::size_t k = 0; k < premise_table.size(); ++k) {
    const PremiseInfo& premise = premise_table[k];
    if (premise.kind == PremiseKind::Match || !(asked(premise, {}) || only_typed(premise)) || chosen_by_thread(premise)) {
      continue;
    }
    const std::string place = fmt::format("{}.{}", name(premise.rule), premise.number);
    const std::string part = only_typed(premise) ? "typed" : rules_part;
    result.push_back({place + " dropped", part, std::string(premise.text), {k, std::nullopt}, std::nullopt});
    result.push_back({place + " negated", part, std::string(premise.text), {std::nullopt, k}, std::nullopt});
  }
#define MUTANT(id, place, text) result.push_back({#id, part_of(#place), text, {}, Mutant::id});
#include "semantics/base/mutants.def"
#undef MUTANT
  return result;
}

/// The checks for a fault, those of its part first.
std::vector<const Check*> in_order(const std::vector<const Check*>& selected, const std::string& part) {
  std::vector<const Check*> result = selected;
  std::stable_partition(result.begin(), result.end(),
                        [&](const Check* check) { return std::ranges::find(check->parts, part) != check->parts.end(); });
  return result;
}

/// What became of a fault.
struct Outcome {
  std::string check;  ///< that noticed it; empty if none did
  std::string how;
};

/// In the child: says through `pipe` which check runs, and then what it found, in one line each.
[[noreturn]] void run_checks(const PlantedFault& fault, const std::vector<const Check*>& selected, unsigned seconds, int pipe) {
  const rlimit time{seconds, seconds};
  const rlimit memory{bytes_per_fault, bytes_per_fault};
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CPU, &time);
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &no_core);
  alarm(6 * seconds);
  setenv("RC_PARAMS", "seed=1 max_success=1000", 1);  // of properties among the unit tests
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  premise_fault = fault.premise;
  planted = fault.effect;
  const auto say = [&](std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    text += '\n';
    if (write(pipe, text.data(), text.size()) < 0) {
      _exit(2);
    }
  };
  for (const Check* check : selected) {
    say(check->name);
    std::optional<std::string> wrong;
    try {
      wrong = check->run();
    } catch (const std::exception& error) {
      wrong = std::string("exception: ") + error.what();
    }
    if (wrong) {
      say(*wrong);
      _exit(1);
    }
  }
  _exit(0);
}

Outcome try_fault(const PlantedFault& fault, const std::vector<const Check*>& selected, unsigned seconds) {
  int ends[2];
  if (pipe(ends) != 0) {
    return {"", "no pipe"};
  }
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_checks(fault, selected, seconds, ends[1]);
  }
  close(ends[1]);
  std::string said;
  char buffer[4096];
  for (ssize_t n = read(ends[0], buffer, sizeof buffer); n > 0; n = read(ends[0], buffer, sizeof buffer)) {
    said.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return {};
  }
  std::vector<std::string> lines;
  for (std::size_t at = 0, end = said.find('\n'); end != std::string::npos; at = end + 1, end = said.find('\n', at)) {
    lines.push_back(said.substr(at, end - at));
  }
  if (WIFEXITED(status) && lines.size() >= 2) {
    return {lines[lines.size() - 2], lines.back()};
  }
  const bool hangs = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGKILL);
  return {lines.empty() ? "the start" : lines.back(), hangs ? "hangs" : "crashes"};
}

std::string shortened(const std::string& text) { return text.size() <= 110 ? text : text.substr(0, 107) + "..."; }

/// Leaves only those whose names are wanted, or all if none is. True if some are.
template <class T, class Name>
bool keep_named(std::vector<T>& all, const std::set<std::string>& wanted, Name name) {
  const auto is_wanted = [&](const T& one) { return wanted.contains(name(one)); };
  const bool some = std::ranges::any_of(all, is_wanted);
  if (some) {
    std::erase_if(all, std::not_fn(is_wanted));
  }
  return some;
}

/// Leaves the day's sample.
void sample(std::vector<PlantedFault>& faults, unsigned one_of) {
  const std::uint64_t seed = test::run_seed();
  fmt::print("of the faults one in {}\n", one_of);
  std::size_t number = 0;
  std::erase_if(faults, [&](const PlantedFault&) { return number++ % one_of != seed % one_of; });
}

}  // namespace

int main(int argc, char** argv) {
  const Subject about = subject();
  std::vector<PlantedFault> faults = all_faults();
  std::erase_if(faults, [&](const PlantedFault& fault) { return !about.parts.contains(fault.part); });
  const std::set<std::string> wanted(argv + 1, argv + argc);
  std::vector<const Check*> selected;
  for (const Check& check : about.checks) {
    selected.push_back(&check);
  }
  keep_named(selected, wanted, [](const Check* check) { return check->name; });
  const bool are_named = keep_named(faults, wanted, [](const PlantedFault& fault) { return fault.name; });
  if (!are_named && about.one_of > 1 && !test::full_run()) {
    sample(faults, about.one_of);
  }
  unsigned passed = 0;
  unsigned failed = 0;
  const Outcome control = try_fault({}, selected, about.seconds);
  fmt::print("without a fault: {}\n", control.check.empty() ? "all checks pass" : control.check + " fails: " + control.how);
  ++(control.check.empty() && control.how.empty() ? passed : failed);

  std::map<std::string, unsigned> kills;
  std::vector<std::string> survivors;
  for (const PlantedFault& fault : faults) {
    const Outcome outcome = try_fault(fault, in_order(selected, fault.part), about.seconds);
    const bool survives = outcome.check.empty();
    if (survives) {
      survivors.push_back(fault.name + ": " + fault.text);
    } else {
      ++kills[outcome.check];
    }
    ++(survives ? failed : passed);
    fmt::print("{:<32} {:<36} {}\n", fault.name, survives ? "SURVIVES" : outcome.check, shortened(outcome.how));
    std::fflush(stdout);
  }
  fmt::print("\n{} of {} planted faults are killed\n", faults.size() - survivors.size(), faults.size());
  for (const auto& [check, count] : kills) {
    fmt::print("{:>5} by {}\n", count, check);
  }
  for (const std::string& survivor : survivors) {
    fmt::print("survivor {}\n", survivor);
  }
  fmt::print("counts: {} passed, {} failed, 0 skipped\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
