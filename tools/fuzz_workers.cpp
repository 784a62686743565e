// A campaign: processes that try one kernel after the other, and the one that listens to them.

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "codegen/emit/llvm/target.hpp"
#include "semantics/generate/kernel_census.hpp"
#include "tools/fuzz.hpp"
#include "tools/guarded.hpp"

namespace lockstep::tools {

namespace {

using Clock = std::chrono::steady_clock;

/// Seconds that one kernel may take: a hundred times what the slowest ones need.
constexpr unsigned patience = 60;
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
};

/// What is counted of every kernel, whatever comes of it.
void count_kernel(const FuzzCase& made, Counts& counts) {
  generate::count(made.kernel, counts);
  const unsigned lanes = made.kernel.wg_size * made.wg_pack;
  ++counts[fmt::format("lanes: {}", lanes <= narrow_lanes ? fmt::format("1 to {}", narrow_lanes) : "more")];
  ++counts[fmt::format("wg_pack: {}", made.wg_pack)];
  ++counts[fmt::format("wg_size: {}", made.kernel.wg_size)];
}

// A worker says of each kernel: its number and name_of(ending) on a line, then lines "COUNT NAME", then an empty line. (Names have no line
// breaks. What a finding is about, the listener asks again.)

void say(int pipe, const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t n = write(pipe, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      _exit(0);  // nobody listens any more
    }
    written += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void work(const FuzzPlan& plan, Share share, int pipe) {
  std::signal(SIGPIPE, SIG_IGN);
  for (; share.next < share.end; share.next += share.jobs) {
    prepare_for_crashes(plan.target == FuzzPlan::Target::Backend ? plan.timeout + patience : patience);
    const FuzzCase made = fuzz_case(plan, share.next);
    Counts counts;
    count_kernel(made, counts);
    const FuzzAnswer answer = try_case(plan, made, counts);
    std::string text = fmt::format("{} {}\n", share.next, name_of(answer.ending));
    for (const auto& [name, count] : counts) {
      text += fmt::format("{} {}\n", count, name);
    }
    say(pipe, text + "\n");
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
      workers_.push_back({{length_.first + k, end, length_.jobs}, -1, -1, ""});
      begin(workers_.back());
    }
    while (std::ranges::any_of(workers_, [](const Worker& w) { return w.pipe >= 0; })) {
      listen();
      show(seconds_since(start));
      if ((length_.seconds > 0 && seconds_since(start) > length_.seconds) || totals_.findings.size() > most_findings) {
        stop();
      }
    }
    if (is_shown_) {
      fmt::print(stderr, "\r\033[K");
    }
    std::ranges::sort(totals_.findings);
    totals_.seconds = seconds_since(start);
    totals_.processor_seconds = children_seconds() - before;
    return std::move(totals_);
  }

 private:
  struct Worker {
    Share share;
    pid_t process = -1;
    int pipe = -1;
    std::string unread;
  };

  void begin(Worker& worker) {
    if (worker.share.next >= worker.share.end) {
      return;
    }
    int ends[2] = {-1, -1};
    std::fflush(stdout);
    if (pipe(ends) != 0) {
      throw std::runtime_error(fmt::format("no pipe could be made: {}", std::strerror(errno)));
    }
    worker.process = fork();
    if (worker.process < 0) {
      throw std::runtime_error(fmt::format("no process could be made: {}", std::strerror(errno)));
    }
    if (worker.process == 0) {
      close(ends[0]);
      work(plan_, worker.share, ends[1]);
    }
    close(ends[1]);
    worker.pipe = ends[0];
    worker.unread.clear();
  }

  void listen() {
    std::vector<pollfd> pipes;
    std::vector<Worker*> owners;
    for (Worker& worker : workers_) {
      if (worker.pipe >= 0) {
        pipes.push_back({worker.pipe, POLLIN, 0});
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
    const ssize_t n = read(worker.pipe, part.data(), part.size());
    if (n > 0) {
      worker.unread.append(part.data(), static_cast<std::size_t>(n));
      for (std::size_t end = 0; (end = worker.unread.find("\n\n")) != std::string::npos;) {
        take(worker, worker.unread.substr(0, end + 1));
        worker.unread.erase(0, end + 2);
      }
      return;
    }
    close(worker.pipe);
    worker.pipe = -1;
    int status = 0;
    while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
    }
    if (!is_over_ && worker.share.next < worker.share.end) {  // it has crashed
      found(worker.share.next);
      ++totals_.counts["ending: finding"];
      ++totals_.kernels;
      worker.share.next += worker.share.jobs;
      begin(worker);
    }
  }

  void take(Worker& worker, const std::string& text) {
    std::size_t end = text.find('\n');
    const std::size_t blank = text.find(' ');
    const std::string ending = text.substr(blank + 1, end - blank - 1);
    if (ending == name_of(FuzzAnswer::Ending::Finding)) {
      found(worker.share.next);
    }
    ++totals_.counts["ending: " + ending];
    ++totals_.kernels;
    worker.share.next += worker.share.jobs;
    for (std::size_t begin = end + 1; begin < text.size(); begin = end + 1) {
      end = text.find('\n', begin);
      const std::size_t name = text.find(' ', begin) + 1;
      totals_.counts[text.substr(name, end - name)] += std::stoull(text.substr(begin, name - begin));
    }
  }

  void found(std::uint64_t number) { totals_.findings.push_back(number); }

  void stop() {
    is_over_ = true;
    for (Worker& worker : workers_) {
      if (worker.pipe >= 0) {
        kill(worker.process, SIGKILL);
      }
    }
  }

  void show(double seconds) {
    if (isatty(STDERR_FILENO) == 0 || seconds < shown_at_ + 0.25) {
      return;
    }
    shown_at_ = seconds;
    is_shown_ = true;
    const std::string of = length_.kernels ? fmt::format(" of {}", *length_.kernels) : "";
    fmt::print(stderr, "\r{}{} kernels, {:.0f} a second, {}\033[K", totals_.kernels, of, static_cast<double>(totals_.kernels) / seconds,
               counted(totals_.findings.size(), "finding"));
    std::fflush(stderr);
  }

  const FuzzPlan& plan_;
  const FuzzLength& length_;
  std::vector<Worker> workers_;
  FuzzTotals totals_;
  bool is_over_ = false;
  bool is_shown_ = false;
  double shown_at_ = 0;
};

}  // namespace

FuzzTotals run_campaign(const FuzzPlan& plan, const FuzzLength& length) {
  static_cast<void>(emit_llvm::vector_bytes({}));  // LLVM's tables are made once, before there are processes that need them
  return Campaign(plan, length).run();
}

}  // namespace lockstep::tools
