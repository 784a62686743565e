// Switches on one fault of a folder after the other, each in a process of its own, and looks which check notices. Alone it tries a sample
// by date, with LOCKSTEP_FULL a large one (LOCKSTEP_FAULTS says how large). With numbers or names of faults as arguments it tries these,
// and with names of checks only these checks count, which shows what each one is worth.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "tests/campaign/run.hpp"
#include "tests/mutation/fault_list.hpp"
#include "tests/mutation/folders.hpp"
#include "tests/mutation/tool/planted.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr unsigned most_seconds = 60;  // of processor time
constexpr std::size_t sample = 20;
constexpr double sample_seconds = 15;      // of processor time, after which no other fault of the sample is begun
constexpr std::size_t large_sample = 200;  // if LOCKSTEP_FAULTS does not say another number
constexpr rlim_t most_bytes = rlim_t{3} << 30;

enum class Ending : std::uint8_t { Survived, Killed, OutOfTime };

/// What became of a fault.
struct Outcome {
  Ending ending = Ending::Survived;
  std::string check;  ///< that noticed it, or that was running
  std::string how;
};

/// In the child: says through `pipe` which check runs, and then what it found, in one line each.
[[noreturn]] void run_checks(unsigned fault, const std::vector<Check>& checks, int pipe) {
  const rlimit time{most_seconds, most_seconds};
  setrlimit(RLIMIT_CPU, &time);
  const rlimit memory{most_bytes, most_bytes};
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &no_core);
  alarm(6 * most_seconds);
  setenv("RC_PARAMS", "seed=1 max_success=1000", 1);  // of properties among the unit tests
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  planted::fault = fault;
  const auto say = [&](std::string text) {
    std::ranges::replace(text, '\n', ' ');
    text += '\n';
    if (write(pipe, text.data(), text.size()) < 0) {
      _exit(2);
    }
  };
  for (const Check& check : checks) {
    say(check.name);
    std::optional<std::string> wrong;
    try {
      wrong = check.run();
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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0, end = text.find('\n'); end != std::string::npos; at = end + 1, end = text.find('\n', at)) {
    lines.push_back(text.substr(at, end - at));
  }
  return lines;
}

Outcome try_fault(unsigned fault, const std::vector<Check>& checks) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    return {Ending::Killed, "the start", "there is no pipe"};
  }
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_checks(fault, checks, ends[1]);
  }
  close(ends[1]);
  std::string said;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    said.append(buffer.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return {};
  }
  const std::vector<std::string> lines = lines_of(said);
  if (WIFEXITED(status) && lines.size() >= 2) {
    return {Ending::Killed, lines[lines.size() - 2], lines.back()};
  }
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  const bool is_out_of_time = signal == SIGXCPU || signal == SIGALRM || signal == SIGKILL;
  return {is_out_of_time ? Ending::OutOfTime : Ending::Killed, lines.empty() ? "the start" : lines.back(),
          is_out_of_time ? "out of time" : "crashes"};
}

std::string shortened(const std::string& text) { return text.size() <= 110 ? text : text.substr(0, 107) + "..."; }

std::string shown(const MadeFault& fault) {
  return fault.by_hand() ? fmt::format("{}: {}: {}", fault.place, fault.name, fault.becomes)
                         : fmt::format("{}: {}: `{}` -> `{}`", fault.place, fault.kind, fault.was, fault.becomes);
}

/// The faults of a run, and what became of them.
struct Report {
  std::size_t killed = 0;
  std::size_t out_of_time = 0;
  std::vector<const MadeFault*> survivors;
};

/// The checks that a fault names, and then the others.
std::vector<Check> in_order(const MadeFault& fault, std::vector<Check> checks) {
  if (fault.by_hand()) {
    std::ranges::stable_partition(checks, [&](const Check& check) { return ("," + fault.was + ",").contains("," + check.name + ","); });
  }
  return checks;
}

/// Of processor time, in all that was tried so far.
double seconds_so_far() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
}

/// Begins with no fault after so many seconds.
Report try_all(const std::vector<MadeFault>& faults, const std::vector<Check>& checks, double seconds) {
  Report report;
  const double before = seconds_so_far();
  for (const MadeFault& fault : faults) {
    if (seconds_so_far() - before >= seconds) {
      break;
    }
    const Outcome outcome = try_fault(fault.number, in_order(fault, checks));
    const char* word = outcome.ending == Ending::Survived ? "SURVIVES" : outcome.ending == Ending::Killed ? "killed" : "out of time";
    fmt::print("{:>5} {:<11} {}\n", fault.number, word, shortened(shown(fault)));
    if (outcome.ending != Ending::Survived) {
      fmt::print("{:>17} {}: {}\n", "", outcome.check, shortened(outcome.how));
    }
    std::fflush(stdout);
    report.killed += outcome.ending == Ending::Killed ? 1U : 0U;
    report.out_of_time += outcome.ending == Ending::OutOfTime ? 1U : 0U;
    if (outcome.ending == Ending::Survived) {
      report.survivors.push_back(&fault);
    }
  }
  return report;
}

void print(const char* which, const Report& report, std::size_t of) {
  const std::size_t decided = report.killed + report.survivors.size();
  const Share share = wilson(report.killed, decided);
  fmt::print("\n{}: {} of {}; {} of {} killed ({:.0f} to {:.0f} % of all, at 95 %), {} out of time\n", which, decided + report.out_of_time,
             of, report.killed, decided, 100 * share.low, 100 * share.high, report.out_of_time);
  for (const MadeFault* fault : report.survivors) {
    fmt::print("survivor {} {}\n", fault->number, shown(*fault));
  }
}

struct Wanted {
  std::vector<MadeFault> made;
  std::vector<MadeFault> by_hand;
  std::vector<Check> checks;
  bool are_drawn = false;                                    ///< not named
  double seconds = std::numeric_limits<double>::infinity();  ///< for those made, and for those by hand
};

/// What the arguments name; without any of faults, a sample.
Wanted wanted(const FaultList& list, std::vector<Check> checks, const std::set<std::string>& names) {
  Wanted result;
  const auto is_named = [&](const MadeFault& fault) {
    return names.contains(std::to_string(fault.number)) || (fault.by_hand() && names.contains(fault.name));
  };
  const bool are_named = std::ranges::any_of(list.faults, is_named);
  for (const MadeFault& fault : list.faults) {
    if (!are_named || is_named(fault)) {
      (fault.by_hand() ? result.by_hand : result.made).push_back(fault);
    }
  }
  result.are_drawn = !are_named;
  if (result.are_drawn) {
    const std::uint64_t seed = run_seed();
    const std::uint64_t asked = number(environment("LOCKSTEP_FAULTS"));
    result.made = drawn(result.made, !full_run() ? sample : asked == 0 ? large_sample : asked, seed);
    if (!full_run()) {
      result.by_hand = drawn(result.by_hand, sample, seed);
      result.seconds = sample_seconds;
    }
  }
  if (std::ranges::any_of(checks, [&](const Check& check) { return names.contains(check.name); })) {
    std::erase_if(checks, [&](const Check& check) { return !names.contains(check.name); });
  }
  result.checks = std::move(checks);
  return result;
}

}  // namespace

int main(int count, char** words) {
  const auto list = read_fault_list(LOCKSTEP_FAULT_LIST);
  if (!list) {
    fmt::print(stderr, "{}\n", list.error());
    return 2;
  }
  const Folder folder = folder_named(LOCKSTEP_FOLDER, all_checks());
  const Wanted run = wanted(*list, folder.checks, {words + 1, words + count});
  unsetenv("LOCKSTEP_FULL");  // of faults, not of checks
  const Outcome control = try_fault(0, run.checks);
  const bool is_right = control.ending == Ending::Survived;
  fmt::print("without a fault: {}\n", is_right ? "all checks pass" : control.check + " fails: " + control.how);
  if (!is_right) {
    fmt::print("counts: 0 passed, 1 failed, 0 skipped\n");
    return 1;
  }
  const auto by_hand = static_cast<std::size_t>(std::ranges::count_if(list->faults, &MadeFault::by_hand));
  const Report made = try_all(run.made, run.checks, run.seconds);
  const Report planted = try_all(run.by_hand, run.checks, run.seconds);
  print("made", made, list->faults.size() - by_hand);
  fmt::print("{}\n", list->left_out);
  print("planted by hand", planted, by_hand);

  // None of those planted by hand may survive; of those made, the sample must not say that fewer are killed than were: so few of so many
  // would be killed by chance once in forty times. Of those that are named nothing is said: who names survivors wants to see them survive.
  const bool is_low = run.are_drawn && chance_of_so_few(made.killed, made.killed + made.survivors.size(), folder.killed_at_least) < 0.025;
  if (is_low) {
    fmt::print("FAILED: fewer are killed than {:.0f} %\n", 100 * folder.killed_at_least);
  }
  const std::size_t passed = 1 + planted.killed + planted.out_of_time + (run.are_drawn && !is_low ? 1U : 0U);
  const std::size_t failed = planted.survivors.size() + (is_low ? 1U : 0U);
  fmt::print("counts: {} passed, {} failed, 0 skipped\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
