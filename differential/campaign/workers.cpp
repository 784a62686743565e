// A campaign: processes that try one kernel after the other, and the one that listens to them.

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>

#include "differential/campaign/campaign.hpp"
#include "differential/campaign/process.hpp"
#include "differential/campaign/try.hpp"
#include "differential/compare/interrupts.hpp"
#include "semantics/generate/kernel_census.hpp"

namespace lockstep::differential {

namespace {

using Clock = std::chrono::steady_clock;

/// Seconds that one kernel may take: a hundred times what the slowest ones need.
constexpr unsigned patience = 60;
/// Seconds for a proof, whose work is counted: so that it takes its time on a machine that does much else is no finding.
constexpr unsigned patience_to_prove = 1800;
/// Seconds for a C++ compiler and what it has to compile again where it fails.
constexpr unsigned patience_to_compile = 3600;
/// Kernels in the first translation unit; in each further one there are twice as many, so that something is known soon.
constexpr unsigned first_together = 8;
/// A campaign that finds more has shown what there is to show.
constexpr std::size_t most_findings = 200;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Of all child processes that have ended.
double children_seconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Which kernels are whose: every `jobs`th, beginning with a number.
struct Share {
  std::uint64_t next = 0;
  std::uint64_t end = 0;  ///< beyond the last one
  unsigned jobs = 1;
  std::uint64_t alone_until = 0;  ///< none below is tried together with others: one of them ends the process
};

/// Whether kernels are tried together, for the compiler's sake.
bool is_together(const FuzzPlan& plan, const Share& share) { return is_batched(plan) && share.next >= share.alone_until; }

/// What is counted of every kernel, whatever comes of it.
void count_kernel(const FuzzCase& made, Counts& counts) {
  generate::count(made.kernel, counts);
  const unsigned lanes = made.kernel.wg_size * made.wg_pack;
  ++counts[fmt::format("lanes: {}", lanes <= narrow_lanes ? fmt::format("1 to {}", narrow_lanes) : "more")];
  ++counts[fmt::format("wg_pack: {}", made.wg_pack)];
  ++counts[fmt::format("wg_size: {}", made.kernel.wg_size)];
}

// A worker's message of each kernel: lines "COUNT NAME" as one text (names have no line breaks), then the answer's.

std::string message_about(const FuzzAnswer& answer, const Counts& counts) {
  std::string lines;
  for (const auto& [name, count] : counts) {
    lines += fmt::format("{} {}\n", count, name);
  }
  std::vector<std::string> texts = texts_of(answer);
  texts.insert(texts.begin(), std::move(lines));
  return message_of(texts);
}

/// Seconds for so many kernels in one process.
unsigned patience_for(const FuzzPlan& plan, std::size_t kernels) {
  switch (plan.subject) {
    case FuzzPlan::Subject::Backend:
      return plan.timeout + patience;
    case FuzzPlan::Subject::Pairs:
      return patience_to_prove;
    case FuzzPlan::Subject::Target:
      break;
  }
  return is_batched(plan) ? static_cast<unsigned>(kernels) * (patience + plan.patience) + patience_to_compile : patience;
}

/// Tries the first kernels of the share and says what has come of them. False if there is no going on.
bool try_some(const FuzzPlan& plan, Share& share, unsigned most, int pipe) {
  std::vector<FuzzCase> cases;
  std::vector<Counts> counts;
  for (; cases.size() < most && share.next < share.end; share.next += share.jobs) {
    cases.push_back(fuzz_case(plan, share.next));
    count_kernel(cases.back(), counts.emplace_back());
  }
  prepare_child(plan, patience_for(plan, cases.size()));
  std::vector<FuzzAnswer> answers;
  if (plan.subject == FuzzPlan::Subject::Target) {
    answers = try_on_target(plan, cases, counts);
  } else {
    answers.push_back(try_case(plan, cases.front(), counts.front()));
  }
  for (std::size_t k = 0; k < answers.size(); ++k) {
    if (answers[k].ending == FuzzAnswer::Ending::Stopped) {
      return false;
    }
    say_to(pipe, message_about(answers[k], counts[k]));
    if (answers[k].ending == FuzzAnswer::Ending::Missing) {
      return false;
    }
  }
  return true;
}

[[noreturn]] void work(const FuzzPlan& plan, Share share, int pipe) {
  unsigned together = is_batched(plan) ? std::min(first_together, plan.target->campaigning.most_together) : 1;
  while (share.next < share.end && interrupts() == 0 && try_some(plan, share, is_together(plan, share) ? together : 1, pipe)) {
    together = std::min(2 * together, is_batched(plan) ? plan.target->campaigning.most_together : 1U);
  }
  if (interrupts() > 0) {
    end_as_asked();
  }
  _exit(0);
}

class Campaign {
 public:
  Campaign(const FuzzPlan& plan, const FuzzLength& length) : plan_(plan), length_(length) {}

  FuzzTotals run() {
    const double before = children_seconds();
    const Clock::time_point start = Clock::now();
    const std::uint64_t end = length_.kernels ? length_.first + *length_.kernels : ~std::uint64_t{0} / 2;
    for (unsigned k = 0; k < length_.jobs; ++k) {
      workers_.push_back({{length_.first + k, end, length_.jobs, 0}, {}, ""});
      begin(workers_.back());
    }
    while (std::ranges::any_of(workers_, [](const Worker& w) { return w.child.pipe >= 0; })) {
      listen();
      if (length_.progress) {
        length_.progress(totals_, seconds_since(start));
      }
      is_over_ = is_over_ || (length_.seconds > 0 && seconds_since(start) > length_.seconds) || totals_.findings.size() > most_findings ||
                 interrupts() > 0;
      if (is_over_) {
        stop();
      }
    }
    std::ranges::sort(totals_.findings, {}, &FuzzTotals::Found::number);
    totals_.seconds = seconds_since(start);
    totals_.processor_seconds = children_seconds() - before;
    return std::move(totals_);
  }

 private:
  struct Worker {
    Share share;
    Child child;
    std::string unread;
  };

  void begin(Worker& worker) {
    if (worker.share.next >= worker.share.end) {
      return;
    }
    worker.child = begin_child([&](int pipe) { work(plan_, worker.share, pipe); });
    worker.unread.clear();
  }

  void listen() {
    std::vector<pollfd> pipes;
    std::vector<Worker*> owners;
    for (Worker& worker : workers_) {
      if (worker.child.pipe >= 0) {
        pipes.push_back({worker.child.pipe, POLLIN, 0});
        owners.push_back(&worker);
      }
    }
    constexpr int milliseconds = 200;
    if (poll(pipes.data(), pipes.size(), milliseconds) <= 0) {
      return;
    }
    for (std::size_t k = 0; k < pipes.size(); ++k) {
      if ((pipes[k].revents & (POLLIN | POLLHUP)) != 0) {
        read_from(*owners[k]);
      }
    }
  }

  void read_from(Worker& worker) {
    std::array<char, 1 << 16> part{};
    const ssize_t n = read(worker.child.pipe, part.data(), part.size());
    if (n < 0 && errno == EINTR) {
      return;
    }
    if (n > 0) {
      worker.unread.append(part.data(), static_cast<std::size_t>(n));
      while (const auto texts = take_message(worker.unread)) {
        take(worker, *texts);
      }
      return;
    }
    const int status = wait_for(worker.child);
    if (!is_over_ && worker.share.next < worker.share.end) {
      if (!was_asked_to_end(status)) {  // it has crashed; otherwise it was told before this process is, or by mistake
        if (is_together(plan_, worker.share)) {
          worker.share.alone_until = worker.share.next + std::uint64_t{plan_.target->campaigning.most_together} * worker.share.jobs;
        } else {
          count(worker, crash(status));
        }
      }
      begin(worker);
    }
  }

  void take(Worker& worker, const std::vector<std::string>& texts) {
    FuzzAnswer answer = answer_of(texts, 1);
    if (answer.ending == FuzzAnswer::Ending::Missing) {
      totals_.missing = answer.sentence;
      is_over_ = true;
      return;
    }
    const std::string& lines = texts.front();
    for (std::size_t begin = 0, end = 0; begin < lines.size(); begin = end + 1) {
      end = lines.find('\n', begin);
      const std::size_t name = lines.find(' ', begin) + 1;
      totals_.counts[lines.substr(name, end - name)] += std::stoull(lines.substr(begin, name - begin));
    }
    count(worker, std::move(answer));
  }

  /// What has come of the worker's next kernel.
  void count(Worker& worker, FuzzAnswer answer) {
    ++totals_.counts[fmt::format("ending: {}", name_of(answer.ending))];
    ++totals_.kernels;
    if (answer.ending == FuzzAnswer::Ending::Finding) {
      totals_.findings.push_back({worker.share.next, std::move(answer)});
    }
    worker.share.next += worker.share.jobs;
  }

  void stop() {
    for (Worker& worker : workers_) {
      if (worker.child.pipe >= 0) {
        end_child(worker.child);
      }
    }
  }

  const FuzzPlan& plan_;
  const FuzzLength& length_;
  std::vector<Worker> workers_;
  FuzzTotals totals_;
  bool is_over_ = false;
};

}  // namespace

FuzzTotals run_campaign(const FuzzPlan& plan, const FuzzLength& length) {
  if (plan.target != nullptr && plan.target->campaigning.prepare) {
    plan.target->campaigning.prepare();
  }
  return Campaign(plan, length).run();
}

}  // namespace lockstep::differential
