// Plants one fault after the other into the rules and looks which check notices. `mutants` alone tries all faults; with names of
// checks as arguments only these checks count, which shows what each one is worth.

#include "semantics/musimd/mutants.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "tests/mutation/checks.hpp"

using namespace lockstep;
using namespace lockstep::musimd;
using namespace lockstep::test;

namespace {

constexpr unsigned seconds_per_fault = 20;
constexpr rlim_t bytes_per_fault = rlim_t{3} << 30;

struct PlantedFault {
  std::string name;
  std::string text;
  Fault fault;
};

/// No fault that is planted below is known to be equivalent to the correct rules; those of these premises would be.
/// SV.4, SV.5 and SI.shfl.4 divide the threads of one shuffle between the two rules. What each thread takes is in the facts that
/// the rules are given, so dropping such a premise changes no machine; the faults of the shuffle's effects stand for them.
bool chosen_by_thread(const PremiseInfo& premise) {
  return (premise.rule == RuleId::SV && premise.number >= 4) || (premise.rule == RuleId::SI_shfl && premise.number == 4);
}

std::vector<PlantedFault> all_faults() {
  std::vector<PlantedFault> result;
  for (std::size_t k = 0; k < premise_table.size(); ++k) {
    const PremiseInfo& premise = premise_table[k];
    if (premise.kind == PremiseKind::Match || !asked(premise, {}) || chosen_by_thread(premise)) {
      continue;
    }
    const std::string place = fmt::format("{}.{}", name(premise.rule), premise.number);
    result.push_back({place + " dropped", std::string(premise.text), {k, std::nullopt, std::nullopt}});
    result.push_back({place + " negated", std::string(premise.text), {std::nullopt, k, std::nullopt}});
  }
#define MUTANT(id, rule, text) result.push_back({#id, text, {std::nullopt, std::nullopt, Mutant::id}});
#include "semantics/musimd/mutants.def"
#undef MUTANT
  return result;
}

/// What became of a fault.
struct Outcome {
  std::string check;  ///< that noticed it; empty if none did
  std::string how;
};

/// In the child: says through `pipe` which check runs, and then what it found, in one line each.
[[noreturn]] void run_checks(const Fault& planted, const std::vector<const Check*>& selected, int pipe) {
  const rlimit time{seconds_per_fault, seconds_per_fault};
  const rlimit memory{bytes_per_fault, bytes_per_fault};
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CPU, &time);
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &no_core);
  alarm(6 * seconds_per_fault);
  fault = planted;
  const auto say = [&](std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    text += '\n';
    if (write(pipe, text.data(), text.size()) < 0) {
      _exit(2);
    }
  };
  for (const Check* check : selected) {
    say(std::string(check->name));
    Verdict wrong;
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

Outcome try_fault(const Fault& planted, const std::vector<const Check*>& selected) {
  int ends[2];
  if (pipe(ends) != 0) {
    return {"", "no pipe"};
  }
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_checks(planted, selected, ends[1]);
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

}  // namespace

int main(int argc, char** argv) {
  std::vector<const Check*> selected;
  for (const Check& check : checks()) {
    if (argc < 2 || std::find(argv + 1, argv + argc, check.name) != argv + argc) {
      selected.push_back(&check);
    }
  }
  unsigned passed = 0;
  unsigned failed = 0;
  const Outcome control = try_fault({}, selected);
  fmt::print("without a fault: {}\n", control.check.empty() ? "all checks pass" : control.check + " fails: " + control.how);
  ++(control.check.empty() && control.how.empty() ? passed : failed);

  const std::vector<PlantedFault> faults = all_faults();
  std::map<std::string, unsigned> kills;
  std::vector<std::string> survivors;
  for (const PlantedFault& planted : faults) {
    const Outcome outcome = try_fault(planted.fault, selected);
    const bool survives = outcome.check.empty();
    if (survives) {
      survivors.push_back(planted.name + ": " + planted.text);
    } else {
      ++kills[outcome.check];
    }
    ++(survives ? failed : passed);
    fmt::print("{:<24} {:<22} {}\n", planted.name, survives ? "SURVIVES" : outcome.check, shortened(outcome.how));
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
